/* SPDX-License-Identifier: MIT */
#include "hook_flow.h"

#include "code_returns.h"
#include "code_tables.h"
#include "room.h"

#include <stdlib.h>
#include <string.h>

/* Stacks are lists: a site's has the site itself on top. */
enum {
    EMPTY, /* the stack of a function that is entered */
    PAD,   /* of a landing pad: anything, which is not known */
    FIRST  /* that of site 0 */
};

enum {
    NOT_REACHED = UINT32_MAX,
    DEPTH_MAX = 4096,
    PIECES_MAX = 8,
    SIZE_MAX_FOLLOWED = 1 << 20,
    BYTES_MAX = 64 << 20, /* of all functions: hostile files */
    OUTLOOK_WAYS = 16,
    OUTLOOK_STEPS = 256
};

struct stack {
    uint32_t below;
    uint32_t base; /* EMPTY or PAD */
    uint32_t depth;
};

struct flow_way {
    uint32_t address;
    uint32_t stack;
    struct code_tables_way tables;
};

/* A function, or what was moved away from it. */
struct piece {
    size_t function;
    uint32_t start;
    uint32_t size;
    uint32_t *stacks; /* at each halfword */
};

struct outcome {
    enum hook_flow_problem problem;
    uint32_t address;
    bool has_pads; /* hooks that no way leads to */
};

/* What calling a function does to the stack. */
enum effect {
    EFFECT_NONE,
    EFFECT_UNKNOWN, /* of a rest that is not followed yet */
    EFFECT_KEEPS,   /* of a rest: what was open stays open */
    EFFECT_CLOSES   /* of a rest: it closes one */
};

struct hook_flow {
    const struct code_map *code;
    const struct hook_sites *sites;
    struct stack *stacks; /* of each site, from FIRST on */
    size_t *classes;      /* of each site: one that it is joined with */
    size_t *bodies;       /* of each site */
    bool *loose;
    struct outcome *outcomes; /* of each function */
    bool *returns;            /* of each function: whether it may */
    uint8_t *effects;         /* of each function, enum effect */
    uint32_t *around;         /* of each site: the stack below its own */
    size_t budget;

    /* The function that is followed */
    size_t body;
    struct piece pieces[PIECES_MAX];
    size_t piece_count;
    struct flow_way *ways;
    size_t way_count, way_room;
    struct code_targets targets;
    bool has_targets;
};

/* An instruction on its way. */
struct step {
    struct thumb thumb;
    struct code_tables_way tables;
    unsigned conditional;
    uint32_t stack;
};

/* Whether FUNCTION is the rest of another one. */
static bool is_rest(const struct code_function *function)
{
    return strstr(function->name, ".part.") != NULL
           && strstr(function->name, ".cold") == NULL;
}

struct hook_flow *hook_flow_new(const struct code_map *code,
                                const struct hook_sites *sites)
{
    struct hook_flow *flow = calloc(1, sizeof *flow);
    /* A stand-in for each function comes behind the sites. */
    size_t count = sites->count + code->function_count + FIRST;

    if (flow == NULL)
        return NULL;
    *flow = (struct hook_flow){.code = code,
                               .sites = sites,
                               .stacks = calloc(count, sizeof *flow->stacks),
                               .classes = calloc(count, sizeof *flow->classes),
                               .bodies = calloc(count, sizeof *flow->bodies),
                               .loose = calloc(count, sizeof *flow->loose),
                               .outcomes = calloc(code->function_count + 1,
                                                  sizeof *flow->outcomes),
                               .returns = code_returns_find(code),
                               .effects = calloc(code->function_count + 1, 1),
                               .around = calloc(count, sizeof *flow->around),
                               .budget = BYTES_MAX};
    if (flow->stacks == NULL || flow->classes == NULL || flow->bodies == NULL
        || flow->loose == NULL || flow->outcomes == NULL
        || flow->returns == NULL || flow->effects == NULL
        || flow->around == NULL) {
        hook_flow_free(flow);
        return NULL;
    }
    flow->stacks[PAD].base = PAD;
    /* A stand-in lies on EMPTY. */
    for (size_t i = sites->count + FIRST; i < count; i++)
        flow->stacks[i].depth = 1;
    for (size_t i = 0; i < count - FIRST; i++) {
        flow->classes[i] = i;
        flow->bodies[i] = CODE_NONE;
    }
    for (size_t i = 0; i < sites->count; i++)
        if (is_rest(&code->functions[sites->items[i].function]))
            flow->effects[sites->items[i].function] = EFFECT_UNKNOWN;
    return flow;
}

