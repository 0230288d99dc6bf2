/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_ELF_PROGRAM_H
#define MCUPROF_HOST_ELF_PROGRAM_H

/*
 * What of an ELF a programmer puts into memory, as files that know no ELF: the
 * loaded sections (segments, where there are none) at their physical
 * addresses.
 */

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Write the bytes of ELF to OUT from the lowest address to the highest; what
 * is between is 0.
 * errors: MCUPROF_E_IO, _NOMEM; _FORMAT not an ELF, or two claim a place;
 *     _NO_DATA nothing is loaded; _USAGE a gap of more than 64 MiB
 */
MUST_CHECK int elf_bin_write(const char *elf, const char *out,
                             struct error *error);

/**
 * Write the bytes of ELF, and where it starts, to OUT as Intel HEX.
 * errors: as elf_bin_write(), but for gaps
 * source: Intel, Hexadecimal Object File Format Specification, rev. A (1988)
 */
MUST_CHECK int elf_hex_write(const char *elf, const char *out,
                             struct error *error);

#ifdef __cplusplus
}
#endif

#endif
