/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_SOURCE_H
#define MCUPROF_HOST_SOURCE_H

/*
 * Where bytes come from: standard input, a file, a socket, the target's
 * memory in a dump or through a debugger. What a source delivers is a capture
 * as it stands; it knows no ELF.
 */

#include "error.h"
#include "source_dump.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct source;

/** True if SPEC can be opened with addresses, and only so. */
bool source_needs_addresses(const char *spec);

/**
 * Open SPEC; a connection that does not come about in 5 seconds fails. A file
 * that begins with a stream left in RAM is read as that stream. Memory is read
 * here, and through a debugger the target halted for as long. ADDRESSES may be
 * NULL where none are needed.
 * errors: MCUPROF_E_USAGE, MCUPROF_E_IO, MCUPROF_E_UNREACHABLE,
 *     MCUPROF_E_NOMEM; of memory as memory_file_open(), source_dump_take(),
 *     source_gdb_read()
 */
int source_open(struct source **out, const char *spec,
                const struct source_addresses *addresses,
                struct error *error) MUST_CHECK;

/** For how long opening SOURCE halted the target, in microseconds; else 0. */
uint32_t source_halted_us(const struct source *source);

/** Read it from the first byte on again, if it was opened with addresses. */
void source_rewind(struct source *source);

/** Close and free; NULL is allowed. */
void source_close(struct source *source);

/* Returned by source_read(): nothing came in time, or a signal did. */
#define SOURCE_NOTHING_YET (-1000)

/**
 * Read up to SIZE bytes, waiting at most TIMEOUT_MS (negative: for ever).
 * A signal ends the wait. A peer that resets the connection ends the data
 * just as one that closes it.
 * returns the bytes read, 0 at the end, SOURCE_NOTHING_YET
 * errors: MCUPROF_E_IO; MCUPROF_E_FORMAT a stream left in RAM comes over a
 *     pipe or a connection
 */
long source_read(struct source *source, uint8_t *buffer, size_t size,
                 int timeout_ms, struct error *error) MUST_CHECK;

/** Fill ERROR for a source from which no byte came; returns its code. */
int source_explain_nothing(const struct source *source, struct error *error);

/**
 * Fill ERROR if SOURCE is a file that is no capture but a dump of memory with a
 * call ring or a function table in it, or may be one.
 * returns 0 if it is none, else the code
 */
int source_explain_dump(const struct source *source, struct error *error);

#ifdef __cplusplus
}
#endif

#endif
