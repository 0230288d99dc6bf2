/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_QUALITY_H
#define MCUPROF_HOST_QUALITY_H

/*
 * What stands under every report: is this the right ELF, what is missing,
 * how was time measured, what did measuring cost. What could not be known is
 * said to be unknown; no number is made up.
 */

#include "capture.h"
#include "demangle.h"
#include "facts.h"
#include "identity.h"
#include "modules.h"
#include "symbols.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum quality_level {
    QUALITY_FINE,
    QUALITY_WARNING /* something that changes what the table means */
};

#define QUALITY_TEXT_MAX 600

struct quality_line {
    enum quality_level level;
    const char *label; /* "" continues the line before */
    bool hotspots;     /* it says something about the hot-spot table */
    char text[QUALITY_TEXT_MAX];
};

struct quality {
    struct quality_line *lines;
    size_t line_count;
    size_t line_room;
    json_t *facts; /* the same as numbers; null for what is not known */
    bool hotspots; /* for the lines to come */
    bool quiet;    /* they are about samples, of which there are none */
    bool failed;   /* out of memory */
};

/* What the block is about; MODULES and SYMBOLS are NULL without an ELF. */
struct quality_subject {
    const struct capture *capture;
    struct modules *modules;
    const struct symbols *symbols;
    enum demangle demangle;
    bool forced;   /* --force was given */
    bool of_calls; /* leave out what is about samples */
    bool of_table; /* say nothing of what has no part in the function table */
    /* From the first to the last record of a ring that was read from RAM. */
    struct fact ring_seconds;
};

/**
 * Make the block; end it with quality_deinit().
 * errors: MCUPROF_E_NOMEM
 */
int quality_init(struct quality *quality,
                 const struct quality_subject *subject) MUST_CHECK;

/** Add a line, and a fact, which is taken over, for what the block lacks. */
void quality_add_line(struct quality *quality, enum quality_level level,
                      const char *label, const char *text);
void quality_add_fact(struct quality *quality, const char *key, json_t *fact);

void quality_deinit(struct quality *quality);

#ifdef __cplusplus
}
#endif

#endif
