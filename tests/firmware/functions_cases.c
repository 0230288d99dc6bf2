/* SPDX-License-Identifier: MIT */
/*
 * What users of function tables were bitten by, each with a table of its own,
 * which is sent. The clock is advanced by hand.
 */
#include "functions_cases.h"

#include "board.h"
#include "mcuprof.h"

#define NVIC_ISPR (*(volatile uint32_t *)0xE000E200u)

/* Of fewer, what takes longer than once round is left out. */
#ifndef CLOCK_BITS
#define CLOCK_BITS 32
#endif

static volatile uint32_t now;

volatile enum cases_interrupt cases_interrupt;

void cases_pass(uint32_t ticks)
{
    now += CLOCK_BITS & MCUPROF_CLOCK_DOWN ? 0u - ticks : ticks;
}

void cases_poll(void)
{
    (void)mcuprof_poll();
}

void cases_pend(unsigned timer)
{
    NVIC_ISPR = 1u << (BOARD_TIMER0_IRQ + timer);
    __asm volatile("dsb\n\tisb" ::: "memory");
}

void cases_run_as(unsigned task)
{
    mcuprof_context_set(task);
}

void cases_stop(void)
{
    (void)mcuprof_functions_stop();
}

static void fib10(void)
{
    (void)cases_fib(10);
}

static void fib15(void)
{
    (void)cases_fib(15);
}

static void mutual(void)
{
    (void)cases_even(10);
}

static void through(void)
{
    cases_interrupt = CASES_THROUGH;
    cases_through(0);
}

static void shared(void)
{
    cases_interrupt = CASES_SHARED;
    cases_shared(10000);
}

static void hit(void)
{
    cases_interrupt = CASES_STORM;
    cases_hit();
}

static void halted(void)
{
    cases_halted(0);
}

static void halted_above(void)
{
    cases_halted(1);
}

static void deep40(void)
{
    cases_neighbour();
    cases_deep(40);
    cases_neighbour();
}

static void deep200(void)
{
    cases_neighbour();
    cases_deep(200);
    cases_neighbour();
}

static void turns(void)
{
    cases_turns();
    cases_pass(0x500000u);
    cases_turns();
}

#if CLOCK_BITS == 32
static void wide(void)
{
    cases_long(1536001672u);
    cases_poll();
    cases_long(1536001672u);
    cases_poll();
    cases_long(1536001673u);
}

static void endless(void)
{
    cases_endless();
    cases_endless_parent();
}
#endif

static void many(void)
{
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned n = 0; n < CASES_MANY; n++) {
            cases_many[n]();
        }
    }
}

static void jumps(void)
{
    for (unsigned n = 0; n < 100; n++) {
        cases_catch();
    }
}

#if CLOCK_BITS == 32
/* Tasks share a stack here, which no hook minds. */
static void switched(void)
{
    cases_run_as(512);
    cases_task();
    cases_run_as(MCUPROF_CONTEXT_THREAD);
}
#endif

static void deleted(void)
{
    cases_deleted();
    mcuprof_context_delete(514);
    cases_run_as(514);
    cases_neighbour();
    cases_run_as(MCUPROF_CONTEXT_THREAD);
}

static void missed(void)
{
    cases_missed();
    cases_run_as(MCUPROF_CONTEXT_THREAD);
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
        {"fib10", fib10},
        {"fib15", fib15},
        {"mutual", mutual},
        {"through", through},
        {"shared", shared},
        {"halted", halted},
        {"hit", hit},
        {"deep40", deep40},
        {"deep200", deep200},
        {"many", many},
        {"jumps", jumps},
        {"missed", missed},
        {"deleted", deleted},
        {"halted_above", halted_above},
        {"neighbour", cases_neighbour},
        {"turns", turns},
#if CLOCK_BITS == 32
        {"switched", switched},
        {"wide", wide},
        {"endless", endless},
#endif
};

static void send(void)
{
    while (mcuprof_poll() > 0) {
    }
}

int main(void)
{
    static const struct mcuprof_config config = {
            .write = board_uart_write,
            .core_hz = BOARD_CLOCK_HZ,
            .clock = &now,
            .clock_hz = BOARD_CLOCK_HZ,
            .clock_bits = CLOCK_BITS,
    };
    static const struct mcuprof_functions_config how = {.every_ms = UINT32_MAX};

    board_irq_priority(BOARD_TIMER0_IRQ, 2);
    board_irq_priority(BOARD_TIMER0_IRQ + 1, 1);
    board_irq_enable(BOARD_TIMER0_IRQ);
    board_irq_enable(BOARD_TIMER0_IRQ + 1);
    if (mcuprof_init(&config) != 0) {
        return 1;
    }
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (mcuprof_functions_start(&how) != 0) {
            return 1;
        }
        cases[i].run();
        (void)mcuprof_functions_stop();
        send();
        board_print("case %s\n", cases[i].name);
    }
    return 0;
}
