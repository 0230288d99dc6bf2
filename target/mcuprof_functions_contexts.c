/* SPDX-License-Identifier: MIT */
/*
 * The function table's contexts: how they are found, how one follows another.
 */
#include "mcuprof_functions_parts.h"

#if MCUPROF_ENABLED && MCUPROF_FUNCTIONS

MCUPROF_KEEP void mcuprofi_functions_begin(struct mcuprofi_function_context *c,
                                           uint32_t v)
{
    size_t i = (size_t)(c - mcuprof_functions.contexts);
    int is_slow = mcuprofi_functions_is_slow();
    c->base->tag = 0;
    c->base->sp = ~(mcuprofi_word)0;
    c->base->start = v;
    c->base->children = 0;
    c->state.top = c->base;
    c->state.limit = c->base;
    if (i != MCUPROFI_FUNCTIONS_NOBODY) {
        c->state.limit += MCUPROF_FUNCTIONS_DEPTH;
    } else {
        is_slow = 1;
    }
    c->state.gate = mcuprofi_functions_gate_of(c, is_slow);
    c->state.index = i;
    /* What it has had since it was settled, it still has. */
    c->state.epoch = (uint32_t)(c->state.epoch + v - c->v);
    c->excess = 0;
    c->v = v;
}

MCUPROF_KEEP struct mcuprofi_function_context *
mcuprofi_functions_find(unsigned number)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    for (size_t i = 0; i < MCUPROF_FUNCTIONS_CONTEXTS; i++) {
        struct mcuprofi_function_context *c = &t->contexts[i];
        /* No free row is left behind: there its number would be twice. */
        for (uint32_t n = 0; c->used == 0 && n < MCUPROFI_FUNCTIONS_TRIES;
             n++) {
            if (mcuprofi_swap(&c->used, 0, number + 1u)) {
                mcuprofi_functions_begin(c, 0);
            }
        }
        if (c->used == number + 1u) {
            return c;
        }
        if (c->used == 0) {
            break;
        }
    }
    return &t->contexts[MCUPROFI_FUNCTIONS_NOBODY];
}

#ifdef MCUPROF_CONTEXT_ID

MCUPROFI_BARE uint32_t mcuprofi_functions_mask(void)
{
#if defined(__ARM_ARCH_ISA_THUMB)
    uint32_t primask;
    __asm volatile("mrs %0, primask\n\tcpsid i" : "=r"(primask) : : "memory");
    return primask;
#else
    return 0;
#endif
}

MCUPROFI_BARE void mcuprofi_functions_unmask(uint32_t primask)
{
#if defined(__ARM_ARCH_ISA_THUMB)
    __asm volatile("msr primask, %0" : : "r"(primask) : "memory");
#endif
    (void)primask;
}

/*
 * Another task runs, as one of its events shows: the only place where
 * interrupts are masked although there is LDREX, for whoever asks for the task
 * may himself be a task that is being left.
 */
MCUPROF_NO_INSTRUMENT static void
mcuprofi_functions_change(struct mcuprofi_function_context *to)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    mcuprofi_word index = to->state.index;
    uint32_t tries = MCUPROFI_FUNCTIONS_TRIES;
    mcuprofi_word changed;
    uint32_t *left;
    uint32_t next;
    uint32_t v;
    do {
        mcuprofi_word from = t->hot.state.index;
        mcuprofi_word stolen = t->hot.stolen;
        mcuprofi_barrier();
        uint32_t now = mcuprofi_functions_clock();
        v = now - (uint32_t)stolen;
        next = now - to->v;
        left = &t->contexts[from].v;
        /* Here, and not where they are used. */
        __asm volatile("" : "+r"(v), "+r"(next), "+r"(left));
        uint32_t primask = mcuprofi_functions_mask();
        changed = (t->hot.state.index ^ from) | (t->hot.stolen ^ stolen);
        if (changed == 0) {
            *left = v;
            t->hot.stolen = next;
            t->hot.state.index = index;
        }
        mcuprofi_functions_unmask(primask);
    } while (changed != 0 && --tries > 0);
    if (changed != 0) {
        *left = v;
        t->hot.stolen = next;
        t->hot.state.index = index;
        t->contexts[index].tries++;
    }
}

#else

/* The time is set to what it was when the other was left. */
MCUPROF_NO_INSTRUMENT static void
mcuprofi_functions_change(struct mcuprofi_function_context *to)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    struct mcuprofi_function_context *c = mcuprofi_functions_current();
    uint32_t tries = MCUPROFI_FUNCTIONS_TRIES;
    uint32_t stolen;
    uint32_t now;
    do {
        stolen = (uint32_t)t->hot.stolen;
        now = mcuprofi_functions_clock();
    } while (!mcuprofi_swap(&t->hot.stolen, stolen, (uint32_t)(now - to->v))
             && --tries > 0);
    if (tries == 0) {
        t->hot.stolen = (uint32_t)(now - to->v);
        c->tries++;
    }
    c->v = now - stolen;
    mcuprofi_functions_save(c);
    t->hot.state = to->state;
    mcuprofi_functions_go_on(to->v);
}

#endif

MCUPROF_KEEP void mcuprofi_functions_switch(uint32_t number)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    struct mcuprofi_function_context *c = mcuprofi_functions_current();
    struct mcuprofi_function_context *interrupt = NULL;
    number = mcuprofi_functions_number(number);
    t->task = number;
    if (t->hot.state.gate == 0) {
        return;
    }
    while (mcuprofi_functions_is_interrupt(c)) {
        interrupt = c;
        c = &t->contexts[c->below.index];
    }
    if (c->used == number + 1u) {
        return;
    }
    struct mcuprofi_function_context *to = mcuprofi_functions_find(number);
    if (to == c) {
        return;
    }
    if (interrupt != NULL) {
        if (mcuprofi_functions_state(c) != &c->state) {
            c->state = interrupt->below;
        }
        c->v = interrupt->below_v;
        interrupt->below = to->state;
        interrupt->below_v = to->v;
        return;
    }
    mcuprofi_functions_change(to);
}

MCUPROF_KEEP struct mcuprofi_function_state *
mcuprofi_functions_state_of(struct mcuprofi_function_context *c, uint32_t *v)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    struct mcuprofi_function_context *p = mcuprofi_functions_current();
    int is_on = t->hot.state.gate != 0;
    if (is_on && c == p) {
        *v = mcuprofi_functions_time();
        return mcuprofi_functions_state(c);
    }
    while (is_on && mcuprofi_functions_is_interrupt(p)) {
        if (&t->contexts[p->below.index] == c) {
            *v = p->below_v;
            return mcuprofi_functions_state(c) == &c->state ? &c->state
                                                            : &p->below;
        }
        p = &t->contexts[p->below.index];
    }
    *v = c->v;
    return &c->state;
}

MCUPROF_KEEP void mcuprofi_functions_gone(unsigned number)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    for (size_t i = 0; i < MCUPROF_FUNCTIONS_CONTEXTS; i++) {
        struct mcuprofi_function_context *c = &t->contexts[i];
        if (c->used != number + 1u || c->pending != 0) {
            continue;
        }
        uint32_t v;
        struct mcuprofi_function_state *state =
                mcuprofi_functions_state_of(c, &v);
        while (state->top != c->base) {
            mcuprofi_functions_unwind(state, v);
        }
    }
}

#endif
