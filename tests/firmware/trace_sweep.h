/* SPDX-License-Identifier: MIT */
#ifndef TRACE_SWEEP_H
#define TRACE_SWEEP_H

#include <stdint.h>

/*
 * What is traced of trace_sweep.c and trace_flood.c: thread mode and three
 * interrupts, each more urgent, have two functions, one of which calls the
 * other: four events.
 */
enum sweep_level {
    SWEEP_THREAD,
    SWEEP_LOW,
    SWEEP_MIDDLE,
    SWEEP_HIGH,
    SWEEP_LEVELS
};

#define SWEEP_EVENTS 4u

void sweep_thread(void);
void sweep_thread_leaf(void);
void sweep_low(void);
void sweep_low_leaf(void);
void sweep_middle(void);
void sweep_middle_leaf(void);
void sweep_high(void);
void sweep_high_leaf(void);

/* Who handles the most urgent one's interrupt: TIMER0 and 1 are the others. */
#ifdef BOARD_COUNTER
#define SWEEP_HIGH_HANDLER SysTick_Handler
#else
#define SWEEP_HIGH_HANDLER TIMER2_Handler
#endif

void TIMER0_Handler(void);
void TIMER1_Handler(void);
void SWEEP_HIGH_HANDLER(void);

/* Numbers of their contexts. */
extern const uint32_t sweep_contexts[SWEEP_LEVELS];

/* Each level but thread mode has a timer; its handler stops it. */
void sweep_priorities(void);
void sweep_timer_start(unsigned level, uint32_t after);
void sweep_timer_stop(unsigned level);

/* What a record of each of the four events says, in their order. */
extern void (*const sweep_functions[SWEEP_LEVELS][2])(void);

#endif
