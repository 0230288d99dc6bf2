/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_INTERN_H
#define MCUPROF_HOST_INTERN_H

/*
 * Numbers for byte strings: equal ones get the same, new ones the next, from
 * 0 on. For turning names and other keys into indices.
 */

#include "error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct intern_entry {
    uint64_t hash;
    size_t offset; /* of the key in bytes */
    size_t size;
};

/* All zero is empty. */
struct intern {
    struct intern_entry *entries;
    size_t count;
    size_t room;
    size_t *slots; /* number + 1, 0 if free; a power of two */
    size_t slot_count;
    unsigned char *bytes;
    size_t byte_count;
    size_t byte_room;
};

void intern_deinit(struct intern *intern);

/**
 * Find or add the SIZE bytes at KEY, which are copied.
 * returns true in IS_NEW if they were not there
 * errors: MCUPROF_E_NOMEM
 */
int intern_put(struct intern *intern, const void *key, size_t size,
               size_t *number, bool *is_new) MUST_CHECK;

/** Find the SIZE bytes at KEY; false if they are not there. */
bool intern_find(const struct intern *intern, const void *key, size_t size,
                 size_t *number);

#ifdef __cplusplus
}
#endif

#endif
