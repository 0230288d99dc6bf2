/* SPDX-License-Identifier: MIT */
#include <elf.h>

#include "arm_fixture.h"
#include "image.h"

/*
 * Sections and load images, against what objdump says of them; and files
 * whose sections lie or are not there.
 */

enum {
    SECTIONS = 32
};

struct section {
    char name[32];
    uint32_t size, address, load;
    bool is_loaded, is_code;
};

struct state {
    char directory[PATH_SIZE];
    char elf[PATH_SIZE];
    char other[PATH_SIZE];
    struct nm_table nm;
    struct image *image;
    struct section sections[SECTIONS];
    size_t section_count;
};

static struct state state;

/* "  0 .text  000001b4  08000000  08000000  00001000  2**2", then the flags. */
static void read_sections(const char *elf)
{
    char list[PATH_SIZE], line[256];
    FILE *file;

    fixture_path(list, state.directory, "sections.txt");
    run_tool(list, "arm-none-eabi-objdump", "-hw", elf, NULL);
    file = fopen(list, "r");
    assert_non_null(file);
    state.section_count = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        struct section *section = &state.sections[state.section_count];
        char *at = line;

        assert_in_range(state.section_count, 0, SECTIONS - 1);
        if (sscanf(line, " %*u %31s", section->name) != 1)
            continue;
        at = strstr(line, section->name) + strlen(section->name);
        section->size = (uint32_t)strtoul(at, &at, 16);
        section->address = (uint32_t)strtoul(at, &at, 16);
        section->load = (uint32_t)strtoul(at, &at, 16);
        section->is_loaded = strstr(line, "ALLOC") != NULL;
        section->is_code = strstr(line, "CODE") != NULL;
        state.section_count++;
    }
    (void)fclose(file);
    assert_in_range(state.section_count, 3, SECTIONS);
}

static struct image *open_image(const char *elf)
{
    struct image *image;
    struct error error;

    if (image_open(&image, elf, &error) != 0)
        fail_msg("%s", error.cause);
    return image;
}

static int setup(void **unused)
{
    (void)unused;
    fixture_begin(state.directory);
    fixture_path(state.elf, state.directory, "names.elf");
    fixture_path(state.other, state.directory, "other.elf");
    build_names(state.elf);
    nm_read(&state.nm, state.directory, state.elf);
    read_sections(state.elf);
    state.image = open_image(state.elf);
    return 0;
}

static int teardown(void **unused)
{
    (void)unused;
    image_free(state.image);
    fixture_end(state.directory);
    return 0;
}

static const struct section *section_named(const char *name)
{
    size_t i = 0;

    while (i < state.section_count && strcmp(state.sections[i].name, name) != 0)
        i++;
    if (i == state.section_count)
        fail_msg("objdump has no %s", name);
    return &state.sections[i];
}

static uint32_t address_of(const char *name)
{
    return nm_find(&state.nm, name)->address;
}

static void test_every_section(void **unused)
{
    unsigned loaded = 0;

    (void)unused;
    for (size_t i = 0; i < state.section_count; i++) {
        const struct section *section = &state.sections[i];

        if (!section->is_loaded || section->size == 0)
            continue;
        loaded++;
        for (uint32_t at = section->address;
             at < section->address + section->size; at++) {
            assert_string_equal(image_section(state.image, at), section->name);
            assert_true(image_has_address(state.image, at));
            assert_int_equal(image_is_code(state.image, at), section->is_code);
        }
        assert_string_not_equal(
                image_section(state.image, section->address + section->size),
                section->name);
        assert_string_not_equal(
                image_section(state.image, section->address - 1),
                section->name);
    }
    assert_int_equal(loaded, 4);
    assert_false(image_has_address(state.image, 0));
    assert_false(image_is_code(state.image, 0xFFFFFFFF));
    assert_string_equal(image_section(state.image, 0x40000000), "");
}

static void test_next_code(void **unused)
{
    const struct section *text = section_named(".text");
    const struct section *data = section_named(".data");
    uint32_t start = 0, last = 0;

    (void)unused;
    assert_true(data->is_code);
    assert_true(image_next_code(state.image, 0, &start, &last));
    assert_int_equal(start, text->address);
    assert_int_equal(last, text->address + text->size - 1);
    assert_true(image_next_code(state.image, last, &start, &last));
    assert_int_equal(start, text->address);
    assert_true(image_next_code(state.image, last + 1, &start, &last));
    assert_int_equal(start, data->address);
    assert_int_equal(last, data->address + data->size - 1);
    assert_false(image_next_code(state.image, last + 1, &start, &last));
    assert_false(image_next_code(state.image, 0xFFFFFFFF, &start, &last));
}

static void test_load_target(void **unused)
{
    const struct section *data = section_named(".data");
    uint32_t target = 0;

    (void)unused;
    assert_int_not_equal(data->load, data->address);
    for (uint32_t at = 0; at < data->size; at++) {
        assert_true(image_load_target(state.image, data->load + at, &target));
        assert_int_equal(target, data->address + at);
        assert_false(
                image_load_target(state.image, data->address + at, &target));
    }
    assert_false(image_load_target(state.image, data->load - 1, &target));
    assert_false(
            image_load_target(state.image, data->load + data->size, &target));
    assert_false(image_load_target(state.image, 0x08000000, &target));
}

/* The copy of NAME has its name, but is data, and begins in flash. */
static void expect_copy(const char *name)
{
    const struct section *data = section_named(".data");
    const struct nm_symbol *nm = nm_find(&state.nm, name);
    uint32_t load = nm->address - data->address + data->load;
    struct image_symbol found;

    assert_int_not_equal(nm->size, 0);
    for (uint32_t at = load; at < load + 4; at++) {
        assert_int_equal(image_find(state.image, at, &found), 0);
        assert_string_equal(found.name, name);
        assert_string_equal(found.suffix, " [load image]");
        assert_int_equal(found.kind, IMAGE_DATA);
        assert_int_equal(found.start, load);
        assert_int_equal(found.base_start, load);
        assert_int_equal(found.size, nm->size);
    }
}

