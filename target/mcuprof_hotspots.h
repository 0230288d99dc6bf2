/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOTSPOTS_H
#define MCUPROF_HOTSPOTS_H

/*
 * The hot-spot table's own state, and what the sampler does to it.
 *
 * Space-Saving with weights: a sample of a block that has no unit takes over
 * the unit with the least weight of all, which becomes its error. A group of
 * four units knows its least one, so that the least of all is found in two
 * steps; `hint` finds a block's unit at once, but never a group's least: what
 * is found by a hint only grows, and changes nothing else.
 *
 * Source: Metwally, Agrawal, El Abbadi, ICDT 2005; forward decay of Cormode,
 * Shkapenyuk, Srivastava, Xu, ICDE 2009; majority vote of Boyer and Moore.
 */
#include "mcuprof_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/* log2 of the grain: a number, as assembly needs it. */
#if MCUPROF_HOTSPOT_GRAIN == 16
#define MCUPROFI_HOTSPOT_SHIFT 4
#elif MCUPROF_HOTSPOT_GRAIN == 32
#define MCUPROFI_HOTSPOT_SHIFT 5
#elif MCUPROF_HOTSPOT_GRAIN == 64
#define MCUPROFI_HOTSPOT_SHIFT 6
#elif MCUPROF_HOTSPOT_GRAIN == 128
#define MCUPROFI_HOTSPOT_SHIFT 7
#elif MCUPROF_HOTSPOT_GRAIN == 256
#define MCUPROFI_HOTSPOT_SHIFT 8
#elif MCUPROF_HOTSPOT_GRAIN == 512
#define MCUPROFI_HOTSPOT_SHIFT 9
#elif MCUPROF_HOTSPOT_GRAIN == 1024
#define MCUPROFI_HOTSPOT_SHIFT 10
#elif MCUPROF_HOTSPOT_GRAIN == 2048
#define MCUPROFI_HOTSPOT_SHIFT 11
#elif MCUPROF_HOTSPOT_GRAIN == 4096
#define MCUPROFI_HOTSPOT_SHIFT 12
#elif MCUPROF_HOTSPOT_GRAIN == 8192
#define MCUPROFI_HOTSPOT_SHIFT 13
#elif MCUPROF_HOTSPOT_GRAIN == 16384
#define MCUPROFI_HOTSPOT_SHIFT 14
#elif MCUPROF_HOTSPOT_GRAIN == 32768
#define MCUPROFI_HOTSPOT_SHIFT 15
#else
#define MCUPROFI_HOTSPOT_SHIFT 16
#endif

#define MCUPROFI_HOTSPOT_HINTS 32
#define MCUPROFI_HOTSPOT_GROUP 4
#define MCUPROFI_HOTSPOT_GROUPS (MCUPROF_HOTSPOT_UNITS / MCUPROFI_HOTSPOT_GROUP)

/* Where a block looks for an empty unit first: one of these by its low bits. */
#if MCUPROF_HOTSPOT_UNITS == 64
#define MCUPROFI_HOTSPOT_SPREAD 16
#elif MCUPROF_HOTSPOT_UNITS >= 32
#define MCUPROFI_HOTSPOT_SPREAD 8
#elif MCUPROF_HOTSPOT_UNITS >= 16
#define MCUPROFI_HOTSPOT_SPREAD 4
#elif MCUPROF_HOTSPOT_UNITS >= 8
#define MCUPROFI_HOTSPOT_SPREAD 2
#else
#define MCUPROFI_HOTSPOT_SPREAD 1
#endif

/* Whether the table is kept by mcuprof_hotspots_v7m.h. */
#if MCUPROF_HOTSPOTS && MCUPROFI_SAMPLER_V7M && MCUPROF_HOTSPOT_IGNORE == 0    \
        && !defined(MCUPROF_HOTSPOT_IGNORE_IF)
#define MCUPROFI_HOTSPOTS_BY_V7M 1
#else
#define MCUPROFI_HOTSPOTS_BY_V7M 0
#endif

/* No block: a block number has at least four bits less. */
#define MCUPROFI_HOTSPOT_NO_BLOCK 0xFFFFFFFFu

