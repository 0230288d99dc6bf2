/* SPDX-License-Identifier: MIT */
/*
 * The function table's slow path: all that a hook does. The fast paths in
 * mcuprof_functions_hooks.c are its short cuts; what they find different they
 * leave to it from the beginning.
 */
#include "mcuprof_functions_parts.h"

#if MCUPROF_ENABLED && MCUPROF_FUNCTIONS

#ifdef MCUPROF_CONTEXT_ID
#define PULLS 1
#else
#define PULLS 0
#endif
#define NOBODY (&mcuprof_functions.contexts[MCUPROFI_FUNCTIONS_NOBODY])

typedef struct mcuprofi_function_context function_context;
typedef struct mcuprofi_function_frame function_frame;
typedef struct mcuprofi_function_row function_row;

/* An event: its context, its time, and what that was when it arrived. */
struct function_event {
    function_context *context;
    function_context
            *payer; /* whose hook it is, and the only one to count it */
    uint32_t v;
    uint32_t arrived;
    uint32_t rest; /* ticks that come behind its end */
};

/*
 * The hook ends: its context's time is e->v. All that is not a context's own is
 * the hooks', but for `usual`, which each call takes anyhow.
 */
MCUPROF_NO_INSTRUMENT static void
mcuprofi_functions_finish(const struct function_event *e, uint32_t usual)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    uint32_t back = e->arrived - e->v;
    uint32_t tries = MCUPROFI_FUNCTIONS_TRIES;
    uint32_t stolen;
    uint32_t next;
    do {
        stolen = (uint32_t)t->hot.stolen;
        mcuprofi_barrier();
        /* Another task runs, and nobody told: it has begun its own time. */
        if (PULLS && mcuprofi_functions_current() != e->context) {
            e->payer->hooks -= usual;
            return;
        }
        next = stolen + back;
        if (!t->raw) {
            next = mcuprofi_functions_clock() - e->v + e->rest;
        }
    } while (!mcuprofi_swap(&t->hot.stolen, stolen, next) && --tries > 0);
    if (tries == 0) {
        t->hot.stolen = next;
        e->payer->tries++;
    }
    e->payer->hooks += (uint64_t)(int32_t)(next - stolen - back - usual);
    mcuprofi_functions_go_on(e->v);
}

/* The greatest and the least, in 40 bits. */
MCUPROF_NO_INSTRUMENT static void mcuprofi_functions_note(function_row *row,
                                                          uint64_t whole)
{
    uint64_t least = (uint64_t)row->min_high << 32 | row->min;
    uint64_t most =
            (uint64_t)row->max_high << 32 | (uint32_t)(row->min + row->span);
    whole = whole < 0xFEFFFFFFFFu ? whole : 0xFEFFFFFFFFu;
    if (row->min_high == MCUPROF_TABLE_ROW_NO_MIN) {
        most = 0;
    }
    least = whole < least ? whole : least;
    most = whole > most ? whole : most;
    row->min = (uint32_t)least;
    row->min_high = (uint8_t)(least >> 32);
    row->span = (uint32_t)most - (uint32_t)least;
    row->max_high = (uint8_t)(most >> 32);
    if (most >= MCUPROFI_FUNCTIONS_LONGEST) {
        row->index |= MCUPROF_TABLE_ROW_SLOW;
    }
}

/* The topmost call ends at v. */
MCUPROF_NO_INSTRUMENT static void
mcuprofi_functions_leave(struct mcuprofi_function_state *state, uint32_t v)
{
    const struct mcuprofi_functions *t = &mcuprof_functions;
    function_context *c = &mcuprof_functions.contexts[state->index];
    function_frame *f = state->top;
    function_row *row = mcuprofi_functions_row_of(f);
    uint32_t age = v - f->start;
    age = age <= MCUPROF_TABLE_AGE_MAX ? age : 0;
    f[-1].children += age;
    state->top = f - 1;
    mcuprofi_functions_add(f, age - f->children, age);
    row->calls++;
    if (mcuprofi_functions_is_again(f)) {
        c->base->lr += t->head.again;
    }
    if (row == &c->none) {
        return;
    }
    mcuprofi_functions_note(
            row, age + (f->row & MCUPROF_TABLE_FRAME_SLOW ? f->before : 0));
    if (!mcuprofi_functions_is_again(f)) {
        row->key |= 1u;
    }
}

MCUPROF_KEEP void
mcuprofi_functions_unwind(struct mcuprofi_function_state *state, uint32_t v)
{
    function_context *c = &mcuprof_functions.contexts[state->index];
    c->hooks -= mcuprof_functions.hot.outer;
    mcuprofi_functions_leave(state, v);
    c->unwound++;
    mcuprofi_functions_drop_excess(c);
}

