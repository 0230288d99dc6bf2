/* SPDX-License-Identifier: MIT */
/*
 * What the function table's hooks cost on this chip, so that it can be taken
 * out of all times.
 */
#include "mcuprof_functions_parts.h"
#if MCUPROF_TRACE
#include "mcuprof_ring.h"
#endif
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
    void *site = MCUPROFI_CALL_SITE;
    mcuprofi_functions_four_pairs(function, site);
    mcuprofi_barrier();
}

MCUPROF_KEEP void mcuprofi_functions_many_pairs(void)
{
    void *function = mcuprofi_functions_own_function();
    void *site = MCUPROFI_CALL_SITE;
    mcuprofi_functions_four_pairs(function, site);
    mcuprofi_functions_four_pairs(function, site);
    mcuprofi_barrier();
}

/* The same with one hook fast and the other slow, as the gates say. */
MCUPROFI_BARE void mcuprofi_functions_halves(uint32_t count)
{
    struct mcuprofi_function_state *state = &mcuprof_functions.hot.state;
    void *function = mcuprofi_functions_own_function();
    void *site = MCUPROFI_CALL_SITE;
    struct mcuprofi_function_row *row = function_costs.row;
    for (uint32_t i = 0; i < count; i++) {
        state->gate = function_costs.gates[0];
        __cyg_profile_func_enter(function, site);
        state->gate = function_costs.gates[1];
        row->min = 0;
        row->span = function_costs.span;
        state->top->before = 0;
        state->top->row |= function_costs.mark;
        state->top->tag -= function_costs.mark / MCUPROF_TABLE_FRAME_SLOW;
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

/* Whose hooks they are that are measured. */
static uint32_t mcuprofi_functions_task(void)
{
#ifdef MCUPROF_CONTEXT_ID
    return mcuprofi_functions_number((uint32_t)(MCUPROF_CONTEXT_ID())
                                     & 0xFFFFu);
#else
    return mcuprof_functions.task;
#endif
}

/* The context that runs, and its row of what is measured; NULL: none. */
static struct mcuprofi_function_row *mcuprofi_functions_set_stage(void)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    mcuprofi_functions_clear();
    struct mcuprofi_function_context *c =
            mcuprofi_functions_find(mcuprofi_functions_task());
    mcuprofi_functions_begin(c, mcuprofi_functions_time());
    struct mcuprofi_function_state state = c->state;
    state.gate = 0;
    t->hot.state = state;
    mcuprofi_barrier();
    t->hot.state.gate = c->state.gate;
    mcuprofi_functions_few_pairs();
    /* An interrupt's rows may lie in front of it. */
    struct mcuprofi_function_row *row = t->rows;
    struct mcuprofi_function_row *end = row + MCUPROF_FUNCTIONS_SLOTS;
    mcuprofi_word key = (mcuprofi_word)mcuprofi_functions_own_function();
    while (row < end && ((row->key | 1u) != key || row->index != state.index)) {
        row++;
    }
    return row < end ? row : NULL;
}

static uint32_t mcuprofi_functions_least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

MCUPROF_NO_INSTRUMENT static uint32_t mcuprofi_functions_excess(uint32_t a,
                                                                uint32_t b)
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
    row->key = MCUPROF_TABLE_ROW_TAKEN;
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
    __cyg_profile_func_enter(function, MCUPROFI_CALL_SITE);
    struct hook_cost cost = mcuprofi_functions_cost_of_pairs(row);
    __cyg_profile_func_exit(function, MCUPROFI_CALL_SITE);
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
    struct hook_cost leave =
            mcuprofi_functions_half(0, 0, MCUPROF_TABLE_FRAME_SLOW);
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

#if MCUPROF_TRACE

/* Ticks of a pair that the ring takes more while it records. */
MCUPROF_NO_INSTRUMENT static uint32_t mcuprofi_functions_of_ring(void)
{
    const struct mcuprofi_trace_cost *ring = &mcuprofi_trace_costs;
    return mcuprofi_trace_is_open()
                   ? mcuprofi_functions_excess(ring->total, ring->closed)
                   : 0;
}

MCUPROF_KEEP uint32_t mcuprofi_functions_on_top(void)
{
    const struct hook_cost *fast = &function_costs.fast;
    return mcuprofi_functions_is_open() ? mcuprofi_functions_excess(
                   fast->inner + fast->outer, mcuprofi_trace_costs.closed)
                                        : 0;
}

#else

MCUPROF_NO_INSTRUMENT static uint32_t mcuprofi_functions_of_ring(void)
{
    return 0;
}

#endif

MCUPROF_KEEP void mcuprofi_functions_costs(uint32_t raw)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    uint32_t ring = mcuprofi_functions_of_ring();
    uint32_t late = mcuprofi_functions_is_slow() ? function_costs.exit_late_gate
                                                 : function_costs.exit_late;
    /* Its enter hook is as long as its exit hook. */
    t->hot.inner = raw ? 0 : function_costs.fast.inner + ring / 2u;
    t->hot.outer = raw ? 0 : function_costs.fast.outer + ring - ring / 2u;
    t->hot.probe = raw ? 0 : function_costs.probe;
    t->head.again_enter = raw ? 0 : function_costs.again.outer;
    t->head.again_exit = raw ? 0 : function_costs.again.inner;
    t->head.again = t->head.again_enter + t->head.again_exit;
    t->head.extend = raw ? 0 : function_costs.extend;
    t->enter_late = raw ? 0 : function_costs.enter_late;
    t->enter_rest = raw ? 0 : function_costs.enter_rest;
    t->exit_late = raw ? 0 : late;
    t->exit_rest = raw ? 0 : function_costs.exit_rest;
}

