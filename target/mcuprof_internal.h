/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_INTERNAL_H
#define MCUPROF_INTERNAL_H

/*
 * Shared between the library's own files; nothing here is for the user.
 */
#include "mcuprof.h"
#include "mcuprof_check.h"
#include "mcuprof_port.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MCUPROFI_RING_MASK (MCUPROF_SAMPLE_RING - 1u)

/* Whether the sampler is the one in mcuprof_sampler_v7m.c. */
#if MCUPROF_SAMPLER_ASM && defined(__ARM_ARCH) && __ARM_ARCH == 7              \
        && defined(__ARM_ARCH_ISA_THUMB) && __ARM_ARCH_ISA_THUMB == 2          \
        && MCUPROF_TIMER_RELOAD == 0 && MCUPROF_CLOCK_PER_TIMER == 1           \
        && MCUPROF_TIMER_PER_CLOCK == 1
#define MCUPROFI_SAMPLER_V7M 1
#else
#define MCUPROFI_SAMPLER_V7M 0
#endif

/* Exception frame, in words from its start (mcuprof_entry.h draws it). */
#define MCUPROFI_FRAME_PC 6
#define MCUPROFI_FRAME_XPSR 7

/*
 * Running: as ever; before the first sample; so, where others start the timer;
 * behind missed periods, of which the last may still be pending.
 */
#define MCUPROFI_RUNS 1u
#define MCUPROFI_STARTS 2u
#define MCUPROFI_AWAITS 3u
#define MCUPROFI_CAUGHT_UP 4u

struct mcuprofi_record {
    uint32_t pc;
    uint16_t context;
    uint16_t lateness;
};

/*
 * The sampler. The first twelve words are the hot ones, in the order in which
 * mcuprof_sampler_v7m.c loads them. The interrupt writes `head` and never
 * `tail`, the poller the reverse; one slot stays empty, so head == tail means
 * empty.
 */
struct mcuprofi_sampler {
    uintptr_t clock;    /* its register, from mcuprofi_clock_base() on */
    uint32_t deadline;  /* clock value at which the interrupt was due */
    uint32_t interval;  /* clock ticks from that deadline to the next */
    uint32_t threshold; /* lateness from which the slow path is taken */
    uint32_t seed;      /* xorshift32, never 0 */
    uint32_t span;      /* width of the jitter in clock ticks, 0 without */
    uint32_t base;      /* shortest interval in clock ticks */
    volatile uint32_t *reload;
    uint32_t shift; /* of lateness */
    volatile uint32_t head;
    volatile uint32_t tail;
    uint32_t task; /* context of thread mode */

    uint32_t lost;
    uint32_t missed;
    uint32_t longest;
    uint32_t longest_pc;
    uint32_t period; /* nominal, in clock ticks */
    uint32_t flip;   /* of the clock, as in mcuprofi_clock */
    uint32_t mask;
    uint32_t ceiling; /* of `threshold`; 0: always the slow path */
    uint32_t skipped; /* the last interrupt, as the timer was wrapping */
    uint32_t running; /* MCUPROFI_RUNS and so on, or 0 */
    uint32_t adds_up; /* as in mcuprofi_clock */
    struct mcuprofi_record ring[MCUPROF_SAMPLE_RING];
    uint32_t exception;
    uint32_t missed_rest; /* clock ticks below one period */
    uint32_t unused;      /* where `reload` points without a timer register */
};

extern struct mcuprofi_sampler mcuprofi_sampler;

/*
 * The clock's register. An offset, so that a sampler of zeros reads itself: the
 * interrupt may come before mcuprof_init(). The assembly is at `seed` by then.
 * Hooks may get here: there are none.
 */
MCUPROF_NO_INSTRUMENT static inline uintptr_t
mcuprofi_clock_base(const struct mcuprofi_sampler *s)
{
    return MCUPROFI_SAMPLER_V7M ? (uintptr_t)&s->seed : (uintptr_t)s;
}

MCUPROF_NO_INSTRUMENT static inline uint32_t
mcuprofi_clock_read(const struct mcuprofi_sampler *s)
{
    return *(const volatile uint32_t *)(mcuprofi_clock_base(s) + s->clock);
}

static inline void mcuprofi_clock_set(struct mcuprofi_sampler *s,
                                      const volatile uint32_t *reg)
{
    s->clock = (uintptr_t)reg - mcuprofi_clock_base(s);
}

