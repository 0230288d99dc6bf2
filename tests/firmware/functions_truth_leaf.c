/* SPDX-License-Identifier: MIT */
/*
 * A leaf that takes 4 % of the time of what calls it, every 70 instructions.
 */
#include "functions_truth.h"

#include "board.h"

void TIMER0_Handler(void);
void TIMER1_Handler(void);
int leaf_is_digit(unsigned c);

static volatile unsigned seen;

void TIMER0_Handler(void)
{
    board_timer_clear(0);
}

void TIMER1_Handler(void)
{
    board_timer_clear(1);
}

__attribute__((noinline)) int leaf_is_digit(unsigned c)
{
    /* Between the hooks, where the compiler would not leave the rest. */
    seen++;
    return c - '0' < 10u;
}

uint16_t functions_round(uint16_t seed)
{
    for (unsigned i = 0; i < 400; i++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            unsigned carry = seed & 1u;
            seed = (uint16_t)(seed >> 1 ^ (carry != 0 ? 0xA001u : 0u));
            __asm volatile("" : "+r"(seed));
        }
        seed = (uint16_t)(seed + (unsigned)leaf_is_digit(seed & 0x7Fu));
    }
    return seed;
}
