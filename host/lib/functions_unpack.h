/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_FUNCTIONS_UNPACK_H
#define MCUPROF_HOST_FUNCTIONS_UNPACK_H

/*
 * Rows of the function table as they are packed in a FUNCTIONS frame
 * (docs/wire.md, "FUNCTIONS").
 */

#include "decode.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Unpack the SIZE bytes of a payload.
 * errors: MCUPROF_E_FORMAT
 */
int functions_unpack(struct wire_functions *part, const uint8_t *payload,
                     size_t size) MUST_CHECK;

/** True if ROW, of a known kind, does not contradict itself. */
bool functions_row_is_sound(const struct function_counts *row);

#ifdef __cplusplus
}
#endif

#endif
