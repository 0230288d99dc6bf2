/* SPDX-License-Identifier: MIT */
#include "lines.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lines_parts.h"

enum {
    CHUNK_SIZE = 64 * 1024
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

int lines_grow(void *items, size_t *room, size_t count, size_t size)
{
    void *old, *larger;

    if (count < *room)
        return 0;
    if (*room > SIZE_MAX / 4 / size)
        return MCUPROF_E_NOMEM;
    memcpy(&old, items, sizeof old);
    larger = realloc(old, (*room > 0 ? 2 * *room : 16) * size);
    if (larger == NULL)
        return MCUPROF_E_NOMEM;
    memcpy(items, &larger, sizeof larger);
    *room = *room > 0 ? 2 * *room : 16;
    return 0;
}

void lines_note(struct lines *lines, enum lines_trouble trouble,
                const char *where, const char *what)
{
    struct lines_note *note = &lines->notes[trouble];

    if (note->count++ == 0) {
        note->where = where;
        note->what = what != NULL ? what : "";
    }
}

static void open_dwarf(struct lines *lines)
{
    const char *path = image_debug_path(lines->image);

    lines->file = open(path, O_RDONLY | O_CLOEXEC);
    if (lines->file < 0 || elf_version(EV_CURRENT) == EV_NONE)
        return;
    lines->elf = elf_begin(lines->file, ELF_C_READ_MMAP, NULL);
    if (lines->elf == NULL)
        return;
    lines->dwarf = dwarf_begin_elf(lines->elf, DWARF_C_READ, NULL);
    if (lines->dwarf == NULL)
        return;
    lines->info = lines_section_find(lines->elf, ".debug_info");
    lines->sections = (struct lines_sections){
            .line = lines_section_find(lines->elf, ".debug_line"),
            .line_str = lines_section_find(lines->elf, ".debug_line_str"),
            .str = lines_section_find(lines->elf, ".debug_str")};
    if (lines->info.size == 0) {
        dwarf_end(lines->dwarf);
        lines->dwarf = NULL;
    }
}

int lines_open(struct lines **out, const struct image *image)
{
    struct lines *lines = calloc(1, sizeof *lines);
    struct image_symbol symbol;

    if (lines == NULL)
        return MCUPROF_E_NOMEM;
    lines->image = image;
    open_dwarf(lines);
    lines->has_function_at_0 = image_find(image, 0, &symbol) == 0
                               && symbol.kind == IMAGE_FUNCTION
                               && symbol.start == 0;
    lines->budget = 1U << 24;
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

bool lines_exist(const struct lines *lines)
{
    return lines->dwarf != NULL;
}

/*
 * Choose among the units that claim ADDRESS: the best function, else the first
 * line.
 */
static int choose(struct lines *lines, const struct lines_claims *claims,
                  uint32_t address, struct lines_hit *hit)
{
    const struct lines_piece *found[LINES_CLAIMANTS_MAX];
    size_t count = lines_claims_find(claims, address, found);

    if (count == LINES_CLAIMANTS_MAX)
        lines_note(lines, LINES_TOO_MANY_CLAIMS, "", "");
    for (size_t i = 0; i < count; i++) {
        struct lines_unit *unit = lines->units[found[i]->owner];
        uint32_t scope;

        if (lines_walk(lines, unit) < 0)
            return MCUPROF_E_NOMEM;
        scope = lines_scope_at(unit, address);
        if (scope == LINES_NONE || unit == hit->unit)
            continue;
        if (hit->unit == NULL
            || lines_is_better(lines, unit, lines_root(unit, scope), hit->unit,
                               lines_root(hit->unit, hit->scope)))
            *hit = (struct lines_hit){.unit = unit, .scope = scope};
    }
    for (size_t i = 0; i < count; i++) {
        struct lines_unit *unit = lines->units[found[i]->owner];
        const struct lines_row *row;

        if (hit->scope != LINES_NONE)
            unit = hit->unit;
        if (lines_unit_table(lines, unit) < 0)
            return MCUPROF_E_NOMEM;
        row = lines_table_find(&unit->table, address);
        if (row != NULL
            && (hit->unit == NULL || hit->scope != LINES_NONE
                || unit->number < hit->unit->number)) {
            hit->unit = unit;
            hit->row = row;
        }
        if (hit->scope != LINES_NONE)
            break;
    }
    return 0;
}

int lines_find(struct lines *lines, uint32_t address, struct lines_place *out)
{
    struct lines_hit hit = {.scope = LINES_NONE};
    int result;

    *out = (struct lines_place){0};
    if (lines->dwarf == NULL)
        return 0;
    address &= ~1U;
    result = lines_units_read(lines);
    if (result == 0)
        result = choose(lines, &lines->claims, address, &hit);
    if (result == 0 && hit.unit == NULL) {
        result = lines_strays_read(lines);
        if (result == 0)
            result = choose(lines, &lines->strays, address, &hit);
    }
    if (result == 0 && hit.unit != NULL)
        result = lines_frames(lines, &hit, address, out);
    return result;
}

bool lines_problem(const struct lines *lines, struct error *out)
{
    (void)lines;
    (void)out;
    return false;
}
