/* SPDX-License-Identifier: MIT */
/*
 * Names no clock, on boards whose core has no cycle counter, or one that
 * QEMU does not have. SysTick samples.
 */
#include "board.h"
#include "mcuprof.h"

MCUPROF_SAMPLE_HANDLER(SysTick_Handler);

static const struct mcuprof_config config = {
        .write = board_uart_write,
        .core_hz = BOARD_CLOCK_HZ,
        .rate_hz = 2000,
};

int main(void)
{
    uint32_t start;

    if (mcuprof_init(&config) < 0 || mcuprof_start() < 0) {
        return 1;
    }
    start = board_counter();
    while (board_counter() - start < BOARD_COUNTER_HZ / 2) {
        mcuprof_poll();
    }
    mcuprof_stop();
    while (mcuprof_poll() > 0) {
    }
    return 0;
}
