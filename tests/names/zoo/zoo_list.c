/* SPDX-License-Identifier: MIT */
#include "zoo.h"
#include "zoo_inline.h"

/* A sorted list, a digest, and another function named helper. */

static inline int is_less(const struct zoo_item *a, const struct zoo_item *b)
{
    return a->key < b->key || (a->key == b->key && a->value < b->value);
}

static inline struct zoo_item **find_place(struct zoo_item **place,
                                           const struct zoo_item *item)
{
    while (*place != 0 && is_less(*place, item))
        place = &(*place)->next;
    return place;
}

static NOINLINE void helper(struct zoo_item *item)
{
    item->value ^= zoo_rotate(item->key, 7);
    zoo_port[0] = item->value;
}

struct zoo_item *zoo_sort(struct zoo_item *list)
{
    struct zoo_item *sorted = 0;

    while (list != 0) {
        struct zoo_item *item = list;
        struct zoo_item **place;

        list = list->next;
        place = find_place(&sorted, item);
        item->next = *place;
        *place = item;
        helper(item);
    }
    return sorted;
}

uint32_t zoo_digest(const uint32_t *words, unsigned count)
{
    uint32_t first = zoo_mix(0, words, count / 2);
    uint32_t second = zoo_mix(first, words + count / 2, count - count / 2);

    return zoo_rotate(first ^ second, 5);
}

uint32_t zoo_divide(uint32_t a, uint32_t b)
{
    uint64_t wide = (uint64_t)a << 7;

    return (uint32_t)(wide / (b | 1)) + a / (b | 3);
}

/* Called by nobody. */
uint32_t zoo_unused_list(struct zoo_item *list)
{
    struct zoo_item **place = find_place(&list, list->next);

    helper(*place);
    return zoo_mix((*place)->key, &list->value, 1);
}
