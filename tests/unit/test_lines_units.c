/* SPDX-License-Identifier: MIT */
#include "arm_fixture.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "lines.h"

/*
 * Debug info that lies or is odd, as fixtures/lines_units.S lays it out, and a
 * whole image of gcc's against libdw's own search for scopes.
 */

static struct {
    char directory[PATH_SIZE];
    char elf[PATH_SIZE];
    struct nm_table nm;
    struct image *image;
    struct lines *lines;
} state;

static int setup(void **unused)
{
    struct error error;

    (void)unused;
    fixture_begin(state.directory);
    fixture_path(state.elf, state.directory, "units.elf");
    run_tool(NULL, "arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb",
             "-nostdlib", "-Wl,-Ttext=0x8000,-e,claimed",
             FIXTURES "lines_units.S", "-o", state.elf, NULL);
    nm_read(&state.nm, state.directory, state.elf);
    if (image_open(&state.image, state.elf, &error) != 0)
        fail_msg("%s", error.cause);
    assert_int_equal(lines_open(&state.lines, state.image), 0);
    return 0;
}

static int teardown(void **unused)
{
    (void)unused;
    lines_free(state.lines);
    image_free(state.image);
    fixture_end(state.directory);
    return 0;
}

static uint32_t address_of(const char *name)
{
    return nm_find(&state.nm, name)->address;
}

static void find(uint32_t address, struct lines_place *place)
{
    assert_int_equal(lines_find(state.lines, address, place), 0);
}

/* NAME holds all of its code, alone, and nothing else does. */
static void expect_whole(const char *name)
{
    const struct nm_symbol *symbol = nm_find(&state.nm, name);
    struct lines_place place;

    for (uint32_t at = 0; at < symbol->size; at++) {
        find(symbol->address + at, &place);
        assert_int_equal(place.frame_count, 1);
        assert_string_equal(place.frames[0].name, name);
        assert_int_equal(place.start, symbol->address);
        assert_int_equal(place.end, symbol->address + symbol->size);
    }
}

static void test_units_that_claim_too_little(void **unused)
{
    (void)unused;
    expect_whole("claimed");
    expect_whole("stray");
    expect_whole("unclaimed");
    expect_whole("partial");
    /* Another unit claims this one, and has lines for it, but no function. */
    expect_whole("taken");
}

static void test_old_table_of_new_unit(void **unused)
{
    struct lines_place place;

    (void)unused;
    expect_whole("versioned");
    find(address_of("versioned"), &place);
    assert_string_equal(place.frames[0].file, "two.c");
    assert_int_equal(place.frames[0].line, 40);
    assert_string_equal(place.frames[0].declared_file, "two.c");
    assert_int_equal(place.frames[0].declared_line, 39);
    find(address_of("versioned") + 4, &place);
    assert_int_equal(place.frames[0].line, 41);
}

/* A line, no function. */
static void expect_bare(const char *name, const char *file, uint32_t line)
{
    const struct nm_symbol *symbol = nm_find(&state.nm, name);
    struct lines_place place;

    for (uint32_t at = 0; at < symbol->size; at++) {
        find(symbol->address + at, &place);
        assert_int_equal(place.frame_count, 1);
        assert_string_equal(place.frames[0].name, "");
        assert_null(place.frames[0].origin);
        assert_string_equal(place.frames[0].file, file);
        assert_int_equal(place.frames[0].line, line);
    }
}

static void test_units_without_functions(void **unused)
{
    (void)unused;
    expect_bare("bare", "bare.s", 11);
    expect_bare("lone", "lone.s", 12);
}

static void test_symbol_decides_between_folded(void **unused)
{
    (void)unused;
    expect_whole("folded");
}

static void test_cycle_of_origins(void **unused)
{
    struct lines_place place;

    (void)unused;
    find(address_of("cyclic"), &place);
    assert_int_equal(place.frame_count, 0);
}

static void test_deep_nesting(void **unused)
{
    struct lines_place place;
    struct error error;

    (void)unused;
    find(address_of("deep"), &place);
    assert_in_range(place.frame_count, 100, 1000);
    for (size_t i = 0; i + 1 < place.frame_count; i++) {
        assert_string_equal(place.frames[i].name, "again");
        assert_int_equal(place.frames[i + 1].line, 7);
    }
    assert_string_equal(place.frames[place.frame_count - 1].name, "deep");
    find(address_of("deep") + 4, &place);
    assert_int_equal(place.frame_count, 1);
    assert_true(lines_problem(state.lines, &error));
    assert_non_null(strstr(error.cause, "nested.c"));
    assert_null(strchr(error.cause, '\n'));
}