static void test_names_of_load_image(void **unused)
{
    const struct section *data = section_named(".data");
    uint32_t pool = address_of("hot_ram") + nm_find(&state.nm, "hot_ram")->size;
    struct image_symbol found;

    (void)unused;
    expect_copy("hot_ram");
    expect_copy("ram_counter");
    /* hot_ram ends with its literal pool, which nobody's name is for. */
    pool = pool - 4 - data->address + data->load;
    assert_int_equal(image_find(state.image, pool, &found), 0);
    assert_string_equal(found.name, "[unknown]");
    assert_string_equal(found.suffix, " [load image]");
    assert_int_equal(found.kind, IMAGE_DATA);
    assert_int_equal(found.start, pool);
    /* Behind it nothing is. */
    assert_int_equal(image_find(state.image, data->load + data->size, &found),
                     0);
    assert_int_equal(found.kind, IMAGE_UNKNOWN);
    assert_string_equal(found.suffix, "");
}

static void test_lowest(void **unused)
{
    struct image *image;

    (void)unused;
    assert_int_equal(image_lowest(state.image),
                     section_named(".text")->address);
    run_tool(NULL, "arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb", "-O2",
             "-ffreestanding", "-nostdlib", "-T", FIXTURES "ram_first.ld",
             FIXTURES "names.c", FIXTURES "names_asm.S", "-o", state.other,
             NULL);
    image = open_image(state.other);
    assert_true(image_is_code(image, 0x10000));
    assert_false(image_is_code(image, 0x60000000));
    assert_int_equal(image_lowest(image), 0x60000000);
    image_free(image);
}

/* The file with its section headers changed, opened. */
static struct image *open_changed(void (*change)(Elf32_Ehdr *, Elf32_Shdr *))
{
    size_t size;
    uint8_t *bytes = file_read(state.elf, &size);
    Elf32_Ehdr *header = (void *)bytes;

    change(header, (void *)(bytes + header->e_shoff));
    file_write(state.other, bytes, size);
    free(bytes);
    return open_image(state.other);
}

static void drop_sections(Elf32_Ehdr *header, Elf32_Shdr *sections)
{
    (void)sections;
    header->e_shoff = 0;
    header->e_shnum = 0;
    header->e_shstrndx = 0;
}

/* names.ld makes a segment RX of .text, and RWX of .data. */
static void test_without_sections(void **unused)
{
    const struct section *data = section_named(".data");
    struct image *image = open_changed(drop_sections);
    uint32_t target = 0;

    (void)unused;
    assert_true(image_has_address(image, address_of("pooled")));
    assert_true(image_is_code(image, address_of("pooled")));
    assert_true(image_is_code(image, data->address));
    assert_string_equal(image_section(image, address_of("pooled")), "");
    assert_false(image_has_address(image, 0x40000000));
    assert_true(image_load_target(image, data->load + 4, &target));
    assert_int_equal(target, data->address + 4);
    image_free(image);
}

/* The first loaded section claims all memory behind its begin. */
static void stretch_first(Elf32_Ehdr *header, Elf32_Shdr *sections)
{
    for (size_t i = 0; i < header->e_shnum; i++)
        if (sections[i].sh_flags & SHF_ALLOC) {
            sections[i].sh_size = 0xFFFFFFFF;
            return;
        }
}

/* Where two sections claim an address, neither has it; a reserved one does. */
static void test_overlapping_sections(void **unused)
{
    const struct section *data = section_named(".data");
    const struct section *bss = section_named(".bss");
    struct image *image = open_changed(stretch_first);

    (void)unused;
    assert_string_equal(image_section(image, 0x08000000), ".text");
    assert_string_equal(image_section(image, data->address), "");
    assert_true(image_is_overlay(image, data->address));
    assert_true(image_is_overlay(image, data->address + data->size - 1));
    assert_string_equal(image_section(image, bss->address), ".bss");
    assert_false(image_is_overlay(image, bss->address));
    assert_string_equal(image_section(image, 0x40000000), ".text");
    assert_string_equal(image_section(image, 0xFFFFFFFF), ".text");
    assert_string_equal(image_section(image, 0x07FFFFFF), "");
    image_free(image);
}

static void stack_all(Elf32_Ehdr *header, Elf32_Shdr *sections)
{
    for (size_t i = 0; i < header->e_shnum; i++)
        if (sections[i].sh_flags & SHF_ALLOC) {
            sections[i].sh_addr = 0xFFFFFFF0;
            sections[i].sh_size = 0xFFFFFFFF;
        }
}

/* All claim one place, past the end of memory: code wins. */
static void test_sections_in_one_place(void **unused)
{
    struct image *image = open_changed(stack_all);

    (void)unused;
    assert_true(image_is_code(image, 0xFFFFFFF0));
    assert_true(image_is_code(image, 0xFFFFFFFF));
    assert_false(image_has_address(image, 0xFFFFFFEF));
    assert_false(image_has_address(image, 0));
    image_free(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_every_section),
            cmocka_unit_test(test_next_code),
            cmocka_unit_test(test_load_target),
            cmocka_unit_test(test_names_of_load_image),
            cmocka_unit_test(test_lowest),
            cmocka_unit_test(test_without_sections),
            cmocka_unit_test(test_overlapping_sections),
            cmocka_unit_test(test_sections_in_one_place),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
