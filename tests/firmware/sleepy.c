/* SPDX-License-Identifier: MIT */
/*
 * Works for 1.3 ms of every 5 ms, sends for some 0.2 ms, and sleeps for the
 * rest: 70 %. MASKED 0
 * sleeps by WFI with interrupts on, 1 the way of RTOS idle tasks, which must
 * not lose an interrupt between the look and the sleep.
 */
#include "board.h"
#include "mcuprof.h"

#define US (BOARD_COUNTER_HZ / 1000000u)
#define ROUNDS 150u

MCUPROF_SAMPLE_HANDLER(SysTick_Handler);

static volatile uint32_t ticks;

void TIMER1_Handler(void);
void sleepy_work(void);
void sleepy_idle(uint32_t seen);

void TIMER1_Handler(void)
{
    board_timer_clear(1);
    ticks++;
}

__attribute__((noinline)) void sleepy_work(void)
{
    uint32_t start = board_counter();

    while (board_counter() - start < 1300u * US) {
    }
}

#if MASKED
__attribute__((noinline)) void sleepy_idle(uint32_t seen)
{
    while (ticks == seen) {
        __asm__ volatile("cpsid i" ::: "memory");
        if (ticks == seen) {
            __asm__ volatile("dsb\n\twfi" ::: "memory");
        }
        __asm__ volatile("cpsie i\n\tisb" ::: "memory");
    }
}
#else
__attribute__((noinline)) void sleepy_idle(uint32_t seen)
{
    while (ticks == seen) {
        __asm__ volatile("wfi" ::: "memory");
    }
}
#endif

static const struct mcuprof_config config = {
        .write = board_uart_write,
        .core_hz = BOARD_CLOCK_HZ,
        .rate_hz = 10000,
        .clock = (const volatile uint32_t *)BOARD_COUNTER,
};

int main(void)
{
    uint32_t start, asleep = 0;

    if (mcuprof_init(&config) < 0 || mcuprof_start() < 0) {
        return 1;
    }
    board_irq_priority(BOARD_TIMER0_IRQ + 1, 1);
    board_timer_start(1, 5000u * US);
    board_pacer_start();
    start = board_counter();
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint32_t seen = ticks, before;

        sleepy_work();
        before = board_counter();
        sleepy_idle(seen);
        asleep += board_counter() - before;
        mcuprof_poll();
    }
    start = board_counter() - start;
    board_pacer_stop();
    mcuprof_stop();
    while (mcuprof_poll() > 0) {
    }
    board_print("\nasleep %lu of %lu ticks\n", asleep, start);
    return 0;
}
