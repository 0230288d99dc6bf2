/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_CLI_PLACES_H
#define MCUPROF_CLI_PLACES_H

/*
 * The files that a command reads and writes: none may be written over another.
 */

#include <stdbool.h>
#include <stddef.h>

struct named_file {
    const char *path; /* NULL: not given; "-" is standard input if read */
    const char *what; /* "--bin", "the capture" */
    bool is_written;
};

/**
 * Refuse a place to write to that is any other one of PLACES, or no file.
 * returns 0, or a status after complaining with REMEDY
 */
int places_check(const struct named_file *places, size_t count,
                 const char *remedy);

#endif
