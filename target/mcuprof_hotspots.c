/* SPDX-License-Identifier: MIT */
/*
 * The hot-spot table: what a sample does to it. The sampling interrupt is the
 * only writer.
 */
#include "mcuprof_hotspots_v7m.h"

#if MCUPROF_ENABLED && MCUPROF_HOTSPOTS

#if MCUPROFI_HOTSPOTS_BY_V7M
/* A group of four is found by clearing address bits. */
#define HOTSPOTS_ALIGNED __attribute__((aligned(64)))

/* The assembly has these offsets in it. */
#define TABLE_OFFSET_HOLDS(member, offset)                                     \
    typedef char check_table_offset_of_##member                                \
            [offsetof(struct mcuprofi_hotspots, member)                        \
                                     - offsetof(struct mcuprofi_hotspots, tag) \
                             == (size_t)(offset)                               \
                     ? 1                                                       \
                     : -1]
TABLE_OFFSET_HOLDS(hint, -MCUPROFI_V7M_TAG_AT);
TABLE_OFFSET_HOLDS(weight, MCUPROFI_V7M_WEIGHT_AT);
TABLE_OFFSET_HOLDS(countdown, MCUPROFI_V7M_WEIGHT_AT + 4);
TABLE_OFFSET_HOLDS(groups, MCUPROFI_V7M_GROUPS_AT);
#else
#define HOTSPOTS_ALIGNED
#endif

MCUPROF_VISIBLE HOTSPOTS_ALIGNED struct mcuprof_hotspot
        mcuprof_hotspots[MCUPROF_HOTSPOT_UNITS];
MCUPROF_VISIBLE struct mcuprofi_hotspots mcuprofi_hotspots;

#ifdef MCUPROF_HOTSPOT_IGNORE_IF
int MCUPROF_HOTSPOT_IGNORE_IF(uint32_t pc);

static inline int mcuprofi_is_ignored_by_call(uint32_t pc)
{
    return MCUPROF_HOTSPOT_IGNORE_IF(pc);
}
#else
static inline int mcuprofi_is_ignored_by_call(uint32_t pc)
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

static inline int mcuprofi_is_in_ignored_range(uint32_t pc)
{
    for (uint32_t i = 0; i < ignored_count; i++) {
        if (pc - ignored_ranges[i].begin < ignored_ranges[i].size) {
            return 1;
        }
    }
    return 0;
}

static int mcuprofi_ignore_range(uint32_t begin, uint32_t size)
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
static inline int mcuprofi_is_in_ignored_range(uint32_t pc)
{
    (void)pc;
    return 0;
}

static inline int mcuprofi_ignore_range(uint32_t begin, uint32_t size)
{
    (void)begin;
    (void)size;
    return MCUPROF_ENOSPACE;
}
#endif

int mcuprof_hotspots_ignore(uint32_t begin, uint32_t end)
{
    /* A function's address has the Thumb bit, and so may be where one ends. */
    begin &= ~1u;
    end &= ~1u;
    if (begin >= end) {
        return MCUPROF_EINVAL;
    }
    return mcuprofi_ignore_range(begin, end - begin);
}

static inline uint8_t *mcuprofi_hint_of(struct mcuprofi_hotspots *h,
                                        uint32_t block)
{
    return &h->hint[block % MCUPROFI_HOTSPOT_HINTS];
}

/*
 * The address of a unit in a register: short instructions reach its members,
 * which gcc would else address from wherever another object lies.
 */
static inline struct mcuprof_hotspot *mcuprofi_unit_at(unsigned i)
{
    struct mcuprof_hotspot *unit = &mcuprof_hotspots[i];
#if defined(__GNUC__)
    __asm("" : "+r"(unit));
#endif
    return unit;
}

/* An address with more than half of the unit's weight is the last to stay. */
static inline void mcuprofi_hotspots_hit(struct mcuprof_hotspot *unit,
                                         uint32_t pc, uint32_t weight)
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

/*
 * Finds the least unit of a group anew, and hides it from the hints: they give
 * the unit beside it, which is of another block and not the least.
 */
static inline void
mcuprofi_hotspots_refresh(struct mcuprofi_hotspots *h,
                          struct mcuprofi_hotspot_group *group, unsigned first)
{
    const struct mcuprof_hotspot *unit = mcuprofi_unit_at(first);
    unsigned least = first;
    uint32_t min = unit->weight;
    for (unsigned i = first + 1u; i != first + MCUPROFI_HOTSPOT_GROUP; i++) {
        unit++;
        if (unit->weight < min) {
            min = unit->weight;
            least = i;
        }
    }
    group->min = min;
    group->least = least;
    *mcuprofi_hint_of(h, h->tag[least]) = (uint8_t)(least ^ 1u);
}

/*
 * Of those with the least weight, one in the group that the block's low bits
 * choose, if it can be: hot blocks are neighbours often, and one unit of each
 * group is hidden from the hints.
 */
