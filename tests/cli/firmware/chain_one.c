/* SPDX-License-Identifier: MIT */
#define IN_INNERMOST in_innermost_one
#define IN_MIDDLE in_middle_one
#include "chain.h"

volatile unsigned counter;

void outer_one(void);
void outer_two(void);
void _start(void);

static __attribute__((noinline)) void helper(void)
{
    counter += 1;
    SPOT(in_helper_one);
}

void outer_one(void)
{
    helper();
    middle();           /* call middle one */
    SPOT(in_outer_one); /* spot outer one */
}

void _start(void)
{
    outer_one();
    outer_two();
    for (;;)
        continue;
}
