/* SPDX-License-Identifier: MIT */
/*
 * More events than the line takes, out of thread mode and three nested
 * interrupts that come anywhere: the ring of a stream overflows. Counts what
 * happens, and prints behind the capture
 *
 *     arrivals A refused R    interrupts; times that the line took nothing
 *     level NUMBER EVENTS     of a context's number
 */
#include "trace_sweep.h"

#include "board.h"
#include "mcuprof.h"

static volatile uint32_t calls[SWEEP_LEVELS];
static uint32_t refused;
static volatile uint32_t runs;

/* Never the same twice, so that they come everywhere. */
static void again(unsigned level, uint32_t least, uint32_t range)
{
    sweep_timer_stop(level);
    calls[level]++;
    if (runs) {
        sweep_timer_start(level, least + calls[level] * 7u % range);
    }
}

void TIMER0_Handler(void)
{
    again(SWEEP_LOW, 2001, 877);
    sweep_low();
}

void TIMER1_Handler(void)
{
    again(SWEEP_MIDDLE, 1801, 653);
    sweep_middle();
}

void SWEEP_HIGH_HANDLER(void)
{
    again(SWEEP_HIGH, 1601, 461);
    sweep_high();
}

/* A little, now and then. */
static size_t slow_write(const uint8_t *data, size_t size)
{
    static unsigned times;
    if (++times % 2u != 0) {
        refused++;
        return 0;
    }
    return board_uart_write(data, size < 24u ? size : 24u);
}

static void flood(void)
{
    runs = 1;
    for (unsigned level = SWEEP_LOW; level < SWEEP_LEVELS; level++) {
        sweep_timer_start(level, 1000u * level);
    }
    while (calls[SWEEP_LOW] < ARRIVALS) {
        sweep_thread();
        calls[SWEEP_THREAD]++;
        (void)mcuprof_poll();
    }
    runs = 0;
    for (unsigned level = SWEEP_LOW; level < SWEEP_LEVELS; level++) {
        sweep_timer_stop(level);
    }
}

int main(void)
{
    static const struct mcuprof_config config = {
            .core_hz = BOARD_CLOCK_HZ,
#ifdef BOARD_COUNTER
            .clock = (const volatile uint32_t *)BOARD_COUNTER,
            .clock_hz = BOARD_COUNTER_HZ,
#endif
            .write = slow_write,
    };
    static const struct mcuprof_trace_config how = {
            .mode = MCUPROF_TRACE_MODE_STREAM};
    sweep_priorities();
    if (mcuprof_init(&config) != 0 || mcuprof_trace_start(&how) != 0) {
        return 1;
    }
    flood();
    (void)mcuprof_trace_stop();
    while (mcuprof_poll() > 0) {
    }
    board_print("\narrivals %u refused %u\n",
                (unsigned)(calls[SWEEP_LOW] + calls[SWEEP_MIDDLE]
                           + calls[SWEEP_HIGH]),
                (unsigned)refused);
    for (unsigned level = 0; level < SWEEP_LEVELS; level++) {
        board_print("level %u %u\n", (unsigned)sweep_contexts[level],
                    (unsigned)(SWEEP_EVENTS * calls[level]));
    }
    return 0;
}
