/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_ELF_VIEW_H
#define MCUPROF_HOST_ELF_VIEW_H

/*
 * The tables of a 32-bit little-endian Arm ELF, read where they lie in its
 * bytes: for those that move bytes about and must know each one's place.
 * image.h is for all others. The bytes must outlive the view.
 */

#include "error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    ELF_VIEW_HEADER = 52, /* bytes of the file's header, */
    ELF_VIEW_SEGMENT = 32,
    ELF_VIEW_SECTION = 40
};

/* The tables lie within the bytes. */
struct elf_view {
    const uint8_t *bytes;
    size_t size;
    uint32_t segments; /* where the table is; 0 without */
    uint32_t segment_count;
    uint32_t sections; /* as segments */
    uint32_t section_count;
    uint32_t names; /* the section with the sections' names; 0 without */
};

struct elf_segment {
    uint32_t type;
    uint32_t offset;
    uint32_t address; /* at run time */
    uint32_t load;    /* in the programmer's view */
    uint32_t size;    /* in the file, within it */
    uint32_t flags;
};

struct elf_section {
    const char *name; /* "" without */
    uint32_t name_at; /* in the section with the names */
    uint32_t type;
    uint32_t flags;
    uint32_t address;
    uint32_t offset;
    uint32_t size; /* may lie outside the file: elf_view_content() */
    uint32_t link;
    uint32_t info;
};

/**
 * Look at the SIZE bytes of FILE.
 * errors: MCUPROF_E_FORMAT not such a file, or its tables are outside of it
 */
MUST_CHECK int elf_view_open(struct elf_view *view, const uint8_t *file,
                             size_t size);

/** Segment INDEX, below segment_count. */
struct elf_segment elf_view_segment(const struct elf_view *view,
                                    uint32_t index);

/** Section INDEX, below section_count. */
struct elf_section elf_view_section(const struct elf_view *view,
                                    uint32_t index);

/** The bytes of SECTION; NULL if the file does not hold all of them. */
const uint8_t *elf_view_content(const struct elf_view *view,
                                const struct elf_section *section);

/** Whether SECTION is loaded, with bytes. */
bool elf_view_is_loaded(const struct elf_section *section);

#ifdef __cplusplus
}
#endif

#endif
