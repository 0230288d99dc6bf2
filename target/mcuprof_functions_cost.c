/* SPDX-License-Identifier: MIT */
/*
 * What the function table's hooks cost on this chip, so that it can be taken
 * out of all times.
 */
#include "mcuprof_functions_parts.h"
#include "mcuprof_stream.h"

#if MCUPROF_ENABLED && MCUPROF_FUNCTIONS

#define COST_ROUNDS 8u
#define COST_PAIRS 4u
#define COST_NONE 0xFFFFFFFFu

/* Ticks: between the two readings of the clock, and around them. */
struct hook_cost {
    uint32_t inner;
    uint32_t outer;
};

static struct {
    struct hook_cost fast;
    uint32_t probe;
    uint32_t enter_late;
    uint32_t enter_rest;
    uint32_t exit_late;
    uint32_t exit_rest;
    /* What the gate is when the function is entered, and when it is left. */
    volatile mcuprofi_word gates[2];
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
MCUPROFI_BARE void mcuprofi_functions_one_pair(void *function, void *site)
{
    __cyg_profile_func_enter(function, site);
    __cyg_profile_func_exit(function, site);
}

MCUPROF_KEEP void mcuprofi_functions_empty(void)
{
    mcuprofi_barrier();
}

MCUPROF_KEEP void mcuprofi_functions_pairs(void)
{
    void *function = mcuprofi_functions_own_function();
    void *site = CALL_SITE;
    mcuprofi_functions_one_pair(function, site);
    mcuprofi_functions_one_pair(function, site);
    mcuprofi_functions_one_pair(function, site);
    mcuprofi_functions_one_pair(function, site);
    mcuprofi_barrier();
}

/* The same with one hook fast and the other slow, as the gates say. */
MCUPROF_KEEP void mcuprofi_functions_half_empty(void)
{
    for (uint32_t i = 0; i < COST_PAIRS; i++) {
        mcuprof_functions.hot.state.gate = function_costs.gates[0];
        mcuprof_functions.hot.state.gate = function_costs.gates[1];
    }
}

MCUPROF_KEEP void mcuprofi_functions_half_pairs(void)
{
    void *function = mcuprofi_functions_own_function();
    void *site = CALL_SITE;
    for (uint32_t i = 0; i < COST_PAIRS; i++) {
        mcuprof_functions.hot.state.gate = function_costs.gates[0];
        __cyg_profile_func_enter(function, site);
        mcuprof_functions.hot.state.gate = function_costs.gates[1];
        __cyg_profile_func_exit(function, site);
    }
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
    mcuprofi_functions_pairs();
    struct mcuprofi_function_row *row = t->rows;
    while (row->key == 0 || row->key == MCUPROFI_ROW_RESERVED) {
        row++;
    }
    return row;
}

/*
 * The least of some rounds, for interrupts only add to it: ticks from the hook
 * that enters to the one that leaves, and around the two.
 */
static struct hook_cost
mcuprofi_functions_cost_of(const struct mcuprofi_function_row *row,
                           void (*empty)(void), void (*pair)(void))
{
    struct hook_cost least = {0, 0};
    uint32_t least_sum = COST_NONE;
    for (uint32_t i = 0; i < COST_ROUNDS; i++) {
        uint32_t nothing = mcuprofi_functions_time_of(empty);
        uint32_t before = row->total;
        uint32_t sum = mcuprofi_functions_time_of(pair);
        sum = sum > nothing ? sum - nothing : 0;
        if (sum < least_sum) {
            least_sum = sum;
            least.inner = (row->total - before) / COST_PAIRS;
            least.outer = sum / COST_PAIRS;
            least.outer -=
                    least.outer > least.inner ? least.inner : least.outer;
        }
    }
    return least;
}

static uint32_t mcuprofi_functions_excess(uint32_t a, uint32_t b)
{
    return a > b ? a - b : 0;
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
            mcuprofi_functions_cost_of(next, mcuprofi_functions_empty,
                                       mcuprofi_functions_pairs)
                    .outer,
            function_costs.fast.outer);
}

/* With a slow hook where it is said, or none. */
static struct hook_cost
mcuprofi_functions_half(const struct mcuprofi_function_row *row,
                        uint32_t at_enter, uint32_t at_exit)
{
    mcuprofi_word gate = mcuprof_functions.hot.state.gate;
    function_costs.gates[0] = gate | at_enter;
    function_costs.gates[1] = gate | at_exit;
    struct hook_cost cost = mcuprofi_functions_cost_of(
            row, mcuprofi_functions_half_empty, mcuprofi_functions_half_pairs);
    mcuprof_functions.hot.state.gate = gate;
    return cost;
}

static void
mcuprofi_functions_measure_slow(const struct mcuprofi_function_row *row)
{
    struct hook_cost fast = function_costs.fast;
    struct hook_cost none = mcuprofi_functions_half(row, 0, 0);
    struct hook_cost enter =
            mcuprofi_functions_half(row, MCUPROFI_GATE_SLOW, 0);
    struct hook_cost leave =
            mcuprofi_functions_half(row, 0, MCUPROFI_GATE_SLOW);
    function_costs.enter_late =
            mcuprofi_functions_excess(enter.outer, none.outer);
    function_costs.enter_rest =
            mcuprofi_functions_excess(enter.inner + fast.inner, none.inner);
    function_costs.exit_late =
            mcuprofi_functions_excess(leave.inner, none.inner);
    function_costs.exit_rest =
            mcuprofi_functions_excess(leave.outer + fast.outer, none.outer);
}

void mcuprofi_functions_costs(uint32_t raw)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    t->hot.inner = raw ? 0 : function_costs.fast.inner;
    t->hot.outer = raw ? 0 : function_costs.fast.outer;
    t->hot.probe = raw ? 0 : function_costs.probe;
    t->enter_late = raw ? 0 : function_costs.enter_late;
    t->enter_rest = raw ? 0 : function_costs.enter_rest;
    t->exit_late = raw ? 0 : function_costs.exit_late;
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
    function_costs.fast = mcuprofi_functions_cost_of(
            row, mcuprofi_functions_empty, mcuprofi_functions_pairs);
    mcuprofi_functions_measure_slow(row);
    function_costs.probe = mcuprofi_functions_measure_probe(row);
    mcuprofi_functions_clear();
    t->head.slow = slow;
    t->raw = raw;
    t->measured = 1;
}

#endif
