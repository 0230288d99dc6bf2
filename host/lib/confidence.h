/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_CONFIDENCE_H
#define MCUPROF_HOST_CONFIDENCE_H

/*
 * How far a sampled share may be from the true one.
 */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Quantiles of the normal distribution, two-sided. */
#define CONFIDENCE_95 1.959964
#define CONFIDENCE_99_9 3.290527

struct interval {
    double low;
    double high;
};

/**
 * The interval of the share of which HITS of COUNT samples are an estimate,
 * at the confidence of QUANTILE. All of 0 to 1 if COUNT is 0.
 * source: Wilson, JASA 22 (1927), 209-212: the score interval, which holds
 *     for rare functions and few samples where hits +- sqrt(hits) does not
 */
struct interval confidence_wilson(uint64_t hits, uint64_t count,
                                  double quantile);

#ifdef __cplusplus
}
#endif

#endif
