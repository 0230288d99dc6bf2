/* SPDX-License-Identifier: MIT */

/*
 * A firmware that records its calls between two edges of a pin: a push button,
 * or what another instrument triggers on. There is no main loop that polls; the
 * ring is read through a debug probe.
 */
#include "board.h"
#include "mcuprof.h"
#include "pin_work.h"

#define PIN_IRQ 6u /* GPIO0 */
#define NVIC_ISPR (*(volatile uint32_t *)0xE000E200u)

static const struct mcuprof_config config = {
        .core_hz = BOARD_CLOCK_HZ,
        /* QEMU has no cycle counter (DWT); the board's own does as well. */
        .clock = (const volatile uint32_t *)BOARD_COUNTER,
};

void GPIO0_Handler(void);

/* Each edge turns recording over. A chip's GPIO wants its edge cleared here. */
void GPIO0_Handler(void)
{
    if (mcuprof_trace_stop() != 0) {
        mcuprof_trace_resume();
    }
}

/* An edge: QEMU's pins cannot move, but their interrupt can be pending. */
static void edge(void)
{
    NVIC_ISPR = 1u << PIN_IRQ;
    __asm volatile("dsb\n\tisb" ::: "memory");
}

int main(void)
{
    if (mcuprof_init(&config) != 0 || mcuprof_trace_start(NULL) != 0
        || mcuprof_trace_stop() != 0) {
        return 1;
    }
    board_irq_enable(PIN_IRQ);
    kettle_fill();
    edge();
    kettle_heat();
    kettle_heat();
    edge();
    kettle_fill();
    edge();
    kettle_pour();
    edge();
    kettle_heat();
    board_print("pin: done\n");
    for (;;) {
    }
}
