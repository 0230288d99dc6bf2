/* SPDX-License-Identifier: MIT */
#include "functions_unpack.h"

#include "bytes.h"
#include "varint.h"

#include <string.h>

_Static_assert(FUNCTION_COUNTED == MCUPROF_FUNCTIONS_ROW_FUNCTION
                       && FUNCTION_OUTSIDE == MCUPROF_FUNCTIONS_ROW_OUTSIDE
                       && FUNCTION_NO_SLOT == MCUPROF_FUNCTIONS_ROW_NO_SLOT,
               "kinds of rows are those of the wire");

/* Kind COUNTS has seven numbers, FUNCTION eight. */
#define NUMBERS_MAX 8

static const uint8_t numbers_of[] = {
        [MCUPROF_FUNCTIONS_ROW_FUNCTION] = 8,
        [MCUPROF_FUNCTIONS_ROW_OUTSIDE] = 2,
        [MCUPROF_FUNCTIONS_ROW_NO_SLOT] = 3,
        [MCUPROF_FUNCTIONS_ROW_COUNTS] = 7,
};

static void set_head(struct wire_functions *part, const uint8_t *p)
{
    part->sequence = bytes_get32(p + MCUPROF_FUNCTIONS_SEQUENCE);
    part->ticks = bytes_get64(p + MCUPROF_FUNCTIONS_TICKS);
    part->rows = bytes_get16(p + MCUPROF_FUNCTIONS_ROWS);
    part->first = bytes_get16(p + MCUPROF_FUNCTIONS_FIRST);
    part->flags = p[MCUPROF_FUNCTIONS_FLAGS];
    part->period = p[MCUPROF_FUNCTIONS_PERIOD];
    part->pair = bytes_get16(p + MCUPROF_FUNCTIONS_PAIR);
    part->capacity = bytes_get16(p + MCUPROF_FUNCTIONS_CAPACITY);
}

bool functions_row_is_sound(const struct function_counts *row)
{
    if (row->open > row->calls || (row->function & 1) != 0
        || row->min > row->max)
        return false;
    return row->open < row->calls || row->max == 0;
}

static bool set_row(struct function_counts *row, uint8_t kind,
                    const uint64_t *numbers)
{
    bool is_function = kind == MCUPROF_FUNCTIONS_ROW_FUNCTION;
    const uint64_t *next = numbers + is_function;

    if (numbers[0] > UINT32_MAX || *next > UINT16_MAX)
        return false;
    *row = (struct function_counts){.kind = kind};
    row->function = is_function ? (uint32_t)numbers[0] : 0;
    row->context = (uint16_t)*next++;
    if (kind != MCUPROF_FUNCTIONS_ROW_OUTSIDE)
        row->calls = *next++;
    if (is_function)
        row->open = *next++;
    row->self = *next++;
    if (!is_function)
        return true;
    row->total = *next++;
    row->min = *next++;
    row->max = *next;
    return functions_row_is_sound(row);
}

static void set_counts(struct wire_function_counts *counts,
                       const uint64_t *numbers)
{
    counts->hooks = numbers[0];
    counts->unwound = numbers[1];
    counts->unmatched = numbers[2];
    counts->deep = numbers[3];
    counts->no_slot = numbers[4];
    counts->no_context = numbers[5];
    counts->tries = numbers[6];
}

/* The counts are the last row of all. */
static bool take_counts(struct wire_functions *part, const uint64_t *numbers)
{
    if (part->first + part->count + 1 != part->rows)
        return false;
    part->has_counts = true;
    set_counts(&part->counts, numbers);
    return true;
}

static bool take_row(struct wire_functions *part, const uint8_t **at,
                     const uint8_t *end)
{
    uint64_t numbers[NUMBERS_MAX] = {0};
    uint8_t kind = *(*at)++;

    if (kind >= sizeof numbers_of || part->has_counts)
        return false;
    for (size_t i = 0; i < numbers_of[kind]; i++)
        if (!varint_get63(at, end, &numbers[i]))
            return false;
    if (kind == MCUPROF_FUNCTIONS_ROW_COUNTS)
        return take_counts(part, numbers);
    return part->count < WIRE_FUNCTIONS_MAX
           && set_row(&part->functions[part->count++], kind, numbers);
}

int functions_unpack(struct wire_functions *part, const uint8_t *payload,
                     size_t size)
{
    const uint8_t *end = payload + size;
    const uint8_t *at = payload + MCUPROF_FUNCTIONS_HEAD_SIZE;

    if (size < MCUPROF_FUNCTIONS_HEAD_SIZE)
        return MCUPROF_E_FORMAT;
    set_head(part, payload);
    part->count = 0;
    part->has_counts = false;
    if (part->ticks > INT64_MAX
        || ((part->flags & MCUPROF_FUNCTIONS_RAW) != 0 && part->pair != 0))
        return MCUPROF_E_FORMAT;
    while (at < end)
        if (!take_row(part, &at, end))
            return MCUPROF_E_FORMAT;
    /* Without its counts there is a row to come. */
    return part->has_counts || part->first + part->count < part->rows
                   ? 0
                   : MCUPROF_E_FORMAT;
}
