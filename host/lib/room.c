/* SPDX-License-Identifier: MIT */
#include "room.h"

#include <stdlib.h>

void *room_reserve(void *items, size_t count, size_t *room, size_t size)
{
    size_t wanted = *room == 0 ? 64 : 2 * *room;
    void *grown;

    if (count < *room)
        return items;
    grown = realloc(items, wanted * size);
    if (grown != NULL)
        *room = wanted;
    return grown;
}
