/* SPDX-License-Identifier: MIT */

#include "trace_sweep.h"

#define CALLS(level)                                                           \
    __attribute__((noinline)) void level##_leaf(void)                          \
    {                                                                          \
        __asm volatile("nop");                                                 \
    }                                                                          \
    void level(void)                                                           \
    {                                                                          \
        level##_leaf();                                                        \
        __asm volatile("nop");                                                 \
    }

CALLS(sweep_thread)
CALLS(sweep_low)
CALLS(sweep_middle)
CALLS(sweep_high)

void (*const sweep_functions[SWEEP_LEVELS][2])(void) = {
        {sweep_thread, sweep_thread_leaf},
        {sweep_low, sweep_low_leaf},
        {sweep_middle, sweep_middle_leaf},
        {sweep_high, sweep_high_leaf},
};
