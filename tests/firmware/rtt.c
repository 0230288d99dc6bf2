/* SPDX-License-Identifier: MIT */
/*
 * Streams over RTT to a probe that reads when it likes (tests/rigs). Of the
 * SAMPLES interrupts each takes a sample with the next number for its address,
 * so a reader sees which ones it got; with SAMPLER it is the library's own
 * entry that takes it. The counts go to the UART when the probe has taken
 * everything.
 *
 * With RESET_AT the core is reset once, after that many samples, as it stands.
 */
#include "board.h"
#include "mcuprof.h"
#include "mcuprof_rtt.h"

#ifndef SAMPLES
#define SAMPLES 40000u
#endif
#ifndef SAMPLER
#define SAMPLER 0
#endif
#ifndef RESET_AT
#define RESET_AT 0u
#endif

#define RATE 10000u
#define OUTSIDE __attribute__((section(".shared")))

/* Where a loader, say, had its own block; no firmware uses it. */
OUTSIDE volatile uint8_t rtt_loader[256];

/* The rig waits for these words; the memory is zero before power-on. */
OUTSIDE volatile uint32_t rtt_boots;
OUTSIDE volatile uint32_t rtt_numbered; /* in all boots */
OUTSIDE volatile uint32_t rtt_over;     /* nothing is produced any more */

static volatile uint32_t produced; /* in this boot */
static const uint32_t samples = SAMPLES;
static const uint32_t reset_at = RESET_AT;

static void start(uint32_t interval)
{
    board_irq_priority(BOARD_TIMER0_IRQ, 0);
    board_timer_start(0, interval);
}

static void stop(void)
{
    board_timer_stop(0);
}

static void tick(void)
{
    rtt_numbered++;
    produced++;
    board_timer_clear(0);
    if (rtt_numbered == samples) {
        stop();
    }
}

#if SAMPLER
MCUPROF_SAMPLE_HANDLER_THEN(TIMER0_Handler, tick);
#else
void TIMER0_Handler(void);
void TIMER0_Handler(void)
{
    tick();
    mcuprof_sample_put(2u * rtt_numbered, 0);
}
#endif

static const struct mcuprof_timer timer = {
        .hz = BOARD_CLOCK_HZ,
        .start = start,
        .stop = stop,
};

static void reset(void)
{
    *(volatile uint32_t *)0xE000ED0Cu = 0x05FA0004u; /* AIRCR.SYSRESETREQ */
    for (;;) {
    }
}

int main(void)
{
    static struct mcuprof_config config;
    config.write = mcuprof_rtt_write;
    config.core_hz = BOARD_CLOCK_HZ;
    config.rate_hz = RATE;
    config.timer = &timer;
    config.clock = (const volatile uint32_t *)BOARD_COUNTER;
    config.boot_id = ++rtt_boots;
    mcuprof_rtt_init();
    board_print("generation %lu offsets %lu %lu\n", mcuprof_rtt.generation,
                mcuprof_rtt.up.write, mcuprof_rtt.up.read);
    if (mcuprof_init(&config) != 0 || mcuprof_start() != 0) {
        return 1;
    }
    while (rtt_numbered < samples) {
        mcuprof_poll();
        if (rtt_boots == 1 && reset_at != 0 && rtt_numbered >= reset_at) {
            board_print("produced %lu\n", produced);
            reset();
        }
    }
    (void)mcuprof_stop();
    rtt_over = 1;
    while (mcuprof_poll() > 0) {
    }
    while (mcuprof_rtt.up.read != mcuprof_rtt.up.write) {
    }
    board_print("produced %lu\n", produced);
    return 0;
}
