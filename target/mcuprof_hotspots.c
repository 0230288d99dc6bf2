/* SPDX-License-Identifier: MIT */
/*
 * The hot-spot table: what a sample does to it. The sampling interrupt is the
 * only writer.
 */
#include "mcuprof_hotspots.h"

#if MCUPROF_ENABLED && MCUPROF_HOTSPOTS

#if MCUPROFI_HOTSPOTS_BY_V7M
/* A group of four is found by clearing address bits. */
#define HOTSPOTS_ALIGNED __attribute__((aligned(64)))
#else
#define HOTSPOTS_ALIGNED
#endif

MCUPROF_VISIBLE HOTSPOTS_ALIGNED struct mcuprof_hotspot
        mcuprof_hotspots[MCUPROF_HOTSPOT_UNITS];
MCUPROF_VISIBLE struct mcuprofi_hotspots mcuprofi_hotspots;

#ifdef MCUPROF_HOTSPOT_IGNORE_IF
int MCUPROF_HOTSPOT_IGNORE_IF(uint32_t pc);

static inline int is_ignored_by_call(uint32_t pc)
{
    return MCUPROF_HOTSPOT_IGNORE_IF(pc);
}
#else
static inline int is_ignored_by_call(uint32_t pc)
{
    (void)pc;
    return 0;
}
#endif

#if MCUPROF_HOTSPOT_IGNORE
static struct {
    uint32_t begin;
    uint32_t size;
} ignored_ranges[MCUPROF_HOTSPOT_IGNORE];
static volatile uint32_t ignored_count;

static inline int is_in_ignored_range(uint32_t pc)
{
    for (uint32_t i = 0; i < ignored_count; i++) {
        if (pc - ignored_ranges[i].begin < ignored_ranges[i].size) {
            return 1;
        }
    }
    return 0;
}

static int ignore_range(uint32_t begin, uint32_t size)
{
    uint32_t i = ignored_count;
    if (i == MCUPROF_HOTSPOT_IGNORE) {
        return MCUPROF_ENOSPACE;
    }
    ignored_ranges[i].begin = begin;
    ignored_ranges[i].size = size;
    /* Only now can the interrupt see it. */
    mcuprofi_barrier();
    ignored_count = i + 1u;
    return 0;
}
#else
static inline int is_in_ignored_range(uint32_t pc)
{
    (void)pc;
    return 0;
}

static inline int ignore_range(uint32_t begin, uint32_t size)
{
    (void)begin;
    (void)size;
    return MCUPROF_ENOSPACE;
}
#endif

int mcuprof_hotspots_ignore(uint32_t begin, uint32_t end)
{
    if (begin >= end) {
        return MCUPROF_EINVAL;
    }
    return ignore_range(begin, end - begin);
}

static inline uint8_t *hint_of(struct mcuprofi_hotspots *h, uint32_t block)
{
    return &h->hint[block % MCUPROFI_HOTSPOT_HINTS];
}

/* An address with more than half of the unit's weight is the last to stay. */
static inline void hit(struct mcuprof_hotspot *unit, uint32_t pc,
                       uint32_t weight)
{
    unit->weight += weight;
    if ((uint32_t)(uintptr_t)unit->pc == pc) {
        unit->vote += weight;
    } else if (unit->vote >= weight) {
        unit->vote -= weight;
    } else {
        unit->pc = (void (*)(void))(uintptr_t)pc;
        unit->vote = weight - unit->vote;
    }
}

/* Finds the least unit of a group anew, and hides it from the hints. */
static void refresh(struct mcuprofi_hotspots *h, unsigned group)
{
    unsigned first = group * MCUPROFI_HOTSPOT_GROUP;
    unsigned least = first;
    for (unsigned i = first + 1u; i < first + MCUPROFI_HOTSPOT_GROUP; i++) {
        if (mcuprof_hotspots[i].weight < mcuprof_hotspots[least].weight) {
            least = i;
        }
    }
    h->groups[group].min = mcuprof_hotspots[least].weight;
    h->groups[group].least = least;
    *hint_of(h, h->tag[least]) = MCUPROF_HOTSPOT_UNITS;
}

/* Gives the least unit of all to a block that has none. */
static unsigned replace(struct mcuprofi_hotspots *h, uint32_t pc,
                        uint32_t block)
{
    unsigned group = 0;
    for (unsigned i = 1; i < MCUPROFI_HOTSPOT_GROUPS; i++) {
        if (h->groups[i].min < h->groups[group].min) {
            group = i;
        }
    }
    unsigned i = h->groups[group].least;
    struct mcuprof_hotspot *unit = &mcuprof_hotspots[i];
    unit->pc = (void (*)(void))(uintptr_t)pc;
    unit->error = unit->weight;
    unit->weight += h->weight;
    unit->vote = h->weight;
    h->tag[i] = block;
    return i;
}

/* A sample whose unit the hints do not know. */
static void count_unhinted(struct mcuprofi_hotspots *h, uint32_t pc,
                           uint32_t block)
{
    unsigned i = 0;
    while (i < MCUPROF_HOTSPOT_UNITS && h->tag[i] != block) {
        i++;
    }
    if (i < MCUPROF_HOTSPOT_UNITS) {
        hit(&mcuprof_hotspots[i], pc, h->weight);
    } else {
        i = replace(h, pc, block);
    }
    *hint_of(h, block) = (uint8_t)i;
    unsigned group = i / MCUPROFI_HOTSPOT_GROUP;
    if (h->groups[group].least == i) {
        refresh(h, group);
    }
}

MCUPROF_KEEP void mcuprofi_hotspots_put(uint32_t pc)
{
    struct mcuprofi_hotspots *h = &mcuprofi_hotspots;
    uint32_t block = pc >> MCUPROFI_HOTSPOT_SHIFT;
    unsigned i = *hint_of(h, block);
    if (is_in_ignored_range(pc) || is_ignored_by_call(pc)) {
        h->ignored++;
    } else if (h->tag[i] == block) {
        hit(&mcuprof_hotspots[i], pc, h->weight);
    } else {
        count_unhinted(h, pc, block);
    }
    if (--h->countdown == 0) {
        mcuprofi_hotspots_event();
    }
}

#endif
