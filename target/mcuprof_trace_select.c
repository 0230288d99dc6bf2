/* SPDX-License-Identifier: MIT */
/*
 * What of all calls goes into the ring: asked by the slow path, as long as
 * there is something to be asked.
 */
#include "mcuprof_ring.h"

#if MCUPROF_ENABLED && MCUPROF_TRACE

/*
 * A context's level of calls; its row is its own once it has one. A longjmp()
 * or a C++ throw leaves functions without their hooks: seen where the outermost
 * one is entered again, or its frame is gone.
 */
struct level {
    /* Low 17 bits: context and 1, 0 is a free row; the calls that are open. */
    volatile mcuprofi_word calls;
    /* Of the outermost: the stack's low 24 bits, and 10 of who is called. */
    uint32_t outermost;
};

#define MCUPROFI_LEVEL_CONTEXT 0x1FFFFu
#define MCUPROFI_LEVEL_ONE 0x20000u
#define MCUPROFI_LEVEL_FUNCTION 0x3FFu

static struct {
    uint32_t start_at;
    uint32_t trigger_at;
    uint32_t keep;
    uint32_t depth;
    volatile uint32_t ranges;
    volatile uint32_t contexts;
    uint32_t begin[MCUPROF_TRACE_FILTERS];
    uint32_t end[MCUPROF_TRACE_FILTERS];
    uint32_t context[MCUPROF_TRACE_FILTERS];
    struct level levels[MCUPROF_CONTEXTS];
} selection;

volatile uint8_t mcuprofi_trace_flags;

/* Not all is recorded: says so, also in the block's HELLO. */
static void mcuprofi_trace_flag(void)
{
    mcuprofi_trace_flags = MCUPROF_TRACE_SELECTED;
    if (!mcuprofi_trace_has_kept) {
        mcuprof_trace.block.hello[MCUPROF_HELLO_TRACE_FLAGS] =
                MCUPROF_TRACE_SELECTED;
    }
}

/* What is entered at a function's address; 0: never. */
static uint32_t mcuprofi_entry_of(uint32_t function)
{
    return function != 0 ? function | MCUPROF_TRACE_ENTER : 0;
}

/* Whatever was known of the context: after a change it may be too fast. */
MCUPROF_KEEP void mcuprofi_trace_slow(uint32_t set, uint32_t clear)
{
    struct mcuprofi_ring *r = &mcuprof_trace;
    uint32_t failed = 1;
    for (uint32_t i = 0; failed && i < MCUPROFI_RING_TRIES; i++) {
        uint32_t section = mcuprofi_enter();
        mcuprofi_word slow = mcuprofi_take(&r->slow);
        failed = mcuprofi_give(section, &r->slow,
                               (slow & ~(mcuprofi_word)clear) | set);
    }
    r->block.context = MCUPROFI_CONTEXT_NONE;
}

void mcuprofi_trace_select_reset(void)
{
    for (size_t i = 0; i < MCUPROF_CONTEXTS; i++) {
        selection.levels[i].calls = 0;
    }
}

void mcuprofi_trace_select_gone(unsigned context)
{
    for (size_t i = 0; i < MCUPROF_CONTEXTS; i++) {
        mcuprofi_word calls = selection.levels[i].calls;
        if ((calls & MCUPROFI_LEVEL_CONTEXT) == context + 1u) {
            selection.levels[i].calls = 0;
        }
    }
}

void mcuprofi_trace_arm(uint32_t start_at, uint32_t trigger_at, uint32_t keep,
                        uint32_t depth)
{
    uint32_t set = start_at != 0 ? MCUPROFI_SLOW_ARMED : 0;
    set |= trigger_at != 0 ? MCUPROFI_SLOW_TRIGGER : 0;
    set |= depth != 0 ? MCUPROFI_SLOW_DEPTH : 0;
    set |= (selection.ranges | selection.contexts) != 0 ? MCUPROFI_SLOW_FILTER
                                                        : 0;
    mcuprofi_trace_flags = 0;
    if ((set & (MCUPROFI_SLOW_DEPTH | MCUPROFI_SLOW_FILTER)) != 0) {
        mcuprofi_trace_flag();
    }
    selection.start_at = mcuprofi_entry_of(start_at);
    selection.trigger_at = mcuprofi_entry_of(trigger_at);
    selection.keep = keep;
    selection.depth = depth;
    mcuprofi_trace_slow(set, MCUPROFI_SLOW_ARMED | MCUPROFI_SLOW_TRIGGER
                                     | MCUPROFI_SLOW_LAST | MCUPROFI_SLOW_DEPTH
                                     | MCUPROFI_SLOW_OFF);
}

/* Finds a context's row, or takes a free one; NULL if all are others'. */
MCUPROFI_BARE struct level *mcuprofi_level_of(uint32_t context)
{
    for (size_t i = 0; i < MCUPROF_CONTEXTS; i++) {
        struct level *level = &selection.levels[i];
        if ((level->calls & MCUPROFI_LEVEL_CONTEXT) == context + 1u) {
            return level;
        }
    }
    for (size_t i = 0; i < MCUPROF_CONTEXTS; i++) {
        struct level *level = &selection.levels[i];
        uint32_t section = mcuprofi_enter();
        if (mcuprofi_take(&level->calls) != 0) {
            mcuprofi_leave(section);
        } else if (mcuprofi_give(section, &level->calls, context + 1u) == 0) {
            return level;
        }
    }
    return NULL;
}

