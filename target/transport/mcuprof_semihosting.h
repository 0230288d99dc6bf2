/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_SEMIHOSTING_H
#define MCUPROF_SEMIHOSTING_H

/*
 * Streams through a debugger's or emulator's semihosting into a file on the
 * desk. Each write halts the core for as long as the host takes: fit for
 * emulators and short runs, not for timing.
 */
#include <stddef.h>
#include <stdint.h>

#include "mcuprof_config.h"

#ifdef __cplusplus
extern "C" {
#endif

#if MCUPROF_ENABLED

/*
 * Opens the file that mcuprof_semihosting_write() goes to.
 *
 * path:    on the host; ":tt" is its console
 * returns: 0, or -1: no debugger is attached, or the host refused
 * context: thread
 * source:  Arm IHI 0105, SYS_OPEN (0x01), mode 5 ("wb")
 */
int mcuprof_semihosting_open(const char *path);

/* A mcuprof_write_fn. Takes everything, or nothing before an open. */
size_t mcuprof_semihosting_write(const uint8_t *data, size_t size);

/* Closes the file. */
void mcuprof_semihosting_close(void);

#else

MCUPROF_NO_INSTRUMENT static inline int
mcuprof_semihosting_open(const char *path)
{
    (void)path;
    return 0;
}
MCUPROF_NO_INSTRUMENT static inline size_t
mcuprof_semihosting_write(const uint8_t *data, size_t size)
{
    (void)data;
    return size;
}
MCUPROF_NO_INSTRUMENT static inline void mcuprof_semihosting_close(void)
{
}

#endif

#ifdef __cplusplus
}
#endif

#endif
