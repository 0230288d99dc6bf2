/* SPDX-License-Identifier: MIT */
#include "paths.h"

#include <stdlib.h>
#include <string.h>

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_either(char c)
{
    return c == '/' || c == '\\';
}

static bool has_drive(const char *path)
{
    return is_letter(path[0]) && path[1] == ':' && is_either(path[2]);
}

bool paths_is_absolute(const char *path)
{
    return is_either(path[0]) || has_drive(path);
}

/* Only a path that begins with / is surely of a system where \ is a letter. */
static bool is_separator(char c, bool is_unix)
{
    return c == '/' || (c == '\\' && !is_unix);
}

/* Bytes at the start of PATH that no ".." takes away. */
static size_t root_length(const char *path)
{
    size_t length = 2;

    if (has_drive(path))
        return 3;
    if (path[0] != '\\' || path[1] != '\\')
        return is_either(path[0]) ? 1 : 0;
    for (int part = 0; part < 2; part++) {
        length += strspn(path + length, "\\/");
        length += strcspn(path + length, "\\/");
    }
    return length;
}

/* LENGTH of PATH without its last part and the separators before that. */
static size_t without_last(const char *path, size_t length, size_t root,
                           bool is_unix)
{
    while (length > root && !is_separator(path[length - 1], is_unix))
        length--;
    while (length > root && is_separator(path[length - 1], is_unix))
        length--;
    return length;
}

/* In place: what is written never gets ahead of what is read. */
static void normalise(char *path)
{
    bool is_unix = path[0] == '/';
    size_t root = root_length(path), length = root, depth = 0;
    const char *from = path + root;

    while (*from != '\0') {
        const char *start = from;
        size_t size = 0;

        while (is_separator(*start, is_unix))
            start++;
        while (start[size] != '\0' && !is_separator(start[size], is_unix))
            size++;
        from = start + size;
        if (size == 0 || (size == 1 && start[0] == '.'))
            continue;
        if (size == 2 && start[0] == '.' && start[1] == '.') {
            if (depth > 0) {
                length = without_last(path, length, root, is_unix);
                depth--;
                continue;
            }
            if (root > 0)
                continue;
        } else {
            depth++;
        }
        if (length > 0 && !is_separator(path[length - 1], is_unix))
            path[length++] = start[-1];
        memmove(path + length, start, size);
        length += size;
    }
    if (length == 0 && path[0] != '\0')
        path[length++] = '.';
    path[length] = '\0';
}

/* What to write between DIRECTORY and NAME. */
static char joint(const char *directory, const char *name)
{
    size_t first = strcspn(directory, "/\\");

    if (directory[first] != '\0')
        return directory[first];
    first = strcspn(name, "/\\");
    return name[first] != '\0' ? name[first] : '/';
}

char *paths_join(const char *directory, const char *name)
{
    size_t directory_length = strlen(directory), name_length = strlen(name);
    char *path;

    if (paths_is_absolute(name))
        directory_length = 0;
    path = malloc(directory_length + 1 + name_length + 1);
    if (path == NULL)
        return NULL;
    memcpy(path, directory, directory_length);
    if (directory_length > 0 && name_length > 0)
        path[directory_length++] = joint(directory, name);
    memcpy(path + directory_length, name, name_length + 1);
    normalise(path);
    return path;
}
