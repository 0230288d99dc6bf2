/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_SYMBOLS_H
#define MCUPROF_HOST_SYMBOLS_H

/*
 * The names that belong to a profile, as the faces see them: plain data,
 * filled by symbolize.h from capture and ELF.
 */

#include "error.h"

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

/* A distinct address, and the samples that hit it in any context. */
struct location {
    uint32_t address;
    enum place place;
    size_t function; /* SYMBOLS_NONE unless the ELF names one */
    uint64_t weight;
};

#define SYMBOLS_NONE SIZE_MAX

struct symbol_function {
    char *name; /* with its suffix, e.g. "memcpy [veneer]" */
    uint32_t start;
    uint32_t size;
};

struct symbol_context {
    char *name;
    uint16_t id;
};

struct symbols {
    struct location *locations; /* ascending addresses */
    size_t location_count;
    struct symbol_function *functions;
    size_t function_count;
    struct symbol_context *contexts; /* ascending ids, all of the profile */
    size_t context_count;
};

/** Free SYMBOLS and all names; NULL is allowed. */
void symbols_free(struct symbols *symbols);

/** The location of ADDRESS; NULL if it is no innermost frame. */
const struct location *symbols_get(const struct symbols *symbols,
                                   uint32_t address);

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
