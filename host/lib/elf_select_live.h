/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_ELF_SELECT_LIVE_H
#define MCUPROF_HOST_ELF_SELECT_LIVE_H

/*
 * Selecting while it runs: code in RAM is changed where it is, by a gdb
 * server. Code in flash is left alone, and so is the ELF.
 */

#include "elf_patch.h"
#include "error.h"
#include "image.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A call of a hook that could be changed. */
struct live_site {
    struct elf_patch patch;
    size_t body;     /* number of the body that they belong to, from 0 on */
    bool is_dropped; /* AFTER shall be there, else BEFORE */
    bool is_out;     /* AFTER is there; set when all is done */
};

struct live_result {
    size_t changed; /* written, and read back */
    size_t right;   /* as they shall be already */
    size_t flash;   /* not so: they, or others of their body, are where nothing
                       is written */
    uint32_t halted_us;
};

/**
 * Make COUNT SITES what they shall be in the target at PEER, "HOST:PORT", that
 * runs IMAGE or a selection of it. It is halted meanwhile. All are looked at
 * before one is written; what was written is put back on a failure. SITES are
 * brought into the order of their addresses.
 * errors: as gdb_session_run(); MCUPROF_E_MISMATCH something else is there, or
 *     remains there
 */
MUST_CHECK int elf_select_live(const char *peer, const struct image *image,
                               struct live_site *sites, size_t count,
                               struct live_result *result, struct error *error);

/** Whether what runs at ADDRESS is in RAM, as far as IMAGE tells. */
bool elf_select_is_in_ram(const struct image *image, uint32_t address);

#ifdef __cplusplus
}
#endif

#endif
