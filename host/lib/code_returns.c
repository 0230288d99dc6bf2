/* SPDX-License-Identifier: MIT */
#include "code_returns.h"

#include <stdlib.h>
#include <string.h>

enum {
    PASSES = 16 /* jumps from one function to the next, one behind the other */
};

/* They go elsewhere than their code looks like. Others that are declared not to
   return show it: a firmware may have an exit() or abort() that does. */
static const char *const never[] = {
        "_Unwind_Resume",  "__cxa_throw",       "__cxa_rethrow",    "longjmp",
        "_ZSt9terminatev", "__cxa_end_cleanup", "__stack_chk_fail",
};

static bool is_never(const char *name)
{
    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++)
        if (strcmp(name, never[i]) == 0)
            return true;
    return false;
}

struct search {
    const struct code_map *code;
    bool *returns; /* of each function */
    bool *begins;  /* the same: its first instruction is known to be code */
    bool *is_last; /* of each branch: a call with nothing behind it */
};

/* The branch at ADDRESS; the number of all if there is none. */
static size_t find_branch(const struct code_map *code, uint32_t address)
{
    size_t low = 0, high = code->branch_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (code->branches[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < code->branch_count && code->branches[low].address == address
                   ? low
                   : code->branch_count;
}

/* How a stretch of a function ends, what fills up behind it left aside. */
struct ending {
    struct thumb thumb;
    bool is_conditional;
    uint32_t furthest; /* that is jumped to, within the stretch */
};

/* NOPs or nothing, up to where data or the next function begins. */
static bool is_filling(const struct thumb *thumb, const uint8_t *bytes)
{
    static const uint8_t wide[] = {0xAF, 0xF3, 0x00, 0x80};
    unsigned code = bytes[0] | (unsigned)bytes[1] << 8;

    return thumb->size == 2 ? code == 0xBF00 || code == 0x46C0 || code == 0
                            : memcmp(bytes, wide, sizeof wide) == 0;
}

/* What is behind ENDING, of FUNCTION, is another function. */
static void note_end(struct search *search, size_t function,
                     const struct ending *ending)
{
    const struct thumb *thumb = &ending->thumb;
    size_t branch = find_branch(search->code, thumb->address);
    bool is_filling_reached = ending->furthest > thumb->address;

    if (thumb->flow == THUMB_CALL && !ending->is_conditional
        && !is_filling_reached && branch < search->code->branch_count)
        search->is_last[branch] = true;
    else if (is_filling_reached || ending->is_conditional
             || thumb->flow == THUMB_NEXT || thumb->flow == THUMB_BRANCH
             || thumb->flow == THUMB_CALL)
        search->returns[function] = true;
}

/* A return, or a way to what is not known to be code. */
static bool may_leave(const struct code_map *code, const struct thumb *thumb)
{
    struct thumb target;

    return (thumb->flow == THUMB_JUMP || thumb->flow == THUMB_BRANCH)
           && (!thumb->has_target
               || !code_map_at(code, thumb->target, &target));
}

/*
 * Jumps without a target: returns, and whatever else they may be. And code that
 * runs on into the next function.
 */
static void note_stretch(struct search *search, size_t function,
                         const struct image_stretch *stretch)
{
    bool is_begin = stretch->start == search->code->functions[function].start;
    struct ending ending = {.thumb.flow = is_begin ? THUMB_NEXT : THUMB_STOP};
    unsigned conditional = 0;
    struct thumb thumb;

    for (uint32_t at = 0; stretch->size - at >= 2; at += thumb.size) {
        bool is_conditional = conditional > 0;

        thumb_decode(&thumb, stretch->start + at, stretch->bytes + at,
                     stretch->size - at);
        conditional = is_conditional ? conditional - 1 : thumb.conditional;
        if (may_leave(search->code, &thumb))
            search->returns[function] = true;
        if (thumb.has_target && thumb.target > ending.furthest
            && thumb.target - stretch->start < stretch->size)
            ending.furthest = thumb.target;
        if (is_filling(&thumb, stretch->bytes + at))
            continue;
        ending.thumb = thumb;
        ending.is_conditional = is_conditional;
    }
    search->begins[function] |= is_begin;
    note_end(search, function, &ending);
}

static void note_returns(struct search *search)
{
    struct image_stretch stretch = {0};

    while (image_stretch_next(search->code->image, &stretch)) {
        size_t function = code_map_find(search->code, stretch.start);

        if (function != CODE_NONE)
            note_stretch(search, function, &stretch);
    }
}

/* Jumps to what returns; false if there are no more. */
static bool pass_on(struct search *search)
{
    const struct code_map *code = search->code;
    bool is_changed = false;

    for (size_t i = 0; i < code->branch_count; i++) {
        const struct code_branch *branch = &code->branches[i];
        size_t target;

        if ((branch->is_call && !search->is_last[i])
            || search->returns[branch->function])
            continue;
        target = code_map_find(code, branch->target);
        if (target != CODE_NONE
            && (!search->returns[target]
                || is_never(code->functions[target].name)))
            continue;
        search->returns[branch->function] = true;
        is_changed = true;
    }
    return is_changed;
}

bool *code_returns_find(const struct code_map *code)
{
    struct search search = {
            .code = code,
            .returns = calloc(code->function_count + 1, sizeof(bool)),
            .begins = calloc(code->function_count + 1, sizeof(bool)),
            .is_last = calloc(code->branch_count + 1, sizeof(bool)),
    };
    bool is_changed = true;

    if (search.returns == NULL || search.begins == NULL
        || search.is_last == NULL) {
        free(search.returns);
        free(search.begins);
        free(search.is_last);
        return NULL;
    }
    note_returns(&search);
    for (size_t i = 0; i < code->function_count; i++)
        search.returns[i] = search.returns[i] || !search.begins[i];
    for (unsigned i = 0; i < PASSES && is_changed; i++)
        is_changed = pass_on(&search);
    for (size_t i = 0; i < code->function_count; i++)
        search.returns[i] = (search.returns[i] || is_changed)
                            && !is_never(code->functions[i].name);
    free(search.begins);
    free(search.is_last);
    return search.returns;
}
