/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_PATHS_H
#define MCUPROF_HOST_PATHS_H

/*
 * Source paths as compilers on any system write them: with / or \, absolute
 * as /x, C:\x, C:/x or \\server\x.
 */

#include <stdbool.h>

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/** True for /x, \x, C:\x, C:/x and \\server\x. */
bool paths_is_absolute(const char *path);

/**
 * Join DIRECTORY and NAME, which wins if it is absolute, and take out "."
 * parts, doubled separators and "x/.." parts; leading ".." of a relative path
 * stay. Separators stay as they are; a joint gets the first one of DIRECTORY,
 * else of NAME. Either may be ""; "." is what remains of "x/..".
 *
 * In a path that begins with / a \ is a letter like any other; in all others
 * it separates: relative paths with \ are far more often from Windows than of
 * a Unix file with that name. Of \\server\share no ".." takes anything away.
 * returns memory to be freed, NULL without memory
 */
char *paths_join(const char *directory, const char *name);

#ifdef __cplusplus
}
#endif

#endif
