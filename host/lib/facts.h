/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_FACTS_H
#define MCUPROF_HOST_FACTS_H

/*
 * Numbers derived from a capture alone, each with the word "known" where
 * it can be missing, and the names of the codes in HELLO.
 */

#include "capture.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct fact {
    bool known;
    double value;
};

/** Seconds of the clock that HELLO describes, over all segments. */
struct fact facts_clock_seconds(const struct capture *capture);

/** Seconds by the second clock, which runs in sleep. */
struct fact facts_second_seconds(const struct capture *capture);

/**
 * How long the capture lasted: by the second clock if there is one and it ran
 * longer, else by the clock.
 */
struct fact facts_wall_seconds(const struct capture *capture);

/** Seconds in which the clock stood still, by the second clock. */
struct fact facts_stopped_seconds(const struct capture *capture);

/**
 * Seconds between TIMEs in which the call ring was sent and nothing was
 * sampled; they are in none of the others.
 */
struct fact facts_traced_seconds(const struct capture *capture);

/** Samples and missed periods a second, between the TIME records. */
struct fact facts_rate(const struct capture *capture);

/* What facts_rate() rests on. */
enum rate_basis {
    RATE_MEASURED,   /* a clock apart from the sampling timer */
    RATE_PROGRAMMED, /* the clock is that timer: it adds up periods as set */
    RATE_ASSUMED     /* as others set it, or as the firmware was told */
};

enum rate_basis facts_rate_basis(const struct capture *capture);

/** The rate the firmware was told to sample at. */
struct fact facts_nominal_rate(const struct capture *capture);

/** Ticks of the clock as seconds; unknown without a clock. */
struct fact facts_seconds(const struct capture *capture, uint64_t ticks);

/** Ticks of the clock that the sampling interrupt takes. */
struct fact facts_sampler_cost(const struct capture *capture);

/** Share of all time the sampling interrupt takes, 0 to 1. */
struct fact facts_sampler_share(const struct capture *capture);

/** Measured and nominal rate are apart by more than chance explains. */
bool facts_rate_differs(const struct capture *capture);

/**
 * True if far more periods were sampled than the ticks leave room for: the
 * clock wrapped unseen between two calls of mcuprof_poll().
 */
bool facts_clock_wrapped(const struct capture *capture);

/** "DWT cycle counter" for a clock source of HELLO. */
const char *facts_clock_name(uint8_t source);

/** Why that clock was taken, in words. */
const char *facts_clock_reason(uint8_t reason);

/** "Cortex-M4 r0p1" for a CPUID; at most 40 bytes. */
void facts_core(uint32_t cpuid, char *out, size_t size);

#ifdef __cplusplus
}
#endif

#endif
