/* SPDX-License-Identifier: MIT */

/*
 * How mcuprof goes into a firmware: one handler, one configuration, and a
 * mcuprof_poll() in the main loop. The rest here is the application.
 */
#include "board.h"
#include "mcuprof.h"
#include "work.h"

#ifndef DEMO_TICKS
#define DEMO_TICKS 200 /* of 5 ms: 1 s, 10,000 samples */
#endif

/* SysTick is free in this firmware, so it becomes the sampling timer. */
MCUPROF_SAMPLE_HANDLER(SysTick_Handler);

static const struct mcuprof_config config = {
        .write = board_uart_write,
        .core_hz = BOARD_CLOCK_HZ,
        .rate_hz = 10000,
        /* QEMU has no cycle counter (DWT); the board's own does as well. */
        .clock = (const volatile uint32_t *)BOARD_COUNTER,
};

/* Of demo-traced, whose work_*.c have hooks (-finstrument-functions). */
static const struct mcuprof_trace_config calls = {
        .mode = MCUPROF_TRACE_MODE_STREAM,
};

int main(void)
{
    uint16_t sum = 0;
    uint32_t start, ticks;

    board_print("demo: list, matrix, parser, filter\n");
    /* Of demo-functions; elsewhere, as all that is not built in, it is 0. */
    if (mcuprof_init(&config) < 0 || mcuprof_start() < 0
        || mcuprof_trace_start(&calls) < 0
        || mcuprof_functions_start(NULL) < 0) {
        return 1;
    }
    start = board_counter();
    work_start();
    while (work_ticks() < DEMO_TICKS) {
        sum = work_round(sum);
        mcuprof_poll();
        work_wait_tick();
    }
    work_stop();
    mcuprof_functions_stop();
    mcuprof_stop();
    ticks = board_counter() - start;
    while (mcuprof_poll() > 0) {
    }
    board_print("demo: done in %lu ticks, checksum %x\n", ticks, sum);
    return 0;
}
