/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_CLI_VERBS_H
#define MCUPROF_CLI_VERBS_H

/*
 * What the program can be told to do. Each returns the exit status.
 */

#include "options.h"

#define DEFAULT_CAPTURE "capture.mprof"

/** Take bytes from a source and save them. */
int verb_record(const struct settings *settings);

/** Show where a capture's time went. */
int verb_report(const struct settings *settings);

/** Show the calls of the call ring in order. */
int verb_calls(const struct settings *settings);

/** Show the calls of the call ring, those of one path merged. */
int verb_tree(const struct settings *settings);

/** Say what is at some addresses of the ELF. */
int verb_where(const struct settings *settings);

/** Show what a capture says of itself, without an ELF. */
int verb_info(const struct settings *settings);

/** File ELFs where -e DIRECTORY finds them. */
int verb_archive(const struct settings *settings);

/** Say what will go wrong with an ELF before it is flashed. */
int verb_lint(const struct settings *settings);

/** Take hooks out of an ELF. */
int verb_select(const struct settings *settings);

/** Say which hooks to do without, and what is won by it. */
int verb_advise(const struct settings *settings);

#endif
