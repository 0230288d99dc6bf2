/* SPDX-License-Identifier: MIT */
#include "code_tables.h"

#include "room.h"

#include <stdlib.h>
#include <string.h>

enum {
    ENTRIES_MAX = 4096,       /* of a table */
    LITERALS_MAX = 64 * 1024, /* words of a function's that are looked at */
    CONDITION_CS = 2,
    CONDITION_CC = 3,
    CONDITION_HI = 8,
    CONDITION_LS = 9
};

/* How a table's entries make an address: BASE + entry * SCALE. */
struct form {
    const char *helper;
    uint8_t width;
    uint8_t scale;
    bool is_signed;
    bool is_aligned; /* the base is, to a word */
};

static const struct form helpers[] = {
        {"__gnu_thumb1_case_uqi", 1, 2, false, false},
        {"__gnu_thumb1_case_sqi", 1, 2, true, false},
        {"__gnu_thumb1_case_uhi", 2, 2, false, false},
        {"__gnu_thumb1_case_shi", 2, 2, true, false},
        {"__gnu_thumb1_case_si", 4, 1, true, true},
};
static const struct form byte_form = {NULL, 1, 2, false, false};
static const struct form half_form = {NULL, 2, 2, false, false};

void code_targets_free(struct code_targets *targets)
{
    free(targets->items);
    *targets = (struct code_targets){0};
}

static int add_target(struct code_targets *out, uint32_t target)
{
    uint32_t *items =
            room_reserve(out->items, out->count, &out->room, sizeof *items);

    if (items == NULL)
        return MCUPROF_E_NOMEM;
    out->items = items;
    items[out->count++] = target;
    return 0;
}

static bool read_halves(const struct code_map *map, uint32_t address,
                        uint32_t *out)
{
    uint8_t bytes[4];

    if (image_read(map->image, address, bytes, 4) != 0)
        return false;
    *out = (uint32_t)bytes[0] << 16 | (uint32_t)bytes[1] << 24
           | (uint32_t)bytes[2] | (uint32_t)bytes[3] << 8;
    return true;
}

static const struct form *find_form(const struct code_map *map,
                                    const struct thumb *jump)
{
    uint32_t code;
    size_t function;

    if (jump->flow == THUMB_JUMP && jump->size == 4
        && read_halves(map, jump->address, &code)
        && (code & 0xFFFFFFE0) == 0xE8DFF000)
        return code & 0x10 ? &half_form : &byte_form;
    if (jump->flow != THUMB_CALL || !jump->has_target)
        return NULL;
    function = code_map_find(map, code_map_resolve(map, jump->target));
    for (size_t i = 0; function != CODE_NONE
                       && i < sizeof helpers / sizeof helpers[0];
         i++)
        if (strcmp(map->functions[function].name, helpers[i].helper) == 0)
            return &helpers[i];
    return NULL;
}

/* The distance that the entry at ADDRESS stands for. */
static bool read_entry(const struct code_map *map, const struct form *form,
                       uint32_t address, uint32_t *out)
{
    uint8_t bytes[4] = {0};
    uint32_t value = 0, sign = UINT32_C(1) << (8 * form->width - 1);

    if (image_read(map->image, address, bytes, form->width) != 0)
        return false;
    for (unsigned i = 0; i < form->width; i++)
        value |= (uint32_t)bytes[i] << 8 * i;
    if (form->is_signed && form->width < 4)
        value = (value ^ sign) - sign;
    *out = value * form->scale;
    return true;
}

int code_tables_behind(const struct code_map *map, const struct thumb *jump,
                       struct code_index index, struct code_targets *out)
{
    const struct form *form = find_form(map, jump);
    uint32_t base = jump->address + jump->size, end = UINT32_MAX;
    uint32_t count = index.is_known ? index.count : ENTRIES_MAX;

    if (form == NULL || count > ENTRIES_MAX)
        return 0;
    if (form->is_aligned)
        base = (base + 3) & ~UINT32_C(3);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = base + i * form->width, distance, target;

        /* Unless the table's length is known it ends at its first target. */
        if (!index.is_known && at + form->width > end)
            break;
        if (!read_entry(map, form, at, &distance))
            return 0;
        target = (base + distance) & ~UINT32_C(1);
        if (target >= base && target < end) {
            if (target < at + form->width)
                /* A last byte may fill up a halfword. */
                return index.is_known || form->width > 1
                                       || at + 1 != end
                               ? 0
                               : 1;
            end = target;
        }
        if (add_target(out, target) < 0)
            return MCUPROF_E_NOMEM;
    }
    return 1;
}

