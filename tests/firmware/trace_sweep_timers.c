/* SPDX-License-Identifier: MIT */

#include "trace_sweep.h"

#include "board.h"

/* The third is SysTick, where that is not the clock. */
#ifdef BOARD_COUNTER
#define HIGH_CONTEXT 15u
#define SYST ((volatile uint32_t *)0xE000E010u)
#define ICSR (*(volatile uint32_t *)0xE000ED04u)
#define ICSR_PENDSTCLR (1u << 25)

static void high_start(uint32_t after)
{
    SYST[0] = 0;
    SYST[1] = after;
    SYST[2] = 0;
    SYST[0] = 7;
}

static void high_stop(void)
{
    SYST[0] = 0;
    ICSR = ICSR_PENDSTCLR;
}

static void high_priority(void)
{
    board_systick_priority(1);
}
#else
#define HIGH_CONTEXT (18u + BOARD_TIMER0_IRQ)

static void high_start(uint32_t after)
{
    board_timer_start(2, after);
}

static void high_stop(void)
{
    board_timer_stop(2);
    board_timer_clear(2);
}

static void high_priority(void)
{
    board_irq_priority(BOARD_TIMER0_IRQ + 2, 1);
}
#endif

const uint32_t sweep_contexts[SWEEP_LEVELS] = {
        0, 16u + BOARD_TIMER0_IRQ, 17u + BOARD_TIMER0_IRQ, HIGH_CONTEXT};

void sweep_priorities(void)
{
    board_irq_priority(BOARD_TIMER0_IRQ, 3);
    board_irq_priority(BOARD_TIMER0_IRQ + 1, 2);
    high_priority();
}

void sweep_timer_start(unsigned level, uint32_t after)
{
    if (level == SWEEP_HIGH) {
        high_start(after);
    } else {
        board_timer_start(level - SWEEP_LOW, after);
    }
}

void sweep_timer_stop(unsigned level)
{
    if (level == SWEEP_HIGH) {
        high_stop();
    } else {
        board_timer_stop(level - SWEEP_LOW);
        board_timer_clear(level - SWEEP_LOW);
    }
}
