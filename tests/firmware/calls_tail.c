/* SPDX-License-Identifier: MIT */
/*
 * main() with hooks, as all that it calls: what stands around it starts and
 * ends the stream. Linked with --wrap=main.
 */
#include "board.h"
#include "mcuprof.h"

int __wrap_main(void);
int __real_main(void);

static const struct mcuprof_config config = {
        .write = board_uart_write,
        .core_hz = BOARD_CLOCK_HZ,
#ifdef BOARD_COUNTER
        .clock = (const volatile uint32_t *)BOARD_COUNTER,
        .clock_hz = BOARD_COUNTER_HZ,
#endif
};

int __wrap_main(void)
{
    static const struct mcuprof_trace_config how = {
            .mode = MCUPROF_TRACE_MODE_STREAM};

    if (mcuprof_init(&config) != 0 || mcuprof_trace_start(&how) != 0) {
        return 1;
    }
    int status = __real_main();
    (void)mcuprof_trace_stop();
    while (mcuprof_poll() > 0) {
    }
    return status;
}
