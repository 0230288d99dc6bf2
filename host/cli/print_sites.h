/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_CLI_PRINT_SITES_H
#define MCUPROF_CLI_PRINT_SITES_H

/*
 * What `mcuprof select` says: each call of a hook, and what it came to.
 */

#include "options.h"
#include "output.h"
#include "path_map.h"
#include "selection.h"

/**
 * Print every call of a hook in SELECTION, as SETTINGS say; file names go
 * through PATHS.
 * errors: MCUPROF_E_NOMEM
 */
int print_sites(struct output *output, const struct settings *settings,
                const struct path_map *paths,
                const struct selection *selection) MUST_CHECK;

/** Print what SELECTION drops, and what stays only because of a doubt. */
void print_selection(struct output *output, const struct selection *selection);

#endif
