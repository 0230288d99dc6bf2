/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_REPORT_PATHS_H
#define MCUPROF_HOST_REPORT_PATHS_H

/*
 * Source places in reports, and what rows have to say of them in JSON. For the
 * report*.c files only.
 */

#include "report_rows.h"

#include <jansson.h>

/* How many bytes of all paths in ROWS are one directory, its separator
   included; 0 if there is none worth a name. */
size_t report_common_directory(const struct rows *rows);

/* The first SIZE bytes of the paths in ROWS, "" if SIZE is 0; NULL without
   memory. To be freed. */
char *report_directory_name(const struct rows *rows, size_t size);

/* The functions that location NUMBER of the symbols CONTEXT is in, innermost
   first; NULL without memory. */
json_t *report_expand_frames(const void *context,
                             const struct table_column *column,
                             uint64_t number);

/* Of the blocks CONTEXT: the frames of location NUMBER, or in a COLUMN of
   others the functions in block NUMBER; NULL without memory. */
json_t *report_expand_block(const void *context,
                            const struct table_column *column, uint64_t number);

#endif
