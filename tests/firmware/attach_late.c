/* SPDX-License-Identifier: MIT */
/*
 * Interrupts that do not wait for the library: one samples before
 * mcuprof_init(), with nothing at address 0 where an MPU can see to it; and
 * SysTick begins long after mcuprof_start(), not as fast as was said: RATE,
 * TICKS times. Prints
 *
 *     ticks T
 */
#include "board.h"
#include "mcuprof.h"

#define ICSR (*(volatile uint32_t *)0xE000ED04u)
#define ICSR_PENDSVSET (1u << 28)
#define MPU ((volatile uint32_t *)0xE000ED90u)
#define SYSTICK ((volatile uint32_t *)0xE000E010u)
#define SAID 1000u
#ifndef RATE
#define RATE 4000u
#define TICKS (RATE / 2u)
#endif

void SysTick_Handler(void);

static volatile uint32_t ticks, bodies;

void SysTick_Handler(void)
{
    ticks++;
}

static void body(void)
{
    bodies++;
}

MCUPROF_SAMPLE_HANDLER_THEN(PendSV_Handler, body);

static void sample_before_init(void)
{
    /* ARMv7-M ARM B3.5: TYPE, CTRL, RNR, RBAR, RASR. */
    if (MPU[0] != 0) {
        MPU[2] = 0;
        MPU[3] = 0;
        MPU[4] = 4u << 1 | 1u; /* the first 32 bytes: no access */
        MPU[1] = 5;            /* elsewhere as without it */
    }
    ICSR = ICSR_PENDSVSET;
    __asm__ volatile("dsb\n\tisb" ::: "memory");
    MPU[1] = 0;
    __asm__ volatile("dsb\n\tisb" ::: "memory");
}

static const struct mcuprof_config config = {
        .write = board_uart_write,
        .core_hz = BOARD_CLOCK_HZ,
        .rate_hz = SAID,
        .timer = &mcuprof_timer_systick_shared,
#ifdef BOARD_COUNTER
        .clock = (const volatile uint32_t *)BOARD_COUNTER,
#endif
};

int main(void)
{
    uint32_t start;

    sample_before_init();
    if (bodies != 1 || mcuprof_init(&config) != 0
        || mcuprof_sample_attach(-1) != 0 || mcuprof_start() != 0) {
        return 1;
    }
    start = board_counter();
    while (board_counter() - start < BOARD_COUNTER_HZ / 4u) {
        mcuprof_poll();
    }
    SYSTICK[1] = BOARD_CLOCK_HZ / RATE - 1u;
    SYSTICK[2] = 0;
    SYSTICK[0] = 7;
    while (ticks < TICKS) {
        mcuprof_poll();
    }
    if (mcuprof_stop() != 0) {
        return 2;
    }
    SYSTICK[0] = 0;
    while (mcuprof_poll() > 0) {
    }
    board_print("ticks %lu\n", ticks);
    return 0;
}
