/* SPDX-License-Identifier: MIT */
#include "advise_parts.h"

#include <stdlib.h>

/* Instructions before a call among which its arguments are loaded. */
enum {
    WINDOW = 12,
    LOAD_CYCLES = 2, /* Cortex-M0 to M4 */
    ARGUMENTS = 3    /* bits of r0 and r1 */
};

struct window {
    struct thumb items[WINDOW];
    size_t count; /* of all that came */
};

/* 0: the last one. */
static const struct thumb *before(const struct window *window, size_t back)
{
    return &window->items[(window->count - 1 - back) % WINDOW];
}

static bool is_load(const struct thumb *thumb)
{
    return thumb->make == THUMB_LITERAL || thumb->is_restoring;
}

/*
 * The last instructions that set r0 and r1, and nothing else: each register is
 * done with the one that needs no earlier value of it.
 */
static unsigned arguments(const struct window *window)
{
    unsigned missing = ARGUMENTS, cycles = 0;

    for (size_t i = 0; i < window->count && i < WINDOW && missing != 0; i++) {
        const struct thumb *thumb = before(window, i);
        unsigned set = thumb->writes & missing;

        if (set == 0)
            continue;
        if ((thumb->writes & ~(unsigned)ARGUMENTS) == 0)
            cycles += is_load(thumb) ? LOAD_CYCLES : 1;
        if (thumb->make != THUMB_TOP && thumb->make != THUMB_ADD_PC)
            missing &= ~set;
    }
    return cycles;
}

/* The instructions of one function, up to the sites in it. */
static void walk(const struct hook_sites *sites, const struct code_map *code,
                 const struct code_function *function, unsigned nop,
                 double *rests)
{
    uint32_t end = function->start + function->size;
    size_t site = hook_sites_from(sites, function->start);
    struct window window = {.count = 0};
    struct thumb thumb;

    for (uint32_t at = function->start;
         at < end && site < sites->count && sites->items[site].address < end;
         at += thumb.size) {
        if (!code_map_at(code, at, &thumb)) {
            thumb.size = 2;
            window.count = 0;
            continue;
        }
        if (at == sites->items[site].address) {
            rests[site] = nop + arguments(&window);
            site++;
        }
        while (site < sites->count && sites->items[site].address <= at)
            site++;
        if (thumb.flow != THUMB_NEXT)
            window.count = 0;
        else
            window.items[window.count++ % WINDOW] = thumb;
    }
}

double *advise_rests(const struct hook_sites *sites,
                     const struct code_map *code, bool has_wide_nop)
{
    unsigned nop = has_wide_nop ? 1 : 2;
    double *rests = malloc((sites->count + 1) * sizeof *rests);
    size_t last = CODE_NONE;

    if (rests == NULL)
        return NULL;
    for (size_t i = 0; i < sites->count; i++)
        rests[i] = nop;
    for (size_t i = 0; i < sites->count; i++) {
        size_t function = sites->items[i].function;

        if (function != last)
            walk(sites, code, &code->functions[function], nop, rests);
        last = function;
    }
    return rests;
}
