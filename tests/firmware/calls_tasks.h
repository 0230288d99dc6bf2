/* SPDX-License-Identifier: MIT */
#ifndef CALLS_TASKS_H
#define CALLS_TASKS_H

#include <stdint.h>

/*
 * What is traced of the firmware with tasks: one that sends, two that work,
 * the timer that switches them, and another.
 */
void tasks_send(void);
void tasks_steady_round(unsigned n);
void tasks_deep_round(unsigned n);
void TIMER0_Handler(void);
void TIMER1_Handler(void);

/* 1 where no call is near; each task has its own. */
extern volatile uint8_t tasks_calm;

/* Asks for a switch. Not traced. */
void tasks_yield(void);

#endif
