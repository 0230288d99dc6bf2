/* SPDX-License-Identifier: MIT */

#include "functions_sweep.h"

__attribute__((noinline)) void functions_sweep_leaf(void)
{
    __asm volatile("nop");
}

__attribute__((noinline)) void functions_sweep(unsigned again)
{
    functions_sweep_leaf();
    if (again > 0) {
        functions_sweep(again - 1u);
    }
    __asm volatile("nop");
}
