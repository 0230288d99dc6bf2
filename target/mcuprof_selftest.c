/* SPDX-License-Identifier: MIT */
/*
 * A load whose profile is known: two loops, one three times as long.
 */
#include "mcuprof_internal.h"

#if MCUPROF_ENABLED && MCUPROF_STREAM

/* At most so many turns, should the clock stand still. */
#define ROUNDS_MAX 5000u

#if defined(__GNUC__) && !defined(__clang__)
#define LOOP_ATTRIBUTES __attribute__((noinline, noclone, used))
#else
#define LOOP_ATTRIBUTES __attribute__((noinline, used))
#endif

/*
 * The same loop under two names. The counter in memory keeps both alive and
 * their bodies alike; `mcuprof_selftest_one` counts by the same steps.
 */
LOOP_ATTRIBUTES void mcuprof_selftest_three(volatile uint32_t *counter,
                                            uint32_t rounds)
{
    for (uint32_t i = 0; i < rounds; i++) {
        *counter += 3u;
    }
}

LOOP_ATTRIBUTES void mcuprof_selftest_one(volatile uint32_t *counter,
                                          uint32_t rounds)
{
    for (uint32_t i = 0; i < rounds; i++) {
        *counter += 1u;
    }
}

/*
 * How many times the shorter loop must go round. Four of it are a turn, which
 * ends with a poll: it takes a hundredth of a second, or half a ring.
 *
 * returns: 0 if the clock stands still
 */
static uint32_t mcuprofi_loop_length(volatile uint32_t *counter)
{
    uint32_t goal = mcuprofi_stream_hz() / 400u;
    uint32_t ring = mcuprofi_stream_period() * (MCUPROF_SAMPLE_RING / 8u);
    goal = goal < ring ? goal : ring;
    uint32_t length = 16;
    for (;;) {
        uint64_t before = mcuprofi_stream_ticks();
        mcuprof_selftest_one(counter, length);
        uint64_t took = mcuprofi_stream_ticks() - before;
        if (took >= goal) {
            return length;
        }
        if (length >= 1u << 20) {
            return took > 0 ? length : 0;
        }
        length *= 2u;
    }
}

int mcuprof_selftest(uint32_t milliseconds)
{
    if (!mcuprofi_stream_running()) {
        return MCUPROF_ESTATE;
    }
    if (milliseconds == 0) {
        return MCUPROF_EINVAL;
    }
    volatile uint32_t counter = 0;
    struct mcuprofi_selftest result = {0};
    uint32_t length = mcuprofi_loop_length(&counter);
    if (length == 0) {
        return MCUPROF_ETIMER;
    }
    uint64_t end = mcuprofi_stream_ticks()
                   + (uint64_t)(mcuprofi_stream_hz() / 1000u) * milliseconds;
    uint32_t produced = mcuprofi_stream_produced();
    do {
        uint64_t begin = mcuprofi_stream_ticks();
        mcuprof_selftest_three(&counter, 3u * length);
        uint64_t middle = mcuprofi_stream_ticks();
        mcuprof_selftest_one(&counter, length);
        result.one_ticks += (uint32_t)(mcuprofi_stream_ticks() - middle);
        result.three_ticks += (uint32_t)(middle - begin);
        result.rounds++;
        mcuprof_poll();
    } while (mcuprofi_stream_ticks() < end && result.rounds < ROUNDS_MAX);
    result.produced = mcuprofi_stream_produced() - produced;
    mcuprofi_stream_selftest(&result);
    return 0;
}

#endif
