/* SPDX-License-Identifier: MIT */
#include "advise_parts.h"

#include "bytes.h"
#include "room.h"

#include <stdlib.h>
#include <string.h>

static int add_pair(struct advise_pairs *pairs, size_t caller, size_t callee)
{
    struct advise_pair *items = room_reserve(pairs->items, pairs->count,
                                             &pairs->room, sizeof *items);

    if (items == NULL)
        return MCUPROF_E_NOMEM;
    pairs->items = items;
    items[pairs->count++] = (struct advise_pair){caller, callee};
    return 0;
}

static int compare_pairs(const void *left, const void *right)
{
    const struct advise_pair *a = left, *b = right;

    if (a->caller != b->caller)
        return a->caller < b->caller ? -1 : 1;
    return (a->callee > b->callee) - (a->callee < b->callee);
}

static void sort_pairs(struct advise_pairs *pairs)
{
    if (pairs->count > 0)
        qsort(pairs->items, pairs->count, sizeof *pairs->items, compare_pairs);
}

static bool has_pair(const struct advise_pairs *pairs, size_t caller,
                     size_t callee)
{
    struct advise_pair wanted = {caller, callee};

    return pairs->count > 0
           && bsearch(&wanted, pairs->items, pairs->count, sizeof wanted,
                      compare_pairs)
                      != NULL;
}

static const char *frame_name(const struct lines_frame *frame)
{
    return frame->linkage[0] != '\0' ? frame->linkage : frame->name;
}

/* A copy of the subject, by its name and where it is declared. */
static bool is_of(const struct hook_subject *subject,
                  const struct lines_frame *frame)
{
    if (subject->frame != NULL && subject->frame->origin == frame->origin
        && frame->origin != NULL)
        return true;
    return strcmp(subject->name, frame_name(frame)) == 0;
}

static size_t find_subject(const struct hook_sites *sites,
                           const struct lines_frame *frame)
{
    for (size_t i = 0; i < sites->subject_count; i++)
        if (is_of(&sites->subjects[i], frame))
            return i;
    return ADVISE_NONE;
}

/*
 * The innermost function with hooks around ADDRESS but CALLEE: FUNCTION, in
 * memory, if nothing was inlined there.
 */
static int find_around(const struct advise_links *links, struct lines *lines,
                       uint32_t address, size_t function, size_t callee,
                       size_t *out)
{
    struct lines_place place;

    *out = links->subject_of[function];
    if (lines_find(lines, address, &place) < 0)
        return MCUPROF_E_NOMEM;
    for (size_t i = 0; i + 1 < place.frame_count; i++) {
        size_t found = find_subject(links->sites, &place.frames[i]);

        if (found == ADVISE_NONE || (found == callee && i == 0))
            continue;
        *out = found;
        break;
    }
    return 0;
}

static int link_inlined(struct advise_links *links, struct lines *lines)
{
    const struct hook_sites *sites = links->sites;
    int result = 0;

    for (size_t i = 0; i < sites->count && result == 0; i++) {
        const struct hook_site *site = &sites->items[i];
        size_t caller;

        if (!site->is_inlined || site->is_exit)
            continue;
        result = find_around(links, lines, site->address, site->function,
                             site->subject, &caller);
        if (result == 0 && caller != ADVISE_NONE)
            result = add_pair(&links->inlined, caller, site->subject);
    }
    return result;
}

static int link_calls(struct advise_links *links, struct lines *lines)
{
    const struct code_map *code = links->code;
    int result = 0;

    for (size_t i = 0; i < code->branch_count && result == 0; i++) {
        const struct code_branch *branch = &code->branches[i];
        size_t callee = advise_links_subject(links, branch->target);
        size_t caller;

        /* A function that goes on in its own beginning is a loop. */
        if (callee == ADVISE_NONE
            || (!branch->is_call
                && links->subject_of[branch->function] == callee))
            continue;
        links->is_reached[callee] = true;
        result = find_around(links, lines, branch->address, branch->function,
                             ADVISE_NONE, &caller);
        if (result == 0 && caller != ADVISE_NONE)
            result = add_pair(&links->called, caller, callee);
    }
    return result;
}

static int compare_words(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

    return (a > b) - (a < b);
}

