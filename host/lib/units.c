/* SPDX-License-Identifier: MIT */
#include "units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *units_count(char out[UNITS_MAX], uint64_t count)
{
    char digits[24];
    size_t length;
    size_t at = 0;

    (void)snprintf(digits, sizeof digits, "%" PRIu64, count);
    length = strlen(digits);
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
    return out;
}

const char *units_thousandths(char out[UNITS_MAX], double number)
{
    uint64_t parts;
    size_t length;

    /* Of so many digits a double does not know those behind the point. */
    if (number >= 1e15) {
        (void)snprintf(out, UNITS_MAX, "%.0f", number);
        return out;
    }
    parts = (uint64_t)(number * 1000.0 + 0.5);
    units_count(out, parts / 1000);
    length = strlen(out);
    (void)snprintf(out + length, UNITS_MAX - length, ".%03u",
                   (unsigned)(parts % 1000));
    return out;
}

const char *units_seconds(char out[UNITS_MAX], double seconds)
{
    if (seconds >= 1000.0)
        (void)snprintf(out, UNITS_MAX, "%.0f s", seconds);
    else if (seconds >= 1.0 || seconds <= 0.0)
        (void)snprintf(out, UNITS_MAX, "%.4g s", seconds);
    else if (seconds >= 1e-3)
        (void)snprintf(out, UNITS_MAX, "%.4g ms", seconds * 1e3);
    else
        (void)snprintf(out, UNITS_MAX, "%.4g us", seconds * 1e6);
    return out;
}

const char *units_hz(char out[UNITS_MAX], double hz)
{
    if (hz >= 1e6)
        (void)snprintf(out, UNITS_MAX, "%.6g MHz", hz / 1e6);
    else if (hz >= 1e3)
        (void)snprintf(out, UNITS_MAX, "%.5g kHz", hz / 1e3);
    else
        (void)snprintf(out, UNITS_MAX, "%.5g Hz", hz);
    return out;
}
