/* SPDX-License-Identifier: MIT */
/*
 * The selftest with each kind of sampling timer (MPS2 boards):
 * TIMER_CMSDK, a timer of the user's whose reload register restarts it (built
 * with MCUPROF_TIMER_RELOAD=2); TIMER_SHARED, a SysTick that somebody else set
 * up and still needs; TIMER_BARE, the same timer as a fixed tick that the
 * library neither starts nor knows the phase of.
 */
#include "board.h"
#include "mcuprof.h"

#define RATE 4000u

static volatile uint32_t ticks;

#if defined(TIMER_SHARED)

static void tick(void)
{
    ticks++;
}

MCUPROF_SAMPLE_HANDLER_THEN(SysTick_Handler, tick);

static void own_tick(void)
{
    volatile uint32_t *systick = (volatile uint32_t *)0xE000E010u;
    systick[1] = BOARD_CLOCK_HZ / RATE - 1u;
    systick[2] = 0;
    systick[0] = 7;
}

#define TIMER (&mcuprof_timer_systick_shared)

#else

static void tick(void)
{
    ticks++;
    board_timer_clear(0);
}

MCUPROF_SAMPLE_HANDLER_THEN(TIMER0_Handler, tick);

static void stop(void)
{
    board_timer_stop(0);
}

static void start(uint32_t interval)
{
    board_irq_priority(BOARD_TIMER0_IRQ, 0);
    board_timer_start(0, interval);
}

#if defined(TIMER_CMSDK)
static void own_tick(void)
{
}
static const struct mcuprof_timer timer = {
        (volatile uint32_t *)(BOARD_TIMER0 + 8u),
        BOARD_CLOCK_HZ,
        0xFFFFFFFFu,
        0,
        start,
        stop,
};
#else
static void own_tick(void)
{
    start(BOARD_CLOCK_HZ / RATE);
    (void)stop;
}
static const struct mcuprof_timer timer = {
        NULL, BOARD_CLOCK_HZ, 0, 0, NULL, NULL,
};
#endif

#define TIMER (&timer)

#endif

static uint64_t seconds_clock(void)
{
    return board_counter() / (BOARD_CLOCK_HZ / 1000u);
}

int main(void)
{
    static struct mcuprof_config config;
    config.write = board_uart_write;
    config.core_hz = BOARD_CLOCK_HZ;
    config.rate_hz = RATE;
    config.timer = TIMER;
#ifdef BOARD_COUNTER
    config.clock = (const volatile uint32_t *)BOARD_COUNTER;
#endif
    config.second_clock = seconds_clock;
    config.second_hz = 1000;
    own_tick();
    if (mcuprof_init(&config) != 0 || mcuprof_start() != 0) {
        return 1;
    }
    uint32_t before = ticks;
    if (mcuprof_selftest(500) != 0) {
        return 2;
    }
    uint32_t during = ticks - before;
    (void)mcuprof_stop();
    while (mcuprof_poll() > 0) {
    }
    /* The tick's owner got every one of his ticks. */
    return during > RATE / 2u * 95u / 100u && during < RATE ? 0 : 3;
}
