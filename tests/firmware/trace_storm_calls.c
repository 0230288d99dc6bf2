/* SPDX-License-Identifier: MIT */
/*
 * The storm's traced part: interrupts of up to three nested priorities, whose
 * periods differ each time, so that they meet every instruction of the hooks.
 */
#include "trace_storm.h"

#include "board.h"
#include "mcuprof.h"

volatile uint32_t storm_arrivals;
volatile uint32_t storm_runs;
static volatile uint32_t sum;

void TIMER0_Handler(void);
void TIMER1_Handler(void);

__attribute__((noinline)) static void thread_leaf(unsigned n)
{
    sum += n;
}

__attribute__((noinline)) static void thread_middle(unsigned n)
{
    thread_leaf(n);
    if (n & 1u) {
        thread_leaf(n + 1u);
    }
}

void storm_work(unsigned n)
{
    thread_middle(n);
    thread_leaf(n);
}

__attribute__((noinline)) static void low_leaf(void)
{
    sum++;
}

void TIMER0_Handler(void)
{
    board_timer_clear(0);
    storm_arrivals++;
    if (storm_runs) {
        board_timer_start(0, STORM_SCALE * (1811u + storm_arrivals % 877u));
    }
    low_leaf();
    low_leaf();
}

__attribute__((noinline)) static void high_leaf(void)
{
    sum += 2u;
}

void TIMER1_Handler(void)
{
    board_timer_clear(1);
    storm_arrivals++;
    if (storm_runs) {
        board_timer_start(1, STORM_SCALE * (1239u + storm_arrivals % 653u));
    }
    high_leaf();
}

#ifdef BOARD_COUNTER
void SysTick_Handler(void);

void SysTick_Handler(void)
{
    storm_arrivals++;
    /* Reload. */
    *(volatile uint32_t *)0xE000E014u =
            STORM_SCALE * (901u + storm_arrivals % 461u);
}
#endif
