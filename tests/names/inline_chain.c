/* SPDX-License-Identifier: MIT */
#include <stdint.h>

/*
 * Bodies inlined over three levels, each once. The labels that assembly puts
 * into them tell their addresses, the comments of the calls their lines.
 */

#define INLINED static inline __attribute__((always_inline))

volatile uint32_t chain_port;

void Reset_Handler(void);
uint32_t outer(uint32_t x);

INLINED uint32_t inner(uint32_t x)
{
    x ^= chain_port;
    __asm__ volatile(".global mark_inner\nmark_inner: nop"); /* at inner */
    return x * 5;
}

INLINED uint32_t middle(uint32_t x)
{
    uint32_t y = inner(x + chain_port); /* calls inner */

    __asm__ volatile(".global mark_middle\nmark_middle: nop"); /* at middle */
    return y + chain_port;
}

__attribute__((noinline)) uint32_t outer(uint32_t x)
{
    chain_port = 7;
    x += middle(x);                                          /* calls middle */
    __asm__ volatile(".global mark_outer\nmark_outer: nop"); /* at outer */
    return x + chain_port;
}

void Reset_Handler(void)
{
    for (;;)
        chain_port = outer(chain_port);
}
