/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_CLI_FIND_ELF_H
#define MCUPROF_CLI_FIND_ELF_H

/*
 * Which ELFs an address or a capture belongs to, so that -e can be left out.
 */

#include "capture.h"
#include "error.h"
#include "modules.h"
#include "options.h"

struct found_elf {
    struct modules *modules; /* to be freed by whoever asked, also on error */
    char path[4096];         /* of the first one */
    const char *how;         /* "-e", "named in the capture" ... */
};

/**
 * Open the ELFs: all GIVEN with -e if there are any, of a directory the one in
 * it that matches the firmware; else what the HOST frame
 * of CAPTURE names, if it still exists; else $MCUPROF_ELF; else the one *.elf
 * in this folder that matches the firmware. Without a CAPTURE (NULL) the only
 * *.elf in this folder.
 * errors: as modules_add(); MCUPROF_E_NOT_FOUND
 */
int find_elf(struct found_elf *found, const struct words *given,
             const struct capture *capture, struct error *error) MUST_CHECK;

/** True if PATH is a directory, in which ELFs are looked for. */
bool find_elf_is_directory(const char *path);

/**
 * Call VISIT for each ELF in DIRECTORY, by name, until it returns another value
 * than 0.
 * returns what VISIT returned last, 0 without ELFs
 * errors: MCUPROF_E_NOMEM
 */
int find_elf_each(const char *directory,
                  int (*visit)(void *context, struct found_elf *found),
                  void *context) MUST_CHECK;

/** Warn of all that was wrong with the ELFs and their debug info. */
void find_elf_warn(const struct found_elf *found);

#endif