/* Uniform in [0, span): xorshift32 of Marsaglia, JSS 8(14), 2003. */
static inline uint32_t mcuprofi_random_below(uint32_t *seed, uint32_t span)
{
    uint32_t x = *seed;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    *seed = x;
#if defined(__ARM_ARCH_ISA_THUMB) && __ARM_ARCH_ISA_THUMB == 1
    /* No long multiply: 16 random bits by a span below 2^32, in two parts. */
    x >>= 16;
    return x * (span >> 16) + ((x * (span & 0xFFFFu)) >> 16);
#else
    return (uint32_t)(((uint64_t)x * span) >> 32);
#endif
}

#if defined(__ARM_ARCH) && __ARM_ARCH >= 8
/*
 * The other security state's frame must not be read. Seen from non-secure,
 * secure is ES 0 and S 1 of EXC_RETURN; the reverse from secure.
 * Source: ARMv8-M ARM, EXC_RETURN, B3.18.
 */
static inline uint32_t mcuprofi_foreign_pc(uint32_t exc_return)
{
    switch (exc_return & 0x41u) {
    case 0x40u:
        return MCUPROF_PC_SECURE;
    case 0x01u:
        return MCUPROF_PC_NON_SECURE;
    default:
        return 0;
    }
}
#else
static inline uint32_t mcuprofi_foreign_pc(uint32_t exc_return)
{
    (void)exc_return;
    return 0;
}
#endif

/*
 * Judges a configuration: which timer samples, and every how many of its ticks.
 *
 * returns: 0, or what is wrong
 */
int mcuprofi_settings(const struct mcuprof_config *config,
                      const struct mcuprof_timer **timer, uint32_t *interval);

/* Sets an object of whole words to 0. */
void mcuprofi_clear(void *object, size_t size);

/* Puts a sample into the hot-spot table. */
void mcuprofi_hotspots_put(uint32_t pc);

/*
 * Takes a sample from an exception frame; returns for the handler.
 *
 * frame:      as drawn in mcuprof_entry.h
 * exc_return: the handler's LR
 */
void mcuprofi_sample(const uint32_t *frame, uint32_t exc_return);

/* The same in C, for every core; tested to give the same records. */
void mcuprofi_sample_reference(const uint32_t *frame, uint32_t exc_return);

/* What mcuprofi_sample_measure() returns where nothing must be recorded. */
#define MCUPROFI_SKIP 0xFFFFFFFFu

/*
 * Everything that is rare: a stopped sampler, the first sample, a new longest
 * lateness, missed periods, a clock that is not a 32-bit up-counter.
 *
 * late:    what the clock says if it is a 32-bit up-counter
 * returns: the lateness in ticks, or MCUPROFI_SKIP
 */
uint32_t mcuprofi_sample_measure(uint32_t pc, uint32_t late);

/*
 * Where the interrupted code's stack pointer was.
 *
 * source: ARMv7-M ARM B1.5.7 (xPSR bit 9, FPU frame), ARMv8-M ARM B3.19
 */
uint32_t mcuprofi_frame_sp(const uint32_t *frame, uint32_t exc_return);

/* Prepares the sampler for a start. Thread, sampling stopped. */
void mcuprofi_sampler_reset(const struct mcuprofi_clock *clock, uint32_t period,
                            const struct mcuprof_timer *timer);

/* Keeps the compiler from moving ring accesses across an index update. Hooks
 * call it: it has none. */
MCUPROF_NO_INSTRUMENT static inline void mcuprofi_barrier(void)
{
#if defined(__GNUC__)
    __asm volatile("" ::: "memory");
#endif
}

/* CRC-32 as zlib: start with 0; feeds `size` bytes. */
uint32_t mcuprofi_crc32(uint32_t crc, const uint8_t *data, size_t size);

/*
 * Finishes a frame in place. frame[2] on holds type, seq and payload, `size`
 * bytes in all; room for MCUPROF_WIRE_FRAME_MAX.
 *
 * returns: length of the finished frame
 */
size_t mcuprofi_frame_finish(uint8_t *frame, size_t size);

static inline uint8_t *mcuprofi_put16(uint8_t *to, uint32_t value)
{
    to[0] = (uint8_t)value;
    to[1] = (uint8_t)(value >> 8);
    return to + 2;
}

static inline uint8_t *mcuprofi_put32(uint8_t *to, uint32_t value)
{
    return mcuprofi_put16(mcuprofi_put16(to, value), value >> 16);
}

static inline uint8_t *mcuprofi_put64(uint8_t *to, uint64_t value)
{
    return mcuprofi_put32(mcuprofi_put32(to, (uint32_t)value),
                          (uint32_t)(value >> 32));
}

static inline uint8_t *mcuprofi_put_varint(uint8_t *to, uint32_t value)
{
    while (value >= 0x80u) {
        *to++ = (uint8_t)(value | 0x80u);
        value >>= 7;
    }
    *to++ = (uint8_t)value;
    return to;
}

