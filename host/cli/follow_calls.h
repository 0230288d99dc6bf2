/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_CLI_FOLLOW_CALLS_H
#define MCUPROF_CLI_FOLLOW_CALLS_H

/*
 * The calls that a firmware with a function table records as well: what a
 * report of the table says of single calls. Of other firmwares none are kept.
 */

#include "call_times.h"
#include "capture.h"
#include "timeline.h"

#include <stdbool.h>

/* All zero is none. */
struct follow_calls {
    struct timeline *timeline;
    struct decode_handler timeline_handler;
    struct decode_handler handler;
    bool has_table;
    struct call_times *times; /* NULL: no call came */
};

/**
 * Follow CAPTURE, of which nothing came yet; end it with follow_calls_deinit().
 * errors: MCUPROF_E_NOMEM
 */
int follow_calls_init(struct follow_calls *follow,
                      struct capture *capture) MUST_CHECK;

/**
 * All has come: make the times; RAW, with what the hooks took.
 * errors: MCUPROF_E_NOMEM, MCUPROF_E_IO
 */
int follow_calls_end(struct follow_calls *follow, bool raw) MUST_CHECK;

void follow_calls_deinit(struct follow_calls *follow);

#endif
