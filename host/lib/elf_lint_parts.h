/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_ELF_LINT_PARTS_H
#define MCUPROF_HOST_ELF_LINT_PARTS_H

/*
 * The inside of lint, for the elf_lint*.c files only: one function for each
 * thing that is looked for, all of the same type.
 */

#include "code_map.h"
#include "elf_lint.h"
#include "elf_select.h"
#include "hook_sites.h"

/* A pair of hooks and its two calls, recording: instructions. */
#define LINT_PAIR 40

/* Two or three instructions make the arguments, one calls. */
#define LINT_SITE 4

struct lint_search {
    const struct module *module;
    const struct image *image;
    struct lines *lines;
    struct code_map *code;
    struct hook_sites *sites;
    struct select_record record; /* of a selected image */
    struct lint *lint;
    size_t room;
    bool has_library; /* of mcuprof, or part of it */
    bool has_trace;
    bool has_functions; /* the function table */
    bool has_vectors;
    uint32_t vectors;
    bool *is_hooked;   /* functions of the code map with sites in them */
    bool *is_naked;    /* and those that lint_check_naked() found */
    uint32_t *dropped; /* calls of hooks of which the arguments are left */
};

typedef int lint_check(struct lint_search *search);

/* elf_lint_image.c */
lint_check lint_check_library, lint_check_debug_info, lint_check_identity,
        lint_check_build_id, lint_check_c99_inline, lint_check_selected;

/* elf_lint_boot.c */
lint_check lint_check_early, lint_check_kept, lint_check_handlers;

/* elf_lint_hooks.c */
lint_check lint_check_naked, lint_check_recursion, lint_check_hooks,
        lint_check_own_hooks, lint_check_weight, lint_check_inlined_only;

/* Find the vector table, if there is one. */
void lint_find_vectors(struct lint_search *search);

/**
 * Add a finding without a place; DETAIL may be NULL.
 * errors: MCUPROF_E_NOMEM
 */
MUST_CHECK int lint_add(struct lint_search *search, enum lint_kind kind,
                        const char *detail_format, ...)
        __attribute__((format(printf, 3, 4)));

/** Add one about FUNCTION of the code map, of WEIGHT. */
MUST_CHECK int lint_add_function(struct lint_search *search,
                                 enum lint_kind kind, size_t function,
                                 uint64_t weight, const char *detail_format,
                                 ...) __attribute__((format(printf, 5, 6)));

/** Add one about SUBJECT of the hook sites, of WEIGHT. */
MUST_CHECK int lint_add_subject(struct lint_search *search, enum lint_kind kind,
                                size_t subject, uint64_t weight,
                                const char *detail_format, ...)
        __attribute__((format(printf, 5, 6)));

/** Add FINDING as it is. */
MUST_CHECK int lint_add_finding(struct lint_search *search,
                                const struct lint_finding *finding);

/** Whether NAME, of the symbol table, is of the library. */
bool lint_is_ours(const char *name);

#endif
