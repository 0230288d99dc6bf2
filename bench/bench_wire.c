/* SPDX-License-Identifier: MIT */
/*
 * What an event of the call ring takes on the wire: rounds of the work between
 * bench_begin() and bench_end(), each sent before the next. The UART has the
 * stream and nothing else.
 */
#include "bench.h"
#include "bench_trace_work.h"
#include "board.h"
#include "mcuprof.h"

enum {
    ROUNDS = 20
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
            .clock = (const volatile uint32_t *)BOARD_COUNTER,
            .clock_hz = BOARD_COUNTER_HZ,
    };
    static const struct mcuprof_trace_config trace = {
            .mode = MCUPROF_TRACE_MODE_STREAM,
    };
    uint16_t sum = 1;

    if (mcuprof_init(&config) != 0 || mcuprof_trace_start(&trace) != 0) {
        return 1;
    }
    bench_begin();
    for (int round = 0; round < ROUNDS; round++) {
        sum = bench_trace_work(sum);
        send();
    }
    bench_end();
    (void)mcuprof_trace_stop();
    send();
    return sum == 0;
}
