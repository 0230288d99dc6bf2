/* SPDX-License-Identifier: MIT */

/*
 * A firmware that hangs, to be asked where through a debug probe: nothing is
 * sent, the ring is read from memory.
 */
#include "board.h"
#include "hang_log.h"
#include "mcuprof.h"

static const struct mcuprof_config config = {
        .core_hz = BOARD_CLOCK_HZ,
        /* QEMU has no cycle counter (DWT); the board's own does as well. */
        .clock = (const volatile uint32_t *)BOARD_COUNTER,
};

void TIMER1_Handler(void);

/*
 * The warning of a watchdog, more urgent than all else: the main loop has not
 * come round for 100 ms. What would go on recording is stopped before it pushes
 * the hang out of the ring.
 */
void TIMER1_Handler(void)
{
    static unsigned before, told;

    board_timer_clear(1);
    if (work_steps() == before && !told) {
        mcuprof_freeze();
        board_print("hang: the main loop stands still\n");
        told = 1;
    }
    before = work_steps();
}

int main(void)
{
    if (mcuprof_init(&config) != 0 || mcuprof_trace_start(NULL) != 0) {
        return 1;
    }
    while (mcuprof_poll() > 0) { /* until the image's identity is known */
    }
    board_irq_priority(BOARD_TIMER0_IRQ, 2);
    board_irq_priority(BOARD_TIMER0_IRQ + 1, 0);
    board_timer_start(0, BOARD_CLOCK_HZ / 500u);
    board_timer_start(1, BOARD_CLOCK_HZ / 10u);
    for (;;) {
        work_step();
        mcuprof_poll(); /* keeps the time */
    }
}
