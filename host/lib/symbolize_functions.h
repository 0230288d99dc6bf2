/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_SYMBOLIZE_FUNCTIONS_H
#define MCUPROF_HOST_SYMBOLIZE_FUNCTIONS_H

/*
 * Where a function table meets the ELFs: each function that it has is looked
 * up once, each context named.
 */

#include "call_times.h"
#include "named_functions.h"
#include "symbolize.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Name all that CAPTURE's function table has, which must be whole; free with
 * named_functions_free(), before MODULES and CAPTURE. CALLS, NULL if there are
 * none, are those that were recorded one by one.
 * errors: MCUPROF_E_NOMEM
 */
int symbolize_functions(struct named_functions **out,
                        const struct capture *capture, struct modules *modules,
                        const struct call_times *calls,
                        const struct symbolize_options *options) MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
