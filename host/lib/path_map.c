/* SPDX-License-Identifier: MIT */
#include "path_map.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_separator(char c)
{
    return c == '/' || c == '\\';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int add_rule(struct path_map *map, const char *from, size_t from_size,
                    const char *to)
{
    if (from_size == 0 || map->count == PATH_MAP_RULES_MAX)
        return MCUPROF_E_USAGE;
    map->rules[map->count++] =
            (struct path_rule){.from = from, .from_size = from_size, .to = to};
    return 0;
}

int path_map_add(struct path_map *map, const char *argument)
{
    const char *equals = strchr(argument, '=');

    if (equals == NULL)
        return MCUPROF_E_USAGE;
    return add_rule(map, argument, (size_t)(equals - argument), equals + 1);
}

int path_map_strip(struct path_map *map, const char *prefix)
{
    return add_rule(map, prefix, strlen(prefix), "");
}

/* The letter of "C:\x" and "c:/x", which are one drive. */
static bool is_same_drive(const char *a, const char *b)
{
    return lower(a[0]) == lower(b[0]) && lower(a[0]) >= 'a'
           && lower(a[0]) <= 'z' && a[1] == ':' && b[1] == ':';
}

/* What follows the rule's FROM in PATH; NULL if PATH does not begin so. */
static const char *skip(const struct path_rule *rule, const char *path)
{
    const char *from = rule->from;
    size_t i = rule->from_size > 1 && is_same_drive(from, path) ? 2 : 0;

    for (; i < rule->from_size; i++)
        if (path[i] != from[i]
            && !(is_separator(path[i]) && is_separator(from[i])))
            return NULL;
    path += rule->from_size;
    if (path[0] != '\0' && !is_separator(path[0])
        && !is_separator(from[rule->from_size - 1]))
        return NULL;
    while (is_separator(path[0]))
        path++;
    return path;
}

static char *join(const char *to, const char *rest)
{
    bool has_slash = strchr(to, '/') != NULL;
    bool has_backslash = strchr(to, '\\') != NULL;
    size_t length = strlen(to);
    const char *between = has_backslash && !has_slash ? "\\" : "/";
    size_t size = length + strlen(rest) + 2;
    char *path = malloc(size);

    if (path == NULL)
        return NULL;
    if (length == 0 || rest[0] == '\0' || is_separator(to[length - 1]))
        between = "";
    (void)snprintf(path, size, "%s%s%s", to, between, rest);
    for (char *at = path + length; has_slash && !has_backslash && *at != '\0';
         at++)
        if (*at == '\\')
            *at = '/';
    return path;
}

/* The first rule that fits, of those that replace or of those that strip. */
static char *apply(const struct path_map *map, const char *path, bool strips)
{
    for (size_t i = 0; i < map->count; i++) {
        const struct path_rule *rule = &map->rules[i];
        bool is_strip = rule->to[0] == '\0';
        const char *rest = is_strip == strips ? skip(rule, path) : NULL;

        /* A path that is nothing but the prefix has to remain one. */
        if (rest != NULL && (rest[0] != '\0' || !is_strip))
            return join(rule->to, rest);
    }
    return strdup(path);
}

char *path_map_apply(const struct path_map *map, const char *path)
{
    char *mapped = apply(map, path, false);
    char *stripped = mapped != NULL ? apply(map, mapped, true) : NULL;

    free(mapped);
    return stripped;
}
