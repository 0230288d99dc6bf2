/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_TIMELINE_PARTS_H
#define MCUPROF_HOST_TIMELINE_PARTS_H

/*
 * How a timeline is kept between taking and playing back: a log of entries as
 * the call ring has them, times unwrapped, what is stale left out. While it is
 * taken, the calls are followed already: whether a call that is open at a gap
 * was left in it is known when its leave comes later, or does not, and is then
 * noted in the entry of its enter.
 *
 *   segment 0          1                       2          gap n is before
 *   |--m(--f(--g(------|--)g--)m--x(--x)--|----)y--|      segment n
 *          until = 1                  y is entered before, in segment 2
 *
 * f was left at g's leave (unwound), and none of its own comes; had g's not
 * come either, both would have been left in gap 1.
 */

#include "timeline.h"
#include "timeline_log.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Words of the log: functions and what is special as in the call ring, and
 * these, told by their top byte. The argument is in the low 24 bits.
 *
 *              argument                 ticks         extra
 *   enter                                             gap in which it is left
 *   leave                                             1: stray
 *   context    that runs
 *   mark       number                                 value
 *   bare mark  number; its value is missing
 *   gap        flags                    where it begins   records
 *   pause      flags                    where it begins
 *   clock                                             Hz
 *   rate       gaps in which it may                   Hz, 0: nothing
 *              have begun
 *   gone       the context
 *   begin      1: from mcuprof_init()                 Hz
 *              2: after a reset
 *   costs      context that runs first                whole << 16 | inner
 *   close      context with too many open calls
 *   wrap                                where it begins   wraps
 *   on                                  the end of a pause
 *   end
 */
#define TIMELINE_WORD_BEGIN 0xE0u
#define TIMELINE_WORD_COSTS 0xE1u
#define TIMELINE_WORD_CLOSE 0xE2u
#define TIMELINE_WORD_WRAP 0xE3u
#define TIMELINE_WORD_END 0xE4u
#define TIMELINE_WORD_BARE_MARK 0xE5u
#define TIMELINE_WORD_RATE 0xE6u
#define TIMELINE_WORD_ON 0xE7u

#define TIMELINE_BEGIN_INIT 1u
#define TIMELINE_BEGIN_RESET 2u

#define TIMELINE_WORD(kind, argument)                                          \
    ((uint32_t)(kind) << 24 | ((argument)&MCUPROF_TRACE_ARGUMENT))

/* Deeper ones are closed, all of that context. */
#define TIMELINE_DEPTH_MAX 65535u

/* A call that was not left yet. */
struct timeline_call {
    uint32_t function;
    uint32_t segment; /* in which it was entered */
    uint32_t sure;    /* the last segment in which it was open for certain */
    uint64_t number;  /* of its entry in the log */
};

/* The open calls of a context while records are taken. */
struct timeline_stack {
    struct timeline_call *calls;
    size_t count;
    size_t room;
    uint32_t used_in;  /* segment + 1 in which a call from before it was left */
    uint32_t fresh_in; /* boot + 1 in which it was deleted: nothing is open that
                          was not seen */
    uint16_t context;
};

/* A record, with the values that came behind it. */
struct timeline_item {
    uint32_t time;
    uint32_t word;
    uint32_t values[2];
    unsigned value_count;
    bool is_rewritten; /* of a slot that a lap before has used, too */
};

/*
 * The clock's rate. HELLO tells it as it is, ahead of the records up to a
 * change, which say where that was. A change of which no record came by the
 * next TIME was lost, in a gap: behind each there is an entry to note it in.
 */
struct timeline_rate {
    uint32_t hz;      /* of the records that come now */
    uint32_t awaited; /* HELLO's, if another one */
    bool is_due;      /* its record is lost, or in a gap that comes next */
    bool changed;     /* a record of this boot said so */
    bool told;        /* a start's HELLO said what it began with */
    uint32_t gaps;    /* since it was sure */
    uint64_t slot;    /* number of the entry behind the first of them */
};

