/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_RING_H
#define MCUPROF_RING_H

/*
 * The call ring as its own files share it: the block that docs/wire.md draws,
 * what hooks need besides, and how they exclude each other. The rules that keep
 * it right under interrupts stand at the top of mcuprof_ring.c.
 */
#include "mcuprof_internal.h"
#include "mcuprof_section.h"

#ifdef __cplusplus
extern "C" {
#endif

#if MCUPROF_ENABLED && MCUPROF_TRACE

struct mcuprofi_slot {
    volatile uint32_t time;
    volatile uint32_t word; /* written last */
};

/* docs/wire.md, "The call ring in RAM". The hooks use the first four words. */
struct mcuprofi_block {
    volatile mcuprofi_word context;
    volatile mcuprofi_word limit;
    volatile mcuprofi_word head;
    const volatile uint32_t *clock;
    uint32_t magic;
    uint16_t version;
    uint16_t size;
    struct mcuprofi_slot *ring;
    uint32_t records;
    volatile mcuprofi_word laps;
    volatile mcuprofi_word lost;
    volatile uint8_t state;
    uint8_t mode;
    uint16_t names;
    const void *names_at;
    uint32_t generation;
    uint32_t frozen_pc;
    uint32_t frozen_lr;
    uint32_t frozen_xpsr;
    uint32_t fault;
    uint8_t hello[MCUPROF_HELLO_SIZE];
    uint32_t check;
};

/* The block, what only the slow path and the thread need, and the records. */
struct mcuprofi_ring {
    struct mcuprofi_block block;
    /* The head may get there, not behind; NEVER: anywhere. */
    volatile mcuprofi_word stop;
    mcuprofi_word end;            /* of the slots */
    volatile mcuprofi_word told;  /* of `lost`, in LOST records */
    volatile uint32_t lost_first; /* times of what is lost and not told */
    volatile uint32_t lost_last;
    volatile uint32_t task;      /* context of thread mode */
    volatile mcuprofi_word slow; /* MCUPROFI_SLOW_...: why no event is fast */
    volatile uint32_t now; /* what `clock` points to if no register will do */
    struct mcuprofi_slot slots[MCUPROF_TRACE_RING];
};

extern struct mcuprofi_ring mcuprof_trace;

/*
 * Values of `context` that are no IPSR: the context is known, but events must
 * not be fast; its record is being written (a bit of its top byte, F0); nothing
 * is known.
 */
#define MCUPROFI_CONTEXT_SLOW 0x80000000u
#define MCUPROFI_CONTEXT_PENDING 0x40000000u
#define MCUPROFI_CONTEXT_NONE 0xFFFFFFFFu

/* Why no event is fast. */
#define MCUPROFI_SLOW_CLOCK 1u   /* no register to be read */
#define MCUPROFI_SLOW_PULL 2u    /* MCUPROF_CONTEXT_ID() */
#define MCUPROFI_SLOW_ARMED 4u   /* waits for its function */
#define MCUPROFI_SLOW_TRIGGER 8u /* another function triggers */
#define MCUPROFI_SLOW_LAST 16u   /* triggered: so many more */
#define MCUPROFI_SLOW_FILTER 32u /* not all is recorded */
#define MCUPROFI_SLOW_DEPTH 64u  /* nor at every level */
#define MCUPROFI_SLOW_KEPT 128u  /* nothing: another boot's ring is here */
#define MCUPROFI_SLOW_OFF 256u   /* only a debugger opens the gate */

/* Value of `stop`: there is no end. */
#define MCUPROFI_RING_NEVER (~(mcuprofi_word)0)
/* How often an event is tried. */
#define MCUPROFI_RING_TRIES 16u

#define MCUPROFI_SLOTS(count) ((count)*MCUPROF_TRACE_RECORD_SIZE)
#define MCUPROFI_RING_BEGIN ((mcuprofi_word)&mcuprof_trace.slots[0])
#define MCUPROFI_RING_END                                                      \
    ((mcuprofi_word)&mcuprof_trace.slots[MCUPROF_TRACE_RING])

/* The ring, so that compilers keep its address in a register. */
MCUPROFI_BARE struct mcuprofi_ring *mcuprofi_ring(void)
{
    struct mcuprofi_ring *ring = &mcuprof_trace;
#if defined(__GNUC__)
    __asm("" : "+r"(ring));
#endif
    return ring;
}

/* A section on the head, in which the address costs no instruction. */
#if defined(__ARM_FEATURE_LDREX)
MCUPROFI_BARE mcuprofi_word mcuprofi_take_head(const struct mcuprofi_ring *ring)
{
    mcuprofi_word value;
    __asm volatile("ldrex %0, [%1, %2]"
                   : "=r"(value)
                   : "r"(ring), "i"(MCUPROF_BLOCK_HEAD)
                   : "memory");
    return value;
}

MCUPROFI_BARE uint32_t mcuprofi_give_head(uint32_t section,
                                          struct mcuprofi_ring *ring,
                                          mcuprofi_word value)
{
    uint32_t failed;
    (void)section;
    __asm volatile("strex %0, %1, [%2, %3]"
                   : "=&r"(failed)
                   : "r"(value), "r"(ring), "i"(MCUPROF_BLOCK_HEAD)
                   : "memory");
    return failed;
}
#else
MCUPROFI_BARE mcuprofi_word mcuprofi_take_head(const struct mcuprofi_ring *ring)
{
    return mcuprofi_take(&ring->block.head);
}

MCUPROFI_BARE uint32_t mcuprofi_give_head(uint32_t section,
                                          struct mcuprofi_ring *ring,
                                          mcuprofi_word value)
{
    return mcuprofi_give(section, &ring->block.head, value);
}
#endif

/*
 * An event that was not recorded at once: another context's, no room, a section
 * that was interrupted, or one that has to be looked at.
 */
void mcuprofi_ring_slow(uint32_t word);

/*
 * Records, or counts what found no room. Whether the gate is open, who calls it
 * has asked.
 *
 * values:  a VALUE each that goes with it
 * bytes:   8, and 8 for each value; 0: nothing but the context's record, if it
 *          needs one
 * ipsr:    of the context that it belongs to
 * returns: 1 if it is there now
 */
int mcuprofi_ring_put(uint32_t word, const uint32_t *values, uint32_t bytes,
                      mcuprofi_word ipsr);

/* With a stream: sets `limit` right, unless something comes in between. */
void mcuprofi_ring_limit(void);

/* Number of the context that runs, whose IPSR is given. */
MCUPROFI_BARE uint32_t mcuprofi_ring_context(const struct mcuprofi_ring *ring,
                                             mcuprofi_word ipsr)
{
    if (ipsr != 0) {
        return (uint32_t)ipsr;
    }
#ifdef MCUPROF_CONTEXT_ID
    (void)ring;
    return (uint32_t)(MCUPROF_CONTEXT_ID()) & 0xFFFFu;
#else
    return ring->task;
#endif
}

/* Writes a reserved slot. */
MCUPROFI_BARE void mcuprofi_ring_write(struct mcuprofi_slot *slot,
                                       uint32_t time, uint32_t word)
{
    slot->time = time;
    mcuprofi_barrier();
    slot->word = word;
}

/*
 * Asked while MCUPROFI_SLOW_... says why: whether a record is to be made.
 * Starts, triggers, and reads a clock that is no register.
 *
 * tries: MCUPROFI_RING_TRIES at first, less when asked again
 */
int mcuprofi_trace_asks(uint32_t word, uint32_t tries);

/*
 * Of a pair of hooks in ticks: in all, between its records, and in all while
 * the gate is closed. Nothing is measured while the function table counts.
 */
struct mcuprofi_trace_cost {
    uint16_t total;
    uint16_t inner;
    uint16_t closed;
    uint16_t measured;
};
extern struct mcuprofi_trace_cost mcuprofi_trace_costs;

/* What is measured: an empty function, without hooks and with them. */
void mcuprofi_trace_empty(void);
void mcuprofi_trace_pair(void);

/* Measures it, with the ring in use. Leaves it in need of a start. */
void mcuprofi_trace_measure(void);

/* Functions that start and trigger as they are entered, 0: none. */
void mcuprofi_trace_arm(uint32_t start_at, uint32_t trigger_at, uint32_t keep,
                        uint32_t depth);

/* Whether a ring of an earlier boot is there. */
extern uint8_t mcuprofi_trace_has_kept;

/* As HELLO has them. */
extern volatile uint8_t mcuprofi_trace_flags;

/* Sets and clears MCUPROFI_SLOW_... */
void mcuprofi_trace_slow(uint32_t set, uint32_t clear);

/* Empties the ring for a mode, behind a closed gate. */
void mcuprofi_trace_reset(uint8_t mode);

/* The ring is full, and was not to be overwritten: that was all. */
void mcuprofi_trace_ends(void);

/* The clock's register, or what one would show. */
uint32_t mcuprofi_trace_clock(void);

/* Records the clock's rate, if it is not as recorded last. */
void mcuprofi_trace_tell_rate(void);

/* Depths of calls begin anew: of all contexts, or of one that is gone. */
void mcuprofi_trace_select_reset(void);
void mcuprofi_trace_select_gone(unsigned context);

#if MCUPROF_STREAM
/* A new boot: nothing was sent. */
void mcuprofi_trace_stream_init(void);

/* Whether the next HELLO says what no record does; asked once. */
int mcuprofi_trace_has_news(void);

/* Empties what poll keeps of the ring; what is in it and not sent is lost. */
void mcuprofi_trace_stream_reset(void);

/* A task was deleted: a slot that it may have taken is waited for no longer. */
void mcuprofi_trace_stream_gone(void);
#endif

#endif

#ifdef __cplusplus
}
#endif

#endif
