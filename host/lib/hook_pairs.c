/* SPDX-License-Identifier: MIT */
#include "hook_pairs.h"

#include "hook_flow.h"

#include <stdlib.h>
#include <string.h>

enum {
    AROUND_MAX = 64 /* bodies that one is looked for in */
};

struct pairing {
    struct hook_pairs *pairs;
    const struct code_map *code;
    const struct hook_sites *sites;
    struct hook_flow *flow;
    bool hides_exits; /* not all may be seen: hooks are called through
                         registers, or there is no exit hook at all */
    bool *is_hooked;  /* functions in memory that have sites */
    size_t *numbers;  /* instance of the class that a site names */
};

static const struct {
    const char *name;
    const char *text;
} doubts[HOOK_DOUBT_COUNT] = {
#define HOOK_DOUBT_TEXT(name, word, text) {word, text},
        HOOK_DOUBTS(HOOK_DOUBT_TEXT)
#undef HOOK_DOUBT_TEXT
};

const char *hook_doubt_name(enum hook_doubt doubt)
{
    return doubts[doubt].name;
}

const char *hook_doubt_text(enum hook_doubt doubt)
{
    return doubts[doubt].text;
}

/* In which order functions are followed: whole ones take their moved parts
 * along, and ask what the rests of others do. */
enum turn {
    TURN_REST,
    TURN_WHOLE,
    TURN_MOVED,
    TURNS
};

static enum turn turn_of(const struct code_function *function)
{
    if (strstr(function->name, ".cold") != NULL)
        return TURN_MOVED;
    return strstr(function->name, ".part.") != NULL ? TURN_REST : TURN_WHOLE;
}

static int follow_functions(struct pairing *pairing, enum turn turn)
{
    const struct hook_sites *sites = pairing->sites;
    int result = 0;

    for (size_t i = 0; i < sites->count && result == 0; i++) {
        size_t function = sites->items[i].function;

        if (!pairing->is_hooked[function]
            || turn_of(&pairing->code->functions[function]) != turn
            || hook_flow_body(pairing->flow, i) != CODE_NONE)
            continue;
        pairing->is_hooked[function] = false;
        result = hook_flow_follow(pairing->flow, function);
    }
    return result;
}

/* Joined by their subject, per body: the sites that a pad leaves. Where r0 does
   not tell it compilers may have merged those of several: all are joined. */
static void join_loose(struct pairing *pairing, size_t site)
{
    const struct hook_sites *sites = pairing->sites;
    size_t body = hook_flow_body(pairing->flow, site);

    const struct hook_site *loose = &sites->items[site];

    for (size_t i = 0; i < sites->count; i++)
        if (hook_flow_body(pairing->flow, i) == body
            && (sites->items[i].subject == loose->subject || !loose->is_told))
            hook_flow_join(pairing->flow, site, i);
}

static int make_instances(struct pairing *pairing)
{
    struct hook_pairs *pairs = pairing->pairs;
    const struct hook_sites *sites = pairing->sites;
    size_t sum = 0;

    for (size_t i = 0; i < sites->count; i++) {
        size_t class = hook_flow_class(pairing->flow, i);
        struct hook_instance *instance;

        if (class == i) {
            pairing->numbers[i] = pairs->count;
            pairs->instances[pairs->count++] =
                    (struct hook_instance){.subject = CODE_NONE,
                                           .function = sites->items[i].function,
                                           .is_inlined = true};
        }
        pairs->of_site[i] = pairing->numbers[class];
        instance = &pairs->instances[pairs->of_site[i]];
        instance->count++;
        instance->enters += !sites->items[i].is_exit;
    }
    for (size_t i = 0; i < pairs->count; i++) {
        pairs->instances[i].first = sum;
        sum += pairs->instances[i].count;
        pairs->instances[i].count = 0;
    }
    for (size_t i = 0; i < sites->count; i++) {
        struct hook_instance *instance = &pairs->instances[pairs->of_site[i]];

        pairs->by_instance[instance->first + instance->count++] = i;
    }
    return 0;
}

static void raise_doubt(struct hook_instance *instance, enum hook_doubt doubt,
                        uint32_t where)
{
    /* The gravest counts. */
    if (doubt > instance->doubt) {
        instance->doubt = doubt;
        instance->where = where;
    }
}

/* Whether a site of INSTANCE has a condition on itself. */
static bool is_conditional(const struct code_map *code,
                           const struct hook_site *site)
{
    struct thumb thumb;

    return !code_map_at(code, site->address, &thumb)
           || thumb.flow == THUMB_BRANCH;
}

static bool goes_through_veneer(const struct code_map *code,
                                const struct hook_site *site)
{
    struct thumb thumb;

    return code_map_at(code, site->address, &thumb)
           && thumb.target != code->branches[site->branch].target;
}

