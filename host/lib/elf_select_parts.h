/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_ELF_SELECT_PARTS_H
#define MCUPROF_HOST_ELF_SELECT_PARTS_H

/*
 * The inside of elf_select.h, for the elf_select*.c files only.
 */

#include "elf_select_record.h"
#include "elf_view.h"
#include "error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the id of a GNU build-id note is. */
struct select_id {
    uint32_t offset;
    uint32_t size; /* 0: there is none */
};

/** Find the note that image_build_id() reads. */
struct select_id select_find_id(const struct elf_view *view);

/** Change the ID of SIZE bytes, by itself and the CHANGES. */
void select_renew_id(uint8_t *id, uint32_t size,
                     const struct select_change *changes, size_t count);

/**
 * Make of the original in VIEW, whose changed bytes are BYTES, and its RECORD
 * the selected image, to be freed.
 * errors: MCUPROF_E_NOMEM; MCUPROF_E_FORMAT its sections cannot be added to
 */
MUST_CHECK int select_append(const struct elf_view *view, const uint8_t *bytes,
                             const struct select_record *record, uint8_t **out,
                             size_t *size);

#endif
