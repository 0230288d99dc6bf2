/* SPDX-License-Identifier: MIT */

#include "work.h"

enum {
    NODES = 192
};

struct node {
    struct node *next;
    uint16_t key;
    uint16_t value;
};

static struct node nodes[NODES];

struct node *list_fill(uint16_t seed);
struct node *list_merge(struct node *left, struct node *right);
struct node *list_sort(struct node *list);
const struct node *list_find(const struct node *list, uint16_t value);

struct node *list_fill(uint16_t seed)
{
    uint32_t random = seed;

    for (unsigned i = 0; i < NODES; i++) {
        random = random * 1664525u + 1013904223u;
        nodes[i].key = (uint16_t)(random >> 16);
        nodes[i].value = (uint16_t)i;
        nodes[i].next = i + 1 < NODES ? &nodes[i + 1] : NULL;
    }
    return nodes;
}

struct node *list_merge(struct node *left, struct node *right)
{
    struct node *head = NULL;
    struct node **tail = &head;

    while (left && right) {
        struct node **lesser = left->key <= right->key ? &left : &right;

        *tail = *lesser;
        tail = &(*lesser)->next;
        *lesser = *tail;
    }
    *tail = left ? left : right;
    return head;
}

struct node *list_sort(struct node *list)
{
    struct node *slow = list;
    struct node *half;

    if (!list || !list->next) {
        return list;
    }
    for (struct node *fast = list->next; fast && fast->next;
         fast = fast->next->next) {
        slow = slow->next;
    }
    half = slow->next;
    slow->next = NULL;
    return list_merge(list_sort(list), list_sort(half));
}

const struct node *list_find(const struct node *list, uint16_t value)
{
    while (list && list->value != value) {
        list = list->next;
    }
    return list;
}

uint16_t list_exercise(uint16_t seed)
{
    struct node *list = list_sort(list_fill(seed));
    uint16_t keys[16];

    for (unsigned i = 0; i < 16; i++) {
        const struct node *found = list_find(list, (uint16_t)(i * 5));

        keys[i] = found ? found->key : 0;
    }
    return crc16(seed, keys, sizeof(keys));
}
