/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_CLI_FIND_ELF_H
#define MCUPROF_CLI_FIND_ELF_H

/*
 * Which ELF belongs to a capture, so that -e can be left out.
 */

#include "capture.h"
#include "error.h"
#include "image.h"

struct found_elf {
    struct image *image; /* to be freed by whoever asked */
    char path[4096];
    const char *how; /* "-e", "named in the capture" ... */
};

/**
 * Open the ELF: GIVEN (-e) if not NULL; else what the capture's HOST frame
 * names, if it still exists; else $MCUPROF_ELF; else the one *.elf in this
 * folder that matches the firmware.
 * errors: as image_open(); MCUPROF_E_NOT_FOUND
 */
int find_elf(struct found_elf *found, const char *given,
             const struct capture *capture, struct error *error) MUST_CHECK;

#endif
