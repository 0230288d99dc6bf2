/* SPDX-License-Identifier: MIT */

/*
 * What a firmware does after reset: it waits for supplies on the oscillator,
 * switches to the PLL, and sets up the rest. Each step takes a time that is
 * known, by a counter of the board that always runs at one rate.
 *
 * The emulator's core has no clock tree. What stands for it is the second of
 * the two dual timers: with its divider by 16 it is the clock of a core on the
 * oscillator, without it that of the core on the PLL. So the clock that mcuprof
 * reads really changes its rate; the code does not run faster.
 */
#include "boot_steps.h"

#include "board.h"
#include "mcuprof.h"

struct dual_timer {
    volatile uint32_t load;
    volatile uint32_t value;
    volatile uint32_t control;
};

enum {
    DIVIDED_BY_16 = 1 << 2,
    BITS_32 = 1 << 1,
    ENABLED = 1 << 7
};

#define TIMER2 ((struct dual_timer *)(BOARD_PACER + 0x20u))

volatile uint32_t *const boot_clock = &TIMER2->value;

void board_delay(uint32_t us);
void supply_wait(void);
void oscillator_wait(void);
void pll_start(void);
void clock_setup(void);
void memory_test(void);
void radio_load(void);
void radio_setup(void);

MCUPROF_NO_INSTRUMENT void boot_clock_start(void)
{
    TIMER2->load = 0xFFFFFFFFu;
    TIMER2->control = ENABLED | BITS_32 | DIVIDED_BY_16;
}

MCUPROF_NO_INSTRUMENT void board_delay(uint32_t us)
{
    uint32_t begin = board_counter();

    while (board_counter() - begin < us * (BOARD_COUNTER_HZ / 1000000u)) {
    }
}

void supply_wait(void)
{
    board_delay(3000);
}

void oscillator_wait(void)
{
    board_delay(2000);
}

/*
 * mcuprof is told at the switch itself: the cycles between the two, some 50,
 * count at the wrong rate.
 */
void pll_start(void)
{
    board_delay(500);
    mcuprof_clock_changed(BOOT_FAST_HZ);
    TIMER2->control = ENABLED | BITS_32;
    board_delay(500);
}

void clock_setup(void)
{
    oscillator_wait();
    pll_start();
}

void memory_test(void)
{
    board_delay(3000);
}

void radio_load(void)
{
    board_delay(1000);
}

void radio_setup(void)
{
    for (int part = 0; part < 3; part++) {
        radio_load();
    }
}

void boot_run(void)
{
    supply_wait();
    clock_setup();
    memory_test();
    radio_setup();
}
