/* SPDX-License-Identifier: MIT */

#include "bench.h"
#include "board.h"

/*
 * The least that a sampler can do, in the style of the published ones: the
 * program counter out of the frame and into a buffer. No jitter, lateness,
 * context or loss count.
 */

enum {
    BUFFER = 64
};

static volatile uint32_t buffer[BUFFER];
static volatile uint32_t next;

void bench_record(const uint32_t *frame);
void SysTick_Handler(void);

__attribute__((used, noinline)) void bench_record(const uint32_t *frame)
{
    uint32_t at = next;

    buffer[at % BUFFER] = frame[6];
    next = at + 1;
}

__attribute__((naked)) void SysTick_Handler(void)
{
    __asm__ volatile("mrs r0, msp\n\t"
                     "push {r3, lr}\n\t"
                     "bl bench_record\n\t"
                     "pop {r3, pc}\n");
}

int main(void)
{
    volatile uint32_t *systick = (volatile uint32_t *)0xE000E010u;

    systick[1] = BOARD_CLOCK_HZ / 10000u - 1;
    systick[2] = 0;
    systick[0] = 7;
    bench_begin();
    while (next < 1000) {
    }
    bench_end();
    return 0;
}
