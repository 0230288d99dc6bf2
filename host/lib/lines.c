/* SPDX-License-Identifier: MIT */
#include "lines.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lines_parts.h"

enum {
    CHUNK_SIZE = 64 * 1024,
    BUDGET_BASE = 1024 * 1024,
    SPLIT_BUDGET = 1024 * 1024 * 1024
};

struct lines_chunk {
    struct lines_chunk *next;
    size_t used;
    _Alignas(max_align_t) char bytes[];
};

void *lines_allocate(struct lines *lines, size_t size)
{
    struct lines_chunk *chunk = lines->chunks;
    size_t room = size > CHUNK_SIZE ? size : CHUNK_SIZE;

    size = (size + 15) / 16 * 16;
    if (chunk == NULL || size > CHUNK_SIZE || CHUNK_SIZE - chunk->used < size) {
        chunk = calloc(1, sizeof *chunk + room + 16);
        if (chunk == NULL)
            return NULL;
        chunk->next = lines->chunks;
        lines->chunks = chunk;
    }
    chunk->used += size;
    return chunk->bytes + chunk->used - size;
}

/*
 * Every range takes two bytes at least and is read at most twice, once for
 * strays, and then clipped. More than that are lists that many DIEs share, as
 * no compiler makes them, but whoever wants memory to run out.
 */
