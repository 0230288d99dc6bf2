/* SPDX-License-Identifier: MIT */
/*
 * The sampler's interrupt side. One producer (the sampling interrupt), one
 * consumer (mcuprof_poll()); no lock on either side.
 */
#include "mcuprof_internal.h"

#if MCUPROF_ENABLED && MCUPROF_STREAM

MCUPROF_VISIBLE struct mcuprofi_sampler mcuprofi_sampler;

/* The clock as a count upwards, whatever the register does. */
static inline uint32_t mcuprofi_clock_now(const struct mcuprofi_sampler *s)
{
    return mcuprofi_clock_read(s) ^ s->flip;
}

/*
 * Sets the next deadline and tells the timer. Deadlines are sums of intervals,
 * so that the average rate is exact: a timer that restarts gets what is left.
 */
static inline void mcuprofi_sampler_schedule(struct mcuprofi_sampler *s)
{
    uint32_t running = s->interval;
    uint32_t next = s->base + mcuprofi_random_below(&s->seed, s->span);
    next -= next % MCUPROF_CLOCK_PER_TIMER;
    s->interval = next;
    s->deadline += MCUPROF_TIMER_RELOAD == 0 ? running : next;
    if (MCUPROF_TIMER_RELOAD == 2) {
        uint32_t left = (s->deadline - mcuprofi_clock_now(s)) & s->mask;
        next = left <= next && left >= MCUPROF_CLOCK_PER_TIMER
                       ? left
                       : MCUPROF_CLOCK_PER_TIMER;
    }
    *s->reload = next / MCUPROF_CLOCK_PER_TIMER * MCUPROF_TIMER_PER_CLOCK - 1u;
}

/*
 * Lateness by a clock that is not a 32-bit up-counter. SysTick as sampler and
 * clock counts from its reload on; with no clock the mask is 0.
 */
static uint32_t mcuprofi_odd_late(const struct mcuprofi_sampler *s)
{
    uint32_t due = s->adds_up ? 0u - s->interval : s->deadline;
    return (mcuprofi_clock_now(s) - due) & s->mask;
}

/*
 * A new interval written while the timer wraps, or is about to, may or may not
 * be the one that it takes. Then nothing is done, once: the next interrupt
 * follows at once and finds all as it was.
 */
static int mcuprofi_is_wrapping(const struct mcuprofi_sampler *s, uint32_t late)
{
    uint32_t end = MCUPROF_TIMER_RELOAD == 0 ? s->interval : s->base;
    return MCUPROF_TIMER_RELOAD != 2 && !s->adds_up
           && late % s->interval + s->base / 8u >= end;
}

/*
 * The timer went on alone: moves the deadline by what it had loaded, and
 * counts the nominal periods in that, with the rest kept for the next time. If
 * the clock jumped, the timer's phase is lost: it begins at this interrupt.
 */
static void mcuprofi_count_missed(struct mcuprofi_sampler *s, uint32_t late,
                                  int jumped)
{
    if (MCUPROF_TIMER_RELOAD != 2 && !jumped) {
        late -= late % s->interval;
        s->running = MCUPROFI_CAUGHT_UP;
    }
    s->deadline += late;
    late += s->missed_rest;
    s->missed += late / s->period;
    s->missed_rest = late % s->period;
}

/* returns: 0 if this interrupt must be left out */
static inline int mcuprofi_keep_up(struct mcuprofi_sampler *s, uint32_t pc,
                                   uint32_t late)
{
    /* What was left out for a wrap has told its lateness and PC already. */
    if (late > s->longest && !s->skipped) {
        s->longest = late;
        s->longest_pc = pc;
    }
    int wrapping = mcuprofi_is_wrapping(s, late);
    if (wrapping && !s->skipped) {
        s->skipped = 1;
        return 0;
    }
    if (wrapping || late >= s->interval) {
        mcuprofi_count_missed(s, late, wrapping || late / 256u >= s->interval);
    }
    return 1;
}

MCUPROF_KEEP uint32_t mcuprofi_sample_measure(uint32_t pc, uint32_t late)
{
    struct mcuprofi_sampler *s = &mcuprofi_sampler;
    if (s->running != MCUPROFI_RUNS) {
        late = mcuprofi_stream_odd(late);
        if (late == MCUPROFI_IS_NONE) {
            return MCUPROFI_SKIP;
        }
    }
    if (s->ceiling == 0) {
        late = mcuprofi_odd_late(s);
    }
    /*
     * Half of a wide clock's range is early, for it may be set back; of a
     * narrow one only what a tick can be. Either way late stays below 2^31.
     */
    uint32_t limit =
            s->mask == 0xFFFFFFFFu ? s->mask / 2u : s->mask - 2u * s->period;
    if (late > limit) {
        if (!s->adds_up) {
            /* The phase was not known yet, or the clock stopped in sleep. */
            s->deadline += late;
        }
        late = 0;
    } else if (!mcuprofi_keep_up(s, pc, late)) {
        return MCUPROFI_SKIP;
    }
    s->skipped = 0;
    s->threshold = s->longest < s->ceiling ? s->longest + 1u : s->ceiling;
    return late;
}