MCUPROF_NO_INSTRUMENT static uint64_t
mcuprofi_functions_calls(const struct mcuprofi_function_row *row)
{
    return row->calls
           + ((uint64_t)(row->more & MCUPROF_TABLE_MORE_CALLS) << 31);
}

/*
 * A snapshot takes all calls for those of the last price: what the others cost
 * more or less is put to the hooks' time.
 */
MCUPROF_KEEP void mcuprofi_functions_ring_changed(void)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    uint64_t calls = 0;
    if (t->hot.state.gate == 0 || t->raw) {
        return;
    }
    for (size_t i = 0; i < MCUPROF_FUNCTIONS_SLOTS; i++) {
        calls += mcuprofi_functions_calls(&t->rows[i]);
    }
    for (size_t i = 0; i <= MCUPROF_FUNCTIONS_CONTEXTS; i++) {
        calls += mcuprofi_functions_calls(&t->contexts[i].none);
    }
    uint32_t before = t->hot.inner + t->hot.outer;
    mcuprofi_functions_costs(0);
    uint32_t now = t->hot.inner + t->hot.outer;
    mcuprofi_functions_current()->hooks += calls * before - calls * now;
}

void mcuprofi_functions_measure(void)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    uint32_t raw = t->raw;
    uint32_t slow = t->head.slow;
    t->head.slow &= ~MCUPROF_TABLE_SLOW_FILTER;
    mcuprofi_functions_costs(1);
    t->raw = 0;
    struct mcuprofi_function_row *row = mcuprofi_functions_set_stage();
    mcuprofi_clear(&function_costs, sizeof(function_costs));
    if (row != NULL) {
        function_costs.fast = mcuprofi_functions_cost_of_pairs(row);
        function_costs.row = row;
        mcuprofi_functions_measure_slow();
        mcuprofi_functions_measure_again(row);
        function_costs.probe = mcuprofi_functions_measure_probe(row);
    }
    mcuprofi_functions_clear();
    t->head.slow = slow;
    t->raw = raw;
    t->measured = row != NULL;
}

#endif
