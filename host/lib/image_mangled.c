/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "image_parts.h"

/*
 * What of a mangled name can be told without demangling it: C++ and Rust write
 * each part of a name with its length in front.
 */

enum {
    ALIASES_MAX = 64
};

/* Whether SYMBOL has PART, at which no longer number ends. */
static bool has_part(const char *symbol, const char *part)
{
    size_t size = strlen(part);

    for (const char *at = strstr(symbol, part); at != NULL;
         at = strstr(at + size, part))
        if (!isdigit((unsigned char)at[-1]))
            return true;
    return false;
}

bool image_has_mangled(const struct image *image, const char *name,
                       uint32_t address)
{
    char part[IMAGE_NAME_COMPARED] = "cl"; /* as operator() is mangled */
    size_t size, low = 0, high = image->function_count;

    address &= ~1U;
    name += name[0] == '~';
    size = strcspn(name, "<"); /* without a template's arguments */
    if (size == 0 || size >= sizeof part - 12)
        return false;
    if (size != strlen("operator()") || strncmp(name, "operator()", size) != 0)
        (void)snprintf(part, sizeof part, "%zu%.*s", size, (int)size, name);
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (image->functions[middle].start < address)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low; i < image->function_count && i - low < ALIASES_MAX
                         && image->functions[i].start == address;
         i++) {
        const char *symbol = image->functions[i].name;

        if (symbol[0] == '_' && (symbol[1] == 'Z' || symbol[1] == 'R')
            && has_part(symbol + 2, part))
            return true;
    }
    return false;
}
