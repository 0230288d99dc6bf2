/* SPDX-License-Identifier: MIT */
/*
 * Work whose calls the function table counts, for tests/truth, which knows each
 * of them and when it was.
 */
#include "functions_truth.h"

#include "board.h"
#include "mcuprof.h"

/* Of the counter: fewer bits wrap in calls and between. */
#ifndef CLOCK_BITS
#define CLOCK_BITS 32
#endif

static const struct mcuprof_config config = {
        .write = board_uart_write,
        .core_hz = BOARD_CLOCK_HZ,
        .clock = (const volatile uint32_t *)BOARD_COUNTER,
        .clock_hz = BOARD_COUNTER_HZ,
        .clock_bits = CLOCK_BITS,
};

int main(void)
{
    static const struct mcuprof_functions_config how = {.raw = RAW,
                                                        .every_ms = UINT32_MAX};
    uint16_t sum = 1;

    board_irq_priority(BOARD_TIMER0_IRQ, 3);
    board_irq_priority(BOARD_TIMER0_IRQ + 1, 2);
    if (mcuprof_init(&config) != 0 || mcuprof_functions_start(&how) != 0) {
        return 1;
    }
    board_timer_start(0, 20011u * TICKS_OF_TEN / 10u);
    board_timer_start(1, 68041u * TICKS_OF_TEN / 10u);
    for (unsigned round = 0; round < ROUNDS; round++) {
        sum = functions_round(sum);
    }
    board_timer_stop(0);
    board_timer_stop(1);
    (void)mcuprof_functions_stop();
    while (mcuprof_poll() > 0) {
    }
    board_print("functions: checksum %x\n", sum);
    return 0;
}
