/* SPDX-License-Identifier: MIT */
/*
 * A timer of somebody else's, attached: first with its interrupt at every
 * moment of mcuprof_sample_attach() and _detach(), then as the tick by which
 * missed periods are counted. Prints
 *
 *     attach|detach ROUNDS early E old O new N
 *                                             interrupts: before the call
 *                                             returned, by either table
 *     ticks T of P longest L wrapping W       handled, periods gone by, the
 *                                             latest of them, in timer ticks,
 *                                             and how many came in the last
 *                                             eighth of a period
 */
#include "board.h"
#include "mcuprof.h"

#define VTOR (*(volatile uint32_t *)0xE000ED08u)
#define RATE 10000u
#define PERIOD (BOARD_CLOCK_HZ / RATE)
#define ROUNDS ((MCUPROF_VECTORS * 9u + 400u) / STEP)

/* Timer ticks from one round to the next. */
#ifndef STEP
#define STEP 1u
#endif

void TIMER0_Handler(void);

static volatile uint32_t ticks, fired, by_vtor, one_shot;
static unsigned failures;

/* Of others: knows nothing of who comes before it. */
void TIMER0_Handler(void)
{
    board_timer_clear(0);
    if (one_shot) {
        board_timer_stop(0);
        fired++;
        by_vtor = VTOR;
    } else {
        ticks++;
    }
}

static void expect(const char *what, int is, int should)
{
    if (is != should) {
        failures++;
        board_print("%s: %d, not %d\n", what, is, should);
    }
}

static struct {
    uint32_t early, old, new;
} swept;

/* An act with one interrupt within or after it, `after` ticks from now. */
static void at(uint32_t after, int (*act)(void))
{
    uint32_t before = VTOR;

    fired = 0;
    board_timer_start(0, after);
    expect("act", act(), 0);
    swept.early += fired;
    while (fired == 0) {
    }
    if (by_vtor == before) {
        swept.old++;
    } else {
        swept.new ++;
        expect("table", (int)by_vtor, (int)VTOR);
    }
    expect("fired", (int)fired, 1);
}

static int attach(void)
{
    return mcuprof_sample_attach((int)BOARD_TIMER0_IRQ);
}

static void sweep(const char *name, int (*act)(void), int (*undo)(void))
{
    swept.early = swept.old = swept.new = 0;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        at(2u + STEP * i, act);
        expect("undo", undo(), 0);
    }
    board_print("%s %lu early %lu old %lu new %lu\n", name, (uint32_t)ROUNDS,
                swept.early, swept.old, swept.new);
}

#if defined(BOARD_COUNTER) && BOARD_COUNTER_HZ == BOARD_CLOCK_HZ

static uint32_t began, longest, wrapping;

/* Keeps the tick off for some periods and sixteenths of one. */
static void mask(uint32_t periods, uint32_t sixteenths)
{
    board_irqs_off();
    uint32_t due = began + (board_counter() - began) / PERIOD * PERIOD + PERIOD;
    uint32_t length = periods * PERIOD + sixteenths * PERIOD / 16u;
    while ((int32_t)(board_counter() - due - length) < 0) {
    }
    longest = length > longest ? length : longest;
    wrapping += sixteenths >= 14u;
    board_irqs_on();
}

static void missed(void)
{
    one_shot = 0;
    expect("attach", attach(), 0);
    began = board_counter();
    board_timer_start(0, PERIOD);
    expect("start", mcuprof_start(), 0);
    while (ticks < 5) {
    }
    for (uint32_t i = 0; i < 40; i++) {
        uint32_t seen = ticks;

        /* Of the longest no doubt how long: not near a period's end. */
        mask(i % 8u < 7u ? i % 5u : 1u, i % 8u * 2u + 1u);
        while (ticks < seen + 3u) {
        }
        mcuprof_poll();
    }
    expect("stop", mcuprof_stop(), 0);
    board_timer_stop(0);
    uint32_t periods = (board_counter() - began) / PERIOD;
    expect("detach", mcuprof_sample_detach(), 0);
    while (mcuprof_poll() > 0) {
    }
    board_print("ticks %lu of %lu longest %lu wrapping %lu\n", ticks, periods,
                longest, wrapping);
}

#define CLOCK ((const volatile uint32_t *)BOARD_COUNTER)

#else

static void missed(void)
{
}

#define CLOCK ((const volatile uint32_t *)0)

#endif

static const struct mcuprof_timer others = {.hz = BOARD_CLOCK_HZ};

static const struct mcuprof_config config = {
        .write = board_uart_write,
        .core_hz = BOARD_CLOCK_HZ,
        .rate_hz = RATE,
        .timer = &others,
        .clock = CLOCK,
};

int main(void)
{
    uint32_t vtor = VTOR;

    expect("init", mcuprof_init(&config), 0);
    board_irq_priority(BOARD_TIMER0_IRQ, 1);
    one_shot = 1;
    sweep("attach", attach, mcuprof_sample_detach);
    expect("attach", attach(), 0);
    sweep("detach", mcuprof_sample_detach, attach);
    expect("detach", mcuprof_sample_detach(), 0);
    missed();
    expect("restored", VTOR == vtor, 1);
    return failures == 0 ? 0 : 2;
}
