/* SPDX-License-Identifier: MIT */

#include "board.h"

struct timer {
    volatile uint32_t control;
    volatile uint32_t value;
    volatile uint32_t reload;
    volatile uint32_t interrupt; /* write 1 to clear */
};

enum {
    TIMER_ENABLE = 1,
    TIMER_INTERRUPT = 8
};

static struct timer *timer_at(unsigned timer)
{
    return (struct timer *)(BOARD_TIMER0 + 0x1000u * timer);
}

void board_timer_start(unsigned timer, uint32_t period)
{
    struct timer *registers = timer_at(timer);

    registers->control = 0;
    registers->reload = period - 1;
    registers->value = period - 1;
    registers->interrupt = 1;
    registers->control = TIMER_ENABLE | TIMER_INTERRUPT;
    board_irq_enable(BOARD_TIMER0_IRQ + timer);
}

void board_timer_stop(unsigned timer)
{
    timer_at(timer)->control = 0;
    timer_at(timer)->interrupt = 1;
    board_irq_disable(BOARD_TIMER0_IRQ + timer);
}

void board_timer_clear(unsigned timer)
{
    timer_at(timer)->interrupt = 1;
}
