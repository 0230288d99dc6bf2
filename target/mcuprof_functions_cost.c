/* SPDX-License-Identifier: MIT */
/*
 * What the function table's hooks cost on this chip, so that it can be taken
 * out of all times.
 */
#include "mcuprof_functions_parts.h"
#include "mcuprof_stream.h"

#if MCUPROF_ENABLED && MCUPROF_FUNCTIONS

#define COST_ROUNDS 8u
#define COST_FEW 4u
#define COST_MANY 8u
#define COST_NONE 0xFFFFFFFFu

/* Ticks of a pair: between the two readings of the clock, and around them. */
struct hook_cost {
    uint32_t inner;
    uint32_t outer;
};

static struct {
    struct mcuprofi_function_row *row; /* of what is measured */
    struct hook_cost fast;
    struct hook_cost again;
    uint32_t extend;
    uint32_t probe;
    uint32_t enter_late;
    uint32_t enter_rest;
    uint32_t exit_late;      /* of a call that is marked */
    uint32_t exit_late_gate; /* where no hook is fast */
    uint32_t exit_rest;
    /* What the gate is when the function is entered, and when it is left... */
    volatile mcuprofi_word gates[2];
    /* ...what its call is marked with, and how far apart min and max are. */
    volatile mcuprofi_word mark;
    volatile uint32_t span;
} function_costs;

#if defined(__GNUC__)
#define CALL_SITE __builtin_return_address(0)
#else
#define CALL_SITE NULL
#endif

static void *mcuprofi_functions_own_function(void)
{
    /* As an odd number, which no pointer to a function need be elsewhere. */
    return (void *)((uintptr_t)&mcuprofi_functions_measure | 1u);
}

/*
 * Calls of nothing, as those of an inlined function: between the hooks there
 * are their arguments, and that is all.
 */
MCUPROFI_BARE void mcuprofi_functions_four_pairs(void *function, void *site)
{
    __cyg_profile_func_enter(function, site);
    __cyg_profile_func_exit(function, site);
    __cyg_profile_func_enter(function, site);
    __cyg_profile_func_exit(function, site);
    __cyg_profile_func_enter(function, site);
    __cyg_profile_func_exit(function, site);
    __cyg_profile_func_enter(function, site);
    __cyg_profile_func_exit(function, site);
}

MCUPROF_KEEP void mcuprofi_functions_few_pairs(void)
{
    void *function = mcuprofi_functions_own_function();
    void *site = CALL_SITE;
    mcuprofi_functions_four_pairs(function, site);
    mcuprofi_barrier();
}

MCUPROF_KEEP void mcuprofi_functions_many_pairs(void)
{
    void *function = mcuprofi_functions_own_function();
    void *site = CALL_SITE;
    mcuprofi_functions_four_pairs(function, site);
    mcuprofi_functions_four_pairs(function, site);
    mcuprofi_barrier();
}

/* The same with one hook fast and the other slow, as the gates say. */
MCUPROFI_BARE void mcuprofi_functions_halves(uint32_t count)
{
    struct mcuprofi_function_state *state = &mcuprof_functions.hot.state;
    void *function = mcuprofi_functions_own_function();
    void *site = CALL_SITE;
    struct mcuprofi_function_row *row = function_costs.row;
    for (uint32_t i = 0; i < count; i++) {
        state->gate = function_costs.gates[0];
        __cyg_profile_func_enter(function, site);
        state->gate = function_costs.gates[1];
        row->min = 0;
        row->span = function_costs.span;
        state->top->before = 0;
        state->top->row |= function_costs.mark;
        state->top->tag -= function_costs.mark / MCUPROFI_FRAME_SLOW;
        __cyg_profile_func_exit(function, site);
    }
}

MCUPROF_KEEP void mcuprofi_functions_few_halves(void)
{
    mcuprofi_functions_halves(COST_FEW);
}

MCUPROF_KEEP void mcuprofi_functions_many_halves(void)
{
    mcuprofi_functions_halves(COST_MANY);
}

/* Time of the context in which they are called. */
static uint32_t mcuprofi_functions_time_of(void (*function)(void))
{
    uint32_t begin = mcuprofi_functions_time();
    function();
    return mcuprofi_functions_time() - begin;
}

/* The context of the thread, and its first row. */
static struct mcuprofi_function_row *mcuprofi_functions_set_stage(void)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    mcuprofi_functions_clear();
    struct mcuprofi_function_context *c =
            mcuprofi_functions_find(MCUPROF_CONTEXT_THREAD);
    mcuprofi_functions_begin(c, mcuprofi_functions_time());
    struct mcuprofi_function_state state = c->state;
    state.gate = 0;
    t->hot.state = state;
    mcuprofi_barrier();
    t->hot.state.gate = c->state.gate;
    mcuprofi_functions_few_pairs();
    struct mcuprofi_function_row *row = t->rows;
    while (row->key == 0 || row->key == MCUPROFI_ROW_RESERVED) {
        row++;
    }
    return row;
}

static uint32_t mcuprofi_functions_least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t mcuprofi_functions_excess(uint32_t a, uint32_t b)
{
    return a > b ? a - b : 0;
}

/*
 * The least of some rounds, for interrupts only add to it. What comes around
 * the pairs is in few as it is in many.
 */