bool code_tables_bound(const struct code_map *map, const struct thumb *compare,
                       const struct thumb *branch, struct code_index *out)
{
    uint32_t code, jump;
    unsigned condition;

    if (branch->flow != THUMB_BRANCH
        || !read_halves(map, compare->address, &code)
        || !read_halves(map, branch->address, &jump))
        return false;
    /* CMP Rn, #imm8; CMP.W Rn, #const below 256 */
    if (code >> 27 == 5)
        out->count = code >> 16 & 0xFF;
    else if ((code & 0xFFF0FF00) == 0xF1B00F00)
        out->count = code & 0xFF;
    else
        return false;
    /* B<c>, B<c>.W; CBZ is no bound */
    if (jump >> 28 == 0xD)
        condition = jump >> 24 & 15;
    else if ((jump & 0xF800D000) == 0xF0008000)
        condition = jump >> 22 & 15;
    else
        return false;
    if (condition == CONDITION_HI || condition == CONDITION_LS)
        out->count++;
    out->is_known = condition == CONDITION_HI || condition == CONDITION_LS
                    || condition == CONDITION_CS || condition == CONDITION_CC;
    return out->is_known;
}

/* Whether ADDRESS is in FUNCTION, and not where one enters it. */
static bool is_inside(const struct code_map *map, size_t function,
                      uint32_t address)
{
    const struct code_function *at = &map->functions[function];

    return (address & ~1U) > at->start && (address & ~1U) - at->start < at->size
           && image_is_code(map->image, address);
}

/* The addresses of code that lie one behind the other from ADDRESS on. */
static int add_run(const struct code_map *map, size_t function,
                   uint32_t address, struct code_targets *out)
{
    for (unsigned i = 0; i < ENTRIES_MAX; i++) {
        uint32_t value;

        if (image_read_word(map->image, address + 4 * i, &value) != 0
            || !is_inside(map, function, value))
            break;
        if (add_target(out, value & ~1U) < 0)
            return MCUPROF_E_NOMEM;
    }
    return 0;
}

/* VALUE may be where a table is, or a target itself. */
static int look_at(const struct code_map *map, size_t function, uint32_t value,
                   struct code_targets *out)
{
    if (is_inside(map, function, value))
        return add_target(out, value & ~1U);
    return value % 4 == 0 ? add_run(map, function, value, out) : 0;
}

/* Values that are made by MOVW and MOVT; whichever way they come together. */
static int read_moves(const struct code_map *map, size_t function,
                      const struct image_stretch *stretch,
                      struct code_targets *out)
{
    uint32_t low[16] = {0};
    struct thumb thumb;
    int result = 0;

    for (uint32_t at = 0; result == 0 && stretch->size - at >= 2;
         at += thumb.size) {
        thumb_decode(&thumb, stretch->start + at, stretch->bytes + at,
                     stretch->size - at);
        if (thumb.make == THUMB_VALUE)
            low[thumb.made & 15] = thumb.value;
        else if (thumb.make == THUMB_TOP)
            result = look_at(map, function, thumb.value | low[thumb.made & 15],
                             out);
    }
    return result;
}

/* The words from FROM to TO, between code. */
static int read_literals(const struct code_map *map, size_t function,
                         uint32_t from, uint32_t to, struct code_targets *out)
{
    uint32_t words = 0;
    int result = 0;

    for (uint32_t at = (from + 3) & ~UINT32_C(3);
         result == 0 && at < to && to - at >= 4 && words < LITERALS_MAX;
         at += 4, words++) {
        uint32_t value;

        if (image_read_word(map->image, at, &value) == 0)
            result = look_at(map, function, value, out);
    }
    return result;
}

int code_tables_pointed(const struct code_map *map, size_t function,
                        struct code_targets *out)
{
    const struct code_function *at = &map->functions[function];
    struct image_stretch stretch = {.from = at->start};
    uint32_t end = at->start + at->size, last = at->start;
    int result = 0;

    while (result == 0 && image_stretch_next(map->image, &stretch)
           && stretch.start < end) {
        if (stretch.start > last)
            result = read_literals(map, function, last, stretch.start, out);
        last = stretch.start + stretch.size;
        if (result == 0)
            result = read_moves(map, function, &stretch, out);
    }
    return result == 0 && last < end
                   ? read_literals(map, function, last, end, out)
                   : result;
}
