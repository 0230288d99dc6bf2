/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_SYMBOLIZE_FUNCTIONS_H
#define MCUPROF_HOST_SYMBOLIZE_FUNCTIONS_H

/*
 * Where a function table meets the ELFs: each function that it has is looked
 * up once, each context named.
 */

#include "symbolize.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Name all that CAPTURE's function table has; free with symbols_free(), before
 * MODULES. The locations are functions, their weights self times.
 * errors: MCUPROF_E_NOMEM
 */
int symbolize_functions(struct symbols **out, const struct capture *capture,
                        struct modules *modules,
                        const struct symbolize_options *options) MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
