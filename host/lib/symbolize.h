/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_SYMBOLIZE_H
#define MCUPROF_HOST_SYMBOLIZE_H

/*
 * The one place where the profile meets the ELFs: every distinct sampled
 * address is looked up once, functions get numbers, contexts names.
 */

#include "capture.h"
#include "demangle.h"
#include "modules.h"
#include "path_map.h"
#include "symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct symbolize_options {
    enum demangle demangle;
    const struct path_map *paths;
};

/**
 * Name all innermost frames and all contexts of CAPTURE's profile; free with
 * symbols_free(), before MODULES. Without symbols and debug info all is
 * unknown, idle excepted.
 * errors: MCUPROF_E_NOMEM
 * cost: a sort, and one lookup for each distinct address
 */
int symbolize(struct symbols **out, const struct capture *capture,
              struct modules *modules,
              const struct symbolize_options *options) MUST_CHECK;

#define SYMBOLIZE_ADDRESS_MAX (DEMANGLE_MAX + 40)

/**
 * Write "name+0x12" or "[unknown]" for ADDRESS into OUT of SIZE bytes.
 * ADDRESS need not have been sampled.
 */
void symbolize_address(struct modules *modules, enum demangle style,
                       uint32_t address, char *out, size_t size);

/**
 * An address within the call that RETURNS there: what it returns to may be the
 * next function, if the call is the last that a function does.
 */
static inline uint32_t symbolize_call_before(uint32_t returns)
{
    return (returns & ~1u) - 1;
}

#define SYMBOLIZE_CONTEXT_MAX 300

/**
 * The name of a context, from CONTEXT records and from the vector table:
 * "thread", "SysTick (15)", "control (512)" or "task 512". MODULES may be
 * NULL.
 */
void symbolize_context(const struct capture *capture,
                       const struct modules *modules, uint16_t id, char *out,
                       size_t size);

/** True unless the vector table says that exception ID has no handler of its
 * own. MODULES may be NULL. */
bool symbolize_has_handler(const struct capture *capture,
                           const struct modules *modules, uint16_t id);

#ifdef __cplusplus
}
#endif

#endif
