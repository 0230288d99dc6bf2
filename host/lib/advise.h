/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_ADVISE_H
#define MCUPROF_HOST_ADVISE_H

/*
 * Which hooks to do without: what those of each function cost, what they tell,
 * and how much faster the firmware gets without them. It knows the ELF, and of
 * a capture what was measured, in ticks of its clock.
 *
 *    wall     W, as measured, in calls and their hooks; not what was outside of
 *             all calls, where the profiler itself sends what it has
 *    hooks    N * h
 *    extra    x of each call: what the compiler put into the code for hooks
 *    without  T = W - hooks - extra
 *    now      W / T
 *    after    (T + extra + kept calls * h + dropped calls * n) / T
 *
 * h is measured on the chip: the pair's cost c, less the instructions that were
 * measured with it and are no hooks. x is counted in the code: the instructions
 * that load hooks' arguments, and those by which a function that calls nothing
 * else keeps registers over them. n are the no-operations that dropped calls
 * become. An instruction is taken for as many ticks as those of the measured
 * pair took on average. What else the compiler did for the sake of hooks is in
 * T. So all that is predicted is an estimate, and rather too low.
 *
 * Of the time of a function that calls mcuprof_poll() any part may be the
 * profiler's own: T has two ends then, and so has all that is predicted.
 *
 * A function's calls are of its own code, or of a copy that was inlined. Hooks
 * are told the same of both. Where callers are known they tell which: the
 * function was inlined there, and nothing there calls it. If that does not
 * decide, a call is either, and a prediction has two ends.
 */

#include "code_map.h"
#include "error.h"
#include "hook_pairs.h"
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
    bool is_ring;    /* of the call ring: callers are known */
    bool is_sampled; /* self is samples; nothing is known of calls */
    double wall;     /* ticks in these calls and their hooks, nothing else */
    double pairs;    /* of hooks in them */
    double pair;     /* c, ticks of one on average; 0: not known */
    double usual;    /* and of one on its usual way */
    unsigned nops;   /* instructions that a pair becomes: 2, or 4 */
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
    double extra_own; /* instructions for hooks in a call of its own code, */
    double extra_inlined; /* and of a copy */
    double worth; /* ticks that dropping its own wins, for each that it loses */
    size_t own_sites;     /* enters in its own code, */
    size_t copies;        /* and in inlined copies */
    double stuck_own;     /* part of its own hooks that cannot be taken out, */
    double stuck_inlined; /* and of its copies', 0 to 1 */
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
    double unsure;  /* of them: of functions that call the profiler's sending */
    double hooks;   /* h, of a pair */
    double nops;    /* n, as all below in ticks */
    double unit;    /* of an instruction */
    bool can_predict;
    const char *sender; /* one that calls the profiler's sending; NULL: none */
    uint64_t self;      /* ticks, of all functions with hooks */
    uint64_t others;    /* calls of functions that have no hooks in the ELF */
    uint64_t hook_self; /* samples in the hooks themselves */
    double other_pairs; /* of hooks, of none of the functions */
    struct advise_outcome now;
};

/**
 * Work out what INPUT, measured on the firmware of CODE, tells of PAIRS; free
 * with advise_free(). Nothing is dropped at first. Names live as long as the
 * sites.
 * errors: MCUPROF_E_NOMEM
 */
int advise_new(struct advise **out, const struct advise_input *input,
               const struct hook_pairs *pairs, const struct code_map *code,
               struct lines *lines) MUST_CHECK;

/** Free ADVISE; NULL is allowed. */
void advise_free(struct advise *advise);

/** Drop the hooks of all inlined copies, as `select` does. */
void advise_drop_inlined(struct advise *advise);

/**
 * Drop what loses least, so that no more than BUDGET times the time without
 * hooks is needed: hooks of inlined copies first, then of the functions whose
 * hooks take most for the time that they tell.
 * returns false if that cannot be reached: it is within 1 % of the best then
 */
bool advise_plan(struct advise *advise, double budget);

/** What becomes of it without the hooks that are dropped now. */
struct advise_outcome advise_predict(const struct advise *advise);

#ifdef __cplusplus
}
#endif

#endif
