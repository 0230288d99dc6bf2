/* SPDX-License-Identifier: MIT */
/*
 * The function table's thread side: start, stop, reset, and its contexts.
 */
#include "mcuprof_functions_parts.h"
#include "mcuprof_stream.h"

#if MCUPROF_ENABLED && MCUPROF_FUNCTIONS

#define CONTEXTS MCUPROF_FUNCTIONS_CONTEXTS
#define LOW_BITS 0x7FFFFFFFu

MCUPROF_VISIBLE struct mcuprofi_functions mcuprof_functions;

MCUPROF_KEEP uint32_t mcuprofi_functions_clock(void)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    /* Hooks that take nothing but that: the register is the clock. */
    if (MCUPROFI_HOOKS_V7M && (t->head.slow & MCUPROF_TABLE_SLOW_NARROW) == 0) {
        return *t->hot.clock;
    }
    if (mcuprofi_stream.clock.adds_up) {
        return mcuprofi_stream_now();
    }
    uint32_t tries = MCUPROFI_FUNCTIONS_TRIES;
    uint32_t last;
    uint32_t now;
    int is_done;
    do {
        is_done = mcuprofi_functions_read(&last, &now)
                          ? last == t->head.now
                          : mcuprofi_swap(&t->head.now, last, now);
    } while (!is_done && --tries > 0);
    return now;
}

/*
 * The clock's upper 4 bits are counted on, wherever it is read off the usual
 * way: in one word, so that no interrupt finds it half done.
 */
MCUPROF_KEEP uint64_t mcuprofi_functions_wall(void)
{
    volatile mcuprofi_word *turns = &mcuprof_functions.head.turns;
    uint32_t tries = MCUPROFI_FUNCTIONS_TRIES;
    uint32_t last;
    uint32_t now;
    uint32_t next;
    do {
        last = (uint32_t)*turns;
        mcuprofi_barrier();
        now = mcuprofi_functions_clock();
        next = last + ((now / MCUPROF_TABLE_TURN - last) & 0xFu);
    } while (next != last && !mcuprofi_swap(turns, last, next) && --tries > 0);
    return (uint64_t)next * MCUPROF_TABLE_TURN + now % MCUPROF_TABLE_TURN;
}

MCUPROF_KEEP uint32_t mcuprofi_functions_time_at(uint64_t *wall)
{
    volatile mcuprofi_word *word = &mcuprof_functions.hot.stolen;
    uint32_t tries = MCUPROFI_FUNCTIONS_TRIES;
    mcuprofi_word stolen;
    do {
        stolen = *word;
        *wall = mcuprofi_functions_wall();
    } while (stolen != *word && --tries > 0);
    return (uint32_t)*wall - (uint32_t)stolen;
}

/* Where the hooks read the time; 0 if there is nothing to read. */
static int mcuprofi_functions_use_clock(void)
{
    const struct mcuprofi_clock *clock = &mcuprofi_stream.clock;
    struct mcuprofi_functions *t = &mcuprof_functions;
    int is_fast = MCUPROFI_HOOKS_V7M ? clock->is_plain : !clock->adds_up;
    t->hot.clock = clock->reg;
    t->head.mask = clock->mask;
    t->head.flip = clock->flip;
    t->head.slow &= MCUPROF_TABLE_SLOW_FILTER;
    t->head.slow |= clock->is_plain ? 0 : MCUPROF_TABLE_SLOW_NARROW;
    t->head.slow |= is_fast ? 0 : MCUPROF_TABLE_SLOW_CLOCK;
    return mcuprofi_stream_has_clock();
}

MCUPROF_KEEP void mcuprofi_functions_carry(struct mcuprofi_function_row *row)
{
    if ((row->calls | row->self | row->total) <= LOW_BITS) {
        return;
    }
    if (row->calls > LOW_BITS) {
        int is_full = (row->more & MCUPROF_TABLE_MORE_CALLS)
                      == MCUPROF_TABLE_MORE_CALLS;
        row->more = (uint8_t)(row->more + (is_full ? 0u : 1u));
        row->calls |= is_full ? LOW_BITS : 0u;
    }
    if (row->self > MCUPROF_TABLE_AGE_MAX) {
        row->more ^= row->self_high-- == 0 ? MCUPROF_TABLE_MORE_SELF : 0;
    } else if (row->self > LOW_BITS && ++row->self_high == 0) {
        row->more ^= MCUPROF_TABLE_MORE_SELF;
    }
    if (row->total > LOW_BITS && ++row->total_high == 0) {
        row->more ^= MCUPROF_TABLE_MORE_TOTAL;
    }
    row->calls &= LOW_BITS;
    row->self &= LOW_BITS;
    row->total &= LOW_BITS;
}

