/* SPDX-License-Identifier: MIT */
#include <dwarf.h>
#include <string.h>

#include "lines_parts.h"

/* A DIE is a copy of a copy at most a few times; a cycle is one for ever. */
enum {
    COPIES_MAX = 16
};

/* Not in elfutils 0.188. source: gcc, include/dwarf2.def */
enum {
    GNU_DISCRIMINATOR = 0x2136
};

const char *lines_string(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    const char *string;

    if (dwarf_attr_integrate(die, name, &attribute) == NULL)
        return "";
    string = dwarf_formstring(&attribute);
    return string != NULL ? string : "";
}

const char *lines_linkage(Dwarf_Die *die)
{
    const char *name = lines_string(die, DW_AT_linkage_name);

    return name[0] != '\0' ? name : lines_string(die, DW_AT_MIPS_linkage_name);
}

bool lines_is_named(const struct image *image, uint32_t address,
                    const char *name, const char *linkage)
{
    return (name[0] != '\0' && image_has_function(image, name, address))
           || (linkage[0] != '\0' ? image_has_function(image, linkage, address)
                                  : image_has_mangled(image, name, address));
}

/* The number in ATTRIBUTE, which may be NULL; 0 if there is none, or one that
 * does not fit. */
static uint32_t read_number(Dwarf_Attribute *attribute)
{
    Dwarf_Word value;

    if (dwarf_formudata(attribute, &value) != 0 || value > UINT32_MAX)
        return 0;
    return (uint32_t)value;
}

static uint32_t get_number(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;

    return read_number(dwarf_attr(die, name, &attribute));
}

/*
 * The file that ATTRIBUTE, a decl_file or call_file or NULL, gives the number
 * of; "" if there is none. Before version 5, 0 says so: what the table has
 * there is for its rows.
 */
static const char *read_file(const struct lines_table *table,
                             Dwarf_Attribute *attribute)
{
    Dwarf_Word value;

    if (dwarf_formudata(attribute, &value) != 0 || value > UINT32_MAX
        || (value == 0 && table->version < 5))
        return "";
    return lines_table_file(table, (uint32_t)value);
}

/*
 * Line tables. Which sequences are live:
 */

struct choice {
    struct lines *lines;
    size_t next; /* sequence that is to be asked about */
    size_t at_0; /* the one at 0 that is live; SIZE_MAX if none is */
};

static bool keep_sequence(void *context, uint32_t start, uint32_t end)
{
    struct choice *choice = context;
    size_t number = choice->next++;

    (void)end;
    return start == 0 ? number == choice->at_0
                      : lines_is_live(choice->lines, start, NULL);
}

/*
 * Where the function at 0 ends that UNIT has lines for, and the line it is
 * declared in; 0 if it has none.
 */
static uint32_t end_at_0(const struct lines *lines,
                         const struct lines_unit *unit, uint32_t *line)
{
    struct image_symbol symbol;
    uint32_t scope;

    *line = 0;
    if (!lines->has_function_at_0)
        return 0;
    scope = lines_scope_at(unit, 0);
    if (scope != LINES_NONE) {
        const struct lines_scope *root = &unit->scopes[lines_root(unit, scope)];
        Dwarf_Die die = {.addr = root->die, .cu = unit->code.cu};
        Dwarf_Attribute attribute;

        *line = read_number(
                dwarf_attr_integrate(&die, DW_AT_decl_line, &attribute));
        return unit->pieces[root->first].end;
    }
    /* Of assembler the debug info may know no functions. */
    if (unit->has_functions || image_find(lines->image, 0, &symbol) < 0)
        return 0;
    return symbol.size > 0 ? symbol.size : 2;
}

