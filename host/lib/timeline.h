/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_TIMELINE_H
#define MCUPROF_HOST_TIMELINE_H

/*
 * The model of everything that is traced: calls per context, in order, with
 * times of 64 bits. It takes the records of the call ring as they come, and
 * plays them back, as often as asked, as events that are balanced: whatever
 * was torn, lost or left out is repaired, marked and counted. It knows no ELF.
 *
 * Invariants of a replay: times never fall; in each context every enter has
 * its leave, innermost first; all time between the first and the last record
 * of a boot is in exactly one of: self of a call, outside of all calls of a
 * context, lost, off.
 *
 * Memory grows with contexts, the depth of calls and the records of a ring.
 * What is to be played back is in a temporary file if it is long.
 */

#include "decode.h"
#include "error.h"
#include "timeline_clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct timeline;

/* A time or a duration. */
struct timeline_span {
    uint64_t ticks;
    uint64_t ps; /* picoseconds, by the rate that held; 0 if it is not known */
};

enum timeline_kind {
    TIMELINE_ENTER,
    TIMELINE_LEAVE,
    TIMELINE_MARK,  /* the user's: number, value */
    TIMELINE_AWAY,  /* an open call goes on; others ran for span */
    TIMELINE_GAP,   /* records are missing, in any context: count, span */
    TIMELINE_WRAP,  /* somewhere before, count wraps of the clock: span */
    TIMELINE_PAUSE, /* recording was off, for span */
    TIMELINE_CLOCK, /* its rate is value Hz from here on; if that is unsure:
                       from somewhere in span on, or in one of count gaps;
                       without either: since somewhere before */
    TIMELINE_GONE,  /* the context is deleted */
    TIMELINE_BEGIN, /* of a boot: number */
    TIMELINE_END    /* of a boot, all is left */
};

/* Why a call is not recorded as it began and ended. */
#define TIMELINE_ENTERED_BEFORE 0x01u /* before the record, or in a gap */
#define TIMELINE_UNWOUND 0x02u /* no leave, but a call below it was left */
#define TIMELINE_ENDED 0x04u   /* no leave, but what it interrupted went on */
#define TIMELINE_OPEN 0x08u    /* not left at the end of the record */
#define TIMELINE_LEFT_IN_GAP 0x10u
#define TIMELINE_LEFT_GONE 0x20u /* its context was deleted */
#define TIMELINE_TOO_DEEP 0x40u  /* more open calls than are followed */
/* Of a gap: */
#define TIMELINE_ON_LINE 0x80u /* not for want of room on the target */
#define TIMELINE_UNSURE 0x100u /* whole wraps of the clock may be missing */
/* Of a call: open when recording was switched off. */
#define TIMELINE_LEFT_OFF 0x200u
/* Of the beginning of a boot: told by the clock alone, in the middle of a ring
   that was recording at a reset. What is between is not known. */
#define TIMELINE_RESET 0x400u

struct timeline_event {
    enum timeline_kind kind;
    uint16_t context;
    uint16_t other;    /* that ran, of AWAY */
    unsigned flags;    /* of LEAVE those of its ENTER too */
    size_t depth;      /* calls of this context that are open around it */
    uint32_t function; /* bit 0 clear */
    uint32_t number;
    uint32_t value;
    bool has_value;
    uint64_t count;
    struct timeline_span at;   /* since the time that is 0 in this boot */
    struct timeline_span span; /* of LEAVE: total, without what interrupted */
    struct timeline_span self;
    /* What the hooks themselves took of the two; of self it may be more than
       was measured. */
    struct timeline_span span_cost;
    struct timeline_span self_cost;
};

typedef int (*timeline_sink)(void *context, const struct timeline_event *event);

