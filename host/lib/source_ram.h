/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_SOURCE_RAM_H
#define MCUPROF_HOST_SOURCE_RAM_H

/*
 * A stream that the firmware left in RAM (docs/wire.md, "A stream left in
 * RAM"), in a file that holds that memory. What comes out is a capture: the
 * bytes in the order in which they were written.
 */

#include "error.h"

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
 * Read the stream whose block is at OFFSET of FD, a regular file that errors
 * call NAME: all that was written, or the last length - 1 bytes, as the one
 * before may be torn. OUT is to be freed.
 * errors: MCUPROF_E_FORMAT, _VERSION, _TRUNCATED the block contradicts itself;
 *     _NO_DATA nothing was written; _IO, _NOMEM
 */
int source_ram_read(uint8_t **out, size_t *size, int fd, uint64_t offset,
                    const char *name, struct error *error) MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
