/* SPDX-License-Identifier: MIT */
#ifndef RAM_RIG_H
#define RAM_RIG_H

/* A target's RAM as an array, for what is read of it, and its damage. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "error.h"

#define RAM 0x20000000u

/* As memory_read(), of the READABLE bytes at RAM. */
static inline int ram_read(const uint8_t *ram, size_t readable,
                           uint32_t address, uint8_t *out, size_t size)
{
    uint32_t at = address - RAM;

    if (address < RAM || at >= readable)
        return MCUPROF_E_NOT_FOUND;
    if (size > readable - at)
        return MCUPROF_E_TRUNCATED;
    memcpy(out, ram + at, size);
    return 0;
}

/* source: Marsaglia, Journal of Statistical Software 8(14), xorshift */
static inline uint32_t next_random(uint32_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

#endif
