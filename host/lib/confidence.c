/* SPDX-License-Identifier: MIT */
#include "confidence.h"

#include <math.h>

struct interval confidence_wilson(uint64_t hits, uint64_t count,
                                  double quantile)
{
    struct interval interval = {0.0, 1.0};
    double n = (double)count;
    double square = quantile * quantile;
    double share;
    double middle;
    double half;
    double scale;

    if (count == 0)
        return interval;
    share = (double)hits / n;
    middle = share + square / (2 * n);
    half = quantile * sqrt(share * (1 - share) / n + square / (4 * n * n));
    scale = 1 + square / n;
    /* Rounding must not exclude 0 and 1 where the formula includes them. */
    if (hits > 0)
        interval.low = (middle - half) / scale;
    if (hits < count)
        interval.high = (middle + half) / scale;
    return interval;
}
