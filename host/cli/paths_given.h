/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_CLI_PATHS_GIVEN_H
#define MCUPROF_CLI_PATHS_GIVEN_H

#include "options.h"
#include "path_map.h"

/**
 * Make the rules of --path-map and --strip-prefix, which refer to SETTINGS.
 * returns 0, or the exit status after saying what is wrong
 */
int paths_given(struct path_map *map, const struct settings *settings);

#endif
