/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_HOOK_USES_H
#define MCUPROF_HOST_HOOK_USES_H

#include "code_map.h"
#include "hook_sites.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * For each subject of SITES in CODE whether its own code is called, or its
 * address is taken for something else than hooks; not seen is what only data
 * point to. To be freed.
 * returns NULL without memory
 */
bool *hook_uses_find(const struct code_map *code,
                     const struct hook_sites *sites);

#ifdef __cplusplus
}
#endif

#endif
