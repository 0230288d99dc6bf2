/* SPDX-License-Identifier: MIT */
/*
 * In C99 an inline function without an extern definition: where its address is
 * needed, as hooks need it, there is none (CASE 8).
 */
#include <stdint.h>

extern volatile uint32_t level;

CURE inline uint32_t squeeze(uint32_t value)
{
    return (value ^ level) & 0xFF;
}

/* That one has one in lint_inline.c. */
inline uint32_t stretch(uint32_t value)
{
    return (value + level) << 2;
}

/* Not a trap: each file has its own. */
static inline uint32_t shift(uint32_t value)
{
    return (value + level) >> 3;
}
