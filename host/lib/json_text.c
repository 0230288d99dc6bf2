/* SPDX-License-Identifier: MIT */
#include "json_text.h"

#include <stdlib.h>
#include <string.h>

json_t *json_text(const char *text)
{
    json_t *value = json_string(text);
    char *ascii;

    if (value != NULL)
        return value;
    ascii = strdup(text);
    if (ascii == NULL)
        return NULL;
    for (char *at = ascii; *at != '\0'; at++)
        if ((unsigned char)*at >= 0x80)
            *at = '?';
    value = json_string(ascii);
    free(ascii);
    return value;
}
