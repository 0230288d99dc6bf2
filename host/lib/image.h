/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_IMAGE_H
#define MCUPROF_HOST_IMAGE_H

/*
 * The firmware's ELF: which function an address belongs to, what the memory
 * held when it was flashed, which instructions mean sleep, what the exceptions
 * are called. It knows nothing of captures or the wire.
 *
 * Addresses are those of the target, 32 bits wide; code addresses may carry
 * the Thumb bit or not, the answer is the same. After image_open an image
 * never changes: any number of threads may ask it. The file stays mapped
 * until image_free, and hostile files are expected: every size and offset in
 * them is checked before it is used.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct image;

enum image_kind {
    IMAGE_UNKNOWN,  /* nothing in the ELF says what is there */
    IMAGE_FUNCTION, /* code with a name */
    IMAGE_DATA      /* not code: literals, tables, constants, variables */
};

/*
 * What image_find says of an address. All strings live as long as the image.
 * The name is that of the function or the data object, else "[unknown]". The
 * suffix is " [veneer]" for a linker's detour to the function of that name,
 * " [load image]" for the copy in flash from which a RAM function is loaded
 * (data, as it cannot run there), else "". Two functions may have one name
 * (static functions), never one start.
 */
struct image_symbol {
    const char *name;
    const char *suffix;
    uint32_t start; /* without the Thumb bit; the asked address if unknown */
    uint32_t size;  /* bytes, 0 if unknown */
    enum image_kind kind;
    size_t base_size;    /* bytes of name before a compiler's clone suffix, as
                            ".constprop.0" or ".cold"; ".lto_priv.0" is
                            a suffix as well, but makes no clone */
    uint32_t base_start; /* of the function it is a clone or part of; start
                            if it is none, or if that has no code left */
};

/**
 * Open the ELF file PATH and index its symbols; debug info is left alone.
 * A file without symbols opens: what image_find would need is missing, but
 * reading works; see image_check_symbols.
 * returns 0 and an image to be given to image_free
 * errors: MCUPROF_E_IO, _NOMEM; _FORMAT not a linked ELF (the cause says what
 * it looks like); _MACHINE not a 32-bit little-endian Arm; _TRUNCATED
 */
MUST_CHECK int image_open(struct image **out, const char *path,
                          struct error *error);

/**
 * As image_open(), but the file has the SIZE BYTES, from malloc(), instead of
 * what is at PATH. They are taken over, also on an error. Debug info is still
 * read from PATH, or found from there.
 */
MUST_CHECK int image_open_memory(struct image **out, const char *path,
                                 uint8_t *bytes, size_t size,
                                 struct error *error);

/** The whole file; it lives as long as IMAGE. */
const uint8_t *image_file_bytes(const struct image *image, size_t *size);

/** Free IMAGE and all it handed out; NULL is allowed. */
void image_free(struct image *image);

/**
 * Tell whether names can be resolved at all.
 * errors: MCUPROF_E_NO_SYMBOLS, with ERROR filled (may be NULL)
 */
MUST_CHECK int image_check_symbols(const struct image *image,
                                   struct error *error);

/**
 * Say what ADDRESS belongs to. OUT is always filled.
 * returns 0 (kind IMAGE_UNKNOWN included)
 * errors: MCUPROF_E_NO_SYMBOLS
 * cost: two binary searches
 */
MUST_CHECK int image_find(const struct image *image, uint32_t address,
                          struct image_symbol *out);

/**
 * True if the symbol table has the function NAME, or a clone of it, at
 * ADDRESS, as its only name or one of several.
 * cost: a binary search
 */
bool image_has_function(const struct image *image, const char *name,
                        uint32_t address);

/**
 * True if the symbol table has a mangled name at ADDRESS of which NAME, as the
 * source has it, is a part.
 * cost: a binary search
 * source: Itanium C++ ABI, 5.1 (source names); Rust RFC 2603
 */
bool image_has_mangled(const struct image *image, const char *name,
                       uint32_t address);

/** True if ADDRESS is in a section that is loaded, or reserved as .bss is; in
 * a segment where the file has no sections. */
bool image_has_address(const struct image *image, uint32_t address);

/** As image_has_address, and it is one of code. */
bool image_is_code(const struct image *image, uint32_t address);

/**
 * True if two sections, at least one of them code, both claim ADDRESS at run
 * time, as a linker's overlays do: which of them is there only the firmware
 * knows. image_find says IMAGE_UNKNOWN, image_section "".
 * cost: a binary search
 */
bool image_is_overlay(const struct image *image, uint32_t address);

/**
 * Find the first run time addresses of code, START to LAST, that end at FROM
 * or behind it. Adjoining sections count apart.
 * returns false if there is no more code
 * cost: a binary search
 */
bool image_next_code(const struct image *image, uint32_t from, uint32_t *start,
                     uint32_t *last);

/* Thumb code of one function, or of none: a piece between literals. */
struct image_stretch {
    uint32_t start;
    uint32_t size; /* bytes, at least 2 */
    const uint8_t *bytes;
    uint32_t from; /* where the next one is sought */
    size_t seen;   /* bytes of all so far */
};

/**
 * Go on to the next stretch of Thumb code, by ascending run time addresses;
 * to the first one if STRETCH is all zero. Where mapping symbols were stripped
 * all of a function counts as code. Not more is handed out than the file has.
 * returns false if there is no more
 * cost: a few binary searches
 */
bool image_stretch_next(const struct image *image,
                        struct image_stretch *stretch);

/* Bytes that the file holds of what is loaded. */
struct image_bytes {
    uint32_t start; /* at run time */
    uint32_t size;
    const uint8_t *bytes;
};

