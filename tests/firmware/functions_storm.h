/* SPDX-License-Identifier: MIT */
#ifndef FUNCTIONS_STORM_H
#define FUNCTIONS_STORM_H

#include <stdint.h>

/* Slower, where hooks are. */
#ifndef STORM_SCALE
#define STORM_SCALE 1u
#endif

#define STORM_FUNCTIONS 4u
#define STORM_CONTEXTS 64u

/*
 * How often each function was called in each context, by its own count, and
 * which it is.
 */
extern volatile uint32_t storm_calls[STORM_CONTEXTS][STORM_FUNCTIONS];
extern void (*const storm_functions[STORM_FUNCTIONS])(uint32_t);

/* The same work in thread mode and in every handler. */
void storm_work(uint32_t n);

extern volatile uint32_t storm_arrivals;
extern volatile uint32_t storm_runs;

#endif
