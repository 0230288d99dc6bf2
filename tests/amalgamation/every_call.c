/* SPDX-License-Identifier: MIT */
/*
 * Calls all that there is, as a firmware does that stays as it is when the
 * profiler is switched off. C and C++.
 */
#include "mcuprof.h"

static void handler_body(void)
{
}

MCUPROF_SAMPLE_HANDLER(SysTick_Handler);
MCUPROF_SAMPLE_HANDLER_THEN(TIM2_IRQHandler, handler_body);
MCUPROF_RTT_ADAPTER(adapter_write, 1);

static int transports(const uint8_t *bytes, size_t size)
{
    const uint8_t *stretch;
    uint8_t room[4];
    size_t n = mcuprof_ram_write(bytes, size) + mcuprof_rtt_write(bytes, size)
               + mcuprof_uart_put(bytes, size) + adapter_write(bytes, size)
               + mcuprof_rtt_adapter_write(1, bytes, size)
               + mcuprof_semihosting_write(bytes, size);
    mcuprof_ram_init();
    mcuprof_rtt_init();
    n += mcuprof_rtt_read(room, sizeof(room));
    n += mcuprof_uart_claim(&stretch);
    mcuprof_uart_release(n);
    mcuprof_semihosting_close();
    return mcuprof_uart_get() + mcuprof_semihosting_open(":tt") + (int)n;
}

static int calls(void)
{
    static const struct mcuprof_trace_config config = {0, 0, NULL, NULL, 0};
    int sum = mcuprof_trace_only(0, 2) + mcuprof_trace_only_context(512)
              + mcuprof_trace_start(&config) + mcuprof_trace_kept()
              + mcuprof_trace_send_kept();
    mcuprof_trace_release();
    mcuprof_trace_everything();
    mcuprof_trace_trigger(10);
    mcuprof_mark(1, 2);
    mcuprof_clock_changed(2000000);
    mcuprof_context_delete(512);
    mcuprof_freeze();
    return sum + mcuprof_trace_resume() + mcuprof_trace_stop();
}

static size_t nowhere(const uint8_t *bytes, size_t size)
{
    (void)bytes;
    return size;
}

static int functions(void)
{
    static const struct mcuprof_functions_config config = {0, 0};
    int sum = mcuprof_functions_only(0, 2) + mcuprof_functions_only_context(512)
              + mcuprof_functions_start(&config) + mcuprof_functions_snapshot()
              + mcuprof_functions_print(nowhere) + mcuprof_functions_send();
    mcuprof_functions_reset();
    mcuprof_functions_everything();
    return sum + mcuprof_functions_stop();
}

int main(void)
{
    static const struct mcuprof_config config = {mcuprof_uart_put,
                                                 1000000,
                                                 1000,
                                                 &mcuprof_timer_systick_shared,
                                                 NULL,
                                                 0,
                                                 0,
                                                 NULL,
                                                 0,
                                                 0};
    static const struct mcuprof_timer *const ours = &mcuprof_timer_systick;
    if (ours == config.timer && config.rate_hz == 0) {
        return 2;
    }
    if (mcuprof_init(&config) != 0 || mcuprof_sample_attach(-1) != 0
        || mcuprof_start() != 0 || mcuprof_hotspots_ignore(0, 2) != 0
        || mcuprof_context_name(512, "task") != 0) {
        return 1;
    }
    mcuprof_context_set(512);
    mcuprof_sample_put(2, 0);
    (void)transports((const uint8_t *)"abc", 3);
    int sum = calls() + functions() + mcuprof_poll() + mcuprof_selftest(1)
              + mcuprof_stop() + mcuprof_sample_detach();
    return sum + mcuprof_error_text(-1)[0];
}
