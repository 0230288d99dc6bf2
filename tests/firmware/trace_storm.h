/* SPDX-License-Identifier: MIT */
#ifndef TRACE_STORM_H
#define TRACE_STORM_H

#include <stdint.h>

/* Slower, where the library is compiled without optimisation. */
#ifndef STORM_SCALE
#define STORM_SCALE 1u
#endif

/* What is traced of the storm: the work of thread mode, and handlers. */
void storm_work(unsigned n);

/* Arrivals of interrupts. */
extern volatile uint32_t storm_arrivals;

/* Timers go on as long as this is not 0. */
extern volatile uint32_t storm_runs;

#endif
