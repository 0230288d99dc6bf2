/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "lines_parts.h"
#include "lines_table_parts.h"

/*
 * Claims overlap at will, so the one before an address need not be the one
 * that holds it. REACH is a binary tree in an array (the children of i are 2i
 * and 2i + 1): each node has the farthest end of the claims below it.
 */

int lines_claims_add(struct lines_claims *claims, struct lines_piece piece)
{
    struct lines_piece *items =
            lines_grow(claims->items, claims->count, sizeof *items);

    if (items == NULL)
        return MCUPROF_E_NOMEM;
    claims->items = items;
    items[claims->count++] = piece;
    return 0;
}

static int compare_claims(const void *left, const void *right)
{
    const struct lines_piece *a = left, *b = right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    return (a->owner > b->owner) - (a->owner < b->owner);
}

int lines_claims_index(struct lines_claims *claims)
{
    size_t leaves = 1;

    if (claims->count == 0)
        return 0;
    qsort(claims->items, claims->count, sizeof *claims->items, compare_claims);
    while (leaves < claims->count)
        leaves *= 2;
    claims->reach = calloc(2 * leaves, sizeof *claims->reach);
    if (claims->reach == NULL)
        return MCUPROF_E_NOMEM;
    claims->leaves = leaves;
    for (size_t i = 0; i < claims->count; i++)
        claims->reach[leaves + i] = claims->items[i].end;
    for (size_t i = leaves - 1; i > 0; i--) {
        uint32_t left = claims->reach[2 * i];
        uint32_t right = claims->reach[2 * i + 1];

        claims->reach[i] = left > right ? left : right;
    }
    return 0;
}

void lines_claims_free(struct lines_claims *claims)
{
    free(claims->items);
    free(claims->reach);
    *claims = (struct lines_claims){0};
}

/* How many claims start at or before ADDRESS. */
static size_t count_begun(const struct lines_claims *claims, uint32_t address)
{
    size_t low = 0, high = claims->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (claims->items[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The leaf behind NODE and all below it, as a node: the next one on the path
 * that goes left before right; 0 at the end. */
static size_t skip(size_t node)
{
    while (node % 2 == 1)
        node /= 2;
    return node > 0 ? node + 1 : 0;
}

/* The first leaf below NODE. */
static size_t first_leaf(const struct lines_claims *claims, size_t node)
{
    while (node < claims->leaves)
        node *= 2;
    return node - claims->leaves;
}

size_t lines_claims_find(const struct lines_claims *claims, uint32_t address,
                         const struct lines_piece *out[LINES_CLAIMANTS_MAX])
{
    size_t begun = count_begun(claims, address);
    size_t count = 0, node = 1;

    if (begun == 0)
        return 0;
    while (node != 0 && count < LINES_CLAIMANTS_MAX
           && first_leaf(claims, node) < begun) {
        if (claims->reach[node] <= address) {
            node = skip(node);
        } else if (node < claims->leaves) {
            node = 2 * node;
        } else {
            out[count++] = &claims->items[node - claims->leaves];
            node = skip(node);
        }
    }
    return count;
}
