/* SPDX-License-Identifier: MIT */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "lines_parts.h"
#include "lines_table_parts.h"

/*
 * Inline functions of C without an extern definition. In each unit where one
 * was inlined it has a DIE that says so; where it has code, another one that
 * refers to that. Functions with external linkage are the same one in all
 * units if they have one name.
 */

struct mention {
    const char *name;
    Dwarf_Die die;
    bool has_code;
};

struct mentions {
    struct mention *items;
    size_t count;
    bool is_clang; /* the unit's compiler */
};

/* By name, those with code first. */
static int compare_mentions(const void *left, const void *right)
{
    const struct mention *a = left, *b = right;
    int order = strcmp(a->name, b->name);
    const char *at_a = a->die.addr, *at_b = b->die.addr;

    if (order != 0)
        return order;
    if (a->has_code != b->has_code)
        return a->has_code ? -1 : 1;
    return (at_a > at_b) - (at_a < at_b);
}

static bool is_flagged(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    bool is_set = false;

    return dwarf_attr_integrate(die, name, &attribute) != NULL
           && dwarf_formflag(&attribute, &is_set) == 0 && is_set;
}

/* clang does not tell what was declared inline and what it inlined itself,
 * but has code of all that is extern and no inline definition. */
static bool is_inline(const struct mentions *mentions, Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value = DW_INL_not_inlined;

    if (dwarf_attr(die, DW_AT_inline, &attribute) == NULL
        || dwarf_formudata(&attribute, &value) != 0)
        return false;
    return value == DW_INL_declared_inlined
           || (value == DW_INL_inlined && mentions->is_clang);
}

static bool has_code(Dwarf_Die *die)
{
    return dwarf_hasattr(die, DW_AT_low_pc) != 0
           || dwarf_hasattr(die, DW_AT_ranges) != 0
           || dwarf_hasattr(die, DW_AT_abstract_origin) != 0;
}

static int see(void *context, Dwarf_Die *die, uint32_t *scope)
{
    struct mentions *mentions = context;
    struct mention new = {.die = *die};
    struct mention *items;

    *scope = LINES_NONE;
    if (dwarf_tag(die) != DW_TAG_subprogram || !is_flagged(die, DW_AT_external))
        return 0;
    new.has_code = has_code(die);
    if (!new.has_code && !is_inline(mentions, die))
        return 0;
    new.name = lines_string(die, DW_AT_name);
    if (new.name[0] == '\0')
        return 0;
    items = lines_grow(mentions->items, mentions->count, sizeof *items);
    if (items == NULL)
        return MCUPROF_E_NOMEM;
    mentions->items = items;
    items[mentions->count++] = new;
    return 0;
}

static bool is_c(Dwarf_Die *unit)
{
    switch (dwarf_srclang(unit)) {
    case DW_LANG_C89:
    case DW_LANG_C:
    case DW_LANG_C99:
    case DW_LANG_C11:
    case 0x2D: /* C17, not in elfutils 0.188 */
        return true;
    default:
        return false;
    }
}

static int collect(struct lines *lines, struct mentions *mentions)
{
    int result = lines_units_read(lines);

    for (size_t i = 0; result == 0 && i < lines->unit_count; i++) {
        struct lines_unit *unit = lines->units[i];

        result = lines_unit_find_code(lines, unit);
        if (result < 0 || unit->code.addr == NULL || !is_c(&unit->code))
            continue;
        mentions->is_clang =
                strstr(lines_string(&unit->code, DW_AT_producer), "clang")
                != NULL;
        result = lines_walk_nests(lines, unit, unit->code, see, mentions);
    }
    return result;
}

static int tell(struct lines *lines, struct mention *mention,
                int (*take)(void *context, const struct lines_inline *found),
                void *context)
{
    struct lines_function function = {.file = ""};
    int result = lines_declaration(lines, &mention->die, &function);
    struct lines_inline found = {.name = mention->name,
                                 .file = function.file,
                                 .line = function.line};

    return result < 0 ? result : take(context, &found);
}

int lines_each_inline(struct lines *lines,
                      int (*take)(void *context,
                                  const struct lines_inline *found),
                      void *context)
{
    struct mentions mentions = {0};
    const char *last = "";
    int result;

    if (lines->info.size == 0)
        return 0;
    result = collect(lines, &mentions);
    if (mentions.count > 0)
        qsort(mentions.items, mentions.count, sizeof *mentions.items,
              compare_mentions);
    for (size_t i = 0; result == 0 && i < mentions.count; i++) {
        struct mention *mention = &mentions.items[i];

        /* The first of a name is one with code, if there is any. */
        if (strcmp(mention->name, last) != 0 && !mention->has_code)
            result = tell(lines, mention, take, context);
        last = mention->name;
    }
    free(mentions.items);
    return result;
}
