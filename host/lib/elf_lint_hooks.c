/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "elf_lint_parts.h"
#include "hook_naked.h"
#include "hook_uses.h"

/* What the hooks do to the functions that have them. */

/* Bytes of functions, all together, that are gone through: hostile files. */
enum {
    NAKED_BUDGET = 64 << 20
};

static const char *register_name(unsigned number)
{
    static const char *const names[] = {"r0", "r1", "r2", "r3"};

    return number == THUMB_LR ? "LR" : number < 4 ? names[number] : "r12";
}

int lint_check_naked(struct lint_search *search)
{
    const struct code_map *code = search->code;
    size_t budget = NAKED_BUDGET;
    int result = 0;

    for (size_t i = 0; i < code->function_count && result >= 0; i++) {
        struct hook_naked naked;

        if (!search->is_hooked[i] || code->functions[i].size > budget)
            continue;
        budget -= code->functions[i].size;
        result = hook_naked_check(code, search->sites, i, &naked);
        search->is_naked[i] = result > 0;
        if (result > 0)
            result = lint_add_function(
                    search, LINT_NAKED, i, 0,
                    "the hook at 0x%08x loses %s, which 0x%08x uses",
                    naked.hook, register_name(naked.lost), naked.use);
    }
    return result < 0 ? result : 0;
}

int lint_check_hooks(struct lint_search *search)
{
    bool has_hooks = search->has_trace || search->has_functions;

    if (search->sites->count == 0)
        return has_hooks && search->record.state == SELECT_NONE
                       ? lint_add(search, LINT_NO_HOOKS, NULL)
                       : 0;
    if (has_hooks)
        return 0;
    return lint_add(search, LINT_OTHER_HOOKS, "%zu calls of hooks",
                    search->sites->count);
}

/* What the hooks reach, by a search in breadth. */
struct reach {
    size_t *queue;
    size_t *from; /* whom a function was reached from, or CODE_NONE */
    bool *seen;
    bool *told; /* subjects */
    size_t count;
};

static void reach_add(struct reach *reach, size_t function, size_t from)
{
    if (function == CODE_NONE || reach->seen[function])
        return;
    reach->seen[function] = true;
    reach->from[function] = from;
    reach->queue[reach->count++] = function;
}

/* Whom the hooks in FUNCTION, which they reach, are for. */
static int tell_reached(struct lint_search *search, struct reach *reach,
                        size_t function)
{
    const struct code_function *at = &search->code->functions[function];
    const struct hook_sites *sites = search->sites;
    size_t from = reach->from[function];
    int result = 0;

    for (size_t i = hook_sites_from(sites, at->start);
         result == 0 && i < sites->count
         && sites->items[i].address - at->start < at->size;
         i++) {
        const struct hook_site *site = &sites->items[i];

        if (site->function != function || reach->told[site->subject])
            continue;
        reach->told[site->subject] = true;
        if (from == CODE_NONE)
            result = lint_add_subject(search, LINT_RECURSION, site->subject, 0,
                                      "in %.60s, a hook itself", at->name);
        else
            result = lint_add_subject(search, LINT_RECURSION, site->subject, 0,
                                      "in %.60s, called by %.60s", at->name,
                                      search->code->functions[from].name);
    }
    return result;
}

static int run_reach(struct lint_search *search, struct reach *reach)
{
    const struct code_map *code = search->code;
    const struct hook_sites *sites = search->sites;
    int result = 0;

    if (sites->has_enter)
        reach_add(reach, code_map_find(code, sites->enter), CODE_NONE);
    if (sites->has_exit)
        reach_add(reach, code_map_find(code, sites->exit), CODE_NONE);
    for (size_t next = 0; next < reach->count && result == 0; next++) {
        size_t function = reach->queue[next];

        if (search->is_hooked[function]) {
            result = tell_reached(search, reach, function);
            continue;
        }
        for (size_t i = 0; i < code->functions[function].branches; i++)
            reach_add(reach,
                      code_map_find(code,
                                    code_map_branch(code, function, i)->target),
                      function);
    }
    return result;
}