MCUPROF_KEEP void mcuprofi_functions_add(struct mcuprofi_function_frame *frame,
                                         uint32_t own, uint32_t age)
{
    struct mcuprofi_function_row *row = mcuprofi_functions_row_of(frame);
    uint32_t half = own <= MCUPROF_TABLE_AGE_MAX ? own / 2u : 0;
    age = mcuprofi_functions_is_again(frame) ? 0 : age;
    /* In halves, so that 32 bits are enough. */
    mcuprofi_functions_carry(row);
    row->self += half;
    row->total += age / 2u;
    mcuprofi_functions_carry(row);
    row->self += own - half;
    row->total += age - age / 2u;
    mcuprofi_functions_carry(row);
}

MCUPROF_KEEP void
mcuprofi_functions_empty_row(struct mcuprofi_function_row *row)
{
    row->calls = 0;
    row->self = 0;
    row->total = 0;
    row->span = 0;
    row->self_high = 0;
    row->total_high = 0;
    row->index &= (uint8_t)~MCUPROF_TABLE_ROW_SLOW;
    row->min = 0xFFFFFFFFu;
    row->min_high = MCUPROF_TABLE_ROW_NO_MIN;
    row->max_high = 0;
    row->more = 0;
}

MCUPROF_KEEP void mcuprofi_functions_settle(uint32_t v)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    struct mcuprofi_function_context *c = mcuprofi_functions_current();
    struct mcuprofi_function_state *state = mcuprofi_functions_state(c);
    struct mcuprofi_function_frame *f = state->top;
    uint32_t above = 0;
    for (; f >= c->base; f--) {
        uint32_t age = v - f->start;
        uint32_t own = age - f->children - above;
        if (f == c->base) {
            c->outside += mcuprofi_functions_ticks(own);
            c->hooks += c->base->lr;
            f->lr = 0;
        } else {
            mcuprofi_functions_make_slow(f);
            f->before += age;
            mcuprofi_functions_add(f, own, age);
        }
        f->start = v;
        f->children = 0;
        above = age;
    }
    for (size_t i = 0; i < MCUPROF_FUNCTIONS_SLOTS; i++) {
        if ((t->rows[i].index & (MCUPROF_TABLE_ROW_SLOW - 1u))
            == state->index) {
            mcuprofi_functions_carry(&t->rows[i]);
        }
    }
    state->epoch = (uint32_t)(v - MCUPROFI_EPOCH);
}

MCUPROF_KEEP void mcuprofi_functions_count(volatile mcuprofi_word *counter)
{
    uint32_t tries = MCUPROFI_FUNCTIONS_TRIES;
    mcuprofi_word before;
    do {
        before = *counter;
    } while (!mcuprofi_swap(counter, before, before + 1u) && --tries > 0);
    if (tries == 0) {
        *counter += 1u;
    }
}

MCUPROF_KEEP void mcuprofi_functions_touch(void)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    if (t->hot.state.gate == 0) {
        return;
    }
    uint32_t v = mcuprofi_functions_time();
    if (!mcuprofi_functions_is_interrupt(mcuprofi_functions_current())) {
        mcuprofi_functions_settle_due(v);
    }
}

/* All counts of a context that has no hook in work. */
MCUPROFI_BARE void
mcuprofi_functions_forget(struct mcuprofi_function_context *c, int is_dropped)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    size_t index = (size_t)(c - t->contexts);
    for (size_t i = 0; i < MCUPROF_FUNCTIONS_SLOTS; i++) {
        struct mcuprofi_function_row *row = &t->rows[i];
        if (row->key == 0 || row->key == MCUPROF_TABLE_ROW_TAKEN
            || (row->index & (MCUPROF_TABLE_ROW_SLOW - 1u)) != index) {
            continue;
        }
        mcuprofi_functions_empty_row(row);
        row->key |= is_dropped ? 1u : 0u;
    }
    mcuprofi_functions_empty_row(&c->none);
    c->unwound = 0;
    c->unmatched = 0;
    c->deep = 0;
    c->tries = 0;
    c->outside = 0;
    c->hooks = 0;
    c->base->lr = 0;
}

MCUPROF_KEEP void
mcuprofi_functions_drop_excess(struct mcuprofi_function_context *c)
{
    c->hooks -= (uint64_t)c->excess * mcuprof_functions.hot.outer;
    c->excess = 0;
}

