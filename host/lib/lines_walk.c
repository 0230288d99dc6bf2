/* SPDX-License-Identifier: MIT */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "lines_parts.h"
#include "lines_table_parts.h"

/*
 * One walk over the DIEs of a unit, in their order, without recursion: LEVELS
 * has, for each list of children that is open, the scope they are in. libdw
 * lets siblings only grow, so the walk ends, and what is skipped is read once.
 */

/* Inlined that deep is not by a compiler. */
enum {
    DEPTH_MAX = 128
};

struct walk {
    struct lines *lines;
    struct lines_unit *unit;
    Dwarf_Die die;
    const uint8_t *end;
    uint32_t *levels;
    size_t level_count;
    size_t piece_count;
    int (*see)(void *context, Dwarf_Die *die, uint32_t *scope);
    int (*take)(void *context, struct lines_piece piece);
    void *context;
};

bool lines_piece_make(uint64_t start, uint64_t end, uint32_t owner,
                      struct lines_piece *out)
{
    /* With the Thumb bit in START, END may have it as well. */
    end = start % 2 == 1 ? end & ~UINT64_C(1) : end + end % 2;
    start &= ~UINT64_C(1);
    if (start > UINT32_MAX)
        return false;
    if (end > UINT32_MAX)
        end = UINT32_MAX;
    *out = (struct lines_piece){(uint32_t)start, (uint32_t)end, owner};
    return start < end;
}

bool lines_is_live(struct lines *lines, uint32_t start, Dwarf_Die *function)
{
    struct image_symbol symbol;

    if (start == 0) {
        if (!lines->has_function_at_0 || function == NULL)
            return lines->has_function_at_0;
        return lines_is_named(lines->image, 0,
                              lines_string(function, DW_AT_name),
                              lines_linkage(function));
    }
    return image_is_code(lines->image, start)
           || (image_find(lines->image, start, &symbol) == 0
               && symbol.kind == IMAGE_FUNCTION && symbol.start == start);
}

static int add_piece(struct walk *walk, struct lines_piece piece)
{
    struct lines_piece *pieces =
            lines_grow(walk->unit->pieces, walk->piece_count, sizeof *pieces);

    if (pieces == NULL)
        return MCUPROF_E_NOMEM;
    walk->unit->pieces = pieces;
    pieces[walk->piece_count++] = piece;
    return 0;
}

/* Append what ranges the current DIE has. */
static int read_pieces(struct walk *walk, uint32_t owner)
{
    Dwarf_Addr base = 0, start = 0, end = 0;
    ptrdiff_t offset = 0;

    while ((offset = dwarf_ranges(&walk->die, offset, &base, &start, &end))
           > 0) {
        struct lines_piece piece;

        if (walk->lines->budget == 0) {
            lines_note(walk->lines, LINES_TOO_MANY_RANGES,
                       lines_unit_name(walk->unit), "");
            return 0;
        }
        walk->lines->budget--;
        if (lines_piece_make(start, end, owner, &piece)
            && add_piece(walk, piece) < 0)
            return MCUPROF_E_NOMEM;
    }
    if (offset < 0)
        lines_note_damage(walk->lines, walk->unit);
    return 0;
}

static int compare_pieces(const void *left, const void *right)
{
    const struct lines_piece *a = left, *b = right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->end > b->end) - (a->end < b->end);
}

/* Sort the pieces from FIRST on and make them disjoint. */
static void tidy_pieces(struct walk *walk, size_t first)
{
    struct lines_piece *pieces = walk->unit->pieces;
    size_t kept = first;

    if (walk->piece_count - first < 2)
        return;
    qsort(pieces + first, walk->piece_count - first, sizeof *pieces,
          compare_pieces);
    for (size_t i = first + 1; i < walk->piece_count; i++)
        if (pieces[i].start >= pieces[kept].end)
            pieces[++kept] = pieces[i];
        else if (pieces[i].end > pieces[kept].end)
            pieces[kept].end = pieces[i].end;
    walk->piece_count = kept + 1;
}

static void drop_discarded(struct walk *walk, size_t first)
{
    struct lines_piece *pieces = walk->unit->pieces;
    size_t kept = first;

    for (size_t i = first; i < walk->piece_count; i++)
        if (lines_is_live(walk->lines, pieces[i].start, &walk->die))
            pieces[kept++] = pieces[i];
    walk->piece_count = kept;
}

/* Make the pieces from FIRST on a scope of the current DIE. */
static int add_scope(struct walk *walk, size_t first, uint32_t parent,
                     uint32_t entry)
{
    struct lines_unit *unit = walk->unit;
    struct lines_scope scope = {.die = walk->die.addr,
                                .parent = parent,
                                .first = (uint32_t)first,
                                .count = (uint32_t)(walk->piece_count - first),
                                .entry = entry};
    struct lines_scope *scopes =
            lines_grow(unit->scopes, unit->scope_count, sizeof *scopes);

    if (scopes == NULL)
        return MCUPROF_E_NOMEM;
    unit->scopes = scopes;
    if (walk->piece_count > UINT32_MAX)
        return MCUPROF_E_NOMEM;
    for (size_t i = first; i < walk->piece_count; i++)
        scope.size += unit->pieces[i].end - unit->pieces[i].start;
    if (parent != LINES_NONE)
        scope.depth = unit->scopes[parent].depth + 1;
    unit->scopes[unit->scope_count++] = scope;
    return 0;
}

