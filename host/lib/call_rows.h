/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_CALL_ROWS_H
#define MCUPROF_HOST_CALL_ROWS_H

/*
 * The table of `mcuprof tree`: a row a path of calls, below its context. All
 * rows of functions, "outside", "hooks", "lost" and "off" together are all
 * time.
 */

#include "call_names.h"
#include "call_tree.h"
#include "error.h"
#include "table.h"
#include "timeline.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct call_rows_options {
    bool in_us;                  /* not in cycles */
    bool raw;                    /* with what the hooks took */
    size_t depth;                /* levels to show, 0: all */
    const char *const *contexts; /* patterns, as call_names_is_context() */
    size_t context_count;        /* 0: all */
};

struct call_rows_model {
    const struct call_tree *tree;
    const struct timeline_result *result;
    struct call_names *names;
};

#define CALL_ROWS_COLUMNS_MAX 20

/* The sums under the table, of all contexts. */
struct call_rows_sums {
    struct timeline_span self;    /* without hooks, unless raw */
    struct timeline_span hooks;   /* taken out of it */
    struct timeline_span outside; /* of all calls */
    struct timeline_span lost;
    struct timeline_span off; /* recording was */
    struct timeline_span wall;
    uint64_t below_zero; /* paths whose hooks outweigh what was measured */
};

/* Not to be copied: the table refers to the columns beside it. */
struct call_rows {
    struct table_column columns[CALL_ROWS_COLUMNS_MAX];
    struct table table;
    struct call_rows_sums sums;
};

/**
 * Make the table; end it with call_rows_deinit().
 * errors: MCUPROF_E_NOMEM
 */
int call_rows_init(struct call_rows *rows,
                   const struct call_rows_options *options,
                   const struct call_rows_model *model) MUST_CHECK;

void call_rows_deinit(struct call_rows *rows);

/** SPAN without COST; 0 where the cost is more. */
struct timeline_span call_rows_without(struct timeline_span span,
                                       struct timeline_span cost);

/** Microseconds or cycles. */
double call_rows_number(struct timeline_span span, bool in_us);

#ifdef __cplusplus
}
#endif

#endif
