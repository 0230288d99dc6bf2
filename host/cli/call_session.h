/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_CLI_CALL_SESSION_H
#define MCUPROF_CLI_CALL_SESSION_H

/*
 * What `calls` and `tree` have in common: a capture with its timeline, the ELF,
 * names, and the block under what they show.
 */

#include "call_names.h"
#include "capture.h"
#include "find_elf.h"
#include "options.h"
#include "output.h"
#include "quality.h"
#include "timeline.h"

#include <jansson.h>
#include <stdbool.h>

struct call_session {
    const struct settings *settings;
    const char *name;
    struct capture *capture;
    struct timeline *timeline;
    struct decode_handler follower; /* that fills the timeline */
    struct found_elf elf;
    struct call_names *names;
    struct timeline_result result; /* of the last replay */
    bool in_us;                    /* not in cycles */
    uint64_t boots;                /* of the whole capture */
};

/** Prints on OUTPUT; returns 0 or a negative code. */
typedef int (*call_session_print)(struct output *output,
                                  struct call_session *session);

/** Open what SETTINGS say, PRINT it, and close; returns the exit status. */
int call_session_run(const struct settings *settings, call_session_print print);

/** Play the calls back into SINK; the result is the session's. */
int call_session_replay(struct call_session *session, timeline_sink sink,
                        void *context) MUST_CHECK;

/**
 * Make the quality block of the last replay.
 * errors: as quality_init()
 */
int call_session_quality(struct call_session *session,
                         struct quality *quality) MUST_CHECK;

/** True if CONTEXT is one that the user wants to see. */
bool call_session_shows(const struct call_session *session, uint16_t context);

/** A new object with what all JSON documents of calls begin with. */
json_t *call_session_json(const struct call_session *session,
                          const char *schema, const struct quality *quality);

#endif
