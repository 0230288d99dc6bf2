/* SPDX-License-Identifier: MIT */
#include "advise_parts.h"

#include <stdlib.h>

enum {
    WINDOW = 12,  /* instructions among which arguments are loaded */
    ARGUMENTS = 3 /* bits of r0 and r1 */
};

struct window {
    struct thumb items[WINDOW];
    size_t count; /* of all that came */
};

/*
 * The last instructions that set r0 and r1 and nothing else; of a value that is
 * made in two, both.
 */
static unsigned count_arguments(const struct window *window)
{
    unsigned missing = ARGUMENTS, count = 0;

    for (size_t i = 0; i < window->count && i < WINDOW && missing != 0; i++) {
        const struct thumb *thumb =
                &window->items[(window->count - 1 - i) % WINDOW];
        unsigned set = thumb->writes & missing;

        if (set == 0)
            continue;
        count += (thumb->writes & ~(unsigned)ARGUMENTS) == 0;
        if (thumb->make != THUMB_TOP && thumb->make != THUMB_ADD_PC)
            missing &= ~set;
    }
    return count;
}

/* The instructions of one function, up to its sites. */
static void walk(const struct hook_sites *sites, const struct code_map *code,
                 const struct code_function *function, unsigned *out)
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
        if (at == sites->items[site].address)
            out[site] = count_arguments(&window);
        while (site < sites->count && sites->items[site].address <= at)
            site++;
        if (thumb.flow != THUMB_NEXT)
            window.count = 0;
        else
            window.items[window.count++ % WINDOW] = thumb;
    }
}

unsigned *advise_arguments(const struct hook_sites *sites,
                           const struct code_map *code)
{
    unsigned *out = calloc(sites->count + 1, sizeof *out);
    size_t last = CODE_NONE;

    for (size_t i = 0; out != NULL && i < sites->count; i++) {
        size_t function = sites->items[i].function;

        if (function != last)
            walk(sites, code, &code->functions[function], out);
        last = function;
    }
    return out;
}

static const struct hook_site *find_site(const struct hook_sites *sites,
                                         uint32_t address)
{
    size_t index = hook_sites_from(sites, address);

    return index < sites->count && sites->items[index].address == address
                   ? &sites->items[index]
                   : NULL;
}

static bool next(const struct code_map *code, uint32_t *at, struct thumb *thumb)
{
    *at += thumb->size;
    return code_map_at(code, *at, thumb);
}

/* No call but of hooks: without them it would keep nothing. */
static bool is_leaf(const struct hook_sites *sites, const struct code_map *code,
                    const struct code_function *function)
{
    uint32_t end = function->start + function->size;
    struct thumb thumb;

    for (uint32_t at = function->start; at < end; at += thumb.size) {
        if (!code_map_at(code, at, &thumb))
            thumb.size = 2;
        else if (thumb.flow == THUMB_CALL && find_site(sites, at) == NULL)
            return false;
    }
    return true;
}

/* What its exit hook will be told, put where its calls leave it alone. */
static bool is_told_later(const struct thumb *thumb)
{
    if (thumb->made < 4 || thumb->made > 11)
        return false;
    return thumb->make == THUMB_LITERAL || thumb->make == THUMB_VALUE
           || thumb->make == THUMB_TOP
           || (thumb->make == THUMB_COPY && thumb->value == THUMB_LR);
}

/* Before the enter hook, where nothing of the function's own is yet. */
static unsigned count_head(const struct hook_sites *sites,
                           const struct code_map *code, uint32_t start,
                           bool is_whole)
{
    struct thumb thumb = {.size = 0};
    unsigned count = 0, arguments = 0;

    for (uint32_t at = start; next(code, &at, &thumb);) {
        const struct hook_site *site = find_site(sites, at);

        if (site != NULL && !site->is_exit)
            return is_whole && count > arguments ? count - arguments : count;
        if (thumb.flow != THUMB_NEXT)
            break;
        if (is_whole) {
            count++;
            arguments += (thumb.writes & ~(unsigned)ARGUMENTS) == 0
                         && thumb.writes != 0;
        } else {
            count += is_told_later(&thumb);
        }
    }
    return 0;
}

/* Behind an exit hook: the result, and what is kept no longer. */
static unsigned count_tail(const struct code_map *code,
                           const struct hook_site *site, bool is_whole)
{
    uint32_t at = site->address;
    struct thumb thumb = {.size = site->size};
    unsigned count = 0;

    while (next(code, &at, &thumb) && thumb.flow == THUMB_NEXT
           && (thumb.writes >> THUMB_PC) == 0 && count < WINDOW)
        count += is_whole
                 || (thumb.make == THUMB_COPY && thumb.made == 0
                     && thumb.value >= 4);
    return count;
}

unsigned advise_keeping(const struct hook_sites *sites,
                        const struct code_map *code, size_t function)
{
    const struct code_function *in = &code->functions[function];
    bool is_whole = is_leaf(sites, code, in);
    unsigned count = count_head(sites, code, in->start, is_whole);

    for (size_t i = hook_sites_from(sites, in->start);
         i < sites->count && sites->items[i].address < in->start + in->size;
         i++) {
        const struct hook_site *site = &sites->items[i];

        if (!site->is_exit || site->is_inlined)
            continue;
        /* What is kept is given back before it jumps to the hook. */
        return count
               + (site->is_jump ? is_whole : count_tail(code, site, is_whole));
    }
    return count;
}

enum {
    WAY_MAX = 400,    /* instructions of a hook */
    PAIR_OF_TABLE = 4 /* two arguments a hook, and nothing else */
};

static bool is_end(const struct thumb *thumb)
{
    return thumb->flow == THUMB_STOP
           || (thumb->flow == THUMB_JUMP && !thumb->has_target)
           || (thumb->is_restoring && (thumb->writes >> THUMB_PC) != 0);
}

/* The instructions from START to the first way out, conditions never true; 0
   if there is none, or a call before it. */
static unsigned count_way(const struct code_map *code, uint32_t start)
{
    uint32_t at = start;
    struct thumb thumb;

    for (unsigned count = 1; count < WAY_MAX; count++) {
        if (!code_map_at(code, at, &thumb) || thumb.flow == THUMB_CALL)
            return 0;
        if (is_end(&thumb))
            return count;
        at = thumb.flow == THUMB_JUMP ? thumb.target : at + thumb.size;
    }
    return 0;
}

/* All instructions of the function NAME, which ends where it first jumps. */
static unsigned count_straight(const struct code_map *code, const char *name)
{
    uint32_t start;
    struct thumb thumb;

    if (image_symbol_address(code->image, name, &start) < 0)
        return 0;
    for (unsigned count = 1; count < WAY_MAX; count++) {
        if (!code_map_at(code, start, &thumb))
            return 0;
        if (is_end(&thumb) || thumb.flow == THUMB_JUMP)
            return count;
        start += thumb.size;
    }
    return 0;
}

struct advise_measured advise_measured(const struct hook_sites *sites,
                                       const struct code_map *code,
                                       bool is_ring)
{
    struct advise_measured measured = {.beside = PAIR_OF_TABLE};
    unsigned enter = count_way(code, sites->enter);
    unsigned exit = count_way(code, sites->exit);
    unsigned with = count_straight(code, "mcuprofi_trace_pair");
    unsigned empty = count_straight(code, "mcuprofi_trace_empty");

    if (enter > 0 && exit > 0)
        measured.hooks = enter + exit + 2;
    /* Two of them call the hooks. */
    if (is_ring && empty > 0 && with > empty + 2)
        measured.beside = with - empty - 2;
    return measured;
}
