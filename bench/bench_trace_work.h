/* SPDX-License-Identifier: MIT */
#ifndef BENCH_TRACE_WORK_H
#define BENCH_TRACE_WORK_H

#include <stddef.h>
#include <stdint.h>

/* All of the work once; a checksum of it. */
uint16_t bench_trace_work(uint16_t seed);

#endif
