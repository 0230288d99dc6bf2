/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_CODE_RETURNS_H
#define MCUPROF_HOST_CODE_RETURNS_H

#include "code_map.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * For each function of CODE whether it may come back to who called it: it has
 * a return, jumps to one that may, or somewhere unknown, or runs on into the
 * code behind it. A few of libraries never do although their code looks like
 * it. To be freed.
 * returns NULL without memory
 */
bool *code_returns_find(const struct code_map *code);

#ifdef __cplusplus
}
#endif

#endif
