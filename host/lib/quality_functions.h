/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_QUALITY_FUNCTIONS_H
#define MCUPROF_HOST_QUALITY_FUNCTIONS_H

/*
 * What the quality block says of the function table: what came of it, what
 * it could not count, whether its time is that of the clock.
 */

#include "quality.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Add it to QUALITY; nothing but a null fact if there is no table. */
void quality_functions_add(struct quality *quality,
                           const struct quality_subject *subject);

#ifdef __cplusplus
}
#endif

#endif
