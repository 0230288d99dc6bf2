/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_CLI_PRINT_TABLE_H
#define MCUPROF_CLI_PRINT_TABLE_H

/*
 * A table as text, as CSV (RFC 4180 with LF), or as an array of JSON objects.
 */

#include "output.h"
#include "table.h"

#include <jansson.h>

/**
 * Print aligned columns. Where the output is a terminal, text in the last
 * column that does not fit is shortened in its middle.
 */
void print_text(struct output *output, const struct table *table);

void print_csv(struct output *output, const struct table *table);

/** The same in pieces: where all rows would fill the memory. */
void print_csv_head(struct output *output, const struct table *table);
void print_csv_row(struct output *output, const struct table *table,
                   size_t row);

/**
 * Print the JSON object DOCUMENT, which is taken over, with the rows of TABLE,
 * objects as well, as its member "rows".
 * errors: MCUPROF_E_NOMEM; also for a DOCUMENT that is NULL
 */
int print_json(struct output *output, json_t *document,
               const struct table *table) MUST_CHECK;

/**
 * The same in pieces: the one row that TABLE has is the next of them, with
 * numbers to more digits. Errors: as print_json()
 */
int print_json_head(struct output *output, json_t *document) MUST_CHECK;
int print_json_next(struct output *output, const struct table *table,
                    bool is_first) MUST_CHECK;
void print_json_end(struct output *output);

/**
 * Print LABEL, padded to LABEL_WIDTH, and TEXT, wrapped between words at 100
 * columns or the terminal's width if that is less.
 */
void print_labelled(FILE *stream, unsigned width, const char *label,
                    int label_width, const char *text);

#endif
