/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_QUALITY_SELECTION_H
#define MCUPROF_HOST_QUALITY_SELECTION_H

/*
 * What the quality block says of ELFs that are selected images: how many of
 * the functions that were compiled with hooks still have them.
 */

#include "quality.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Add it to QUALITY; nothing but a null fact if no ELF is selected. */
void quality_selection_add(struct quality *quality,
                           const struct quality_subject *subject);

#ifdef __cplusplus
}
#endif

#endif