int lint_check_recursion(struct lint_search *search)
{
    size_t count = search->code->function_count + 1;
    struct reach reach = {.queue = calloc(count, sizeof(size_t)),
                          .from = calloc(count, sizeof(size_t)),
                          .seen = calloc(count, 1),
                          .told = calloc(search->sites->subject_count + 1, 1)};
    int result = MCUPROF_E_NOMEM;

    if (reach.queue != NULL && reach.from != NULL && reach.seen != NULL
        && reach.told != NULL)
        result = run_reach(search, &reach);
    free(reach.queue);
    free(reach.from);
    free(reach.seen);
    free(reach.told);
    return result;
}

int lint_check_own_hooks(struct lint_search *search)
{
    const struct code_map *code = search->code;
    int result = 0;

    for (size_t i = 0; i < code->function_count && result == 0; i++)
        if (search->is_hooked[i] && lint_is_ours(code->functions[i].name))
            result = lint_add_function(search, LINT_LIBRARY, i, 0, "%s", "");
    return result;
}

/* How often each function is called or jumped to, as far as code shows it. */
static size_t *count_callers(const struct code_map *code)
{
    size_t *callers = calloc(code->function_count + 1, sizeof *callers);

    for (size_t i = 0; callers != NULL && i < code->branch_count; i++) {
        size_t target = code_map_find(code, code->branches[i].target);

        if (target != CODE_NONE
            && code->functions[target].start == code->branches[i].target)
            callers[target]++;
    }
    return callers;
}

/* Instructions of its own that FUNCTION has beside the calls of hooks. */
static uint32_t body_size(const struct lint_search *search, size_t function)
{
    const struct code_map *code = search->code;
    const struct code_function *at = &code->functions[function];
    uint32_t hooks = LINT_SITE * search->dropped[function];

    for (size_t i = 0; i < at->branches; i++)
        if (hook_sites_is_hook(search->sites,
                               code_map_branch(code, function, i)->target))
            hooks += LINT_SITE;
    return at->instructions > hooks ? at->instructions - hooks : 1;
}

static int weigh(struct lint_search *search, const struct hook_subject *subject,
                 size_t callers)
{
    const struct code_function *at =
            &search->code->functions[subject->function];
    size_t places = callers + subject->inlined;
    uint32_t body = body_size(search, subject->function);

    if (at->has_loop || body >= LINT_PAIR)
        return 0;
    return lint_add_function(
            search, LINT_OUTWEIGHED, subject->function,
            (uint64_t)(LINT_PAIR - body) * (places > 0 ? places : 1),
            "%u instruction%s; called from %zu place%s, inlined in %zu", body,
            body == 1 ? "" : "s", callers, callers == 1 ? "" : "s",
            subject->inlined);
}

int lint_check_weight(struct lint_search *search)
{
    const struct hook_sites *sites = search->sites;
    size_t *callers = count_callers(search->code);
    int result = callers == NULL ? MCUPROF_E_NOMEM : 0;

    for (size_t i = 0; i < sites->subject_count && result == 0; i++) {
        const struct hook_subject *subject = &sites->subjects[i];

        if (subject->function != CODE_NONE
            && search->is_hooked[subject->function]
            && !search->is_naked[subject->function])
            result = weigh(search, subject, callers[subject->function]);
    }
    free(callers);
    return result;
}

static int tell_inlined(struct lint_search *search, size_t index)
{
    const struct hook_subject *subject = &search->sites->subjects[index];
    const char *plural = subject->inlined == 1 ? "" : "s";

    if (subject->function == CODE_NONE)
        return lint_add_subject(search, LINT_INLINED_ONLY, index,
                                subject->inlined, "inlined %zu time%s",
                                subject->inlined, plural);
    return lint_add_subject(
            search, LINT_INLINED_ONLY, index, subject->inlined,
            "inlined %zu time%s; %u bytes in memory for the hooks alone",
            subject->inlined, plural,
            search->code->functions[subject->function].size);
}

int lint_check_inlined_only(struct lint_search *search)
{
    const struct hook_sites *sites = search->sites;
    bool *is_used = hook_uses_find(search->code, sites);
    int result = is_used == NULL ? MCUPROF_E_NOMEM : 0;

    for (size_t i = 0; i < sites->subject_count && result == 0; i++)
        if (sites->subjects[i].inlined > 0 && !is_used[i])
            result = tell_inlined(search, i);
    free(is_used);
    return result;
}
