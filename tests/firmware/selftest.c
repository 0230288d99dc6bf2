/* SPDX-License-Identifier: MIT */
/*
 * The least application, with a selftest: what the tests of odd compilers
 * build. Also C++, and also with MCUPROF_ENABLED=0.
 */
#ifdef __cplusplus
extern "C" {
#endif
#include "board.h"
#ifdef __cplusplus
}
#endif
#include "mcuprof.h"

static volatile uint32_t ticks;

/* noinline, so that it is a function of its own at every level. */
static void __attribute__((noinline)) tick(void)
{
    ticks++;
}

#ifdef WITH_BODY
MCUPROF_SAMPLE_HANDLER_THEN(SysTick_Handler, tick);
#else
MCUPROF_SAMPLE_HANDLER(SysTick_Handler);
#endif

/* As systems do that set handlers at run time. */
static void move_vectors(void)
{
#ifdef VECTORS_IN_RAM
    static uint32_t table[64] __attribute__((aligned(256)));
    const uint32_t *flash = (const uint32_t *)(uintptr_t)VECTORS_IN_RAM;
    for (unsigned i = 0; i < 64; i++) {
        table[i] = flash[i];
    }
    *(volatile uint32_t *)0xE000ED08u = (uint32_t)(uintptr_t)table;
#endif
}

int main(void)
{
    move_vectors();
    static struct mcuprof_config config;
    config.write = board_uart_write;
    config.core_hz = BOARD_CLOCK_HZ;
    config.rate_hz = 5000;
    if (mcuprof_init(&config) != 0 || mcuprof_start() != 0) {
        return 1;
    }
    if (mcuprof_selftest(300) != 0 || mcuprof_stop() != 0) {
        return 2;
    }
    while (mcuprof_poll() > 0) {
    }
#ifdef WITH_BODY
    return MCUPROF_ENABLED && ticks < 1000 ? 3 : 0;
#else
    tick();
    return 0;
#endif
}
