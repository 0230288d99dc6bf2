/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_SYMBOLIZE_NAMES_H
#define MCUPROF_HOST_SYMBOLIZE_NAMES_H

/*
 * Turns what the modules say of an address into the numbers of functions and
 * files in the symbols. For symbolize.c only.
 */

#include "intern.h"
#include "symbolize.h"

/* All zero but its symbols and options at the beginning. */
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

/* Find or add the function that PLACE is. */
MUST_CHECK int symbolize_names_function(struct symbolize_names *names,
                                        const struct modules_place *place,
                                        size_t *number);

/* Add the frames of LOCATION, which PLACE is. */
MUST_CHECK int symbolize_names_frames(struct symbolize_names *names,
                                      struct location *location,
                                      const struct modules_place *place);

/* Free what only the adding needed; the symbols stay. */
void symbolize_names_deinit(struct symbolize_names *names);

#endif
