/* SPDX-License-Identifier: MIT */
/*
 * BENCH_FUNCTIONS of 300 functions, each called as often as any other, in all
 * 12,000 times: whether a call costs more among many.
 */
#include "bench_trace_work.h"

#define TEN(x, n)                                                              \
    x(n##0) x(n##1) x(n##2) x(n##3) x(n##4) x(n##5) x(n##6) x(n##7) x(n##8)    \
            x(n##9)
#define HUNDRED(x, n)                                                          \
    TEN(x, n##0)                                                               \
    TEN(x, n##1)                                                               \
    TEN(x, n##2)                                                               \
    TEN(x, n##3)                                                               \
    TEN(x, n##4)                                                               \
    TEN(x, n##5)                                                               \
    TEN(x, n##6)                                                               \
    TEN(x, n##7)                                                               \
    TEN(x, n##8)                                                               \
    TEN(x, n##9)
#define ALL(x) HUNDRED(x, 1) HUNDRED(x, 2) HUNDRED(x, 3)

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

ALL(FUNCTION)

static void (*const functions[])(void) = {ALL(NAME)};

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
