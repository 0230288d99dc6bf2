/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_CLI_PRINT_FUNCTIONS_H
#define MCUPROF_CLI_PRINT_FUNCTIONS_H

/*
 * What stands under the function table: that all time is in it, and what its
 * times are of.
 */

#include "function_table.h"
#include "named_functions.h"
#include "report.h"

#include <jansson.h>
#include <stdio.h>

/**
 * Print the notes on TABLE, which must be whole, shown as REPORT; NAMED are its
 * functions.
 */
void print_functions_notes(FILE *stream, const struct function_table *table,
                           const struct named_functions *named,
                           const struct report *report);

/** The same as numbers, null for what is not known; NULL without memory. */
json_t *print_functions_json(const struct function_table *table);

#endif
