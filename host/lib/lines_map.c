/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "lines_parts.h"

static size_t slot_of(const struct lines_map *map, const void *first,
                      const void *second)
{
    uint64_t key = (uint64_t)(uintptr_t)first * UINT64_C(0x9E3779B97F4A7C15);

    key = (key ^ key >> 32) + (uint64_t)(uintptr_t)second;
    key *= UINT64_C(0xBF58476D1CE4E5B9);
    return (size_t)(key ^ key >> 29) & (map->room - 1);
}

/* The slot of the key, or the free one where it belongs. */
static struct lines_map_slot *find_slot(const struct lines_map *map,
                                        const void *first, const void *second)
{
    size_t i = slot_of(map, first, second);

    while (map->slots[i].value != NULL
           && (map->slots[i].first != first || map->slots[i].second != second))
        i = (i + 1) & (map->room - 1);
    return &map->slots[i];
}

void *lines_map_get(const struct lines_map *map, const void *first,
                    const void *second)
{
    return map->count > 0 ? find_slot(map, first, second)->value : NULL;
}

static int double_room(struct lines_map *map)
{
    struct lines_map larger = {.room = map->room > 0 ? 2 * map->room : 64,
                               .count = map->count};

    larger.slots = calloc(larger.room, sizeof *larger.slots);
    if (larger.slots == NULL)
        return MCUPROF_E_NOMEM;
    for (size_t i = 0; i < map->room; i++)
        if (map->slots[i].value != NULL)
            *find_slot(&larger, map->slots[i].first, map->slots[i].second) =
                    map->slots[i];
    free(map->slots);
    *map = larger;
    return 0;
}

int lines_map_put(struct lines_map *map, const void *first, const void *second,
                  void *value)
{
    struct lines_map_slot *slot;

    if (4 * (map->count + 1) > 3 * map->room && double_room(map) < 0)
        return MCUPROF_E_NOMEM;
    slot = find_slot(map, first, second);
    if (slot->value == NULL)
        map->count++;
    *slot = (struct lines_map_slot){first, second, value};
    return 0;
}

void lines_map_free(struct lines_map *map)
{
    free(map->slots);
    *map = (struct lines_map){0};
}
