/* SPDX-License-Identifier: MIT */
/*
 * Snapshots of the function table: all rows are copied as they are, once more
 * if there were events meanwhile; then calls that are open are added, and the
 * rows sorted. Hooks never wait for it.
 */
#include "mcuprof_functions_view.h"
#include "mcuprof_stream.h"

#if MCUPROF_ENABLED && MCUPROF_FUNCTIONS

#define SLOTS MCUPROF_FUNCTIONS_SLOTS
#define COPIES 8u

MCUPROF_VISIBLE struct mcuprof_function mcuprof_functions_view[SLOTS + 1];

struct mcuprofi_functions_moment mcuprofi_functions_moment;

/* A count of 31 bits and what is above them. */
static uint64_t mcuprofi_functions_wide(uint32_t low, uint32_t high)
{
    return low + ((uint64_t)high << 31);
}

/* One that may be a little below 0. */
static uint64_t
mcuprofi_functions_self_of(const struct mcuprofi_function_row *row)
{
    uint64_t self = mcuprofi_functions_wide(row->self, row->self_high);
    if (row->self > MCUPROF_TABLE_AGE_MAX) {
        self -= (uint64_t)1 << 32;
    }
    /* Bit 47 stands for -2^47 if there is so much below 0, else for 2^47. */
    int is_high = (row->more & MCUPROF_TABLE_MORE_SELF) != 0;
    if (is_high) {
        self -= (uint64_t)1 << 47;
        if (row->self_high < 0xFF00u) {
            self += (uint64_t)1 << 48;
        }
    }
    return self;
}

static void mcuprofi_functions_show_row(struct mcuprof_function *to,
                                        const struct mcuprofi_function_row *row)
{
    to->open = 0;
    to->calls = mcuprofi_functions_wide(row->calls,
                                        row->more & MCUPROF_TABLE_MORE_CALLS);
    to->self = mcuprofi_functions_self_of(row);
    to->total = mcuprofi_functions_wide(row->total, row->total_high);
    if ((row->more & MCUPROF_TABLE_MORE_TOTAL) != 0) {
        to->total += (uint64_t)1 << 47;
    }
    to->min = 0;
    to->max = 0;
    if (row->min_high != MCUPROF_TABLE_ROW_NO_MIN) {
        to->min = (uint64_t)row->min_high << 32 | row->min;
        to->max = (uint64_t)row->max_high << 32
                  | (uint32_t)(row->min + row->span);
    }
}

/* The rows, as they lie, where the view's will be. */
static void mcuprofi_functions_copy(void)
{
    const struct mcuprofi_functions *t = &mcuprof_functions;
    for (size_t i = 0; i < SLOTS; i++) {
        struct mcuprofi_function_row row = t->rows[i];
        struct mcuprof_function *to = &mcuprof_functions_view[i];
        const struct mcuprofi_function_context *c =
                &t->contexts[row.index & (MCUPROF_TABLE_ROW_SLOW - 1u)];
        to->function = NULL;
        if (row.key != 0 && row.key != MCUPROF_TABLE_ROW_TAKEN
            && (c->pending & MCUPROF_TABLE_PENDING_DROP) == 0) {
            if (c->pending != 0) {
                mcuprofi_functions_empty_row(&row);
            }
            mcuprofi_functions_show_row(to, &row);
            to->function = (const void *)(row.key & ~(mcuprofi_word)1);
            to->context = (uint16_t)(c->used - 1u);
            mcuprofi_functions_moment.hooks +=
                    to->calls * mcuprofi_functions_way(&t->rows[i]);
        }
    }
}

/* A call that is open, and what it has of its own. */
static void mcuprofi_functions_add_call(const struct mcuprofi_function_frame *f,
                                        struct mcuprofi_functions_rest *rest,
                                        uint64_t own, uint32_t age)
{
    size_t i = (size_t)(mcuprofi_functions_row_of(f) - mcuprof_functions.rows);
    if (i >= SLOTS) {
        rest->self += own;
        rest->calls++;
        return;
    }
    struct mcuprof_function *row = &mcuprof_functions_view[i];
    row->self += own;
    row->calls++;
    row->open++;
    row->total += mcuprofi_functions_is_again(f) ? 0 : age;
}

