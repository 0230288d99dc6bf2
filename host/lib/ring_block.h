/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_RING_BLOCK_H
#define MCUPROF_HOST_RING_BLOCK_H

/*
 * The call ring in a target's memory (docs/wire.md, "The call ring in RAM"),
 * and the same as the frames that its firmware would have sent: HELLO, RING,
 * CONTEXT, TRACE. What was halted in the middle of a record is handed on as it
 * is; who reads the records judges it.
 *
 *        ring                 head                        end
 *         |  newest lap        |  the lap before           |   oldest: at head,
 *         |--------------------|---------------------------|   or at ring
 * before 0                 next slot                          the first wrap
 */

#include "block_names.h"
#include "mcuprof_wire.h"
#include "memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where the firmware has it. */
#define RING_BLOCK_SYMBOL "mcuprof_trace"

/* All zero is none; what it points to is its own. */
struct ring_block {
    uint32_t ring; /* address of the first record */
    uint32_t records;
    uint32_t head; /* index of the next record, up to RECORDS */
    uint32_t laps;
    uint32_t lost;
    uint8_t state;
    uint8_t mode;
    uint32_t pc;
    uint32_t lr;
    uint32_t xpsr;
    uint32_t fault;
    uint8_t hello[MCUPROF_HELLO_SIZE];
    uint8_t *slots; /* the ring as it lies there */
    struct block_names names;
};

/**
 * Read block, ring and names at ADDRESS of MEMORY; texts that are not there
 * come from IMAGE, which may be NULL. End it with ring_block_deinit().
 * errors: as memory_read(); MCUPROF_E_NO_DATA it was never started;
 *     MCUPROF_E_NOT_FOUND no block is there; MCUPROF_E_FORMAT, _VERSION,
 *     _NOMEM
 */
int ring_block_read(struct ring_block *block, const struct memory *memory,
                    uint32_t address, const struct memory *image,
                    struct error *error) MUST_CHECK;

void ring_block_deinit(struct ring_block *block);

/** Records made since the start, with those overwritten. */
uint64_t ring_block_made(const struct ring_block *block);

/** True if the firmware sends the records, and zeroes what it has sent. */
bool ring_block_streams(const struct ring_block *block);

/**
 * Make frames of BLOCK, numbered so that NEXT_SEQ follows, and the first of
 * them is not 0: losses count from its first record on, not from the boot.
 * HALTED_US is how long reading it halted the target. OUT is to be freed.
 * errors: MCUPROF_E_NOMEM
 */
int ring_block_frames(const struct ring_block *block, uint32_t halted_us,
                      uint16_t next_seq, uint8_t **out,
                      size_t *size) MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
