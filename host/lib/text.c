/* SPDX-License-Identifier: MIT */
#include "text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char cut[] = "...";

/* The smallest code point that needs so many bytes: no longer form is valid. */
static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};

/*
 * Characters that turn the order of a line, or break it, without being seen.
 * source: Unicode Standard Annex #9, section 2; #14, class BK
 */
static bool is_direction(uint32_t code)
{
    return code == 0x61C || code == 0x200E || code == 0x200F
           || (code >= 0x2028 && code <= 0x202E)
           || (code >= 0x2066 && code <= 0x2069);
}

/*
 * The bytes of the character at TEXT, and whether it may be printed. Where
 * there is none, one byte that may not.
 * source: RFC 3629 (UTF-8), section 3
 */
static size_t character(const unsigned char *text, bool *is_fine)
{
    uint32_t code = text[0];
    size_t size = code >= 0xF0 ? 4 : code >= 0xE0 ? 3 : 2;

    *is_fine = code >= 0x20 && code < 0x7F;
    if (code < 0xC0 || code > 0xF7)
        return 1;
    code &= 0x7Fu >> size;
    for (size_t i = 1; i < size; i++) {
        if ((text[i] & 0xC0) != 0x80)
            return 1;
        code = code << 6 | (text[i] & 0x3F);
    }
    if (code < smallest[size] || code > 0x10FFFF
        || (code >= 0xD800 && code <= 0xDFFF))
        return 1;
    *is_fine = code >= 0xA0 && !is_direction(code);
    return size;
}

/* Nearly all text is nothing but this. */
static size_t count_printable(const unsigned char *text)
{
    size_t count = 0;

    while (text[count] >= 0x20 && text[count] < 0x7F)
        count++;
    return count;
}

void text_clean(char *out, size_t size, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t used = 0;
    size_t fits = 0; /* what can stay if the rest has to be cut */

    while (*at != '\0') {
        bool is_fine = true;
        size_t length = count_printable(at);
        bool is_run = length > 0;
        size_t width;

        if (!is_run)
            length = character(at, &is_fine);
        width = is_fine ? length : 1;
        if (used + width + sizeof cut <= size)
            fits = used + width;
        else if (is_run && used + sizeof cut <= size)
            fits = size - sizeof cut;
        if (used + width >= size) {
            if (fits > used)
                memcpy(out + used, at, fits - used);
            memcpy(out + fits, cut, sizeof cut);
            return;
        }
        memcpy(out + used, is_fine ? (const char *)at : "?", width);
        used += width;
        at += length;
    }
    out[used] = '\0';
}

size_t text_width(const char *text)
{
    size_t width = 0;

    for (; *text != '\0'; text++)
        width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

char *text_copy(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);

    if (copy != NULL)
        memcpy(copy, text, size);
    return copy;
}

bool text_to_address(const char *text, uint32_t *out)
{
    bool prefixed = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = prefixed ? text + 2 : text;
    unsigned long long value;

    if (digits[0] == '\0'
        || digits[strspn(digits, "0123456789abcdefABCDEF")] != '\0')
        return false;
    errno = 0;
    value = strtoull(digits, NULL, 16);
    *out = (uint32_t)value;
    return errno == 0 && value <= UINT32_MAX;
}
