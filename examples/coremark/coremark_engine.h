/* SPDX-License-Identifier: MIT */
#ifndef COREMARK_ENGINE_H
#define COREMARK_ENGINE_H

#include <stdint.h>

/*
 * What mcuprof does while the benchmark runs: nothing, samples, calls in the
 * function table, or in the call ring (ENGINE).
 */
#define ENGINE_NONE 0
#define ENGINE_SAMPLING 1
#define ENGINE_TRACING 2
#define ENGINE_RING 3

/* Before the first line of the benchmark. */
void coremark_engine_start(void);

/* After its last: sends what there is, and prints its ticks and iterations. */
void coremark_engine_stop(uint32_t ticks);

#endif
