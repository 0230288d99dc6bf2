/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_ELF_LINT_H
#define MCUPROF_HOST_ELF_LINT_H

/*
 * What will go wrong with an ELF when it is profiled, found before it is
 * flashed. A finding is of a kind; the kind says what happens and what helps,
 * the finding where. Only what the ELF shows is said; docs/tracing.md says
 * what it does not show.
 */

#include "error.h"
#include "modules.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum lint_severity {
    LINT_ERROR,   /* the firmware breaks, or nothing is recorded */
    LINT_WARNING, /* something will be missing or wrong in the data */
    LINT_NOTE     /* good to know */
};

/* In the order in which they are told; the worst are not always first. */
enum lint_kind {
    LINT_NO_MCUPROF,
    LINT_BUILD_ID_FIRST,
    LINT_NAKED,
    LINT_RECURSION,
    LINT_SAMPLER,
    LINT_NO_HOOKS,
    LINT_OTHER_HOOKS,
    LINT_LIBRARY,
    LINT_EARLY,
    LINT_NOT_KEPT,
    LINT_NO_DEBUG_INFO,
    LINT_NO_IDENTITY,
    LINT_SELECTED,
    LINT_INLINE_ONLY_C99,
    LINT_HANDLER,
    LINT_OUTWEIGHED,
    LINT_INLINED_ONLY,
    LINT_KINDS
};

struct lint_rule {
    const char *name;
    enum lint_severity severity;
    const char *what;
    /* What helps; NULL for a gcc that takes a list of functions, see
     * lint_exclude_flag(). */
    const char *gcc;
    const char *clang;
};

struct lint_finding {
    enum lint_kind kind;
    bool has_place;
    uint32_t address;
    const char *name; /* the linker's, without a clone's suffix; "" if none.
                         NAME_SIZE bytes of it. Lives as long as the modules */
    size_t name_size;
    const char *file; /* where it is declared; "" if unknown. As NAME */
    uint32_t line;
    char detail[160]; /* "" if the rule says all */
    uint64_t weight;  /* of findings of a kind the largest first */
};

struct lint_hooked {
    const char *name; /* the linker's; lives as long as the modules */
    char *readable;   /* as its author wrote it */
};

struct lint {
    struct lint_finding *findings; /* by severity, kind, weight, address */
    size_t count;
    size_t hook_sites;          /* calls of hooks in the ELF */
    struct lint_hooked *hooked; /* functions that have them */
    size_t hooked_count;
};

/** What KIND is about. */
const struct lint_rule *lint_rule(enum lint_kind kind);

/** "error", "warning", "note" */
const char *lint_severity_name(enum lint_severity severity);

/**
 * Look for everything in MODULE, which must outlive the findings; free with
 * lint_free().
 * errors: MCUPROF_E_NOMEM; MCUPROF_E_NO_SYMBOLS with ERROR filled
 */
int lint_run(struct lint **out, const struct module *module,
             struct error *error) MUST_CHECK;

/** Free LINT; NULL is allowed. */
void lint_free(struct lint *lint);

/**
 * The flag of gcc that leaves the functions of COUNT findings from FIRST on
 * without hooks, to be freed.
 * returns NULL without memory
 */
char *lint_exclude_flag(const struct lint *lint, size_t first, size_t count);

/**
 * How many other functions with hooks that flag hits as well, since gcc looks
 * for parts of names; EXAMPLE gets one of them. Of more than 200 findings
 * nothing is said.
 */
size_t lint_exclude_others(const struct lint *lint, size_t first, size_t count,
                           const char **example);

#ifdef __cplusplus
}
#endif

#endif
