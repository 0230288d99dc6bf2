/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_CALL_TREE_H
#define MCUPROF_HOST_CALL_TREE_H

/*
 * The calls of a timeline, those of one path and context merged. Memory grows
 * with paths, not with calls.
 */

#include "error.h"
#include "timeline.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct call_tree;

/* Nodes are told by their number, from 0 on. */
#define CALL_TREE_NONE SIZE_MAX

struct call_node {
    uint16_t context;
    uint32_t function;
    size_t parent; /* CALL_TREE_NONE of the outermost */
    size_t child;  /* the last one that was new, CALL_TREE_NONE */
    size_t next;   /* sibling, CALL_TREE_NONE */
    size_t depth;
    uint64_t calls;
    uint64_t mended; /* of them: not recorded as they began and ended */
    struct timeline_span total;
    struct timeline_span self;
    struct timeline_span self_cost; /* of the hooks, within self */
};

/** Make an empty tree. Returns NULL without memory. */
struct call_tree *call_tree_new(void);

void call_tree_free(struct call_tree *tree);

/** A timeline_sink; CONTEXT is a struct call_tree. Errors: MCUPROF_E_NOMEM */
int call_tree_event(void *context, const struct timeline_event *event);

size_t call_tree_count(const struct call_tree *tree);

/** Node NUMBER, below call_tree_count(). */
const struct call_node *call_tree_get(const struct call_tree *tree,
                                      size_t number);

#ifdef __cplusplus
}
#endif

#endif
