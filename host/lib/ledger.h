/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_LEDGER_H
#define MCUPROF_HOST_LEDGER_H

/*
 * The accounts of a capture: which frames are new, what was lost and where,
 * how much time went by (docs/wire.md, "Types", "HELLO" and "TIME").
 *
 * Invariant, at every TIME, for each engine and however the line behaved:
 * records received + lost on the target + lost on the line = records produced
 * since the ledger joined. A frame that comes twice counts once; one that
 * comes late stays lost.
 *
 *            joined            TIME: produced - lost = next
 *   records  |----received----|..line..|----received----|
 *                                      ^ first of the next record frame
 */

#include "error.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a frame's sequence number says. */
enum arrival {
    ARRIVAL_NEXT,     /* the next frame, or the first after a gap */
    ARRIVAL_REPEATED, /* the very frame was there before */
    ARRIVAL_LATE,     /* an old number that never came: booked as lost */
    ARRIVAL_RESTART   /* another frame of an old number: a new boot */
};

/* Whose records; each engine counts its own. */
enum ledger_engine {
    LEDGER_SAMPLER,
    LEDGER_TRACE
};

/* Of one engine, over the whole capture. */
struct ledger_counts {
    uint64_t received;    /* records */
    uint64_t lost_target; /* records that found the ring full */
    uint64_t lost_line;   /* records that did not arrive */
    uint64_t produced;    /* as TIMEs and record frames count */
    uint64_t after_time;  /* records received since the last TIME */
    uint64_t skipped;     /* records made before the first one seen */
    uint64_t times;       /* TIME records with an entry of this engine */
};

/* Sums over the whole capture; never reset. */
struct ledger_totals {
    struct ledger_counts samples;
    struct ledger_counts trace;
    uint64_t missed;          /* whole sampling periods */
    uint64_t frames_lost;     /* gaps in seq */
    uint64_t frames_repeated; /* dropped: they count once */
    uint64_t frames_late;     /* dropped: booked as lost before they came */
    unsigned segments;
    unsigned boots;
    /* Sums over segments of last minus first TIME, and what came between. */
    uint64_t ticks;
    uint64_t second;
    uint64_t timed_produced; /* samples */
    uint64_t timed_missed;
    uint64_t traced; /* ticks in which the ring was fed and nobody sampled */
};

/* Where one engine's records of this boot stand. */
struct ledger_stand {
    bool is_left;  /* the records lay in a ring, which came as it was */
    uint32_t high; /* of how many it had held before, the upper half */
    bool joined;   /* the counts below are valid */
    uint32_t next; /* index of the next record */
    uint32_t lost;
    uint32_t produced; /* as last counted, or at joining */
};

struct ledger_boot {
    bool from_start; /* nothing of this boot came before the capture */
    struct ledger_stand samples;
    struct ledger_stand trace;
    bool missed_known;
    uint32_t missed;
    bool seq_known;
    uint16_t next_seq;
    uint16_t first_seq; /* of this boot, as seen */
};

struct ledger_segment {
    bool open;  /* something has come in it */
    bool timed; /* the values below are valid */
    uint64_t ticks;
    uint64_t second;
    bool sampled; /* the samples' counts below are valid, too */
    uint32_t produced;
    uint32_t missed;
    bool traced; /* so is the ring's */
    uint32_t trace_produced;
};

struct ledger_seen {
    uint32_t crc;
    uint32_t boot;
};

struct ledger {
    struct ledger_totals totals;
    struct ledger_boot boot;
    struct ledger_segment segment;
    bool began; /* a frame has come since the recording began */
    uint32_t boot_number;
    struct ledger_seen *seen; /* by seq */
};

/* The totals of one engine at one moment. */
struct ledger_entry {
    bool known;
    uint32_t produced;
    uint32_t lost;
};

/* What a TIME says. */
struct ledger_time {
    uint64_t ticks;
    uint64_t second;
    struct ledger_entry samples;
    struct ledger_entry trace;
    uint32_t missed; /* counts if the samples' entry is known */
    bool running;    /* sampling was running when HELLO was sent */
};

/**
 * Start with empty books; free with ledger_deinit().
 * errors: MCUPROF_E_NOMEM
 * cost: 512 KiB
 */
int ledger_init(struct ledger *ledger) MUST_CHECK;

void ledger_deinit(struct ledger *ledger);

/** A recording begins here: what was before it has no part in the losses. */
void ledger_begin_recording(struct ledger *ledger);

/**
 * The target restarted within the recording; SEQ is the number of the first
 * frame that came of the new boot. Near 0 all counts begin at 0, else where
 * that frame says.
 */
void ledger_begin_boot(struct ledger *ledger, uint16_t seq);

/** Time begins anew; an empty segment is used again. */
void ledger_begin_segment(struct ledger *ledger);

/** The number of the segment that is now, from 1 on: something came in it. */
unsigned ledger_segment(struct ledger *ledger);

/** Tell what the number of a frame means; books nothing. */
enum arrival ledger_arrival(const struct ledger *ledger, uint16_t seq,
                            uint32_t crc);

/** Book a frame that was taken, with the gap before it. */
void ledger_frame(struct ledger *ledger, uint16_t seq, uint32_t crc);

/**
 * The call ring comes as it lay in RAM: what was made before its first record,
 * HIGH * 2^32 and what that record says, is not lost but overwritten there.
 */
void ledger_ring(struct ledger *ledger, uint32_t high);

/**
 * True if the index and loss of a record frame of ENGINE, or those a TIME
 * implies, are behind what came before: the target restarted.
 */
bool ledger_records_restart(const struct ledger *ledger,
                            enum ledger_engine engine, uint32_t first,
                            uint32_t lost);

/** Book a record frame of ENGINE with COUNT records. */
void ledger_records(struct ledger *ledger, enum ledger_engine engine,
                    uint32_t first, uint32_t lost, uint32_t count);

/** Book a TIME; ticks that run backwards begin a segment. */
void ledger_time(struct ledger *ledger, const struct ledger_time *time);

#ifdef __cplusplus
}
#endif

#endif