/* What was wrong with the records, and mended or left out. */
struct timeline_counts {
    uint64_t calls;
    uint64_t marks;
    uint64_t torn;         /* records that were reserved and not written */
    uint64_t stale;        /* records of an earlier lap: time ran backwards */
    uint64_t stray_values; /* without the record they belong to, or missing */
    uint64_t unknown;      /* records of a kind that this reader ignores */
    uint64_t before_hello; /* records that came before the clock was known */
    uint64_t entered_before;
    uint64_t stray_leaves; /* of functions that were not entered: left out */
    uint64_t unwound;
    uint64_t ended;
    uint64_t open;
    uint64_t left_in_gap;
    uint64_t left_gone;
    uint64_t too_deep;
    uint64_t left_off;
    uint64_t pauses; /* of recording */
    uint64_t gaps_target;
    uint64_t gaps_line;
    uint64_t lost_target; /* records */
    uint64_t lost_line;
    uint64_t wraps;        /* hidden ones of the clock */
    uint64_t anchors;      /* TIME and SYNC records, by which wraps are found */
    uint64_t disagreed;    /* of them: they contradict the records */
    uint64_t boots;        /* stretches of records that belong together */
    uint64_t resets;       /* of them: that began with one of TIMELINE_RESET */
    uint64_t rates_unsure; /* changes of the clock's rate at unknown times */
};

/* What a context had of the time. */
struct timeline_share {
    uint16_t context;
    uint64_t calls;
    struct timeline_span self;    /* of all its calls */
    struct timeline_span outside; /* of all calls; never of exceptions */
};

/* Sums over all boots. */
struct timeline_result {
    struct timeline_counts counts;
    struct timeline_span wall; /* from first to last record */
    struct timeline_span lost;
    struct timeline_span off; /* recording was */
    bool is_off_unsure;       /* and whole wraps of the clock may be missing */
    struct timeline_share *shares; /* ascending contexts */
    size_t share_count;
    uint16_t hook_cost;  /* ticks of a pair, of the last boot; 0: not known */
    uint16_t hook_inner; /* the part between its records */
    uint32_t clock_hz;   /* at the end, 0: not known */
    uint8_t clock_bits;
    bool rate_changed;
    bool from_init;   /* 0 is mcuprof_init(), in all boots */
    bool was_running; /* at a reset, one of the rings */
};

/** Make an empty timeline. Returns NULL without memory. */
struct timeline *timeline_new(void);

void timeline_free(struct timeline *timeline);

/** What capture_follow() and decoder_init() need to fill TIMELINE. */
struct decode_handler timeline_handler(struct timeline *timeline);

/** Another boot or another recording begins. Errors: as timeline_trace() */
int timeline_restart(struct timeline *timeline) MUST_CHECK;

int timeline_hello(struct timeline *timeline,
                   const struct wire_hello *hello) MUST_CHECK;

/** What comes is of a ring that lay in memory. */
int timeline_ring(struct timeline *timeline,
                  const struct wire_ring *ring) MUST_CHECK;

int timeline_time(struct timeline *timeline,
                  const struct wire_time *time) MUST_CHECK;

/**
 * Take what came.
 * errors: MCUPROF_E_NOMEM, MCUPROF_E_IO without room for a temporary file
 */
int timeline_trace(struct timeline *timeline,
                   const struct wire_trace_part *part) MUST_CHECK;

/** Nothing more will come. */
int timeline_end(struct timeline *timeline) MUST_CHECK;

/** True if any record of a call ring came. */
bool timeline_has_records(const struct timeline *timeline);

/**
 * Play back into SINK, NULL for the sums alone; after timeline_end(). RESULT is
 * to be freed with timeline_result_deinit(), also on error.
 * returns 0, or SINK's negative code
 * errors: MCUPROF_E_NOMEM, MCUPROF_E_IO
 */
int timeline_replay(struct timeline *timeline, timeline_sink sink,
                    void *context, struct timeline_result *result) MUST_CHECK;

void timeline_result_deinit(struct timeline_result *result);

/** True if COUNTS tell that calls or times are missing or were mended. */
bool timeline_is_incomplete(const struct timeline_counts *counts);

#ifdef __cplusplus
}
#endif

#endif
