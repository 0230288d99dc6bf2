/* SPDX-License-Identifier: MIT */

#include "functions_cases.h"

#include <setjmp.h>

#include "three_hundred.h"

static volatile unsigned level_below;
static jmp_buf back;

void cases_dive(unsigned levels);
void cases_step(void);
void cases_turn(void);
void cases_other(void);
void cases_left(void);
void cases_halt(void);
void cases_untold(void);

unsigned cases_fib(unsigned n)
{
    cases_pass(10);
    return n < 2 ? n : cases_fib(n - 1u) + cases_fib(n - 2u);
}

unsigned cases_even(unsigned n)
{
    cases_pass(100);
    return n == 0 ? 1u : cases_odd(n - 1u);
}

unsigned cases_odd(unsigned n)
{
    cases_pass(200);
    return n == 0 ? 0u : cases_even(n - 1u);
}

/* It calls itself by way of two interrupts, each more urgent. */
void cases_through(unsigned level)
{
    cases_pass(600);
    level_below = level + 1u;
    if (level < 2) {
        cases_pend(level);
    }
    cases_pass(400u + level);
}

/* In thread mode it is interrupted by itself. */
void cases_shared(unsigned ticks)
{
    cases_pass(ticks / 4u);
    if (ticks == 10000) {
        cases_pend(0);
    }
    cases_pass(ticks - ticks / 4u);
}

void cases_storm(void)
{
    cases_pass(50000);
}

void cases_hit(void)
{
    cases_pass(7000);
    cases_pend(0);
    cases_pass(3000);
}

/* As a fault's handler does, to keep what led to it. */
void cases_halt(void)
{
    cases_pass(500);
    cases_stop();
    cases_pass(60);
}

/* Stopped in an interrupt, or in one that has come into it. */
void cases_halted(unsigned timer)
{
    cases_interrupt = timer == 0 ? CASES_HALT : CASES_HALT_ABOVE;
    cases_pass(7000);
    cases_pend(0);
    cases_pass(3000);
}

void TIMER0_Handler(void)
{
    cases_pass(3);
    if (cases_interrupt == CASES_THROUGH) {
        cases_through(level_below);
    } else if (cases_interrupt == CASES_SHARED) {
        cases_shared(20000);
    } else if (cases_interrupt == CASES_HALT) {
        cases_halt();
    } else if (cases_interrupt == CASES_HALT_ABOVE) {
        cases_pend(1);
        cases_pass(800);
    } else {
        cases_storm();
    }
}

void TIMER1_Handler(void)
{
    cases_pass(5);
    if (cases_interrupt == CASES_HALT_ABOVE) {
        cases_halt();
    } else {
        cases_through(level_below);
    }
}

/* So many calls, one in the other. */
void cases_deep(unsigned levels)
{
    cases_pass(10);
    if (levels > 1) {
        cases_deep(levels - 1u);
    }
    cases_pass(1);
}

void cases_neighbour(void)
{
    cases_pass(123);
}

void cases_turn(void)
{
    cases_pass(0xC00000u);
}

/* Of 24 bits three quarters at a time, which is more than once round in all. */
void cases_turns(void)
{
    cases_pass(0xC00000u);
    cases_turn();
    cases_pass(0xC00000u);
}

void cases_long(uint32_t ticks)
{
    cases_pass(ticks);
}

/* 5,000,000,000 ticks, in which somebody polls. */
void cases_endless(void)
{
    for (unsigned i = 0; i < 5; i++) {
        cases_pass(1000000000u);
        cases_poll();
    }
}

void cases_step(void)
{
    cases_pass(1);
}

/* 6,000,000,006, with calls from time to time, and one poll. */
void cases_endless_parent(void)
{
    for (unsigned i = 0; i < 6; i++) {
        cases_pass(1000000000u);
        cases_step();
        if (i == 2) {
            cases_poll();
        }
    }
}

void cases_dive(unsigned levels)
{
    cases_pass(5);
    if (levels > 1) {
        cases_dive(levels - 1u);
        cases_pass(1);
    } else if (level_below < 9u) {
        longjmp(back, 1);
    }
}

void cases_catch(void)
{
    cases_pass(7);
    if (setjmp(back) == 0) {
        cases_dive(20);
    }
}

void cases_other(void)
{
    cases_pass(4000);
}

/* Another runs in its middle, and longer than 32 bits of ticks. */
void cases_task(void)
{
    cases_pass(1000);
    cases_run_as(513);
    cases_other();
    for (unsigned i = 0; i < 5; i++) {
        cases_pass(1000000000u);
        cases_poll();
    }
    cases_run_as(512);
    cases_pass(500);
}

/* It never ends: its task is deleted. */
void cases_left(void)
{
    cases_pass(300);
    cases_run_as(0);
    longjmp(back, 1);
}

void cases_deleted(void)
{
    if (setjmp(back) == 0) {
        cases_run_as(514);
        cases_left();
    }
    cases_pass(50);
}

/* Its enter is told as that of a task that is left, its exit as another's. */
void cases_untold(void)
{
    cases_pass(20);
}

void __cyg_profile_func_enter(void *function, void *call_site);
void __cyg_profile_func_exit(void *function, void *call_site);

/* Nobody says that another task runs: it enters a function and is switched away
   from in the middle; later it leaves that, and it is known that it runs. */
__attribute__((no_instrument_function)) void cases_missed(void)
{
    cases_run_as(512);
    __cyg_profile_func_enter((void *)cases_neighbour, (void *)0);
    cases_pass(1000);
    __cyg_profile_func_enter((void *)cases_untold, (void *)0);
    cases_pass(200);
    __cyg_profile_func_exit((void *)cases_neighbour, (void *)0);
    cases_run_as(513);
    cases_pass(30);
    __cyg_profile_func_exit((void *)cases_untold, (void *)0);
    cases_other();
}

#define FUNCTION(n)                                                            \
    static void cases_many_##n(void)                                           \
    {                                                                          \
        cases_pass((n)-99u);                                                   \
    }
#define NAME(n) cases_many_##n,

THREE_HUNDRED(FUNCTION)

void (*const cases_many[CASES_MANY])(void) = {THREE_HUNDRED(NAME)};
