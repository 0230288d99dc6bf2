/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_LINES_H
#define MCUPROF_HOST_LINES_H

/*
 * The debug info of one image: which source line an address belongs to, which
 * function holds it, and which functions were inlined around it. Units are
 * read when an address first needs them and kept as sorted ranges.
 *
 * What the linker discarded is left in DWARF at address 0 (or at the end of
 * memory), over live code where flash begins at 0: a function or line
 * sequence there counts only if the symbol table has that function there.
 *
 * The answer to an address never depends on what was asked before. One thread
 * at a time may ask.
 *
 * source: DWARF versions 2 to 5, dwarfstd.org
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "image.h"

#ifdef __cplusplus
extern "C" {
#endif

struct lines;

/*
 * A function of the source at an address: the one whose code it is, or one
 * that this code was inlined into. Unknown text is "", unknown numbers are 0.
 */
struct lines_frame {
    const char *name;      /* as written in the source */
    const char *qualified; /* the name with its scopes where LINKAGE is ""; the
                              name alone if it has none, and in C */
    const char *linkage;   /* the linker's name, mangled; "" if it has none */
    const char *file;      /* of the line; absolute if DWARF lets */
    uint32_t line;         /* innermost: of the instruction; else of the call */
    uint32_t column;
    uint32_t discriminator;    /* tells blocks within a line apart */
    const char *declared_file; /* with the name, the same in all units */
    uint32_t declared_line;
    const void *origin; /* one for all copies of a function within a unit */
    bool is_inlined;
    bool has_scopes; /* and no LINKAGE: where the debug info left the scopes
                        out, one QUALIFIED is several functions */
};

/* All strings and frames live as long as the lines. */
struct lines_place {
    const struct lines_frame *frames; /* innermost first; the last is the
                                         function that exists in memory */
    size_t frame_count; /* 0: nothing known. A single frame without a name
                           and origin: the line is known, the function not */
    uint32_t start;     /* of that function: its entry; valid with a name */
    uint32_t end;       /* of its stretch of code that holds the address: of
                           a part moved away this may be below START */
};

/**
 * Prepare the debug info of IMAGE, which must outlive it. Little is read; a
 * file without debug info is no error, see lines_exist.
 * errors: MCUPROF_E_NOMEM
 */
MUST_CHECK int lines_open(struct lines **out, const struct image *image);

void lines_free(struct lines *lines);

/** True if there is any debug info. */
bool lines_exist(const struct lines *lines);

/** The name of FRAME for the linker; as written if it has none. */
const char *lines_frame_name(const struct lines_frame *frame);

/**
 * Say what ADDRESS, with or without the Thumb bit, belongs to. OUT is always
 * filled; what debug info there is and cannot be read counts as a problem.
 * errors: MCUPROF_E_NOMEM
 * cost: the first address of a unit reads the unit; then binary searches
 */
MUST_CHECK int lines_find(struct lines *lines, uint32_t address,
                          struct lines_place *out);

/* A function that is declared inline. Strings live as long as the lines. */
struct lines_inline {
    const char *name;
    const char *file; /* where it is declared; "" if unknown */
    uint32_t line;
};

/**
 * Give TAKE each function of C that is inline, not static, inlined somewhere,
 * and has no code of its own in any unit, be it discarded by the linker: in
 * C99's meaning, one without an extern definition. By name; stops where TAKE
 * does not return 0.
 * returns 0, or what TAKE returned
 * errors: MCUPROF_E_NOMEM
 * cost: a walk over the functions of all units
 */
MUST_CHECK int lines_each_inline(struct lines *lines,
                                 int (*take)(void *context,
                                             const struct lines_inline *found),
                                 void *context);

/**
 * Describe what was wrong with the debug info read so far, in one line with
 * its remedy.
 * returns false, and OUT untouched, if nothing was
 */
bool lines_problem(const struct lines *lines, struct error *out);

#ifdef __cplusplus
}
#endif

#endif
