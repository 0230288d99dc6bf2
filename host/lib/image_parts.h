/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_IMAGE_PARTS_H
#define MCUPROF_HOST_IMAGE_PARTS_H

/*
 * The inside of struct image, for the image_*.c files only. image.c opens the
 * file, the others build their sorted arrays once, at open; nothing changes
 * afterwards. libelf reads lazily and knows no locks, so what it is needed for
 * happens at open as well.
 */

#include <libelf.h>

#include "image.h"

/* Names are compared this far: they may overlap, to a hostile end. */
enum {
    IMAGE_NAME_COMPARED = 4096
};

/* A mapped ELF. */
struct image_file {
    int descriptor;
    Elf *elf; /* NULL if there is none */
    char *path;
    const uint8_t *raw; /* the whole file */
    size_t raw_size;
    uint8_t *owned; /* raw, if it is not mapped but was given */
};

/* A piece of a loaded section, or of a segment where there are none. */
struct image_piece {
    uint32_t start;
    uint32_t last;    /* the address of its last byte */
    const char *name; /* "" where is_overlay */
    bool is_code;
    bool is_overlay; /* claimed by several sections that lie over each other */
};

/* Bytes of a PT_LOAD that the file holds. */
struct image_segment {
    uint32_t address; /* at run time (p_vaddr) */
    uint32_t load;    /* in the programmer's view (p_paddr) */
    uint32_t size;
    const uint8_t *bytes;
};

struct image_name {
    const char *name;
    uint32_t start;
    uint32_t size;
    uint32_t base_size;  /* as in struct image_symbol */
    uint32_t base_start; /* as in struct image_symbol */
    enum image_kind kind;
    bool is_veneer; /* name is that of the function behind it */
};

/* Any name of a function: those that names has, and their aliases. */
struct image_function {
    const char *name;
    uint32_t start;
    uint32_t base_size;
    uint32_t parent_size; /* bytes of name before what makes it a clone */
    uint32_t parent_hash; /* of these bytes */
    uint32_t scope;       /* the source file of a local one, else 0 */
    bool is_clone;
};

/* What the symbols of one name say. */
struct image_address {
    const char *name;
    uint32_t hash;
    uint32_t address;
    uint32_t count; /* of different addresses */
};

/* Disjoint and sorted; where symbols nest, the inner one owns the address. */
struct image_range {
    uint32_t start;
    uint32_t end;
    uint32_t name; /* index into names */
};

/* From one mapping symbol to the next or the section's end. */
struct image_mark {
    uint32_t start;
    uint32_t end;
    uint32_t place; /* the symbol's: before start if that is overlaid */
    uint32_t order; /* in the symbol table */
    char state;     /* 't' Thumb, 'a' Arm, 'd' data */
};

struct image_span {
    uint32_t start;
    uint32_t end;
};

/* As the file has them; strings[string_size - 1] is 0. */
struct image_symtab {
    const Elf32_Sym *symbols;
    size_t count;
    const char *strings;
    size_t string_size;
};

struct image {
    struct image_file file;
    struct image_file debug; /* the separate debug file in use, if any */
    struct error problem;    /* of the debug file; code 0: none */
    struct error overlay;    /* the first one; code 0: none */

    struct image_piece *pieces; /* disjoint, sorted */
    size_t piece_count;
    uint32_t lowest;

    struct image_segment *segments;
    size_t segment_count;
    uint8_t build_id[20];
    size_t build_id_size;  /* as in the file; 0 if there is none */
    uint8_t linked_id[20]; /* the linker's: a selected image has another */
    size_t linked_id_size;

    struct image_symtab symtab;
    struct image_address *addresses; /* by hash, then name */
    size_t address_count;
    struct image_name *names;
    size_t name_count;
    struct image_function *functions; /* by start, then name up to base_size */
    size_t function_count;
    char *veneer_names; /* the string table does not have them */
    struct image_range *ranges;
    size_t range_count;
    struct image_mark *marks;
    size_t mark_count;

    struct image_span *idle;
    size_t idle_count;
};

/* Open and check PATH; errors as image_open. To be closed in any case. */
MUST_CHECK int image_file_open(struct image_file *file, const char *path,
                               struct error *error);
void image_file_close(struct image_file *file);

/* Build the pieces. */
MUST_CHECK int image_sections_index(struct image *image);

/* The first address from ADDRESS on, in one section, that is not overlaid. */
uint64_t image_overlay_end(const struct image *image, uint32_t address);

/* Find the separate debug file, where one is needed, or say the problem. */
MUST_CHECK int image_debug_find(struct image *image);

/* Build functions' order and the names' bases. */
MUST_CHECK int image_clones_index(struct image *image);

/* Bytes of NAME before a clone's suffix; see struct image_symbol. */
uint32_t image_base_size(const char *name);

/* Build names, ranges and marks; no symbols is no error. */
MUST_CHECK int image_symbols_index(struct image *image);
void image_symbols_free(struct image *image);

/* The name of SYMBOL; "" if TABLE does not have it. */
const char *image_symbol_text(const struct image_symtab *table,
                              const Elf32_Sym *symbol);

/* 't', 'a' or 'd' if NAME is a mapping symbol's, else 0. */
char image_mark_state(const char *name);

/* Whether SYMBOL is a compiler's label within a function, as "$C$L12". */
bool image_is_inner_label(const Elf32_Sym *symbol, const char *name);

/* Build addresses from the symbol table. */
MUST_CHECK int image_addresses_index(struct image *image);

/* Read the build-id; returns its size, of which OUT gets up to 20; 0: none. */
size_t image_build_id_read(const struct image_file *file, uint8_t out[20]);

/* Build the idle spans from ranges and marks. */
MUST_CHECK int image_idle_index(struct image *image);

/* The run-time bytes from ADDRESS on, or NULL; AVAILABLE is at least 1. */
const uint8_t *image_view(const struct image *image, uint32_t address,
                          uint32_t *available);

/* The mark that covers ADDRESS, or NULL. */
const struct image_mark *image_mark_find(const struct image *image,
                                         uint32_t address);

/* Where a programmer's view of START to START + LENGTH is to be read. */
uint32_t image_load_alias(const struct image *image, uint32_t start,
                          uint32_t length);

/* image_read_load without alias; returns the bytes that the file held. */
size_t image_load_copy(const struct image *image, uint32_t address,
                       uint8_t *out, size_t size);

static inline uint16_t image_u16(const uint8_t *bytes)
{
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

static inline uint32_t image_u32(const uint8_t *bytes)
{
    return image_u16(bytes) | (uint32_t)image_u16(bytes + 2) << 16;
}

#endif
