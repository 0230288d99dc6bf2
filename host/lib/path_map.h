/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_PATH_MAP_H
#define MCUPROF_HOST_PATH_MAP_H

/*
 * Rules that turn the source paths of the build machine into those of this
 * desk: --path-map FROM=TO and --strip-prefix PREFIX.
 */

#include <stddef.h>

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PATH_MAP_RULES_MAX 16

struct path_rule {
    const char *from; /* not owned */
    size_t from_size;
    const char *to; /* "" strips the prefix and the separator behind it */
};

struct path_map {
    struct path_rule rules[PATH_MAP_RULES_MAX];
    size_t count;
};

/**
 * Add the rule ARGUMENT, "FROM=TO", which must outlive MAP.
 * errors: MCUPROF_E_USAGE without a '=', with an empty FROM, or if there are
 * too many
 */
MUST_CHECK int path_map_add(struct path_map *map, const char *argument);

/** Add the rule that strips PREFIX. errors: as path_map_add */
MUST_CHECK int path_map_strip(struct path_map *map, const char *prefix);

/**
 * Rewrite PATH by the first rule whose FROM is the beginning of it, whole
 * parts only; then strip the first prefix that what came out begins with. / and
 * \ are the same, as is a drive's letter in either case. What follows a TO with
 * / and without \ gets /. returns memory to be freed, NULL without memory
 */
char *path_map_apply(const struct path_map *map, const char *path);

#ifdef __cplusplus
}
#endif

#endif