static void forget_pieces(struct hook_flow *flow)
{
    for (size_t i = 0; i < flow->piece_count; i++)
        free(flow->pieces[i].stacks);
    flow->piece_count = 0;
    flow->way_count = 0;
    flow->has_targets = false;
    flow->targets.count = 0;
}

void hook_flow_free(struct hook_flow *flow)
{
    if (flow == NULL)
        return;
    forget_pieces(flow);
    code_targets_free(&flow->targets);
    free(flow->ways);
    free(flow->stacks);
    free(flow->classes);
    free(flow->bodies);
    free(flow->loose);
    free(flow->outcomes);
    free(flow->returns);
    free(flow->effects);
    free(flow->around);
    free(flow);
}

size_t hook_flow_body(const struct hook_flow *flow, size_t site)
{
    return flow->bodies[site];
}

bool hook_flow_has_pads(const struct hook_flow *flow, size_t function)
{
    return flow->outcomes[function].has_pads;
}

enum hook_flow_problem hook_flow_problem(const struct hook_flow *flow,
                                         size_t function, uint32_t *address)
{
    *address = flow->outcomes[function].address;
    return flow->outcomes[function].problem;
}

size_t hook_flow_around(const struct hook_flow *flow, size_t site)
{
    uint32_t around = flow->around[site];

    return around >= FIRST && around - FIRST < flow->sites->count
                   ? around - FIRST
                   : CODE_NONE;
}

bool hook_flow_is_loose(const struct hook_flow *flow, size_t site)
{
    return flow->loose[site];
}

size_t hook_flow_class(struct hook_flow *flow, size_t site)
{
    size_t *classes = flow->classes;

    while (classes[site] != site) {
        classes[site] = classes[classes[site]];
        site = classes[site];
    }
    return site;
}

/* The lowest address names them all. */
void hook_flow_join(struct hook_flow *flow, size_t site, size_t other)
{
    size_t a = hook_flow_class(flow, site), b = hook_flow_class(flow, other);

    flow->classes[a > b ? a : b] = a > b ? b : a;
}

/* The first problem counts. */
static void fail(struct hook_flow *flow, enum hook_flow_problem problem,
                 uint32_t address)
{
    struct outcome *outcome = &flow->outcomes[flow->body];

    if (outcome->problem == HOOK_FLOW_FINE) {
        outcome->problem = problem;
        outcome->address = address;
    }
}

static bool has_failed(const struct hook_flow *flow)
{
    return flow->outcomes[flow->body].problem != HOOK_FLOW_FINE;
}

static int add_piece(struct hook_flow *flow, size_t function)
{
    const struct code_function *at = &flow->code->functions[function];
    struct piece *piece = &flow->pieces[flow->piece_count];
    size_t bytes;

    if (flow->piece_count == PIECES_MAX || at->size > SIZE_MAX_FOLLOWED
        || at->size > flow->budget) {
        fail(flow, HOOK_FLOW_STRANGE, at->start);
        return 0;
    }
    flow->budget -= at->size;
    bytes = (at->size / 2 + 1) * sizeof *piece->stacks;
    *piece = (struct piece){.function = function,
                            .start = at->start,
                            .size = at->size,
                            .stacks = malloc(bytes)};
    if (piece->stacks == NULL)
        return MCUPROF_E_NOMEM;
    memset(piece->stacks, 0xFF, bytes);
    flow->piece_count++;
    return 0;
}

static const struct piece *find_piece(const struct hook_flow *flow,
                                      uint32_t address)
{
    for (size_t i = 0; i < flow->piece_count; i++)
        if (address - flow->pieces[i].start < flow->pieces[i].size)
            return &flow->pieces[i];
    return NULL;
}

/* A way to ADDRESS goes on in another part of the function that is followed:
 * take it in. */
