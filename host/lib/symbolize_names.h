/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_SYMBOLIZE_NAMES_H
#define MCUPROF_HOST_SYMBOLIZE_NAMES_H

/*
 * Turns what the modules say of an address into the numbers of functions and
 * files in the symbols. For the symbolize*.c files only.
 */

#include "intern.h"
#include "symbolize.h"

struct symbolize_names {
    struct symbols *symbols;
    const struct symbolize_options *options;
    struct intern function_keys; /* starts */
    struct intern whole_keys;    /* groups */
    struct intern source_keys;
    struct intern raw_paths; /* as the compiler wrote them */
    struct intern paths;     /* after mapping; numbers of symbols->files */
    size_t *raw_files;       /* raw path to file */
    unsigned *ranks;         /* of what gave a whole its address */
    bool *has_code;          /* sources with the name of their code */
    const struct lines_frame *last_frames; /* added for the location LAST */
    const struct location *last;
    size_t function_room;
    size_t whole_room;
    size_t rank_room;
    size_t source_room;
    size_t has_code_room;
    size_t file_room;
    size_t raw_room;
    size_t frame_room;
};

/* Begin to name what is in MODULES; end it with symbolize_names_deinit(). */
void symbolize_names_init(struct symbolize_names *names,
                          struct symbols *symbols,
                          const struct modules *modules,
                          const struct symbolize_options *options);

/* Name LOCATION, of which the address is set and the function is none. */
MUST_CHECK int symbolize_names_location(struct symbolize_names *names,
                                        struct modules *modules,
                                        struct location *location);

/* Find or add the function that PLACE is. */
MUST_CHECK int symbolize_names_function(struct symbolize_names *names,
                                        const struct modules_place *place,
                                        size_t *number);

/* A set of contexts, by id. */
struct context_set {
    uint8_t bits[(UINT16_MAX + 1) / 8];
};

void context_set_put(struct context_set *set, uint16_t id);

/* Name those in SET, the contexts that SYMBOLS have then. */
MUST_CHECK int symbolize_names_contexts(struct symbols *symbols,
                                        const struct capture *capture,
                                        const struct modules *modules,
                                        const struct context_set *set);

/* Free what only the adding needed; the symbols stay. */
void symbolize_names_deinit(struct symbolize_names *names);

#endif
