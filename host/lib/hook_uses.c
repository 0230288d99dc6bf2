/* SPDX-License-Identifier: MIT */
#include "hook_uses.h"

#include <stdlib.h>

/* Whether FUNCTION has hooks for SUBJECT, which need its address. */
static bool has_hooks_for(const struct hook_sites *sites,
                          const struct code_function *function, size_t subject)
{
    uint32_t end = function->start + function->size;

    for (size_t i = hook_sites_from(sites, function->start);
         i < sites->count && sites->items[i].address < end; i++)
        if (sites->items[i].subject == subject)
            return true;
    return false;
}

/* Note by subject whose address code takes, but for hooks. */
static void note_taken(const struct code_map *code,
                       const struct hook_sites *sites, const size_t *subject_of,
                       bool *is_used)
{
    for (size_t i = 0; i < code->constant_count; i++) {
        const struct code_constant *constant = &code->constants[i];
        size_t target = code_map_find(code, constant->value);
        size_t subject = target == CODE_NONE ? CODE_NONE : subject_of[target];

        if (subject != CODE_NONE && !is_used[subject])
            is_used[subject] = !has_hooks_for(
                    sites, &code->functions[constant->function],
                    subject);
    }
}

static void note_called(const struct code_map *code, const size_t *subject_of,
                        bool *is_used)
{
    for (size_t i = 0; i < code->branch_count; i++) {
        size_t target = code_map_find(code, code->branches[i].target);

        if (target != CODE_NONE && subject_of[target] != CODE_NONE
            && code->functions[target].start == code->branches[i].target)
            is_used[subject_of[target]] = true;
    }
}

bool *hook_uses_find(const struct code_map *code,
                     const struct hook_sites *sites)
{
    size_t *subject_of =
            malloc((code->function_count + 1) * sizeof *subject_of);
    bool *is_used = calloc(sites->subject_count + 1, sizeof *is_used);

    if (subject_of == NULL || is_used == NULL) {
        free(subject_of);
        free(is_used);
        return NULL;
    }
    for (size_t i = 0; i < code->function_count; i++)
        subject_of[i] = CODE_NONE;
    for (size_t i = 0; i < sites->subject_count; i++)
        if (sites->subjects[i].function != CODE_NONE)
            subject_of[sites->subjects[i].function] = i;
    note_called(code, subject_of, is_used);
    note_taken(code, sites, subject_of, is_used);
    free(subject_of);
    return is_used;
}
