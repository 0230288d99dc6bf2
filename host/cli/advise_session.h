/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_CLI_ADVISE_SESSION_H
#define MCUPROF_CLI_ADVISE_SESSION_H

/*
 * What `advise` knows: a capture, the hooks of its ELF, and what they cost.
 */

#include "advise.h"
#include "advise_before.h"
#include "advise_measure.h"
#include "call_tree.h"
#include "capture.h"
#include "find_elf.h"
#include "options.h"
#include "timeline.h"

#include <stdbool.h>

struct advise_session {
    const struct settings *settings;
    const char *name;
    struct capture *capture;
    struct timeline *timeline;
    struct decode_handler follower;
    struct call_tree *tree;
    struct timeline_result result; /* of a trace */
    struct found_elf elf;
    const struct module *module; /* the one with hooks */
    struct code_map *code;
    struct hook_sites *sites;
    struct hook_pairs *pairs;
    struct advise_measure measure;
    struct advise *advise;
    bool is_selected;            /* the ELF is */
    struct advise_before before; /* where a list is asked for */
    double budget;               /* 0: none given */
    bool is_reached;
};

/**
 * Open what SETTINGS say and work out the advice; BUDGET 0 is none. End with
 * advise_session_close(), also on error.
 * errors: as load_into(), find_elf() and check_build(); MCUPROF_E_NO_DATA,
 *     MCUPROF_E_NOT_FOUND without hooks or debug info, MCUPROF_E_USAGE for a
 *     budget where nothing can be predicted
 */
int advise_session_open(struct advise_session *session,
                        const struct settings *settings, double budget,
                        struct error *error) MUST_CHECK;

void advise_session_close(struct advise_session *session);

/** "the call ring", "the function table", "samples" */
const char *advise_session_source(const struct advise_session *session);

#endif
