/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_NAMED_FUNCTIONS_H
#define MCUPROF_HOST_NAMED_FUNCTIONS_H

/*
 * A function table as the faces see it: plain data, filled by
 * symbolize_functions.h from a capture and the ELFs.
 */

#include "function_counts.h"
#include "symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* So many calls of a function in a context that took as long. */
struct named_time {
    uint32_t function;
    uint16_t context;
    uint64_t ticks;
    uint64_t calls;
};

/* The longest call of a function in a context. */
struct named_longest {
    uint32_t function;
    uint16_t context;
    uint64_t ticks;
    uint64_t at_ps; /* when it began; 0: not known */
    char *path;     /* "main;work;leaf" */
};

struct named_functions {
    struct symbols *symbols;            /* a location is a function */
    const struct function_counts *rows; /* ascending kind, function, context;
                                           not owned */
    size_t count;
    uint64_t hooks; /* ticks that are in no row */
    uint64_t whole; /* ticks by the clock */
    bool has_times; /* calls were recorded one by one as well: */
    struct named_time *times;
    size_t time_count;
    struct named_longest *longest;
    size_t longest_count;
};

/** Free FUNCTIONS and their symbols; NULL is allowed. */
void named_functions_free(struct named_functions *functions);

#ifdef __cplusplus
}
#endif

#endif
