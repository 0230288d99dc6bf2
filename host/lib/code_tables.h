/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_CODE_TABLES_H
#define MCUPROF_HOST_CODE_TABLES_H

/*
 * Where a jump goes whose target is read from a table, as compilers make them
 * of a switch: TBB and TBH, gcc's helpers on ARMv6-M, tables of addresses in
 * literals or in constant data.
 */

#include "code_map.h"
#include "error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Addresses without the Thumb bit; each may be there several times. */
struct code_targets {
    uint32_t *items;
    size_t count;
    size_t room;
};

void code_targets_free(struct code_targets *targets);

/* What is known of the index before the jump. */
struct code_index {
    bool is_known;
    uint32_t count; /* it is below that */
};

/**
 * Add the targets of a jump at ADDRESS of SIZE bytes, a TBB or TBH or a call of
 * a helper of gcc, whose table begins right behind it.
 * returns 1, or 0 if it is no such jump, or if its table makes no sense
 * errors: MCUPROF_E_NOMEM
 */
int code_tables_behind(const struct code_map *map, const struct thumb *jump,
                       struct code_index index,
                       struct code_targets *out) MUST_CHECK;

/**
 * Add all addresses within FUNCTION, but its first, that are constants in its
 * code, or in tables that those point to: where a jump through a register may
 * go.
 * errors: MCUPROF_E_NOMEM
 */
int code_tables_pointed(const struct code_map *map, size_t function,
                        struct code_targets *out) MUST_CHECK;

/** The bound that the two instructions BEFORE and JUMP set: a comparison, and
 * a conditional branch beyond the table. */
bool code_tables_bound(const struct code_map *map, const struct thumb *compare,
                       const struct thumb *branch, struct code_index *out);

#ifdef __cplusplus
}
#endif

#endif
