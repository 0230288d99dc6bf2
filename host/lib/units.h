/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_UNITS_H
#define MCUPROF_HOST_UNITS_H

/*
 * Numbers for people: grouped digits, times and frequencies in a fitting unit.
 * Each function writes into a buffer of UNITS_MAX bytes and returns it.
 */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define UNITS_MAX 40

/** "1,234,567" */
const char *units_count(char out[UNITS_MAX], uint64_t count);

/** "1,234,567.891" */
const char *units_thousandths(char out[UNITS_MAX], double number);

/** "12.34 s", "4.567 ms", "7.891 us": four digits, trailing zeros dropped. */
const char *units_seconds(char out[UNITS_MAX], double seconds);

/** "168 MHz", "32.768 kHz", "997.1 Hz" */
const char *units_hz(char out[UNITS_MAX], double hz);

#ifdef __cplusplus
}
#endif

#endif