/* The names at ADDRESS, innermost first, and the lines of the calls. */
static void expect_names(uint32_t address, const char *const *names,
                         const uint32_t *lines, size_t count)
{
    struct lines_place place;

    find(address, &place);
    assert_int_equal(place.frame_count, count);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(place.frames[i].name, names[i]);
        assert_int_equal(place.frames[i].line, lines[i]);
    }
    assert_int_equal(place.start, address_of("outer"));
    assert_int_equal(place.end, address_of("outer") + 32);
}

static void test_inlined_that_cross(void **unused)
{
    static const char *const wide[] = {"wide", "left", "outer"};
    static const char *const right[] = {"right", "outer"};
    static const char *const outer[] = {"outer"};
    static const uint32_t wide_lines[] = {0, 22, 21};
    static const uint32_t right_lines[] = {0, 23};
    static const uint32_t outer_lines[] = {0};
    uint32_t start = address_of("outer");
    struct lines_place place;

    (void)unused;
    for (uint32_t at = 0; at < 32; at += 2)
        if (at < 8)
            expect_names(start + at, wide, wide_lines, 3);
        else if (at < 16)
            expect_names(start + at, right, right_lines, 2);
        else
            expect_names(start + at, outer, outer_lines, 1);
    /* What "wide" says of its neighbours is not believed. */
    find(start - 2, &place);
    assert_int_equal(place.frame_count, 1);
    assert_string_equal(place.frames[0].name, "deep");
    expect_whole("thumb_bit");
}

static void test_parts(void **unused)
{
    struct lines_place place;

    (void)unused;
    expect_whole("hot");
    find(address_of("cold"), &place);
    assert_string_equal(place.frames[0].name, "hot");
    assert_int_equal(place.start, address_of("hot"));
    assert_int_equal(place.end, address_of("cold") + 8);
}

/* A shorter function lies at the begin of a longer one. */
static void test_shorter_function_is_on_top(void **unused)
{
    const char *const places[] = {"in_one_unit", "in_two_units"};
    struct lines_place place;

    (void)unused;
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t at = 0; at < 16; at += 2) {
            find(address_of(places[i]) + at, &place);
            assert_int_equal(place.frame_count, 1);
            assert_string_equal(place.frames[0].name,
                                at < 8 ? "shorter" : "longer");
        }
}

/* Both parts begin where DW_AT_entry_pc says, not with the first range. */
static void test_entry(void **unused)
{
    const char *const parts[] = {"entered_cold", "entered"};
    struct lines_place place;

    (void)unused;
    for (size_t i = 0; i < 2; i++) {
        find(address_of(parts[i]) + 2, &place);
        assert_int_equal(place.frame_count, 1);
        assert_string_equal(place.frames[0].name, "entered");
        assert_int_equal(place.start, address_of("entered"));
        assert_int_equal(place.end, address_of(parts[i]) + 8);
    }
}

/* Its line is one of its unit's table, the declaration of another unit's. */
static void test_declared_in_another_unit(void **unused)
{
    struct lines_place place;

    (void)unused;
    expect_whole("elsewhere");
    find(address_of("elsewhere"), &place);
    assert_string_equal(place.frames[0].file, "elsewhere.s");
    assert_int_equal(place.frames[0].line, 14);
    assert_string_equal(place.frames[0].declared_file, "two.c");
}

/* The body inlined at ADDRESS is declared in one file, called from another. */
static void expect_files(uint32_t address, const char *declared,
                         const char *called)
{
    struct lines_place place;

    find(address, &place);
    assert_int_equal(place.frame_count, 2);
    assert_string_equal(place.frames[0].declared_file, declared);
    assert_string_equal(place.frames[1].file, called);
    assert_int_equal(place.frames[1].line, 50);
}

static void test_files_of_calls(void **unused)
{
    uint32_t called = address_of("called"), called_5 = address_of("called_5");

    (void)unused;
    expect_files(called, "", "");
    expect_files(called + 4, "", "");
    expect_files(called + 8, "two.c", "two.c");
    expect_files(called + 12, "", "");
    expect_files(called_5, "d/zero.c", "d/zero.c");
    expect_files(called_5 + 4, "d/zero.c", "");
}

