/* SPDX-License-Identifier: MIT */
/*
 * A function table that is told in every way there is: as text on the UART, as
 * frames behind it, and in memory, where this stands still. STOPPED 1: by a
 * counter, with what the hooks cost taken out, and stopped. 0: by a clock in
 * memory that is advanced by hand, and recording, with calls open.
 */
#include "functions_views.h"

#include "board.h"
#include "mcuprof.h"

#define NVIC_ISPR (*(volatile uint32_t *)0xE000E200u)

void views_stand(void);

volatile uint32_t views_clock;

void views_pass(uint32_t ticks)
{
#if STOPPED
    for (volatile uint32_t i = 0; i < ticks; i++) {
    }
#else
    views_clock += ticks;
#endif
}

void views_pend(unsigned timer)
{
    NVIC_ISPR = 1u << (BOARD_TIMER0_IRQ + timer);
    __asm volatile("dsb\n\tisb" ::: "memory");
}

/* It is here that a debugger finds it. */
__attribute__((noinline)) void views_stand(void)
{
    for (;;) {
        __asm volatile("" ::: "memory");
    }
}

void views_end(void)
{
#if STOPPED
    (void)mcuprof_functions_stop();
#endif
    (void)mcuprof_functions_print(board_uart_write);
    (void)mcuprof_functions_send();
    for (unsigned i = 0; i < 3000u; i++) {
        (void)mcuprof_poll();
    }
    views_stand();
}

static const struct mcuprof_config config = {
        .write = board_uart_write,
        .core_hz = BOARD_CLOCK_HZ,
        .clock = STOPPED ? (const volatile uint32_t *)BOARD_COUNTER
                         : &views_clock,
        .clock_hz = BOARD_COUNTER_HZ,
};

int main(void)
{
    static const struct mcuprof_functions_config how = {.every_ms = UINT32_MAX};

    board_irq_priority(BOARD_TIMER0_IRQ, 2);
    board_irq_priority(BOARD_TIMER0_IRQ + 1, 1);
    board_irq_enable(BOARD_TIMER0_IRQ);
    board_irq_enable(BOARD_TIMER0_IRQ + 1);
    if (mcuprof_init(&config) != 0
        || mcuprof_context_name(512, "first task") != 0
        || mcuprof_context_name(513, "second task") != 0) {
        return 1;
    }
#if MCUPROF_TRACE
    if (mcuprof_trace_start(NULL) != 0) {
        return 1;
    }
#endif
    if (mcuprof_functions_start(&how) != 0) {
        return 1;
    }
    mcuprof_context_set(512);
    views_descend(2, 0);
    for (unsigned round = 0; round < 60; round++) {
        mcuprof_context_set(512 + round % 2u);
        views_round(round);
    }
    /* Deeper than there is stack for, as some of the rounds are. */
    mcuprof_context_set(512);
    views_descend(9, 1);
    return 2;
}
