/* SPDX-License-Identifier: MIT */
/*
 * The benchmark's work between bench_begin() and bench_end(), in a ring or a
 * table that is sent when it is over, or with POLL_EACH after each round;
 * without an engine, without hooks.
 */
#include "bench.h"
#include "bench_trace_work.h"
#include "board.h"
#include "mcuprof.h"

#ifndef ROUNDS
#define ROUNDS 4
#endif

static int start(void)
{
#if MCUPROF_ENABLED && MCUPROF_TRACE
    static const struct mcuprof_trace_config how = {
            .mode = MCUPROF_TRACE_MODE_STREAM,
    };

    return mcuprof_trace_start(&how);
#elif MCUPROF_ENABLED && MCUPROF_FUNCTIONS
    static const struct mcuprof_functions_config how = {.every_ms = UINT32_MAX};

    return mcuprof_functions_start(&how);
#else
    return 0;
#endif
}

static void stop(void)
{
#if MCUPROF_ENABLED && MCUPROF_TRACE
    (void)mcuprof_trace_stop();
#elif MCUPROF_ENABLED && MCUPROF_FUNCTIONS
    (void)mcuprof_functions_stop();
#endif
    while (mcuprof_poll() > 0) {
    }
}

int main(void)
{
    static const struct mcuprof_config config = {
            .write = board_uart_write,
            .core_hz = BOARD_CLOCK_HZ,
#ifdef BOARD_COUNTER
            .clock = (const volatile uint32_t *)BOARD_COUNTER,
            .clock_hz = BOARD_COUNTER_HZ,
#endif
    };
    uint16_t sum = 1;

    if (mcuprof_init(&config) != 0 || start() != 0) {
        return 1;
    }
    bench_begin();
    for (int round = 0; round < ROUNDS; round++) {
        sum = bench_trace_work(sum);
#ifdef POLL_EACH
        while (mcuprof_poll() > 0) {
        }
#endif
    }
    bench_end();
    stop();
    board_print("\nsum %u\n", sum);
    return 0;
}