static uint32_t distance(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

/*
 * Whether sequence A rather than B, both at 0, is that of the function that
 * ends at END and is declared in LINE: it reaches there, or beyond if it has
 * other functions as well, and begins at or near the line.
 */
static bool fits_better(const struct lines_table *table,
                        const struct lines_sequence *a,
                        const struct lines_sequence *b, uint32_t end,
                        uint32_t line)
{
    if ((a->end < end) != (b->end < end))
        return a->end >= end;
    if (a->end != b->end)
        return distance(a->end, end) < distance(b->end, end);
    return distance(table->rows[a->first].line, line)
           < distance(table->rows[b->first].line, line);
}

/* The sequence at 0 that was not discarded; SIZE_MAX if there is none. */
static size_t choose_at_0(const struct lines_table *table, uint32_t end,
                          uint32_t line)
{
    const struct lines_sequence *sequences = table->sequences;
    size_t best = SIZE_MAX;

    for (size_t i = 0; end > 0 && i < table->sequence_count; i++)
        if (sequences[i].start == 0
            && (best == SIZE_MAX
                || fits_better(table, &sequences[i], &sequences[best], end,
                               line)))
            best = i;
    return best;
}

static struct lines_sections find_sections(const struct lines *lines,
                                           Dwarf_CU *cu)
{
    Elf *elf = dwarf_getelf(dwarf_cu_getdwarf(cu));

    if (elf == lines->elf)
        return lines->sections;
    return (struct lines_sections){
            .line = lines_section_find(elf, ".debug_line"),
            .line_str = lines_section_find(elf, ".debug_line_str"),
            .str = lines_section_find(elf, ".debug_str")};
}

int lines_unit_table(struct lines *lines, struct lines_unit *unit)
{
    struct choice choice = {.lines = lines};
    struct lines_sections sections;
    const char *problem = NULL;
    Dwarf_Attribute attribute;
    Dwarf_Word offset;
    uint32_t end, line;
    int result;

    if (unit->is_table_read)
        return 0;
    /* The functions say which sequence at 0 is live, even if another unit has
     * only asked for the name of a file. */
    if (lines->has_function_at_0 && lines_walk(lines, unit) < 0)
        return MCUPROF_E_NOMEM;
    unit->is_table_read = true;
    if (dwarf_attr(&unit->die, DW_AT_stmt_list, &attribute) == NULL)
        return 0;
    sections = find_sections(lines, unit->die.cu);
    if (dwarf_formudata(&attribute, &offset) != 0)
        offset = sections.line.size;
    result = lines_table_read(&unit->table, &sections, offset,
                              lines_string(&unit->die, DW_AT_comp_dir),
                              lines_unit_name(unit), &problem);
    if (problem != NULL)
        lines_note(lines, LINES_TABLE_DAMAGED, lines_unit_name(unit), problem);
    if (result < 0)
        return result == MCUPROF_E_NOMEM ? result : 0;
    end = end_at_0(lines, unit, &line);
    choice.at_0 = choose_at_0(&unit->table, end, line);
    lines_table_filter(&unit->table, keep_sequence, &choice);
    return 0;
}

/*
 * Frames.
 */

/* The function that DIE is a copy of: itself, or what it was inlined or
 * cloned from. */
static Dwarf_Die find_origin(Dwarf_Die die)
{
    Dwarf_Attribute attribute;
    Dwarf_Die origin;

    for (int i = 0; i < COPIES_MAX; i++) {
        if (dwarf_attr(&die, DW_AT_abstract_origin, &attribute) == NULL
            || dwarf_formref_die(&attribute, &origin) == NULL)
            break;
        die = origin;
    }
    return die;
}

int lines_declaration(struct lines *lines, Dwarf_Die *origin,
                      struct lines_function *function)
{
    struct lines_unit *unit;
    Dwarf_Attribute attribute;
    int result;

    function->file = "";
    function->line = read_number(
            dwarf_attr_integrate(origin, DW_AT_decl_line, &attribute));
    if (dwarf_attr_integrate(origin, DW_AT_decl_file, &attribute) == NULL)
        return 0;
    result = lines_unit_of(lines, attribute.cu, &unit);
    if (result < 0 || unit == NULL)
        return result;
    result = lines_unit_table(lines, unit);
    if (result == 0)
        function->file = read_file(&unit->table, &attribute);
    return result;
}

static int find_function(struct lines *lines, struct lines_unit *unit,
                         struct lines_scope *scope)
{
    Dwarf_Die die = {.addr = scope->die, .cu = unit->code.cu};
    Dwarf_Die origin = find_origin(die);
    struct lines_function *function;
    int result;

    scope->function = lines_map_get(&lines->functions, origin.addr, NULL);
    if (scope->function != NULL)
        return 0;
    function = lines_allocate(lines, sizeof *function);
    if (function == NULL)
        return MCUPROF_E_NOMEM;
    function->name = lines_string(&origin, DW_AT_name);
    function->linkage = lines_linkage(&origin);
    function->origin = origin.addr;
    if (function->name[0] == '\0')
        function->name = function->linkage;
    result = lines_declaration(lines, &origin, function);
    if (result == 0)
        result = lines_declare_by_class(lines, &origin, function);
    if (result == 0)
        result = lines_qualify(lines, &origin, function);
    if (result == 0)
        result = lines_map_put(&lines->functions, origin.addr, NULL, function);
    if (result == 0)
        scope->function = function;
    return result;
}

/* Name SCOPE and all it is inlined into; COUNT is how many have a name. */
static int name_scopes(struct lines *lines, struct lines_unit *unit,
                       uint32_t scope, size_t *count)
{
    *count = 0;
    while (scope != LINES_NONE) {
        struct lines_scope *at = &unit->scopes[scope];

        if (at->function == NULL && find_function(lines, unit, at) < 0)
            return MCUPROF_E_NOMEM;
        if (at->function->name[0] != '\0')
            ++*count;
        scope = at->parent;
    }
    return 0;
}

static struct lines_frame frame_of_row(const struct lines_hit *hit)
{
    struct lines_frame frame = {.name = "",
                                .qualified = "",
                                .linkage = "",
                                .file = "",
                                .declared_file = ""};

    if (hit->row != NULL) {
        frame.file = lines_table_file(&hit->unit->table, hit->row->file);
        frame.line = hit->row->line;
        frame.column = hit->row->column;
        frame.discriminator = hit->row->discriminator;
    }
    return frame;
}

/* Let PLACE be where SCOPE was inlined to. */
static void go_to_call(const struct lines_unit *unit,
                       const struct lines_scope *scope,
                       struct lines_frame *place)
{
    Dwarf_Die die = {.addr = scope->die, .cu = unit->code.cu};
    Dwarf_Attribute file;

    place->file =
            read_file(&unit->table, dwarf_attr(&die, DW_AT_call_file, &file));
    place->line = get_number(&die, DW_AT_call_line);
    place->column = get_number(&die, DW_AT_call_column);
    place->discriminator = get_number(&die, GNU_DISCRIMINATOR);
}

/* Fill the frames from the innermost scope out. Without a name, a body is as
 * good as part of what it is inlined into. */
static void fill_frames(const struct lines_hit *hit, struct lines_frame *frames)
{
    const struct lines_unit *unit = hit->unit;
    struct lines_frame place = frame_of_row(hit);
    uint32_t scope = hit->scope;

    while (scope != LINES_NONE) {
        const struct lines_scope *at = &unit->scopes[scope];

        if (at->function->name[0] != '\0') {
            *frames = place;
            frames->name = at->function->name;
            frames->qualified = at->function->qualified;
            frames->linkage = at->function->linkage;
            frames->declared_file = at->function->file;
            frames->declared_line = at->function->line;
            frames->origin = at->function->origin;
            frames->has_scopes = at->function->has_scopes;
            frames->is_inlined = at->parent != LINES_NONE;
            frames++;
        }
        if (at->parent != LINES_NONE)
            go_to_call(unit, at, &place);
        scope = at->parent;
    }
}

/* The piece of the function in memory that holds ADDRESS gives the bounds. */
static void set_bounds(const struct lines_unit *unit, uint32_t scope,
                       uint32_t address, struct lines_place *out)
{
    const struct lines_scope *root = &unit->scopes[lines_root(unit, scope)];
    const struct lines_piece *piece = &unit->pieces[root->first];
    size_t low = 0, high = root->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (piece[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    out->start = root->entry;
    out->end = piece[low].end;
}

/* Find or make the frames of HIT. */
static int get_frames(struct lines *lines, const struct lines_hit *hit,
                      size_t count, struct lines_frame **out)
{
    bool has_scope = hit->scope != LINES_NONE;
    const void *key = has_scope ? (const void *)&hit->unit->scopes[hit->scope]
                                : (const void *)hit->unit;
    struct lines_frame *frames = lines_map_get(&lines->frames, key, hit->row);

    *out = frames;
    if (frames != NULL)
        return 0;
    frames = lines_allocate(lines, count * sizeof *frames);
    if (frames == NULL)
        return MCUPROF_E_NOMEM;
    if (has_scope)
        fill_frames(hit, frames);
    else
        *frames = frame_of_row(hit);
    *out = frames;
    return lines_map_put(&lines->frames, key, hit->row, frames);
}

int lines_frames(struct lines *lines, const struct lines_hit *hit,
                 uint32_t address, struct lines_place *out)
{
    struct lines_hit named = *hit;
    struct lines_frame *frames;
    size_t count = 1;
    uint32_t root;
    int result = 0;

    if (named.scope != LINES_NONE) {
        root = lines_root(named.unit, named.scope);
        result = name_scopes(lines, named.unit, named.scope, &count);
        if (result == 0 && named.unit->scopes[root].function->name[0] == '\0') {
            named.scope = LINES_NONE;
            count = 1;
        }
    }
    if (result < 0 || (named.scope == LINES_NONE && named.row == NULL))
        return result;
    result = get_frames(lines, &named, count, &frames);
    if (result < 0)
        return result;
    out->frames = frames;
    out->frame_count = count;
    if (named.scope != LINES_NONE)
        set_bounds(named.unit, named.scope, address, out);
    return 0;
}
