/* SPDX-License-Identifier: MIT */
/*
 * Takes SAMPLES samples, all at the instruction by_hand_point, of which a host
 * that reads only after BLOCKED of them gets some. The numbers are of the
 * build, so every count in the report is known beforehand.
 *
 * With TALK a line of 26 characters is printed after every 100th sample, on
 * the line that carries the frames.
 */
#include "board.h"
#include "mcuprof.h"

#ifndef SAMPLES
#define SAMPLES 1000u
#endif
#ifndef BLOCKED
#define BLOCKED 0u
#endif
#ifndef TALK
#define TALK 0
#endif

MCUPROF_SAMPLE_HANDLER(PendSV_Handler);

void by_hand_take(void);

static const uint32_t samples = SAMPLES;
static const uint32_t blocked = BLOCKED;
static int reading;

static size_t write(const uint8_t *data, size_t size)
{
    return reading ? board_uart_write(data, size) : 0;
}

/* Nothing runs by itself: the interrupt is pended below. */
static const struct mcuprof_timer by_hand = {.hz = BOARD_CLOCK_HZ};

static const struct mcuprof_config config = {
        .write = write,
        .core_hz = BOARD_CLOCK_HZ,
        .rate_hz = 1, /* so that none is ever late */
        .timer = &by_hand,
        .clock = (const volatile uint32_t *)BOARD_COUNTER,
};

/* The pended interrupt comes when it is allowed: before the BX. */
__attribute__((naked, noinline)) void by_hand_take(void)
{
    __asm__ volatile(".syntax unified\n\t"
                     "cpsid i\n\t"
                     "ldr r0, =0xE000ED04\n\t" /* ICSR */
                     "ldr r1, =0x10000000\n\t" /* PENDSVSET */
                     "str r1, [r0]\n\t"
                     "dsb\n\t"
                     "cpsie i\n\t"
                     ".global by_hand_point\n"
                     "by_hand_point:\n\t"
                     "bx lr\n\t"
                     ".ltorg\n");
}

int main(void)
{
    if (mcuprof_init(&config) < 0 || mcuprof_start() < 0) {
        return 1;
    }
    for (uint32_t i = 1; i <= samples; i++) {
        by_hand_take();
        reading = i >= blocked;
        mcuprof_poll();
        if (TALK && i % 100 == 0) {
            board_print("100 more samples, please.\n");
        }
    }
    reading = 1;
    mcuprof_stop();
    while (mcuprof_poll() > 0) {
    }
    return 0;
}
