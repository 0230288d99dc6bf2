/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_SELECTION_H
#define MCUPROF_HOST_SELECTION_H

/*
 * Which hooks stay in an ELF and which are taken out, by rules. A body's hooks
 * go together, and those of bodies that share one; what is in doubt stays.
 *
 * The rules, the first one that fits counts: --drop takes a function out; it
 * must be in each of --only, --file and --section that are given; the list says
 * drop, keep or drop-inlined; bodies that were inlined go.
 *
 * Patterns are as a shell's. One that begins with ! takes out what it matches.
 * A function goes by its linker's name and by the one in the source with its
 * scopes and without, a file by its path or any last part of that.
 */

#include "elf_patch.h"
#include "error.h"
#include "hook_pairs.h"
#include "selection_list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct selection_patterns {
    const char *const *items;
    size_t count;
};

struct selection_rules {
    struct selection_patterns only;
    struct selection_patterns drop;
    struct selection_patterns files;
    struct selection_patterns sections;
    const struct selection_list *list; /* NULL: none */
    bool keep_inlined;
    const char *elf; /* as the user named it, for remedies; NULL: fw.elf */
};

enum selection_why {
    SELECTION_KEPT,        /* no rule against it */
    SELECTION_KEPT_LISTED, /* the list has it */
    SELECTION_KEPT_SHARED, /* it shares a hook with one that is kept */
    SELECTION_KEPT_DOUBT,  /* it would go, but for a doubt */
    SELECTION_INLINED,     /* this and the following: dropped */
    SELECTION_DROP,
    SELECTION_NOT_ONLY,
    SELECTION_NOT_FILE,
    SELECTION_NOT_SECTION,
    SELECTION_LISTED,
    SELECTION_LISTED_INLINED,
    SELECTION_FOUND /* of selection_found() */
};

struct selection_choice {
    bool is_dropped;
    enum selection_why why;
    const char *pattern; /* of SELECTION_DROP */
    size_t other; /* of SELECTION_KEPT_SHARED: the subject that is kept */
};

struct selection {
    const struct hook_pairs *pairs;
    const struct code_map *code;
    struct selection_choice *choices; /* of each instance */
    bool *is_called; /* whether each function in memory is, as hook_uses.h */
    char **names;    /* of each subject, as in the source, with its scopes */
    size_t functions, functions_kept; /* that have hooks in code that can run:
                                         in their own, or inlined there */
    size_t sites, sites_kept;
    size_t doubts[HOOK_DOUBT_COUNT];       /* sites that a doubt keeps, */
    size_t functions_in[HOOK_DOUBT_COUNT]; /* in so many in memory */
    size_t lines_unused; /* of the list: they match no function with hooks */
    const struct selection_line *line_unused; /* the first one */
    bool only_inlined; /* --only matches only what was inlined everywhere */
};

/**
 * Apply RULES to PAIRS in CODE; all but the rules must outlive the selection.
 * Free with selection_free().
 * errors: MCUPROF_E_NOMEM; MCUPROF_E_USAGE a pattern that matches nothing
 */
int selection_make(struct selection **out, const struct hook_pairs *pairs,
                   const struct code_map *code,
                   const struct selection_rules *rules,
                   struct error *error) MUST_CHECK;

/**
 * The selection that somebody made: IS_OUT says of each site in PAIRS whether
 * it is dropped. Else as selection_make(); all that is in doubt was kept for
 * that.
 * errors: MCUPROF_E_NOMEM; MCUPROF_E_MISMATCH a body is dropped in part
 */
int selection_found(struct selection **out, const struct hook_pairs *pairs,
                    const struct code_map *code, const bool *is_out,
                    struct error *error) MUST_CHECK;

/** Free SELECTION; NULL is allowed. */
void selection_free(struct selection *selection);

#define SELECTION_WHY_MAX 200

/** Say why INSTANCE is kept or dropped: "inlined", "--drop crc*", and of what
 * is kept also that "nothing calls it"; "" if there is nothing to say. */
void selection_why(const struct selection *selection, size_t instance,
                   char out[SELECTION_WHY_MAX]);

/**
 * Make the changes that take out what is dropped, by ascending addresses, to be
 * freed. Each is checked: there is a call of a hook, and then there is none.
 * errors: MCUPROF_E_NOMEM; MCUPROF_E_MISMATCH a check failed
 */
int selection_patches(const struct selection *selection, struct elf_patch **out,
                      size_t *count, struct error *error) MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