static void test_function_of_enumeration(void **unused)
{
    (void)unused;
    expect_whole("method");
}

/* As in test_lines.c, here against libdw: nothing was discarded. */
struct scopes {
    Dwarf *dwarf;
    Dwarf_Die *dies;
    int count;
    size_t inlined; /* frames seen */
};

/* The scopes around ADDRESS, innermost first, of the unit it is in. */
static void find_scopes(struct scopes *scopes, uint32_t address)
{
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit, *found = NULL;
    Dwarf_Half version;

    scopes->dies = NULL;
    scopes->count = 0;
    while (dwarf_get_units(scopes->dwarf, cu, &cu, &version, NULL, &unit, NULL)
           == 0) {
        if (dwarf_haspc(&unit, address) != 1
            || dwarf_getscopes(&unit, address, &found) <= 0)
            continue;
        scopes->count = dwarf_getscopes_die(&found[0], &scopes->dies);
        free(found);
        return;
    }
}

static void expect_as_libdw(struct scopes *scopes, uint32_t address)
{
    struct lines_place place;
    size_t frame = 0;
    uint32_t call_line = 0;

    find_scopes(scopes, address);
    find(address, &place);
    for (int i = 0; i < scopes->count; i++) {
        Dwarf_Die *die = &scopes->dies[i];
        int tag = dwarf_tag(die);
        Dwarf_Attribute attribute;
        Dwarf_Word value = 0;

        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
            continue;
        assert_in_range(frame + 1, 1, place.frame_count);
        assert_string_equal(place.frames[frame].name, dwarf_diename(die));
        assert_int_equal(place.frames[frame].is_inlined,
                         tag == DW_TAG_inlined_subroutine);
        if (frame > 0)
            assert_int_equal(place.frames[frame].line, call_line);
        (void)dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attribute),
                              &value);
        call_line = (uint32_t)value;
        frame++;
        scopes->inlined += tag == DW_TAG_inlined_subroutine;
    }
    assert_int_equal(place.frame_count, frame);
    free(scopes->dies);
}

static void test_as_libdw(void **unused)
{
    char elf[PATH_SIZE];
    struct scopes scopes = {0};
    const struct nm_symbol *last;
    struct lines *units = state.lines;
    struct image *image = state.image;
    struct error error;
    int file;

    (void)unused;
    fixture_path(elf, state.directory, "names.elf");
    run_tool(NULL, "arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb", "-O2",
             "-g", "-ffreestanding", "-nostdlib", "-T",
             FIXTURES "lines_work.ld", FIXTURES "lines_work.c", "-o", elf,
             NULL);
    nm_read(&state.nm, state.directory, elf);
    assert_int_equal(image_open(&state.image, elf, &error), 0);
    assert_int_equal(lines_open(&state.lines, state.image), 0);
    file = open(elf, O_RDONLY);
    scopes.dwarf = dwarf_begin(file, DWARF_C_READ);
    assert_non_null(scopes.dwarf);
    last = nm_find(&state.nm, "Reset_Handler");
    for (uint32_t at = 8; at < last->address + last->size; at += 2)
        expect_as_libdw(&scopes, at);
    assert_int_not_equal(scopes.inlined, 0);
    (void)dwarf_end(scopes.dwarf);
    (void)close(file);
    lines_free(state.lines);
    image_free(state.image);
    state.lines = units;
    state.image = image;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_units_that_claim_too_little),
            cmocka_unit_test(test_old_table_of_new_unit),
            cmocka_unit_test(test_units_without_functions),
            cmocka_unit_test(test_symbol_decides_between_folded),
            cmocka_unit_test(test_cycle_of_origins),
            cmocka_unit_test(test_deep_nesting),
            cmocka_unit_test(test_inlined_that_cross),
            cmocka_unit_test(test_parts),
            cmocka_unit_test(test_shorter_function_is_on_top),
            cmocka_unit_test(test_entry),
            cmocka_unit_test(test_declared_in_another_unit),
            cmocka_unit_test(test_files_of_calls),
            cmocka_unit_test(test_function_of_enumeration),
            cmocka_unit_test(test_as_libdw),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
