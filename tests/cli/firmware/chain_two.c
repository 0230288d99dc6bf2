/* SPDX-License-Identifier: MIT */
#define IN_INNERMOST in_innermost_two
#define IN_MIDDLE in_middle_two
#include "chain.h"

void outer_two(void);

static __attribute__((noinline)) void helper(void)
{
    counter += 2;
    SPOT(in_helper_two);
}

void outer_two(void)
{
    helper();
    middle(); /* call middle two */
}
