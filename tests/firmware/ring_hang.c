/* SPDX-License-Identifier: MIT */
/*
 * A call ring in its ways to record, until the main loop hangs at a place and
 * depth that are known. No byte is sent: what a debugger finds is all there is.
 */
#include "board.h"
#include "mcuprof.h"

#ifndef MODE
#define MODE MCUPROF_TRACE_MODE_FLIGHT
#endif

#ifndef ROUNDS
#define ROUNDS 1000u
#endif

/* Without a counter SysTick is the clock, and cannot interrupt. */
#ifdef BOARD_COUNTER
#define CLOCK ((const volatile uint32_t *)BOARD_COUNTER)
#define INTERRUPTS 1
#else
#define CLOCK NULL
#define INTERRUPTS 0
#endif

volatile uint32_t ring_round;
volatile uint32_t ring_ticks;

/* It is here that it hangs, and no interrupt fills the ring any more. */
void ring_deepest(uint32_t round);
void ring_deeper(uint32_t round);
void ring_deep(uint32_t round);
void ring_tick(void);

void ring_deepest(uint32_t round)
{
    if (round == ROUNDS) {
        __asm volatile("cpsid i");
    }
    ring_round = round;
    while (round == ROUNDS) {
    }
}

void ring_deeper(uint32_t round)
{
    ring_deepest(round);
}

void ring_deep(uint32_t round)
{
    if (round % 64 == 0) {
        mcuprof_mark(7, round);
    }
    ring_deeper(round);
}

void ring_tick(void)
{
    ring_ticks++;
}

MCUPROF_SAMPLE_HANDLER_THEN(SysTick_Handler, ring_tick);

static const struct mcuprof_config config = {
        .core_hz = BOARD_CLOCK_HZ,
        .rate_hz = 10000,
        .clock = CLOCK,
};

MCUPROF_NO_INSTRUMENT int main(void)
{
    const struct mcuprof_trace_config how = {.mode = MODE};

    if (mcuprof_init(&config) != 0
        || mcuprof_context_name(512, "the only task") != 0
        || mcuprof_trace_start(&how) != 0
        || (INTERRUPTS && mcuprof_start() != 0)) {
        return 1;
    }
    mcuprof_context_set(512);
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        ring_deep(round);
    }
    return 2;
}
