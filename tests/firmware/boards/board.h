/* SPDX-License-Identifier: MIT */
#ifndef BOARD_H
#define BOARD_H

#include <stddef.h>
#include <stdint.h>

/*
 * The emulated boards, as far as the firmware here needs them: a UART, two
 * periodic timers, a free-running counter, interrupt priorities, and the way
 * out of the emulator. What differs between boards is a definition of the
 * build (<board>.cmake) or a driver (cmsdk.c, nrf51.c):
 *
 *   BOARD_CLOCK_HZ     core and timers run at it
 *   BOARD_COUNTER_HZ   the counter runs at it
 *   BOARD_UART         base address
 *   BOARD_TIMER0/1     base addresses, and their first interrupt
 *   BOARD_TIMER0_IRQ   (the second follows); not on every board
 *   BOARD_PACER        a timer that no firmware uses; not on every board
 *   BOARD_COUNTER      address of a 32-bit up-counter; not on every board
 */

/*
 * QEMU 7.2 with -icount sleep=off: when SysTick or a CMSDK timer fires while
 * the core sleeps and would be the next to fire again, time jumps to that next
 * event before the core wakes: a WFI loses every second tick. A timer that
 * fires more often, and interrupts nobody, keeps the others off that path.
 * Where there is no BOARD_PACER, none of this exists: do not sleep there.
 */
#define BOARD_PACER_US 20u

/* Called by the startup code before main(). */
void board_init(void);

/* Sends what the UART takes now. returns the number of bytes taken. */
size_t board_uart_write(const uint8_t *data, size_t size);

/*
 * Waits until all is sent. Knows %s %d %u, %x (eight digits), their long forms,
 * and %llx (sixteen digits; with it a test sees a va_list go wrong).
 */
void board_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Ends the emulator with this exit code. */
void board_exit(int code) __attribute__((noreturn));

/* Ticks of BOARD_COUNTER_HZ since board_init(), modulo 2^32. */
uint32_t board_counter(void);

/* Timer 0 or 1 interrupts every `period` ticks, first after one period. */
void board_timer_start(unsigned timer, uint32_t period);
void board_timer_stop(unsigned timer);

/* The handler of the timer calls it first. */
void board_timer_clear(unsigned timer);

/* 0 is the most urgent of the four levels that ARMv6-M has as well. */
void board_irq_priority(unsigned irq, unsigned level);
void board_systick_priority(unsigned level);
void board_irq_enable(unsigned irq);
void board_irq_disable(unsigned irq);

/* For firmware with a WFI of its own: around the time in which it sleeps. */
void board_pacer_start(void);
void board_pacer_stop(void);

/* WFI, with the pacer running. */
void board_wait_for_interrupt(void);

static inline void board_irqs_off(void)
{
    __asm__ volatile("cpsid i" ::: "memory");
}

static inline void board_irqs_on(void)
{
    __asm__ volatile("cpsie i" ::: "memory");
}

#endif
