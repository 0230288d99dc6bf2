/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_ADVISE_PARTS_H
#define MCUPROF_HOST_ADVISE_PARTS_H

/* What the ELF says of hooks and their functions, for the advise*.c files. */

#include "advise.h"

enum advise_body {
    ADVISE_OWN,
    ADVISE_INLINED,
    ADVISE_EITHER
};

struct advise_pair {
    size_t caller; /* subjects */
    size_t callee;
};

struct advise_pairs {
    struct advise_pair *items; /* ascending after the end of building */
    size_t count;
    size_t room;
};

/* Who calls whom, and whom contains whom. */
struct advise_links {
    const struct hook_sites *sites;
    const struct code_map *code;
    size_t *subject_of;          /* by function of the code map */
    bool *is_reached;            /* by subject: its own code can be called */
    struct advise_pairs inlined; /* the callee's copy is in the caller */
    struct advise_pairs called;  /* the caller calls the callee's code */
};

/**
 * Look into the code; end with advise_links_deinit(), also on error.
 * errors: MCUPROF_E_NOMEM
 */
int advise_links_init(struct advise_links *links,
                      const struct hook_sites *sites,
                      const struct code_map *code,
                      struct lines *lines) MUST_CHECK;

void advise_links_deinit(struct advise_links *links);

/** The subject that hooks are told FUNCTION of; ADVISE_NONE if none is. */
size_t advise_links_subject(const struct advise_links *links,
                            uint32_t function);

/** What calls of CALLEE from CALLER are; CALLER may be ADVISE_NONE. */
enum advise_body advise_links_body(const struct advise_links *links,
                                   size_t caller, size_t callee);

/* Cycles that stay where a site is dropped, by site. */
double *advise_rests(const struct hook_sites *sites,
                     const struct code_map *code,
                     bool has_wide_nop);

#endif
