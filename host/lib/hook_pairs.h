/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_HOOK_PAIRS_H
#define MCUPROF_HOST_HOOK_PAIRS_H

/*
 * Which calls of hooks open and close one body, that of a function in memory
 * or one that was inlined: an instance. An enter hook may have several exit
 * hooks, one for each way out, and a compiler may have joined the code of two
 * copies, or the last call of two functions. Only all sites of an instance
 * together can be taken out; where one cannot, or where it is not sure what
 * belongs together, there is a doubt. What is entered and never left has no
 * exit hooks: that is none, unless hooks are called through registers, which
 * are not all seen, or there is no exit hook at all.
 */

#include "code_map.h"
#include "error.h"
#include "hook_sites.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* name, what it is called, what it means */
#define HOOK_DOUBTS(X)                                                         \
    X(HOOK_SURE, "none", "")                                                   \
    X(HOOK_VENEER, "veneer", "a hook is called through a linker's veneer")     \
    X(HOOK_REGISTER, "register", "a hook is called through a register")        \
    X(HOOK_CONDITIONAL, "conditional", "a call of a hook has a condition")     \
    X(HOOK_ENDLESS, "endless", "no exit hook is seen")                         \
    X(HOOK_UNNAMED, "unnamed", "nothing says which function a hook is for")    \
    X(HOOK_DENIED, "denied", "r0 and the debug info name different functions") \
    X(HOOK_MIXED, "mixed", "one function is entered and another one left")     \
    X(HOOK_NO_ENTER, "no-enter", "it is left and never entered")               \
    X(HOOK_UNEQUAL, "unequal", "ways meet with different calls open")          \
    X(HOOK_EMPTY, "empty", "a way has more exits than enters")                 \
    X(HOOK_OPEN, "open", "a way leaves the function with calls open")          \
    X(HOOK_TABLE, "table", "a jump whose targets are not known")               \
    X(HOOK_STRANGE, "strange", "code that could not be followed")

enum hook_doubt {
#define HOOK_DOUBT_ENUMERATOR(name, word, text) name,
    HOOK_DOUBTS(HOOK_DOUBT_ENUMERATOR)
#undef HOOK_DOUBT_ENUMERATOR
    HOOK_DOUBT_COUNT
};

struct hook_instance {
    size_t subject;  /* that it is for, index in the sites' subjects; the first
                        one if it is_shared: each enter hook has its own */
    size_t function; /* in memory, that it is in: index in the code map */
    size_t first;    /* its sites, in by_instance */
    size_t count;
    size_t enters;
    bool is_inlined; /* into others, all of it */
    bool is_shared;  /* by bodies of several functions */
    enum hook_doubt doubt;
    uint32_t where; /* address of what raises the doubt; 0: none */
};

struct hook_pairs {
    const struct hook_sites *sites;
    struct hook_instance *instances; /* by the address of their first site */
    size_t count;
    size_t *of_site;     /* instance of each site */
    size_t *by_instance; /* sites, those of an instance one by one, ascending */
};

/**
 * Find which of SITES in CODE belong together; both must outlive them. Free
 * with hook_pairs_free().
 * errors: MCUPROF_E_NOMEM
 */
int hook_pairs_find(struct hook_pairs **out, const struct code_map *code,
                    const struct hook_sites *sites) MUST_CHECK;

/** Free PAIRS; NULL is allowed. */
void hook_pairs_free(struct hook_pairs *pairs);

/** "veneer" */
const char *hook_doubt_name(enum hook_doubt doubt);

/** "a hook is called through a linker's veneer" */
const char *hook_doubt_text(enum hook_doubt doubt);

#ifdef __cplusplus
}
#endif

#endif
