/* SPDX-License-Identifier: MIT */
/*
 * Work of CoreMark's kind, for those who have no copy of CoreMark: that of the
 * bench (bench/bench_trace_work.c).
 */
#include "bench_trace_work.h"
#include "board.h"
#include "coremark_engine.h"

int main(void)
{
    uint16_t sum = 1;

    coremark_engine_start();
    uint32_t began = board_counter();
    for (unsigned i = 0; i < ITERATIONS; i++) {
        sum = bench_trace_work(sum);
    }
    uint32_t ended = board_counter();
    coremark_engine_stop(ended - began);
    /* Of all three the same, or they did harm. */
    board_print("sum %u\n", sum);
    return 0;
}
