/* SPDX-License-Identifier: MIT */

#include "calls_cases.h"

#include <setjmp.h>

static volatile unsigned worked;
static volatile unsigned level_below;
static jmp_buf back;

void cases_step(unsigned n);
void cases_tick(void);
void cases_dive(unsigned levels);
void cases_catch(void);

void cases_step(unsigned n)
{
    for (unsigned i = 0; i < 50u + n % 64u; i++) {
        worked++;
    }
}

void cases_tick(void)
{
    for (unsigned i = 0; i < 300; i++) {
        worked++;
    }
}

void SysTick_Handler(void)
{
    cases_tick();
}

/* SysTick comes in the middle. */
void cases_compute(void)
{
    for (unsigned n = 0; n < 200; n++) {
        cases_step(n);
    }
}

void cases_dive(unsigned levels)
{
    if (levels > 0) {
        cases_dive(levels - 1u);
        worked++;
    } else if (worked > 0) {
        longjmp(back, 1);
    }
}

void cases_catch(void)
{
    if (setjmp(back) == 0) {
        cases_dive(8);
    }
}

/* 11 functions are entered, 2 are left. */
void cases_jump(void)
{
    cases_catch();
    worked++;
}

unsigned cases_fib(unsigned n)
{
    return n < 2 ? n : cases_fib(n - 1u) + cases_fib(n - 2u);
}

unsigned cases_even(unsigned n)
{
    return n == 0 ? 1u : cases_odd(n - 1u);
}

unsigned cases_odd(unsigned n)
{
    return n == 0 ? 0u : cases_even(n - 1u);
}

/* It calls itself by way of two interrupts, each more urgent. */
void cases_through(unsigned level)
{
    level_below = level + 1u;
    if (level < 2) {
        cases_pend(level);
    }
    worked++;
}

void cases_shared(unsigned n, unsigned interrupts)
{
    for (unsigned i = 0; i < n; i++) {
        worked++;
        if (interrupts && i == n / 3u) {
            level_below = 0;
            cases_pend(0);
        }
    }
}

void TIMER0_Handler(void)
{
    if (level_below == 0) {
        cases_shared(2000, 0);
    } else {
        cases_through(level_below);
    }
}

void TIMER1_Handler(void)
{
    cases_through(level_below);
}
