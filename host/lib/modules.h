/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_MODULES_H
#define MCUPROF_HOST_MODULES_H

/*
 * The ELFs that together are what runs: a boot loader, an application, code
 * loaded elsewhere than linked. Here symbol table and debug info become one
 * answer. Addresses are those of the target. One thread at a time may ask.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "image.h"
#include "lines.h"

#ifdef __cplusplus
extern "C" {
#endif

struct modules;

struct module {
    const char *path;
    const char *name; /* unique: the path's last part, or as many as it takes;
                         with its address if the path is not alone. It may get
                         longer when another module is added */
    struct image *image;
    struct lines *lines;
    uint32_t bias; /* target address = address in the ELF + bias */
};

/* What an address is. Strings and frames live as long as the modules. */
struct modules_place {
    const struct module *module; /* NULL if no ELF has the address */
    const char *section;         /* ".text"; of a load image where it runs;
                                    "" if none */
    enum image_kind kind;

    /* The function that exists in memory, or the data object. */
    const char *name;   /* the linker's: mangled, with a clone's suffix;
                           "[unknown]" */
    size_t base_size;   /* bytes of name without the clone's suffix */
    const char *suffix; /* " [veneer]", " [load image]" or "" */
    uint32_t start;
    uint32_t size;  /* 0 if unknown */
    uint64_t group; /* equal for a function, its clones and parts, else not;
                       it means nothing beyond this run of the program */

    /*
     * Innermost first, as struct lines_place has them; none for data and
     * veneers. The last one has the source's names: its linkage may lack the
     * clone's suffix, or be an alias of, or be empty where the symbol table
     * alone knows the function: name above is the one that counts.
     */
    const struct lines_frame *frames;
    size_t frame_count;
};

/**
 * Make an empty set, to be freed with modules_free.
 * returns NULL without memory
 */
struct modules *modules_new(void);

/** Free MODULES with all images and lines; NULL is allowed. */
void modules_free(struct modules *modules);

/**
 * Open the ELF that ARGUMENT names: "fw.elf", or "fw.elf@0x20001000" for one
 * that was loaded there; that is where image_lowest lands, and all of its
 * addresses move along. Where two claim an address, code wins over data and
 * data over load images, then the earlier one.
 * errors: as image_open; MCUPROF_E_USAGE if the address makes no sense or the
 * argument was given before
 */
MUST_CHECK int modules_add(struct modules *modules, const char *argument,
                           struct error *error);

size_t modules_count(const struct modules *modules);

/** Module INDEX, below modules_count(), in the order they were added. */
const struct module *modules_get(const struct modules *modules, size_t index);

/**
 * Say what ADDRESS belongs to. OUT is always filled.
 *
 * Data and veneers beat all: mapping symbols and objects know. Else a function
 * of the debug info beats a symbol of another name, which is a label within it
 * or an alias; the symbol's name counts where it is that function's, as it may
 * carry a clone's suffix. Of two names at one address it is always the same.
 * Where sections of an ELF lie over each other, nothing is known.
 * errors: MCUPROF_E_NOMEM
 */
MUST_CHECK int modules_find(struct modules *modules, uint32_t address,
                            struct modules_place *out);

/**
 * Describe problem INDEX of the ELFs and what was read of their debug info:
 * code of two modules at one address (RAM for data they may share), a debug
 * file of another build, units that cannot be read. At most one of a module's
 * ELF, one of its debug info, and one for all overlaps: the largest one and
 * how many more there are.
 * returns false if there are not that many
 */
bool modules_problem(const struct modules *modules, size_t index,
                     struct error *out);

#ifdef __cplusplus
}
#endif

#endif
