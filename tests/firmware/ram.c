/* SPDX-License-Identifier: MIT */
/*
 * Streams to the UART and keeps the end of the same stream in RAM. After as
 * many interrupts as the word ram_reset_at says (0: never) one of them resets
 * the core where it stands; what is then in RAM is left alone.
 */
#include "board.h"
#include "mcuprof.h"
#include "mcuprof_ram.h"

#ifndef TICKS
#define TICKS 10000u
#endif

#define OUTSIDE __attribute__((section(".shared")))

/* Set by the test before power-on. */
OUTSIDE volatile uint32_t ram_reset_at;
OUTSIDE volatile uint32_t ram_boots;

static volatile uint32_t ticks;
static const uint32_t all_ticks = TICKS;

static void tick(void)
{
    ticks++;
    if (ticks == ram_reset_at) {
        *(volatile uint32_t *)0xE000ED0Cu = 0x05FA0004u; /* SYSRESETREQ */
        for (;;) {
        }
    }
}

MCUPROF_SAMPLE_HANDLER_THEN(SysTick_Handler, tick);

static size_t write_both(const uint8_t *data, size_t size)
{
    size_t taken = board_uart_write(data, size);
    return mcuprof_ram_write(data, taken);
}

static const struct mcuprof_config config = {
        .write = write_both,
        .core_hz = BOARD_CLOCK_HZ,
        .rate_hz = 10000,
        .clock = (const volatile uint32_t *)BOARD_COUNTER,
};

int main(void)
{
    if (ram_boots++ > 0) {
        return 0;
    }
    mcuprof_ram_init();
    if (mcuprof_init(&config) != 0 || mcuprof_start() != 0) {
        return 1;
    }
    while (ticks < all_ticks) {
        mcuprof_poll();
    }
    (void)mcuprof_stop();
    while (mcuprof_poll() > 0) {
    }
    return 0;
}
