/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_ELF_SELECT_RECORD_H
#define MCUPROF_HOST_ELF_SELECT_RECORD_H

/*
 * What a selected image says of its selection, in a section that is not
 * loaded. Little-endian; all of it is checked before any of it is believed.
 *
 *   0 u8[8] "mcuprofS"
 *   8 u32 version (1)
 *  12 u32 size of the record
 *  16 u32 CRC-32 of the record, this field taken as 0
 *  20 u32 size of the original file
 *  24 u32 CRC-32 of the original file
 *  28 u8[52] its ELF header
 *  80 u32 functions that have hooks in code that can run in the original,
 *     84 in this image
 *  88 u32 calls of hooks in the original, 92 in this image
 *  96 u32 where in the file the build-id is; 0 without
 * 100 u32 its size, at most 64
 * 104 u32 number of patches
 * 108 u32 size of the text
 * 112 the original's build-id
 *     patches, by place in the file: u32 address, u32 place in the file,
 *         u8 size (2 or 4), u8[3] 0, u8[4] before, u8[4] after
 *     the text: the rules of the selection, UTF-8
 *
 * The first 20 bytes are for all versions.
 */

#include "elf_patch.h"
#include "error.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SELECT_SECTION ".mcuprof.select"

enum {
    SELECT_VERSION = 1,
    SELECT_HEADER_SIZE = 52, /* of an ELF */
    SELECT_ID_MAX = 64,
    SELECT_TEXT_MAX = 65536
};

/* What selecting came to. */
struct select_summary {
    uint32_t functions; /* that have hooks in code that can run, in the
                           original */
    uint32_t functions_kept;
    uint32_t sites; /* calls of hooks */
    uint32_t sites_kept;
    const char *rules; /* in a line, as the command had them */
};

/* A patch, and where in the file it is. */
struct select_change {
    struct elf_patch patch;
    uint32_t offset;
};

enum select_state {
    SELECT_NONE, /* not a selected image, as far as can be seen */
    SELECT_FOUND,
    SELECT_OTHER_VERSION,
    SELECT_DAMAGED
};

struct select_record {
    enum select_state state; /* if not FOUND, the rest but version is 0 */
    uint32_t version;
    uint32_t original_size;
    uint32_t original_crc;
    uint8_t header[SELECT_HEADER_SIZE];
    uint32_t id_offset;
    uint32_t id_size; /* 0: none */
    uint8_t id[SELECT_ID_MAX];
    struct select_change *changes; /* by offset, not overlapping */
    size_t change_count;
    struct select_summary summary; /* its rules are text, which see */
    char *text;
};

/**
 * Look for the record in the SIZE bytes of the ELF FILE; free with
 * select_record_deinit() in any case.
 * errors: MCUPROF_E_NOMEM
 */
MUST_CHECK int select_record_read(struct select_record *out,
                                  const uint8_t *file, size_t size);

/**
 * Make the bytes of RECORD, to be freed.
 * returns NULL without memory
 */
uint8_t *select_record_make(const struct select_record *record, size_t *size);

/** Free what RECORD holds; all zero, or nothing found, is allowed. */
void select_record_deinit(struct select_record *record);

#ifdef __cplusplus
}
#endif

#endif
