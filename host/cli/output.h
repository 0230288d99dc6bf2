/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_CLI_OUTPUT_H
#define MCUPROF_CLI_OUTPUT_H

/*
 * What goes to standard output is gathered in memory and written in one go: a
 * full disk or a closed pipe is then seen where it happens, with its errno.
 */

#include "options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct output {
    FILE *stream; /* print here */
    char *text;
    size_t size;
    bool color;
    unsigned width; /* of the terminal; 0: no terminal, never shorten */
    int problem;    /* what a flush ran into, an errno */
};

/** Start gathering; COLOR is what the user asked for. Returns 0 or a status. */
int output_begin(struct output *output, enum color color);

/**
 * Write out what was gathered so far, for somebody who waits for it.
 * returns false if there is no point in going on; output_end() says why
 */
bool output_flush(struct output *output);

/**
 * Write out what was gathered, if STATUS is not a failure, and clean up.
 * returns STATUS, STATUS_FAILED after saying that output failed, or 141
 * without a word if the reader has gone
 */
int output_end(struct output *output, int status);

/** Start and end a stretch in bold, or with a warning's colour. */
const char *output_bold(const struct output *output);
const char *output_faint(const struct output *output);
const char *output_alarm(const struct output *output);
const char *output_plain(const struct output *output);

#endif