/* Weight grows by 2^(1/16) every so many samples. */
#if MCUPROF_HOTSPOT_HALF_LIFE
#define MCUPROFI_HOTSPOT_STEP ((MCUPROF_HOTSPOT_HALF_LIFE) / 16)
/*
 * All weights together stay below 2.83 half-lives of the first weight: 1.42 of
 * them in this half-life, and half as many of the one before, and so on.
 */
#define MCUPROFI_HOTSPOT_BASE_MOST                                             \
    (0x7FFFFFFF / 3 / (MCUPROF_HOTSPOT_HALF_LIFE))
#define MCUPROFI_HOTSPOT_BASE                                                  \
    (MCUPROFI_HOTSPOT_BASE_MOST < 65536 ? MCUPROFI_HOTSPOT_BASE_MOST : 65536)
#define MCUPROFI_HOTSPOT_DOUBLED                                               \
    (2u * MCUPROFI_HOTSPOT_BASE - MCUPROFI_HOTSPOT_BASE / 32u)
#else
/* Nothing grows; halved before the sum could reach 2^31. */
#define MCUPROFI_HOTSPOT_STEP (1u << 29)
#define MCUPROFI_HOTSPOT_BASE 1
#define MCUPROFI_HOTSPOT_DOUBLED 2u
#endif

/* Four units that follow each other: the least weight, and whose it is. */
struct mcuprofi_hotspot_group {
    uint32_t min;
    uint32_t least;
};

/* A row of the view that is being made. */
struct mcuprofi_hotspot_row {
    uint32_t pc;
    uint32_t weight;
    uint32_t error;
};

/*
 * In the order that mcuprof_hotspots_v7m.h knows, and so that short
 * instructions of Thumb, which reach 128 bytes, do for 16 units.
 */
struct mcuprofi_hotspots {
    /* By a block's low bits: a unit that may be its. */
    uint8_t hint[MCUPROFI_HOTSPOT_HINTS];
    /* Block number of each unit; of one without: NO_BLOCK. */
    uint32_t tag[MCUPROF_HOTSPOT_UNITS];
    uint32_t samples; /* delivered until the last event */
    uint32_t wait;    /* what `countdown` began with */
    uint32_t decay_in;
    uint32_t view_in;
    uint32_t weight;    /* of a new hit */
    uint32_t countdown; /* samples to the next event */
    struct mcuprofi_hotspot_group groups[MCUPROFI_HOTSPOT_GROUPS];

    uint32_t ignored; /* of all that were delivered */
    uint32_t step;    /* of the view: 0 copy, then a row each, then publish */
    uint32_t sum;
    uint32_t view_samples;
    uint32_t view_ignored;
    uint32_t used; /* rows of the view that was published */
    struct mcuprofi_hotspot_row rows[MCUPROF_HOTSPOT_UNITS];
};

extern struct mcuprofi_hotspots mcuprofi_hotspots;

#if !MCUPROF_STREAM
/* What samples a table alone. */
struct mcuprofi_alone {
    /* In the order in which mcuprof_alone_v7m.c loads them. */
    uint32_t running;
    uint32_t seed; /* xorshift32, never 0 */
    uint32_t span; /* width of the jitter in timer ticks, 0 without */
    uint32_t base; /* shortest interval, less one */
    volatile uint32_t *reload;

    uint32_t unused; /* where `reload` points without a timer register */
    uint32_t interval;
    const struct mcuprof_timer *timer;
};

extern struct mcuprofi_alone mcuprofi_alone;
#endif

/* An empty table and view, for a start. Thread, sampling stopped. */
void mcuprofi_hotspots_reset(void);

/* Makes a view of all samples. Thread, sampling stopped. */
void mcuprofi_hotspots_finish(void);

/* A step of the view. returns: samples until the next */
uint32_t mcuprofi_hotspots_view_step(void);

/* What a sample's countdown calls at 0: a step of the decay, of the view. */
void mcuprofi_hotspots_event(void);

#ifdef __cplusplus
}
#endif

#endif
