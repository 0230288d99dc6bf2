/* SPDX-License-Identifier: MIT */
#ifndef CALLS_CASES_H
#define CALLS_CASES_H

/* What is traced, each a case; and the handlers. */
void cases_compute(void);
void cases_jump(void);
unsigned cases_fib(unsigned n);
unsigned cases_even(unsigned n);
unsigned cases_odd(unsigned n);
void cases_through(unsigned level);
void cases_shared(unsigned n, unsigned interrupts);
void SysTick_Handler(void);
void TIMER0_Handler(void);
void TIMER1_Handler(void);

/* An interrupt comes here and now, 0 or 1 being the timer's. Not traced. */
void cases_pend(unsigned timer);

#endif