MCUPROF_KEEP void
mcuprofi_functions_catch_up(struct mcuprofi_function_context *c)
{
    struct mcuprofi_function_state *state = mcuprofi_functions_state(c);
    int is_dropped = (c->pending & MCUPROF_TABLE_PENDING_DROP) != 0;
    if (is_dropped) {
        state->top = c->base;
        c->excess = 0;
    }
    /* What an interrupt had before is gone already. */
    if (!mcuprofi_functions_is_interrupt(c)) {
        mcuprofi_functions_settle(c->reset_v);
    }
    mcuprofi_functions_forget(c, is_dropped);
    /* What they took to be entered was before; they are not counted now. */
    for (struct mcuprofi_function_frame *f = state->top; f > c->base; f--) {
        f->before = 0;
        c->hooks -= mcuprofi_functions_entered(f);
    }
    c->hooks += (uint64_t)c->excess * mcuprof_functions.hot.outer;
    c->pending = 0;
    if (!mcuprofi_functions_is_interrupt(c)) {
        state->gate = mcuprofi_functions_gate(0, mcuprofi_functions_is_slow());
    }
}

/* A context begins anew, at its next event, which is a slow one. */
static void mcuprofi_functions_reset_one(struct mcuprofi_function_context *c,
                                         uint32_t pending)
{
    c->reset_v = c->v;
    if (!mcuprofi_functions_is_interrupt(c)) {
        c->state.gate = mcuprofi_functions_gate(0, 1);
    }
    mcuprofi_barrier();
    c->pending |= pending;
}

/* All others begin anew. */
static void
mcuprofi_functions_reset_others(const struct mcuprofi_function_context *current,
                                uint32_t pending)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    for (size_t i = 0; i < CONTEXTS; i++) {
        struct mcuprofi_function_context *c = &t->contexts[i];
        if (c == current || c->used == 0) {
            continue;
        }
        mcuprofi_functions_reset_one(c, pending);
    }
    struct mcuprofi_function_context *nobody = &t->contexts[CONTEXTS];
    if (nobody != current) {
        nobody->base->start = nobody->v;
        mcuprofi_functions_forget(nobody, 0);
    }
    t->head.no_context = 0;
}

/* Whether a task but the one that runs has been seen. */
static int mcuprofi_functions_has_tasks(uint32_t task)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    for (size_t i = 0; i < CONTEXTS; i++) {
        mcuprofi_word used = t->contexts[i].used;
        if (used != 0 && used != task + 1u
            && !mcuprofi_functions_is_interrupt(&t->contexts[i])) {
            return 1;
        }
    }
    return 0;
}

static struct mcuprofi_function_frame *
mcuprofi_functions_first_frame(size_t context)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    return context < CONTEXTS ? t->frames[context] : &t->nobody;
}

void mcuprofi_functions_clear(void)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    t->hot.state.gate = 0;
    mcuprofi_clear(t->rows, sizeof(t->rows));
    mcuprofi_clear(t->contexts, sizeof(t->contexts));
    for (size_t i = 0; i <= CONTEXTS; i++) {
        t->contexts[i].base = mcuprofi_functions_first_frame(i);
        t->contexts[i].state.epoch = (uint32_t)(0 - MCUPROFI_EPOCH);
        mcuprofi_functions_begin(&t->contexts[i], 0);
        mcuprofi_functions_forget(&t->contexts[i], 1);
    }
    t->head.no_context = 0;
}

/* The task that runs takes the stage. */
static void mcuprofi_functions_enter_stage(void)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    struct mcuprofi_function_context *c = mcuprofi_functions_find(t->task);
    mcuprofi_functions_forget(c, 1);
    c->pending = 0;
    uint32_t v = mcuprofi_functions_time_at(&t->head.began);
    mcuprofi_functions_begin(c, v);
    struct mcuprofi_function_state state = c->state;
    state.gate = 0;
    t->hot.state = state;
    mcuprofi_barrier();
    t->hot.state.gate = c->state.gate;
}

void mcuprofi_functions_init(void)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    uint32_t slow = t->head.slow & MCUPROF_TABLE_SLOW_FILTER;
    t->hot.state.gate = 0;
    t->head.magic = 0;
    t->started = 0;
    t->measured = 0;
    if (MCUPROF_STREAM) {
        mcuprofi_functions_stream_init();
    }
    t->task = MCUPROF_CONTEXT_THREAD;
    t->head.slow = slow;
    mcuprofi_functions_clear();
}

/* The block's copy; a dump of it begins a capture. */
static void mcuprofi_functions_put_hello(void)
{
    uint8_t *hello = mcuprof_functions.head.hello;
    (void)mcuprofi_put_hello(hello);
    hello[MCUPROF_HELLO_FLAGS] |= MCUPROF_HELLO_START;
}

