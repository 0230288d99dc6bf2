/* SPDX-License-Identifier: MIT */
#include "arm_fixture.h"

#include <libelf.h>

#include "lines.h"

/*
 * Debug info that is damaged or meant to do harm: one line says what is wrong,
 * the symbols still work, and it takes neither all time nor all memory.
 */

static struct {
    char directory[PATH_SIZE];
    char elf[PATH_SIZE];
    struct image *image;
    struct lines *lines;
} state;

static int setup(void **unused)
{
    (void)unused;
    fixture_begin(state.directory);
    fixture_path(state.elf, state.directory, "damaged.elf");
    return 0;
}

static int teardown(void **unused)
{
    (void)unused;
    fixture_end(state.directory);
    return 0;
}

static int close_elf(void **unused)
{
    (void)unused;
    lines_free(state.lines);
    image_free(state.image);
    state.lines = NULL;
    state.image = NULL;
    return 0;
}

static void open_elf(void)
{
    struct error error;

    if (image_open(&state.image, state.elf, &error) != 0)
        fail_msg("%s", error.cause);
    assert_int_equal(lines_open(&state.lines, state.image), 0);
}

static void build(const char *source, const char *flag)
{
    char path[PATH_SIZE];

    (void)snprintf(path, sizeof path, FIXTURES "%s", source);
    run_tool(NULL, "arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb", "-g0",
             "-nostdlib", "-Wl,-Ttext=0x8000,-e,0x8001", flag, path, "-o",
             state.elf, NULL);
}

/* Where the bytes of section NAME are in the file. */
static size_t section_offset(const char *name, size_t *size)
{
    int file = open(state.elf, O_RDONLY);
    Elf_Scn *section = NULL;
    size_t names, offset = 0;
    Elf *elf;

    (void)elf_version(EV_CURRENT);
    elf = elf_begin(file, ELF_C_READ, NULL);
    assert_non_null(elf);
    assert_int_equal(elf_getshdrstrndx(elf, &names), 0);
    while ((section = elf_nextscn(elf, section)) != NULL) {
        const Elf32_Shdr *header = elf32_getshdr(section);

        if (strcmp(elf_strptr(elf, names, header->sh_name), name) != 0)
            continue;
        offset = header->sh_offset;
        *size = header->sh_size;
    }
    (void)elf_end(elf);
    (void)close(file);
    assert_int_not_equal(offset, 0);
    return offset;
}

/* Overwrite SIZE bytes at AT of section NAME. */
static void damage(const char *name, size_t at, const void *with, size_t size)
{
    size_t file_size, section_size = 0;
    size_t offset = section_offset(name, &section_size);
    uint8_t *bytes = file_read(state.elf, &file_size);

    assert_in_range(at + size, 1, section_size);
    memcpy(bytes + offset + at, with, size);
    file_write(state.elf, bytes, file_size);
    free(bytes);
}

/* The problem mentions WORDS, and the symbol table still names ADDRESS. */
static void expect_problem(uint32_t address, const char *words)
{
    struct image_symbol symbol;
    struct error error;

    assert_true(lines_problem(state.lines, &error));
    if (strstr(error.cause, words) == NULL)
        fail_msg("'%s' has no '%s'", error.cause, words);
    assert_non_null(strstr(error.cause, "damaged.elf"));
    assert_null(strchr(error.cause, '\n'));
    assert_int_not_equal(error.remedy[0], '\0');
    assert_int_equal(image_find(state.image, address, &symbol), 0);
    assert_int_equal(symbol.kind, IMAGE_FUNCTION);
}

static bool has_problem(const char *words)
{
    struct error error;

    return lines_problem(state.lines, &error)
           && strstr(error.cause, words) != NULL;
}

static void expect_nothing(uint32_t address)
{
    struct lines_place place;

    assert_int_equal(lines_find(state.lines, address, &place), 0);
    assert_int_equal(place.frame_count, 0);
}

