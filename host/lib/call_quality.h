/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_CALL_QUALITY_H
#define MCUPROF_HOST_CALL_QUALITY_H

/*
 * What the quality block says of calls: how many, what is missing, what was
 * mended and how, what the hooks took.
 */

#include "capture.h"
#include "modules.h"
#include "quality.h"
#include "symbolize.h"
#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Add to QUALITY what RESULT, of a replay of CAPTURE, tells. */
void call_quality_add(struct quality *quality, const struct capture *capture,
                      const struct timeline_result *result);

#define CALL_QUALITY_FROZEN_MAX (DEMANGLE_MAX + 2 * SYMBOLIZE_ADDRESS_MAX + 504)

/**
 * Write where the firmware stopped recording, "" if that is not known: the
 * place of a fault, or of a call of mcuprof_freeze().
 */
void call_quality_frozen(const struct capture *capture, struct modules *modules,
                         enum demangle style, char *out, size_t size);

#ifdef __cplusplus
}
#endif

#endif
