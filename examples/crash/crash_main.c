/* SPDX-License-Identifier: MIT */

/*
 * A firmware that faults and resets itself, and then tells its last calls.
 *
 * The ring lies where no reset clears it (MCUPROF_TRACE_KEEP=1, .noinit). The
 * fault handler freezes it and notes the fault; the next boot finds it there,
 * sends it, and releases it.
 */
#include "board.h"
#include "crash_link.h"
#include "mcuprof.h"

#define AIRCR (*(volatile uint32_t *)0xE000ED0Cu)
#define AIRCR_SYSRESETREQ (0x05FA0000u | 4u)

static const struct mcuprof_config config = {
        .write = board_uart_write,
        .core_hz = BOARD_CLOCK_HZ,
        /* QEMU has no cycle counter (DWT); the board's own does as well. */
        .clock = (const volatile uint32_t *)BOARD_COUNTER,
};

static void reset(void)
{
    __asm volatile("dsb" ::: "memory");
    AIRCR = AIRCR_SYSRESETREQ;
    for (;;) {
    }
}

MCUPROF_FAULT_HANDLER_THEN(HardFault_Handler, reset);

static void run(void)
{
    static const char *const lines[] = {"mode 1", "speed 9600", "mode 2",
                                        "speed 115200 8N1", "mode 1"};

    for (unsigned i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        link_receive(lines[i]);
        mcuprof_poll();
    }
}

int main(void)
{
    if (mcuprof_init(&config) != 0) {
        return 1;
    }
    if (mcuprof_trace_kept()) {
        board_print("crash: the ring of the last boot is there\n");
        if (mcuprof_trace_send_kept() != 0) {
            return 2;
        }
        while (mcuprof_poll() > 0) {
        }
        mcuprof_trace_release();
        return 0;
    }
    board_print("crash: the first boot\n");
    if (mcuprof_trace_start(NULL) != 0) {
        return 3;
    }
    run();
    return 4;
}
