/* SPDX-License-Identifier: MIT */
/*
 * Rounds of work of all kinds of functions, with every call of it streamed: for
 * tests that take hooks out of it. The work must do the same without them.
 */
#include "select_truth.h"

#include "board.h"
#include "mcuprof.h"

#ifndef ROUNDS
#define ROUNDS 3u
#endif

#define ICSR (*(volatile uint32_t *)0xE000ED04u)
#define PENDSVSET (1u << 28)

void select_pend(void)
{
    ICSR = PENDSVSET;
    __asm volatile("dsb\n\tisb" ::: "memory");
}

static const struct mcuprof_config config = {
        .write = board_uart_write,
        .core_hz = BOARD_CLOCK_HZ,
#ifdef BOARD_COUNTER
        .clock = (const volatile uint32_t *)BOARD_COUNTER,
        .clock_hz = BOARD_COUNTER_HZ,
#endif
};

static void send(void)
{
    while (mcuprof_poll() > 0) {
    }
}

int main(void)
{
    static const struct mcuprof_trace_config how = {
            .mode = MCUPROF_TRACE_MODE_STREAM};
    uint32_t sum = 1;

    if (mcuprof_init(&config) != 0 || mcuprof_trace_start(&how) != 0) {
        return 1;
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        sum = select_round(sum);
        send();
        sum = select_exits(sum);
        send();
#ifdef WITH_OBJECTS
        sum = select_objects(sum);
        send();
#endif
    }
    (void)mcuprof_trace_stop();
    send();
    board_print("\nsum %x\n", (unsigned)sum);
    return 0;
}
