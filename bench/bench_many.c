/* SPDX-License-Identifier: MIT */
/*
 * BENCH_FUNCTIONS of 300 functions, each called as often as any other, in all
 * 12,000 times: whether a call costs more among many.
 */
#include "bench_trace_work.h"
#include "three_hundred.h"

static volatile uint16_t sum;

/* Of different lengths, as functions are. */
#define FUNCTION(n)                                                            \
    static void many_##n(void)                                                 \
    {                                                                          \
        sum = (uint16_t)(sum + (n));                                           \
        if ((n) % 3 == 0) {                                                    \
            sum = (uint16_t)(sum * 3u);                                        \
        }                                                                      \
        if ((n) % 5 == 0) {                                                    \
            sum = (uint16_t)(sum ^ sum >> 1);                                  \
        }                                                                      \
    }
#define NAME(n) many_##n,

THREE_HUNDRED(FUNCTION)

static void (*const functions[])(void) = {THREE_HUNDRED(NAME)};

__attribute__((no_instrument_function)) uint16_t bench_trace_work(uint16_t seed)
{
    sum = seed;
    for (unsigned i = 0; i < 12000u / BENCH_FUNCTIONS; i++) {
        for (unsigned n = 0; n < BENCH_FUNCTIONS; n++) {
            functions[n]();
        }
    }
    return sum;
}
