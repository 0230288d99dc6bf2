/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_ADVISE_MEASURE_H
#define MCUPROF_HOST_ADVISE_MEASURE_H

/*
 * What a capture measured of hooks: the calls of a trace, else the function
 * table, else samples.
 */

#include "advise.h"
#include "call_tree.h"
#include "capture.h"
#include "error.h"
#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

enum advise_source {
    ADVISE_TRACE,
    ADVISE_TABLE,
    ADVISE_SAMPLES
};

struct advise_measure {
    enum advise_source source;
    struct advise_input input;
    struct advise_call *calls; /* that of input */
    double outside; /* ticks that no call was open, which input leaves out */
};

/**
 * Take the calls of TREE and RESULT, a replay of all calls; addresses in the
 * ELF are those of the target less BIAS. Free with advise_measure_deinit(),
 * also on error.
 * cost: a node of TREE at a time, each once
 * errors: MCUPROF_E_NOMEM
 */
int advise_measure_trace(struct advise_measure *measure,
                         const struct call_tree *tree,
                         const struct timeline_result *result,
                         uint32_t bias) MUST_CHECK;

/**
 * Take the last function table of CAPTURE, which knows no callers; BIAS and
 * what to free as of advise_measure_trace().
 * cost: a row at a time, each once
 * errors: MCUPROF_E_NOMEM
 */
int advise_measure_table(struct advise_measure *measure,
                         const struct capture *capture,
                         uint32_t bias) MUST_CHECK;

/**
 * Take the samples of CAPTURE, of which nothing is predicted; BIAS and what to
 * free as of advise_measure_trace().
 * cost: an entry of the profile at a time, each once
 * errors: MCUPROF_E_NOMEM
 */
int advise_measure_samples(struct advise_measure *measure,
                           const struct capture *capture,
                           uint32_t bias) MUST_CHECK;

/** Free what MEASURE holds; all zero is allowed. */
void advise_measure_deinit(struct advise_measure *measure);

#ifdef __cplusplus
}
#endif

#endif
