/* SPDX-License-Identifier: MIT */
#include "advise_parts.h"

#include <stdlib.h>
#include <string.h>

struct maker {
    struct advise *advise;
    const struct advise_input *input;
    const struct hook_pairs *pairs;
    const struct hook_sites *sites;
    const struct code_map *code;
    struct advise_links links;
    size_t *body;      /* of each call the one whose code it is in, a call */
    size_t *scope;     /* of each call */
    bool *is_copy;     /* by call */
    double *code_self; /* by function of the code map */
};

/* True unless code without hooks has copies of SUBJECT: a call from it is of
   its own code then. */
static bool is_called_outermost(const struct maker *maker, size_t subject)
{
    const struct hook_sites *sites = maker->sites;

    if (sites->subjects[subject].own == 0)
        return false;
    for (size_t i = 0; i < sites->count; i++)
        if (sites->items[i].subject == subject && sites->items[i].is_inlined
            && maker->links.subject_of[sites->items[i].function] == CODE_NONE)
            return false;
    return true;
}

static enum advise_body body_of(struct maker *maker, size_t index,
                                size_t subject)
{
    const struct advise_call *call = &maker->input->calls[index];
    size_t *scope = &maker->scope[index];

    if (call->parent != ADVISE_NONE)
        return advise_links_body(&maker->links, maker->scope[call->parent],
                                 subject, scope);
    /* The outermost call comes from code without hooks. */
    if (maker->input->is_ring && is_called_outermost(maker, subject)) {
        if (!advise_links_find(&maker->links, ADVISE_NONE, subject, scope))
            *scope = ADVISE_NONE;
        return ADVISE_OWN;
    }
    return advise_links_body(&maker->links, ADVISE_NONE, subject, scope);
}

/* What is in SUBJECT's copies is shared out among those who have them; who has
   no hooks is told of nothing. */
static void share_out(struct maker *maker, size_t subject, double self)
{
    const struct hook_sites *sites = maker->sites;
    double part = self / (double)sites->subjects[subject].inlined;

    for (size_t i = 0; i < sites->count; i++) {
        const struct hook_site *site = &sites->items[i];
        size_t in = maker->links.subject_of[site->function];

        if (site->subject == subject && site->is_inlined && !site->is_exit
            && in != CODE_NONE && sites->subjects[in].function != CODE_NONE)
            maker->code_self[sites->subjects[in].function] += part;
    }
}

static void add_code(struct maker *maker, size_t index, size_t subject)
{
    const struct advise_call *call = &maker->input->calls[index];
    double self = (double)call->self;
    size_t code = maker->sites->subjects[subject].function;

    maker->body[index] = index;
    if (!maker->is_copy[index]) {
        if (code != CODE_NONE)
            maker->code_self[code] += self;
    } else if (call->parent != ADVISE_NONE) {
        /* Whose copy may be one itself. */
        maker->body[index] = maker->body[call->parent];
        code = code_map_find(maker->code,
                             maker->input->calls[maker->body[index]].function);
        if (code != CODE_NONE)
            maker->code_self[code] += self;
    } else if (!maker->input->is_ring) {
        share_out(maker, subject, self);
    } /* else it is in code without hooks */
}

static void add_call(struct maker *maker, size_t index)
{
    const struct advise_call *call = &maker->input->calls[index];
    size_t subject = advise_links_subject(&maker->links, call->function);
    struct advise_function *function;
    enum advise_body body;

    maker->body[index] = index;
    maker->scope[index] = ADVISE_NONE;
    if (subject == ADVISE_NONE) {
        maker->advise->others += call->calls;
        return;
    }
    function = &maker->advise->functions[subject];
    if (maker->links.is_sending[subject]) {
        maker->advise->unsure += (double)call->self;
        maker->advise->sender = function->name;
    }
    body = body_of(maker, index, subject);
    maker->is_copy[index] = body == ADVISE_INLINED;
    function->self += call->self;
    function->own += body == ADVISE_OWN ? call->calls : 0;
    function->either += body == ADVISE_EITHER ? call->calls : 0;
    if (body == ADVISE_INLINED) {
        function->inlined += call->calls;
        function->copied += call->self;
    }
    maker->advise->self += call->self;
    add_code(maker, index, subject);
}

