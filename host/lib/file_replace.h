/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_FILE_REPLACE_H
#define MCUPROF_HOST_FILE_REPLACE_H

/*
 * Whole files: read into memory, and written so that whoever looks sees the
 * old one or the new one, never a part of it.
 */

#include "error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Read the regular file at PATH, to be freed.
 * errors: MCUPROF_E_IO, MCUPROF_E_NOMEM
 */
MUST_CHECK int file_read_whole(const char *path, uint8_t **bytes, size_t *size,
                               struct error *error);

/**
 * Write SIZE bytes to PATH: beside it, then renamed. A symbolic link is
 * followed. What is no file but a device or a pipe is written into. The mode
 * is that of the file LIKE, or of any new file if that is NULL. Nothing is left
 * behind on an error; signals that end the program wait.
 * errors: MCUPROF_E_IO, MCUPROF_E_NOMEM
 */
MUST_CHECK int file_replace(const char *path, const uint8_t *bytes, size_t size,
                            const char *like, struct error *error);

/**
 * True if A and B are one file, by whatever names, or would be: a name that
 * nothing is at yet is one that can be written to. Devices and pipes are not
 * files.
 */
bool file_is_same(const char *a, const char *b);

#ifdef __cplusplus
}
#endif

#endif
