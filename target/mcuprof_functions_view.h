/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_FUNCTIONS_VIEW_H
#define MCUPROF_FUNCTIONS_VIEW_H

/*
 * One moment of the function table, as text, frames and debuggers show it.
 */
#include "mcuprof_functions_parts.h"

#ifdef __cplusplus
extern "C" {
#endif

#if MCUPROF_ENABLED && MCUPROF_FUNCTIONS

/* A context's time outside of any function, and in those without a slot. */
struct mcuprofi_functions_rest {
    uint64_t outside;
    uint64_t calls;
    uint64_t self;
    uint16_t context;
    uint8_t is_used;
};

/* The number of what had no room; no context has it. */
#define MCUPROFI_FUNCTIONS_NO_CONTEXT 0xFFFFu

struct mcuprofi_functions_moment {
    uint64_t ticks;
    uint64_t self;  /* of all rows, of any kind */
    uint64_t calls; /* the same */
    uint64_t hooks;
    uint32_t sequence;
    uint32_t pair;
    uint32_t unwound;
    uint32_t unmatched;
    uint32_t deep;
    uint32_t no_slot;
    uint32_t no_context;
    uint32_t tries;
    uint32_t period; /* starts and resets until then */
    uint16_t rows;
    uint8_t flags; /* MCUPROF_FUNCTIONS_... */
    struct mcuprofi_functions_rest rests[MCUPROF_FUNCTIONS_CONTEXTS + 1];
};

extern struct mcuprofi_functions_moment mcuprofi_functions_moment;

/* value / by, without the compiler's library. */
uint64_t mcuprofi_functions_divide(uint64_t value, uint64_t by);

#endif

#ifdef __cplusplus
}
#endif

#endif