/*
 * The firmware's identity (docs/wire.md), computed in slices.
 */
struct mcuprofi_identity {
    uint32_t start;
    uint32_t length;
    uint32_t done;
    uint32_t crc;
    uint8_t value[8];
    uint8_t flags; /* MCUPROF_HELLO_IDENTITY | _PARTIAL | _BUILD_ID */
};

void mcuprofi_identity_begin(struct mcuprofi_identity *identity,
                             uint32_t vectors);

/* Feeds up to `bytes` bytes; returns 1 while more is to come. */
int mcuprofi_identity_step(struct mcuprofi_identity *identity, uint32_t bytes);

/* Totals of a selftest, for its record. */
struct mcuprofi_selftest {
    uint32_t three_ticks;
    uint32_t one_ticks;
    uint32_t produced;
    uint32_t rounds;
};

/* The two loops; `counter` keeps them from being optimised away. */
void mcuprof_selftest_three(volatile uint32_t *counter, uint32_t rounds);
void mcuprof_selftest_one(volatile uint32_t *counter, uint32_t rounds);

/* Hands a finished selftest to the stream, which sends it. */
void mcuprofi_stream_selftest(const struct mcuprofi_selftest *result);

/* 64-bit ticks since init, kept up to date. Thread. */
uint64_t mcuprofi_stream_ticks(void);

/* Samples produced since boot. Thread. */
uint32_t mcuprofi_stream_produced(void);

/* Ticks per second of the clock in use; 0 before init. */
uint32_t mcuprofi_stream_hz(void);

/* Nominal sampling period in ticks of that clock. */
uint32_t mcuprofi_stream_period(void);

/*
 * A sample that is not as ever. The first one tells the exception, and of a
 * timer that others start its phase and rate. A timer that wraps while an
 * interrupt is entered that pended for long has that wrap counted there, and
 * pends it again: that one is none.
 *
 * returns: how late it is, in ticks, if the deadline says `late`; or
 *          MCUPROFI_IS_NONE, which is early by half of what 32 bits count
 */
uint32_t mcuprofi_stream_odd(uint32_t late);
#define MCUPROFI_IS_NONE 0x80000000u

/* Whether sampling runs. */
int mcuprofi_stream_running(void);

/* The last number of a context: the one behind stands for none. */
#define MCUPROFI_CONTEXT_MAX 0xFFFEu

/* Tells the call ring that this runs in thread mode from now on. */
void mcuprofi_trace_switch(uint32_t context);

/* The same for the function table. */
void mcuprofi_functions_switch(uint32_t number);

/* Tells each of them that a task was deleted. */
void mcuprofi_trace_gone(unsigned context);
void mcuprofi_functions_gone(unsigned number);

/* What mcuprofi_init() and mcuprof_poll() do for the function table. */
void mcuprofi_functions_init(void);
void mcuprofi_functions_touch(void);

/* Whether it counts. */
int mcuprofi_functions_is_open(void);

/* The call ring begins or ends to record, and its hooks cost more or less. */
#if MCUPROF_FUNCTIONS
void mcuprofi_functions_ring_changed(void);
#endif

MCUPROF_NO_INSTRUMENT static inline void mcuprofi_functions_with_ring(void)
{
#if MCUPROF_FUNCTIONS
    mcuprofi_functions_ring_changed();
#endif
}

MCUPROF_NO_INSTRUMENT static inline int mcuprofi_functions_counts(void)
{
    return MCUPROF_FUNCTIONS && mcuprofi_functions_is_open();
}

/* What a pair of its hooks adds to one of the ring's, in ticks; any context. */
uint32_t mcuprofi_functions_on_top(void);

/* Nothing is recorded between the two; whether it was. Thread. */
int mcuprofi_trace_pause(void);
void mcuprofi_trace_go_on(void);

/* The ring's copy of HELLO, for its readers in memory. */
void mcuprofi_trace_put_hello(void);

/*
 * Fills a frame with a part of a snapshot.
 *
 * p:       a frame's payload
 * returns: its end, NULL if there is nothing to be sent
 */
uint8_t *mcuprofi_functions_pack(uint8_t *p);

/* The sampling timer that mcuprof_init() chose; NULL before it. */
const struct mcuprof_timer *mcuprofi_timer(void);

/* Whether a timer may sample: any, but while attached only one of others. */
int mcuprofi_attach_allows(const struct mcuprof_timer *timer);

/*
 * The vector table that a copy of mcuprof_sample_attach() was made from, and
 * of any other table that one itself.
 */
const uint32_t *mcuprofi_attach_origin(const uint32_t *table);

#ifdef __cplusplus
}
#endif

#endif
