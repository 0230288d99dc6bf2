/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_BLOCK_NAMES_H
#define MCUPROF_HOST_BLOCK_NAMES_H

/*
 * Names of contexts, as the call ring and the function table in a target's
 * memory point to them (docs/wire.md, "The call ring in RAM", word 44).
 */

#include "frame_sink.h"
#include "mcuprof_wire.h"
#include "memory.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct block_name {
    uint16_t context;
    char text[MCUPROF_CONTEXT_NAME_MAX + 1];
};

/* All zero is none; what it points to is its own. */
struct block_names {
    struct block_name *items;
    size_t count;
    /* Contexts whose name could not be read, or MCUPROF_RING_UNNAMED_ALL. */
    uint16_t unnamed;
};

/**
 * Read the table of ROOM names at address AT of MEMORY. Texts that are not
 * there come from IMAGE, which may be NULL. A context whose name cannot be
 * read keeps its number: what it was in is worth more.
 * errors: MCUPROF_E_NOMEM
 */
int block_names_read(struct block_names *names, const struct memory *memory,
                     uint32_t at, size_t room,
                     const struct memory *image) MUST_CHECK;

/** Put a CONTEXT frame for each into SINK. */
void block_names_put(const struct block_names *names, struct frame_sink *sink);

void block_names_deinit(struct block_names *names);

#ifdef __cplusplus
}
#endif

#endif
