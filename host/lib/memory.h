/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_MEMORY_H
#define MCUPROF_HOST_MEMORY_H

/*
 * Some of a target's memory, wherever it comes from: a dump in a file, the
 * firmware's ELF, a debugger.
 */

#include "error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct memory {
    void *context;
    /* As memory_read(). */
    int (*read)(void *context, uint32_t address, uint8_t *out, size_t size,
                struct error *error);
    const char *name; /* of what it comes from, for errors */
};

/**
 * Read SIZE bytes at ADDRESS.
 * errors: MCUPROF_E_NOT_FOUND the first byte is not there, MCUPROF_E_TRUNCATED
 *     a later one is not: ERROR says which; others of what it comes from
 */
int memory_read(const struct memory *memory, uint32_t address, void *out,
                size_t size, struct error *error) MUST_CHECK;

/**
 * Read the text at ADDRESS, up to its NUL or SIZE - 1 bytes of it.
 * returns true if all of that could be read
 */
bool memory_read_text(const struct memory *memory, uint32_t address, char *out,
                      size_t size);

#ifdef __cplusplus
}
#endif

#endif