static bool has_hooks_for(const struct advise_links *links, size_t function,
                          size_t subject)
{
    const struct code_function *in = &links->code->functions[function];
    const struct hook_sites *sites = links->sites;

    for (size_t i = hook_sites_from(sites, in->start);
         i < sites->count && sites->items[i].address < in->start + in->size;
         i++)
        if (sites->items[i].subject == subject)
            return true;
    return false;
}

/* Code takes an address for a hook, or to call it some day. Where literals lie
   goes to POOL. */
static size_t note_constants(struct advise_links *links, uint32_t *pool)
{
    const struct code_map *code = links->code;
    size_t count = 0;

    for (size_t i = 0; i < code->constant_count; i++) {
        const struct code_constant *constant = &code->constants[i];
        size_t subject = advise_links_subject(links, constant->value & ~1U);
        struct thumb thumb;

        if (subject == ADVISE_NONE)
            continue;
        if (code_map_at(code, constant->address, &thumb)
            && thumb.make == THUMB_LITERAL)
            pool[count++] = thumb.value;
        if (!has_hooks_for(links, constant->function, subject))
            links->is_reached[subject] = true;
    }
    qsort(pool, count, sizeof *pool, compare_words);
    return count;
}

/* Pointers lie in tables: all words but those that code loads. */
static void note_words(struct advise_links *links, const uint32_t *pool,
                       size_t count)
{
    struct image_bytes bytes;

    for (size_t i = 0; image_bytes_get(links->code->image, i, &bytes); i++)
        for (uint32_t at = -bytes.start & 3U; at + 4 <= bytes.size; at += 4) {
            uint32_t word = bytes_get32(bytes.bytes + at);
            uint32_t address = bytes.start + at;
            size_t subject = (word & 1U) != 0
                                     ? advise_links_subject(links, word & ~1U)
                                     : ADVISE_NONE;

            if (subject != ADVISE_NONE
                && (count == 0
                    || bsearch(&address, pool, count, sizeof address,
                               compare_words)
                               == NULL))
                links->is_reached[subject] = true;
        }
}

static int link_pointers(struct advise_links *links)
{
    uint32_t *pool = malloc((links->code->constant_count + 1) * sizeof *pool);

    if (pool == NULL)
        return MCUPROF_E_NOMEM;
    note_words(links, pool, note_constants(links, pool));
    free(pool);
    return 0;
}

int advise_links_init(struct advise_links *links,
                      const struct hook_sites *sites,
                      const struct code_map *code, struct lines *lines)
{
    int result;

    *links = (struct advise_links){.sites = sites, .code = code};
    links->subject_of =
            malloc((code->function_count + 1) * sizeof *links->subject_of);
    links->is_reached =
            calloc(sites->subject_count + 1, sizeof *links->is_reached);
    if (links->subject_of == NULL || links->is_reached == NULL)
        return MCUPROF_E_NOMEM;
    for (size_t i = 0; i < code->function_count; i++)
        links->subject_of[i] = ADVISE_NONE;
    for (size_t i = 0; i < sites->subject_count; i++)
        if (sites->subjects[i].function != CODE_NONE)
            links->subject_of[sites->subjects[i].function] = i;
    result = link_inlined(links, lines);
    if (result == 0)
        result = link_calls(links, lines);
    if (result == 0)
        result = link_pointers(links);
    sort_pairs(&links->inlined);
    sort_pairs(&links->called);
    return result;
}

void advise_links_deinit(struct advise_links *links)
{
    free(links->subject_of);
    free(links->is_reached);
    free(links->inlined.items);
    free(links->called.items);
}

size_t advise_links_subject(const struct advise_links *links,
                            uint32_t function)
{
    size_t found = code_map_find(links->code, function);

    return found != CODE_NONE
                           && links->code->functions[found].start == function
                   ? links->subject_of[found]
                   : ADVISE_NONE;
}

enum advise_body advise_links_body(const struct advise_links *links,
                                   size_t caller, size_t callee)
{
    const struct hook_subject *subject = &links->sites->subjects[callee];

    if (subject->inlined == 0)
        return ADVISE_OWN;
    if (subject->own == 0 || !links->is_reached[callee])
        return ADVISE_INLINED;
    if (caller == ADVISE_NONE)
        return ADVISE_EITHER;
    if (!has_pair(&links->inlined, caller, callee))
        return ADVISE_OWN;
    return has_pair(&links->called, caller, callee) ? ADVISE_EITHER
                                                    : ADVISE_INLINED;
}
