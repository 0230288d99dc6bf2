/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_ADVISE_H
#define MCUPROF_HOST_ADVISE_H

/*
 * Which hooks to do without: what those of each function cost, what they tell,
 * and how much faster the firmware gets without them. It knows the ELF, and of
 * a capture what was measured, in ticks of its clock.
 *
 *    wall     W   as measured, with N pairs of hooks of c ticks each
 *    without  T = W - N * c
 *    now      W / T
 *    after        (T + kept pairs * c + dropped pairs * n) / T
 *
 * c is measured on the chip. n, what stays of a pair that is dropped after
 * linking, is counted in the code: its no-operations, and the instructions that
 * load its arguments, in cycles, of which a tick is taken to be one. All that
 * is predicted is an estimate for this reason; what else the compiler did for
 * the sake of the hooks (registers that it saved) is in T.
 *
 * A function's calls are of its own code, or of a copy that was inlined. Hooks
 * are told the same of both. Where callers are known they tell which: the
 * function was inlined there, and nothing there calls it. If that does not
 * decide, a call is either, and a prediction has two ends.
 */

#include "code_map.h"
#include "error.h"
#include "hook_sites.h"
#include "lines.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ADVISE_NONE SIZE_MAX

/* Calls of one function that came in the same way. */
struct advise_call {
    uint32_t function; /* as the hooks are told, in the ELF */
    size_t parent;     /* the calls that they came from, an earlier one of
                          them; ADVISE_NONE if that is not known */
    uint64_t calls;
    uint64_t self; /* ticks, without what hooks took */
};

struct advise_input {
    const struct advise_call *calls;
    size_t count;
    bool has_parents; /* callers are known */
    bool is_sampled;  /* self is samples; nothing is known of calls */
    double wall;      /* ticks in which these calls were, nothing else */
    double pairs;     /* of hooks in them */
    double pair;      /* ticks of one; 0: not known */
    bool has_wide_nop; /* the core has NOP.W: one instruction a hook */
};

/* What is known of a function of the source that has hooks. */
struct advise_function {
    size_t subject;   /* in the hook sites */
    const char *name; /* the linker's */
    uint64_t own;     /* calls of its own code, */
    uint64_t inlined; /* of inlined copies, */
    uint64_t either;  /* of one of the two */
    uint64_t self;    /* ticks, of all of them */
    uint64_t copied;  /* of it, in inlined copies */
    double code;      /* ticks in its own code, what was inlined there too */
    double rest_own;  /* ticks that stay of a pair */
    double rest_inlined;
    double worth; /* ticks that dropping its own wins, for each that it loses */
    size_t own_sites; /* enters in its own code, */
    size_t copies;    /* and in inlined copies */
    bool drops_own;
    bool drops_inlined;
};

struct advise_outcome {
    double least; /* slowdown; the two ends are apart where calls are either */
    double most;
    double told;   /* of functions' time, the part that is told for the
                      function whose code it is, 0 to 1 */
    double source; /* and for that of the source, inlined ones apart */
};

struct advise {
    struct advise_function *functions; /* the first to drop first */
    size_t count;
    double without; /* ticks, without hooks */
    double pair;
    bool can_predict;
    uint64_t self;     /* ticks, of all functions with hooks */
    uint64_t others;   /* calls of functions that have no hooks in the ELF */
    uint64_t hook_self; /* samples in the hooks themselves */
    double other_pairs; /* of hooks, of none of the functions */
    struct advise_outcome now;
};

/**
 * Work out what INPUT, measured on the firmware of CODE, tells of SITES; free
 * with advise_free(). Nothing is dropped at first. Names live as long as the
 * sites.
 * errors: MCUPROF_E_NOMEM
 */
int advise_new(struct advise **out, const struct advise_input *input,
               const struct hook_sites *sites, const struct code_map *code,
               struct lines *lines) MUST_CHECK;

/** Free ADVISE; NULL is allowed. */
void advise_free(struct advise *advise);

/** Drop the hooks of all inlined copies, as `select` does. */
void advise_drop_inlined(struct advise *advise);

/**
 * Drop what loses least, so that no more than BUDGET times the time without
 * hooks is needed: hooks of inlined copies first, then of the functions whose
 * hooks take most for the time that they tell.
 * returns false if that cannot be reached; all is dropped then
 */
bool advise_plan(struct advise *advise, double budget);

/** What becomes of it without the hooks that are dropped now. */
struct advise_outcome advise_predict(const struct advise *advise);

/** The ticks that are won by dropping FUNCTION's own hooks, its calls that are
    either included. */
double advise_gain(const struct advise *advise,
                   const struct advise_function *function);

#ifdef __cplusplus
}
#endif

#endif