void lines_budget_add(struct lines *lines, Elf *elf)
{
    static const char *const names[] = {
            ".debug_info",     ".debug_ranges",     ".debug_rnglists",
            ".debug_info.dwo", ".debug_ranges.dwo", ".debug_rnglists.dwo"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        lines->budget += lines_section_find(elf, names[i]).size;
}

static void open_dwarf(struct lines *lines)
{
    const char *path = image_debug_path(lines->image);
    const char *what;

    lines->file = open(path, O_RDONLY | O_CLOEXEC);
    if (lines->file < 0 || elf_version(EV_CURRENT) == EV_NONE)
        return;
    lines->elf = elf_begin(lines->file, ELF_C_READ_MMAP, NULL);
    if (lines->elf == NULL)
        return;
    what = lines_check_file(lines->elf);
    if (what == NULL)
        lines->dwarf = dwarf_begin_elf(lines->elf, DWARF_C_READ, NULL);
    else
        lines_note(lines,
                   lines_is_shared(lines->elf) ? LINES_FILE_SHARED
                                               : LINES_FILE_UNREADABLE,
                   "", what);
    lines->info = lines_section_find(lines->elf, ".debug_info");
    lines->sections = (struct lines_sections){
            .line = lines_section_find(lines->elf, ".debug_line"),
            .line_str = lines_section_find(lines->elf, ".debug_line_str"),
            .str = lines_section_find(lines->elf, ".debug_str")};
    lines_budget_add(lines, lines->elf);
}

int lines_open(struct lines **out, const struct image *image)
{
    struct lines *lines = calloc(1, sizeof *lines);
    struct image_symbol symbol;

    if (lines == NULL)
        return MCUPROF_E_NOMEM;
    lines->image = image;
    lines->has_function_at_0 = image_find(image, 0, &symbol) == 0
                               && symbol.kind == IMAGE_FUNCTION
                               && symbol.start == 0;
    lines->budget = BUDGET_BASE;
    lines->split_budget = SPLIT_BUDGET;
    open_dwarf(lines);
    *out = lines;
    return 0;
}

static void free_units(struct lines *lines)
{
    for (size_t i = 0; i < lines->unit_count; i++) {
        struct lines_unit *unit = lines->units[i];

        lines_table_free(&unit->table);
        free(unit->scopes);
        free(unit->pieces);
        free(unit->ranges);
        free(unit->nests);
    }
    free(lines->units);
}

void lines_free(struct lines *lines)
{
    if (lines == NULL)
        return;
    free_units(lines);
    lines_claims_free(&lines->claims);
    lines_claims_free(&lines->strays);
    lines_map_free(&lines->units_by_cu);
    lines_map_free(&lines->functions);
    lines_map_free(&lines->frames);
    while (lines->chunks != NULL) {
        struct lines_chunk *chunk = lines->chunks;

        lines->chunks = chunk->next;
        free(chunk);
    }
    dwarf_end(lines->dwarf);
    elf_end(lines->elf);
    if (lines->file >= 0)
        close(lines->file);
    free(lines);
}

const char *lines_frame_name(const struct lines_frame *frame)
{
    return frame->linkage[0] != '\0' ? frame->linkage : frame->name;
}

bool lines_exist(const struct lines *lines)
{
    return lines->info.size > 0;
}

static int compare_owners(const void *left, const void *right)
{
    const struct lines_piece *a = *(const struct lines_piece *const *)left;
    const struct lines_piece *b = *(const struct lines_piece *const *)right;

    return (a->owner > b->owner) - (a->owner < b->owner);
}

/* The best function at ADDRESS in the units of CLAIMS. */
static int choose_function(struct lines *lines,
                           const struct lines_piece *const *claims,
                           size_t count, uint32_t address,
                           struct lines_hit *hit)
{
    for (size_t i = 0; i < count; i++) {
        struct lines_unit *unit = lines->units[claims[i]->owner];
        uint32_t scope;

        if (lines_walk(lines, unit) < 0)
            return MCUPROF_E_NOMEM;
        scope = lines_scope_at(unit, address);
        if (scope == LINES_NONE
            || (hit->unit != NULL
                && !lines_is_better(lines, unit, lines_root(unit, scope),
                                    hit->unit,
                                    lines_root(hit->unit, hit->scope))))
            continue;
        *hit = (struct lines_hit){.unit = unit, .scope = scope};
        /* Of those as good as that, the first counts. An inline function has
         * one in every unit that includes it. */
        if (lines_match(lines, unit, lines_root(unit, scope))
            == LINES_MATCH_SIZE)
            return 0;
    }
    if (count == LINES_CLAIMANTS_MAX
        && (hit->unit == NULL
            || lines_match(lines, hit->unit, lines_root(hit->unit, hit->scope))
                       == LINES_MATCH_NONE))
        lines_note(lines, LINES_TOO_MANY_CLAIMS, "", "");
    return 0;
}

/* The row for ADDRESS in the unit of its function, else in the first one of
 * CLAIMS that has one. */
static int choose_row(struct lines *lines,
                      const struct lines_piece *const *claims, size_t count,
                      uint32_t address, struct lines_hit *hit)
{
    bool has_function = hit->unit != NULL;

    for (size_t i = 0; i < count && hit->row == NULL; i++) {
        struct lines_unit *unit =
                has_function ? hit->unit : lines->units[claims[i]->owner];

        if (lines_unit_table(lines, unit) < 0)
            return MCUPROF_E_NOMEM;
        hit->row = lines_table_find(&unit->table, address);
        if (hit->row != NULL)
            hit->unit = unit;
        if (has_function)
            break;
    }
    return 0;
}

/* Find ADDRESS in the units that claim it. */
static int choose(struct lines *lines, const struct lines_claims *claims,
                  uint32_t address, struct lines_hit *hit)
{
    const struct lines_piece *found[LINES_CLAIMANTS_MAX];
    size_t count = lines_claims_find(claims, address, found);
    int result;

    if (count > 1)
        qsort(found, count, sizeof(void *), compare_owners);
    result = choose_function(lines, found, count, address, hit);
    if (result == 0)
        result = choose_row(lines, found, count, address, hit);
    return result;
}

int lines_find(struct lines *lines, uint32_t address, struct lines_place *out)
{
    struct lines_hit hit = {.scope = LINES_NONE};
    int result;

    *out = (struct lines_place){0};
    if (lines->info.size == 0)
        return 0;
    address &= ~1U;
    result = lines_units_read(lines);
    if (result == 0)
        result = choose(lines, &lines->claims, address, &hit);
    if (result == 0 && hit.scope == LINES_NONE) {
        struct lines_hit stray = {.scope = LINES_NONE};

        result = lines_strays_read(lines);
        if (result == 0)
            result = choose(lines, &lines->strays, address, &stray);
        if (stray.scope != LINES_NONE || hit.unit == NULL)
            hit = stray;
    }
    if (result == 0 && hit.unit != NULL)
        result = lines_frames(lines, &hit, address, out);
    return result;
}
