/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_CLI_LOAD_H
#define MCUPROF_CLI_LOAD_H

/*
 * Sources as the command line names them: what is to be looked up in an ELF
 * first is, and it is said for how long a target was halted.
 */

#include "capture.h"
#include "options.h"
#include "source.h"

/**
 * Open SPEC. What it needs to know of the firmware is looked up in the ELFs
 * that find_elf() finds without a capture, by what is GIVEN with -e; none are
 * opened if it needs nothing.
 * errors: as find_elf() and source_open(); MCUPROF_E_NOT_FOUND the ELF has
 *     nothing that could be read from memory
 */
int load_source(struct source **out, const char *spec,
                const struct words *given, struct error *error) MUST_CHECK;

/**
 * Read SPEC into CAPTURE, an empty one, to its end.
 * errors: as load_source() and capture_read()
 */
int load_into(struct capture *capture, const char *spec,
              const struct words *given, struct error *error) MUST_CHECK;

/** load_into() a new capture. */
int load_capture(struct capture **out, const char *spec,
                 const struct words *given, struct error *error) MUST_CHECK;

#endif
