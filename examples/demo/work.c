/* SPDX-License-Identifier: MIT */

#include "work.h"

#include "board.h"

enum {
    FILTER_HZ = 8000,
    TICK_HZ = 200
};

static volatile unsigned ticks;
static volatile int32_t filtered;

void TIMER0_Handler(void);
void TIMER1_Handler(void);

/* A sample arrives: as an ADC's interrupt would, it filters on the spot. */
void TIMER0_Handler(void)
{
    static int16_t wave;

    board_timer_clear(0);
    wave = (int16_t)(wave + 811);
    filtered = filter_step(wave);
}

void TIMER1_Handler(void)
{
    board_timer_clear(1);
    ticks++;
}

void work_start(void)
{
    board_irq_priority(BOARD_TIMER0_IRQ, 2);
    board_irq_priority(BOARD_TIMER0_IRQ + 1, 3);
    board_timer_start(0, BOARD_CLOCK_HZ / FILTER_HZ);
    board_timer_start(1, BOARD_CLOCK_HZ / TICK_HZ);
}

void work_stop(void)
{
    board_timer_stop(0);
    board_timer_stop(1);
}

unsigned work_ticks(void)
{
    return ticks;
}

void work_wait_tick(void)
{
    unsigned before = ticks;

    while (ticks == before) {
        board_wait_for_interrupt();
    }
}

uint16_t work_round(uint16_t seed)
{
    uint16_t sum = list_exercise(seed);

    sum = matrix_exercise(sum);
    return parse_exercise(sum);
}
