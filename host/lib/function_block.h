/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_FUNCTION_BLOCK_H
#define MCUPROF_HOST_FUNCTION_BLOCK_H

/*
 * The function table in a target's memory (docs/wire.md, "The function table
 * in RAM"), and the same as the frames that its firmware would have sent:
 * HELLO, CONTEXT, FUNCTIONS. Nothing in that memory is believed before it was
 * looked at: the firmware may be another, or have run while it was read.
 */

#include "block_names.h"
#include "function_table.h"
#include "mcuprof_wire.h"
#include "memory.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where the firmware has it. */
#define FUNCTION_BLOCK_SYMBOL "mcuprof_functions"

/* All zero is none; what it points to is its own. */
struct function_block {
    uint8_t hello[MCUPROF_HELLO_SIZE];
    struct block_names names;
    struct function_snapshot snapshot;
};

/**
 * Read the table at ADDRESS of MEMORY, as a snapshot of the moment when it was
 * halted or stopped; texts of names that are not there come from IMAGE, which
 * may be NULL. If it counts and MEMORY does not hold its clock, what the
 * innermost call had taken itself is missing (MCUPROF_FUNCTIONS_EARLIER). End
 * it with function_block_deinit().
 * errors: as memory_read(); MCUPROF_E_NO_DATA it was never started;
 *     MCUPROF_E_NOT_FOUND no table is there; MCUPROF_E_FORMAT, _VERSION,
 *     _NOMEM
 */
int function_block_read(struct function_block *block,
                        const struct memory *memory, uint32_t address,
                        const struct memory *image,
                        struct error *error) MUST_CHECK;

void function_block_deinit(struct function_block *block);

/** Put the frames of BLOCK into SINK, where no boot begins. */
void function_block_put(const struct function_block *block,
                        struct frame_sink *sink);

#ifdef __cplusplus
}
#endif

#endif
