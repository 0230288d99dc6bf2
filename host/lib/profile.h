/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_PROFILE_H
#define MCUPROF_HOST_PROFILE_H

/*
 * The model of everything that is sampled: weighted call stacks per context,
 * equal ones merged. Memory grows with distinct stacks, not with samples. It
 * knows neither wire nor ELF.
 */

#include "error.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct profile;

#define PROFILE_DEPTH_MAX 256

struct profile_entry {
    uint64_t weight;
    const uint32_t *frames; /* innermost first; valid until the next add */
    uint16_t depth;
    uint16_t context;
};

/**
 * Make an empty profile; free it with profile_free().
 * returns NULL without memory
 */
struct profile *profile_new(void);

void profile_free(struct profile *profile);

/**
 * Add WEIGHT to the stack of DEPTH frames, innermost first, in CONTEXT.
 * errors: MCUPROF_E_NOMEM, MCUPROF_E_USAGE if DEPTH is 0 or above
 *     PROFILE_DEPTH_MAX
 * cost: one hash lookup
 */
int profile_add(struct profile *profile, uint16_t context,
                const uint32_t *frames, size_t depth,
                uint64_t weight) MUST_CHECK;

/** Sum of all weights. */
uint64_t profile_total(const struct profile *profile);

/** Number of distinct stacks. */
size_t profile_count(const struct profile *profile);

/** Stack number INDEX, below profile_count(), in order of first sight. */
struct profile_entry profile_get(const struct profile *profile, size_t index);

#ifdef __cplusplus
}
#endif

#endif
