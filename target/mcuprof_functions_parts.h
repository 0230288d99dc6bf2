/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_FUNCTIONS_PARTS_H
#define MCUPROF_FUNCTIONS_PARTS_H

/*
 * The function table as its own files share it.
 *
 * Virtual time. `stolen` is what interrupts, other tasks and the hooks
 * themselves took; clock - stolen is the time of whatever runs, and goes on as
 * if nothing had been in between. Each context has a timeline of its own:
 *
 *   interrupt's first event   goes on where the interrupted one is; when its
 *                             outermost call is left, the time is set back
 *   task switch               the time is set to what it was when that task
 *                             was left
 *
 * Rules, and what each is for:
 *
 * 1. `stolen` changes only by a section (LDREX to STREX, or masked) from the
 *    value that the decision was made on: an interrupt with events in between
 *    has changed it, and the hook begins again.
 * 2. An interrupt's first event copies `state` as it is, finished or not, and
 *    puts it back when its outermost call is left. So whatever it interrupts
 *    finds all as it was, and one context's hooks need not care for another's.
 * 3. A row is one context's, and only that context writes it, but for the key
 *    of a free one.
 * 4. A hook decides before it changes anything. What is rare, and a section
 *    that failed, goes to the slow path, which begins from scratch.
 * 5. Counts have 31 bits in the fast path's words. Before they can be full,
 *    settle() moves bit 31 up.
 */
#include "mcuprof_functions.h"
#include "mcuprof_section.h"

