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

#include <stdbool.h>

struct sites_printing {
    const struct settings *settings;
    const struct path_map *paths; /* file names go through it */
    const struct selection *selection;
    const char *rules; /* of it, in a line */
    bool is_held;      /* by the ELF: it is no new one */
    bool is_live;      /* for a target that runs */
};

/**
 * Print every call of a hook in a selection, as its settings say.
 * errors: MCUPROF_E_NOMEM
 */
int print_sites(struct output *output,
                const struct sites_printing *printing) MUST_CHECK;

/** Print how much SELECTION drops. */
void print_selection(struct output *output, const struct selection *selection);

/** Print what in SELECTION stays only because of a doubt. */
void print_doubts(struct output *output, const struct selection *selection);

#endif
