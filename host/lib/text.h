/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_TEXT_H
#define MCUPROF_HOST_TEXT_H

/*
 * Names and paths out of files that anybody may have made, fit to be printed.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Copy TEXT into OUT of SIZE bytes, at least 4. Valid UTF-8 stays; what is
 * not, every control character (0x00-0x1F, 0x7F, U+0080-U+009F) and what
 * turns or breaks a line unseen (U+202E and its like) becomes '?': a name must
 * not move the cursor, begin a line or colour what follows.
 * What does not fit is cut between characters and ends in "...".
 */
void text_clean(char *out, size_t size, const char *text);

/** The columns that TEXT, clean, takes where each character takes one. */
size_t text_width(const char *text);

/** Copy TEXT; returns memory to be freed, NULL without. */
char *text_copy(const char *text);

/** The address TEXT says: hexadecimal, with or without 0x, nothing else. */
bool text_to_address(const char *text, uint32_t *out);

#ifdef __cplusplus
}
#endif

#endif