static int take_in(struct hook_flow *flow, uint32_t address, bool *is_within)
{
    const struct code_map *code = flow->code;
    size_t function;
    int result = 0;

    *is_within = find_piece(flow, address) != NULL;
    if (*is_within)
        return 0;
    function = code_map_find(code, address);
    if (function == CODE_NONE || !code_map_is_moved(code, function, flow->body))
        return 0;
    result = add_piece(flow, function);
    *is_within = result == 0 && !has_failed(flow);
    return result;
}

/* The stack of SITE, which joins at most once: it is gone through once. */
static uint32_t push(struct hook_flow *flow, size_t site, uint32_t below)
{
    struct stack *stack = &flow->stacks[FIRST + site];

    stack->below = below;
    stack->base = flow->stacks[below].base;
    stack->depth = flow->stacks[below].depth + 1;
    if (stack->depth > DEPTH_MAX)
        fail(flow, HOOK_FLOW_STRANGE, flow->sites->items[site].address);
    return (uint32_t)(FIRST + site);
}

static const struct hook_site *find_site(const struct hook_flow *flow,
                                         uint32_t address, size_t *index)
{
    *index = hook_sites_from(flow->sites, address);
    return *index < flow->sites->count
                           && flow->sites->items[*index].address == address
                   ? &flow->sites->items[*index]
                   : NULL;
}

/* Whether the call THUMB may come back. */
static bool may_return(const struct hook_flow *flow, const struct thumb *thumb)
{
    uint32_t target;
    size_t function;

    if (!thumb->has_target)
        return true;
    target = code_map_resolve(flow->code, thumb->target);
    function = code_map_find(flow->code, target);
    return function == CODE_NONE
           || flow->code->functions[function].start != target
           || flow->returns[function];
}

static bool is_return(const struct thumb *thumb)
{
    return thumb->flow == THUMB_JUMP && !thumb->has_target
           && (thumb->through == THUMB_LR || thumb->is_restoring
               || (thumb->through == THUMB_NO_REGISTER
                   && (thumb->reads >> THUMB_LR & 1) != 0));
}

/* Ways that are looked at from one place on. */
struct outlook {
    uint32_t ways[OUTLOOK_WAYS];
    size_t count;
    size_t steps;
};

static bool add_outlook(struct outlook *outlook, uint32_t address)
{
    for (size_t i = 0; i < outlook->count; i++)
        if (outlook->ways[i] == address)
            return true;
    if (outlook->count == OUTLOOK_WAYS)
        return false;
    outlook->ways[outlook->count++] = address;
    return true;
}

/* Whether one way ends without a hook and within the function. */
static bool is_dead_way(const struct hook_flow *flow, struct outlook *outlook,
                        uint32_t address)
{
    const struct piece *piece = find_piece(flow, address);
    struct thumb thumb;
    size_t index;

    for (; piece != NULL && address - piece->start < piece->size;
         address += thumb.size) {
        if (outlook->steps++ == OUTLOOK_STEPS
            || !code_map_at(flow->code, address, &thumb)
            || thumb.conditional > 0
            || find_site(flow, address, &index) != NULL)
            return false;
        if (thumb.flow == THUMB_STOP
            || (thumb.flow == THUMB_CALL && !may_return(flow, &thumb)))
            return true;
        if (thumb.flow != THUMB_JUMP && thumb.flow != THUMB_BRANCH)
            continue;
        if (!thumb.has_target || !add_outlook(outlook, thumb.target))
            return false;
        if (thumb.flow == THUMB_JUMP)
            return true;
    }
    return false;
}

/*
 * Whether no way from ADDRESS meets a hook or leaves the function: what is open
 * there is of no interest. Such are calls that do not return, that compilers
 * share between bodies.
 */
static bool is_dead_end(const struct hook_flow *flow, uint32_t address)
{
    struct outlook outlook = {.ways = {address}, .count = 1};

    for (size_t i = 0; i < outlook.count; i++)
        if (!is_dead_way(flow, &outlook, outlook.ways[i]))
            return false;
    return true;
}

