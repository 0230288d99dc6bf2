/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_REPORT_ROWS_H
#define MCUPROF_HOST_REPORT_ROWS_H

/*
 * The lines of any report before they become cells, for the report*.c files
 * only. All text lives in the symbols or in the program.
 */

#include "report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Percentiles of the calls that were recorded one by one. */
#define ROW_PERCENTILES 3

struct row_calls {
    uint64_t count; /* 0: nothing of what follows is valid */
    uint64_t percentiles[ROW_PERCENTILES]; /* 50, 95, 99 */
    const struct named_longest *longest;
};

struct row {
    const char *name;    /* of the function or context; "[idle]" ... */
    const char *linkage; /* NULL if there is none, as the next three */
    const char *module;
    const char *place; /* said behind the name */
    const char *file;
    uint32_t line; /* 0 if unknown */
    const char *kind;
    const char *key;  /* what --sort name goes by, and LINE */
    uint32_t address; /* of the function or the sample; number of a context */
    uint32_t size;
    uint32_t offset;
    const struct symbol_function *source; /* where its name is declared */
    const struct location *location;      /* where a row is one address */
    const struct named_block *block;      /* where it stands for one */
    const char *context;                  /* of the function table's rows */
    struct function_counts counts;        /* the same */
    struct row_calls calls;               /* the same */
    uint64_t samples;                     /* of a block: its share */
    bool ordinary;                        /* counts in the limit */
    bool sampled;                         /* has a confidence interval */
    bool located;                         /* address is valid */
    bool twin;    /* another row of the module has the same name */
    bool strange; /* a row of another module has the same name */
    bool timed;   /* its counts are valid */
};

struct rows {
    struct row *items;
    size_t count;
    size_t room;
    bool failed; /* out of memory; sticky, checked once */
};

/* In which unit times are shown, and how many of it a cycle is. */
struct report_scale {
    enum report_unit sums;  /* self and total */
    enum report_unit calls; /* average, min, max */
    double hz;
};

/* What belongs to one build of a report. */
struct report_builder {
    const struct report_options *options;
    const struct report_model *model;
    struct rows rows;
    const struct symbols *symbols;
    uint64_t whole;            /* samples and missed periods; ticks */
    struct report_scale scale; /* after all rows were added */
};

/* Add the rows of one view; what fails is in rows.failed. */
void report_add_functions(struct report_builder *builder);
void report_add_contexts(struct report_builder *builder);
void report_add_addresses(struct report_builder *builder);
void report_add_lines(struct report_builder *builder);
void report_add_files(struct report_builder *builder);
void report_add_hotspots(struct report_builder *builder);
void report_add_calls(struct report_builder *builder);

/* Add one row; NULL without memory, then rows.failed is set. */
struct row *report_add_row(struct rows *rows, const char *name,
                           const char *kind, uint64_t samples);
struct row *report_add_function(struct rows *rows,
                                const struct symbol_function *function,
                                uint64_t samples);

/* Add what is in every view: sampling periods without a sample. */
void report_add_not_sampled(struct report_builder *builder);

/* Bring ROWS into the order asked for. */
void report_sort(struct rows *rows, enum report_sort sort);

/* Total by calls of ROW, which has some, rounded down. */
uint64_t report_average(const struct row *row);

/* Mark rows that share their name, whose order is lost. */
void report_tell_apart(struct rows *rows);

#endif
