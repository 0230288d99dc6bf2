/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_FUNCTION_COUNTS_H
#define MCUPROF_HOST_FUNCTION_COUNTS_H

/*
 * A row of the function table: what was counted of one function in one
 * context, or of a context outside of all functions, or of functions in it
 * that found no slot.
 */

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As on the wire. */
enum function_kind {
    FUNCTION_COUNTED = 0,
    FUNCTION_OUTSIDE = 1, /* a context, self */
    FUNCTION_NO_SLOT = 2, /* a context, calls, self */
};

struct function_counts {
    uint8_t kind; /* enum function_kind */
    uint16_t context;
    uint32_t function; /* bit 0 clear */
    uint64_t calls;
    uint64_t open; /* of them, not left */
    uint64_t self; /* in ticks, as all below; less than 2^63 */
    uint64_t total;
    uint64_t min; /* of calls that were left; 0 without any */
    uint64_t max;
};

/** Add FROM to INTO, of the same or another function. */
void function_counts_add(struct function_counts *into,
                         const struct function_counts *from);

/** True if any call of it was left. */
bool function_counts_has_left(const struct function_counts *counts);

/** A plus B, at most 2^63 - 1. */
uint64_t function_counts_sum(uint64_t a, uint64_t b);

#ifdef __cplusplus
}
#endif

#endif
