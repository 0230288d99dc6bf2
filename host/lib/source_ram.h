/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_SOURCE_RAM_H
#define MCUPROF_HOST_SOURCE_RAM_H

/*
 * A stream that the firmware left in RAM (docs/wire.md, "A stream left in
 * RAM"), in the target's memory. What comes out is a capture: the bytes in
 * the order in which they were written.
 */

#include "memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where the firmware has it. */
#define SOURCE_RAM_SYMBOL "mcuprof_ram"

/**
 * True if BYTES begin as the block does. No text does, even if its first word
 * is "MRAM": versions are small.
 */
bool source_ram_begins(const uint8_t *bytes, size_t size);

/**
 * Read the stream whose block is at ADDRESS of MEMORY: all that was written, or
 * the last length - 1 bytes, as the one before may be torn. OUT is to be freed.
 * errors: MCUPROF_E_NOT_FOUND there is no block; MCUPROF_E_FORMAT, _VERSION,
 *     _TRUNCATED it contradicts itself; _NO_DATA nothing was written; _NOMEM;
 *     as memory_read()
 */
int source_ram_read(uint8_t **out, size_t *size, const struct memory *memory,
                    uint32_t address, struct error *error) MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