static void judge_site(const struct pairing *pairing,
                       struct hook_instance *instance,
                       const struct hook_site *site)
{
    const struct code_map *code = pairing->code;

    if (code->branches[site->branch].is_indirect)
        raise_doubt(instance, HOOK_REGISTER, site->address);
    else if (is_conditional(code, site))
        raise_doubt(instance, HOOK_CONDITIONAL, site->address);
    else if (goes_through_veneer(code, site))
        raise_doubt(instance, HOOK_VENEER, site->address);
}

/* Whether an enter hook of INSTANCE is for SUBJECT. */
static bool is_for(const struct pairing *pairing,
                   const struct hook_instance *instance, size_t subject)
{
    const struct hook_sites *sites = pairing->sites;

    for (size_t i = 0; i < instance->count; i++) {
        const struct hook_site *site =
                &sites->items[pairing->pairs->by_instance[instance->first + i]];

        if (!site->is_exit
            && (site->subject == subject
                || (!site->is_told && site->frame != NULL
                    && hook_sites_agree(sites, pairing->code, site, subject))))
            return true;
    }
    return false;
}

/* Whether the debug info has SITE in a body of INSTANCE. */
static bool is_framed_within(const struct pairing *pairing,
                             const struct hook_instance *instance,
                             const struct hook_site *site)
{
    const struct hook_sites *sites = pairing->sites;

    for (size_t i = 0; i < instance->count; i++) {
        const struct hook_site *enter =
                &sites->items[pairing->pairs->by_instance[instance->first + i]];

        if (!enter->is_exit
            && hook_sites_agree(sites, pairing->code, site, enter->subject))
            return true;
    }
    return false;
}

/*
 * Whether the debug info has SITE in the body that it is of. Where compilers
 * merged code it may be in one that this was inlined into, never in another.
 */
static bool is_framed(const struct pairing *pairing,
                      const struct hook_instance *instance, size_t site)
{
    const struct hook_sites *sites = pairing->sites;
    const struct hook_site *at = &sites->items[site];
    size_t around = site;

    if (hook_sites_agree(sites, pairing->code, at, at->subject)
        || hook_sites_agree_function(pairing->code, at, at->function)
        || (at->is_exit && is_framed_within(pairing, instance, at)))
        return true;
    for (unsigned i = 0; i < AROUND_MAX; i++) {
        around = hook_flow_around(pairing->flow, around);
        if (around == CODE_NONE)
            return false;
        if (hook_sites_agree(sites, pairing->code, at,
                             sites->items[around].subject))
            return true;
    }
    return false;
}

/*
 * Whether more bodies of its subject are open at SITE than the debug info has
 * around it: as code that was merged out of several bodies looks, where r0 does
 * not say which one it is.
 */
static bool is_merged(const struct pairing *pairing, size_t site)
{
    const struct hook_sites *sites = pairing->sites;
    const struct hook_site *at = &sites->items[site];
    size_t around = hook_flow_around(pairing->flow, site);
    size_t frames = 0, open = 1;

    for (size_t i = 0; i < at->frame_count; i++)
        frames += at->frame[i].origin == at->frame->origin;
    for (unsigned i = 0; i < AROUND_MAX && around != CODE_NONE; i++) {
        open += sites->items[around].subject == at->subject;
        around = hook_flow_around(pairing->flow, around);
    }
    return open > frames;
}

/* Whom it is for, by both witnesses. */
static void judge_subject(const struct pairing *pairing,
                          struct hook_instance *instance, size_t index)
{
    const struct hook_site *site = &pairing->sites->items[index];

    if (!site->is_exit) {
        if (instance->subject == CODE_NONE)
            instance->subject = site->subject;
        instance->is_shared |= instance->subject != site->subject;
        instance->is_inlined &= site->is_inlined;
    }
    if (site->frame == NULL
        || (!site->is_exit && !site->is_told && is_merged(pairing, index)))
        raise_doubt(instance, HOOK_UNNAMED, site->address);
    else if (!is_framed(pairing, instance, index))
        raise_doubt(instance, HOOK_DENIED, site->address);
    if (site->is_exit && site->is_told
        && !is_for(pairing, instance, site->subject))
        raise_doubt(instance, HOOK_MIXED, site->address);
}

static const enum hook_doubt flow_doubts[] = {
        [HOOK_FLOW_FINE] = HOOK_SURE,   [HOOK_FLOW_UNEQUAL] = HOOK_UNEQUAL,
        [HOOK_FLOW_EMPTY] = HOOK_EMPTY, [HOOK_FLOW_OPEN] = HOOK_OPEN,
        [HOOK_FLOW_TABLE] = HOOK_TABLE, [HOOK_FLOW_STRANGE] = HOOK_STRANGE,
};

