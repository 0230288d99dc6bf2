/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_SYMBOLS_H
#define MCUPROF_HOST_SYMBOLS_H

/*
 * The names and lines that belong to a profile, as the faces see them: plain
 * data, filled by symbolize.h from capture and ELFs.
 *
 * A function is meant in three ways. As a stretch of code in memory, into
 * which others may have been inlined. As a whole, with its clones and parts,
 * "crc.constprop.0" and "crc.cold" for "crc". And as it stands in the source:
 * all code that was made from it, in its own place or inlined into others.
 */

#include "error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum place {
    PLACE_FUNCTION,
    PLACE_IDLE,
    PLACE_UNKNOWN,
    PLACE_SECURE,
    PLACE_NON_SECURE,
    PLACE_COUNT
};

/* No function, no file. */
#define SYMBOLS_NONE SIZE_MAX

struct symbol_function {
    char *name;         /* readable, with its suffix, e.g. "memcpy [veneer]" */
    char *linkage;      /* as the linker has it */
    const char *module; /* lives as long as the modules */
    size_t file;        /* where it is declared; SYMBOLS_NONE if unknown */
    uint32_t line;      /* 0 if unknown */
    uint32_t start;     /* in memory; 0 for a function of the source */
    uint32_t size;
    size_t whole; /* that a stretch of code is of */
};

/* One of the functions an address is in: it, or a call that was inlined. */
struct symbol_frame {
    size_t source; /* SYMBOLS_NONE where only the line is known */
    size_t file;   /* SYMBOLS_NONE if unknown */
    uint32_t line; /* 0 if unknown, as the next two */
    uint32_t column;
    uint32_t discriminator;
    bool is_inlined;
};

/* A distinct address, and the samples that hit it in any context. */
struct location {
    uint32_t address;
    enum place place;
    size_t function;    /* SYMBOLS_NONE unless the ELF names one */
    size_t first_frame; /* innermost */
    size_t frame_count; /* at least 1 in a function */
    uint64_t weight;
};

struct symbol_context {
    char *name;
    uint16_t id;
};

struct symbols {
    struct location *locations; /* ascending addresses */
    size_t location_count;
    struct symbol_frame *frames;
    size_t frame_count;
    struct symbol_function *functions; /* stretches of code */
    size_t function_count;
    struct symbol_function *wholes;
    size_t whole_count;
    struct symbol_function *sources; /* in the source */
    size_t source_count;
    char **files; /* after --path-map, fit to be printed */
    size_t file_count;
    struct symbol_context *contexts; /* ascending ids, all of the profile */
    size_t context_count;
    bool has_lines; /* there was debug info */
};

/** Free SYMBOLS and all names; NULL is allowed. */
void symbols_free(struct symbols *symbols);

/** The location of ADDRESS; NULL if it is no innermost frame. */
const struct location *symbols_get(const struct symbols *symbols,
                                   uint32_t address);

/** The innermost frame of LOCATION; NULL if nothing is known of it. */
const struct symbol_frame *symbols_innermost(const struct symbols *symbols,
                                             const struct location *location);

/** The name of context ID; "" if the profile has no sample of it. */
const char *symbols_context(const struct symbols *symbols, uint16_t id);

/** "[idle]", "[unknown]", "[secure]", "[non-secure]", NULL for a function. */
const char *symbols_place_name(enum place place);

/** "function", "idle", "unknown", "secure", "non_secure" */
const char *symbols_place_kind(enum place place);

#ifdef __cplusplus
}
#endif

#endif
