/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_REPORT_H
#define MCUPROF_HOST_REPORT_H

/*
 * The tables of `mcuprof report`. Shares are of samples plus missed periods;
 * what was lost is not among them. Those of the hot-spot table are of the
 * samples that it took, those of the function table of all its time.
 */

#include "error.h"
#include "named_blocks.h"
#include "named_functions.h"
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
    REPORT_BY_CALLS,    /* functions of the function table */
    REPORT_BY_COUNT
};

enum report_sort {
    REPORT_SORT_SAMPLES, /* most first */
    REPORT_SORT_NAME,
    REPORT_SORT_ADDRESS, /* of contexts: their number */
    /* Of the function table; in others the same as samples. Most first. */
    REPORT_SORT_SELF,
    REPORT_SORT_SHARE,
    REPORT_SORT_CALLS,
    REPORT_SORT_TOTAL,
    REPORT_SORT_AVERAGE,
    REPORT_SORT_MIN,
    REPORT_SORT_MAX,
    REPORT_SORT_COUNT
};

/* What times are shown in; those of the function table. */
enum report_unit {
    REPORT_UNIT_AUTO, /* one that fits self and total, one that fits the rest */
    REPORT_UNIT_CYCLES,
    REPORT_UNIT_US,
    REPORT_UNIT_MS,
    REPORT_UNIT_S,
    REPORT_UNIT_COUNT
};

struct report_options {
    enum report_by by;
    enum report_sort sort;
    size_t limit;  /* ordinary rows to show; 0: all */
    bool clones;   /* tell clones and parts of a function apart */
    bool inlined;  /* rows are innermost inlined functions, not those that
                      exist in memory */
    bool contexts; /* tell a function's rows in several contexts apart */
    enum report_unit unit;
    uint32_t clock_hz; /* 0: not known, all is in cycles */
};

struct report_model {
    const struct profile *profile;
    const struct symbols *symbols;
    uint64_t missed; /* sampling periods without a sample */

    const struct named_blocks *blocks; /* for REPORT_BY_HOTSPOTS, which needs
                                          nothing else */
    const struct named_functions *functions; /* for REPORT_BY_CALLS, the
                                                same */
};

#define REPORT_NOTE_MAX 256
#define REPORT_COLUMNS_MAX 40

/* Not to be copied: the table refers to the columns beside it, and to the
   symbols or blocks. */
struct report {
    struct table_column columns[REPORT_COLUMNS_MAX];
    struct table table;
    enum report_unit unit;         /* of self times in the function table */
    double hz;                     /* the same: cycles a second */
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

/** TICKS of a clock of HZ in UNIT, which is not auto. */
double report_time(uint64_t ticks, enum report_unit unit, double hz);

#ifdef __cplusplus
}
#endif

#endif
