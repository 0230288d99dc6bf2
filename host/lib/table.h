/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_TABLE_H
#define MCUPROF_HOST_TABLE_H

/*
 * Rows and columns as data. A report fills a table; the command line prints
 * it as text, CSV or JSON without knowing what it is about.
 */

#include "error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum table_type {
    TABLE_TEXT,
    TABLE_COUNT,   /* grouped digits in text */
    TABLE_PERCENT, /* 0 to 100 */
    TABLE_DECIMAL, /* three digits behind the point, those before grouped */
    TABLE_ADDRESS, /* 0x%08x; a number in JSON */
    TABLE_JSON,    /* any value, for JSON alone: see expand */
};

/* Where a column is shown. */
#define TABLE_IN_TEXT 1u
#define TABLE_IN_DATA 2u
#define TABLE_EVERYWHERE 3u
#define TABLE_IN_JSON 4u
#define TABLE_IN_CSV 8u

struct table_column {
    const char *key;    /* in CSV and JSON */
    const char *header; /* in text */
    enum table_type type;
    unsigned where;
};

struct table_cell {
    bool set; /* an unset cell is "-", empty or null */
    char *text;
    uint64_t count;
    double number;
};

struct table {
    const struct table_column *columns; /* not owned */
    size_t column_count;
    struct table_cell *cells; /* row by row */
    bool *marked;             /* rows that are not of the ordinary kind */
    size_t row_count;
    size_t row_room;

    /* Makes the value of a TABLE_JSON cell from its count; such values would
       fill the memory if they were all made before the first is printed.
       Returns a new reference, NULL without memory. */
    json_t *(*expand)(const void *context, const struct table_column *column,
                      uint64_t count);
    const void *context; /* not owned */
};

/** Start an empty table over COLUMNS, which must outlive it. */
void table_init(struct table *table, const struct table_column *columns,
                size_t column_count);

void table_deinit(struct table *table);

/**
 * Add a row of unset cells. MARKED sets it apart for the eye.
 * returns its cells, valid until the next row; NULL without memory
 */
struct table_cell *table_add(struct table *table, bool marked);

/**
 * Set a text cell; TEXT is copied.
 * errors: MCUPROF_E_NOMEM
 */
int table_set_text(struct table_cell *cell, const char *text) MUST_CHECK;

/** Set a cell of TABLE_COUNT, TABLE_ADDRESS or TABLE_JSON. */
void table_set_count(struct table_cell *cell, uint64_t count);

/** Set a cell of TABLE_PERCENT or TABLE_DECIMAL. */
void table_set_number(struct table_cell *cell, double number);

/** The cell in ROW and COLUMN. */
const struct table_cell *table_get(const struct table *table, size_t row,
                                   size_t column);

#ifdef __cplusplus
}
#endif

#endif
