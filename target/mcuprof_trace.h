/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_TRACE_H
#define MCUPROF_TRACE_H

/*
 * The call ring: every call of what was compiled with -finstrument-functions,
 * in order, with the clock and the context (MCUPROF_TRACE 1). Included by
 * mcuprof.h.
 *
 *     mcuprof_init(&config);
 *     mcuprof_trace_start(NULL);       flight recorder: the last calls stay
 *
 * The newest records are in RAM, at mcuprof_trace, for a debugger or a dump;
 * in stream mode mcuprof_poll() sends them. From a debugger it is switched on
 * by `set var mcuprof_control.gate = &mcuprof_control`, off by `= 0`.
 *
 * Invariants: a hook records or counts what it could not; slot order is time
 * order; a context record stands before the first record of every context.
 * Where the core has LDREX, nothing here masks interrupts.
 */
#include "mcuprof.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How to record. Zero means the default. */
struct mcuprof_trace_config {
    /*
     * MCUPROF_TRACE_MODE_...: flight recorder, one-shot, stream. A stream whose
     * ring was full records again when mcuprof_poll() has taken all of it: one
     * gap, and whole calls before and behind it.
     */
    uint8_t mode;
    /*
     * Deepest level of calls that is recorded, per context; 0: all. Levels are
     * counted from where recording begins or goes on. Functions that a
     * longjmp() or a C++ throw has left without their hooks count, and hide as
     * many levels, until the context is back at its outermost function.
     * MCUPROF_CONTEXTS contexts have levels; what others call is recorded at
     * every level.
     */
    uint8_t depth;
    /* Recording begins when this function is entered; NULL: at once. */
    void (*start_at)(void);
    /* mcuprof_trace_trigger() follows when this one is entered; NULL: never. */
    void (*trigger_at)(void);
    /* Records to keep after that trigger; 0: half of the ring. */
    uint32_t keep;
};

/* The compiler calls these; they are not for others. */
void __cyg_profile_func_enter(void *function, void *call_site);
void __cyg_profile_func_exit(void *function, void *call_site);

#if MCUPROF_ENABLED && (MCUPROF_TRACE || MCUPROF_FUNCTIONS)

/*
 * A task was deleted: its open calls end here, and its number may come again.
 *
 * context: thread or any interrupt
 */
void mcuprof_context_delete(unsigned context);

#else

MCUPROF_NO_INSTRUMENT static inline void
mcuprof_context_delete(unsigned context)
{
    (void)context;
}

#endif

#if MCUPROF_ENABLED && MCUPROF_TRACE

/* What a debugger may touch. */
struct mcuprof_control {
    /* Hooks record while this holds the address of the block itself. */
    struct mcuprof_control *volatile gate;
};

extern struct mcuprof_control mcuprof_control;

/*
 * Empties the ring and records from now on. Measures what a pair of hooks costs
 * on this chip as it runs now, with what makes them slow: a depth, a trigger,
 * a clock that is no register.
 *
 * config:  NULL: flight recorder, everything
 * returns: 0
 * errors:  MCUPROF_ESTATE (no init, or recording already), MCUPROF_EBUSY (a
 *          ring kept from before a reset is there: mcuprof_trace_release()
 *          first; or the function table counts: start the ring before it),
 * MCUPROF_EINVAL (no such mode; stream without MCUPROF_STREAM), MCUPROF_ETIMER
 * (no clock that a hook can read) context: thread cost:    64 events of the
 * kind that it measures: 3,000 to 30,000 cycles
 */
MCUPROF_MUST_CHECK int
mcuprof_trace_start(const struct mcuprof_trace_config *config);

/*
 * Stops recording; what was recorded stays, and mcuprof_trace_resume() goes
 * on behind it.
 *
 * returns: 0
 * errors:  MCUPROF_ESTATE (not recording)
 * context: thread or any interrupt
 */
int mcuprof_trace_stop(void);

/*
 * Goes on after mcuprof_trace_stop(), or a trigger, behind what was recorded
 * and a record that says so: calls that were open may have been left meanwhile.
 * One that still waits for its function goes on waiting.
 *
 * returns: 0
 * errors:  MCUPROF_ESTATE (never started, recording, a one-shot that is full,
 *          or frozen: that is for good)
 * context: thread or any interrupt
 */
int mcuprof_trace_resume(void);

/*
 * The thing to be looked at happened: `keep` records more, then it stops.
 *
 * context: thread or any interrupt
 */
void mcuprof_trace_trigger(uint32_t keep);

/*
 * Stops recording at once and for good, up to another mcuprof_trace_start():
 * for an assert, an early watchdog warning, a fault. Notes the caller's
 * address.
 *
 * context: thread or any interrupt, any fault
 * cost:    a dozen instructions
 */
void mcuprof_freeze(void);

/*
 * Whether the ring of a firmware that was reset is still there, whole, and
 * nobody has released it (MCUPROF_TRACE_KEEP 1). It is not overwritten then.
 *
 * returns: 1 or 0
 * context: thread, after mcuprof_init()
 */
int mcuprof_trace_kept(void);

/*
 * Sends what was kept: mcuprof_poll() does it after this call, with the
 * identity and clock of the boot that recorded it.
 *
 * returns: 0
 * errors:  MCUPROF_ESTATE (nothing kept, or no stream)
 * context: thread
 */
