/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_ELF_SELECT_H
#define MCUPROF_HOST_ELF_SELECT_H

/*
 * A firmware's ELF of which some instructions have been changed after linking:
 * a selected image. It is the original with these instructions, a build-id of
 * its own, and a record (elf_select_record.h) at its end that says what was
 * changed; all else is where it was, and out of it the original can be made
 * again, to the byte.
 *
 *     original, patched | record | section names | section headers
 *
 * What selects a selected image selects from its original. Files are written
 * beside their place and renamed: they are there whole, or not at all.
 */

#include "elf_patch.h"
#include "elf_select_record.h"
#include "error.h"
#include "image.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Write to OUT the ELF IN, or what it was before it was selected, with COUNT
 * PATCHES. No patches are no error: the image then keeps its identity. OUT may
 * be IN. A link is followed; OUT gets the mode of IN.
 * errors: MCUPROF_E_IO, _NOMEM; _FORMAT not an ELF that can be patched;
 *     _MISMATCH the code is not what PATCHES say; of IN as
 *     elf_select_restore()
 */
MUST_CHECK int elf_select_write(const char *in, const char *out,
                                const struct elf_patch *patches, size_t count,
                                const struct select_summary *summary,
                                struct error *error);

/**
 * Write to OUT, which may be IN, what IN was before it was selected.
 * errors: MCUPROF_E_IO, _NOMEM; _NOT_FOUND it was not; _VERSION that was
 *     another version of mcuprof; _FORMAT its record is damaged; _MISMATCH it
 *     was changed afterwards
 */
MUST_CHECK int elf_select_restore(const char *in, const char *out,
                                  struct error *error);

/**
 * Open the ELF at PATH as image_open() does; one that is selected as it was
 * before, which IS_SELECTED then says.
 * errors: as image_open() and elf_select_restore()
 */
MUST_CHECK int elf_select_open(struct image **out, const char *path,
                               bool *is_selected, struct error *error);

/**
 * Read the record of IMAGE, to be freed with select_record_deinit() in any
 * case; it must not outlive IMAGE.
 * errors: MCUPROF_E_NOMEM
 */
MUST_CHECK int elf_select_read(const struct image *image,
                               struct select_record *out);

/**
 * Check that who has a capture of what PATCHES make of IMAGE, an original, can
 * tell it from what others make: by the build-id that the firmware sends, or a
 * CRC over all changed code. Without mcuprof in it nothing is sent.
 * errors: MCUPROF_E_MISMATCH
 */
MUST_CHECK int elf_select_check_identity(const struct image *image,
                                         const struct elf_patch *patches,
                                         size_t count, struct error *error);

#define ELF_SELECT_SIGNATURE_MAX 160

/**
 * Say what seems to be a checksum or signature over the code of IMAGE, which
 * has to be made again once that is changed: "MCUboot's header", ".checksum".
 * returns false, and "", if there is nothing of the kind
 */
bool elf_select_signature(const struct image *image,
                          char out[ELF_SELECT_SIGNATURE_MAX]);

#ifdef __cplusplus
}
#endif

#endif
