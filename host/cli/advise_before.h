/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_CLI_ADVISE_BEFORE_H
#define MCUPROF_CLI_ADVISE_BEFORE_H

/*
 * What a selected ELF lost when it was selected. A list is of the original, so
 * one for a selected ELF has to say that again.
 */

#include "code_map.h"
#include "error.h"
#include "hook_sites.h"
#include "image.h"
#include "lines.h"

#include <stdbool.h>

/* All zero of an ELF that was not selected. */
struct advise_before {
    struct image *image; /* the original */
    struct lines *lines;
    struct code_map *code;
    struct hook_sites *sites;
    bool *drops_own;     /* by subject of SITES: its own hooks, */
    bool *drops_inlined; /* and those of its copies, are out already */
};

/**
 * Find what the selected ELF at PATH, open as SELECTED, lost; end with
 * advise_before_close(), also on error.
 * errors: as elf_select_open()
 */
int advise_before_open(struct advise_before *before, const char *path,
                       const struct image *selected,
                       struct error *error) MUST_CHECK;

void advise_before_close(struct advise_before *before);

/** The subject of BEFORE's sites that has NAME; SIZE_MAX if none has. */
size_t advise_before_find(const struct advise_before *before, const char *name);

#endif
