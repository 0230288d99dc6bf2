/* SPDX-License-Identifier: MIT */
#include <dwarf.h>
#include <stdlib.h>

#include "lines_parts.h"

/*
 * Pieces of scopes overlap: bodies inlined into others, and functions where
 * the linker folded or discarded. One walk in the order of their starts cuts
 * memory into ranges with one scope each, the best of those that are open,
 * which is at the root of a heap.
 */

struct heap {
    struct lines *lines;
    struct lines_unit *unit;
    const struct lines_piece **items;
    size_t count;
};

uint32_t lines_root(const struct lines_unit *unit, uint32_t scope)
{
    while (unit->scopes[scope].parent != LINES_NONE)
        scope = unit->scopes[scope].parent;
    return scope;
}

/* The size of the part of FUNCTION that is entered: a symbol has no more. */
static uint32_t entry_size(const struct lines_unit *unit,
                           const struct lines_scope *function)
{
    const struct lines_piece *pieces = &unit->pieces[function->first];

    for (uint32_t i = 0; i < function->count; i++)
        if (pieces[i].start == function->entry)
            return pieces[i].end - pieces[i].start;
    return 0;
}

enum lines_match lines_match(struct lines *lines, struct lines_unit *unit,
                             uint32_t function)
{
    struct lines_scope *scope = &unit->scopes[function];
    Dwarf_Die die = {.addr = scope->die, .cu = unit->code.cu};
    struct image_symbol symbol;

    if (scope->match != LINES_MATCH_UNASKED)
        return scope->match;
    scope->match = LINES_MATCH_NONE;
    if (lines_is_named(lines->image, scope->entry,
                       lines_string(&die, DW_AT_name), lines_linkage(&die)))
        scope->match = image_find(lines->image, scope->entry, &symbol) == 0
                                       && symbol.size == entry_size(unit, scope)
                               ? LINES_MATCH_SIZE
                               : LINES_MATCH_NAME;
    return scope->match;
}

bool lines_is_better(struct lines *lines, struct lines_unit *unit_a, uint32_t a,
                     struct lines_unit *unit_b, uint32_t b)
{
    struct lines_scope *left = &unit_a->scopes[a], *right = &unit_b->scopes[b];
    enum lines_match left_match = lines_match(lines, unit_a, a);
    enum lines_match right_match = lines_match(lines, unit_b, b);

    if (left_match != right_match)
        return left_match > right_match;
    if (left->size != right->size)
        return left->size < right->size;
    if (unit_a != unit_b)
        return unit_a->number < unit_b->number;
    return a < b;
}

/*
 * Whether scope A is to be seen where B is as well: what is inlined into it
 * is above a scope, and of siblings the better function, or the shorter body,
 * is above the other one with all that is inlined into that.
 */
static bool is_above(const struct heap *heap, uint32_t a, uint32_t b)
{
    const struct lines_scope *scopes = heap->unit->scopes;
    uint32_t depth_a = scopes[a].depth, depth_b = scopes[b].depth;

    while (scopes[a].depth > depth_b)
        a = scopes[a].parent;
    while (scopes[b].depth > depth_a)
        b = scopes[b].parent;
    if (a == b)
        return depth_a > depth_b;
    while (scopes[a].parent != scopes[b].parent) {
        a = scopes[a].parent;
        b = scopes[b].parent;
    }
    if (scopes[a].parent == LINES_NONE)
        return lines_is_better(heap->lines, heap->unit, a, heap->unit, b);
    if (scopes[a].size != scopes[b].size)
        return scopes[a].size < scopes[b].size;
    return a < b;
}

static void swap(struct heap *heap, size_t a, size_t b)
{
    const struct lines_piece *piece = heap->items[a];

    heap->items[a] = heap->items[b];
    heap->items[b] = piece;
}

static void heap_put(struct heap *heap, const struct lines_piece *piece)
{
    size_t at = heap->count++;

    heap->items[at] = piece;
    while (at > 0
           && is_above(heap, heap->items[at]->owner,
                       heap->items[(at - 1) / 2]->owner)) {
        swap(heap, at, (at - 1) / 2);
        at = (at - 1) / 2;
    }
}

static void heap_drop(struct heap *heap)
{
    size_t at = 0, next = 1;

    heap->items[0] = heap->items[--heap->count];
    while (next < heap->count) {
        if (next + 1 < heap->count
            && is_above(heap, heap->items[next + 1]->owner,
                        heap->items[next]->owner))
            next++;
        if (!is_above(heap, heap->items[next]->owner, heap->items[at]->owner))
            return;
        swap(heap, at, next);
        at = next;
        next = 2 * at + 1;
    }
}

static void add_range(struct lines_unit *unit, uint32_t start, uint32_t end,
                      uint32_t scope)
{
    struct lines_piece *next = &unit->ranges[unit->range_count];

    if (unit->range_count > 0 && next[-1].owner == scope
        && next[-1].end == start)
        next[-1].end = end;
    else
        unit->ranges[unit->range_count++] =
                (struct lines_piece){start, end, scope};
}

static void build(struct heap *heap, const struct lines_piece **sorted,
                  size_t count)
{
    size_t next = 0;
    uint32_t at = 0;

    while (next < count || heap->count > 0) {
        const struct lines_piece *top;
        uint32_t end;

        if (heap->count == 0)
            at = sorted[next]->start;
        while (next < count && sorted[next]->start == at)
            heap_put(heap, sorted[next++]);
        while (heap->count > 0 && heap->items[0]->end <= at)
            heap_drop(heap);
        if (heap->count == 0)
            continue;
        top = heap->items[0];
        end = next < count && sorted[next]->start < top->end
                      ? sorted[next]->start
                      : top->end;
        add_range(heap->unit, at, end, top->owner);
        at = end;
    }
}

static int compare_starts(const void *left, const void *right)
{
    const struct lines_piece *a = *(const struct lines_piece *const *)left;
    const struct lines_piece *b = *(const struct lines_piece *const *)right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a > b) - (a < b);
}

int lines_flatten(struct lines *lines, struct lines_unit *unit,
                  size_t piece_count)
{
    struct heap heap = {.lines = lines, .unit = unit};
    const struct lines_piece **sorted;
    struct lines_piece *ranges;

    if (piece_count == 0)
        return 0;
    sorted = calloc(2 * piece_count, sizeof(void *));
    /* A range begins where a piece does or where one ends. */
    unit->ranges = calloc(2 * piece_count, sizeof *unit->ranges);
    if (sorted == NULL || unit->ranges == NULL) {
        free(sorted);
        return MCUPROF_E_NOMEM;
    }
    for (size_t i = 0; i < piece_count; i++)
        sorted[i] = &unit->pieces[i];
    qsort(sorted, piece_count, sizeof(void *), compare_starts);
    heap.items = sorted + piece_count;
    build(&heap, sorted, piece_count);
    free(sorted);
    ranges = realloc(unit->ranges, unit->range_count * sizeof *ranges);
    if (ranges != NULL)
        unit->ranges = ranges;
    return 0;
}

uint32_t lines_scope_at(const struct lines_unit *unit, uint32_t address)
{
    size_t low = 0, high = unit->range_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (unit->ranges[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < unit->range_count && unit->ranges[low].start <= address
                   ? unit->ranges[low].owner
                   : LINES_NONE;
}
