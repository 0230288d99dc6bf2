/* SPDX-License-Identifier: MIT */
#include "suggest.h"

#include <string.h>

#define LENGTH_MAX 31

static size_t smallest(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;

    return least < c ? least : c;
}

/*
 * Edits that turn A into B. source: Wagner and Fischer, JACM 21 (1974),
 * 168-173, with one row of the matrix at a time.
 */
static size_t distance(const char *a, const char *b)
{
    size_t row[LENGTH_MAX + 1];
    size_t width = strlen(b);

    if (width > LENGTH_MAX || strlen(a) > LENGTH_MAX)
        return LENGTH_MAX;
    for (size_t k = 0; k <= width; k++)
        row[k] = k;
    for (size_t i = 1; a[i - 1] != '\0'; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t k = 1; k <= width; k++) {
            size_t above = row[k];

            row[k] = smallest(row[k] + 1, row[k - 1] + 1,
                              diagonal + (a[i - 1] != b[k - 1]));
            diagonal = above;
        }
    }
    return row[width];
}

void suggest_offer(struct suggestion *suggestion, const char *name)
{
    size_t length = strlen(suggestion->wanted);
    size_t edits = distance(suggestion->wanted, name);

    /* A beginning is as good as a typing error. */
    if (length > 0 && strncmp(suggestion->wanted, name, length) == 0)
        edits = 1;
    if (edits > 1 + length / 3 || edits >= LENGTH_MAX)
        return;
    if (suggestion->best == NULL || edits < suggestion->distance) {
        suggestion->best = name;
        suggestion->distance = edits;
    }
}
