/* SPDX-License-Identifier: MIT */
#ifndef BENCH_PUBLISHED_H
#define BENCH_PUBLISHED_H

#include <stdint.h>

/*
 * Function tables in the style of the published ones, with their faults, for
 * comparison: hooks that keep them, one of the two in a firmware.
 */

/* Counts from now on. clock: a register that counts up */
void bench_published_start(const volatile uint32_t *clock);

#endif
