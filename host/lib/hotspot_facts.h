/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_HOTSPOT_FACTS_H
#define MCUPROF_HOST_HOTSPOT_FACTS_H

/*
 * Numbers derived from the last view of a hot-spot table. Shares are 0 to 1,
 * of the weighted samples that were not ignored.
 */

#include "facts.h"

#ifdef __cplusplus
extern "C" {
#endif

struct hotspot_facts {
    double sum;     /* of the shares of all rows */
    double least;   /* what these blocks truly have together, at least */
    double outside; /* a block that is no row has no more; 0 if there can be
                       none */
    double margin;  /* half of the 95 % confidence interval, where widest */
    struct fact half_life; /* in seconds */
    struct fact earliest;  /* when it was made, in seconds after */
    struct fact latest;    /* mcuprof_init() */
};

/** CAPTURE must have a view. */
struct hotspot_facts hotspot_facts(const struct capture *capture);

#ifdef __cplusplus
}
#endif

#endif
