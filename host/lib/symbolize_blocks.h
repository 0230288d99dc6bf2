/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_SYMBOLIZE_BLOCKS_H
#define MCUPROF_HOST_SYMBOLIZE_BLOCKS_H

/*
 * Where the hot-spot table meets the ELFs: the address that stands for a block
 * gets its name, and the block the functions whose code is in it.
 */

#include "hotspot_views.h"
#include "named_blocks.h"
#include "symbolize.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Name the blocks of VIEW; free with named_blocks_free(), before MODULES. The
 * weights of the symbols are the ratios.
 * errors: MCUPROF_E_NOMEM
 * cost: a lookup for each halfword of the blocks
 */
int symbolize_blocks(struct named_blocks **out, const struct hotspot_view *view,
                     struct modules *modules,
                     const struct symbolize_options *options) MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
