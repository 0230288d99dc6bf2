/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_FUNCTION_STARTS_H
#define MCUPROF_HOST_FUNCTION_STARTS_H

/*
 * Whether the ELFs have functions where those of a function table begin: hooks
 * are told starts of functions, so what is none comes of another build. For
 * captures whose firmware's identity is not known.
 */

#include "capture.h"
#include "error.h"
#include "modules.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct function_starts {
    size_t functions; /* 0: nothing to compare, or the identity tells more */
    size_t strangers; /* of these, no start of a function */
};

/**
 * Compare CAPTURE's table with MODULES. returns 0
 * errors: MCUPROF_E_NOMEM
 */
int function_starts_check(struct function_starts *out,
                          const struct capture *capture,
                          struct modules *modules) MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
