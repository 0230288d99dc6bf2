/* SPDX-License-Identifier: MIT */
#include "arm_fixture.h"

#include "lines.h"

/*
 * Functions, inlined bodies and lines of addresses: what nm says is where, and
 * what fixtures/lines_work.c has in its lines.
 */

#define SOURCE "fixtures/lines_work.c"

enum {
    BUILD_FLAGS = 6
};

struct build {
    const char *name;
    const char *script;
    const char *flags[BUILD_FLAGS];
};

static const struct build builds[] = {
        {"gdwarf-2", "lines_work.ld", {"-gdwarf-2"}},
        {"gdwarf-3", "lines_work.ld", {"-gdwarf-3"}},
        {"gdwarf-4", "lines_work.ld", {"-gdwarf-4"}},
        {"gdwarf-5", "lines_work.ld", {"-gdwarf-5"}},
        {"gdwarf-5-64", "lines_work.ld", {"-gdwarf-5", "-gdwarf64"}},
        {"types", "lines_work.ld", {"-gdwarf-4", "-fdebug-types-section"}},
        {"split-4", "lines_work.ld", {"-gdwarf-4", "-gsplit-dwarf"}},
        {"split-5", "lines_work.ld", {"-gdwarf-5", "-gsplit-dwarf"}},
        {"gz", "lines_work.ld", {"-gdwarf-5", "-gz"}},
        {"gz-gnu", "lines_work.ld", {"-gdwarf-5", "-gz=zlib-gnu"}},
        {"O1", "lines_work.ld", {"-g", "-O1"}},
        {"Os", "lines_work.ld", {"-g", "-Os"}},
        {"lto", "lines_work.ld", {"-g", "-flto"}},
        {"emit-relocs", "lines_work.ld", {"-g", "-Wl,--emit-relocs"}},
        {"zero-2", "lines_zero.ld", {"-gdwarf-2"}},
        {"zero-4", "lines_zero.ld", {"-gdwarf-4"}},
        {"zero-5", "lines_zero.ld", {"-gdwarf-5"}},
        {"zero-split", "lines_zero.ld", {"-gdwarf-5", "-gsplit-dwarf"}},
};

static struct {
    char directory[PATH_SIZE];
    char *source;
    struct nm_table nm;
    struct image *image;
    struct lines *lines;
    const char *build;
} state;

static int setup(void **unused)
{
    size_t size;

    (void)unused;
    fixture_begin(state.directory);
    state.source = (char *)file_read(TEST_SOURCE_DIR "/" SOURCE, &size);
    state.source[size] = '\0';
    return 0;
}

static int teardown(void **unused)
{
    (void)unused;
    free(state.source);
    fixture_end(state.directory);
    return 0;
}

