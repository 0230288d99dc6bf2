/* SPDX-License-Identifier: MIT */

#include "board.h"

/*
 * Proves a board: text goes out, .data and .bss are as C wants them, the FPU
 * (if the core has one) runs, the timer interrupts, the counter counts, and
 * the run ends with the status that was asked for.
 */

static uint32_t initialised = 0x600DDA7A;
static uint32_t cleared;
static volatile float factor = 1.5f;
static volatile unsigned ticks;

void SysTick_Handler(void);
void SysTick_Handler(void)
{
    ticks++;
}

__attribute__((section(".ramfunc"), noinline)) static uint32_t
ram_add(uint32_t left, uint32_t right)
{
    return left + right;
}

static void systick_start(uint32_t period)
{
    volatile uint32_t *systick = (volatile uint32_t *)0xE000E010u;

    systick[1] = period - 1;
    systick[2] = 0;
    systick[0] = 7;
}

#ifdef BOARD_PACER
static void relax(void)
{
    board_wait_for_interrupt();
}
#else
static void relax(void)
{
}
#endif

int main(void)
{
    uint32_t start = board_counter();
    uint32_t passed;

    systick_start(BOARD_CLOCK_HZ / 1000);
    while (ticks < 3) {
        relax();
    }
    passed = board_counter() - start;
    board_print("hello %s %d %u %lx %llx\n", "board", -7, 42u, initialised,
                0x0123456789ABCDEFULL);
    board_print("bss %lu fpu %d ram %lu\n", cleared, (int)(factor * 4.0f),
                ram_add(20, 3));
    board_print("three ticks %lu\n", passed);
    return 0;
}