/* An interrupt is over: what it has interrupted goes on from there. */
MCUPROF_NO_INSTRUMENT static void
mcuprofi_functions_resume(struct function_event *e)
{
    struct mcuprofi_function_state *state = &mcuprof_functions.hot.state;
    function_context *c = e->context;
    while (state->top != c->base) {
        mcuprofi_functions_unwind(state, e->v);
    }
    c->outside +=
            mcuprofi_functions_ticks(e->v - c->base->start - c->base->children);
    c->hooks += c->base->lr;
    c->base->lr = 0;
    c->v = e->v;
    c->state.epoch = state->epoch;
    *state = c->below;
    e->v = c->below_v;
    e->context = mcuprofi_functions_current();
}

/* An interrupt begins, where the time is. */
MCUPROFI_BARE void mcuprofi_functions_suspend(struct function_event *e,
                                              mcuprofi_word ipsr)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    function_context *c = mcuprofi_functions_find((unsigned)ipsr);
    e->context = c;
    if (c != NOBODY) {
        c->below = t->hot.state;
        c->below_v = e->v;
        mcuprofi_functions_begin(c, e->v);
        t->hot.state = c->state;
    }
}

/* Whether this IPSR is that of a context, which runs or was interrupted. */
MCUPROFI_BARE int mcuprofi_functions_is_of(const function_context *c,
                                           mcuprofi_word ipsr)
{
    return mcuprofi_functions_is_interrupt(c) ? c->used == ipsr + 1u
                                              : ipsr == 0;
}

MCUPROFI_BARE int mcuprofi_functions_is_known(const function_context *c,
                                              mcuprofi_word ipsr)
{
    while (!mcuprofi_functions_is_of(c, ipsr)) {
        if (!mcuprofi_functions_is_interrupt(c)) {
            return 0;
        }
        c = &mcuprof_functions.contexts[c->below.index];
    }
    return 1;
}

/* Finds out whose event it is. returns: 0 if it is nobody's, and is over */
MCUPROF_NO_INSTRUMENT static int
mcuprofi_functions_arrive(struct function_event *e, mcuprofi_word function,
                          uint32_t late, uint32_t rest)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    mcuprofi_word ipsr = mcuprofi_ipsr();
    if (t->hot.state.gate == 0) {
        return 0;
    }
#ifdef MCUPROF_CONTEXT_ID
    if (ipsr == 0) {
        mcuprofi_functions_switch((uint32_t)(MCUPROF_CONTEXT_ID()) & 0xFFFFu);
    }
#endif
    e->v = mcuprofi_functions_time() - late;
    e->arrived = e->v;
    e->rest = rest;
    e->context = mcuprofi_functions_current();
    e->payer = NOBODY;
    if ((t->head.slow & MCUPROF_TABLE_SLOW_FILTER) != 0
        && !mcuprofi_functions_is_wanted(function, ipsr)) {
        mcuprofi_functions_finish(e, 0);
        return 0;
    }
    if (!mcuprofi_functions_is_known(e->context, ipsr)) {
        mcuprofi_functions_suspend(e, ipsr);
    }
    while (e->context != NOBODY
           && !mcuprofi_functions_is_of(e->context, ipsr)) {
        mcuprofi_functions_resume(e);
    }
    if (e->context == NOBODY) {
        mcuprofi_functions_count(&t->head.no_context);
        mcuprofi_functions_finish(e, 0);
        return 0;
    }
    e->payer = e->context;
    if (e->context->pending) {
        mcuprofi_functions_catch_up(e->context);
    }
    mcuprofi_functions_settle_due(e->v);
    return 1;
}

/* Takes a free row. A section that failed may have let another take it. */
MCUPROFI_BARE void mcuprofi_functions_claim(function_row *row,
                                            mcuprofi_word function,
                                            mcuprofi_word index)
{
    for (uint32_t i = 0; row->key == 0 && i < MCUPROFI_FUNCTIONS_TRIES; i++) {
        if (mcuprofi_swap(&row->key, 0, MCUPROF_TABLE_ROW_TAKEN)) {
            row->index = (uint8_t)index;
            mcuprofi_functions_empty_row(row);
            mcuprofi_barrier();
            row->key = function;
        }
    }
}

