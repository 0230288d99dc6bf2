/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_HOOK_NAKED_H
#define MCUPROF_HOST_HOOK_NAKED_H

/*
 * Functions that a hook breaks. Compilers put hooks into naked functions too:
 * nothing saves LR and the arguments around the call, which loses them, and
 * what the function then does with them is wrong. A compiler's own function
 * has pushed LR before its first call, and never takes from a register what a
 * call may have changed; one that does not return may leave LR alone, and then
 * does not use it.
 */

#include "code_map.h"
#include "error.h"
#include "hook_sites.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a function is broken. */
struct hook_naked {
    uint32_t hook; /* the call that loses the register */
    uint32_t use;  /* the instruction that needs it */
    unsigned lost; /* the register: THUMB_LR before others */
};

/**
 * Whether FUNCTION, an index of CODE, uses after a hook what that hook has
 * lost, on any way through it.
 * returns 1 with OUT filled, or 0
 * errors: MCUPROF_E_NOMEM
 */
int hook_naked_check(const struct code_map *code,
                     const struct hook_sites *sites, size_t function,
                     struct hook_naked *out) MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
