/* SPDX-License-Identifier: MIT */
#ifndef BOOT_STEPS_H
#define BOOT_STEPS_H

#include <stdint.h>

/* The clock that mcuprof reads: counts down, at the rate of the core clock. */
extern volatile uint32_t *const boot_clock;

enum {
    BOOT_SLOW_HZ = 1562500, /* the oscillator at reset */
    BOOT_FAST_HZ = 25000000 /* the PLL */
};

/* Starts the clock, at the slow rate. */
void boot_clock_start(void);

/* All that happens until the application runs. */
void boot_run(void);

#endif