static void test_headers(void **unused)
{
    static const struct {
        size_t at;
        uint8_t bytes[4];
        size_t size;
        const char *words;
    } cases[] = {
            {4, {9, 0}, 2, "unknown DWARF version"},
            {0, {0xFF, 0xFF, 0xFF, 0x7F}, 4, "passes the end"},
            {0, {2, 0, 0, 0}, 4, "shorter than its header"},
            {6, {0xFF, 0xFF, 0xFF, 0x7F}, 4, "abbreviations are not there"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        build("lines_units.S", "-mthumb");
        damage(".debug_info", cases[i].at, cases[i].bytes, cases[i].size);
        open_elf();
        expect_nothing(0x8000);
        expect_problem(0x8000, cases[i].words);
        (void)close_elf(unused);
    }
}

/* A unit that makes no sense in its middle; the others do. */
static void test_unit(void **unused)
{
    /* The first child's abbreviation. */
    static const uint8_t unknown = 0x7F;
    struct lines_place place;

    (void)unused;
    build("lines_units.S", "-mthumb");
    damage(".debug_info", 11 + 1 + sizeof "covers_one.c" + 8, &unknown, 1);
    open_elf();
    expect_nothing(0x8000);
    expect_problem(0x8000, "covers_one.c");
    assert_int_equal(lines_find(state.lines, 0x8020, &place), 0);
    assert_int_equal(place.frame_count, 1);
    assert_string_equal(place.frames[0].name, "unclaimed");
}

static void test_line_table(void **unused)
{
    static const uint8_t version = 77;
    struct lines_place place;

    (void)unused;
    build("lines_units.S", "-mthumb");
    damage(".debug_line", 4, &version, 1);
    open_elf();
    assert_int_equal(lines_find(state.lines, 0x8030, &place), 0);
    assert_int_equal(place.frame_count, 1);
    assert_string_equal(place.frames[0].name, "versioned");
    assert_string_equal(place.frames[0].file, "");
    assert_int_equal(place.frames[0].line, 0);
    expect_problem(0x8030, "line table of new.c");
}

/* Almost two million abbreviations are none too many. */
static void test_many_units(void **unused)
{
    (void)unused;
    build("lines_endless.S", "-DMANY");
    open_elf();
    expect_nothing(0x8000);
    assert_false(has_problem(""));
}

/* These run into the time limit, or out of memory, if read to the end. */
static void test_endless(void **unused)
{
    struct lines_place place;

    build("lines_endless.S", "-DABBREVIATIONS");
    open_elf();
    assert_int_equal(lines_find(state.lines, 0x8000, &place), 0);
    expect_problem(0x8000, "share too many abbreviations");
    (void)close_elf(unused);

    build("lines_endless.S", "-DATTRIBUTES");
    open_elf();
    expect_nothing(0x8000);
    expect_problem(0x8000, "attributes without end");
    (void)close_elf(unused);

    build("lines_endless.S", "-DRANGES");
    open_elf();
    assert_int_equal(lines_find(state.lines, 0x8000, &place), 0);
    expect_problem(0x8000, "ranges without end in u.c");
    assert_false(has_problem("other problem"));
    (void)close_elf(unused);

    build("lines_endless.S", "-DCLAIMS");
    open_elf();
    expect_nothing(0x8000);
    expect_problem(0x8000, "too many units claim");
}

/* What dwz -m leaves is not damaged; the ELF before it had all. */
static void test_shared_debug_info(void **unused)
{
    static const char link[] = "shared.dbg\0with a build-id behind it";
    char section[PATH_SIZE], option[2 * PATH_SIZE];
    struct error error;

    (void)unused;
    fixture_path(section, state.directory, "link");
    file_write(section, link, sizeof link);
    (void)snprintf(option, sizeof option, ".gnu_debugaltlink=%s", section);
    build("lines_units.S", "-mthumb");
    run_tool(NULL, "arm-none-eabi-objcopy", "--add-section", option, state.elf,
             NULL);
    open_elf();
    expect_nothing(0x8000);
    expect_problem(0x8000, "refers to a shared file that dwz -m made");
    assert_false(has_problem("damaged debug"));
    assert_false(has_problem("other problem"));
    assert_true(lines_problem(state.lines, &error));
    assert_string_equal(error.remedy, "give the ELF from before dwz -m");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_teardown(test_headers, close_elf),
            cmocka_unit_test_teardown(test_unit, close_elf),
            cmocka_unit_test_teardown(test_line_table, close_elf),
            cmocka_unit_test_teardown(test_many_units, close_elf),
            cmocka_unit_test_teardown(test_endless, close_elf),
            cmocka_unit_test_teardown(test_shared_debug_info, close_elf),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
