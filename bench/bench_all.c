/* SPDX-License-Identifier: MIT */
/*
 * All of the library in one firmware: samples, table and calls, over RTT. Only
 * its size counts here.
 */
#include "bench_trace_work.h"
#include "board.h"
#include "mcuprof.h"
#include "mcuprof_rtt.h"

MCUPROF_SAMPLE_HANDLER(SysTick_Handler);

int main(void)
{
    static const struct mcuprof_config config = {
            .write = mcuprof_rtt_write,
            .core_hz = BOARD_CLOCK_HZ,
    };
    static const struct mcuprof_trace_config trace = {
            .mode = MCUPROF_TRACE_MODE_STREAM,
    };

    mcuprof_rtt_init();
    if (mcuprof_init(&config) != 0 || mcuprof_trace_start(&trace) != 0
        || mcuprof_start() != 0) {
        return 1;
    }
    for (uint16_t sum = 1;;) {
        sum = bench_trace_work(sum);
        mcuprof_poll();
    }
}