/**
 * Get piece INDEX, from 0 on, of all that the file holds of memory.
 * returns false if there are not that many
 */
bool image_bytes_get(const struct image *image, size_t index,
                     struct image_bytes *out);

/** Where the file says the program begins, without the Thumb bit. */
uint32_t image_entry(const struct image *image);

/**
 * Find the run time address TARGET of what is kept at ADDRESS to be copied
 * there before it is used, as initial values and RAM functions are.
 * returns false if nothing is, or if ADDRESS is a run time address itself
 */
bool image_load_target(const struct image *image, uint32_t address,
                       uint32_t *target);

/**
 * The run time address of what lies first in memory when programmed: of the
 * segments that hold code, if any does. 0 if nothing is loaded.
 */
uint32_t image_lowest(const struct image *image);

/** The name of the loaded section that holds ADDRESS; "" if none does. */
const char *image_section(const struct image *image, uint32_t address);

/**
 * The file that holds the debug info: IMAGE's own, or the separate one that
 * its .gnu_debuglink or build-id leads to.
 */
const char *image_debug_path(const struct image *image);

/**
 * Describe what is wrong with the separate debug file, in one line with its
 * remedy: not there, or of another build (it is then not used); or that IMAGE
 * is a debug file itself, and without code idle and identity stay unknown; or
 * else where sections lie over each other.
 * returns false, and OUT untouched, if nothing is
 */
bool image_problem(const struct image *image, struct error *out);

/**
 * Find the address of the symbol NAME, code or data, absolute ones included;
 * a global one wins over a local one, then the first. Functions come without
 * the Thumb bit. Symbols of sections and files, and those that compilers make
 * for tools ("$t", "$C$L12"), have no name.
 * errors: MCUPROF_E_NOT_FOUND, MCUPROF_E_NO_SYMBOLS
 * cost: a binary search
 */
MUST_CHECK int image_symbol_address(const struct image *image, const char *name,
                                    uint32_t *out);

/**
 * Count the different addresses that symbols NAME have, as static functions
 * of one name do; image_symbol_address finds one of them.
 * returns 0 where image_symbol_address fails
 * cost: a binary search
 */
size_t image_symbol_count(const struct image *image, const char *name);

/**
 * Read SIZE bytes as the program sees them at run time address ADDRESS, as
 * far as the file holds them (.bss it does not).
 * errors: MCUPROF_E_NOT_FOUND unless every byte is there
 */
MUST_CHECK int image_read(const struct image *image, uint32_t address,
                          void *out, size_t size);

/** Read the word at run time address ADDRESS; errors as image_read(). */
MUST_CHECK int image_read_word(const struct image *image, uint32_t address,
                               uint32_t *out);

/**
 * Read SIZE bytes as a programmer put them at physical address ADDRESS.
 * Bytes the file does not hold read 0xFF, as erased flash does. A range that
 * ends below the lowest segment is read from that segment's begin on: many
 * parts show their flash at 0 as well.
 * errors: MCUPROF_E_NOT_FOUND if no byte is in the file, MCUPROF_E_USAGE if
 * the range passes the end of memory; OUT is then all 0xFF
 */
MUST_CHECK int image_read_load(const struct image *image, uint32_t address,
                               void *out, size_t size);

/**
 * Tell whether a PC of this value means the core slept: it is a WFI or WFE,
 * or reached from one through nothing but DSB, ISB, NOP, CPSIE and MSR to
 * PRIMASK or BASEPRI. The instruction behind the last of these is idle too:
 * its address is what the waking interrupt stacks.
 * source: Armv7-M ARM DDI0403E, A7.7 (encodings), B1.5.17 (wake-up)
 */
bool image_is_idle(const struct image *image, uint32_t pc);

/** True if VALUE is the address of a function as a vector has it. */
bool image_is_handler(const struct image *image, uint32_t value);

/**
 * Find the vector table near the begin of the memory that is programmed.
 * returns false if none is seen there
 */
bool image_find_vectors(const struct image *image, uint32_t *out);

/**
 * True unless the vector of EXCEPTION in the table at VECTOR_TABLE is empty
 * or one that others share, as a default handler is; also where the table
 * cannot be read.
 */
bool image_has_handler(const struct image *image, uint32_t vector_table,
                       unsigned exception);

/**
 * Name the context of exception number EXCEPTION, 0 (thread mode) to 511, as
 * "SysTick (15)" or "UART0_Handler (16)". Interrupts have the name of the
 * function in the table at VECTOR_TABLE, or "IRQ 0 (16)" where that is
 * unknown or serves several vectors, as default handlers do.
 * errors: MCUPROF_E_USAGE if EXCEPTION is above 511; OUT is then ""
 * Without an IMAGE (NULL) interrupts have no names but their numbers.
 */
MUST_CHECK int image_context_name(const struct image *image,
                                  uint32_t vector_table, unsigned exception,
                                  char *out, size_t size);

/**
 * Compute the identity the firmware computes of itself: CRC-32 as zlib's over
 * the physical addresses START to START + LENGTH without the four bytes at
 * START + 28, which programmers patch.
 * errors: as image_read_load; MCUPROF_E_USAGE also if LENGTH is 0 or beyond
 * 64 MiB
 */
MUST_CHECK int image_identity_crc(const struct image *image, uint32_t start,
                                  uint32_t length, uint32_t *out);

/**
 * Get the GNU build-id, of which the first 20 bytes are kept.
 * returns 0 and SIZE, 1 to 20
 * errors: MCUPROF_E_NOT_FOUND
 */
MUST_CHECK int image_build_id(const struct image *image, uint8_t out[20],
                              size_t *size);

#ifdef __cplusplus
}
#endif

#endif