/* No ring is longer. */
#define TIMELINE_RING_MAX 65536u

struct timeline {
    struct timeline_log log;
    struct timeline_log missing; /* enters to add: segment, function, context */
    struct timeline_clock clock;
    struct timeline_counts counts; /* what is known before the replay */
    struct wire_hello hello;
    struct timeline_rate rate;
    uint64_t before;  /* time of the record before the last that was settled */
    bool was_running; /* the ring was recording at a reset */
    bool any_running; /* so was a ring that came */
    bool is_reset;    /* the boot to begin is what came after it */

    /* Of the boot that is under way in the log, if one is. */
    uint64_t begin;         /* number of its entry */
    uint64_t begin_missing; /* number of its first entry of those */
    uint64_t pause;         /* number of the last one's entry */
    uint64_t unknown;       /* number of the entry that says so, see below */
    uint32_t first_time;    /* reading of its first record */
    bool has_hello;
    bool began;
    bool has_first;
    bool has_unknown; /* it began in a context that is not known */
    bool base_known;
    bool has_pause; /* of which it is not known if whole wraps are missing */
    bool lower_ran; /* a thread or task had a record in this segment */

    bool joined;
    unsigned expects; /* so many values may follow */
    uint16_t context; /* of the last item that was put */
    uint16_t running; /* of the last one that was settled */
    uint32_t next;    /* index of the next record */
    uint32_t segment;
    uint32_t boot;
    struct timeline_item *items; /* that came and were not settled */
    size_t item_count;
    size_t item_room;
    uint32_t ring_records; /* that the ring holds which comes, 0: none does */
    uint32_t *last_runs; /* by context: number + 1 of the last item that it runs
                            from; 0 but while items are settled */

    struct timeline_stack *stacks;
    size_t stack_count;
    size_t stack_room;
    size_t open_exceptions; /* calls of exceptions that are open */
    uint32_t *stack_index;  /* by context: number + 1, 0 if absent */
};

static inline bool timeline_is_exception(uint16_t context)
{
    return context != MCUPROF_CONTEXT_THREAD
           && context < MCUPROF_CONTEXT_TASK_FIRST;
}

/** Add an entry to the log at the time that is now. */
int timeline_put(struct timeline *timeline, uint32_t word,
                 uint32_t extra) MUST_CHECK;

/** CONTEXT has a record: if it is no exception, exceptions have ended. */
int timeline_follow_run(struct timeline *timeline, uint16_t context) MUST_CHECK;

/** Follow the records of FUNCTION in CONTEXT, and put them. */
int timeline_follow_enter(struct timeline *timeline, uint16_t context,
                          uint32_t function) MUST_CHECK;
int timeline_follow_leave(struct timeline *timeline, uint16_t context,
                          uint32_t function) MUST_CHECK;

/** CONTEXT is no more. */
int timeline_follow_gone(struct timeline *timeline,
                         uint16_t context) MUST_CHECK;

/** Recording was switched off: whatever is open, or not, may have changed. */
int timeline_follow_pause(struct timeline *timeline) MUST_CHECK;

/** Nothing more will come of this boot. */
int timeline_follow_end(struct timeline *timeline) MUST_CHECK;

/** A boot begins. */
void timeline_rate_begin(struct timeline *timeline);

/** A gap or a pause was put. */
int timeline_rate_gap(struct timeline *timeline) MUST_CHECK;

/** ITEM says that the rate is another. */
int timeline_rate_record(struct timeline *timeline,
                         const struct timeline_item *item) MUST_CHECK;

/** A HELLO came, of a boot that has begun. */
void timeline_rate_hello(struct timeline *timeline);

/** A TIME came: so have all records of before it. */
void timeline_rate_time(struct timeline *timeline);

/** A record comes that is no gap. */
int timeline_rate_settle(struct timeline *timeline) MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