/* What a reader of memory needs. The magic is there once all else is. */
static void mcuprofi_functions_describe(void)
{
    struct mcuprofi_function_head *h = &mcuprof_functions.head;
    h->version = MCUPROF_TABLE_VERSION_VALUE;
    h->size = offsetof(struct mcuprofi_functions, rows);
    h->slots = MCUPROF_FUNCTIONS_SLOTS;
    h->contexts = CONTEXTS + 1u;
    h->frames = MCUPROF_FUNCTIONS_DEPTH + 1u;
    h->context_size = sizeof(struct mcuprofi_function_context);
    h->flags = mcuprof_functions.raw ? MCUPROF_TABLE_RAW : 0;
#ifdef MCUPROF_CONTEXT_ID
    h->flags |= MCUPROF_TABLE_PULLS;
#endif
    h->flags |= mcuprofi_stream.clock.adds_up ? MCUPROF_TABLE_NO_REGISTER : 0;
    h->probes = MCUPROFI_FUNCTIONS_PROBES;
    h->names = MCUPROF_CONTEXTS;
    h->names_at = mcuprofi_stream.names;
    h->generation++;
    mcuprofi_functions_put_hello();
    mcuprofi_barrier();
    h->magic = MCUPROF_TABLE_MAGIC_VALUE;
}

int mcuprofi_functions_is_open(void)
{
    return mcuprof_functions.hot.state.gate != 0;
}

/* The ring's times have our hooks in them from now on, or no longer. */
static void mcuprofi_functions_tell_ring(void)
{
#if MCUPROF_TRACE
    if (mcuprofi_trace_is_open()) {
        mcuprofi_trace_put_hello();
    }
#endif
}

int mcuprof_functions_start(const struct mcuprof_functions_config *config)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    if (!mcuprofi_stream.initialised || t->hot.state.gate != 0) {
        return MCUPROF_ESTATE;
    }
    mcuprofi_stream_lend_clock();
    if (!mcuprofi_functions_use_clock()) {
        return MCUPROF_ETIMER;
    }
    if (MCUPROF_STREAM) {
        mcuprofi_functions_stream_starts();
    }
    t->raw = config != NULL && config->raw;
    t->every_ms = config != NULL ? config->every_ms : 0;
    if (mcuprofi_functions_has_tasks(t->task)) {
        mcuprofi_functions_reset_others(NULL, MCUPROF_TABLE_PENDING_DROP);
    } else {
        mcuprofi_functions_clear();
    }
    if (!t->measured) {
        /* What is measured must not fill the ring. */
        int traces = MCUPROF_TRACE && mcuprofi_trace_pause();
        mcuprofi_functions_measure();
        if (traces) {
            mcuprofi_trace_go_on();
        }
    }
    mcuprofi_functions_costs(t->raw);
    if (MCUPROF_STREAM) {
        mcuprofi_stream_functions_changed(1);
    }
    mcuprofi_functions_enter_stage();
    mcuprofi_functions_describe();
    t->started = 1;
    mcuprofi_functions_tell_ring();
    return 0;
}

/* Its time ends at v, and all of it is in its rows. */
static void mcuprofi_functions_close(struct mcuprofi_function_context *c,
                                     uint32_t v)
{
    mcuprofi_functions_settle(v);
    c->v = v;
    mcuprofi_functions_save(c);
}

int mcuprof_functions_stop(void)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    if (t->hot.state.gate == 0) {
        return MCUPROF_ESTATE;
    }
    /* First, so that nothing is taken out any more. */
    t->hot.state.gate = 0;
    mcuprofi_barrier();
    struct mcuprofi_function_context *c = mcuprofi_functions_current();
    uint32_t v = mcuprofi_functions_time_at(&t->head.ended);
    mcuprofi_functions_close(c, v);
    /* Of an interrupt, a fault say: all that it has interrupted as well. */
    while (mcuprofi_functions_is_interrupt(c)) {
        v = c->below_v;
        t->hot.state = c->below;
        t->hot.state.gate = 0;
        c = mcuprofi_functions_current();
        mcuprofi_functions_close(c, v);
    }
    mcuprofi_functions_tell_ring();
    if (MCUPROF_STREAM) {
        mcuprofi_stream_functions_changed(0);
        mcuprofi_functions_stream_ends();
    }
    return 0;
}

void mcuprof_functions_reset(void)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    struct mcuprofi_function_context *c = mcuprofi_functions_current();
    if (t->hot.state.gate == 0) {
        return;
    }
    if (MCUPROF_STREAM) {
        mcuprofi_functions_stream_now();
    }
    c->reset_v = mcuprofi_functions_time_at(&t->head.began);
    t->head.generation++;
    mcuprofi_functions_catch_up(c);
    mcuprofi_functions_reset_others(c, MCUPROF_TABLE_PENDING_RESET);
}

#endif
