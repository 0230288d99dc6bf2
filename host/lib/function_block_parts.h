/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_FUNCTION_BLOCK_PARTS_H
#define MCUPROF_HOST_FUNCTION_BLOCK_PARTS_H

/*
 * The function table as it lies in memory, for function_block.c, which reads
 * it, and function_block_view.c, which adds it up.
 */

#include "bytes.h"
#include "error.h"
#include "function_table.h"
#include "mcuprof_wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Its head was checked: all that the sizes say is in BYTES. */
struct function_memory {
    const char *name; /* of what it comes from */
    uint32_t address;
    uint8_t *bytes; /* head, rows, contexts, frames */
    size_t rows;    /* offset of the first */
    size_t contexts;
    size_t frames;
    size_t slots;
    size_t context_count; /* the last is nobody's */
    size_t context_size;
    size_t depth; /* frames that a context has, with its base */
    bool has_clock;
    uint32_t clock; /* the register */
};

static inline uint32_t function_memory_word(const struct function_memory *table,
                                            size_t offset)
{
    return bytes_get32(table->bytes + offset);
}

static inline uint64_t function_memory_wide(const struct function_memory *table,
                                            size_t offset)
{
    return bytes_get64(table->bytes + offset);
}

/** Whether it counted when it was read. */
static inline bool function_memory_is_on(const struct function_memory *table)
{
    return function_memory_word(table,
                                MCUPROF_TABLE_STATE + MCUPROF_TABLE_STATE_GATE)
           != 0;
}

/** Say that TABLE contradicts itself, as TEXT tells. */
int function_memory_damaged(const struct function_memory *table,
                            struct error *error, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

/**
 * Add TABLE up, as the target does for a snapshot of its own.
 * errors: MCUPROF_E_FORMAT; MCUPROF_E_NOMEM
 */
int function_memory_view(const struct function_memory *table,
                         struct function_snapshot *snapshot,
                         struct error *error) MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