/* Ways with the stacks A, of what was reached before, and B meet. */
static void meet(struct hook_flow *flow, uint32_t a, uint32_t b,
                 uint32_t address)
{
    const struct stack *stacks = flow->stacks;
    uint32_t depth_a = stacks[a].depth, depth_b = stacks[b].depth;
    bool fits = stacks[a].base == stacks[b].base
                        ? depth_a == depth_b
                        : stacks[b].base == PAD && depth_a >= depth_b;

    if (a == b || is_dead_end(flow, address))
        return;
    if (!fits) {
        fail(flow, HOOK_FLOW_UNEQUAL, address);
        return;
    }
    /* From a landing pad one may come where much is open. */
    for (; a != b && b >= FIRST; a = stacks[a].below, b = stacks[b].below)
        hook_flow_join(flow, a - FIRST, b - FIRST);
}

static int add_way(struct hook_flow *flow, struct flow_way way)
{
    struct flow_way *ways = room_reserve(flow->ways, flow->way_count,
                                         &flow->way_room, sizeof *ways);

    if (ways == NULL)
        return MCUPROF_E_NOMEM;
    flow->ways = ways;
    ways[flow->way_count++] = way;
    return 0;
}

static uint32_t stand_in(const struct hook_flow *flow, size_t function)
{
    return (uint32_t)(FIRST + flow->sites->count + function);
}

/* The function is left. */
static void leave(struct hook_flow *flow, uint32_t stack, uint32_t address)
{
    uint8_t *effect = &flow->effects[flow->body];

    if (*effect != EFFECT_NONE && stack != PAD) {
        bool keeps = stack == stand_in(flow, flow->body);

        if (*effect == EFFECT_UNKNOWN)
            *effect = keeps ? EFFECT_KEEPS : EFFECT_CLOSES;
        if (keeps != (*effect == EFFECT_KEEPS))
            fail(flow, HOOK_FLOW_UNEQUAL, address);
        if (keeps)
            return;
    }
    if (stack >= FIRST)
        fail(flow, HOOK_FLOW_OPEN, address);
}

/* What STACK is after SITE. */
static uint32_t pass_site(struct hook_flow *flow, size_t index, uint32_t stack)
{
    const struct hook_site *site = &flow->sites->items[index];

    if (flow->bodies[index] != CODE_NONE && flow->bodies[index] != flow->body)
        fail(flow, HOOK_FLOW_STRANGE, site->address);
    flow->bodies[index] = flow->body;
    flow->around[index] = stack;
    if (!site->is_exit)
        return push(flow, index, stack);
    if (stack >= FIRST) {
        hook_flow_join(flow, index, stack - FIRST);
        flow->around[index] = flow->stacks[stack].below;
        return flow->stacks[stack].below;
    }
    if (stack == PAD)
        flow->loose[index] = true;
    else
        fail(flow, HOOK_FLOW_EMPTY, site->address);
    return stack;
}

/* To all of TARGETS that are within the function. */
static int follow_targets(struct hook_flow *flow,
                          const struct code_targets *targets,
                          const struct step *step, bool must_be_within)
{
    bool is_within;
    int result = 0;

    for (size_t i = 0; result == 0 && i < targets->count; i++) {
        result = take_in(flow, targets->items[i], &is_within);
        if (result == 0 && is_within)
            result = add_way(flow,
                             (struct flow_way){.address = targets->items[i],
                                               .stack = step->stack});
        else if (must_be_within)
            fail(flow, HOOK_FLOW_TABLE, step->thumb.address);
    }
    return result;
}

/* The table that the jump or call goes through; 1 if that is known. */
static int follow_table(struct hook_flow *flow, const struct step *step)
{
    struct code_targets targets = {0};
    int result = code_tables_behind(flow->code, &step->thumb, &step->tables,
                                    &targets);

    if (result == 0 && step->thumb.flow == THUMB_JUMP) {
        targets.count = 0;
        result = code_tables_loaded(flow->code, flow->body, &step->thumb,
                                    &step->tables, &targets);
    }
    if (result > 0 && follow_targets(flow, &targets, step, true) < 0)
        result = MCUPROF_E_NOMEM;
    code_targets_free(&targets);
    return result;
}

/*
 * A jump through a register. With nothing open it is a way out: a call at the
 * function's end, or on ARMv6-M a return.
 */
