/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_SOURCE_H
#define MCUPROF_HOST_SOURCE_H

/*
 * Where bytes come from: standard input, a file, a socket. What a source
 * delivers is a capture as it stands; it knows no frames and no ELF.
 */

#include "error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct source;

/**
 * Open SPEC; a connection that does not come about in 5 seconds fails.
 * errors: MCUPROF_E_USAGE, MCUPROF_E_IO, MCUPROF_E_UNREACHABLE,
 *     MCUPROF_E_NOMEM
 */
int source_open(struct source **out, const char *spec,
                struct error *error) MUST_CHECK;

/** Close and free; NULL is allowed. */
void source_close(struct source *source);

/* Returned by source_read(): nothing came in time, or a signal did. */
#define SOURCE_NOTHING_YET (-1000)

/**
 * Read up to SIZE bytes, waiting at most TIMEOUT_MS (negative: for ever).
 * A signal ends the wait. A peer that resets the connection ends the data
 * just as one that closes it.
 * returns the bytes read, 0 at the end, SOURCE_NOTHING_YET
 * errors: MCUPROF_E_IO
 */
long source_read(struct source *source, uint8_t *buffer, size_t size,
                 int timeout_ms, struct error *error) MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
