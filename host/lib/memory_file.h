/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_MEMORY_FILE_H
#define MCUPROF_HOST_MEMORY_FILE_H

/*
 * A target's memory in a file: bytes as they are, Intel HEX, or an ELF core.
 */

#include "memory.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct memory_file;

/**
 * Whether the regular file FD looks like one that says where in memory its
 * bytes were: Intel HEX or an ELF core.
 */
bool memory_file_has_addresses(int fd);

/**
 * Take over the memory in the regular file FD, which stays open for as long;
 * PATH is its name, and is copied. BEGIN is the address of the first byte of a
 * file of plain bytes, NULL where none was given: HEX and core files say it
 * themselves, and want none.
 * errors: MCUPROF_E_USAGE an address is missing, or one too many;
 *     MCUPROF_E_FORMAT, _TRUNCATED, _IO, _NOMEM
 */
int memory_file_open(struct memory_file **out, int fd, const char *path,
                     const uint32_t *begin, struct error *error) MUST_CHECK;

void memory_file_free(struct memory_file *file);

/** What is in FILE, and lives as long. */
const struct memory *memory_file_get(const struct memory_file *file);

#ifdef __cplusplus
}
#endif

#endif
