/* SPDX-License-Identifier: MIT */

#include "calls_early.h"

void early_work(unsigned n)
{
    if (n > 0) {
        early_work(n - 1u);
        __asm volatile("");
    }
}
