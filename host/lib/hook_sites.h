/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_HOOK_SITES_H
#define MCUPROF_HOST_HOOK_SITES_H

/*
 * Where the compiler put calls of the hooks, __cyg_profile_func_enter and
 * _exit, into the code: as a call, as the jump that ends a function, through a
 * register or through a linker's veneer. What the hooks do themselves is no
 * site, unless they are instrumented too.
 *
 * A site belongs to a function in memory, and it is for a function of the
 * source: the same one, or one that was inlined there. Two witnesses tell
 * which: the address that r0 holds, which is what the hook will be told, and
 * the innermost scope of the debug info. The first counts: clang gives calls of
 * inlined bodies to whom they were inlined into.
 */

#include "code_map.h"
#include "error.h"
#include "lines.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HOOK_ENTER "__cyg_profile_func_enter"
#define HOOK_EXIT "__cyg_profile_func_exit"

struct hook_site {
    uint32_t address;
    uint8_t size; /* of the instruction: 2 or 4 bytes */
    bool is_exit;
    bool is_jump;    /* without a way back: the function's last act */
    bool is_inlined; /* for a function that has been inlined here */
    bool is_told;    /* r0 is known, and is what says whom it is for */
    size_t function; /* in memory, index in the code map */
    size_t branch;   /* the instruction, index in the code map */
    size_t subject;  /* that it is for, index in subjects */
    size_t framed;   /* what the debug info has here, index in the code map;
                        CODE_NONE if it has no code or is not known */
    const struct lines_frame *frame; /* innermost; NULL if unknown. Lives as
                                        long as the lines */
    size_t frame_count; /* behind it the calls that were inlined around it */
};

/* A function of the source that has hooks. */
struct hook_subject {
    const char *name; /* the linker's, or as the debug info has it */
    uint32_t start;   /* its code in memory, which hooks are told */
    size_t function;  /* index in the code map; CODE_NONE: no code of its own */
    size_t own;       /* enters in its own code and that of its clones, */
    size_t inlined;   /* and in others, where it was inlined */
    const struct lines_frame *frame; /* of one of its sites; may be NULL */
};

struct hook_sites {
    bool has_enter; /* the ELF has these functions */
    bool has_exit;
    uint32_t enter;
    uint32_t exit;
    struct hook_site *items; /* ascending addresses */
    size_t count;
    struct hook_subject *subjects;
    size_t subject_count;
};

/**
 * Find the sites in CODE; LINES belong to the same image. Both must outlive
 * them; free with hook_sites_free(). No hooks are no error.
 * errors: MCUPROF_E_NOMEM
 */
int hook_sites_find(struct hook_sites **out, const struct code_map *code,
                    struct lines *lines) MUST_CHECK;

/** Free SITES; NULL is allowed. */
void hook_sites_free(struct hook_sites *sites);

/** The first site at ADDRESS or behind it, an index. */
size_t hook_sites_from(const struct hook_sites *sites, uint32_t address);

/** Whether the debug info has SITE in SUBJECT, an index. */
bool hook_sites_agree(const struct hook_sites *sites,
                      const struct code_map *code, const struct hook_site *site,
                      size_t subject);

/** Whether the debug info has SITE in the function in memory FUNCTION. */
bool hook_sites_agree_function(const struct code_map *code,
                               const struct hook_site *site, size_t function);

/** Whether a function that starts at ADDRESS is one of the hooks. */
bool hook_sites_is_hook(const struct hook_sites *sites, uint32_t address);

#ifdef __cplusplus
}
#endif

#endif
