/* SPDX-License-Identifier: MIT */
/*
 * What an RTOS does: a naked PendSV, which a compiler's hooks break (CASE 3).
 * CURE is the attribute that helps.
 */
#include <stdint.h>

#ifndef CURE
#define CURE
#endif

volatile uint32_t switches;

int main(void);
void PendSV_Handler(void);
uint32_t work(uint32_t value);

CURE __attribute__((naked)) void PendSV_Handler(void)
{
    __asm volatile(".syntax unified\n"
                   "ldr r2, =switches\n"
                   "ldr r1, [r2]\n"
                   "adds r1, #1\n"
                   "str r1, [r2]\n"
                   "bx lr\n"
                   ".ltorg\n");
}

uint32_t work(uint32_t value)
{
    *(volatile uint32_t *)0xE000ED04 = (uint32_t)1 << 28; /* ICSR: PENDSV */
    __asm volatile("dsb\nisb" : : : "memory");
    return value + 1;
}

int main(void)
{
    uint32_t done = 0;

    while (done < 3)
        done = work(done);
    return switches == 3 ? 0 : 1;
}
