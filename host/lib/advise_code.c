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

static bool is_site(const struct hook_sites *sites, uint32_t address)
{
    size_t index = hook_sites_from(sites, address);

    return index < sites->count && sites->items[index].address == address;
}

/* Between a register that a call may change and one that it may not. */
static bool is_keeping(const struct thumb *thumb)
{
    return thumb->make == THUMB_COPY && (thumb->value <= 3) != (thumb->made <= 3)
           && thumb->made <= 11 && thumb->value <= 11;
}

unsigned advise_keeping(const struct hook_sites *sites,
                        const struct code_map *code, size_t function)
{
    const struct code_function *in = &code->functions[function];
    uint32_t end = in->start + in->size;
    bool has_restored = false, is_first = true, is_behind = false;
    unsigned count = 0;
    struct thumb thumb;

    for (uint32_t at = in->start; at < end; at += thumb.size) {
        bool is_hook = is_site(sites, at);

        if (!code_map_at(code, at, &thumb)) {
            thumb.size = 2;
            continue;
        }
        if (thumb.flow == THUMB_CALL && !is_hook)
            return 0;
        count += thumb.is_lr_saved;
        if (thumb.is_restoring && !has_restored
            && (thumb.writes >> THUMB_LR) != 0) {
            has_restored = true;
            count++;
        }
        /* Arguments before the first hook, and the result behind the last. */
        count += (is_first || is_behind) && is_keeping(&thumb);
        is_behind = is_hook || (is_behind && thumb.flow == THUMB_NEXT);
        is_first = is_first && !is_hook;
        if (is_hook && is_behind && !sites->items[hook_sites_from(sites, at)].is_exit)
            is_behind = false;
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
