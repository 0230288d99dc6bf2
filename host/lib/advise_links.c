/* SPDX-License-Identifier: MIT */
#include "advise_parts.h"

#include "hook_uses.h"

#include <stdlib.h>
#include <string.h>

static int put_scope(struct advise_links *links, size_t parent, size_t subject,
                     size_t *out)
{
    const struct advise_scope scope = {parent, subject};
    bool is_new;

    return intern_put(&links->scopes, &scope, sizeof scope, out, &is_new);
}

/* A copy of the subject, by its name and where it is declared. */
static bool is_of(const struct hook_subject *subject,
                  const struct lines_frame *frame)
{
    if (subject->frame != NULL && subject->frame->origin == frame->origin
        && frame->origin != NULL)
        return true;
    return strcmp(subject->name, lines_frame_name(frame)) == 0;
}

static size_t find_subject(const struct hook_sites *sites,
                           const struct lines_frame *frame)
{
    for (size_t i = 0; i < sites->subject_count; i++)
        if (is_of(&sites->subjects[i], frame))
            return i;
    return ADVISE_NONE;
}

/* The scope of the code at ADDRESS in FUNCTION, in memory. */
static int scope_at(struct advise_links *links, struct lines *lines,
                    uint32_t address, size_t function, size_t *out)
{
    struct lines_place place;
    int result = lines_find(lines, address, &place);

    if (result == 0)
        result =
                put_scope(links, ADVISE_NONE, links->subject_of[function], out);
    if (result < 0 || place.frame_count == 0)
        return result;
    for (size_t i = place.frame_count - 1; i-- > 0 && result == 0;) {
        size_t found = find_subject(links->sites, &place.frames[i]);

        if (found != ADVISE_NONE)
            result = put_scope(links, *out, found, out);
    }
    return result;
}

/* A function's own code is a scope, whatever is in it. */
static int put_bodies(struct advise_links *links)
{
    int result = 0;
    size_t number;

    for (size_t i = 0; i < links->sites->subject_count && result == 0; i++)
        result = put_scope(links, ADVISE_NONE, i, &number);
    return result;
}

static size_t subject_of_scope(const struct advise_links *links, size_t scope)
{
    struct advise_scope key;

    memcpy(&key, links->scopes.bytes + links->scopes.entries[scope].offset,
           sizeof key);
    return key.subject;
}

/* clang's debug info has a copy's hooks in whose copy it is. */
static int link_copies(struct advise_links *links, struct lines *lines)
{
    const struct hook_sites *sites = links->sites;
    int result = 0;

    for (size_t i = 0; i < sites->count && result == 0; i++) {
        const struct hook_site *site = &sites->items[i];
        size_t scope;

        if (!site->is_inlined || site->is_exit)
            continue;
        result = scope_at(links, lines, site->address, site->function, &scope);
        if (result == 0 && subject_of_scope(links, scope) != site->subject)
            result = put_scope(links, scope, site->subject, &scope);
    }
    return result;
}

static int link_calls(struct advise_links *links, struct lines *lines)
{
    const struct code_map *code = links->code;
    int result = 0;

    for (size_t i = 0; i < code->branch_count && result == 0; i++) {
        const struct code_branch *branch = &code->branches[i];
        size_t target = code_map_find(code, branch->target);
        struct advise_scope call = {.subject = ADVISE_NONE};
        size_t number;
        bool is_new;

        /* A jump to where the function begins is a loop. */
        if (target != CODE_NONE
            && code->functions[target].start == branch->target
            && (branch->is_call || target != branch->function))
            call.subject = links->subject_of[target];
        if (call.subject == ADVISE_NONE)
            continue;
        result = scope_at(links, lines, branch->address, branch->function,
                          &call.parent);
        if (result == 0)
            result = intern_put(&links->called, &call, sizeof call, &number,
                                &is_new);
    }
    return result;
}

int advise_links_init(struct advise_links *links,
                      const struct hook_sites *sites,
                      const struct code_map *code, struct lines *lines)
{
    int result;

    *links = (struct advise_links){.sites = sites, .code = code};
    links->subject_of = hook_uses_subjects(code, sites);
    links->is_reached = hook_uses_find(code, sites);
    if (links->subject_of == NULL || links->is_reached == NULL)
        return MCUPROF_E_NOMEM;
    result = put_bodies(links);
    if (result == 0)
        result = link_copies(links, lines);
    if (result == 0)
        result = link_calls(links, lines);
    if (result == 0)
        result = advise_senders(&links->is_sending, links, lines);
    return result;
}

void advise_links_deinit(struct advise_links *links)
{
    free(links->subject_of);
    free(links->is_reached);
    free(links->is_sending);
    intern_deinit(&links->scopes);
    intern_deinit(&links->called);
}

size_t advise_links_subject(const struct advise_links *links, uint32_t function)
{
    size_t found = code_map_find(links->code, function);

    return found != CODE_NONE && links->code->functions[found].start == function
                   ? links->subject_of[found]
                   : ADVISE_NONE;
}

bool advise_links_find(const struct advise_links *links, size_t parent,
                       size_t subject, size_t *out)
{
    const struct advise_scope scope = {parent, subject};

    return intern_find(&links->scopes, &scope, sizeof scope, out);
}

/* Where nothing is known of the caller. */
static enum advise_body body_of_any(const struct advise_links *links,
                                    const struct hook_subject *subject,
                                    size_t callee)
{
    if (subject->inlined == 0)
        return ADVISE_OWN;
    return subject->own == 0 || !links->is_reached[callee] ? ADVISE_INLINED
                                                           : ADVISE_EITHER;
}

enum advise_body advise_links_body(const struct advise_links *links,
                                   size_t from, size_t callee, size_t *scope)
{
    const struct hook_subject *subject = &links->sites->subjects[callee];
    const struct advise_scope call = {from, callee};
    enum advise_body body = ADVISE_INLINED;
    size_t number;

    *scope = ADVISE_NONE;
    if (from == ADVISE_NONE)
        body = body_of_any(links, subject, callee);
    else if (subject->own > 0 && !advise_links_find(links, from, callee, scope))
        body = ADVISE_OWN;
    else if (subject->own > 0
             && intern_find(&links->called, &call, sizeof call, &number))
        body = ADVISE_EITHER;
    if (body == ADVISE_EITHER
        || (body == ADVISE_OWN
            && !advise_links_find(links, ADVISE_NONE, callee, scope)))
        *scope = ADVISE_NONE;
    return body;
}
