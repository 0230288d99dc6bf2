/* SPDX-License-Identifier: MIT */
#include "paths_given.h"

#include "complain.h"

static int refuse(const char *option, const char *value, const char *remedy)
{
    return complain_usage(remedy, "--%s cannot be '%s'", option, value);
}

int paths_given(struct path_map *map, const struct settings *settings)
{
    map->count = 0;
    if (settings->path_maps.count + settings->prefixes.count
        > PATH_MAP_RULES_MAX)
        return complain_usage("leave some out",
                              "more than %d of --path-map and --strip-prefix",
                              PATH_MAP_RULES_MAX);
    for (size_t i = 0; i < settings->path_maps.count; i++)
        if (path_map_add(map, settings->path_maps.items[i]) < 0)
            return refuse("path-map", settings->path_maps.items[i],
                          "write it as /where/it/was=/where/it/is");
    for (size_t i = 0; i < settings->prefixes.count; i++)
        if (path_map_strip(map, settings->prefixes.items[i]) < 0)
            return refuse("strip-prefix", "", "name the beginning of a path");
    return 0;
}
