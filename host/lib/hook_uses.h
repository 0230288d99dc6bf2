/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_HOOK_USES_H
#define MCUPROF_HOST_HOOK_USES_H

/*
 * Which functions' own code can run. gcc keeps that of each function that it
 * inlined everywhere, as hooks are told its address: code, and hooks in it,
 * that nobody comes to.
 *
 * Called is what a table or another word of the image points to, what has no
 * hooks, and what these call or take the address of, and so on. Addresses that
 * are taken for hooks do not count.
 */

#include "code_map.h"
#include "hook_sites.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * For each function of CODE the subject of SITES whose code it is, that of its
 * clones and of what was moved away too; CODE_NONE: it has none. To be freed.
 * returns NULL without memory
 */
size_t *hook_uses_subjects(const struct code_map *code,
                           const struct hook_sites *sites);

/**
 * For each function of CODE whether it can be called. To be freed.
 * returns NULL without memory
 */
bool *hook_uses_functions(const struct code_map *code,
                          const struct hook_sites *sites);

/**
 * For each subject of SITES whether its own code, or a clone, can be called. To
 * be freed.
 * returns NULL without memory
 */
bool *hook_uses_find(const struct code_map *code,
                     const struct hook_sites *sites);

#ifdef __cplusplus
}
#endif

#endif
