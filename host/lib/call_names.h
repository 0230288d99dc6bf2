/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_CALL_NAMES_H
#define MCUPROF_HOST_CALL_NAMES_H

/*
 * The names of what a timeline has by number: functions and contexts. Each is
 * looked up once.
 */

#include "capture.h"
#include "demangle.h"
#include "modules.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct call_names;

/**
 * Make names of CAPTURE's contexts and MODULES' functions, which must outlive
 * them. Returns NULL without memory.
 */
struct call_names *call_names_new(const struct capture *capture,
                                  struct modules *modules, enum demangle style);

void call_names_free(struct call_names *names);

/**
 * The name of the function at ADDRESS, "0x08000100" if none is known; lives as
 * long as NAMES.
 * returns NULL without memory
 */
const char *call_names_function(struct call_names *names, uint32_t address);

/** Where the function at ADDRESS is declared; "" and 0 if that is not known.
    FILE lives as long as the modules. */
void call_names_place(struct call_names *names, uint32_t address,
                      const char **file, uint32_t *line);

/** As symbolize_context(); NULL without memory. */
const char *call_names_context(struct call_names *names, uint16_t id);

/** How many different addresses were asked for that no ELF has. */
size_t call_names_unknown(const struct call_names *names);

/**
 * True if context ID is what the user calls PATTERN: its number, or its name
 * with or without the number behind it, as a shell pattern.
 */
bool call_names_is_context(struct call_names *names, uint16_t id,
                           const char *pattern);

#ifdef __cplusplus
}
#endif

#endif
