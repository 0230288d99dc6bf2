/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_DUMP_IDENTITY_H
#define MCUPROF_HOST_DUMP_IDENTITY_H

/*
 * A firmware that is seldom polled, or hangs, has not computed its identity.
 * Whoever reads its memory can: the range is in HELLO from the start on.
 */

#include "memory.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Compute the identity that HELLO, MCUPROF_HELLO_SIZE bytes, lacks of the code
 * in MEMORY, and put it there with the flag MCUPROF_HELLO_IDENTITY_READ. HELLO
 * stays as it is if it has one, or if the code cannot be read within 2 seconds.
 */
void dump_identity_complete(uint8_t *hello, const struct memory *memory);

#ifdef __cplusplus
}
#endif

#endif
