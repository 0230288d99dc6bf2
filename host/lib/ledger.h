/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_LEDGER_H
#define MCUPROF_HOST_LEDGER_H

/*
 * The accounts of a capture: which frames are new, what was lost and where,
 * how much time went by (docs/wire.md, "Types", "HELLO" and "TIME").
 *
 * Invariant, at every TIME and however the line behaved: records received +
 * lost on the target + lost on the line = records produced since the ledger
 * joined. A frame that comes twice counts once; one that comes late stays
 * lost.
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

/* Sums over the whole capture; never reset. */
struct ledger_totals {
    uint64_t received;        /* records */
    uint64_t lost_target;     /* records that found the ring full */
    uint64_t lost_line;       /* records that did not arrive */
    uint64_t produced;        /* as TIMEs and record frames count */
    uint64_t after_time;      /* records received since the last TIME */
    uint64_t skipped;         /* records made before the first one seen */
    uint64_t missed;          /* whole sampling periods */
    uint64_t frames_lost;     /* gaps in seq */
    uint64_t frames_repeated; /* dropped: they count once */
    uint64_t frames_late;     /* dropped: booked as lost before they came */
    uint64_t times;           /* TIME records */
    unsigned segments;
    unsigned boots;
    /* Sums over segments of last minus first TIME, and what came between. */
    uint64_t ticks;
    uint64_t second;
    uint64_t timed_produced;
    uint64_t timed_missed;
};

/* Where the records of one boot stand. */
struct ledger_boot {
    bool joined;     /* the counts below are valid */
    bool from_start; /* nothing of this boot came before the capture */
    bool missed_known;
    uint32_t next; /* index of the next record */
    uint32_t lost;
    uint32_t missed;
    uint32_t produced; /* as last counted, or at joining */
    bool seq_known;
    uint16_t next_seq;
    uint16_t first_seq; /* of this boot, as seen */
};

struct ledger_segment {
    bool open;  /* something has come in it */
    bool timed; /* the values below are valid */
    uint64_t ticks;
    uint64_t second;
    uint32_t produced;
    uint32_t missed;
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

/* The totals of one engine at one moment, as a TIME carries them. */
struct ledger_time {
    uint64_t ticks;
    uint64_t second;
    uint32_t produced;
    uint32_t lost;
    uint32_t missed;
    bool running; /* sampling was running when HELLO was sent */
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
 * True if the index and loss of a record frame, or those a TIME implies, are
 * behind what came before: the target restarted.
 */
bool ledger_records_restart(const struct ledger *ledger, uint32_t first,
                            uint32_t lost);

/** Book a record frame of COUNT records. */
void ledger_records(struct ledger *ledger, uint32_t first, uint32_t lost,
                    uint32_t count);

/** Book a TIME; ticks that run backwards begin a segment. */
void ledger_time(struct ledger *ledger, const struct ledger_time *time);

#ifdef __cplusplus
}
#endif

#endif
