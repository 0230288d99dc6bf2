/* SPDX-License-Identifier: MIT */
#include "intern.h"

#include <stdlib.h>
#include <string.h>

void intern_deinit(struct intern *intern)
{
    free(intern->entries);
    free(intern->slots);
    free(intern->bytes);
    memset(intern, 0, sizeof *intern);
}

/* source: FNV-1a, draft-eastlake-fnv */
static uint64_t hash(const unsigned char *bytes, size_t size)
{
    uint64_t value = UINT64_C(0xCBF29CE484222325);

    for (size_t i = 0; i < size; i++)
        value = (value ^ bytes[i]) * UINT64_C(0x100000001B3);
    return value;
}

/* The slot of the key, or the free one where it belongs. */
static size_t *find_slot(const struct intern *intern, uint64_t value,
                         const void *key, size_t size)
{
    size_t at = (size_t)value & (intern->slot_count - 1);

    while (intern->slots[at] != 0) {
        const struct intern_entry *entry =
                &intern->entries[intern->slots[at] - 1];

        if (entry->hash == value && entry->size == size
            && memcmp(intern->bytes + entry->offset, key, size) == 0)
            break;
        at = (at + 1) & (intern->slot_count - 1);
    }
    return &intern->slots[at];
}

static int grow_slots(struct intern *intern)
{
    size_t count = intern->slot_count == 0 ? 64 : 2 * intern->slot_count;
    size_t *slots = calloc(count, sizeof *slots);

    if (slots == NULL)
        return MCUPROF_E_NOMEM;
    free(intern->slots);
    intern->slots = slots;
    intern->slot_count = count;
    for (size_t i = 0; i < intern->count; i++) {
        const struct intern_entry *entry = &intern->entries[i];

        *find_slot(intern, entry->hash, intern->bytes + entry->offset,
                   entry->size) = i + 1;
    }
    return 0;
}

static int grow(struct intern *intern, size_t size)
{
    if (intern->count == intern->room) {
        size_t room = intern->room == 0 ? 32 : 2 * intern->room;
        struct intern_entry *entries =
                realloc(intern->entries, room * sizeof *entries);

        if (entries == NULL)
            return MCUPROF_E_NOMEM;
        intern->entries = entries;
        intern->room = room;
    }
    if (intern->byte_room - intern->byte_count < size) {
        size_t room = 2 * (intern->byte_room + size);
        unsigned char *bytes = realloc(intern->bytes, room);

        if (bytes == NULL)
            return MCUPROF_E_NOMEM;
        intern->bytes = bytes;
        intern->byte_room = room;
    }
    return 0;
}

int intern_put(struct intern *intern, const void *key, size_t size,
               size_t *number, bool *is_new)
{
    uint64_t value = hash(key, size);
    size_t *slot;

    /* At most half full, so that a search ends soon. */
    if (intern->slot_count < 2 * (intern->count + 1) && grow_slots(intern) < 0)
        return MCUPROF_E_NOMEM;
    slot = find_slot(intern, value, key, size);
    *is_new = *slot == 0;
    if (*is_new) {
        if (grow(intern, size) < 0)
            return MCUPROF_E_NOMEM;
        memcpy(intern->bytes + intern->byte_count, key, size);
        intern->entries[intern->count] = (struct intern_entry){
                .hash = value, .offset = intern->byte_count, .size = size};
        intern->byte_count += size;
        *slot = ++intern->count;
    }
    *number = *slot - 1;
    return 0;
}

bool intern_find(const struct intern *intern, const void *key, size_t size,
                 size_t *number)
{
    size_t slot;

    if (intern->slot_count == 0)
        return false;
    slot = *find_slot(intern, hash(key, size), key, size);
    if (slot == 0)
        return false;
    *number = slot - 1;
    return true;
}