static void add_sample(struct maker *maker, const struct advise_call *call)
{
    size_t code = code_map_find(maker->code, call->function);
    size_t subject =
            code == CODE_NONE ? ADVISE_NONE : maker->links.subject_of[code];

    if (code != CODE_NONE
        && hook_sites_is_hook(maker->sites, maker->code->functions[code].start))
        maker->advise->hook_self += call->self;
    if (subject == ADVISE_NONE)
        return;
    maker->advise->functions[subject].self += call->self;
    maker->advise->self += call->self;
    maker->code_self[code] += (double)call->self;
}

/* The average over enters and exits, own ones and those of copies. */
static void add_arguments(struct advise *advise, const struct hook_sites *sites,
                          const unsigned *arguments)
{
    for (size_t i = 0; i < advise->count; i++) {
        struct advise_function *function = &advise->functions[i];
        double sums[2][2] = {{0}};
        size_t counts[2][2] = {{0}};

        for (size_t k = 0; k < sites->count; k++) {
            const struct hook_site *site = &sites->items[k];

            if (site->subject != i)
                continue;
            sums[site->is_inlined][site->is_exit] += arguments[k];
            counts[site->is_inlined][site->is_exit]++;
        }
        for (int k = 0; k < 2; k++) {
            if (counts[0][k] > 0)
                function->extra_own += sums[0][k] / (double)counts[0][k];
            if (counts[1][k] > 0)
                function->extra_inlined += sums[1][k] / (double)counts[1][k];
        }
    }
}

static double part(double count, size_t all)
{
    return count < (double)all ? count / (double)all : count > 0;
}

/* What `select` will not take out, by the bodies that are in the ELF. */
static void add_doubts(struct advise *advise, const struct hook_pairs *pairs)
{
    for (size_t i = 0; i < pairs->count; i++) {
        const struct hook_instance *instance = &pairs->instances[i];
        struct advise_function *function =
                &advise->functions[instance->subject];

        if (instance->doubt == HOOK_SURE)
            continue;
        if (instance->is_inlined)
            function->stuck_inlined += (double)instance->enters;
        else
            function->stuck_own += (double)instance->enters;
    }
    for (size_t i = 0; i < advise->count; i++) {
        struct advise_function *function = &advise->functions[i];

        function->stuck_own = part(function->stuck_own, function->own_sites);
        function->stuck_inlined =
                part(function->stuck_inlined, function->copies);
    }
}

static void name_functions(struct advise *advise,
                           const struct hook_sites *sites)
{
    for (size_t i = 0; i < advise->count; i++) {
        struct advise_function *function = &advise->functions[i];
        const struct hook_subject *subject = &sites->subjects[i];

        function->subject = i;
        function->name = subject->name;
        function->own_sites = subject->own;
        function->copies = subject->inlined;
    }
}

static void add_code_facts(struct maker *maker)
{
    struct advise *advise = maker->advise;
    const struct hook_sites *sites = maker->sites;

    for (size_t i = 0; i < advise->count; i++) {
        struct advise_function *function = &advise->functions[i];
        const struct hook_subject *subject = &sites->subjects[i];

        if (subject->function == CODE_NONE)
            continue;
        function->extra_own +=
                advise_keeping(sites, maker->code, subject->function);
        function->code = maker->code_self[subject->function];
    }
}

/* What hooks take for what they tell: the most of it first. */
static int compare_by_worth(const void *left, const void *right)
{
    const struct advise_function *a = left, *b = right;

    if (a->worth != b->worth)
        return a->worth > b->worth ? -1 : 1;
    if (a->inlined != b->inlined)
        return a->inlined > b->inlined ? -1 : 1;
    if (a->self != b->self)
        return a->self > b->self ? -1 : 1;
    return (a->subject > b->subject) - (a->subject < b->subject);
}

