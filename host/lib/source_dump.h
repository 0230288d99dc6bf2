/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_SOURCE_DUMP_H
#define MCUPROF_HOST_SOURCE_DUMP_H

/*
 * All that a firmware left in its memory, as a capture: its call ring, then
 * the stream of the RAM transport, then its function table, as what is in that
 * is later than what was sent of it. Taking it is apart from turning it into
 * frames, as a target may be halted meanwhile.
 */

#include "function_block.h"
#include "memory.h"
#include "ring_block.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where the firmware has what it leaves, by its ELF's symbols. */
struct source_addresses {
    bool has_ram;
    uint32_t ram; /* SOURCE_RAM_SYMBOL (source_ram.h) */
    bool has_trace;
    uint32_t trace; /* RING_BLOCK_SYMBOL (ring_block.h) */
    bool has_functions;
    uint32_t functions;         /* FUNCTION_BLOCK_SYMBOL (function_block.h) */
    const struct memory *image; /* what was flashed, NULL: not known */
};

/* All zero is none. */
struct source_dump {
    bool has_ring;
    struct ring_block ring;
    bool has_functions;
    struct function_block functions;
    uint8_t *stream;
    size_t size;
};

/** True if the firmware has a place for anything of it. */
bool source_addresses_any(const struct source_addresses *addresses);

/**
 * Take what is at ADDRESSES of MEMORY; all but one of it may be missing, or
 * never have been started. End it with source_dump_deinit().
 * errors: as ring_block_read(), source_ram_read() and function_block_read()
 */
int source_dump_take(struct source_dump *dump, const struct memory *memory,
                     const struct source_addresses *addresses,
                     struct error *error) MUST_CHECK;

void source_dump_deinit(struct source_dump *dump);

/**
 * Make a capture of DUMP; taking it halted the target for HALTED_US. OUT is to
 * be freed.
 * errors: MCUPROF_E_NOMEM
 */
int source_dump_frames(const struct source_dump *dump, uint32_t halted_us,
                       uint8_t **out, size_t *size) MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
