/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_TESTS_SELECT_RIG_H
#define MCUPROF_TESTS_SELECT_RIG_H

/*
 * fixtures/select_work.c as many tools make it, and patches of its hooks'
 * calls as objdump sees them.
 */

#include "arm_fixture.h"
#include "elf_select.h"

#include <inttypes.h>
#include <sys/stat.h>

enum {
    RIG_PATCHES = 200
};

struct rig {
    char directory[PATH_SIZE];
    char in[PATH_SIZE]; /* fw.elf */
    char out[PATH_SIZE];
    char back[PATH_SIZE];
    struct elf_patch patches[RIG_PATCHES]; /* of all calls of hooks */
    size_t count;
};

static inline void rig_begin(struct rig *rig)
{
    fixture_begin(rig->directory);
    fixture_path(rig->in, rig->directory, "fw.elf");
    fixture_path(rig->out, rig->directory, "out.elf");
    fixture_path(rig->back, rig->directory, "back.elf");
}

/* gcc and GNU ld; two more arguments, which may be "-g". */
static inline void rig_build(struct rig *rig, const char *level,
                             const char *build_id, const char *more,
                             const char *most)
{
    run_tool(NULL, "arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", level,
             "-g", "-ffreestanding", "-nostdlib", "-finstrument-functions",
             "-fno-unwind-tables", "-fno-exceptions", more, most, build_id,
             "-Wl,-z,noexecstack,--no-warn-rwx-segments", "-T",
             FIXTURES "select_work.ld", FIXTURES "select_work.c", "-o", rig->in,
             NULL);
}

/* "  8000010:	f7ff fffe 	bl	8000000 <__cyg_profile_func_enter>" */
static inline bool rig_parse(const char *line, struct elf_patch *patch)
{
    static const uint8_t nop[4] = {0xAF, 0xF3, 0x00, 0x80};
    static const uint8_t leave[4] = {0x70, 0x47, 0x00, 0xBF};
    const char *tab = strchr(line, '\t');
    unsigned first, second;

    if (strstr(line, "<__") == NULL
        || strstr(line, "__cyg_profile_func_") == NULL || tab == NULL
        || sscanf(line, " %" SCNx32 ":", &patch->address) != 1
        || sscanf(tab, "%4x %4x", &first, &second) != 2)
        return false;
    tab = strchr(tab + 1, '\t');
    if (tab == NULL || tab[1] != 'b')
        return false;
    patch->size = 4;
    patch->before[0] = (uint8_t)first;
    patch->before[1] = (uint8_t)(first >> 8);
    patch->before[2] = (uint8_t)second;
    patch->before[3] = (uint8_t)(second >> 8);
    memcpy(patch->after, tab[2] == 'l' ? nop : leave, 4);
    return true;
}

static inline void rig_find(struct rig *rig)
{
    char list[PATH_SIZE], line[256];
    FILE *file;

    fixture_path(list, rig->directory, "objdump.txt");
    run_tool(list, "arm-none-eabi-objdump", "-d", rig->in, NULL);
    file = fopen(list, "r");
    assert_non_null(file);
    rig->count = 0;
    while (fgets(line, sizeof line, file) != NULL)
        if (rig_parse(line, &rig->patches[rig->count]))
            assert_in_range(++rig->count, 1, RIG_PATCHES - 1);
    (void)fclose(file);
    assert_in_range(rig->count, 4, RIG_PATCHES);
}

/* Select COUNT patches, as if that were all that was asked for. */
static inline void rig_select(struct rig *rig, const char *in, const char *out,
                              size_t count)
{
    const struct select_summary summary = {
            .functions = 5,
            .functions_kept = 3,
            .sites = (uint32_t)rig->count,
            .sites_kept = (uint32_t)(rig->count - count),
            .rules = "--drop twice"};
    struct error error = {0};

    if (elf_select_write(in, out, rig->patches, count, &summary, &error) != 0)
        fail_msg("%s", error.cause);
}

static inline void rig_restore(const char *in, const char *out)
{
    struct error error = {0};

    if (elf_select_restore(in, out, &error) != 0)
        fail_msg("%s", error.cause);
}

static inline void rig_same(const char *left, const char *right)
{
    size_t left_size, right_size;
    uint8_t *a = file_read(left, &left_size);
    uint8_t *b = file_read(right, &right_size);

    assert_int_equal(left_size, right_size);
    assert_memory_equal(a, b, left_size);
    free(a);
    free(b);
}

#endif
