/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_QUALITY_RING_H
#define MCUPROF_HOST_QUALITY_RING_H

/*
 * What the quality block says of the call ring: how it records, what came of
 * it and what did not, where it was frozen, what a call's hooks cost.
 */

#include "quality.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Add it to QUALITY; nothing but a null fact if there is no ring. */
void quality_ring_add(struct quality *quality,
                      const struct quality_subject *subject);

#ifdef __cplusplus
}
#endif

#endif