/* Where the function of the current DIE begins; its pieces begin at FIRST. */
static uint32_t find_entry(struct walk *walk, size_t first)
{
    const struct lines_piece *pieces = walk->unit->pieces;
    Dwarf_Attribute attribute;
    Dwarf_Addr address;

    if (walk->piece_count - first > 1
        && dwarf_attr(&walk->die, DW_AT_entry_pc, &attribute) != NULL
        && dwarf_formaddr(&attribute, &address) == 0)
        for (size_t i = first; i < walk->piece_count; i++)
            if (pieces[i].start == (address & ~UINT64_C(1)))
                return pieces[i].start;
    /* The list of ranges begins with the part that is entered. */
    return pieces[first].start;
}

static int visit_function(struct walk *walk, uint32_t *scope)
{
    size_t first = walk->piece_count;
    uint32_t entry;
    int result;

    *scope = LINES_NONE;
    result = read_pieces(walk, (uint32_t)walk->unit->scope_count);
    if (result < 0 || walk->piece_count == first)
        return result;
    walk->unit->has_functions = true;
    drop_discarded(walk, first);
    if (walk->piece_count == first)
        return 0;
    if (walk->take != NULL) {
        for (size_t i = first; result == 0 && i < walk->piece_count; i++)
            result = walk->take(walk->context, walk->unit->pieces[i]);
        walk->piece_count = first;
        return result;
    }
    entry = find_entry(walk, first);
    tidy_pieces(walk, first);
    *scope = (uint32_t)walk->unit->scope_count;
    return add_scope(walk, first, LINES_NONE, entry);
}

/* Append what PIECE has in common with the pieces of scope PARENT. */
static int clip_piece(struct walk *walk, struct lines_piece piece,
                      uint32_t parent)
{
    struct lines_unit *unit = walk->unit;
    size_t low = unit->scopes[parent].first;
    size_t end = low + unit->scopes[parent].count, high = end;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (unit->pieces[middle].end <= piece.start)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < end && unit->pieces[low].start < piece.end; low++) {
        struct lines_piece part = piece;

        if (part.start < unit->pieces[low].start)
            part.start = unit->pieces[low].start;
        if (part.end > unit->pieces[low].end)
            part.end = unit->pieces[low].end;
        if (walk->lines->budget == 0)
            return 0;
        walk->lines->budget--;
        if (add_piece(walk, part) < 0)
            return MCUPROF_E_NOMEM;
    }
    return 0;
}

/* An inlined body, as far as it is within its parent. */
static int visit_inlined(struct walk *walk, uint32_t *scope)
{
    struct lines_unit *unit = walk->unit;
    size_t first = walk->piece_count, raw_end;
    uint32_t parent = *scope;
    int result;

    *scope = LINES_NONE;
    if (parent == LINES_NONE)
        return 0;
    if (unit->scopes[parent].depth >= DEPTH_MAX) {
        lines_note(walk->lines, LINES_TOO_DEEP, lines_unit_name(unit), "");
        return 0;
    }
    result = read_pieces(walk, (uint32_t)unit->scope_count);
    tidy_pieces(walk, first);
    raw_end = walk->piece_count;
    for (size_t i = first; result == 0 && i < raw_end; i++)
        result = clip_piece(walk, unit->pieces[i], parent);
    if (raw_end > first)
        memmove(unit->pieces + first, unit->pieces + raw_end,
                (walk->piece_count - raw_end) * sizeof *unit->pieces);
    walk->piece_count -= raw_end - first;
    if (result < 0 || walk->piece_count == first)
        return result;
    *scope = (uint32_t)unit->scope_count;
    return add_scope(walk, first, parent, 0);
}

/*
 * Read the current DIE, which is in SCOPE; SCOPE becomes what its children are
 * in.
 * returns 1 if they are wanted, 0 if not
 * errors: MCUPROF_E_NOMEM
 */
static int visit(struct walk *walk, uint32_t *scope)
{
    int result = 0;

    switch (dwarf_tag(&walk->die)) {
    case DW_TAG_subprogram:
        result = visit_function(walk, scope);
        /* Compilers that put functions into functions (Ada's, GNU C's) give
         * units exact ranges: no stray is there. */
        if (walk->take != NULL)
            return result;
        break;
    case DW_TAG_inlined_subroutine:
        result = visit_inlined(walk, scope);
        break;
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_with_stmt:
        break;
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_interface_type:
    case DW_TAG_enumeration_type: /* Rust's have methods */
        *scope = LINES_NONE;
        break;
    default:
        return 0;
    }
    return result < 0 ? result : 1;
}

