/* SPDX-License-Identifier: MIT */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "lines_parts.h"
#include "lines_table_parts.h"

struct lines_section lines_section_find(Elf *elf, const char *name)
{
    Elf_Scn *section = NULL;
    size_t names = 0;

    if (elf == NULL || elf_getshdrstrndx(elf, &names) != 0)
        return (struct lines_section){0};
    while ((section = elf_nextscn(elf, section)) != NULL) {
        Elf32_Shdr *header = elf32_getshdr(section);
        const char *found =
                header != NULL ? elf_strptr(elf, names, header->sh_name) : NULL;
        Elf_Data *data;

        if (found == NULL || header->sh_type == SHT_NOBITS)
            continue;
        /* ".zdebug_line" is ".debug_line" compressed the old way. */
        if (strcmp(found, name) != 0
            && (strncmp(found, ".z", 2) != 0
                || strcmp(found + 2, name + 1) != 0))
            continue;
        data = elf_getdata(section, NULL);
        if (data != NULL && data->d_buf != NULL)
            return (struct lines_section){data->d_buf, data->d_size};
    }
    return (struct lines_section){0};
}

const char *lines_unit_name(struct lines_unit *unit)
{
    const char *name = lines_string(&unit->die, DW_AT_name);

    return name[0] == '\0' && unit->code.addr != NULL
                   ? lines_string(&unit->code, DW_AT_name)
                   : name;
}

static int add_unit(struct lines *lines, Dwarf_Die die, struct lines_unit **out)
{
    struct lines_unit *unit = lines_allocate(lines, sizeof *unit);
    struct lines_unit **units =
            lines_grow(lines->units, lines->unit_count, sizeof(void *));

    if (units != NULL)
        lines->units = units;
    if (unit == NULL || units == NULL
        || lines_map_put(&lines->units_by_cu, die.cu, NULL, unit) < 0)
        return MCUPROF_E_NOMEM;
    unit->die = die;
    unit->number = (uint32_t)lines->unit_count;
    lines->units[lines->unit_count++] = unit;
    *out = unit;
    return 0;
}

int lines_unit_of(struct lines *lines, Dwarf_CU *cu, struct lines_unit **out)
{
    Dwarf_Die die;

    *out = lines_map_get(&lines->units_by_cu, cu, NULL);
    if (*out != NULL)
        return 0;
    if (dwarf_cu_die(cu, &die, NULL, NULL, NULL, NULL, NULL, NULL) == NULL)
        return 0;
    return add_unit(lines, die, out);
}

static int note_start(void *context, struct lines_piece piece)
{
    bool *is_at_0 = context;

    *is_at_0 |= piece.start == 0;
    return 0;
}

/*
 * Whether a claim of UNIT to 0 is more than what the linker left of discarded
 * functions, which in some images all units have there.
 */
static int check_claim_to_0(struct lines *lines, struct lines_unit *unit,
                            bool *is_right)
{
    int result = 0;

    *is_right = false;
    if (!lines->has_function_at_0)
        return 0;
    result = lines_walk_functions(lines, unit, note_start, is_right);
    /* Assembler may have lines but no functions. */
    *is_right |= !unit->has_functions;
    return result;
}

/* Add what the unit claims, but for discarded code. If that is wrong, the
 * functions are found as strays. */
static int add_claims(struct lines *lines, struct lines_unit *unit)
{
    Dwarf_Addr base = 0, start = 0, end = 0;
    ptrdiff_t offset = 0;
    bool is_right_at_0 = false, is_checked = false;

    while ((offset = dwarf_ranges(&unit->die, offset, &base, &start, &end))
           > 0) {
        struct lines_piece piece;

        if (lines->budget == 0)
            return 0;
        lines->budget--;
        if (!lines_piece_make(start, end, unit->number, &piece))
            continue;
        if (piece.start == 0 && !is_checked) {
            is_checked = true;
            if (check_claim_to_0(lines, unit, &is_right_at_0) < 0)
                return MCUPROF_E_NOMEM;
        }
        if (piece.start == 0 ? is_right_at_0
                             : lines_is_live(lines, piece.start, NULL)) {
            if (lines_claims_add(&lines->claims, piece) < 0)
                return MCUPROF_E_NOMEM;
        }
    }
    if (offset < 0)
        lines_note_damage(lines, unit);
    return 0;
}

static int list_units(struct lines *lines)
{
    Dwarf_CU *cu = NULL;
    Dwarf_Half version = 0;
    uint8_t type = 0;
    const char *what = NULL;
    size_t left = lines_check(lines, &what);
    Dwarf_Die die;
    int result = 0;

    if (what != NULL)
        lines_note(lines, LINES_HEADER_DAMAGED, "", what);
    while (left-- > 0
           && (result = dwarf_get_units(lines->dwarf, cu, &cu, &version, &type,
                                        &die, NULL))
                      == 0) {
        struct lines_unit *unit;

        if (type == DW_UT_type || type == DW_UT_split_type || die.addr == NULL)
            continue;
        if (add_unit(lines, die, &unit) < 0)
            return MCUPROF_E_NOMEM;
        if (type != DW_UT_skeleton)
            unit->code = die;
        if (add_claims(lines, unit) < 0)
            return MCUPROF_E_NOMEM;
    }
    if (result < 0)
        lines_note(lines, LINES_HEADER_DAMAGED, "", dwarf_errmsg(-1));
    lines->code_count = lines->unit_count;
    return 0;
}

int lines_units_read(struct lines *lines)
{
    int result;

    if (lines->are_units_read)
        return 0;
    lines->are_units_read = true;
    if (lines->dwarf == NULL) {
        if (lines->notes[LINES_FILE_UNREADABLE].count == 0
            && lines->notes[LINES_FILE_SHARED].count == 0)
            lines_note(lines, LINES_FILE_UNREADABLE, "", dwarf_errmsg(-1));
        return 0;
    }
    result = list_units(lines);
    if (result == 0)
        result = lines_claims_index(&lines->claims);
    return result;
}

struct search {
    struct lines *lines;
    struct lines_unit *unit;
};

static int add_stray(void *context, struct lines_piece piece)
{
    const struct search *search = context;
    const struct lines_piece *claims[LINES_CLAIMANTS_MAX];
    size_t count =
            lines_claims_find(&search->lines->claims, piece.start, claims);

    piece.owner = search->unit->number;
    for (size_t i = 0; i < count; i++)
        if (claims[i]->owner == piece.owner && claims[i]->end >= piece.end)
            return 0;
    return lines_claims_add(&search->lines->strays, piece);
}

/* Assembler may have lines but no functions. */
static int add_stray_sequences(struct search *search)
{
    const struct lines_table *table = &search->unit->table;
    int result = lines_unit_table(search->lines, search->unit);

    for (size_t i = 0; result == 0 && i < table->sequence_count; i++)
        result = add_stray(
                search, (struct lines_piece){.start = table->sequences[i].start,
                                             .end = table->sequences[i].end});
    return result;
}

int lines_strays_read(struct lines *lines)
{
    struct search search = {.lines = lines};
    int result = 0;

    if (lines->are_strays_read)
        return 0;
    lines->are_strays_read = true;
    for (size_t i = 0; result == 0 && i < lines->code_count; i++) {
        search.unit = lines->units[i];
        result = lines_walk_functions(lines, search.unit, add_stray, &search);
        if (result == 0 && !search.unit->has_functions)
            result = add_stray_sequences(&search);
    }
    if (result == 0)
        result = lines_claims_index(&lines->strays);
    return result;
}
