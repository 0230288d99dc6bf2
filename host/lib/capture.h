/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_CAPTURE_H
#define MCUPROF_HOST_CAPTURE_H

/*
 * All that one capture says, without its ELF: the profile, and the facts that
 * the quality block is made of. Fed byte by byte, so that the same code reads
 * a file and follows a live stream. Memory does not grow with its length.
 *
 * Everything in the struct is for reading. A capture owns what it points to.
 */

#include "decode.h"
#include "error.h"
#include "frame.h"
#include "function_table.h"
#include "function_text.h"
#include "hotspot_views.h"
#include "profile.h"
#include "source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAPTURE_IDENTITIES_MAX 4

/* A stretch in which the sampling interrupt was kept from running. */
struct capture_stretch {
    uint64_t ticks;
    uint32_t pc; /* about to run when it ended */
};

/* What came of the call ring; how much of it was lost the ledger knows. */
struct capture_trace {
    uint64_t entered; /* functions */
    uint64_t left;
    uint64_t marks;
    uint64_t switches;     /* of contexts */
    uint64_t incomplete;   /* reserved in the ring and not written */
    bool selects;          /* not every call was recorded, once at least */
    bool is_timed;         /* a record with a time has come */
    uint32_t time;         /* that of the first of them */
    bool moved;            /* another one had another time */
    bool has_ring;         /* it was read from RAM */
    struct wire_ring ring; /* the last one */
    uint16_t hook_cost;    /* as in HELLO, the last that was measured */
    uint16_t hook_inner;
};

struct capture {
    struct deframer deframer;
    struct decode_handler handler;
    const struct decode_handler *follower; /* see capture_follow() */
    struct decoder decoder;
    struct profile *profile;

    bool has_host;
    bool has_hello;
    bool has_selftest;
    bool sampled;          /* sampling ran, or something came of it */
    bool settings_changed; /* clock or rate differ between HELLOs */
    uint64_t lead_bytes;   /* damaged ones before the first frame */
    bool cut;              /* ends inside of a frame */
    struct wire_host host;
    struct wire_hello hello; /* the last one */
    struct wire_selftest selftest;
    char build[MCUPROF_WIRE_PAYLOAD_MAX + 1];

    /* Distinct ones in order of appearance; the count may exceed the array. */
    struct wire_identity identities[CAPTURE_IDENTITIES_MAX];
    size_t identity_count;

    struct wire_context *contexts;
    size_t context_count;
    size_t context_room;
    uint32_t *context_index; /* by id: number + 1, 0 if absent */

    struct capture_stretch longest;
    struct capture_stretch latest; /* of the samples since the last TIME */

    struct hotspot_views hotspots;
    struct capture_trace trace;
    struct function_text text;       /* of a table, between the frames */
    struct function_table functions; /* whole after capture_end() */
    const char *unlike;   /* what printed tables differ in that those of one
                             firmware share, NULL: nothing */
    uint32_t clock_given; /* see capture_set_clock() */
};

/**
 * Make an empty capture; free it with capture_free().
 * returns NULL without memory
 */
struct capture *capture_new(void);

void capture_free(struct capture *capture);

/**
 * Tell FOLLOWER all that comes from now on, each time after CAPTURE has taken
 * note of it; FOLLOWER must outlive the last capture_feed().
 */
void capture_follow(struct capture *capture,
                    const struct decode_handler *follower);

/**
 * Take SIZE bytes as they come.
 * errors: MCUPROF_E_VERSION, MCUPROF_E_NOMEM
 */
int capture_feed(struct capture *capture, const uint8_t *bytes,
                 size_t size) MUST_CHECK;

/** Nothing more will come. errors: as capture_feed() */
int capture_end(struct capture *capture) MUST_CHECK;

/**
 * Read SOURCE, which is called NAME, into CAPTURE, an empty one, to its end.
 * errors: as source_read() and capture_feed(); MCUPROF_E_NO_DATA without any
 *     valid frame of a target, ERROR says what was there instead
 */
int capture_read(struct capture *capture, struct source *source,
                 const char *name, struct error *error) MUST_CHECK;

/**
 * Check that CAPTURE, read from NAME, holds a valid frame of a target.
 * errors: MCUPROF_E_NO_DATA
 */
int capture_check(const struct capture *capture, const char *name,
                  struct error *error) MUST_CHECK;

/** Fill ERROR for CODE, which capture_feed() returned for NAME. */
int capture_explain(const struct capture *capture, int code, const char *name,
                    struct error *error);

/** The clock runs at HZ, whatever the firmware says. */
void capture_set_clock(struct capture *capture, uint32_t hz);

/** What is known of context ID; NULL if no CONTEXT record named it. */
const struct wire_context *capture_context(const struct capture *capture,
                                           uint16_t id);

static inline const struct ledger_totals *
capture_totals(const struct capture *capture)
{
    return &capture->decoder.ledger.totals;
}

/** True if the firmware has a hot-spot table, or something of one came. */
bool capture_has_hotspots(const struct capture *capture);

/** True if the firmware has a call ring, or something of one came. */
bool capture_has_trace(const struct capture *capture);

/** True if records came at several moments and the clock stood in all. */
bool capture_trace_stands(const struct capture *capture);

/** True if the firmware has a function table, or something of one came. */
bool capture_has_functions(const struct capture *capture);

/** True if the firmware has a function table, and nothing of it came. */
bool capture_misses_functions(const struct capture *capture);

/** True if nothing was sampled: there is no sampler, or it was never started.
 */
bool capture_is_unsampled(const struct capture *capture);

/** True if something of a table came that cannot be true. */
bool capture_refused_hotspots(const struct capture *capture);

/** True if anything is known to be lost, damaged or cut off. */
bool capture_is_incomplete(const struct capture *capture);

#ifdef __cplusplus
}
#endif

#endif