int mcuprof_trace_send_kept(void);

/*
 * What was kept has been read: it may be overwritten.
 *
 * context: thread
 */
void mcuprof_trace_release(void);

/*
 * Records only functions of this address range; several add up, up to
 * MCUPROF_TRACE_FILTERS. Filters make each event slower.
 *
 * begin:   first address; bit 0 of both is dropped, as of functions'
 * end:     first address behind it
 * returns: 0
 * errors:  MCUPROF_EINVAL (empty), MCUPROF_ENOSPACE
 * context: thread
 */
MCUPROF_MUST_CHECK int mcuprof_trace_only(uint32_t begin, uint32_t end);

/*
 * Records only this context; several add up, up to MCUPROF_TRACE_FILTERS.
 *
 * returns: 0
 * errors:  MCUPROF_EINVAL (beyond 65534), MCUPROF_ENOSPACE
 * context: thread
 */
MCUPROF_MUST_CHECK int mcuprof_trace_only_context(unsigned context);

/* Forgets all that mcuprof_trace_only...() said. Context: thread. */
void mcuprof_trace_everything(void);

/*
 * Puts a point of your own into the ring.
 *
 * id:      0 to 0xFFFFFF; of others the low 24 bits
 * value:   anything
 * context: thread or any interrupt
 * cost:    two records
 */
void mcuprof_mark(uint32_t id, uint32_t value);

/*
 * The clock runs at another rate from now on: after a PLL was switched over.
 * That holds until the next mcuprof_init(), whatever is started or stopped; the
 * ring is told when it records, or when it goes on. Sampling keeps its period
 * in ticks: to have its rate back, stop and mcuprof_init() anew.
 *
 * hz:      ticks per second of the clock that the hooks read
 * context: thread or any interrupt, after mcuprof_init()
 */
void mcuprof_clock_changed(uint32_t hz);

/* Where the handlers of MCUPROF_FAULT_HANDLER...() go. */
void mcuprofi_fault(const uint32_t *frame, uint32_t exc_return);

#else

#define MCUPROFI_NO_FAULT_HANDLER 1

MCUPROF_NO_INSTRUMENT static inline int
mcuprof_trace_start(const struct mcuprof_trace_config *config)
{
    (void)config;
    return 0;
}
MCUPROF_NO_INSTRUMENT static inline int mcuprof_trace_stop(void)
{
    return 0;
}
MCUPROF_NO_INSTRUMENT static inline int mcuprof_trace_resume(void)
{
    return 0;
}
MCUPROF_NO_INSTRUMENT static inline void mcuprof_trace_trigger(uint32_t keep)
{
    (void)keep;
}
MCUPROF_NO_INSTRUMENT static inline void mcuprof_freeze(void)
{
}
MCUPROF_NO_INSTRUMENT static inline int mcuprof_trace_kept(void)
{
    return 0;
}
MCUPROF_NO_INSTRUMENT static inline int mcuprof_trace_send_kept(void)
{
    return 0;
}
MCUPROF_NO_INSTRUMENT static inline void mcuprof_trace_release(void)
{
}
MCUPROF_NO_INSTRUMENT static inline int mcuprof_trace_only(uint32_t begin,
                                                           uint32_t end)
{
    (void)begin;
    (void)end;
    return 0;
}
MCUPROF_NO_INSTRUMENT static inline int
mcuprof_trace_only_context(unsigned context)
{
    (void)context;
    return 0;
}
MCUPROF_NO_INSTRUMENT static inline void mcuprof_trace_everything(void)
{
}
MCUPROF_NO_INSTRUMENT static inline void mcuprof_mark(uint32_t id,
                                                      uint32_t value)
{
    (void)id;
    (void)value;
}
MCUPROF_NO_INSTRUMENT static inline void mcuprof_clock_changed(uint32_t hz)
{
    (void)hz;
}

#endif

#ifdef __cplusplus
}
#endif

#if !defined(MCUPROFI_NO_FAULT_HANDLER) && defined(__ARM_ARCH_ISA_THUMB)

/*
 * Defines `handler` (HardFault_Handler, say): it freezes the ring, notes where
 * the fault was, and waits for a debugger or a watchdog.
 */
#define MCUPROF_FAULT_HANDLER(handler)                                         \
    MCUPROF_EXTERN_C void handler(void);                                       \
    MCUPROF_KEEP __attribute__((naked)) void handler(void)                     \
    {                                                                          \
        __asm volatile(MCUPROF_ENTRY_FRAME                                     \
                       "    ldr   r2, 2f          \n"                          \
                       "    blx   r2              \n"                          \
                       "3:  b     3b              \n" MCUPROF_ENTRY_TARGET(    \
                               mcuprofi_fault));                               \
    }                                                                          \
    MCUPROF_EXTERN_C void handler(void)

/*
 * The same, and then calls `body()`: what the handler did before, a reset say.
 */
#define MCUPROF_FAULT_HANDLER_THEN(handler, body)                              \
    MCUPROFI_HANDLER_THEN(handler, body, mcuprofi_fault)

#else

/* No handler of ours at all, and the other one is just its body. */
#define MCUPROF_FAULT_HANDLER(handler) MCUPROF_EXTERN_C void handler(void)

#define MCUPROF_FAULT_HANDLER_THEN MCUPROFI_HANDLER_ALONE

#endif

#endif
