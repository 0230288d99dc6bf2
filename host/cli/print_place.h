/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_CLI_PRINT_PLACE_H
#define MCUPROF_CLI_PRINT_PLACE_H

/*
 * What an address is, as a few lines of text, as rows of CSV, or as an object
 * of the JSON document "mcuprof-where". See "WHERE" in the manual.
 */

#include "demangle.h"
#include "modules.h"
#include "path_map.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct place_style {
    enum demangle demangle;
    const struct path_map *paths;
    bool with_discriminators; /* in text */
    bool with_module;         /* in text */
};

/** Print PLACE, which is what modules_find() said of ADDRESS. */
void print_place_text(FILE *stream, const struct place_style *style,
                      uint32_t address, const struct modules_place *place);
void print_place_csv(FILE *stream, const struct place_style *style,
                     uint32_t address, const struct modules_place *place);
void print_place_json(FILE *stream, const struct place_style *style,
                      uint32_t address, const struct modules_place *place);

/** The line over the rows of CSV. */
void print_place_csv_header(FILE *stream);

#endif