/* Must stay in step with the assembly in mcuprof_sampler_v7m.c. */
static inline void mcuprofi_sampler_take(struct mcuprofi_sampler *s,
                                         uint32_t pc, uint32_t context)
{
    uint32_t late = mcuprofi_clock_read(s) - s->deadline;
    if (late >= s->threshold) {
        late = mcuprofi_sample_measure(pc, late);
        if (late == MCUPROFI_SKIP) {
            return;
        }
    }
    uint32_t head = s->head;
    struct mcuprofi_record *record = &s->ring[head];
    late >>= s->shift;
    record->pc = pc;
    record->context = (uint16_t)context;
    record->lateness = (uint16_t)(late < MCUPROF_SAMPLE_LATENESS_MAX
                                          ? late
                                          : MCUPROF_SAMPLE_LATENESS_MAX);
    head = (head + 1u) & MCUPROFI_RING_MASK;
    if (head == s->tail) {
        s->lost++;
    } else {
        mcuprofi_barrier();
        s->head = head;
    }
    mcuprofi_sampler_schedule(s);
    if (MCUPROF_HOTSPOTS) {
        mcuprofi_hotspots_put(pc);
    }
}

MCUPROF_KEEP void mcuprofi_sample_reference(const uint32_t *frame,
                                            uint32_t exc_return)
{
    struct mcuprofi_sampler *s = &mcuprofi_sampler;
    uint32_t pc = mcuprofi_foreign_pc(exc_return);
    if (pc != 0) {
        mcuprofi_sampler_take(s, pc, s->task);
        return;
    }
    uint32_t context = frame[MCUPROFI_FRAME_XPSR] & 0x1FFu;
    mcuprofi_sampler_take(s, frame[MCUPROFI_FRAME_PC],
                          context != 0 ? context : s->task);
}

void mcuprof_sample_put(uint32_t pc, unsigned context)
{
    struct mcuprofi_sampler *s = &mcuprofi_sampler;
    mcuprofi_sampler_take(s, pc & ~1u, context != 0 ? context : s->task);
}

void mcuprof_context_set(unsigned context)
{
    int known = context >= MCUPROF_CONTEXT_TASK_FIRST
                && context <= MCUPROFI_CONTEXT_MAX;
    mcuprofi_sampler.task = known ? context : MCUPROF_CONTEXT_THREAD;
    if (MCUPROF_TRACE) {
        mcuprofi_trace_switch(mcuprofi_sampler.task);
    }
    if (MCUPROF_FUNCTIONS) {
        mcuprofi_functions_switch(mcuprofi_sampler.task);
    }
}

uint32_t mcuprofi_frame_sp(const uint32_t *frame, uint32_t exc_return)
{
    uint32_t size = 0x20u;
    if ((exc_return & 0x10u) == 0) {
        size = 0x68u;
    }
#if defined(__ARM_ARCH) && __ARM_ARCH >= 8 && defined(__ARM_FEATURE_CMSE)      \
        && __ARM_FEATURE_CMSE == 3
    /* FPCCR.TS: secure code also stacks s16-s31. ARMv8-M ARM, FPCCR. */
    if (size == 0x68u
        && (*(const volatile uint32_t *)0xE000EF34u & (1u << 26)) != 0) {
        size = 0xA8u;
    }
#endif
    uint32_t aligned = (frame[MCUPROFI_FRAME_XPSR] >> 9) & 1u;
    return (uint32_t)(uintptr_t)frame + size + aligned * 4u;
}

void mcuprofi_sampler_reset(const struct mcuprofi_clock *clock, uint32_t period,
                            const struct mcuprof_timer *timer)
{
    struct mcuprofi_sampler *s = &mcuprofi_sampler;
    mcuprofi_clock_set(s, clock->reg);
    s->flip = clock->flip;
    s->mask = clock->mask;
    s->adds_up = clock->adds_up;
    s->period = period;
    s->span = 0;
    s->base = period;
    s->reload = &s->unused;
    if (timer->reload != NULL) {
        s->span = period;
        s->base = period / 2u;
        s->reload = timer->reload;
    }
    /*
     * The fast path takes the clock for a 32-bit up-counter; and no miss, nor
     * a timer about to wrap, can hide in less than the shortest interval.
     */
    s->ceiling = clock->is_plain ? s->base - s->base / 8u : 0;
    s->threshold = 0;
    s->longest = 0;
    /* Two periods fit below saturation: what is longer is in `longest`. */
    uint32_t shift = 0;
    while (period >> shift > 0x7FFFu) {
        shift++;
    }
    s->shift = shift;
}

#endif