/* The stack here: by so much deeper than that of who calls the hook. */
MCUPROFI_BARE mcuprofi_word mcuprofi_stack(void)
{
#if defined(__ARM_ARCH_ISA_THUMB)
    mcuprofi_word sp;
    __asm volatile("mov %0, sp" : "=r"(sp));
    return sp;
#else
    return mcuprof_port_stack();
#endif
}

MCUPROFI_BARE int mcuprofi_is_deep(uint32_t word, uint32_t context)
{
    struct level *level = mcuprofi_level_of(context);
    if (level == NULL) {
        return 0;
    }
    mcuprofi_word calls = level->calls;
    uint32_t depth = (uint32_t)calls / MCUPROFI_LEVEL_ONE;
    uint32_t here = (uint32_t)mcuprofi_stack() << 8
                    | ((word >> 2 ^ word >> 12) & MCUPROFI_LEVEL_FUNCTION);
    /* An exit hook may be called when its function's frame is gone. */
    if ((here ^ level->outermost) > MCUPROFI_LEVEL_FUNCTION
                ? here > level->outermost
                : here == level->outermost && (word & MCUPROF_TRACE_ENTER)) {
        depth = 0;
    }
    calls &= MCUPROFI_LEVEL_CONTEXT;
    if (word & MCUPROF_TRACE_ENTER) {
        if (depth == 0) {
            level->outermost = here;
        }
        level->calls = calls | (depth + 1u) * MCUPROFI_LEVEL_ONE;
        return depth >= selection.depth;
    }
    if (depth > 0) {
        calls |= (depth - 1u) * MCUPROFI_LEVEL_ONE;
    }
    level->calls = calls;
    return depth > selection.depth;
}

MCUPROFI_BARE int mcuprofi_is_wanted(uint32_t word, uint32_t context)
{
    uint32_t ranges = selection.ranges;
    uint32_t contexts = selection.contexts;
    int is_in = ranges == 0;
    int is_of = contexts == 0;
    for (uint32_t i = 0; i < ranges; i++) {
        uint32_t pc = word & ~MCUPROF_TRACE_ENTER;
        is_in |= pc >= selection.begin[i] && pc < selection.end[i];
    }
    for (uint32_t i = 0; i < contexts; i++) {
        is_of |= context == selection.context[i];
    }
    return is_in && is_of;
}

MCUPROF_KEEP int mcuprofi_trace_asks(uint32_t word, uint32_t tries)
{
    struct mcuprofi_ring *r = &mcuprof_trace;
    uint32_t slow = (uint32_t)r->slow;
    if (slow & MCUPROFI_SLOW_CLOCK) {
        r->now = mcuprofi_trace_clock();
    }
    if (slow & MCUPROFI_SLOW_KEPT) {
        return 0;
    }
    if ((slow & MCUPROFI_SLOW_OFF)
        && mcuprof_control.gate == &mcuprof_control) {
        r->block.state = MCUPROF_TRACE_STATE_RUNNING;
        mcuprofi_trace_slow(0, MCUPROFI_SLOW_OFF);
    }
    /* Only of events, and of each but once. */
    if (word >= MCUPROF_TRACE_SPECIAL) {
        return (slow & MCUPROFI_SLOW_ARMED) == 0;
    }
    if (tries != MCUPROFI_RING_TRIES) {
        return 1;
    }
    if (slow & MCUPROFI_SLOW_ARMED) {
        if (word != selection.start_at) {
            return 0;
        }
        r->block.state = MCUPROF_TRACE_STATE_RUNNING;
        mcuprofi_trace_slow(0, MCUPROFI_SLOW_ARMED);
    }
    if ((slow & MCUPROFI_SLOW_TRIGGER) && word == selection.trigger_at) {
        /* It is none of those that follow, and has its context before it. */
        mcuprof_trace_trigger(selection.keep + 2u);
    }
    uint32_t context = mcuprofi_ring_context(r, mcuprofi_ipsr());
    if ((slow & MCUPROFI_SLOW_FILTER) && !mcuprofi_is_wanted(word, context)) {
        return 0;
    }
    return (slow & MCUPROFI_SLOW_DEPTH) == 0
           || !mcuprofi_is_deep(word, context);
}

int mcuprof_trace_only(uint32_t begin, uint32_t end)
{
    uint32_t i = selection.ranges;
    begin &= ~MCUPROF_TRACE_ENTER;
    end &= ~MCUPROF_TRACE_ENTER;
    if (begin >= end) {
        return MCUPROF_EINVAL;
    }
    if (i >= MCUPROF_TRACE_FILTERS) {
        return MCUPROF_ENOSPACE;
    }
    selection.begin[i] = begin;
    selection.end[i] = end;
    mcuprofi_barrier();
    selection.ranges = i + 1u;
    mcuprofi_trace_flag();
    mcuprofi_trace_slow(MCUPROFI_SLOW_FILTER, 0);
    return 0;
}

int mcuprof_trace_only_context(unsigned context)
{
    uint32_t i = selection.contexts;
    if (context > MCUPROFI_CONTEXT_MAX) {
        return MCUPROF_EINVAL;
    }
    if (i >= MCUPROF_TRACE_FILTERS) {
        return MCUPROF_ENOSPACE;
    }
    selection.context[i] = context;
    mcuprofi_barrier();
    selection.contexts = i + 1u;
    mcuprofi_trace_flag();
    mcuprofi_trace_slow(MCUPROFI_SLOW_FILTER, 0);
    return 0;
}

void mcuprof_trace_everything(void)
{
    selection.ranges = 0;
    selection.contexts = 0;
    mcuprofi_trace_slow(0, MCUPROFI_SLOW_FILTER);
}

#endif