#ifdef __cplusplus
extern "C" {
#endif

#if MCUPROF_ENABLED && MCUPROF_FUNCTIONS

/* Of a power of two from 16 to 4096, for assembly. */
#if MCUPROF_FUNCTIONS_SLOTS == 16
#define MCUPROFI_FUNCTIONS_LOG2 4
#elif MCUPROF_FUNCTIONS_SLOTS == 32
#define MCUPROFI_FUNCTIONS_LOG2 5
#elif MCUPROF_FUNCTIONS_SLOTS == 64
#define MCUPROFI_FUNCTIONS_LOG2 6
#elif MCUPROF_FUNCTIONS_SLOTS == 128
#define MCUPROFI_FUNCTIONS_LOG2 7
#elif MCUPROF_FUNCTIONS_SLOTS == 256
#define MCUPROFI_FUNCTIONS_LOG2 8
#elif MCUPROF_FUNCTIONS_SLOTS == 512
#define MCUPROFI_FUNCTIONS_LOG2 9
#elif MCUPROF_FUNCTIONS_SLOTS == 1024
#define MCUPROFI_FUNCTIONS_LOG2 10
#elif MCUPROF_FUNCTIONS_SLOTS == 2048
#define MCUPROFI_FUNCTIONS_LOG2 11
#else
#define MCUPROFI_FUNCTIONS_LOG2 12
#endif

/*
 * 32 bytes:
 *
 *   calls | self | total | min | span | self, total | bytes | key
 *
 * Low 31 bits of calls, self and total; self has a sign, for a cost that is a
 * tick too great takes more than there is, and the sum must stay what it is.
 * max is min + span. A key is the function's address with bit 0 set, clear
 * while a call is open. 0: free, MCUPROF_TABLE_ROW_TAKEN: another is just
 * taking it.
 */
struct mcuprofi_function_row {
    uint32_t calls;
    uint32_t self;
    uint32_t total;
    uint32_t min;
    uint32_t span;
    uint16_t self_high;
    uint16_t total_high;
    uint8_t index; /* of the context; MCUPROF_TABLE_ROW_SLOW: never fast */
    uint8_t min_high;
    uint8_t max_high;
    uint8_t more; /* MCUPROF_TABLE_MORE_... */
    volatile mcuprofi_word key;
};

/*
 * A call that is open. tag: the function's address; bit 0 clear: another call
 * of it is open below, or row has one of its bits set, MCUPROF_TABLE_FRAME_...:
 * AGAIN, that is so; SLOW, it is to be left by the slow path, and `before`
 * counts.
 *
 * The base frame's lr is ticks that fast hooks have taken beyond what each call
 * takes; settle() and the end of an interrupt move them to `hooks`.
 */
struct mcuprofi_function_frame {
    mcuprofi_word tag;
    uint32_t start;
    mcuprofi_word row;
    uint32_t children;
    mcuprofi_word lr; /* where it was entered from; of a base: `more` */
    mcuprofi_word sp;
    uint64_t before; /* of its time before `start` */
};

/* What belongs to the context that runs. */
struct mcuprofi_function_state {
    /* Address of the hot words plus IPSR; SLOW more: nothing is fast; 0: off */
    volatile mcuprofi_word gate;
    struct mcuprofi_function_frame *volatile top; /* the first is its base */
    struct mcuprofi_function_frame *limit;        /* the last */
    mcuprofi_word index;
    mcuprofi_word epoch; /* when it was settled, less MCUPROFI_EPOCH */
};

#define MCUPROFI_GATE_SLOW 0x400u
/*
 * A context is settled every 2^25 ticks: from there on bit 31 is set. The clock
 * is looked at then, too, which has gone on by more, by what the hooks took: up
 * to 127 times as much does no harm.
 */
#define MCUPROFI_EPOCH 0x7E000000u

/* The hooks in assembly load the first eight with one LDM. */
struct mcuprofi_function_hot {
    uint32_t outer; /* ticks that a fast exit hook takes, and an enter hook */
    const volatile uint32_t *clock;
    struct mcuprofi_function_state state;
    uint32_t inner;
    volatile mcuprofi_word stolen;
    uint32_t probe; /* ticks of one more probe */
};

/* What a reader of memory must know besides; a block of docs/wire.md. */
struct mcuprofi_function_head {
    uint32_t magic; /* only while there is something to read */
    uint16_t version;
    uint16_t size; /* of the hot words and this */
    uint16_t slots;
    uint16_t contexts;
    uint16_t frames; /* that a context has */
    uint16_t context_size;
    uint8_t flags; /* MCUPROF_TABLE_... */
    uint8_t probes;
    uint16_t names;
    const void *names_at;
    uint32_t mask; /* of the clock; what it counts is exclusive-or flip */
    uint32_t flip;
    volatile mcuprofi_word now;   /* a reading of it, counted on to 32 bits */
    volatile mcuprofi_word turns; /* its upper 4 bits, counted on */
    volatile mcuprofi_word no_context;
    uint32_t slow; /* MCUPROF_TABLE_SLOW_... */
    uint64_t began;
    uint64_t ended; /* once it is off */
    uint8_t hello[MCUPROF_HELLO_SIZE];
    uint32_t generation;
    /* Ticks more of a call of what is open below: to enter it, to leave it,
       which is taken when it is entered, too; and both. */
    uint32_t again_enter;
    uint32_t again_exit;
    uint32_t extend; /* of a call that is the shortest or the longest yet */
    uint32_t again;
};

struct mcuprofi_function_context {
    volatile mcuprofi_word used;          /* its number and 1; 0: free */
    struct mcuprofi_function_state state; /* while it does not run */
    struct mcuprofi_function_state below; /* what the interrupt interrupted */
    struct mcuprofi_function_frame *base;
    uint32_t v; /* its time while it does not run */
    uint32_t below_v;
    uint32_t reset_v;
    volatile uint32_t pending; /* MCUPROF_TABLE_PENDING_... at its next event */
    uint32_t excess;           /* calls that are open and too deep */
    uint32_t unwound;
    uint32_t unmatched;
    uint32_t deep;
    uint32_t tries;
    uint32_t reserved;
    uint64_t outside;
    uint64_t hooks;                    /* modulo 2^64 */
    struct mcuprofi_function_row none; /* of functions without a slot */
};

/* Ticks from which on a call is left by the slow path; for assembly. */
#define MCUPROFI_FUNCTIONS_LONGEST 0x40000000

#define MCUPROFI_FUNCTIONS_NOBODY MCUPROF_FUNCTIONS_CONTEXTS
#define MCUPROFI_FUNCTIONS_PROBES 16u
#define MCUPROFI_FUNCTIONS_TRIES 16u
#define MCUPROFI_FUNCTIONS_FILTERS 4u

struct mcuprofi_functions {
    struct mcuprofi_function_hot hot;
    struct mcuprofi_function_head head;
    struct mcuprofi_function_row rows[MCUPROF_FUNCTIONS_SLOTS];
    struct mcuprofi_function_context contexts[MCUPROF_FUNCTIONS_CONTEXTS + 1];
    struct mcuprofi_function_frame frames[MCUPROF_FUNCTIONS_CONTEXTS]
                                         [MCUPROF_FUNCTIONS_DEPTH + 1];
    struct mcuprofi_function_frame nobody;
    /* So far docs/wire.md. */
    uint32_t raw;
    uint32_t every_ms;
    /*
     * Ticks: how much later than a fast hook's a slow one's time is, and what
     * comes behind its last.
     */
    uint32_t enter_late;
    uint32_t enter_rest;
    uint32_t exit_late;
    uint32_t exit_rest;
    uint32_t task;
    uint8_t measured;
    uint8_t started;
};

extern struct mcuprofi_functions mcuprof_functions;

/* Stores a word unless it has changed. returns: 1 if it has stored it */
MCUPROFI_BARE int mcuprofi_swap(volatile mcuprofi_word *to, mcuprofi_word old,
                                mcuprofi_word value)
{
    uint32_t section = mcuprofi_enter();
    if (mcuprofi_take(to) != old) {
        mcuprofi_leave(section);
        return 0;
    }
    return mcuprofi_give(section, to, value) == 0;
}

MCUPROFI_BARE struct mcuprofi_function_row *
mcuprofi_functions_row_of(const struct mcuprofi_function_frame *frame)
{
    return (struct mcuprofi_function_row *)(frame->row & ~(mcuprofi_word)3);
}

/* Ticks that may be a little below 0. */
MCUPROFI_BARE uint64_t mcuprofi_functions_ticks(uint32_t ticks)
{
    return ticks <= MCUPROF_TABLE_AGE_MAX ? ticks
                                          : (uint64_t)(int64_t)(int32_t)ticks;
}

/* Whether its time is in that of a call below. */
MCUPROFI_BARE int
mcuprofi_functions_is_again(const struct mcuprofi_function_frame *frame)
{
    return (frame->row & MCUPROF_TABLE_FRAME_AGAIN) != 0
           || ((frame->tag | frame->row / MCUPROF_TABLE_FRAME_SLOW) & 1u) == 0;
}

/* So that its exit comes to the slow path. */
MCUPROFI_BARE void
mcuprofi_functions_make_slow(struct mcuprofi_function_frame *frame)
{
    if ((frame->row & MCUPROF_TABLE_FRAME_SLOW) == 0) {
        frame->before = 0;
        frame->row |= MCUPROF_TABLE_FRAME_SLOW | (~frame->tag & 1u);
        frame->tag &= ~(mcuprofi_word)1;
    }
}

/*
 * Functions that lie beside each other get rows near each other, but seldom the
 * same; contexts are an eighth of the table apart.
 */
MCUPROFI_BARE uint32_t mcuprofi_functions_hash(mcuprofi_word function,
                                               mcuprofi_word index)
{
    return (uint32_t)((function ^ index << (MCUPROFI_FUNCTIONS_LOG2 + 1)) >> 4)
           & (MCUPROF_FUNCTIONS_SLOTS - 1u);
}

/* Ticks that each call takes to come to its row past others. */
MCUPROFI_BARE uint32_t
mcuprofi_functions_way(const struct mcuprofi_function_row *row)
{
    uint32_t at = (uint32_t)(row - mcuprof_functions.rows);
    at -= mcuprofi_functions_hash(row->key | 1u,
                                  row->index & (MCUPROF_TABLE_ROW_SLOW - 1u));
    return (at & (MCUPROF_FUNCTIONS_SLOTS - 1u)) * mcuprof_functions.hot.probe;
}

/* Ticks that hooks on their usual way take out of time at a call's begin. */
MCUPROFI_BARE uint32_t
mcuprofi_functions_entered_row(const struct mcuprofi_function_row *row)
{
    const struct mcuprofi_functions *t = &mcuprof_functions;
    uint32_t ticks = t->hot.inner;
    if (row < t->rows + MCUPROF_FUNCTIONS_SLOTS) {
        ticks += mcuprofi_functions_way(row);
    }
    return ticks;
}

/* The same of a call that may be one of a function that is open below. */
MCUPROFI_BARE uint32_t
mcuprofi_functions_entered(const struct mcuprofi_function_frame *frame)
{
    uint32_t again = mcuprof_functions.head.again;
    return mcuprofi_functions_entered_row(mcuprofi_functions_row_of(frame))
           + (mcuprofi_functions_is_again(frame) ? again : 0);
}

MCUPROFI_BARE struct mcuprofi_function_context *mcuprofi_functions_current(void)
{
    return &mcuprof_functions.contexts[mcuprof_functions.hot.state.index];
}

/* Whether what runs is an interrupt, which has something below it. */
MCUPROFI_BARE int
mcuprofi_functions_is_interrupt(const struct mcuprofi_function_context *c)
{
    return c->used > 1u && c->used <= MCUPROF_CONTEXT_TASK_FIRST;
}

/* A task's number; what can be none is the thread's. */
MCUPROFI_BARE uint32_t mcuprofi_functions_number(uint32_t number)
{
    return number >= MCUPROF_CONTEXT_TASK_FIRST
                           && number <= MCUPROFI_CONTEXT_MAX
                   ? number
                   : MCUPROF_CONTEXT_THREAD;
}

/*
 * Where the state of a context is, of those that run or were interrupted.
 * Without a hook in the kernel another task may run in the middle of a slow
 * path: then each task's is its own, and no event is fast.
 */
MCUPROFI_BARE struct mcuprofi_function_state *
mcuprofi_functions_state(struct mcuprofi_function_context *c)
{
#ifdef MCUPROF_CONTEXT_ID
    if (!mcuprofi_functions_is_interrupt(c)) {
        return &c->state;
    }
#endif
    (void)c;
    return &mcuprof_functions.hot.state;
}

/* Whether a context is to be settled. */
MCUPROFI_BARE int
mcuprofi_functions_is_due(const struct mcuprofi_function_state *state,
                          uint32_t v)
{
    return (int32_t)(v - (uint32_t)state->epoch) < 0;
}

/*
 * Whatever goes on now at v: if it is to be settled its next event is a slow
 * one. Only the hooks of ARMv7-M look for themselves. The others do so when
 * they have to look at the clock, and another may have done that for them.
 */
MCUPROFI_BARE void mcuprofi_functions_go_on(uint32_t v)
{
    struct mcuprofi_function_hot *hot = &mcuprof_functions.hot;
    if (mcuprofi_functions_is_due(&hot->state, v)
        && hot->state.gate - (mcuprofi_word)hot < MCUPROFI_GATE_SLOW) {
        hot->state.gate += MCUPROFI_GATE_SLOW;
    }
}

/* The state of the context that runs becomes one that does not. */
MCUPROFI_BARE void mcuprofi_functions_save(struct mcuprofi_function_context *c)
{
    if (mcuprofi_functions_state(c) != &c->state) {
        c->state = mcuprof_functions.hot.state;
    }
}

/* Whether no event is fast. */
MCUPROFI_BARE int mcuprofi_functions_is_slow(void)
{
#ifdef MCUPROF_CONTEXT_ID
    return 1;
#else
    return (mcuprof_functions.head.slow & ~MCUPROF_TABLE_SLOW_NARROW) != 0;
#endif
}

/*
 * The clock's register, counted on to 32 bits. It has to be looked at within
 * its range, so a sixteenth of that later it is. returns: whether it is not due
 */
MCUPROFI_BARE int mcuprofi_functions_read(uint32_t *last, uint32_t *now)
{
    const struct mcuprofi_functions *t = &mcuprof_functions;
    *last = (uint32_t)t->head.now;
    uint32_t ahead = ((*t->hot.clock ^ t->head.flip) - *last) & t->head.mask;
    *now = *last + ahead;
    return ahead <= t->head.mask >> 4;
}

/* SLOW is added, for it may be a bit of the address. */
MCUPROFI_BARE mcuprofi_word mcuprofi_functions_gate(mcuprofi_word ipsr,
                                                    int is_slow)
{
    mcuprofi_word gate = (mcuprofi_word)&mcuprof_functions.hot + ipsr;
    return is_slow ? gate + MCUPROFI_GATE_SLOW : gate;
}

MCUPROFI_BARE mcuprofi_word mcuprofi_functions_gate_of(
        const struct mcuprofi_function_context *c, int is_slow)
{
    return mcuprofi_functions_gate(
            mcuprofi_functions_is_interrupt(c) ? c->used - 1u : 0, is_slow);
}

/*
 * The hooks: an odd address of a function, the stack pointer, where from.
 * The slow ones do all that there is to do.
 */
void mcuprofi_functions_enter(mcuprofi_word function, mcuprofi_word sp,
                              mcuprofi_word lr);
void mcuprofi_functions_exit(mcuprofi_word function, mcuprofi_word sp);
void mcuprofi_functions_enter_slow(mcuprofi_word function, mcuprofi_word sp,
                                   mcuprofi_word lr);
void mcuprofi_functions_exit_slow(mcuprofi_word function, mcuprofi_word sp);

/* The clock, counted up to 32 bits. */
uint32_t mcuprofi_functions_clock(void);

/* The same, in 60 bits. */
uint64_t mcuprofi_functions_wall(void);

/* The time of whatever runs, and all the time there was at that moment. */
uint32_t mcuprofi_functions_time_at(uint64_t *wall);

MCUPROFI_BARE uint32_t mcuprofi_functions_time(void)
{
    uint64_t wall;
    return mcuprofi_functions_time_at(&wall);
}

/* poll sends the last snapshot of a table that was stopped. */
void mcuprofi_functions_stream_ends(void);

/* One that was not made yet is gone now; nothing was sent ever. Thread. */
void mcuprofi_functions_stream_starts(void);
void mcuprofi_functions_stream_init(void);

/* poll sends the table as it is now: before it is emptied. Thread. */
void mcuprofi_functions_stream_now(void);

/* Whether an event is to be counted, where there is a filter. */
int mcuprofi_functions_is_wanted(mcuprofi_word function, mcuprofi_word ipsr);

/* A context's row, or a new one, or NOBODY if there is no room. */
struct mcuprofi_function_context *mcuprofi_functions_find(unsigned number);

/* An empty context's state. */
void mcuprofi_functions_begin(struct mcuprofi_function_context *c, uint32_t v);

/* Puts what is open into the rows: of the context that runs, at this time. */
void mcuprofi_functions_settle(uint32_t v);

/* Does what is pending for the context that runs; it has no hook in work. */
void mcuprofi_functions_catch_up(struct mcuprofi_function_context *c);

/* The same, if it is to be. */
MCUPROFI_BARE void mcuprofi_functions_settle_due(uint32_t v)
{
    struct mcuprofi_function_context *c = mcuprofi_functions_current();
    struct mcuprofi_function_state *state = mcuprofi_functions_state(c);
    if (!mcuprofi_functions_is_due(state, v)) {
        return;
    }
    mcuprofi_functions_settle(v);
    if (c->pending == 0) {
        state->gate =
                mcuprofi_functions_gate_of(c, mcuprofi_functions_is_slow());
    }
}

/* Moves bit 31 of a row's counts up. */
void mcuprofi_functions_carry(struct mcuprofi_function_row *row);

/* Adds a call, or a part of one, to its row. own: may be a little below 0 */
void mcuprofi_functions_add(struct mcuprofi_function_frame *frame, uint32_t own,
                            uint32_t age);

/* Sets all counts to 0. */
void mcuprofi_functions_empty_row(struct mcuprofi_function_row *row);

/* The topmost call of this state was left by no exit of its own. */
void mcuprofi_functions_unwind(struct mcuprofi_function_state *state,
                               uint32_t v);

/* Where a context's state is now, and its time. */
struct mcuprofi_function_state *
mcuprofi_functions_state_of(struct mcuprofi_function_context *c, uint32_t *v);

/* Adds one, by a section if it can. */
void mcuprofi_functions_count(volatile mcuprofi_word *counter);

/* Takes what was measured out of all times, or not. */
void mcuprofi_functions_costs(uint32_t raw);

/* Calls that are open and too deep are left without an exit. */
void mcuprofi_functions_drop_excess(struct mcuprofi_function_context *c);

/* What is measured: calls of nothing. */
void mcuprofi_functions_few_pairs(void);
void mcuprofi_functions_many_pairs(void);
void mcuprofi_functions_few_halves(void);
void mcuprofi_functions_many_halves(void);

/* Measures what hooks cost. Leaves the table in need of a start. */
void mcuprofi_functions_measure(void);

/* Empties everything. */
void mcuprofi_functions_clear(void);

#endif

#ifdef __cplusplus
}
#endif

#endif
