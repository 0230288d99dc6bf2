/* SPDX-License-Identifier: MIT */

#include "board.h"

/*
 * nRF51822, as on the micro:bit (reference manual 3.0: UART chapter 29, timer
 * chapter 18), in QEMU, where all three timers have 32 bits. Timer 2 is the
 * free-running counter; it cannot be read with one load, so there is no
 * BOARD_COUNTER. A compare event works once until the firmware clears it, so
 * no timer can be a pacer (see board.h).
 */

#define REGISTER(base, offset) (*(volatile uint32_t *)((base) + (offset)))

#define UART(offset) REGISTER(BOARD_UART, offset)
enum {
    UART_START_TX = 0x008,
    UART_TX_READY = 0x11C,
    UART_ENABLE = 0x500,
    UART_TXD = 0x51C
};

#define TIMER(timer, offset) REGISTER(BOARD_TIMER0 + 0x1000u * (timer), offset)
enum {
    TIMER_START = 0x000,
    TIMER_STOP = 0x004,
    TIMER_CLEAR = 0x00C,
    TIMER_CAPTURE0 = 0x040,
    TIMER_COMPARE0 = 0x140,
    TIMER_SHORTS = 0x200,
    TIMER_INTENSET = 0x304,
    TIMER_INTENCLR = 0x308,
    TIMER_BITMODE = 0x508,
    TIMER_PRESCALER = 0x510,
    TIMER_CC0 = 0x540
};

static uint8_t uart_busy;

static void timer_run(unsigned timer)
{
    TIMER(timer, TIMER_STOP) = 1;
    TIMER(timer, TIMER_CLEAR) = 1;
    TIMER(timer, TIMER_PRESCALER) = 0;
    TIMER(timer, TIMER_BITMODE) = 3;
    TIMER(timer, TIMER_START) = 1;
}

void board_init(void)
{
    UART(UART_ENABLE) = 4;
    UART(UART_START_TX) = 1;
    timer_run(2);
}

size_t board_uart_write(const uint8_t *data, size_t size)
{
    size_t sent = 0;

    while (sent < size && (!uart_busy || UART(UART_TX_READY))) {
        UART(UART_TX_READY) = 0;
        UART(UART_TXD) = data[sent++];
        uart_busy = 1;
    }
    return sent;
}

uint32_t board_counter(void)
{
    TIMER(2, TIMER_CAPTURE0) = 1;
    return TIMER(2, TIMER_CC0);
}

void board_timer_start(unsigned timer, uint32_t period)
{
    TIMER(timer, TIMER_CC0) = period;
    TIMER(timer, TIMER_SHORTS) = 1; /* compare clears the count */
    TIMER(timer, TIMER_COMPARE0) = 0;
    TIMER(timer, TIMER_INTENSET) = 1u << 16;
    board_irq_enable(BOARD_TIMER0_IRQ + timer);
    timer_run(timer);
}

void board_timer_stop(unsigned timer)
{
    TIMER(timer, TIMER_STOP) = 1;
    TIMER(timer, TIMER_INTENCLR) = 1u << 16;
    TIMER(timer, TIMER_COMPARE0) = 0;
    board_irq_disable(BOARD_TIMER0_IRQ + timer);
}

void board_timer_clear(unsigned timer)
{
    TIMER(timer, TIMER_COMPARE0) = 0;
}