/* Adds calls that are open, of a context that is not running or this one. */
static void mcuprofi_functions_add_open(struct mcuprofi_function_context *c,
                                        struct mcuprofi_functions_rest *rest,
                                        uint32_t now)
{
    const struct mcuprofi_function_hot *hot = &mcuprof_functions.hot;
    uint32_t v;
    const struct mcuprofi_function_frame *f =
            mcuprofi_functions_state_of(c, &v)->top;
    uint32_t above = 0;
    f = (c->pending & MCUPROF_TABLE_PENDING_DROP) != 0 ? c->base : f;
    if (c == mcuprofi_functions_current() && hot->state.gate != 0) {
        v = now;
    }
    for (; f >= c->base; f--) {
        /* As it will be once what is pending is done. */
        int is_new = c->pending != 0;
        uint32_t age = v - (is_new ? c->reset_v : f->start);
        uint64_t own = mcuprofi_functions_ticks(age - (is_new ? 0 : f->children)
                                                - above);
        above = age;
        if (f == c->base) {
            rest->outside += own;
            continue;
        }
        mcuprofi_functions_add_call(f, rest, own, age);
        mcuprofi_functions_moment.hooks -= hot->inner + hot->outer;
        if (!is_new) {
            mcuprofi_functions_moment.hooks += mcuprofi_functions_entered(f);
        }
    }
}

/* Time that costs a tick too great have brought below 0 is none. */
static void mcuprofi_functions_no_less(uint64_t *ticks)
{
    if (*ticks >> 63) {
        mcuprofi_functions_moment.hooks += *ticks;
        *ticks = 0;
    }
}

static void mcuprofi_functions_add_context(struct mcuprofi_function_context *c,
                                           struct mcuprofi_functions_rest *rest,
                                           uint32_t now)
{
    struct mcuprofi_functions_moment *m = &mcuprofi_functions_moment;
    int is_nobody = c == mcuprof_functions.contexts + MCUPROFI_FUNCTIONS_NOBODY;
    struct mcuprof_function none;
    mcuprofi_clear(rest, sizeof(*rest));
    rest->context = !is_nobody ? (uint16_t)(c->used - 1u)
                               : MCUPROFI_FUNCTIONS_NO_CONTEXT;
    rest->is_used = c->used != 0 || is_nobody;
    if (!rest->is_used) {
        return;
    }
    if (c->pending == 0) {
        mcuprofi_functions_show_row(&none, &c->none);
        rest->outside = c->outside;
        rest->calls = none.calls;
        rest->self = none.self;
        m->hooks += c->hooks + c->base->lr;
        m->hooks -= (uint64_t)c->excess * mcuprof_functions.hot.outer;
        m->unwound += c->unwound;
        m->unmatched += c->unmatched;
        m->deep += c->deep;
        m->tries += c->tries;
    }
    /* Of an interrupt there is something open only if it stopped the table. */
    if (!mcuprofi_functions_is_interrupt(c) || c->state.top != c->base) {
        mcuprofi_functions_add_open(c, rest, now);
    }
    mcuprofi_functions_no_less(&rest->outside);
    mcuprofi_functions_no_less(&rest->self);
    m->no_slot += (uint32_t)rest->calls;
    m->calls += rest->calls;
    m->self += rest->outside + rest->self;
}

/* One try. returns: 0 if there was an event meanwhile */
static int mcuprofi_functions_take(void)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    struct mcuprofi_functions_moment *m = &mcuprofi_functions_moment;
    uint64_t wall;
    uint32_t now = mcuprofi_functions_time_at(&wall);
    mcuprofi_word stolen = (uint32_t)wall - now;
    m->ticks = (t->hot.state.gate != 0 ? wall : t->head.ended) - t->head.began;
    m->hooks = 0;
    m->unwound = 0;
    m->unmatched = 0;
    m->deep = 0;
    m->no_slot = 0;
    m->tries = 0;
    m->calls = 0;
    m->self = 0;
    mcuprofi_barrier();
    mcuprofi_functions_copy();
    for (size_t i = 0; i <= MCUPROF_FUNCTIONS_CONTEXTS; i++) {
        mcuprofi_functions_add_context(&t->contexts[i], &m->rests[i], now);
    }
    m->no_context = (uint32_t)t->head.no_context;
    mcuprofi_barrier();
    return (uint32_t)stolen == (uint32_t)t->hot.stolen;
}

