/* SPDX-License-Identifier: MIT */
/*
 * What is traced of the storm: the same functions in thread mode and in
 * handlers of three priorities, one of them recursive.
 */
#include "functions_storm.h"

#include "board.h"

volatile uint32_t storm_calls[STORM_CONTEXTS][STORM_FUNCTIONS];
volatile uint32_t storm_arrivals;
volatile uint32_t storm_runs;

static volatile uint32_t sink;

__attribute__((no_instrument_function)) static inline void count(uint32_t which)
{
    uint32_t ipsr;
    __asm volatile("mrs %0, ipsr" : "=r"(ipsr));
    storm_calls[ipsr][which]++;
}

__attribute__((noinline)) static void storm_leaf(uint32_t n)
{
    count(0);
    sink += n;
}

__attribute__((noinline)) static void storm_twice(uint32_t n)
{
    count(1);
    storm_leaf(n);
    storm_leaf(n + 1u);
}

__attribute__((noinline)) static void storm_down(uint32_t n)
{
    count(2);
    if (n > 0) {
        storm_down(n - 1u);
        storm_twice(n);
    }
    sink += n;
}

__attribute__((noinline)) void storm_work(uint32_t n)
{
    count(3);
    storm_down(n % 4u);
    storm_twice(n);
}

void (*const storm_functions[STORM_FUNCTIONS])(uint32_t) = {
        storm_leaf, storm_twice, storm_down, storm_work};

#define UNTRACED __attribute__((no_instrument_function))

void TIMER0_Handler(void);
void TIMER1_Handler(void);

UNTRACED void TIMER0_Handler(void)
{
    board_timer_clear(0);
    storm_arrivals++;
    if (storm_runs) {
        board_timer_start(0, STORM_SCALE * (4811u + storm_arrivals % 877u));
    }
    storm_work(storm_arrivals);
    storm_twice(storm_arrivals);
}

UNTRACED void TIMER1_Handler(void)
{
    board_timer_clear(1);
    storm_arrivals++;
    if (storm_runs) {
        board_timer_start(1, STORM_SCALE * (3239u + storm_arrivals % 653u));
    }
    storm_twice(storm_arrivals);
}

#ifdef BOARD_COUNTER
void SysTick_Handler(void);

UNTRACED void SysTick_Handler(void)
{
    storm_arrivals++;
    /* Reload. */
    *(volatile uint32_t *)0xE000E014u =
            STORM_SCALE * (1901u + storm_arrivals % 461u);
    storm_leaf(storm_arrivals);
}
#endif
