/* SPDX-License-Identifier: MIT */
/*
 * The benchmark has no place for mcuprof_poll() in its loop. The ring is made
 * so large (CMakeLists.txt) that all samples of a run fit in, and they are sent
 * when it is over: nothing is added to what is measured but the interrupt, or
 * the hooks. The calls of a single iteration
 * fit in the call ring; of more it keeps the last.
 */
#include "coremark_engine.h"

#include "board.h"
#include "mcuprof.h"

#if ENGINE == ENGINE_SAMPLING
MCUPROF_SAMPLE_HANDLER(SysTick_Handler);
#endif

static const struct mcuprof_config config = {
        .write = board_uart_write,
        .core_hz = BOARD_CLOCK_HZ,
        .rate_hz = 1000,
        .clock = (const volatile uint32_t *)BOARD_COUNTER,
};

static int start(void)
{
#if ENGINE == ENGINE_SAMPLING
    return mcuprof_start();
#elif ENGINE == ENGINE_TRACING
    static const struct mcuprof_functions_config how = {.every_ms = UINT32_MAX};

    return mcuprof_functions_start(&how);
#elif ENGINE == ENGINE_RING
    static const struct mcuprof_trace_config how = {
            .mode = ITERATIONS == 1 ? MCUPROF_TRACE_MODE_STREAM
                                    : MCUPROF_TRACE_MODE_FLIGHT,
    };

    return mcuprof_trace_start(&how);
#else
    return 0;
#endif
}

void coremark_engine_start(void)
{
    if (mcuprof_init(&config) < 0 || start() < 0) {
        board_exit(1);
    }
}

void coremark_engine_stop(uint32_t ticks)
{
#if ENGINE == ENGINE_SAMPLING
    (void)mcuprof_stop();
#elif ENGINE == ENGINE_TRACING
    (void)mcuprof_functions_stop();
#elif ENGINE == ENGINE_RING
    (void)mcuprof_trace_stop();
#endif
    while (ENGINE != ENGINE_NONE && mcuprof_poll() > 0) {
    }
    board_print("\nticks %u iterations %u\n", (unsigned)ticks, ITERATIONS);
}
