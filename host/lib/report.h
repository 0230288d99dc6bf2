/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_REPORT_H
#define MCUPROF_HOST_REPORT_H

/*
 * The tables of `mcuprof report`. Shares are of samples plus missed periods;
 * what was lost is not among them. Those of the hot-spot table are of the
 * samples that it took.
 */

#include "error.h"
#include "named_blocks.h"
#include "profile.h"
#include "symbols.h"
#include "table.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum report_by {
    REPORT_BY_FUNCTION,
    REPORT_BY_LINE, /* of the source: innermost, where calls were inlined */
    REPORT_BY_FILE,
    REPORT_BY_CONTEXT,
    REPORT_BY_ADDRESS,
    REPORT_BY_HOTSPOTS, /* blocks of the hot-spot table */
    REPORT_BY_COUNT
};

enum report_sort {
    REPORT_SORT_SAMPLES, /* most first */
    REPORT_SORT_NAME,
    REPORT_SORT_ADDRESS, /* of contexts: their number */
    REPORT_SORT_COUNT
};

struct report_options {
    enum report_by by;
    enum report_sort sort;
    size_t limit; /* ordinary rows to show; 0: all */
    bool clones;  /* tell clones and parts of a function apart */
    bool inlined; /* rows are innermost inlined functions, not those that
                     exist in memory */
};

struct report_model {
    const struct profile *profile;
    const struct symbols *symbols;
    uint64_t missed; /* sampling periods without a sample */

    const struct named_blocks *blocks; /* for REPORT_BY_HOTSPOTS, which needs
                                          nothing else */
};

#define REPORT_NOTE_MAX 256
#define REPORT_COLUMNS_MAX 20

/* Not to be copied: the table refers to the columns beside it, and to the
   symbols or blocks. */
struct report {
    struct table_column columns[REPORT_COLUMNS_MAX];
    struct table table;
    char more[REPORT_NOTE_MAX];    /* what the limit left out, or "" */
    char unknown[REPORT_NOTE_MAX]; /* the most frequent unknown PCs, or "" */
    char *directory; /* that all paths in the text are below, with its last
                        separator; "" if there is none */
};

/**
 * Make the table that OPTIONS ask for; end it with report_deinit(). Rows in
 * brackets are always shown and do not count in the limit.
 *
 * Two functions of one name are told apart by their module, address or
 * declaration.
 * errors: MCUPROF_E_NOMEM
 */
int report_init(struct report *report, const struct report_options *options,
                const struct report_model *model) MUST_CHECK;

void report_deinit(struct report *report);

#ifdef __cplusplus
}
#endif

#endif
