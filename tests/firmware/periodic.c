/* SPDX-License-Identifier: MIT */
/*
 * A task that runs for 250 us at the beginning of every millisecond, in step
 * with a sampling interrupt of 1 kHz: 25 % of the time, whatever the phase.
 * With JITTER 0 SysTick is somebody else's and samples as it is, PHASE_US after
 * the beginning of the task.
 */
#include "board.h"
#include "mcuprof.h"

#define US (BOARD_COUNTER_HZ / 1000000u)
/* Chance decides about a sample with jitter only. */
#define MILLISECONDS (JITTER ? 5000u : 1000u)
#define NOW (*(volatile uint32_t *)BOARD_COUNTER)

MCUPROF_SAMPLE_HANDLER(SysTick_Handler);

static volatile uint32_t released;
static const uint32_t phase = PHASE_US * US;

void TIMER0_Handler(void);
void periodic_task(void);
void periodic_rest(void);

void TIMER0_Handler(void)
{
    board_timer_clear(0);
    released++;
}

__attribute__((noinline)) void periodic_task(void)
{
    uint32_t start = NOW;

    while (NOW - start < 250u * US) {
    }
}

__attribute__((noinline)) void periodic_rest(void)
{
    uint32_t seen = released;

    while (released == seen) {
        __asm__ volatile("nop");
    }
}

#if JITTER
#define TIMER (&mcuprof_timer_systick)
static void own_tick(void)
{
}
#else
#define TIMER (&mcuprof_timer_systick_shared)
static void own_tick(void)
{
    volatile uint32_t *systick = (volatile uint32_t *)0xE000E010u;

    systick[1] = BOARD_CLOCK_HZ / 1000u - 1;
    systick[2] = 0;
    systick[0] = 7;
}
#endif

int main(void)
{
    static struct mcuprof_config config;
    uint32_t start, in_task = 0;

    config.write = board_uart_write;
    config.core_hz = BOARD_CLOCK_HZ;
    config.rate_hz = 1000;
    config.timer = TIMER;
    config.clock = (const volatile uint32_t *)BOARD_COUNTER;

    board_timer_start(0, BOARD_CLOCK_HZ / 1000u);
    board_irq_priority(BOARD_TIMER0_IRQ, 1);
    periodic_rest();
    /* The tick of the sampler then falls into the task, or the rest. */
    start = NOW;
    while (phase > 0 && NOW - start < phase) {
    }
    own_tick();
    if (mcuprof_init(&config) < 0 || mcuprof_start() < 0) {
        return 1;
    }
    periodic_rest();
    start = NOW;
    for (unsigned i = 0; i < MILLISECONDS; i++) {
        uint32_t before = NOW;

        periodic_task();
        in_task += NOW - before;
        mcuprof_poll();
        periodic_rest();
    }
    start = NOW - start;
    mcuprof_stop();
    while (mcuprof_poll() > 0) {
    }
    board_print("\nperiodic_task %lu of %lu ticks\n", in_task, start);
    return 0;
}
