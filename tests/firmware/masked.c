/* SPDX-License-Identifier: MIT */
/*
 * SECTIONS critical sections of 2 ms, REST_US apart, under sampling at 10 kHz.
 */
#include "board.h"
#include "mcuprof.h"

#define US (BOARD_COUNTER_HZ / 1000000u)

MCUPROF_SAMPLE_HANDLER(SysTick_Handler);

void masked_section(void);
void masked_rest(void);

static void wait(uint32_t ticks)
{
    uint32_t start = board_counter();

    while (board_counter() - start < ticks) {
    }
}

__attribute__((noinline)) void masked_section(void)
{
    board_irqs_off();
    wait(2000u * US);
    board_irqs_on();
    __asm__ volatile("nop");
}

__attribute__((noinline)) void masked_rest(void)
{
    wait(REST_US * US);
}

#ifdef BOARD_COUNTER
#define CLOCK ((const volatile uint32_t *)BOARD_COUNTER)
#else
#define CLOCK NULL
#endif

static const struct mcuprof_config config = {
        .write = board_uart_write,
        .core_hz = BOARD_CLOCK_HZ,
        .rate_hz = 10000,
        .clock = CLOCK,
};

int main(void)
{
    uint32_t start;

    if (mcuprof_init(&config) < 0 || mcuprof_start() < 0) {
        return 1;
    }
    start = board_counter();
    for (unsigned i = 0; i < SECTIONS; i++) {
        masked_rest();
        masked_section();
        mcuprof_poll();
    }
    start = board_counter() - start;
    mcuprof_stop();
    while (mcuprof_poll() > 0) {
    }
    board_print("\nran %lu ticks\n", start);
    return 0;
}