static int follow_pointer(struct hook_flow *flow, const struct step *step)
{
    int result = follow_table(flow, step);

    if (result != 0)
        return result < 0 ? result : 0;
    if (step->thumb.through < THUMB_NO_REGISTER && step->stack == EMPTY) {
        leave(flow, step->stack, step->thumb.address);
        return 0;
    }
    if (!flow->has_targets)
        for (size_t i = 0; result == 0 && i < flow->piece_count; i++)
            result = code_tables_pointed(flow->code, flow->pieces[i].function,
                                         &flow->targets);
    flow->has_targets = true;
    if (result == 0)
        result = follow_targets(flow, &flow->targets, step, false);
    if (flow->targets.count == 0 && step->stack >= FIRST)
        fail(flow, HOOK_FLOW_TABLE, step->thumb.address);
    return result;
}

/* STEP goes to the rest of a function, that closes what is open here. */
static void pass_rest(struct hook_flow *flow, struct step *step)
{
    size_t function;

    if (!step->thumb.has_target)
        return;
    function = code_map_find(flow->code, step->thumb.target);
    if (function == CODE_NONE || flow->effects[function] == EFFECT_NONE
        || flow->code->functions[function].start != step->thumb.target)
        return;
    if (flow->outcomes[function].problem != HOOK_FLOW_FINE
        || flow->effects[function] == EFFECT_UNKNOWN || step->conditional > 0)
        fail(flow, HOOK_FLOW_STRANGE, step->thumb.address);
    else if (flow->effects[function] == EFFECT_KEEPS)
        return;
    else if (step->stack < FIRST)
        fail(flow, HOOK_FLOW_EMPTY, step->thumb.address);
    else {
        hook_flow_join(flow, step->stack - FIRST,
                       stand_in(flow, function) - FIRST);
        step->stack = flow->stacks[step->stack].below;
    }
}

/* To the target of a direct jump, or out of the function. */
static int follow_branch(struct hook_flow *flow, const struct step *step)
{
    struct step after;
    bool is_within;
    int result = take_in(flow, step->thumb.target, &is_within);

    if (result == 0 && is_within)
        return add_way(
                flow,
                (struct flow_way){step->thumb.target, step->stack,
                                  code_tables_branch(flow->code, &step->tables,
                                                     &step->thumb)});
    after = *step;
    pass_rest(flow, &after);
    leave(flow, after.stack, step->thumb.address);
    return result;
}

/* On ARMv6-M gcc jumps far within a function by BL. */
static bool is_far_jump(const struct hook_flow *flow, const struct thumb *thumb)
{
    const struct code_function *functions = flow->code->functions;
    size_t target;

    if (thumb->flow != THUMB_CALL || !thumb->has_target)
        return false;
    target = code_map_find(flow->code, thumb->target);
    if (target == CODE_NONE)
        return false;
    return functions[target].start != thumb->target
                   ? find_piece(flow, thumb->target) != NULL
                   : code_map_is_moved(flow->code, target, flow->body);
}

static bool is_named_hook(const char *name)
{
    return strncmp(name, HOOK_ENTER, strlen(HOOK_ENTER)) == 0
           || strncmp(name, HOOK_EXIT, strlen(HOOK_EXIT)) == 0;
}

/* A call of a hook that is no site, in what calls others as well; or of a clone
   of one, "__cyg_profile_func_exit.constprop.0". */
static bool is_other_hook(const struct hook_flow *flow,
                          const struct thumb *thumb)
{
    const struct code_map *code = flow->code;
    uint32_t target;
    size_t function;

    if (!thumb->has_target || find_piece(flow, thumb->target) != NULL)
        return false;
    target = code_map_resolve(code, thumb->target);
    function = code_map_find(code, target);
    return hook_sites_is_hook(flow->sites, target)
           || (function != CODE_NONE
               && code->functions[function].start == target
               && is_named_hook(code->functions[function].name));
}

/* A call of a hook, or the jump to one that ends the function. */
static void follow_site(struct hook_flow *flow, struct step *step, size_t index)
{
    const struct hook_site *site = &flow->sites->items[index];
    uint32_t after;

    if (!site->is_exit && site->is_jump)
        fail(flow, HOOK_FLOW_STRANGE, site->address);
    after = pass_site(flow, index, step->stack);
    if (site->is_jump)
        leave(flow, after, site->address);
    else if (step->conditional > 0)
        fail(flow, HOOK_FLOW_UNEQUAL, site->address);
    else
        step->stack = after;
}

