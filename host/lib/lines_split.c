/* SPDX-License-Identifier: MIT */
/* For realpath. NOLINTNEXTLINE(bugprone-reserved-identifier) */
#define _XOPEN_SOURCE 700

#include <dwarf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lines_parts.h"

/*
 * Split units: the ELF has a skeleton, the functions are in a .dwo file. libdw
 * looks for it beside the ELF, then in the compilation directory, and reads
 * whatever is there: be it a pipe, for whose other end it would wait, or a
 * file that fills the memory. So both places are looked at before it may, and
 * it may only where it finds what it looks for.
 */

/* What a file and a unit of it take of lines->split_budget, about: as libdw
 * will read it again, twice the memory. */
enum {
    FILE_COST = 8192,
    UNIT_COST = 512
};

enum split {
    SPLIT_RIGHT,
    SPLIT_ABSENT,
    SPLIT_STALE, /* without the unit: of another build */
    SPLIT_UNREADABLE
};

/* Look for the split unit of ID in ELF. */
static enum split look_into(struct lines *lines, Elf *elf, uint64_t id)
{
    enum split found = SPLIT_STALE;
    uint64_t cost, found_id = 0;
    Dwarf *dwarf;
    Dwarf_CU *cu = NULL;
    uint8_t type = 0;

    if (elf32_getehdr(elf) == NULL || lines_check_file(elf) != NULL)
        return SPLIT_UNREADABLE;
    dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
    if (dwarf == NULL)
        return SPLIT_UNREADABLE;
    cost = FILE_COST + 2 * lines_inflated_size(elf);
    while (found != SPLIT_RIGHT && cost <= lines->split_budget
           && dwarf_get_units(dwarf, cu, &cu, NULL, NULL, NULL, NULL) == 0) {
        cost += UNIT_COST;
        if (dwarf_cu_info(cu, NULL, &type, NULL, NULL, &found_id, NULL, NULL)
                    == 0
            && type == DW_UT_split_compile && found_id == id)
            found = SPLIT_RIGHT;
    }
    (void)dwarf_end(dwarf);
    if (cost > lines->split_budget) {
        lines->split_budget = 0;
        return SPLIT_UNREADABLE;
    }
    lines->split_budget -= cost;
    return found;
}

/* Look for the split unit of ID in the file at PATH; NULL is none. */
static enum split look_at(struct lines *lines, const char *path, uint64_t id)
{
    enum split found = SPLIT_UNREADABLE;
    struct stat status;
    int file;

    if (path == NULL || stat(path, &status) != 0)
        return SPLIT_ABSENT;
    if (!S_ISREG(status.st_mode))
        return SPLIT_UNREADABLE;
    file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file >= 0) {
        Elf *elf = elf_begin(file, ELF_C_READ_MMAP, NULL);

        if (elf != NULL)
            found = look_into(lines, elf, id);
        elf_end(elf);
        (void)close(file);
    }
    return found;
}

/* PATH as libdw understands it, from DIRECTORY on; NULL without memory. */
static char *join(const char *directory, const char *path)
{
    size_t size = strlen(directory) + 1 + strlen(path) + 1;
    char *joined = path[0] == '/' ? strdup(path) : malloc(size);

    if (path[0] != '/' && joined != NULL)
        (void)snprintf(joined, size, "%s/%s", directory, path);
    return joined;
}

/* Look for the split unit of ID, in the file NAME, where libdw does. */
static enum split look_for(struct lines *lines, Dwarf_Die *skeleton,
                           const char *name, uint64_t id)
{
    const char *comp_dir = lines_string(skeleton, DW_AT_comp_dir);
    char *beside = realpath(image_debug_path(lines->image), NULL);
    char *slash = beside != NULL ? strrchr(beside, '/') : NULL;
    char *path, *base;
    enum split found, second;

    if (slash == NULL) {
        free(beside);
        return SPLIT_ABSENT;
    }
    *slash = '\0';
    path = join(beside, name);
    found = look_at(lines, path, id);
    free(path);
    if (comp_dir[0] != '\0' && name[0] != '/'
        && (found == SPLIT_ABSENT || found == SPLIT_STALE)) {
        base = join(beside, comp_dir);
        path = base != NULL ? join(base, name) : NULL;
        second = look_at(lines, path, id);
        if (found == SPLIT_ABSENT || second == SPLIT_RIGHT)
            found = second;
        free(base);
        free(path);
    }
    free(beside);
    return found;
}

static enum lines_trouble trouble_of(enum split found)
{
    switch (found) {
    case SPLIT_STALE:
        return LINES_SPLIT_STALE;
    case SPLIT_ABSENT:
        return LINES_SPLIT_MISSING;
    case SPLIT_RIGHT:
    case SPLIT_UNREADABLE:
        break;
    }
    return LINES_SPLIT_UNREADABLE;
}

int lines_unit_find_code(struct lines *lines, struct lines_unit *unit)
{
    const char *name;
    Dwarf_Die code = {0};
    uint64_t id = 0;
    uint8_t type = 0;
    enum split found;

    if (unit->code.addr != NULL || unit->is_sought)
        return 0;
    unit->is_sought = true;
    /* One that only names types has no code. */
    if (dwarf_cu_info(unit->die.cu, NULL, &type, NULL, NULL, &id, NULL, NULL)
                != 0
        || type != DW_UT_skeleton)
        return 0;
    name = lines_string(&unit->die, DW_AT_dwo_name);
    if (name[0] == '\0')
        name = lines_string(&unit->die, DW_AT_GNU_dwo_name);
    found = look_for(lines, &unit->die, name, id);
    if (found == SPLIT_RIGHT
        && dwarf_cu_info(unit->die.cu, NULL, NULL, NULL, &code, NULL, NULL,
                         NULL)
                   == 0
        && code.addr != NULL) {
        unit->code = code;
        lines_budget_add(lines, dwarf_getelf(dwarf_cu_getdwarf(code.cu)));
        return lines_map_put(&lines->units_by_cu, code.cu, NULL, unit);
    }
    lines_note(lines, trouble_of(found), name, "");
    return 0;
}