/* Finds a function's row, or takes a free one; its context's own without. */
MCUPROFI_BARE function_row *mcuprofi_functions_row(function_context *c,
                                                   mcuprofi_word function)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    mcuprofi_word index = (mcuprofi_word)(c - t->contexts);
    uint32_t at = mcuprofi_functions_hash(function, index);
    for (uint32_t i = 0; i < MCUPROFI_FUNCTIONS_PROBES; i++, at++) {
        function_row *row = &t->rows[at & (MCUPROF_FUNCTIONS_SLOTS - 1u)];
        mcuprofi_functions_claim(row, function, index);
        mcuprofi_word key = row->key;
        if ((key | 1u) == function
            && (row->index & (MCUPROF_TABLE_ROW_SLOW - 1u)) == index) {
            return row;
        }
        if (key == 0) {
            break;
        }
    }
    return &c->none;
}

/* The frame above the top becomes an open call. */
MCUPROFI_BARE void
mcuprofi_functions_open_call(function_context *c,
                             struct mcuprofi_function_state *state)
{
    function_frame *call = state->top + 1;
    function_row *row = mcuprofi_functions_row_of(call);
    mcuprofi_word function = call->tag;
    int is_slow =
            row == &c->none || (row->index & MCUPROF_TABLE_ROW_SLOW) != 0
            || (state->top == c->base && mcuprofi_functions_is_interrupt(c));
    for (const function_frame *f = state->top;
         (row->key & 1u) == 0 && f > c->base; f--) {
        if (mcuprofi_functions_row_of(f) == row) {
            call->tag = function - 1u;
            break;
        }
    }
    if (row != &c->none) {
        row->key = function - 1u;
    }
    if (is_slow) {
        mcuprofi_functions_make_slow(call);
    }
    mcuprofi_barrier();
    state->top = call;
}

/* Too deep: counted, its time is that of what is on top. */
MCUPROFI_BARE void
mcuprofi_functions_sink(function_context *c,
                        const struct mcuprofi_function_state *state,
                        function_row *row)
{
    mcuprofi_functions_make_slow(state->top);
    mcuprofi_functions_carry(row);
    row->calls++;
    c->excess++;
    c->deep++;
}

MCUPROF_KEEP void mcuprofi_functions_enter_slow(mcuprofi_word function,
                                                mcuprofi_word sp,
                                                mcuprofi_word lr)
{
    const struct mcuprofi_functions *t = &mcuprof_functions;
    struct function_event e;
    if (!mcuprofi_functions_arrive(&e, function, t->enter_late,
                                   t->enter_rest)) {
        return;
    }
    function_context *c = e.context;
    struct mcuprofi_function_state *state = mcuprofi_functions_state(c);
    /* Calls whose stack is gone: longjmp(), throw, a task begun anew. */
    while (sp > state->top->sp
           || (sp == state->top->sp && lr == state->top->lr
               && (state->top->tag | 1u) == function)) {
        mcuprofi_functions_unwind(state, e.v);
    }
    function_row *row = mcuprofi_functions_row(c, function);
    uint32_t usual = mcuprofi_functions_entered_row(row);
    if (state->top == state->limit) {
        mcuprofi_functions_sink(c, state, row);
    } else {
        function_frame *call = state->top + 1;
        call->tag = function;
        call->start = e.v;
        call->row = (mcuprofi_word)row;
        call->children = 0;
        call->lr = lr;
        call->sp = sp;
        call->before = 0;
        mcuprofi_functions_open_call(c, state);
        usual = mcuprofi_functions_entered(call);
    }
    mcuprofi_functions_finish(&e, usual);
}

MCUPROF_KEEP void mcuprofi_functions_exit_slow(mcuprofi_word function,
                                               mcuprofi_word sp)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    struct function_event e;
    if (!mcuprofi_functions_arrive(&e, function, t->exit_late, t->exit_rest)) {
        return;
    }
    function_context *c = e.context;
    struct mcuprofi_function_state *state = mcuprofi_functions_state(c);
    uint32_t usual = 0;
    function_frame *f = state->top;
    if (c->excess > 0 && sp <= f->sp) {
        c->excess--;
        mcuprofi_functions_finish(&e, t->hot.outer);
        return;
    }
    mcuprofi_functions_drop_excess(c);
    while (f > c->base && (f->tag | 1u) != function) {
        f--;
    }
    if (f == c->base) {
        c->unmatched++;
    } else {
        while (state->top != f) {
            mcuprofi_functions_unwind(state, e.v);
        }
        usual = t->hot.outer;
        mcuprofi_functions_leave(state, e.v);
    }
    if (state->top == c->base && mcuprofi_functions_is_interrupt(c)) {
        mcuprofi_functions_resume(&e);
    }
    mcuprofi_functions_finish(&e, usual);
}

#endif
