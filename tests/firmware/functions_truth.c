/* SPDX-License-Identifier: MIT */
/*
 * Work whose calls, and the interrupts' between them, the function table
 * counts: for tests/truth, which knows each of them and when it was.
 *
 * ROUNDS of the bench's load, or the demo's for so many of its TICKS.
 */
#include "board.h"
#include "mcuprof.h"
#ifdef TICKS
#include "work.h"
#else
#include "bench_trace_work.h"
#endif

static const struct mcuprof_config config = {
        .write = board_uart_write,
        .core_hz = BOARD_CLOCK_HZ,
        .clock = (const volatile uint32_t *)BOARD_COUNTER,
        .clock_hz = BOARD_COUNTER_HZ,
};

static uint16_t work(void)
{
    uint16_t sum = 1;
#ifdef TICKS
    work_start();
    while (work_ticks() < TICKS) {
        sum = work_round(sum);
        work_wait_tick();
    }
    work_stop();
#else
    for (unsigned round = 0; round < ROUNDS; round++) {
        sum = bench_trace_work(sum);
    }
#endif
    return sum;
}

int main(void)
{
    static const struct mcuprof_functions_config how = {
            .raw = RAW, .every_ms = UINT32_MAX};

    if (mcuprof_init(&config) != 0 || mcuprof_functions_start(&how) != 0) {
        return 1;
    }
    uint16_t sum = work();
    (void)mcuprof_functions_stop();
    while (mcuprof_poll() > 0) {
    }
    board_print("functions: checksum %x\n", sum);
    return 0;
}
