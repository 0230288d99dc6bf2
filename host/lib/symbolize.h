/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_SYMBOLIZE_H
#define MCUPROF_HOST_SYMBOLIZE_H

/*
 * The one place where the profile meets the ELF: every distinct sampled
 * address is looked up once, and functions get numbers.
 */

#include "capture.h"
#include "image.h"
#include "profile.h"

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

struct symbols {
    struct location *locations; /* ascending addresses */
    size_t location_count;
    struct symbol_function *functions;
    size_t function_count;
};

/**
 * Look up all innermost frames of PROFILE in IMAGE; free with symbols_free().
 * Without symbols in IMAGE everything is unknown, idle excepted.
 * errors: MCUPROF_E_NOMEM
 * cost: a sort and one lookup for each distinct address
 */
int symbols_new(struct symbols **out, const struct profile *profile,
                const struct image *image) MUST_CHECK;

void symbols_free(struct symbols *symbols);

/** The location of ADDRESS, which must be an innermost frame. */
const struct location *symbols_get(const struct symbols *symbols,
                                   uint32_t address);

/** "[idle]", "[unknown]", "[secure]", "[non-secure]", NULL for a function. */
const char *symbols_place_name(enum place place);

/** "function", "idle", "unknown", "secure", "non_secure" */
const char *symbols_place_kind(enum place place);

/**
 * Write "name+0x12" or "[unknown]" for ADDRESS into OUT of SIZE bytes.
 * ADDRESS need not have been sampled.
 */
void symbols_describe(const struct image *image, uint32_t address, char *out,
                      size_t size);

/**
 * The name of a context, from CONTEXT records and from the vector table:
 * "thread", "SysTick (15)", "control (512)" or "task 512". IMAGE may be NULL.
 */
void symbols_context_name(const struct capture *capture,
                          const struct image *image, uint16_t id, char *out,
                          size_t size);

#define SYMBOLS_CONTEXT_MAX 300

#ifdef __cplusplus
}
#endif

#endif
