/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_CLI_PRINT_CALLS_H
#define MCUPROF_CLI_PRINT_CALLS_H

/*
 * Calls in the order in which they were made. In a lane, one context's, with
 * braces and how long each took, without what interrupted it:
 *
 *          at us  duration us
 *          1.250               work() {
 *          2.000        0.750    leaf();
 *          5.000        3.000  }
 *
 * Or in one line for each enter and leave, those of all contexts interleaved.
 * Or as CSV or JSON, a row a call.
 */

#include "call_session.h"
#include "output.h"

#include <stdbool.h>
#include <stdint.h>

/* The span of time to be shown, in cycles or picoseconds. */
struct call_window {
    bool in_cycles;
    uint64_t from;
    uint64_t to;
};

/**
 * Print the lanes of all contexts that the user wants to see, one after the
 * other.
 * errors: MCUPROF_E_NOMEM, MCUPROF_E_IO
 */
int print_calls_lanes(struct output *output, struct call_session *session,
                      const struct call_window *window) MUST_CHECK;

/** Print a line an event, in order of time. Errors: as print_calls_lanes() */
int print_calls_plain(struct output *output, struct call_session *session,
                      const struct call_window *window) MUST_CHECK;

/**
 * Print CSV or JSON as it comes, calls in the order in which they end. Errors:
 * as print_calls_lanes()
 */
int print_calls_rows(struct output *output, struct call_session *session,
                     const struct call_window *window) MUST_CHECK;

/** Print what was entered and not left, the innermost of each context last. */
int print_calls_open(struct output *output,
                     struct call_session *session) MUST_CHECK;

#endif