static void sort_by_worth(struct advise *advise)
{
    for (size_t i = 0; i < advise->count; i++) {
        struct advise_function *function = &advise->functions[i];

        function->worth = (double)(function->own + function->either)
                          * (1 - function->stuck_own)
                          * (advise->hooks - advise->nops)
                          / (function->code + 1);
    }
    if (advise->count > 0)
        qsort(advise->functions, advise->count, sizeof *advise->functions,
              compare_by_worth);
}

static double extra_of(const struct advise *advise,
                       const struct advise_function *function)
{
    return advise->unit
           * ((double)(function->own + function->either) * function->extra_own
              + (double)function->inlined * function->extra_inlined);
}

/* Where the count is of another way than the hooks took, a tick. */
static double find_unit(const struct advise_measured *measured, double pair)
{
    enum {
        SLOWEST = 4 /* ticks: an instruction of hooks takes less on average */
    };
    unsigned count = measured->hooks + measured->beside;

    return measured->hooks > 0 && pair < SLOWEST * (double)count
                   ? pair / (double)count
                   : 1;
}

static void predict_without(struct advise *advise, const struct maker *maker)
{
    const struct advise_input *input = maker->input;
    const struct advise_measured measured =
            advise_measured(maker->sites, maker->code, input->is_ring);

    advise->unit = find_unit(&measured, input->usual);
    advise->nops = advise->unit * input->nops;
    advise->hooks = input->pair - advise->unit * measured.beside;
    advise->without = input->wall - input->pairs * advise->hooks;
    for (size_t i = 0; i < advise->count; i++)
        advise->without -= extra_of(advise, &advise->functions[i]);
    advise->can_predict = !input->is_sampled && advise->without > advise->unsure
                          && advise->hooks > advise->nops;
}

static int make(struct maker *maker)
{
    struct advise *advise = maker->advise;
    const struct advise_input *input = maker->input;
    unsigned *arguments = advise_arguments(maker->sites, maker->code);

    if (arguments == NULL)
        return MCUPROF_E_NOMEM;
    name_functions(advise, maker->sites);
    for (size_t i = 0; i < input->count; i++)
        if (input->is_sampled)
            add_sample(maker, &input->calls[i]);
        else
            add_call(maker, i);
    add_arguments(advise, maker->sites, arguments);
    free(arguments);
    add_code_facts(maker);
    add_doubts(advise, maker->pairs);
    predict_without(advise, maker);
    return 0;
}

/* Of hooks whose other half, or function, is not in the calls. */
static void add_others(struct advise *advise, double pairs)
{
    for (size_t i = 0; i < advise->count; i++)
        pairs -= (double)advise->functions[i].own
                 + (double)advise->functions[i].inlined
                 + (double)advise->functions[i].either;
    advise->other_pairs = pairs;
}

int advise_new(struct advise **out, const struct advise_input *input,
               const struct hook_pairs *pairs, const struct code_map *code,
               struct lines *lines)
{
    const struct hook_sites *sites = pairs->sites;
    struct advise *advise = calloc(1, sizeof *advise);
    struct maker maker = {.advise = advise,
                          .input = input,
                          .pairs = pairs,
                          .sites = sites,
                          .code = code};
    int result;

    *out = advise;
    if (advise == NULL)
        return MCUPROF_E_NOMEM;
    advise->count = sites->subject_count;
    advise->functions = calloc(advise->count + 1, sizeof *advise->functions);
    maker.body = calloc(input->count + 1, sizeof *maker.body);
    maker.scope = calloc(input->count + 1, sizeof *maker.scope);
    maker.is_copy = calloc(input->count + 1, sizeof *maker.is_copy);
    maker.code_self = calloc(code->function_count + 1, sizeof *maker.code_self);
    result = advise_links_init(&maker.links, sites, code, lines);
    if (advise->functions == NULL || maker.body == NULL || maker.scope == NULL
        || maker.is_copy == NULL || maker.code_self == NULL)
        result = MCUPROF_E_NOMEM;
    if (result == 0)
        result = make(&maker);
    free(maker.body);
    free(maker.scope);
    free(maker.is_copy);
    free(maker.code_self);
    advise_links_deinit(&maker.links);
    if (result < 0) {
        advise_free(advise);
        *out = NULL;
        return result;
    }
    add_others(advise, input->pairs);
    sort_by_worth(advise);
    advise->now = advise_predict(advise);
    return 0;
}

