/* SPDX-License-Identifier: MIT */
#include "timeline_clock.h"

#include <string.h>

#define SYNC_MASK 0xFFFFFFu
/* Beyond is no time but nonsense. */
#define TICKS_MAX (UINT64_MAX / 4)

void timeline_clock_init(struct timeline_clock *clock, uint32_t mask)
{
    memset(clock, 0, sizeof *clock);
    clock->mask = mask;
}

static uint64_t wrap_of(const struct timeline_clock *clock)
{
    return (uint64_t)clock->mask + 1;
}

/*
 * A record behind a TIME is no earlier, but for what lies between the two
 * readings that make the TIME.
 */
static uint64_t after_time(const struct timeline_clock *clock, uint64_t at)
{
    uint64_t wrap = wrap_of(clock);
    uint64_t soonest = at + wrap / 4;

    if (!clock->time.known || soonest >= clock->time.at)
        return at;
    return at + (clock->time.at - soonest + wrap - 1) / wrap * wrap;
}

uint64_t timeline_clock_record(struct timeline_clock *clock, uint32_t reading)
{
    reading &= clock->mask;
    if (clock->began)
        clock->now = after_time(
                clock, clock->now + ((reading - clock->last) & clock->mask));
    clock->began = true;
    clock->last = reading;
    clock->time.records++;
    clock->sync.records++;
    return clock->now;
}

/* Later than LEAST by whole wraps, or as much earlier as a record may be that
   came in between the two readings that make a TIME. */
static bool agrees(const struct timeline_clock *clock, uint64_t expected,
                   uint64_t least)
{
    uint64_t wrap = wrap_of(clock);

    if (expected > TICKS_MAX || expected % wrap != least % wrap)
        return false;
    return expected >= least
           || (least - expected == wrap
               && least - clock->now > wrap - wrap / 4);
}

static void first_time(struct timeline_clock *clock, uint64_t ticks,
                       uint32_t reading)
{
    clock->began = true;
    clock->now = ticks & TICKS_MAX;
    clock->last = reading & clock->mask;
}

uint64_t timeline_clock_time(struct timeline_clock *clock, uint64_t ticks,
                             uint32_t reading)
{
    struct timeline_anchor *anchor = &clock->time;
    uint64_t wrap = wrap_of(clock);
    uint64_t passed = ticks - anchor->ticks;
    uint64_t expected = anchor->at + passed;
    uint64_t wraps = 0;
    uint64_t least;

    clock->anchors++;
    if (!clock->began)
        first_time(clock, ticks, reading);
    least = clock->now + ((reading - clock->last) & clock->mask);
    if (anchor->known && agrees(clock, expected, least)) {
        if (anchor->records > 0 && passed >= wrap && expected > least)
            wraps = (expected - least) / wrap;
        clock->now += wraps * wrap;
    } else {
        clock->disagreed += anchor->known;
        expected = least;
        if (least - clock->now > wrap - wrap / 4 && least >= wrap)
            expected -= wrap;
    }
    *anchor = (struct timeline_anchor){
            .known = true, .ticks = ticks, .at = expected};
    return wraps;
}

uint64_t timeline_clock_sync(struct timeline_clock *clock, uint32_t wraps)
{
    struct timeline_anchor *anchor = &clock->sync;
    uint64_t wrap = wrap_of(clock);
    uint64_t period = (SYNC_MASK + UINT64_C(1)) * wrap;
    uint64_t told = (wraps & SYNC_MASK) * wrap + clock->last;
    uint64_t passed = (told + period - anchor->ticks) % period;
    uint64_t expected = anchor->at + passed;
    uint64_t hidden = 0;

    clock->anchors++;
    /* More than half of all wraps that can be told are those of a step back. */
    if (anchor->known && passed < period / 2
        && agrees(clock, expected, clock->now)) {
        hidden = (expected - clock->now) / wrap;
        clock->now = expected;
    } else {
        clock->disagreed += anchor->known;
    }
    /* With none but the SYNC's own record it is known where they are. */
    if (anchor->records < 2)
        hidden = 0;
    *anchor = (struct timeline_anchor){
            .known = true, .ticks = told, .at = clock->now};
    return hidden;
}
