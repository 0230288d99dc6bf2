/* SPDX-License-Identifier: MIT */
/*
 * The demo's work with every call of it streamed, the two interrupts' as well:
 * for tests/truth, which knows each of them.
 */
#include "board.h"
#include "mcuprof.h"
#include "work.h"

static const struct mcuprof_config config = {
        .write = board_uart_write,
        .core_hz = BOARD_CLOCK_HZ,
        .clock = (const volatile uint32_t *)BOARD_COUNTER,
        .clock_hz = BOARD_COUNTER_HZ,
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
    uint16_t sum = 0;

    if (mcuprof_init(&config) != 0 || mcuprof_trace_start(&how) != 0) {
        return 1;
    }
    work_start();
    while (work_ticks() < CALLS_TICKS) {
        sum = work_round(sum);
        send();
        work_wait_tick();
    }
    work_stop();
    (void)mcuprof_trace_stop();
    send();
    board_print("calls: checksum %x\n", sum);
    return 0;
}
