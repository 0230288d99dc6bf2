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
    uint8_t beyond;  /* bytes from the table's begin to the base */
};

static const struct form helpers[] = {
        {"__gnu_thumb1_case_uqi", 1, 2, false, false, 0},
        {"__gnu_thumb1_case_sqi", 1, 2, true, false, 0},
        {"__gnu_thumb1_case_uhi", 2, 2, false, false, 0},
        {"__gnu_thumb1_case_shi", 2, 2, true, false, 0},
        {"__gnu_thumb1_case_si", 4, 1, true, true, 0},
};
static const struct form byte_form = {NULL, 1, 2, false, false, 0};
static const struct form half_form = {NULL, 2, 2, false, false, 0};
/* ADD PC, behind which the table begins, counts from two bytes further on. */
static const struct form added_bytes = {NULL, 1, 2, false, false, 2};
static const struct form added_halves = {NULL, 2, 2, false, false, 2};

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

static uint32_t first_half(const struct code_map *map, uint32_t address)
{
    uint32_t code;

    return read_halves(map, address, &code) ? code >> 16 : 0;
}

/* LDRB or LDRH Rt, [Rn, #4]; LSLS Rt, Rt, #1; ADD PC, Rt */
static const struct form *find_added(const struct code_map *map,
                                     const struct thumb *jump,
                                     const struct code_tables_way *way)
{
    uint32_t load, shift;

    if (way->known < 2 || (first_half(map, jump->address) & 0xFF87) != 0x4487)
        return NULL;
    shift = first_half(map, way->before[0].address);
    load = first_half(map, way->before[1].address);
    if ((shift & 0xFFC0) != 0x0040)
        return NULL;
    if ((load & 0xFFC0) == 0x7900)
        return &added_bytes;
    return (load & 0xFFC0) == 0x8880 ? &added_halves : NULL;
}

static const struct form *find_form(const struct code_map *map,
                                    const struct thumb *jump,
                                    const struct code_tables_way *way)
{
    uint32_t code;
    size_t function;

    if (jump->flow == THUMB_JUMP && jump->size == 4
        && read_halves(map, jump->address, &code)
        && (code & 0xFFFFFFE0) == 0xE8DFF000)
        return code & 0x10 ? &half_form : &byte_form;
    if (jump->flow == THUMB_JUMP && jump->size == 2)
        return find_added(map, jump, way);
    if (jump->flow != THUMB_CALL || !jump->has_target)
        return NULL;
    function = code_map_find(map, code_map_resolve(map, jump->target));
    for (size_t i = 0;
         function != CODE_NONE && i < sizeof helpers / sizeof helpers[0]; i++)
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
                       const struct code_tables_way *way,
                       struct code_targets *out)
{
    const struct form *form = find_form(map, jump, way);
    uint32_t table = jump->address + jump->size, end = UINT32_MAX;
    uint32_t count = way->bound > 0 ? way->bound : ENTRIES_MAX;

    if (form == NULL || count > ENTRIES_MAX)
        return 0;
    if (form->is_aligned)
        table = (table + 3) & ~UINT32_C(3);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = table + i * form->width, distance, target;

        /* Unless the table's length is known it ends at its first target; a
         * byte may be left to fill up a halfword. */
        if (way->bound == 0 && (at + form->width > end || at + 1 == end))
            break;
        if (!read_entry(map, form, at, &distance))
            return 0;
        target = (table + form->beyond + distance) & ~UINT32_C(1);
        if (target >= table && target < at + form->width)
            return 0;
        if (target >= table && target < end)
            end = target;
        if (add_target(out, target) < 0)
            return MCUPROF_E_NOMEM;
    }
    return 1;
}

/* One more than what THUMB compares with; 0 if it is no such comparison. */
static uint32_t read_compare(const struct code_map *map,
                             const struct thumb *thumb)
{
    uint32_t code;

    if (thumb->flow != THUMB_NEXT || thumb->writes != 0
        || !read_halves(map, thumb->address, &code))
        return 0;
    if (code >> 27 == 5) /* CMP Rn, #imm8 */
        return (code >> 16 & 0xFF) + 1;
    if ((code & 0xFFF0FF00) == 0xF1B00F00) /* CMP.W, below 256 */
        return (code & 0xFF) + 1;
    return 0;
}

