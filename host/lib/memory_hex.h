/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_MEMORY_HEX_H
#define MCUPROF_HOST_MEMORY_HEX_H

/*
 * Intel HEX: lines of bytes with their addresses.
 * source: Intel, Hexadecimal Object File Format Specification, rev. A (1988)
 */

#include "error.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Takes SIZE bytes for ADDRESS; a negative return ends the parsing. */
typedef int (*memory_hex_handler)(void *context, uint32_t address,
                                  const uint8_t *bytes, size_t size);

/**
 * Parse the SIZE bytes at TEXT, of a file that errors call NAME.
 * returns 0, or HANDLER's code
 * errors: MCUPROF_E_FORMAT; MCUPROF_E_TRUNCATED without an end record
 */
int memory_hex_parse(const uint8_t *text, size_t size, const char *name,
                     memory_hex_handler handler, void *context,
                     struct error *error) MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
