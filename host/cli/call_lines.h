/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_CLI_CALL_LINES_H
#define MCUPROF_CLI_CALL_LINES_H

/*
 * What the ways to show calls have in common: which events the user wants to
 * see, and how what is in a line is written.
 */

#include "call_session.h"
#include "print_calls.h"
#include "timeline.h"
#include "units.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which calls are below one that the user asked for, by context. */
struct call_filter {
    const struct call_window *window;
    struct call_session *session;
    uint32_t *inside; /* depth + 1 of the call that was asked for, 0: none */
    size_t unflushed; /* lines since what was printed was written */
    uint64_t below_zero;
};

/** errors: MCUPROF_E_NOMEM */
int call_filter_init(struct call_filter *filter, struct call_session *session,
                     const struct call_window *window) MUST_CHECK;

void call_filter_deinit(struct call_filter *filter);

/**
 * Take note of EVENT, an ENTER, and tell if its call is to be shown, whenever
 * it was; LEVEL is how many around it are.
 */
bool call_filter_enter(struct call_filter *filter,
                       const struct timeline_event *event, size_t *level);

/** Tell the same of EVENT, a LEAVE. */
bool call_filter_shows(const struct call_filter *filter,
                       const struct timeline_event *event);

/** The same of what happens within calls. */
bool call_filter_within(const struct call_filter *filter,
                        const struct timeline_event *event, size_t *level);

/** Take note of EVENT, a LEAVE, after it was shown. */
void call_filter_leave(struct call_filter *filter,
                       const struct timeline_event *event);

bool call_filter_is_after_from(const struct call_filter *filter,
                               const struct timeline_event *event);
bool call_filter_is_before_to(const struct call_filter *filter,
                              const struct timeline_event *event);

/** "1,234.568" in us, "1,234" in cycles. */
const char *call_lines_number(char out[UNITS_MAX],
                              const struct call_session *session,
                              struct timeline_span span);

/** The time a call took, by LEAVE; one below 0 is 0, and counted. */
const char *call_lines_duration(char out[UNITS_MAX], struct call_filter *filter,
                                const struct timeline_event *event);

#define CALL_LINES_NOTE_MAX 160

/** Why a call is not recorded as it was: " [unwound]", "" if it is. */
const char *call_lines_note(char out[CALL_LINES_NOTE_MAX], unsigned flags);

/**
 * What EVENT, no ENTER or LEAVE, says, in words; "" of what is not shown.
 * errors: MCUPROF_E_NOMEM
 */
int call_lines_say(struct call_session *session,
                   const struct timeline_event *event, char *out,
                   size_t size) MUST_CHECK;

/** True if it is of no single context. */
bool call_lines_is_common(const struct timeline_event *event);

/** Write out what was printed, from time to time; false: it cannot be. */
bool call_lines_flush(struct call_filter *filter, struct output *output);

#endif
