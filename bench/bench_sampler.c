/* SPDX-License-Identifier: MIT */

#include "bench.h"
#include "board.h"
#include "mcuprof.h"

/*
 * What sampling at 10 kHz costs: the handler in the contexts of the truth
 * plugin, mcuprof_poll() as what thread mode executes beside the functions of
 * this file. run.sh counts between bench_begin() and bench_end().
 */

MCUPROF_SAMPLE_HANDLER(SysTick_Handler);

static uint32_t taken;

size_t bench_write(const uint8_t *data, size_t size);
void bench_work(void);

/* A transport that costs nothing. */
size_t bench_write(const uint8_t *data, size_t size)
{
    (void)data;
    taken += (uint32_t)size;
    return size;
}

/* Some code to sample: addresses near to each other, and farther ones. */
__attribute__((noinline)) static uint32_t scramble(uint32_t value)
{
    value ^= value << 7;
    value ^= value >> 9;
    return value;
}

__attribute__((noinline)) void bench_work(void)
{
    uint32_t start = board_counter();
    volatile uint32_t value = start;

    while (board_counter() - start < BOARD_COUNTER_HZ / 1000u) {
        value = scramble(value) * 3u;
        value = value ^ scramble(value + 1u);
    }
}

#ifdef BOARD_COUNTER
#define CLOCK ((const volatile uint32_t *)BOARD_COUNTER)
#else
#define CLOCK NULL
#endif

static const struct mcuprof_config config = {
        .write = bench_write,
        .core_hz = BOARD_CLOCK_HZ,
        .rate_hz = 10000,
        .clock = CLOCK,
};

static void rounds(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        bench_work();
        while (mcuprof_poll() > 0) {
        }
    }
}

int main(void)
{
    if (mcuprof_init(&config) < 0 || mcuprof_start() < 0) {
        return 1;
    }
    rounds(100); /* the identity is complete */
    taken = 0;
    bench_begin();
    rounds(1000);
    bench_end();
    mcuprof_stop();
    board_print("bytes %lu\n", taken);
    return 0;
}
