/* SPDX-License-Identifier: MIT */
/*
 * What users of tracers were bitten by, each once or twice, streamed: an
 * interrupt in the middle, longjmp, recursion of three kinds, a function that
 * is interrupted by itself.
 */
#include "calls_cases.h"

#include "board.h"
#include "mcuprof.h"

#define NVIC_ISPR (*(volatile uint32_t *)0xE000E200u)
#define SYST_CSR (*(volatile uint32_t *)0xE000E010u)
#define SYST_RVR (*(volatile uint32_t *)0xE000E014u)

void cases_pend(unsigned timer)
{
    NVIC_ISPR = 1u << (BOARD_TIMER0_IRQ + timer);
    __asm volatile("dsb\n\tisb" ::: "memory");
}

static const struct mcuprof_config config = {
        .write = board_uart_write,
        .core_hz = BOARD_CLOCK_HZ,
        .clock = (const volatile uint32_t *)BOARD_COUNTER,
        .clock_hz = BOARD_COUNTER_HZ,
};

static void all_cases(void)
{
    SYST_RVR = 4999;
    SYST_CSR = 7;
    cases_compute();
    SYST_CSR = 0;
    cases_jump();
    cases_jump();
    (void)cases_fib(10);
    (void)cases_even(10);
    cases_through(0);
    cases_shared(1000, 1);
}

int main(void)
{
    static const struct mcuprof_trace_config how = {
            .mode = MCUPROF_TRACE_MODE_STREAM};

    board_irq_priority(BOARD_TIMER0_IRQ, 2);
    board_irq_priority(BOARD_TIMER0_IRQ + 1, 1);
    board_irq_enable(BOARD_TIMER0_IRQ);
    board_irq_enable(BOARD_TIMER0_IRQ + 1);
    if (mcuprof_init(&config) != 0 || mcuprof_trace_start(&how) != 0) {
        return 1;
    }
    all_cases();
    (void)mcuprof_trace_stop();
    while (mcuprof_poll() > 0) {
    }
    return 0;
}
