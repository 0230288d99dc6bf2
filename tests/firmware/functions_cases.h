/* SPDX-License-Identifier: MIT */
#ifndef FUNCTIONS_CASES_H
#define FUNCTIONS_CASES_H

#include <stdint.h>

/*
 * What the function table counts, each a case: the times are those of a clock
 * that only cases_pass() advances, so all figures are known.
 */
unsigned cases_fib(unsigned n);
unsigned cases_even(unsigned n);
unsigned cases_odd(unsigned n);
void cases_through(unsigned level);
void cases_shared(unsigned ticks);
void cases_hit(void);
void cases_halted(unsigned timer);
void cases_storm(void);
void cases_deep(unsigned levels);
void cases_neighbour(void);
void cases_turns(void);
void cases_long(uint32_t ticks);
void cases_endless(void);
void cases_endless_parent(void);
void cases_catch(void);
void cases_task(void);
void cases_deleted(void);
void cases_missed(void);
void TIMER0_Handler(void);
void TIMER1_Handler(void);

/* What is not traced. */
void cases_pass(uint32_t ticks);
void cases_poll(void);
/* An interrupt comes here and now, 0 or 1 being the timer's. */
void cases_pend(unsigned timer);
void cases_run_as(unsigned task);
/* The table is stopped here. */
void cases_stop(void);

/* What TIMER0 does when it comes. */
extern volatile enum cases_interrupt {
    CASES_THROUGH,
    CASES_SHARED,
    CASES_STORM,
    CASES_HALT,
    CASES_HALT_ABOVE
} cases_interrupt;

/* 300 functions, the one at n takes n + 1 ticks. */
#define CASES_MANY 300u
extern void (*const cases_many[CASES_MANY])(void);

#endif
