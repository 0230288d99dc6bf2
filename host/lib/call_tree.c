/* SPDX-License-Identifier: MIT */
#include "call_tree.h"

#include "room.h"

#include <stdlib.h>

#define CONTEXT_IDS 65536u

struct call_tree {
    struct call_node *nodes;
    size_t count;
    size_t room;
    size_t *slots; /* number + 1, 0 if free; a power of two, at most half full
                    */
    size_t slot_count;
    size_t *open; /* by context: number + 1 of the innermost open node */
};

struct call_tree *call_tree_new(void)
{
    struct call_tree *tree = calloc(1, sizeof *tree);

    if (tree == NULL)
        return NULL;
    tree->open = calloc(CONTEXT_IDS, sizeof *tree->open);
    if (tree->open == NULL) {
        free(tree);
        return NULL;
    }
    return tree;
}

void call_tree_free(struct call_tree *tree)
{
    if (tree == NULL)
        return;
    free(tree->nodes);
    free(tree->slots);
    free(tree->open);
    free(tree);
}

/* source: the finalizer of MurmurHash3, public domain */
static size_t hash(uint16_t context, uint32_t function, size_t parent)
{
    uint64_t value = (uint64_t)parent * UINT64_C(0x9E3779B97F4A7C15)
                     ^ ((uint64_t)context << 32 | function);

    value ^= value >> 33;
    value *= UINT64_C(0xFF51AFD7ED558CCD);
    value ^= value >> 33;
    return (size_t)value;
}

static size_t *find_slot(const struct call_tree *tree, uint16_t context,
                         uint32_t function, size_t parent)
{
    size_t at = hash(context, function, parent) & (tree->slot_count - 1);

    while (tree->slots[at] != 0) {
        const struct call_node *node = &tree->nodes[tree->slots[at] - 1];

        if (node->function == function && node->parent == parent
            && node->context == context)
            break;
        at = (at + 1) & (tree->slot_count - 1);
    }
    return &tree->slots[at];
}

static int grow_slots(struct call_tree *tree)
{
    size_t count = tree->slot_count == 0 ? 256 : 2 * tree->slot_count;
    size_t *slots = calloc(count, sizeof *slots);

    if (slots == NULL)
        return MCUPROF_E_NOMEM;
    free(tree->slots);
    tree->slots = slots;
    tree->slot_count = count;
    for (size_t i = 0; i < tree->count; i++) {
        const struct call_node *node = &tree->nodes[i];

        *find_slot(tree, node->context, node->function, node->parent) = i + 1;
    }
    return 0;
}

static int add_node(struct call_tree *tree, const struct call_node *node)
{
    struct call_node *nodes =
            room_reserve(tree->nodes, tree->count, &tree->room, sizeof *nodes);

    if (nodes == NULL)
        return MCUPROF_E_NOMEM;
    tree->nodes = nodes;
    nodes[tree->count] = *node;
    if (node->parent != CALL_TREE_NONE) {
        nodes[tree->count].next = nodes[node->parent].child;
        nodes[node->parent].child = tree->count;
    }
    tree->count++;
    return 0;
}

static int enter(struct call_tree *tree, const struct timeline_event *event)
{
    size_t parent = tree->open[event->context] == 0
                            ? CALL_TREE_NONE
                            : tree->open[event->context] - 1;
    size_t *slot;

    if (2 * (tree->count + 1) > tree->slot_count && grow_slots(tree) < 0)
        return MCUPROF_E_NOMEM;
    slot = find_slot(tree, event->context, event->function, parent);
    if (*slot == 0) {
        const struct call_node node = {.context = event->context,
                                       .function = event->function,
                                       .parent = parent,
                                       .child = CALL_TREE_NONE,
                                       .next = CALL_TREE_NONE,
                                       .depth = event->depth};
        int error = add_node(tree, &node);

        if (error < 0)
            return error;
        *slot = tree->count;
    }
    tree->nodes[*slot - 1].calls++;
    tree->open[event->context] = *slot;
    return 0;
}

static void add(struct timeline_span *sum, struct timeline_span span)
{
    sum->ticks += span.ticks;
    sum->ps += span.ps;
}

static void leave(struct call_tree *tree, const struct timeline_event *event)
{
    struct call_node *node = &tree->nodes[tree->open[event->context] - 1];

    add(&node->total, event->span);
    add(&node->self, event->self);
    add(&node->self_cost, event->self_cost);
    node->mended += event->flags != 0;
    tree->open[event->context] =
            node->parent == CALL_TREE_NONE ? 0 : node->parent + 1;
}

int call_tree_event(void *context, const struct timeline_event *event)
{
    if (event->kind == TIMELINE_ENTER)
        return enter(context, event);
    if (event->kind == TIMELINE_LEAVE)
        leave(context, event);
    return 0;
}

size_t call_tree_count(const struct call_tree *tree)
{
    return tree->count;
}

const struct call_node *call_tree_get(const struct call_tree *tree,
                                      size_t number)
{
    return &tree->nodes[number];
}
