/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_TIMELINE_LOG_H
#define MCUPROF_HOST_TIMELINE_LOG_H

/*
 * Any number of entries in little memory: the newest are in an array, what is
 * older goes to a temporary file.
 */

#include "error.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct timeline_entry {
    uint64_t ticks;
    uint32_t word;
    uint32_t extra;
};

/* All zero is empty. */
struct timeline_log {
    struct timeline_entry *newest; /* from FIRST on */
    struct timeline_entry *block;  /* a part of the file, from BLOCK_FIRST on */
    uint64_t first;
    uint64_t block_first;
    size_t block_count; /* 0: none was read */
    uint64_t count;
    FILE *file; /* NULL while all fits the array */
};

void timeline_log_deinit(struct timeline_log *log);

/**
 * Add ENTRY at the end; it gets the number that LOG's count was.
 * errors: MCUPROF_E_NOMEM, MCUPROF_E_IO where no temporary file can be written
 */
int timeline_log_add(struct timeline_log *log,
                     const struct timeline_entry *entry) MUST_CHECK;

/** Read entry NUMBER, below LOG's count; in order is fast. */
int timeline_log_get(struct timeline_log *log, uint64_t number,
                     struct timeline_entry *entry) MUST_CHECK;

/** Write entry NUMBER, below LOG's count, anew. */
int timeline_log_set(struct timeline_log *log, uint64_t number,
                     const struct timeline_entry *entry) MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
