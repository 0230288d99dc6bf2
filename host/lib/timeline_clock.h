/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_TIMELINE_CLOCK_H
#define MCUPROF_HOST_TIMELINE_CLOCK_H

/*
 * Times of 64 bits out of a clock that wraps. A record is later than the one
 * before it by their difference modulo the clock's width; that it may be later
 * by whole wraps is seen by TIMEs and SYNC records, which know all bits.
 *
 *     TIME      a     b      c    TIME      P = TIME before + difference of
 *     |---------|-----|------|----|             their ticks
 *                            ^ now, at least
 *
 * If the wraps missing at P can only be in one place, they are put there, else
 * they are said to be hidden somewhere before.
 */

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A moment of which all bits were told. */
struct timeline_anchor {
    bool known;
    uint64_t records; /* that came since */
    uint64_t ticks;   /* as it was told; of a SYNC with what wraps it told */
    uint64_t at;      /* in the times that are given out */
};

struct timeline_clock {
    uint32_t mask;
    bool began;    /* the two below are valid */
    uint32_t last; /* of the last record */
    uint64_t now;
    struct timeline_anchor time;
    struct timeline_anchor sync;
    uint64_t anchors;   /* how often all bits were known */
    uint64_t disagreed; /* how often that cannot be what the records say */
};

/** Start with a clock that has the bits in MASK. */
void timeline_clock_init(struct timeline_clock *clock, uint32_t mask);

/** The time of a record with READING, a clock that counts up. */
uint64_t timeline_clock_record(struct timeline_clock *clock, uint32_t reading);

/**
 * A TIME: TICKS in all bits and the READING that belongs to it.
 * returns the wraps that are hidden somewhere before the time that is now;
 * they are added to it
 */
uint64_t timeline_clock_time(struct timeline_clock *clock, uint64_t ticks,
                             uint32_t reading);

/**
 * A SYNC that says WRAPS modulo 2^24, timeline_clock_record() was called for
 * it. Returns as timeline_clock_time().
 */
uint64_t timeline_clock_sync(struct timeline_clock *clock, uint32_t wraps);

#ifdef __cplusplus
}
#endif

#endif
