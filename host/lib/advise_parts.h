/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_ADVISE_PARTS_H
#define MCUPROF_HOST_ADVISE_PARTS_H

/* What the ELF says of hooks and their functions, for the advise*.c files. */

#include "advise.h"
#include "intern.h"

/* A subject in whatever another one's code it is. PARENT is a scope, or
   ADVISE_NONE: SUBJECT's own code, or a clone of it. */
struct advise_scope {
    size_t parent;
    size_t subject;
};

/*
 * Who calls whom, and whom contains whom. A scope is a body and the way to it
 * through bodies that were inlined into each other, outermost first:
 *
 *    sort()                      sort() { merge() { compare() } }
 *        merge() inlined   ->    is three scopes, the last one the copy of
 *            compare() inlined   compare() in that of merge() in sort()
 */
struct advise_links {
    const struct hook_sites *sites;
    const struct code_map *code;
    size_t *subject_of;   /* by function of the code map, clones included */
    bool *is_reached;     /* by subject: its own code can be called */
    bool *is_sending;     /* by subject: it calls the profiler's sending */
    struct intern scopes; /* keys are struct advise_scope */
    struct intern called; /* keys are a scope, and a subject called there */
};

/* A call, by the scope that it came from. */
enum advise_body {
    ADVISE_OWN,
    ADVISE_INLINED,
    ADVISE_EITHER
};

/**
 * For each subject whether it calls what sends, as mcuprof_poll(), by itself or
 * through functions without hooks; to be freed.
 * errors: MCUPROF_E_NOMEM
 */
int advise_senders(bool **out, const struct advise_links *links,
                   struct lines *lines) MUST_CHECK;

/**
 * Look into the code; end with advise_links_deinit(), also on error.
 * errors: MCUPROF_E_NOMEM
 */
int advise_links_init(struct advise_links *links,
                      const struct hook_sites *sites,
                      const struct code_map *code,
                      struct lines *lines) MUST_CHECK;

/** Free what LINKS holds, also after advise_links_init() failed. */
void advise_links_deinit(struct advise_links *links);

/** The subject that hooks are told FUNCTION of; ADVISE_NONE if none is. */
size_t advise_links_subject(const struct advise_links *links,
                            uint32_t function);

/** Find SUBJECT in the scope PARENT; false if it has no copy there. */
bool advise_links_find(const struct advise_links *links, size_t parent,
                       size_t subject, size_t *out);

/**
 * What calls of CALLEE in the scope FROM are, and their own scope; both scopes
 * may be ADVISE_NONE: not known.
 */
enum advise_body advise_links_body(const struct advise_links *links,
                                   size_t from, size_t callee, size_t *scope);

/**
 * The instructions that load the arguments of each site, to be freed.
 * returns NULL without memory
 */
unsigned *advise_arguments(const struct hook_sites *sites,
                           const struct code_map *code);

/**
 * Instructions of a call of FUNCTION, in memory, that are for the sake of its
 * own hooks, but for those that load arguments. In one that calls nothing else
 * all that is before its enter hook and behind its exit hook; in others what
 * keeps the exit hook's arguments, and the result.
 */
unsigned advise_keeping(const struct hook_sites *sites,
                        const struct code_map *code, size_t function);

/* The pair of hooks that a firmware measured, in instructions. */
struct advise_measured {
    unsigned hooks;  /* on their usual way, with their calls; 0: not known */
    unsigned beside; /* that are no hooks */
};

/**
 * Count them: the way of the library's hooks that needs no branch but the last,
 * and what was around them: of the call ring's in mcuprofi_trace_pair().
 */
struct advise_measured advise_measured(const struct hook_sites *sites,
                                       const struct code_map *code,
                                       bool is_ring);

#endif