static struct hook_cost
mcuprofi_functions_cost_of(const struct mcuprofi_function_row *row,
                           void (*few)(void), void (*many)(void))
{
    struct hook_cost cost;
    uint32_t least_few = COST_NONE;
    uint32_t least_many = COST_NONE;
    uint32_t inner = COST_NONE;
    for (uint32_t i = 0; i < COST_ROUNDS; i++) {
        least_few = mcuprofi_functions_least(least_few,
                                             mcuprofi_functions_time_of(few));
        uint32_t before = row->self;
        least_many = mcuprofi_functions_least(least_many,
                                              mcuprofi_functions_time_of(many));
        inner = mcuprofi_functions_least(inner, row->self - before);
    }
    cost.inner = inner / COST_MANY;
    cost.outer = mcuprofi_functions_excess(
            mcuprofi_functions_excess(least_many, least_few)
                    / (COST_MANY - COST_FEW),
            cost.inner);
    return cost;
}

static struct hook_cost
mcuprofi_functions_cost_of_pairs(const struct mcuprofi_function_row *row)
{
    return mcuprofi_functions_cost_of(row, mcuprofi_functions_few_pairs,
                                      mcuprofi_functions_many_pairs);
}

/* As if another function had been first where its row should be. */
static uint32_t
mcuprofi_functions_measure_probe(struct mcuprofi_function_row *row)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    struct mcuprofi_function_row *next =
            row + 1 < t->rows + MCUPROF_FUNCTIONS_SLOTS ? row + 1 : t->rows;
    *next = *row;
    row->key = MCUPROFI_ROW_RESERVED;
    return mcuprofi_functions_excess(
            mcuprofi_functions_cost_of_pairs(next).outer,
            function_costs.fast.outer);
}

/* Calls of a function from itself. */
static void
mcuprofi_functions_measure_again(const struct mcuprofi_function_row *row)
{
    struct hook_cost *again = &function_costs.again;
    void *function = mcuprofi_functions_own_function();
    __cyg_profile_func_enter(function, CALL_SITE);
    struct hook_cost cost = mcuprofi_functions_cost_of_pairs(row);
    __cyg_profile_func_exit(function, CALL_SITE);
    again->inner =
            mcuprofi_functions_excess(cost.inner, function_costs.fast.inner);
    again->outer =
            mcuprofi_functions_excess(cost.outer, function_costs.fast.outer);
}

/* With a slow hook where it is said, or none. */
static struct hook_cost mcuprofi_functions_half(uint32_t at_enter,
                                                uint32_t at_exit, uint32_t mark)
{
    mcuprofi_word gate = mcuprof_functions.hot.state.gate;
    function_costs.gates[0] = gate + at_enter;
    function_costs.gates[1] = gate + at_exit;
    function_costs.mark = mark;
    struct hook_cost cost = mcuprofi_functions_cost_of(
            function_costs.row, mcuprofi_functions_few_halves,
            mcuprofi_functions_many_halves);
    mcuprof_functions.hot.state.gate = gate;
    return cost;
}

static void mcuprofi_functions_measure_slow(void)
{
    struct hook_cost fast = function_costs.fast;
    function_costs.span = MCUPROFI_FUNCTIONS_LONGEST - 1u;
    struct hook_cost none = mcuprofi_functions_half(0, 0, 0);
    struct hook_cost enter = mcuprofi_functions_half(MCUPROFI_GATE_SLOW, 0, 0);
    struct hook_cost gate = mcuprofi_functions_half(0, MCUPROFI_GATE_SLOW, 0);
    struct hook_cost leave = mcuprofi_functions_half(0, 0, MCUPROFI_FRAME_SLOW);
    function_costs.span = 0;
    struct hook_cost extend = mcuprofi_functions_half(0, 0, 0);
    function_costs.extend = mcuprofi_functions_excess(extend.outer, none.outer);
    function_costs.enter_late =
            mcuprofi_functions_excess(enter.outer, none.outer);
    function_costs.enter_rest =
            mcuprofi_functions_excess(enter.inner + fast.inner, none.inner);
    function_costs.exit_late =
            mcuprofi_functions_excess(leave.inner, none.inner);
    function_costs.exit_late_gate =
            mcuprofi_functions_excess(gate.inner, none.inner);
    function_costs.exit_rest =
            mcuprofi_functions_excess(leave.outer + fast.outer, none.outer);
}

void mcuprofi_functions_costs(uint32_t raw)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    uint32_t late = mcuprofi_functions_is_slow() ? function_costs.exit_late_gate
                                                 : function_costs.exit_late;
    t->hot.inner = raw ? 0 : function_costs.fast.inner;
    t->hot.outer = raw ? 0 : function_costs.fast.outer;
    t->hot.probe = raw ? 0 : function_costs.probe;
    t->head.again_enter = raw ? 0 : function_costs.again.outer;
    t->head.again_exit = raw ? 0 : function_costs.again.inner;
    t->head.extend = raw ? 0 : function_costs.extend;
    t->enter_late = raw ? 0 : function_costs.enter_late;
    t->enter_rest = raw ? 0 : function_costs.enter_rest;
    t->exit_late = raw ? 0 : late;
    t->exit_rest = raw ? 0 : function_costs.exit_rest;
}

void mcuprofi_functions_measure(void)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    uint32_t raw = t->raw;
    uint32_t slow = t->head.slow;
    t->head.slow &= ~MCUPROFI_FUNCTIONS_FILTER;
    mcuprofi_functions_costs(1);
    t->raw = 0;
    struct mcuprofi_function_row *row = mcuprofi_functions_set_stage();
    function_costs.fast = mcuprofi_functions_cost_of_pairs(row);
    function_costs.row = row;
    mcuprofi_functions_measure_slow();
    mcuprofi_functions_measure_again(row);
    function_costs.probe = mcuprofi_functions_measure_probe(row);
    mcuprofi_functions_clear();
    t->head.slow = slow;
    t->raw = raw;
    t->measured = 1;
}

#endif
