/* SPDX-License-Identifier: MIT */

#include "work.h"

enum {
    TAPS = 24
};

int32_t filter_step(int16_t sample)
{
    static int16_t history[TAPS];
    static unsigned newest;
    int32_t sum = 0;

    newest = newest == 0 ? TAPS - 1 : newest - 1;
    history[newest] = sample;
    for (unsigned tap = 0, from = newest; tap < TAPS; tap++) {
        int weight = (int)(tap < TAPS / 2 ? tap : TAPS - 1 - tap) + 1;

        sum += history[from] * weight;
        from = from + 1 == TAPS ? 0 : from + 1;
    }
    return sum;
}
