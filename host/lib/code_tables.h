/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_CODE_TABLES_H
#define MCUPROF_HOST_CODE_TABLES_H

/*
 * Where a jump goes whose target is read from a table, as compilers make them
 * of a switch: TBB and TBH, gcc's helpers on ARMv6-M, tables of addresses in
 * literals or in constant data.
 */

#include "code_map.h"
#include "code_registers.h"
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

/** Free what TARGETS holds, not TARGETS; all zero is allowed. */
void code_targets_free(struct code_targets *targets);

/* The way to a jump, as far as it says something of the jump's table. */
struct code_tables_way {
    struct thumb before[2]; /* the instructions before, the last one first */
    unsigned known;         /* how many of them there are */
    uint32_t compared;      /* with so much, in the last comparison, + 1 */
    uint32_t bound; /* entries, by the last one that led here; 0: none */
    struct code_registers registers;
    unsigned loaded; /* the register that was loaded out of a table, */
    uint32_t table;  /* and where that is; 0: none was */
};

/** Take the effect of THUMB, that is followed by what is behind it. */
void code_tables_step(const struct code_map *map, struct code_tables_way *way,
                      const struct thumb *thumb);

/** What is known where the branch THUMB goes. */
struct code_tables_way code_tables_branch(const struct code_map *map,
                                          const struct code_tables_way *way,
                                          const struct thumb *thumb);

/**
 * Add the targets of JUMP, to which one came by WAY, if it is a jump through a
 * table that begins right behind it: TBB, TBH, what stands for them on ARMv6-M,
 * or a call of gcc's helpers.
 * returns 1, or 0 if it is no such jump, or if its table makes no sense
 * errors: MCUPROF_E_NOMEM
 */
int code_tables_behind(const struct code_map *map, const struct thumb *jump,
                       const struct code_tables_way *way,
                       struct code_targets *out) MUST_CHECK;

/**
 * Add the targets of JUMP in FUNCTION, to which one came by WAY, if it goes
 * through a register that was loaded out of a table of addresses.
 * returns 1, or 0 if that is not known
 * errors: MCUPROF_E_NOMEM
 */
int code_tables_loaded(const struct code_map *map, size_t function,
                       const struct thumb *jump,
                       const struct code_tables_way *way,
                       struct code_targets *out) MUST_CHECK;

/**
 * Add all addresses within FUNCTION, but its first, that are constants in its
 * code, or in tables that those point to: where a jump through a register may
 * go.
 * errors: MCUPROF_E_NOMEM
 */
int code_tables_pointed(const struct code_map *map, size_t function,
                        struct code_targets *out) MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
