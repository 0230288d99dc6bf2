/* SPDX-License-Identifier: MIT */
#include "hook_naked.h"

#include <stdlib.h>

/*
 * Of each instruction: what may be so when it is reached, over all ways there.
 * A way adds to it or ends; each bit is added once, so all ways end.
 */
enum {
    CALLERS_LR = 1 << 13, /* LR is the caller's and not on the stack */
    REACHED = 1 << 15,
    LOST = 0x500F, /* r0 to r3, r12, LR: what a hook may change */

    SIZE_MAX_CHECKED = 64 * 1024 /* the hook comes first; hostile sizes */
};

struct way {
    uint32_t offset;
    uint16_t state;
};

struct search {
    const struct code_map *code;
    const struct hook_sites *sites;
    uint32_t start;
    uint32_t size;
    uint16_t *states; /* of each halfword */
    uint8_t *conditional;
    struct way *ways;
    size_t way_count, way_room;
    struct hook_naked *out;
    bool is_found;
};

static int add_way(struct search *search, uint32_t address, uint16_t state,
                   unsigned conditional)
{
    uint32_t offset = address - search->start;
    uint16_t *known;

    if (offset >= search->size)
        return 0;
    known = &search->states[offset / 2];
    if ((*known | state) == *known)
        return 0;
    *known |= state;
    search->conditional[offset / 2] = (uint8_t)conditional;
    if (search->way_count == search->way_room) {
        size_t room = 2 * search->way_room + 64;
        struct way *ways = realloc(search->ways, room * sizeof *ways);

        if (ways == NULL)
            return MCUPROF_E_NOMEM;
        search->ways = ways;
        search->way_room = room;
    }
    search->ways[search->way_count++] = (struct way){offset, *known};
    return 0;
}

static bool is_hook_call(const struct search *search, uint32_t address)
{
    size_t index = hook_sites_from(search->sites, address);

    return index < search->sites->count
           && search->sites->items[index].address == address
           && !search->sites->items[index].is_jump;
}

/* Of several registers LR is what a reader expects. */
static unsigned name_lost(uint16_t lost)
{
    unsigned name = 0;

    if (lost >> THUMB_LR & 1)
        return THUMB_LR;
    while ((lost >> name & 1) == 0)
        name++;
    return name;
}

/* What leaves the function takes LR along. */
static bool is_leaving(const struct search *search, const struct thumb *thumb)
{
    uint32_t target;

    if (thumb->flow != THUMB_JUMP || !thumb->has_target)
        return thumb->flow == THUMB_JUMP && thumb->through != THUMB_NO_REGISTER;
    target = code_map_resolve(search->code, thumb->target);
    return thumb->target - search->start >= search->size
           && !hook_sites_is_hook(search->sites, target);
}

static void note_use(struct search *search, const struct thumb *thumb,
                     uint16_t state)
{
    uint16_t used = thumb->reads;

    /* MSR, BX ... name what they use; of a push only LR is no filler. */
    if (thumb->is_lr_saved)
        used &= 1U << THUMB_LR;
    if (is_leaving(search, thumb))
        used |= 1U << THUMB_LR;
    used &= state & LOST;
    if (used == 0)
        return;
    search->is_found = true;
    search->out->use = thumb->address;
    search->out->lost = name_lost(used);
}

static uint16_t pass(const struct search *search, const struct thumb *thumb,
                     uint16_t state)
{
    if (thumb->flow == THUMB_CALL) {
        bool is_breaking = (state & CALLERS_LR) != 0
                           && is_hook_call(search, thumb->address);

        return is_breaking ? REACHED | LOST : REACHED;
    }
    if (thumb->is_lr_saved)
        state &= (uint16_t)~CALLERS_LR;
    return state & (uint16_t) ~(thumb->writes & LOST);
}

static int step(struct search *search, struct way way)
{
    uint32_t address = search->start + way.offset;
    unsigned conditional = search->conditional[way.offset / 2];
    uint16_t state;
    struct thumb thumb;
    int result = 0;

    /* Once LR is safe, or called is what is not a hook, nothing is lost. */
    if ((way.state & (CALLERS_LR | LOST)) == 0
        || !code_map_at(search->code, address, &thumb))
        return 0;
    note_use(search, &thumb, way.state);
    if (search->is_found)
        return 0;
    state = pass(search, &thumb, way.state);
    if (conditional > 0) /* not executed: as it was */
        state |= way.state;
    if ((thumb.flow == THUMB_JUMP || thumb.flow == THUMB_BRANCH)
        && thumb.has_target)
        result = add_way(search, thumb.target, state, 0);
    if (result == 0 && thumb.flow != THUMB_STOP
        && (thumb.flow != THUMB_JUMP || conditional > 0))
        result = add_way(search, address + thumb.size, state,
                         conditional > 0 ? conditional - 1 : thumb.conditional);
    return result;
}

/* The first site in the function; there is one. */
static uint32_t first_hook(const struct search *search)
{
    return search->sites->items[hook_sites_from(search->sites, search->start)]
            .address;
}

static int run(struct search *search)
{
    int result = add_way(search, search->start, REACHED | CALLERS_LR, 0);

    while (result == 0 && !search->is_found && search->way_count > 0)
        result = step(search, search->ways[--search->way_count]);
    if (result < 0)
        return result;
    search->out->hook = first_hook(search);
    return search->is_found ? 1 : 0;
}

int hook_naked_check(const struct code_map *code,
                     const struct hook_sites *sites, size_t function,
                     struct hook_naked *out)
{
    struct search search = {.code = code,
                            .sites = sites,
                            .start = code->functions[function].start,
                            .size = code->functions[function].size,
                            .out = out};
    size_t index = hook_sites_from(sites, search.start);
    int result = MCUPROF_E_NOMEM;

    if (search.size > SIZE_MAX_CHECKED)
        search.size = SIZE_MAX_CHECKED;
    if (index == sites->count
        || sites->items[index].address - search.start >= search.size)
        return 0;
    search.states = calloc(search.size / 2 + 1, sizeof *search.states);
    search.conditional = calloc(search.size / 2 + 1, 1);
    if (search.states != NULL && search.conditional != NULL)
        result = run(&search);
    free(search.states);
    free(search.conditional);
    free(search.ways);
    return result;
}
