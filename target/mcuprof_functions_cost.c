/* SPDX-License-Identifier: MIT */
/*
 * What the function table's hooks cost on this chip, so that it can be taken
 * out of all times: of a function as the compiler makes it of an empty one.
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
    struct hook_cost slow; /* what is left when the slow path has timed itself */
    uint32_t probe;
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

MCUPROF_KEEP void mcuprofi_functions_empty(void)
{
    mcuprofi_barrier();
}

MCUPROF_KEEP void mcuprofi_functions_pair(void)
{
    __cyg_profile_func_enter(mcuprofi_functions_own_function(), CALL_SITE);
    __cyg_profile_func_exit(mcuprofi_functions_own_function(), CALL_SITE);
}

/* Time of the context in which they are called. */
static uint32_t mcuprofi_functions_time_of(void (*function)(void))
{
    uint32_t begin = mcuprofi_functions_time();
    for (uint32_t i = 0; i < COST_PAIRS; i++) {
        function();
    }
    return mcuprofi_functions_time() - begin;
}

/* The context of the thread, and its first row. */
static struct mcuprofi_function_row *mcuprofi_functions_set_stage(mcuprofi_word gate)
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
    t->hot.state.gate = c->state.gate | gate;
    /* Claims its row, and has been open at both ends of it. */
    mcuprofi_functions_pair();
    mcuprofi_functions_pair();
    struct mcuprofi_function_row *row = t->rows;
    while (row->key == 0 || row->key == MCUPROFI_ROW_RESERVED) {
        row++;
    }
    return row;
}

/*
 * One round: the least of what is between, which is as it was in most, and of
 * all of it together.
 */
static struct hook_cost mcuprofi_functions_play_pairs(struct mcuprofi_function_row *row)
{
    struct hook_cost cost;
    uint32_t empty = mcuprofi_functions_time_of(mcuprofi_functions_empty);
    uint32_t before = row->total;
    uint32_t with = mcuprofi_functions_time_of(mcuprofi_functions_pair);
    cost.inner = (row->total - before) / COST_PAIRS;
    cost.outer = with > empty ? (with - empty) / COST_PAIRS : 0;
    cost.outer -= cost.outer > cost.inner ? cost.inner : cost.outer;
    return cost;
}

static struct hook_cost mcuprofi_functions_least_of(struct mcuprofi_function_row *row)
{
    struct hook_cost least = {COST_NONE, COST_NONE};
    for (uint32_t i = 0; i < COST_ROUNDS; i++) {
        struct hook_cost cost = mcuprofi_functions_play_pairs(row);
        if (cost.inner + cost.outer < least.inner + least.outer
            || least.inner == COST_NONE) {
            least = cost;
        }
    }
    return least;
}

/* As if another function had been first where its row should be. */
static uint32_t mcuprofi_functions_measure_probe(struct mcuprofi_function_row *row)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    struct mcuprofi_function_row *next =
            row + 1 < t->rows + MCUPROF_FUNCTIONS_SLOTS ? row + 1 : t->rows;
    *next = *row;
    row->key = MCUPROFI_ROW_RESERVED;
    struct hook_cost cost = mcuprofi_functions_least_of(next);
    cost.outer -= function_costs.fast.outer < cost.outer
                          ? function_costs.fast.outer
                          : cost.outer;
    return cost.outer;
}

void mcuprofi_functions_costs(uint32_t raw)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    t->hot.inner = raw ? 0 : function_costs.fast.inner;
    t->hot.outer = raw ? 0 : function_costs.fast.outer;
    t->hot.probe = raw ? 0 : function_costs.probe;
    t->slow_inner = raw ? 0 : function_costs.slow.inner;
    t->slow_outer = raw ? 0 : function_costs.slow.outer;
}

void mcuprofi_functions_measure(void)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    uint32_t raw = t->raw;
    uint32_t filter = t->slow & MCUPROFI_FUNCTIONS_FILTER;
    t->slow &= ~filter;
    mcuprofi_functions_costs(1);
    t->raw = 0;
    struct mcuprofi_function_row *row = mcuprofi_functions_set_stage(0);
    function_costs.fast = mcuprofi_functions_least_of(row);
    function_costs.probe = mcuprofi_functions_measure_probe(row);
    row = mcuprofi_functions_set_stage(MCUPROFI_GATE_SLOW);
    function_costs.slow = mcuprofi_functions_least_of(row);
    mcuprofi_functions_clear();
    t->slow |= filter;
    t->raw = raw;
    t->measured = 1;
}

#endif