void advise_free(struct advise *advise)
{
    if (advise == NULL)
        return;
    free(advise->functions);
    free(advise);
}

static double cost(const struct advise *advise, uint64_t calls, bool is_dropped,
                   double stuck)
{
    double dropped = stuck * advise->hooks + (1 - stuck) * advise->nops;

    return (double)calls * (is_dropped ? dropped : advise->hooks);
}

struct advise_outcome advise_predict(const struct advise *advise)
{
    double most = advise->other_pairs * advise->hooks, least = most;
    double told = 0, source = 0;
    struct advise_outcome out = {.told = 1, .source = 1};

    for (size_t i = 0; i < advise->count; i++) {
        const struct advise_function *function = &advise->functions[i];
        double kept = extra_of(advise, function)
                      + cost(advise, function->own, function->drops_own,
                             function->stuck_own)
                      + cost(advise, function->inlined, function->drops_inlined,
                             function->stuck_inlined);
        double if_own = cost(advise, function->either, function->drops_own,
                             function->stuck_own);
        double if_inlined =
                cost(advise, function->either, function->drops_inlined,
                     function->stuck_inlined);

        most += kept + (if_own > if_inlined ? if_own : if_inlined);
        least += kept + (if_own < if_inlined ? if_own : if_inlined);
        told += function->drops_own ? 0 : function->code;
        source += function->drops_own
                          ? 0
                          : (double)(function->self - function->copied);
        source += function->drops_inlined ? 0 : (double)function->copied;
    }
    if (advise->can_predict) {
        out.most = 1 + most / (advise->without - advise->unsure);
        out.least = 1 + least / advise->without;
    }
    if (advise->self > 0) {
        out.told = told / (double)advise->self;
        out.source = source / (double)advise->self;
    }
    return out;
}

void advise_drop_inlined(struct advise *advise)
{
    for (size_t i = 0; i < advise->count; i++)
        advise->functions[i].drops_inlined = advise->functions[i].copies > 0;
}

static bool is_within(const struct advise *advise, double budget)
{
    return advise_predict(advise).most <= budget;
}

/* Lists go by names: static functions of one name are dropped together. */
static void set_own(struct advise *advise, const char *name, bool drops)
{
    for (size_t i = 0; i < advise->count; i++)
        if (strcmp(advise->functions[i].name, name) == 0)
            advise->functions[i].drops_own = drops;
}

static void set_inlined(struct advise *advise, const char *name, bool drops)
{
    for (size_t i = 0; i < advise->count; i++)
        if (strcmp(advise->functions[i].name, name) == 0)
            advise->functions[i].drops_inlined =
                    drops && advise->functions[i].copies > 0;
}

/* What need not have been dropped after all, the dearest first; copies only of
   a function that is kept itself: a list says keep of both. */
static void take_back(struct advise *advise, double budget)
{
    for (size_t i = advise->count; i-- > 0;) {
        const struct advise_function *function = &advise->functions[i];

        if (!function->drops_own)
            continue;
        set_own(advise, function->name, false);
        if (!is_within(advise, budget))
            set_own(advise, function->name, true);
    }
    for (size_t i = advise->count; i-- > 0;) {
        const struct advise_function *function = &advise->functions[i];

        if (function->drops_own || function->inlined == 0)
            continue;
        set_inlined(advise, function->name, false);
        if (!is_within(advise, budget))
            set_inlined(advise, function->name, true);
    }
}

/* What cannot be reached is not worth all that is told: so near to the best. */
#define BEST 1.01

bool advise_plan(struct advise *advise, double budget)
{
    bool is_reached;

    if (is_within(advise, budget))
        return true;
    advise_drop_inlined(advise);
    for (size_t i = 0; i < advise->count && !is_within(advise, budget); i++)
        if (advise->functions[i].worth > 0)
            set_own(advise, advise->functions[i].name, true);
    is_reached = is_within(advise, budget);
    take_back(advise, is_reached ? budget : BEST * advise_predict(advise).most);
    return is_reached;
}