/* No struct assignment: some compilers make it a call of memcpy(). */
static void mcuprofi_functions_move(struct mcuprof_function *to,
                                    const struct mcuprof_function *from)
{
    to->function = from->function;
    to->context = from->context;
    to->open = from->open;
    to->calls = from->calls;
    to->self = from->self;
    to->total = from->total;
    to->min = from->min;
    to->max = from->max;
}

/* Rows that say nothing go; one whose self is below 0 has none. */
static uint32_t mcuprofi_functions_close_up(void)
{
    struct mcuprofi_functions_moment *m = &mcuprofi_functions_moment;
    uint32_t count = 0;
    for (size_t i = 0; i < SLOTS; i++) {
        struct mcuprof_function *row = &mcuprof_functions_view[i];
        if (row->function == NULL || row->calls == 0) {
            continue;
        }
        mcuprofi_functions_no_less(&row->self);
        m->self += row->self;
        m->calls += row->calls;
        mcuprofi_functions_move(&mcuprof_functions_view[count], row);
        count++;
    }
    mcuprof_functions_view[count].function = NULL;
    return count;
}

static int mcuprofi_functions_is_before(const struct mcuprof_function *a,
                                        const struct mcuprof_function *b)
{
    if (a->self != b->self) {
        return a->self > b->self;
    }
    if (a->function != b->function) {
        return (uintptr_t)a->function < (uintptr_t)b->function;
    }
    return a->context < b->context;
}

/* Shell's sort, CACM 2(7), 1959, with Hibbard's gaps. */
static void mcuprofi_functions_sort(uint32_t count)
{
    struct mcuprof_function *view = mcuprof_functions_view;
    struct mcuprof_function row;
    for (uint32_t gap = 4095u; gap > 0; gap >>= 1) {
        for (uint32_t i = gap; i < count; i++) {
            uint32_t at = i;
            mcuprofi_functions_move(&row, &view[i]);
            while (at >= gap
                   && mcuprofi_functions_is_before(&row, &view[at - gap])) {
                mcuprofi_functions_move(&view[at], &view[at - gap]);
                at -= gap;
            }
            mcuprofi_functions_move(&view[at], &row);
        }
    }
}

int mcuprof_functions_snapshot(void)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    struct mcuprofi_functions_moment *m = &mcuprofi_functions_moment;
    if (!t->started) {
        return MCUPROF_ESTATE;
    }
    mcuprofi_functions_touch();
    m->flags = t->raw ? MCUPROF_FUNCTIONS_RAW : 0;
    if (t->hot.state.gate != 0) {
        m->flags |= MCUPROF_FUNCTIONS_RUNNING;
    }
    uint32_t copies = COPIES;
    while (!mcuprofi_functions_take() && --copies > 0) {
    }
    if (copies == 0) {
        m->flags |= MCUPROF_FUNCTIONS_MOMENTS;
    }
    m->rows = (uint16_t)mcuprofi_functions_close_up();
    m->period = t->head.generation;
    m->pair = t->hot.inner + t->hot.outer;
    /* Calls of before cost less than a pair does now: then all are told as one
       sum. */
    if (m->hooks >> 63) {
        m->hooks += m->calls * m->pair;
        m->pair = 0;
    }
    m->hooks = m->hooks >> 63 ? 0 : m->hooks;
    mcuprofi_functions_sort(m->rows);
    m->sequence++;
    return m->rows;
}

uint64_t mcuprofi_functions_divide(uint64_t value, uint64_t by)
{
    uint64_t rest = 0;
    for (uint32_t i = 0; i < 64u && by != 0; i++) {
        rest = rest << 1 | value >> 63;
        value <<= 1;
        if (rest >= by) {
            rest -= by;
            value |= 1u;
        }
    }
    return value;
}

#endif