/* Any other call. */
static int follow_call(struct hook_flow *flow, struct step *step, bool *goes_on)
{
    int result = follow_table(flow, step);

    if (result != 0)
        *goes_on = false;
    else if (step->conditional == 0)
        *goes_on = may_return(flow, &step->thumb);
    pass_rest(flow, step);
    return result;
}

/* What a jump or call does to where the ways go. */
static int follow_flow(struct hook_flow *flow, struct step *step, bool *goes_on)
{
    const struct thumb *thumb = &step->thumb;
    size_t index;
    int result = 0;

    *goes_on = thumb->flow != THUMB_JUMP || step->conditional > 0;
    if (find_site(flow, thumb->address, &index) != NULL) {
        follow_site(flow, step, index);
    } else if (is_other_hook(flow, thumb)) {
        fail(flow, HOOK_FLOW_STRANGE, thumb->address);
    } else if (is_far_jump(flow, thumb)) {
        *goes_on = false;
        result = follow_branch(flow, step);
    } else if (thumb->flow == THUMB_CALL) {
        result = follow_call(flow, step, goes_on);
    } else if (is_return(thumb)) {
        leave(flow, step->stack, thumb->address);
    } else if (thumb->has_target) {
        result = follow_branch(flow, step);
    } else {
        result = follow_pointer(flow, step);
    }
    return result < 0 ? result : 0;
}

/* Follow one way until it ends or comes where one has been. */
static int follow_way(struct hook_flow *flow, struct flow_way way)
{
    const struct piece *piece = find_piece(flow, way.address);
    struct step step = {.stack = way.stack, .tables = way.tables};
    uint32_t address = way.address;
    bool goes_on = true;
    int result = 0;

    while (result == 0 && goes_on && piece != NULL && !has_failed(flow)) {
        uint32_t *known;

        if (address - piece->start >= piece->size
            || !code_map_at(flow->code, address, &step.thumb)) {
            /* It went on into what is behind the function. */
            leave(flow, step.stack, address);
            return 0;
        }
        known = &piece->stacks[(address - piece->start) / 2];
        if (*known != NOT_REACHED) {
            meet(flow, *known, step.stack, address);
            return 0;
        }
        *known = step.stack;
        if (step.thumb.flow == THUMB_STOP)
            return 0;
        if (step.thumb.flow != THUMB_NEXT)
            result = follow_flow(flow, &step, &goes_on);
        step.conditional = step.conditional > 0 ? step.conditional - 1
                                                : step.thumb.conditional;
        code_tables_step(flow->code, &step.tables, &step.thumb);
        address += step.thumb.size;
    }
    return result;
}

static int follow_ways(struct hook_flow *flow)
{
    int result = 0;

    while (result == 0 && flow->way_count > 0 && !has_failed(flow)) {
        struct flow_way way = flow->ways[--flow->way_count];
        const struct piece *piece = find_piece(flow, way.address);
        uint32_t known =
                piece == NULL ? way.stack
                              : piece->stacks[(way.address - piece->start) / 2];

        if (known != NOT_REACHED)
            meet(flow, known, way.stack, way.address);
        else
            result = follow_way(flow, way);
    }
    return result;
}

/* Whether a site in PIECE was not reached. */
static bool has_unreached(const struct hook_flow *flow,
                          const struct piece *piece)
{
    const struct hook_sites *sites = flow->sites;

    for (size_t i = hook_sites_from(sites, piece->start);
         i < sites->count
         && sites->items[i].address - piece->start < piece->size;
         i++)
        if (piece->stacks[(sites->items[i].address - piece->start) / 2]
            == NOT_REACHED)
            return true;
    return false;
}

/* Begin at each instruction of PIECE that no way has reached. */
static int follow_pads(struct hook_flow *flow, const struct piece *piece)
{
    struct image_stretch stretch = {.from = piece->start};
    struct thumb thumb;
    int result = 0;

    while (result == 0 && image_stretch_next(flow->code->image, &stretch)
           && stretch.start - piece->start < piece->size)
        for (uint32_t at = 0; result == 0 && stretch.size - at >= 2;
             at += thumb.size) {
            uint32_t address = stretch.start + at;

            thumb_decode(&thumb, address, stretch.bytes + at,
                         stretch.size - at);
            if (address - piece->start >= piece->size
                || piece->stacks[(address - piece->start) / 2] != NOT_REACHED)
                continue;
            result = follow_way(
                    flow, (struct flow_way){.address = address, .stack = PAD});
            if (result == 0)
                result = follow_ways(flow);
        }
    return result;
}