/* Make the DIE at AT, of the unit that is walked, the current one. */
static void go_to(struct walk *walk, const uint8_t *at)
{
    char *unit = walk->unit->code.addr;

    walk->die = (Dwarf_Die){.addr = unit + (at - (const uint8_t *)unit),
                            .cu = walk->unit->code.cu};
}

/*
 * Go to the first child of the current DIE, which is in SCOPE.
 * returns 1; 0 if there is none; -1 for DWARF that makes no sense
 * errors: MCUPROF_E_NOMEM
 */
static int go_down(struct walk *walk, uint32_t scope)
{
    int result = dwarf_child(&walk->die, &walk->die);
    uint32_t *levels;

    if (result != 0)
        return result > 0 ? 0 : -1;
    levels = lines_grow(walk->levels, walk->level_count, sizeof *levels);
    if (levels == NULL)
        return MCUPROF_E_NOMEM;
    walk->levels = levels;
    levels[walk->level_count++] = scope;
    return 1;
}

/*
 * Go to the DIE behind the current one and all below it.
 * returns 1; 0 at the end of the unit; -1 for DWARF that makes no sense
 */
static int go_on(struct walk *walk)
{
    Dwarf_Die next = {0};
    int result = dwarf_siblingof(&walk->die, &next);
    const uint8_t *at = next.addr;

    if (result == 0)
        walk->die = next;
    if (result <= 0)
        return result == 0 ? 1 : -1;
    /* At a null entry, which ends the list of children; others may follow. */
    if (at == NULL)
        return 0;
    do {
        at++;
        walk->level_count--;
    } while (walk->level_count > 0 && at < walk->end && *at == 0);
    if (walk->level_count == 0 || at >= walk->end)
        return 0;
    go_to(walk, at);
    return 1;
}

/* The end of the section that DIE is in. */
static const uint8_t *find_end(const struct lines *lines, Dwarf_Die *die)
{
    const uint8_t *begin = (const uint8_t *)die->addr - dwarf_dieoffset(die);
    struct lines_section section = lines->info;
    Elf *elf;

    if (section.bytes != begin) {
        elf = dwarf_getelf(dwarf_cu_getdwarf(die->cu));
        section = lines_section_find(elf, ".debug_info.dwo");
        if (section.bytes != begin)
            section = lines_section_find(elf, ".debug_info");
    }
    return section.bytes == begin ? begin + section.size : die->addr;
}

static int walk_dies(struct walk *walk)
{
    int result;

    walk->die = walk->unit->code;
    walk->end = find_end(walk->lines, &walk->die);
    result = go_down(walk, LINES_NONE);
    while (result > 0) {
        uint32_t scope = walk->levels[walk->level_count - 1];

        result = walk->see != NULL
                         ? walk->see(walk->context, &walk->die, &scope)
                         : visit(walk, &scope);
        if (result > 0)
            result = go_down(walk, scope);
        if (result == 0)
            result = go_on(walk);
    }
    if (result == -1) {
        lines_note_damage(walk->lines, walk->unit);
        result = 0;
    }
    free(walk->levels);
    return result;
}

int lines_walk(struct lines *lines, struct lines_unit *unit)
{
    struct walk walk = {.lines = lines, .unit = unit};
    int result;

    if (unit->is_walked)
        return 0;
    unit->is_walked = true;
    result = lines_unit_find_code(lines, unit);
    if (result < 0 || unit->code.addr == NULL)
        return result;
    result = walk_dies(&walk);
    if (result == 0)
        result = lines_flatten(lines, unit, walk.piece_count);
    return result;
}

int lines_walk_functions(struct lines *lines, struct lines_unit *unit,
                         int (*take)(void *context, struct lines_piece piece),
                         void *context)
{
    /* Not UNIT, which keeps what a full walk finds. */
    struct lines_unit scratch = {0};
    struct walk walk = {
            .lines = lines, .unit = &scratch, .take = take, .context = context};
    int result = lines_unit_find_code(lines, unit);

    if (result < 0 || unit->code.addr == NULL)
        return result;
    scratch.die = unit->die;
    scratch.code = unit->code;
    scratch.is_damaged = unit->is_damaged;
    result = walk_dies(&walk);
    unit->has_functions = scratch.has_functions;
    unit->is_damaged = scratch.is_damaged;
    free(scratch.pieces);
    return result;
}

int lines_walk_nests(struct lines *lines, struct lines_unit *unit,
                     Dwarf_Die root,
                     int (*see)(void *context, Dwarf_Die *die, uint32_t *scope),
                     void *context)
{
    struct lines_unit scratch = {
            .die = unit->die, .code = root, .is_damaged = unit->is_damaged};
    struct walk walk = {
            .lines = lines, .unit = &scratch, .see = see, .context = context};
    int result = walk_dies(&walk);

    unit->is_damaged = scratch.is_damaged;
    return result;
}
