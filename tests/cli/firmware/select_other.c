/* SPDX-License-Identifier: MIT */
#include <stdint.h>

uint32_t other_file(uint32_t value);
uint32_t only_inlined(uint32_t value);

static inline __attribute__((always_inline)) uint32_t deep(uint32_t value)
{
    return value % 7;
}

__attribute__((noinline)) uint32_t other_file(uint32_t value)
{
    return deep(value) + 1;
}