static void open_elf(const char *elf)
{
    struct error error;

    nm_read(&state.nm, state.directory, elf);
    if (image_open(&state.image, elf, &error) != 0)
        fail_msg("%s", error.cause);
    assert_int_equal(lines_open(&state.lines, state.image), 0);
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

static void build_elf(char elf[PATH_SIZE], const struct build *build)
{
    const char *flags[BUILD_FLAGS] = {NULL};
    char script[PATH_SIZE];

    state.build = build->name;
    fixture_path(elf, state.directory, build->name);
    (void)snprintf(script, sizeof script, FIXTURES "%s", build->script);
    for (size_t i = 0; i < BUILD_FLAGS; i++)
        flags[i] = build->flags[i] != NULL ? build->flags[i] : "-mthumb";
    run_tool(NULL, "arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb", "-O2",
             "-ffreestanding", "-nostdlib", "-ffunction-sections",
             "-Wl,--gc-sections", flags[0], flags[1], flags[2], flags[3],
             flags[4], flags[5], "-T", script, FIXTURES "lines_work.c", "-o",
             elf, NULL);
}

static void open_build(const struct build *build)
{
    char elf[PATH_SIZE];

    build_elf(elf, build);
    open_elf(elf);
    assert_true(lines_exist(state.lines));
}

/* The number of the line in the source that has TEXT. */
static uint32_t line_of(const char *text)
{
    const char *found = strstr(state.source, text);
    uint32_t line = 1;

    if (found == NULL)
        fail_msg("no '%s' in the source", text);
    for (const char *at = state.source; at < found; at++)
        line += *at == '\n';
    return line;
}

static uint32_t address_of(const char *name)
{
    return nm_find(&state.nm, name)->address;
}

static bool nm_has(const char *name)
{
    for (size_t i = 0; i < state.nm.count; i++)
        if (strcmp(state.nm.symbols[i].name, name) == 0)
            return true;
    return false;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);

    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

static void find(uint32_t address, struct lines_place *place)
{
    struct lines_place odd;

    assert_int_equal(lines_find(state.lines, address, place), 0);
    assert_int_equal(lines_find(state.lines, address | 1, &odd), 0);
    assert_ptr_equal(odd.frames, place->frames);
    assert_int_equal(odd.frame_count, place->frame_count);
}

static void expect_frame(const struct lines_frame *frame, const char *name,
                         const char *line, bool is_inlined)
{
    if (strcmp(frame->name, name) != 0 || frame->line != line_of(line))
        print_error("%s: %s line %u\n", state.build, frame->name,
                    (unsigned)frame->line);
    assert_string_equal(frame->name, name);
    assert_int_equal(frame->line, line_of(line));
    assert_true(ends_with(frame->file, SOURCE));
    assert_true(ends_with(frame->declared_file, SOURCE));
    assert_int_equal(frame->is_inlined, is_inlined);
    assert_non_null(frame->origin);
}

static void expect_chain(void)
{
    struct lines_place place;

    find(address_of("at_leaf"), &place);
    assert_int_equal(place.frame_count, 3);
    expect_frame(&place.frames[0], "leaf", "HERE leaf", true);
    expect_frame(&place.frames[1], "middle", "HERE calls leaf", true);
    expect_frame(&place.frames[2], "outer", "HERE calls middle", false);
    assert_int_equal(place.frames[0].declared_line, line_of("void leaf("));
    assert_int_equal(place.frames[1].declared_line, line_of("middle(int"));
    assert_int_equal(place.frames[2].declared_line, line_of("int outer("));
    assert_int_equal(place.start, address_of("outer"));
    assert_in_range(place.end, address_of("at_leaf"),
                    address_of("outer") + nm_find(&state.nm, "outer")->size);

    find(address_of("at_middle"), &place);
    assert_int_equal(place.frame_count, 2);
    expect_frame(&place.frames[0], "middle", "HERE middle", true);
    expect_frame(&place.frames[1], "outer", "HERE calls middle", false);

    find(address_of("at_outer"), &place);
    assert_int_equal(place.frame_count, 1);
    expect_frame(&place.frames[0], "outer", "HERE outer", false);
}

/* Every function of nm's, at every halfword: the discarded ones nowhere. */
static void expect_functions(void)
{
    size_t count = 0;

    for (size_t i = 0; i < state.nm.count; i++) {
        const struct nm_symbol *symbol = &state.nm.symbols[i];
        size_t base = strcspn(symbol->name, ".");

        if (symbol->size == 0 || strchr("tT", symbol->type) == NULL
            || strcmp(symbol->name, "vectors") == 0)
            continue;
        count++;
        for (uint32_t at = 0; at < symbol->size; at += 2) {
            struct lines_place place;
            const struct lines_frame *outermost;

            find(symbol->address + at, &place);
            assert_in_range(place.frame_count, 1, 3);
            outermost = &place.frames[place.frame_count - 1];
            if (strncmp(outermost->name, symbol->name, base) != 0)
                print_error("%s: %s+%u\n", state.build, symbol->name,
                            (unsigned)at);
            assert_int_equal(strncmp(outermost->name, symbol->name, base), 0);
            assert_int_equal(strlen(outermost->name), base);
            assert_int_equal(place.start, symbol->address);
            assert_int_equal(place.end, symbol->address + symbol->size);
            assert_int_not_equal(outermost->line, 0);
        }
    }
    assert_in_range(count, 3, 6);
    assert_false(nm_has("dead_before"));
    assert_false(nm_has("dead_twin"));
    assert_false(nm_has("dead_after"));
}

static void test_builds(void **unused)
{
    struct error error;

    for (size_t i = 0; i < sizeof builds / sizeof builds[0]; i++) {
        open_build(&builds[i]);
        expect_chain();
        expect_functions();
        if (lines_problem(state.lines, &error))
            fail_msg("%s: %s", builds[i].name, error.cause);
        (void)close_elf(unused);
    }
}

static void test_vectors_at_zero_are_no_function(void **unused)
{
    const struct nm_symbol *vectors;
    struct lines_place place;

    (void)unused;
    open_build(&builds[3]);
    vectors = nm_find(&state.nm, "vectors");
    assert_int_equal(vectors->address, 0);
    for (uint32_t at = 0; at < vectors->size; at += 2) {
        find(at, &place);
        assert_int_equal(place.frame_count, 0);
        assert_null(place.frames);
    }
}

/* At 0 are a function and what was discarded, all from one unit. */
static void test_function_at_zero(void **unused)
{
    struct lines_place place;
    uint32_t size;

    for (size_t i = 0; i < sizeof builds / sizeof builds[0]; i++) {
        if (strcmp(builds[i].script, "lines_zero.ld") != 0)
            continue;
        open_build(&builds[i]);
        assert_int_equal(address_of("at_zero"), 0);
        size = nm_find(&state.nm, "at_zero")->size;
        for (uint32_t at = 0; at < size; at += 2) {
            find(at, &place);
            assert_int_equal(place.frame_count, 1);
            assert_string_equal(place.frames[0].name, "at_zero");
            assert_in_range(place.frames[0].line, line_of("HERE at zero") - 2,
                            line_of("HERE at zero") + 1);
        }
        /* The discarded ones are longer. */
        find(size, &place);
        assert_int_equal(place.frame_count, 0);
        (void)close_elf(unused);
    }
}

static void test_copies_have_one_origin(void **unused)
{
    struct lines_place at_leaf, at_middle;

    (void)unused;
    open_build(&builds[3]);
    find(address_of("at_leaf"), &at_leaf);
    find(address_of("at_middle"), &at_middle);
    assert_ptr_equal(at_leaf.frames[1].origin, at_middle.frames[0].origin);
    assert_ptr_equal(at_leaf.frames[2].origin, at_middle.frames[1].origin);
    assert_ptr_not_equal(at_leaf.frames[0].origin, at_leaf.frames[1].origin);
}

/* A missing .dwo file costs inlined bodies and names, but no lines. */
static void test_missing_dwo(void **unused)
{
    static const struct build missing = {
            "missing", "lines_work.ld", {"-gdwarf-5", "-gsplit-dwarf"}};
    struct lines_place place;
    char elf[PATH_SIZE], dwo[PATH_SIZE];
    struct error error;

    (void)unused;
    build_elf(elf, &missing);
    fixture_path(dwo, state.directory, "missing-lines_work.dwo");
    assert_int_equal(unlink(dwo), 0);
    open_elf(elf);
    assert_false(lines_problem(state.lines, &error));
    find(address_of("at_leaf"), &place);
    assert_int_equal(place.frame_count, 1);
    assert_string_equal(place.frames[0].name, "");
    assert_null(place.frames[0].origin);
    assert_int_equal(place.frames[0].line, line_of("HERE leaf"));
    assert_true(ends_with(place.frames[0].file, SOURCE));
    /* An address that nobody claims makes all units be searched. */
    find(0x100000, &place);
    assert_int_equal(place.frame_count, 0);
    assert_true(lines_problem(state.lines, &error));
    assert_non_null(strstr(error.cause, "1 unit is in"));
    assert_null(strstr(error.cause, "other"));
    assert_non_null(strstr(error.cause, "missing-lines_work.dwo"));
    assert_non_null(strstr(error.remedy, ".dwo"));
}

static void test_clang(void **unused)
{
    static const char *const versions[] = {"-gdwarf-2", "-gdwarf-3",
                                           "-gdwarf-4", "-gdwarf-5"};
    char object[PATH_SIZE], elf[PATH_SIZE];

    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        state.build = versions[i];
        fixture_path(object, state.directory, "clang.o");
        fixture_path(elf, state.directory, "clang.elf");
        run_tool(NULL, "clang", "--target=armv7m-none-eabi", "-mthumb", "-O2",
                 "-ffreestanding", "-ffunction-sections", versions[i], "-c",
                 FIXTURES "lines_work.c", "-o", object, NULL);
        run_tool(NULL, "arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb",
                 "-nostdlib", "-Wl,--gc-sections", "-T",
                 FIXTURES "lines_work.ld", object, "-o", elf, NULL);
        open_elf(elf);
        expect_chain();
        expect_functions();
        (void)close_elf(unused);
    }
}

