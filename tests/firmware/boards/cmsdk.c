/* SPDX-License-Identifier: MIT */

#include "board.h"

/* Arm CMSDK peripherals, as on the MPS2 and MPS3 boards. */

struct uart {
    volatile uint32_t data;
    volatile uint32_t state;
    volatile uint32_t control;
    volatile uint32_t interrupt;
    volatile uint32_t divider;
};

enum {
    UART_STATE_TX_FULL = 1,
    UART_CONTROL_TX_ENABLE = 1
};

#define UART0 ((struct uart *)BOARD_UART)

#ifdef BOARD_PACER
/* One of the two halves of the dual timer. */
struct dual_timer {
    volatile uint32_t load;
    volatile uint32_t value;
    volatile uint32_t control;
};

enum {
    DUAL_TIMER_ENABLE = 0x80,
    DUAL_TIMER_PERIODIC = 0x40
};

static struct dual_timer *pacer(void)
{
    return (struct dual_timer *)BOARD_PACER;
}

void board_pacer_start(void)
{
    pacer()->load = BOARD_CLOCK_HZ / 1000000u * BOARD_PACER_US;
    pacer()->control = DUAL_TIMER_ENABLE | DUAL_TIMER_PERIODIC;
}

void board_pacer_stop(void)
{
    pacer()->control = 0;
}

void board_wait_for_interrupt(void)
{
    board_pacer_start();
    __asm__ volatile("wfi" ::: "memory");
    board_pacer_stop();
}
#endif

void board_init(void)
{
    UART0->divider = 16; /* the least that it accepts */
    UART0->control = UART_CONTROL_TX_ENABLE;
}

size_t board_uart_write(const uint8_t *data, size_t size)
{
    size_t sent = 0;

    while (sent < size && !(UART0->state & UART_STATE_TX_FULL)) {
        UART0->data = data[sent++];
    }
    return sent;
}

uint32_t board_counter(void)
{
    return *(volatile uint32_t *)BOARD_COUNTER;
}