static void doubt(struct hook_flow *flow, size_t function, uint32_t address)
{
    size_t body = flow->body;

    flow->body = function;
    fail(flow, HOOK_FLOW_STRANGE, address);
    flow->body = body;
}

/* What is strange in PART is so in the functions that it was moved away from.
 */
static void doubt_whole(struct hook_flow *flow, size_t part, uint32_t address)
{
    const struct code_map *code = flow->code;

    for (size_t i = 0; i < code->function_count; i++)
        if (code_map_is_moved(code, part, i))
            doubt(flow, i, address);
}

int hook_flow_follow(struct hook_flow *flow, size_t function)
{
    struct flow_way way = {.address = flow->code->functions[function].start,
                           .stack = flow->effects[function] == EFFECT_NONE
                                            ? (uint32_t)EMPTY
                                            : stand_in(flow, function)};
    int result;

    flow->body = function;
    /* A part that was not found from where it was moved away: that was not
       understood. */
    doubt_whole(flow, function, way.address);
    result = add_piece(flow, function);
    if (result == 0 && !has_failed(flow))
        result = add_way(flow, way);
    if (result == 0)
        result = follow_ways(flow);
    for (size_t i = 0; result == 0 && i < flow->piece_count; i++)
        if (has_unreached(flow, &flow->pieces[i])) {
            flow->outcomes[function].has_pads = true;
            result = follow_pads(flow, &flow->pieces[i]);
        }
    forget_pieces(flow);
    return result;
}

/* Functions by what their hooks come to. */
struct balance {
    bool *has_own;    /* r0 tells an enter hook of it itself */
    bool *has_hooks;  /* there are any */
    bool *unbalanced; /* calling it may leave other calls open than were */
};

/* Code without an enter of its own is of several functions. */
static void find_unbalanced(const struct hook_flow *flow,
                            struct balance *balance)
{
    const struct hook_sites *sites = flow->sites;

    for (size_t i = 0; i < sites->count; i++) {
        const struct hook_site *site = &sites->items[i];

        balance->has_hooks[site->function] = true;
        if (!site->is_exit && site->is_told
            && sites->subjects[site->subject].function == site->function)
            balance->has_own[site->function] = true;
    }
    for (size_t i = 0; i < flow->code->function_count; i++) {
        enum hook_flow_problem problem = flow->outcomes[i].problem;

        balance->unbalanced[i] =
                !balance->has_own[i]
                && (problem == HOOK_FLOW_EMPTY || problem == HOOK_FLOW_OPEN);
    }
}

/* To what calls the unbalanced; false if there was nothing new. */
static bool spread_once(struct hook_flow *flow, const struct balance *balance)
{
    const struct code_map *code = flow->code;
    bool is_changed = false;

    for (size_t i = 0; i < code->branch_count; i++) {
        const struct code_branch *branch = &code->branches[i];
        size_t from = branch->function;
        size_t target = code_map_find(code, branch->target);

        if (target == CODE_NONE || target == from
            || !balance->unbalanced[target]
            || code->functions[target].start != branch->target)
            continue;
        if (balance->has_hooks[from]) {
            doubt(flow, from, branch->address);
            doubt_whole(flow, from, branch->address);
        }
        if (!balance->has_own[from] && !balance->unbalanced[from])
            balance->unbalanced[from] = is_changed = true;
    }
    return is_changed;
}

int hook_flow_spread(struct hook_flow *flow)
{
    size_t count = flow->code->function_count + 1;
    struct balance balance = {.has_own = calloc(count, sizeof(bool)),
                              .has_hooks = calloc(count, sizeof(bool)),
                              .unbalanced = calloc(count, sizeof(bool))};
    int result = MCUPROF_E_NOMEM;

    if (balance.has_own != NULL && balance.has_hooks != NULL
        && balance.unbalanced != NULL) {
        find_unbalanced(flow, &balance);
        while (spread_once(flow, &balance))
            continue;
        result = 0;
    }
    free(balance.has_own);
    free(balance.has_hooks);
    free(balance.unbalanced);
    return result;
}
