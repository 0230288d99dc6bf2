/* SPDX-License-Identifier: MIT */
#include "code_returns.h"

#include <stdlib.h>
#include <string.h>

enum {
    PASSES = 16 /* jumps from one function to the next, one behind the other */
};

/* They unwind, or are declared not to return. */
static const char *const never[] = {
        "_Unwind_Resume",
        "__cxa_throw",
        "__cxa_rethrow",
        "longjmp",
        "__cxa_end_cleanup",
        "_ZSt9terminatev",
        "__stack_chk_fail",
        "__cxa_pure_virtual",
        "__assert_func",
        "abort",
        "exit",
        "_exit",
};

static bool is_never(const char *name)
{
    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++)
        if (strcmp(name, never[i]) == 0)
            return true;
    return false;
}

/* Jumps without a target: returns, and whatever else they may be. */
static void note_returns(const struct code_map *code, bool *returns)
{
    struct image_stretch stretch = {0};
    struct thumb thumb;

    while (image_stretch_next(code->image, &stretch)) {
        size_t function = code_map_find(code, stretch.start);

        for (uint32_t at = 0; function != CODE_NONE && stretch.size - at >= 2;
             at += thumb.size) {
            thumb_decode(&thumb, stretch.start + at, stretch.bytes + at,
                         stretch.size - at);
            if (thumb.flow == THUMB_JUMP && !thumb.has_target)
                returns[function] = true;
        }
    }
}

/* Jumps to what returns; false if there are no more. */
static bool pass_on(const struct code_map *code, bool *returns)
{
    bool is_changed = false;

    for (size_t i = 0; i < code->branch_count; i++) {
        const struct code_branch *branch = &code->branches[i];
        size_t target;

        if (branch->is_call || returns[branch->function])
            continue;
        target = code_map_find(code, branch->target);
        if (target != CODE_NONE
            && (!returns[target] || is_never(code->functions[target].name)))
            continue;
        returns[branch->function] = true;
        is_changed = true;
    }
    return is_changed;
}

bool *code_returns_find(const struct code_map *code)
{
    bool *returns = calloc(code->function_count + 1, sizeof *returns);
    bool is_changed = true;

    if (returns == NULL)
        return NULL;
    note_returns(code, returns);
    for (unsigned i = 0; i < PASSES && is_changed; i++)
        is_changed = pass_on(code, returns);
    for (size_t i = 0; i < code->function_count; i++)
        returns[i] = (returns[i] || is_changed)
                     && !is_never(code->functions[i].name);
    return returns;
}
