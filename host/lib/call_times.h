/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_CALL_TIMES_H
#define MCUPROF_HOST_CALL_TIMES_H

/*
 * How long the calls of a timeline took, each function and context apart, and
 * the longest of each. Only calls that were recorded as they began and ended
 * count. Memory grows with different durations, not with calls.
 */

#include "error.h"
#include "timeline.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct call_times;

/* So many calls that took as long. */
struct call_time {
    uint32_t function;
    uint16_t context;
    uint64_t ticks;
    uint64_t calls;
};

struct call_worst {
    uint32_t function;
    uint16_t context;
    uint64_t ticks;
    struct timeline_span at; /* it began, as in the timeline */
    uint32_t *path;          /* functions, outermost first, itself last */
    size_t depth;
};

/** Make an empty one; RAW: with what the hooks took. NULL without memory. */
struct call_times *call_times_new(bool raw);

void call_times_free(struct call_times *times);

/** A timeline_sink; CONTEXT is a struct call_times. Errors: MCUPROF_E_NOMEM */
int call_times_event(void *context, const struct timeline_event *event);

size_t call_times_count(const struct call_times *times);

/** Number below call_times_count(). */
struct call_time call_times_get(const struct call_times *times, size_t number);

size_t call_times_worst_count(const struct call_times *times);

/** The longest call of one function and context, the first if several are. */
const struct call_worst *call_times_worst(const struct call_times *times,
                                          size_t number);

#ifdef __cplusplus
}
#endif

#endif
