/* SPDX-License-Identifier: MIT */
#include "arm_fixture.h"
#include "modules.h"

/*
 * Sections that lie over each other, as fixtures/overlays.S and its linker
 * script lay them out.
 */

enum {
    OVERLAYS = 0x20000000,
    FIRST_SIZE = 44,
    SECOND_SIZE = 40,
    FIRST_LOAD = 0x08001000,
    SECOND_LOAD = FIRST_LOAD + FIRST_SIZE,
    PATCH = 0x08000010,
    PATCH_SIZE = 8,
    ONCE = 0x20003000
};

struct state {
    char directory[PATH_SIZE];
    char elf[PATH_SIZE];
    struct modules *modules;
    const struct image *image;
};

static struct state state;

static int setup(void **unused)
{
    struct error error;

    (void)unused;
    fixture_begin(state.directory);
    fixture_path(state.elf, state.directory, "overlays.elf");
    run_tool(NULL, "arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb", "-g",
             "-nostdlib", "-Wl,--no-check-sections", "-T",
             FIXTURES "overlays.ld", FIXTURES "overlays.S", "-o", state.elf,
             NULL);
    state.modules = modules_new();
    assert_non_null(state.modules);
    if (modules_add(state.modules, state.elf, &error) != 0)
        fail_msg("%s", error.cause);
    state.image = modules_get(state.modules, 0)->image;
    return 0;
}

static int teardown(void **unused)
{
    (void)unused;
    modules_free(state.modules);
    fixture_end(state.directory);
    return 0;
}

static void expect(uint32_t address, const char *name, const char *suffix,
                   enum image_kind kind, const char *section)
{
    struct modules_place place;

    for (uint32_t bit = 0; bit < 2; bit++) {
        assert_int_equal(modules_find(state.modules, address | bit, &place), 0);
        if (strcmp(place.name, name) != 0 || place.kind != kind)
            print_error("0x%08x: %s\n", (unsigned)(address | bit), place.name);
        assert_string_equal(place.name, name);
        assert_string_equal(place.suffix, suffix);
        assert_int_equal(place.kind, kind);
        assert_string_equal(place.section, section);
        assert_int_equal(place.frame_count > 0, kind == IMAGE_FUNCTION);
    }
}

static void test_not_told_apart(void **unused)
{
    struct image_symbol symbol;

    (void)unused;
    for (uint32_t at = 0; at < SECOND_SIZE; at += 2) {
        expect(OVERLAYS + at, "[unknown]", "", IMAGE_UNKNOWN, "");
        assert_true(image_is_overlay(state.image, OVERLAYS + at));
        assert_true(image_is_code(state.image, OVERLAYS + at));
        assert_int_equal(image_find(state.image, OVERLAYS + at, &symbol), 0);
        assert_int_equal(symbol.kind, IMAGE_UNKNOWN);
        assert_int_equal(symbol.start, OVERLAYS + at);
    }
    /* What one of them alone claims is its. */
    expect(OVERLAYS + SECOND_SIZE, "first_end", "", IMAGE_FUNCTION, ".o1");
    assert_false(image_is_overlay(state.image, OVERLAYS + SECOND_SIZE));
    expect(OVERLAYS + FIRST_SIZE, "[unknown]", "", IMAGE_UNKNOWN, "");
    assert_false(image_is_overlay(state.image, OVERLAYS + FIRST_SIZE));
}

static void test_load_images(void **unused)
{
    (void)unused;
    for (uint32_t at = 0; at < SECOND_SIZE; at += 2) {
        expect(FIRST_LOAD + at, "[unknown]", " [load image]", IMAGE_DATA, "");
        expect(SECOND_LOAD + at, "[unknown]", " [load image]", IMAGE_DATA, "");
    }
    expect(FIRST_LOAD + SECOND_SIZE, "first_end", " [load image]", IMAGE_DATA,
           ".o1");
}

/* The literal begins under the table, and what follows is as it was. */
static void test_table_in_code(void **unused)
{
    (void)unused;
    expect(PATCH - 2, "patched", "", IMAGE_FUNCTION, ".text");
    for (uint32_t at = 0; at < PATCH_SIZE; at += 2)
        expect(PATCH + at, "[unknown]", "", IMAGE_UNKNOWN, "");
    expect(PATCH + PATCH_SIZE, "[unknown]", "", IMAGE_DATA, ".text");
    expect(PATCH + PATCH_SIZE + 2, "[unknown]", "", IMAGE_DATA, ".text");
    expect(PATCH + PATCH_SIZE + 4, "intact", "", IMAGE_FUNCTION, ".text");
}

/* A stack has nothing that could be taken for the code below it. */
static void test_stack_over_code(void **unused)
{
    struct modules_place place;

    (void)unused;
    assert_int_equal(modules_find(state.modules, ONCE + 4, &place), 0);
    assert_string_equal(place.name, "load_all");
    assert_int_equal(place.kind, IMAGE_FUNCTION);
    assert_false(image_is_overlay(state.image, ONCE + 4));
    assert_false(image_is_overlay(state.image, ONCE + 100));
}

/* Once for all, the lowest: the table at 0x08000010. */
static void test_problem(void **unused)
{
    struct error error;

    (void)unused;
    assert_true(modules_problem(state.modules, 0, &error));
    assert_non_null(strstr(error.cause, ".text and .patch lie over each other "
                                        "at 0x08000010-0x08000017"));
    assert_int_not_equal(strlen(error.remedy), 0);
    assert_false(modules_problem(state.modules, 1, &error));
}

/* Without the table: the overlays. */
static void test_problem_of_overlays(void **unused)
{
    char elf[PATH_SIZE];
    struct image *image;
    struct error error;

    (void)unused;
    fixture_path(elf, state.directory, "two.elf");
    run_tool(NULL, "arm-none-eabi-objcopy", "-R", ".patch", state.elf, elf,
             NULL);
    assert_int_equal(image_open(&image, elf, &error), 0);
    assert_true(image_problem(image, &error));
    assert_non_null(strstr(error.cause, ".o1 and .o2 lie over each other at "
                                        "0x20000000-0x20000027"));
    image_free(image);
    run_tool(NULL, "arm-none-eabi-objcopy", "-R", ".patch", "-R", ".o2",
             state.elf, elf, NULL);
    assert_int_equal(image_open(&image, elf, &error), 0);
    assert_false(image_problem(image, &error));
    assert_false(image_is_overlay(image, OVERLAYS));
    image_free(image);
}

/* All of a debug file is without bytes; what is code had them. */
static void test_debug_file(void **unused)
{
    char debug[PATH_SIZE];
    struct image *image;
    struct error error;

    (void)unused;
    fixture_path(debug, state.directory, "fw.debug");
    run_tool(NULL, "arm-none-eabi-objcopy", "--only-keep-debug", state.elf,
             debug, NULL);
    assert_int_equal(image_open(&image, debug, &error), 0);
    assert_true(image_is_overlay(image, OVERLAYS));
    assert_false(image_is_overlay(image, ONCE));
    image_free(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_not_told_apart),
            cmocka_unit_test(test_load_images),
            cmocka_unit_test(test_table_in_code),
            cmocka_unit_test(test_stack_over_code),
            cmocka_unit_test(test_problem),
            cmocka_unit_test(test_problem_of_overlays),
            cmocka_unit_test(test_debug_file),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