/* What is wrong with the function that SITE is in. */
static void judge_flow(const struct pairing *pairing,
                       struct hook_instance *instance, size_t site)
{
    size_t body = hook_flow_body(pairing->flow, site);
    enum hook_flow_problem problem;
    uint32_t where;

    if (body == CODE_NONE)
        body = pairing->sites->items[site].function;
    problem = hook_flow_problem(pairing->flow, body, &where);
    if (problem != HOOK_FLOW_FINE)
        raise_doubt(instance, flow_doubts[problem], where);
    else if (hook_flow_body(pairing->flow, site) == CODE_NONE)
        raise_doubt(instance, HOOK_STRANGE,
                    pairing->sites->items[site].address);
}

/* Whether INSTANCE, that has no exit, may have one that is not seen. */
static bool hides_exits(const struct pairing *pairing,
                        const struct hook_instance *instance)
{
    size_t body = hook_flow_body(pairing->flow,
                                 pairing->pairs->by_instance[instance->first]);

    return pairing->hides_exits
           || (body != CODE_NONE && hook_flow_has_pads(pairing->flow, body));
}

static void judge(const struct pairing *pairing, struct hook_instance *instance)
{
    const struct hook_pairs *pairs = pairing->pairs;
    const struct hook_sites *sites = pairing->sites;

    for (size_t i = 0; i < instance->count; i++) {
        size_t site = pairs->by_instance[instance->first + i];

        judge_site(pairing, instance, &sites->items[site]);
        judge_subject(pairing, instance, site);
        judge_flow(pairing, instance, site);
    }
    if (instance->enters == instance->count && hides_exits(pairing, instance))
        raise_doubt(instance, HOOK_ENDLESS,
                    sites->items[pairs->by_instance[instance->first]].address);
    if (instance->enters == 0) {
        instance->subject =
                sites->items[pairs->by_instance[instance->first]].subject;
        raise_doubt(instance, HOOK_NO_ENTER,
                    sites->items[pairs->by_instance[instance->first]].address);
    }
}

static int run(struct pairing *pairing)
{
    struct hook_pairs *pairs = pairing->pairs;
    const struct hook_sites *sites = pairing->sites;
    size_t exits = 0;
    int result = 0;

    for (size_t i = 0; i < sites->count; i++) {
        const struct hook_site *site = &sites->items[i];

        pairing->is_hooked[site->function] = true;
        pairing->hides_exits |=
                pairing->code->branches[site->branch].is_indirect;
        exits += site->is_exit;
    }
    pairing->hides_exits |= exits == 0;
    for (unsigned turn = 0; turn < TURNS && result == 0; turn++)
        result = follow_functions(pairing, (enum turn)turn);
    if (result == 0)
        result = hook_flow_spread(pairing->flow);
    if (result < 0)
        return result;
    for (size_t i = 0; i < sites->count; i++)
        if (hook_flow_is_loose(pairing->flow, i))
            join_loose(pairing, i);
    result = make_instances(pairing);
    for (size_t i = 0; i < pairs->count; i++)
        judge(pairing, &pairs->instances[i]);
    return result;
}

int hook_pairs_find(struct hook_pairs **out, const struct code_map *code,
                    const struct hook_sites *sites)
{
    size_t count = sites->count + 1;
    struct hook_pairs *pairs = calloc(1, sizeof *pairs);
    struct pairing pairing = {
            .pairs = pairs,
            .code = code,
            .sites = sites,
            .flow = hook_flow_new(code, sites),
            .is_hooked = calloc(code->function_count + 1, sizeof(bool)),
            .numbers = calloc(count, sizeof(size_t))};
    int result = MCUPROF_E_NOMEM;

    if (pairs != NULL) {
        pairs->sites = sites;
        pairs->instances = calloc(count, sizeof *pairs->instances);
        pairs->of_site = calloc(count, sizeof *pairs->of_site);
        pairs->by_instance = calloc(count, sizeof *pairs->by_instance);
    }
    if (pairs != NULL && pairs->instances != NULL && pairs->of_site != NULL
        && pairs->by_instance != NULL && pairing.flow != NULL
        && pairing.is_hooked != NULL && pairing.numbers != NULL)
        result = run(&pairing);
    hook_flow_free(pairing.flow);
    free(pairing.is_hooked);
    free(pairing.numbers);
    if (result < 0) {
        hook_pairs_free(pairs);
        pairs = NULL;
    }
    *out = pairs;
    return result;
}

void hook_pairs_free(struct hook_pairs *pairs)
{
    if (pairs == NULL)
        return;
    free(pairs->instances);
    free(pairs->of_site);
    free(pairs->by_instance);
    free(pairs);
}
