/* SPDX-License-Identifier: MIT */
/*
 * The bench's work, of many leaves that are called every few instructions; no
 * interrupts have anything to do.
 */
#include "functions_truth.h"

#include "bench_trace_work.h"
#include "board.h"

void TIMER0_Handler(void);
void TIMER1_Handler(void);

void TIMER0_Handler(void)
{
    board_timer_clear(0);
}

void TIMER1_Handler(void)
{
    board_timer_clear(1);
}

uint16_t functions_round(uint16_t seed)
{
    return bench_trace_work(seed);
}
