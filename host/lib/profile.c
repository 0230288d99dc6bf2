/* SPDX-License-Identifier: MIT */
#include "profile.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * Entries and frames lie in two growing arrays in order of first sight; the
 * hash table holds entry number + 1, 0 for a free slot, and is at most half
 * full.
 */
struct entry {
    uint64_t weight;
    uint32_t hash;
    uint16_t depth;
    uint16_t context;
    size_t frames; /* index of the innermost */
};

struct profile {
    uint64_t total;
    struct entry *entries;
    size_t count;
    size_t room;
    uint32_t *frames;
    size_t frame_count;
    size_t frame_room;
    uint32_t *slots;
    size_t slot_count; /* a power of two */
};

#define SLOTS_FIRST 1024u
#define ENTRIES_MAX (UINT32_MAX / 4)

struct profile *profile_new(void)
{
    struct profile *profile = calloc(1, sizeof *profile);

    if (profile == NULL)
        return NULL;
    profile->slot_count = SLOTS_FIRST;
    profile->slots = calloc(profile->slot_count, sizeof *profile->slots);
    if (profile->slots == NULL) {
        free(profile);
        return NULL;
    }
    return profile;
}

void profile_free(struct profile *profile)
{
    if (profile == NULL)
        return;
    free(profile->entries);
    free(profile->frames);
    free(profile->slots);
    free(profile);
}

/* A multiplicative hash: odd constants, high bits folded down. */
static uint32_t hash_stack(uint16_t context, const uint32_t *frames,
                           size_t depth)
{
    uint64_t hash = context;

    for (size_t i = 0; i < depth; i++) {
        hash = (hash ^ frames[i]) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    return (uint32_t)hash;
}

static bool grow(void **array, size_t *room, size_t needed, size_t size)
{
    size_t next = *room < 64 ? 64 : *room;
    void *grown;

    if (needed <= *room)
        return true;
    while (next < needed)
        next *= 2;
    grown = realloc(*array, next * size);
    if (grown == NULL)
        return false;
    *array = grown;
    *room = next;
    return true;
}

static bool grow_slots(struct profile *profile)
{
    size_t count = profile->slot_count * 2;
    uint32_t *slots = calloc(count, sizeof *slots);

    if (slots == NULL)
        return false;
    for (size_t i = 0; i < profile->count; i++) {
        size_t slot = profile->entries[i].hash & (count - 1);

        while (slots[slot] != 0)
            slot = (slot + 1) & (count - 1);
        slots[slot] = (uint32_t)(i + 1);
    }
    free(profile->slots);
    profile->slots = slots;
    profile->slot_count = count;
    return true;
}

static bool is_same(const struct profile *profile, const struct entry *entry,
                    const struct entry *wanted, const uint32_t *frames)
{
    return entry->hash == wanted->hash && entry->context == wanted->context
           && entry->depth == wanted->depth
           && memcmp(profile->frames + entry->frames, frames,
                     wanted->depth * sizeof *frames)
                      == 0;
}

/* The slot that holds the stack, or the free one where it belongs. */
static size_t find_slot(const struct profile *profile,
                        const struct entry *wanted, const uint32_t *frames)
{
    size_t mask = profile->slot_count - 1;
    size_t slot = wanted->hash & mask;

    while (profile->slots[slot] != 0
           && !is_same(profile, &profile->entries[profile->slots[slot] - 1],
                       wanted, frames))
        slot = (slot + 1) & mask;
    return slot;
}

static int insert(struct profile *profile, const struct entry *entry,
                  const uint32_t *frames)
{
    void *entries = profile->entries;
    void *stacks = profile->frames;
    bool grown = profile->count < ENTRIES_MAX
                 && (2 * profile->count < profile->slot_count
                     || grow_slots(profile));

    grown = grown
            && grow(&entries, &profile->room, profile->count + 1,
                    sizeof *entry);
    profile->entries = entries;
    grown = grown
            && grow(&stacks, &profile->frame_room,
                    profile->frame_count + entry->depth, sizeof *frames);
    profile->frames = stacks;
    if (!grown)
        return MCUPROF_E_NOMEM;
    memcpy(profile->frames + profile->frame_count, frames,
           entry->depth * sizeof *frames);
    profile->entries[profile->count] = *entry;
    profile->entries[profile->count].frames = profile->frame_count;
    profile->frame_count += entry->depth;
    profile->count++;
    profile->slots[find_slot(profile, entry, frames)] =
            (uint32_t)profile->count;
    return 0;
}

int profile_add(struct profile *profile, uint16_t context,
                const uint32_t *frames, size_t depth, uint64_t weight)
{
    struct entry wanted = {.weight = weight, .context = context};
    uint32_t number;

    if (depth == 0 || depth > PROFILE_DEPTH_MAX)
        return MCUPROF_E_USAGE;
    wanted.depth = (uint16_t)depth;
    wanted.hash = hash_stack(context, frames, depth);
    number = profile->slots[find_slot(profile, &wanted, frames)];
    if (number == 0) {
        int error = insert(profile, &wanted, frames);

        if (error < 0)
            return error;
    } else {
        profile->entries[number - 1].weight += weight;
    }
    profile->total += weight;
    return 0;
}

uint64_t profile_total(const struct profile *profile)
{
    return profile->total;
}

size_t profile_count(const struct profile *profile)
{
    return profile->count;
}

struct profile_entry profile_get(const struct profile *profile, size_t index)
{
    const struct entry *entry = &profile->entries[index];

    return (struct profile_entry){
            .weight = entry->weight,
            .frames = profile->frames + entry->frames,
            .depth = entry->depth,
            .context = entry->context,
    };
}
