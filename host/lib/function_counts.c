/* SPDX-License-Identifier: MIT */
#include "function_counts.h"

uint64_t function_counts_sum(uint64_t a, uint64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

bool function_counts_has_left(const struct function_counts *counts)
{
    return counts->calls > counts->open;
}

void function_counts_add(struct function_counts *into,
                         const struct function_counts *from)
{
    bool left = function_counts_has_left(from);

    if (left && (!function_counts_has_left(into) || from->min < into->min))
        into->min = from->min;
    if (left && from->max > into->max)
        into->max = from->max;
    into->calls = function_counts_sum(into->calls, from->calls);
    into->open = function_counts_sum(into->open, from->open);
    into->self = function_counts_sum(into->self, from->self);
    into->total = function_counts_sum(into->total, from->total);
}