/* The condition of B<c> or B<c>.W; 15 of others. */
static unsigned read_condition(const struct code_map *map,
                               const struct thumb *thumb)
{
    uint32_t code;

    if (thumb->flow != THUMB_BRANCH || !read_halves(map, thumb->address, &code))
        return 15;
    if (code >> 28 == 0xD)
        return code >> 24 & 15;
    return (code & 0xF800D000) == 0xF0008000 ? code >> 22 & 15 : 15;
}

/* The register that holds the table which THUMB loads out of, THUMB_NO_REGISTER
 * if it does not; TO is what it loads. */
static unsigned read_load(const struct code_map *map, const struct thumb *thumb,
                          unsigned *to)
{
    uint32_t code;

    if (!read_halves(map, thumb->address, &code))
        return THUMB_NO_REGISTER;
    if (code >> 25 == 0x2C) { /* LDR Rt, [Rn, Rm] */
        *to = code >> 16 & 7;
        return code >> 19 & 7;
    }
    if ((code & 0xFFF00FF0) == 0xF8500020) { /* LDR.W Rt, [Rn, Rm, LSL #2] */
        *to = code >> 12 & 15;
        return code >> 16 & 15;
    }
    return THUMB_NO_REGISTER;
}

/* Where the table is that THUMB loads out of, if it does. */
static void note_load(const struct code_map *map, struct code_tables_way *way,
                      const struct thumb *thumb)
{
    unsigned to = 0, from = read_load(map, thumb, &to);
    uint32_t table;

    if (from >= THUMB_PC || !code_registers_get(&way->registers, from, &table))
        return;
    way->loaded = to;
    way->table = table;
}

void code_tables_step(const struct code_map *map, struct code_tables_way *way,
                      const struct thumb *thumb)
{
    uint32_t compared = read_compare(map, thumb);
    unsigned condition = read_condition(map, thumb);

    if (compared > 0)
        way->compared = compared;
    else if (condition == CONDITION_HI)
        way->bound = way->compared;
    else if (condition == CONDITION_CS && way->compared > 0)
        way->bound = way->compared - 1;
    note_load(map, way, thumb);
    way->registers.image = map->image;
    code_registers_step(&way->registers, thumb);
    way->before[1] = way->before[0];
    way->before[0] = *thumb;
    way->known += way->known < 2;
}

struct code_tables_way code_tables_branch(const struct code_map *map,
                                          const struct code_tables_way *way,
                                          const struct thumb *thumb)
{
    struct code_tables_way there = {.bound = way->bound,
                                    .registers = way->registers};
    unsigned condition = read_condition(map, thumb);

    if (condition == CONDITION_LS)
        there.bound = way->compared;
    else if (condition == CONDITION_CC && way->compared > 0)
        there.bound = way->compared - 1;
    return there;
}

/* Whether ADDRESS is in FUNCTION, and not where one enters it. */
static bool is_inside(const struct code_map *map, size_t function,
                      uint32_t address)
{
    const struct code_function *at = &map->functions[function];
    size_t part;

    address &= ~1U;
    if (!image_is_code(map->image, address))
        return false;
    if (address - at->start < at->size)
        return address > at->start;
    part = code_map_find(map, address);
    return part != CODE_NONE && code_map_is_moved(map, part, function);
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

int code_tables_loaded(const struct code_map *map, size_t function,
                       const struct thumb *jump,
                       const struct code_tables_way *way,
                       struct code_targets *out)
{
    uint32_t count = way->bound > 0 ? way->bound : ENTRIES_MAX;
    uint32_t table = way->table, value;
    unsigned to, from = read_load(map, jump, &to);

    /* LDR PC, [Rn, Rm, LSL #2], else through the register. */
    if (from < THUMB_PC) {
        if (!code_registers_get(&way->registers, from, &table))
            return 0;
    } else if (table == 0 || (jump->reads >> way->loaded & 1) == 0) {
        return 0;
    }
    for (uint32_t i = 0; i < count && i < ENTRIES_MAX; i++) {
        if (image_read_word(map->image, table + 4 * i, &value) != 0
            || !is_inside(map, function, value))
            return out->count > 0 && way->bound == 0;
        if (add_target(out, value & ~1U) < 0)
            return MCUPROF_E_NOMEM;
    }
    return 1;
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
    struct image_symbol symbol;
    int result = 0;

    /* Literals behind the last instruction are the symbol's as well. */
    if (image_find(map->image, at->start, &symbol) == 0
        && symbol.start == at->start && symbol.size > at->size
        && symbol.size - at->size < 4 * LITERALS_MAX)
        end = at->start + symbol.size;

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
