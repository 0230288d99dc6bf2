/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_HOOK_FLOW_H
#define MCUPROF_HOST_HOOK_FLOW_H

/*
 * Which hooks belong together, by going all ways through a function. What is
 * known at an instruction is a stack of the enter hooks that are open there:
 * an enter hook pushes itself, an exit hook pops. Where ways meet the stacks
 * are as deep, and what is at one place in them is closed by the same exit
 * hooks: they are joined. So each instruction is gone through once.
 *
 * Landing pads of exceptions are reached by no way. What is open there is not
 * known: an exit hook that pops nothing of the pad's own is `loose`, it closes
 * what is open of its subject.
 *
 *     enter a          []  -> [a]
 *     beq 1f
 *     enter b          [a] -> [a b]
 *     exit b           [a b] -> [a]      joins b, b
 *  1: exit a           [a] -> []         joins a, a
 *
 * gcc may make a function of its own of a function's rest, "crc.part.0", that
 * closes what its callers have opened: there a stand-in is open when it is
 * entered, and joined with what is on top at each call.
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

/* What keeps a function's hooks from being told apart. */
enum hook_flow_problem {
    HOOK_FLOW_FINE,
    HOOK_FLOW_UNEQUAL, /* ways meet that have not as many open */
    HOOK_FLOW_EMPTY,   /* an exit hook where none is open */
    HOOK_FLOW_OPEN,    /* the function is left with some open */
    HOOK_FLOW_TABLE,   /* a jump goes nobody knows where */
    HOOK_FLOW_STRANGE  /* too large, too deep, or not as compilers do it */
};

struct hook_flow;

/**
 * Prepare to follow functions of CODE; all must outlive it.
 * returns NULL without memory; free with hook_flow_free()
 */
struct hook_flow *hook_flow_new(const struct code_map *code,
                                const struct hook_sites *sites);

/** Free FLOW; NULL is allowed. */
void hook_flow_free(struct hook_flow *flow);

/**
 * Go through FUNCTION and what was moved away from it. Sites that were gone
 * through belong to it then. A part that was moved away is only to be followed
 * if its function's ways did not lead there.
 * errors: MCUPROF_E_NOMEM
 */
int hook_flow_follow(struct hook_flow *flow, size_t function) MUST_CHECK;

/**
 * After all were followed: what calls code whose hooks do not match, shared by
 * the functions that it is of (clang's outliner), cannot be told apart either.
 * errors: MCUPROF_E_NOMEM
 */
int hook_flow_spread(struct hook_flow *flow) MUST_CHECK;

/** Which function SITE was gone through with; CODE_NONE: with none. */
size_t hook_flow_body(const struct hook_flow *flow, size_t site);

/** What is wrong with FUNCTION, that was followed, and at which address. */
enum hook_flow_problem hook_flow_problem(const struct hook_flow *flow,
                                         size_t function, uint32_t *address);

/** Whether FUNCTION, that was followed, has hooks that no way of it leads to.
 */
bool hook_flow_has_pads(const struct hook_flow *flow, size_t function);

/** One site for all that are joined with SITE. */
size_t hook_flow_class(struct hook_flow *flow, size_t site);

/** Join what two sites belong to. */
void hook_flow_join(struct hook_flow *flow, size_t site, size_t other);

/** The enter hook that is open around SITE's own: CODE_NONE if there is none or
 * it is not known. */
size_t hook_flow_around(const struct hook_flow *flow, size_t site);

/** Whether SITE closes what is open of its subject. */
bool hook_flow_is_loose(const struct hook_flow *flow, size_t site);

#ifdef __cplusplus
}
#endif

#endif