/* No answer depends on what was asked before. */
static void test_order_does_not_matter(void **unused)
{
    struct lines_place up[64], down;
    struct lines *fresh;

    (void)unused;
    open_build(&builds[14]);
    for (uint32_t i = 0; i < 64; i++)
        find(address_of("vectors") + 2 * i, &up[i]);
    assert_int_equal(lines_open(&fresh, state.image), 0);
    for (uint32_t i = 64; i-- > 0;) {
        uint32_t address = address_of("vectors") + 2 * i;

        assert_int_equal(lines_find(fresh, address, &down), 0);
        assert_int_equal(down.frame_count, up[i].frame_count);
        assert_int_equal(down.start, up[i].start);
        for (size_t k = 0; k < down.frame_count; k++) {
            assert_string_equal(down.frames[k].name, up[i].frames[k].name);
            assert_int_equal(down.frames[k].line, up[i].frames[k].line);
        }
    }
    lines_free(fresh);
}

/* To name a function of another unit does not read the lines of that one
 * before its functions, which decide what is live at 0. */
static void test_order_across_units(void **unused)
{
    struct lines_place place;
    char elf[PATH_SIZE];

    (void)unused;
    fixture_path(elf, state.directory, "cross");
    run_tool(NULL, "arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb",
             "-nostdlib", "-Wl,--section-start=.low=0,-Ttext=0x8000,-e,user",
             FIXTURES "lines_cross.S", "-o", elf, NULL);
    open_elf(elf);
    assert_int_equal(address_of("at_zero"), 0);
    find(address_of("user"), &place);
    assert_int_equal(place.frame_count, 2);
    assert_string_equal(place.frames[0].name, "shared");
    assert_string_equal(place.frames[0].declared_file, "low.c");
    assert_int_equal(place.frames[0].declared_line, 9);
    assert_string_equal(place.frames[1].file, "high.c");
    assert_int_equal(place.frames[1].line, 22);
    for (uint32_t at = 0; at < 8; at += 2) {
        find(at, &place);
        assert_int_equal(place.frame_count, 1);
        assert_string_equal(place.frames[0].name, "at_zero");
        assert_string_equal(place.frames[0].file, "low.c");
        assert_int_equal(place.frames[0].line, 4);
    }
    find(8, &place);
    assert_int_equal(place.frame_count, 0);
}

static void test_no_debug_info(void **unused)
{
    static const struct build plain = {"plain", "lines_work.ld", {"-g0"}};
    struct lines_place place;
    struct error error;
    char elf[PATH_SIZE];

    (void)unused;
    build_elf(elf, &plain);
    open_elf(elf);
    assert_false(lines_exist(state.lines));
    find(address_of("outer"), &place);
    assert_int_equal(place.frame_count, 0);
    assert_false(lines_problem(state.lines, &error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_teardown(test_builds, close_elf),
            cmocka_unit_test_teardown(test_vectors_at_zero_are_no_function,
                                      close_elf),
            cmocka_unit_test_teardown(test_function_at_zero, close_elf),
            cmocka_unit_test_teardown(test_copies_have_one_origin, close_elf),
            cmocka_unit_test_teardown(test_missing_dwo, close_elf),
            cmocka_unit_test_teardown(test_clang, close_elf),
            cmocka_unit_test_teardown(test_order_does_not_matter, close_elf),
            cmocka_unit_test_teardown(test_order_across_units, close_elf),
            cmocka_unit_test_teardown(test_no_debug_info, close_elf),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
