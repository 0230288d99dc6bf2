/* SPDX-License-Identifier: MIT */

/*
 * The boot sequence, traced from the first line of main() across a change of
 * the clock. The ring keeps it until there is a line to send it by.
 */
#include "board.h"
#include "boot_steps.h"
#include "mcuprof.h"

static const struct mcuprof_trace_config calls = {
        .mode = MCUPROF_TRACE_MODE_STREAM,
};

int main(void)
{
    /* Not constant: `clock` is no constant here. */
    struct mcuprof_config config = {
            .write = board_uart_write,
            .core_hz = BOOT_SLOW_HZ,
            .clock = boot_clock,
            .clock_bits = 32 | MCUPROF_CLOCK_DOWN,
    };

    boot_clock_start();
    if (mcuprof_init(&config) != 0 || mcuprof_trace_start(&calls) != 0) {
        return 1;
    }
    boot_run();
    mcuprof_trace_stop();
    while (mcuprof_poll() > 0) {
    }
    return 0;
}
