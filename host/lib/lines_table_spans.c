/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "lines_table_parts.h"

/*
 * Sequences may overlap (what the linker discarded, folded functions). One
 * walk over them in the order of their starts cuts memory into spans with one
 * sequence each: of those that are open, the shortest, kept at the root of a
 * heap in WAITING. What has ended leaves the heap when it gets to the root.
 */

static bool is_before(const struct lines_table *table, size_t a, size_t b)
{
    const struct lines_sequence *left = &table->sequences[a];
    const struct lines_sequence *right = &table->sequences[b];
    uint32_t left_size = left->end - left->start;
    uint32_t right_size = right->end - right->start;

    return left_size != right_size ? left_size < right_size : a < b;
}

static void swap(size_t *a, size_t *b)
{
    size_t other = *a;

    *a = *b;
    *b = other;
}

static void heap_put(const struct lines_table *table, size_t *count,
                     size_t sequence)
{
    size_t *heap = table->waiting;
    size_t at = (*count)++;

    heap[at] = sequence;
    while (at > 0 && is_before(table, heap[at], heap[(at - 1) / 2])) {
        swap(&heap[at], &heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
}

static void heap_drop(const struct lines_table *table, size_t *count)
{
    size_t *heap = table->waiting;
    size_t at = 0, next = 1;

    heap[0] = heap[--*count];
    while (next < *count) {
        if (next + 1 < *count && is_before(table, heap[next + 1], heap[next]))
            next++;
        if (!is_before(table, heap[next], heap[at]))
            return;
        swap(&heap[at], &heap[next]);
        at = next;
        next = 2 * at + 1;
    }
}

static void add_span(struct lines_table *table, uint32_t start, uint32_t end,
                     size_t sequence)
{
    if (table->span_count > 0) {
        struct lines_span *last = &table->spans[table->span_count - 1];

        if (last->sequence == sequence && last->end == start) {
            last->end = end;
            return;
        }
    }
    table->spans[table->span_count++] = (struct lines_span){
            .start = start, .end = end, .sequence = sequence};
}

int lines_spans_new(struct lines_table *table)
{
    size_t count = table->sequence_count;

    if (count == 0)
        return 0;
    /* A span begins where a sequence does or where one ends. */
    table->spans = calloc(2 * count, sizeof *table->spans);
    table->waiting = calloc(count, sizeof *table->waiting);
    return table->spans != NULL && table->waiting != NULL ? 0 : MCUPROF_E_NOMEM;
}

void lines_spans_build(struct lines_table *table)
{
    const struct lines_sequence *sequences = table->sequences;
    size_t next = 0, open = 0;
    uint32_t at = 0;

    table->span_count = 0;
    while (next < table->sequence_count || open > 0) {
        uint32_t end;

        if (open == 0)
            at = sequences[next].start;
        while (next < table->sequence_count && sequences[next].start == at)
            heap_put(table, &open, next++);
        while (open > 0 && sequences[table->waiting[0]].end <= at)
            heap_drop(table, &open);
        if (open == 0)
            continue;
        end = sequences[table->waiting[0]].end;
        if (next < table->sequence_count && sequences[next].start < end)
            end = sequences[next].start;
        add_span(table, at, end, table->waiting[0]);
        at = end;
    }
}