static inline unsigned mcuprofi_least_unit(const struct mcuprofi_hotspots *h,
                                           uint32_t block)
{
    const struct mcuprofi_hotspot_group *group = h->groups;
    const struct mcuprofi_hotspot_group *least =
            &group[block % MCUPROFI_HOTSPOT_SPREAD];
    uint32_t min = least->min;
    for (unsigned left = MCUPROFI_HOTSPOT_GROUPS; left > 0; left--) {
        if (group->min < min) {
            min = group->min;
            least = group;
        }
        group++;
    }
    return least->least;
}

/*
 * The unit of a block that has none: the least of all. What it had is its error
 * from now on.
 */
static unsigned mcuprofi_take_over(struct mcuprofi_hotspots *h, uint32_t pc,
                                   uint32_t block)
{
    unsigned i = mcuprofi_least_unit(h, block);
    struct mcuprof_hotspot *unit = mcuprofi_unit_at(i);
    unit->pc = (void (*)(void))(uintptr_t)pc;
    unit->error = unit->weight;
    unit->vote = 0;
    h->tag[i] = block;
    return i;
}

/* The unit of a block that the hints do not know. */
static unsigned mcuprofi_find_unit(struct mcuprofi_hotspots *h, uint32_t pc,
                                   uint32_t block)
{
    unsigned i = 0;
    while (h->tag[i] != block) {
        if (++i == MCUPROF_HOTSPOT_UNITS) {
            i = mcuprofi_take_over(h, pc, block);
            break;
        }
    }
    *mcuprofi_hint_of(h, block) = (uint8_t)i;
    return i;
}

/* Must stay in step with the assembly in mcuprof_hotspots_v7m.h. */
static inline void mcuprofi_hotspots_count(struct mcuprofi_hotspots *h,
                                           uint32_t pc)
{
    uint32_t block = pc >> MCUPROFI_HOTSPOT_SHIFT;
    unsigned i = *mcuprofi_hint_of(h, block);
    int is_hinted = h->tag[i] == block;
    if (!is_hinted) {
        i = mcuprofi_find_unit(h, pc, block);
    }
    mcuprofi_hotspots_hit(mcuprofi_unit_at(i), pc, h->weight);
    struct mcuprofi_hotspot_group *group =
            &h->groups[i / MCUPROFI_HOTSPOT_GROUP];
    if (!is_hinted && group->least == i) {
        mcuprofi_hotspots_refresh(h, group, i - i % MCUPROFI_HOTSPOT_GROUP);
    }
}

/*
 * Halves all weights, so that they fit for ever. A weight is rounded up, what
 * is certain of it down: neither bound is ever wrong, nor off by more than 2.
 */
static void mcuprofi_hotspots_halve(struct mcuprofi_hotspots *h)
{
    struct mcuprof_hotspot *unit = mcuprof_hotspots;
    for (unsigned left = MCUPROF_HOTSPOT_UNITS; left > 0; left--) {
        uint32_t certain = (unit->weight - unit->error) / 2u;
        unit->weight = (unit->weight + 1u) / 2u;
        unit->error = unit->weight - certain;
        unit->vote /= 2u;
        unit++;
    }
    struct mcuprofi_hotspot_group *group = h->groups;
    for (unsigned left = MCUPROFI_HOTSPOT_GROUPS; left > 0; left--) {
        group->min = (group->min + 1u) / 2u;
        group++;
    }
}

/*
 * A sixteenth of a half-life: new hits weigh 2^(1/16) of what they did, until
 * that has doubled. The sixteenth step ends within a thirty-second of that.
 *
 * returns: 1 if all was halved, which is enough for one sample
 */
static int mcuprofi_hotspots_decay(struct mcuprofi_hotspots *h)
{
    h->decay_in = MCUPROFI_HOTSPOT_STEP;
    if (MCUPROF_HOTSPOT_HALF_LIFE != 0) {
        /* 2^(1/16) - 1 in 1/65536 */
        h->weight += (h->weight * 2902u + 0x8000u) >> 16;
        if (h->weight < MCUPROFI_HOTSPOT_DOUBLED) {
            return 0;
        }
        h->weight = MCUPROFI_HOTSPOT_BASE;
    }
    mcuprofi_hotspots_halve(h);
    return 1;
}

MCUPROF_KEEP void mcuprofi_hotspots_event(void)
{
    struct mcuprofi_hotspots *h = &mcuprofi_hotspots;
    int is_enough = 0;
    h->samples += h->wait;
    h->decay_in -= h->wait;
    h->view_in -= h->wait;
    if (h->decay_in == 0) {
        is_enough = mcuprofi_hotspots_decay(h);
    }
    if (h->view_in == 0) {
        h->view_in = is_enough ? 1u : mcuprofi_hotspots_view_step();
    }
    h->wait = h->decay_in < h->view_in ? h->decay_in : h->view_in;
    h->countdown = h->wait;
}

MCUPROF_KEEP void mcuprofi_hotspots_put(uint32_t pc)
{
    struct mcuprofi_hotspots *h = &mcuprofi_hotspots;
    if (mcuprofi_is_in_ignored_range(pc) || mcuprofi_is_ignored_by_call(pc)) {
        h->ignored++;
    } else {
        mcuprofi_hotspots_count(h, pc);
    }
    if (--h->countdown == 0) {
        mcuprofi_hotspots_event();
    }
}

#endif
