/* SPDX-License-Identifier: MIT */
/*
 * The hot-spot table alone, in a firmware that works for a while and then
 * hangs: nothing calls the library any more, but its interrupt.
 */
#include "board.h"
#include "mcuprof.h"

MCUPROF_SAMPLE_HANDLER(SysTick_Handler);

static const struct mcuprof_config config = {
        .core_hz = BOARD_CLOCK_HZ,
        .rate_hz = 10000,
};

/*
 * Each in blocks of its own, and away from address 0: there gdb sees the
 * functions that the linker has discarded.
 */
#define APART __attribute__((noinline, aligned(4 * MCUPROF_HOTSPOT_GRAIN)))

void hotspots_work(volatile uint32_t *counter);
void hotspots_hang(volatile uint32_t *counter);

APART void hotspots_work(volatile uint32_t *counter)
{
    while (*counter < 2000000u) {
        (*counter)++;
    }
}

APART void hotspots_hang(volatile uint32_t *counter)
{
    for (;;) {
        (*counter)++;
    }
}

int main(void)
{
    static volatile uint32_t counter;

    if (mcuprof_init(&config) < 0 || mcuprof_start() < 0) {
        return 1;
    }
    hotspots_work(&counter);
    hotspots_hang(&counter);
    return 0;
}
