/* SPDX-License-Identifier: MIT */
#include "arm_fixture.h"
#include "image.h"

/*
 * Names of addresses, against what nm says and what fixtures/names.c and
 * names_asm.S lay out.
 */

struct state {
    char directory[PATH_SIZE];
    struct nm_table nm;
    struct image *image;
};

static struct state state;

static int setup(void **unused)
{
    char elf[PATH_SIZE];
    struct error error;

    (void)unused;
    fixture_begin(state.directory);
    fixture_path(elf, state.directory, "names.elf");
    build_names(elf);
    nm_read(&state.nm, state.directory, elf);
    if (image_open(&state.image, elf, &error) != 0)
        fail_msg("%s", error.cause);
    return 0;
}

static int teardown(void **unused)
{
    (void)unused;
    image_free(state.image);
    fixture_end(state.directory);
    return 0;
}

static uint32_t address_of(const char *name)
{
    return nm_find(&state.nm, name)->address;
}

/* Whether the last mapping symbol up to ADDRESS says code. */
static bool nm_is_code(uint32_t address)
{
    bool is_code = false;

    for (size_t i = 0; i < state.nm.count; i++)
        if (state.nm.symbols[i].name[0] == '$'
            && state.nm.symbols[i].address <= address)
            is_code = state.nm.symbols[i].name[1] != 'd';
    return is_code;
}

static void expect(uint32_t address, const char *name, const char *suffix,
                   enum image_kind kind)
{
    struct image_symbol found;

    for (uint32_t bit = 0; bit < 2; bit++) {
        assert_int_equal(image_find(state.image, address | bit, &found), 0);
        if (strcmp(found.name, name) != 0)
            print_error("0x%08x:\n", (unsigned)(address | bit));
        assert_string_equal(found.name, name);
        assert_string_equal(found.suffix, suffix);
        assert_int_equal(found.kind, kind);
    }
}

static void expect_function(const char *symbol, const char *name,
                            uint32_t code_size)
{
    uint32_t start = address_of(symbol);
    struct image_symbol found;

    expect(start, name, "", IMAGE_FUNCTION);
    expect(start + code_size - 2, name, "", IMAGE_FUNCTION);
    assert_int_equal(image_find(state.image, start, &found), 0);
    assert_int_equal(found.start, start);
}

/* For symbols whose size nm knows: all of it, pools excepted. */
static void expect_sized(const char *symbol, const char *name)
{
    const struct nm_symbol *nm = nm_find(&state.nm, symbol);
    uint32_t end = nm->address + nm->size;

    assert_int_not_equal(nm->size, 0);
    for (uint32_t at = nm->address; at < end; at += 2)
        if (nm_is_code(at))
            expect(at, name, "", IMAGE_FUNCTION);
        else
            expect(at, "[unknown]", "", IMAGE_DATA);
    expect_function(symbol, name, 2);
}

static void test_sized_functions(void **unused)
{
    struct image_symbol found;

    (void)unused;
    expect_sized("quiet_sum", "quiet_sum");
    expect_sized("UART0_Handler", "UART0_Handler");
    expect_sized("Reset_Handler", "Reset_Handler");
    expect_sized("pooled", "pooled");
    assert_int_equal(image_find(state.image, address_of("quiet_sum"), &found),
                     0);
    assert_int_equal(found.size, nm_find(&state.nm, "quiet_sum")->size);
}

static void test_aliases_have_one_name(void **unused)
{
    (void)unused;
    assert_int_equal(address_of("UART1_Handler"),
                     address_of("Default_Handler"));
    expect_sized("UART1_Handler", "Default_Handler");
    expect_sized("Default_Handler", "Default_Handler");
    expect_function("local_default_a", "local_default", 2);
    expect_function("local_default_b", "local_default", 2);
    expect_function("__aeabi_copy", "copy", 2);
    /* A single weak name is what callers use. */
    assert_int_equal(address_of("only_weak_name"), address_of("body"));
    expect_function("body", "only_weak_name", 2);
}

/* Of mapping symbols at one place the last one counts. */
static void test_mapping_symbols_of_empty_sections(void **unused)
{
    uint32_t code = address_of("behind_data");
    uint32_t data = address_of("behind_code");

    (void)unused;
    assert_int_equal(address_of("$d.empty"), code);
    assert_int_equal(address_of("$t.empty"), data);
    expect_function("behind_data", "behind_data", 4);
    expect(data, "[unknown]", "", IMAGE_DATA);
    expect(data + 2, "[unknown]", "", IMAGE_DATA);
}

static void test_ram_function(void **unused)
{
    (void)unused;
    assert_int_equal(address_of("hot_ram") >> 28, 2);
    expect_sized("hot_ram", "hot_ram");
}

static void test_size_0_ends_at_next_symbol(void **unused)
{
    struct image_symbol found;

    (void)unused;
    expect_function("bare_label", "bare_label", 4);
    expect(address_of("bare_label") + 4, "[unknown]", "", IMAGE_DATA);
    expect(address_of("bare_label") + 6, "[unknown]", "", IMAGE_DATA);
    expect(address_of("data_label"), "[unknown]", "", IMAGE_DATA);
    expect(address_of("data_label") + 4, "resumed", "", IMAGE_FUNCTION);
    expect_function("thumbed", "thumbed", 4);
    assert_int_equal(image_find(state.image, address_of("thumbed"), &found), 0);
    assert_int_equal(found.size, 4);
}

static void test_label_inside_sized_function(void **unused)
{
    (void)unused;
    expect(address_of("inner_loop"), "pooled", "", IMAGE_FUNCTION);
    expect(address_of("pooled_end"), "pooled", "", IMAGE_FUNCTION);
    expect(address_of("local_default_loop"), "local_default", "",
           IMAGE_FUNCTION);
}

static void test_veneer(void **unused)
{
    uint32_t start = address_of("__hot_ram_veneer");

    (void)unused;
    expect(start, "hot_ram", " [veneer]", IMAGE_FUNCTION);
    expect(start + 2, "hot_ram", " [veneer]", IMAGE_FUNCTION);
    expect(start + 4, "[unknown]", "", IMAGE_DATA);
    expect(start + 6, "[unknown]", "", IMAGE_DATA);
    expect(address_of("$Ven$TT$L$$far_away"), "far_away", " [veneer]",
           IMAGE_FUNCTION);
    expect(address_of("__ThumbV7PILongThunk_farther"), "farther", " [veneer]",
           IMAGE_FUNCTION);
    expect(address_of("$Tramp$TT$L$PI$$farthest"), "farthest", " [veneer]",
           IMAGE_FUNCTION);
}

static void test_inner_label_typed_as_function(void **unused)
{
    (void)unused;
    assert_int_equal(address_of("$C$L7"), address_of("unsized") + 2);
    expect_function("unsized", "unsized", 4);
}

static void test_nested_functions(void **unused)
{
    uint32_t outer = address_of("outer");
    struct image_symbol found;

    (void)unused;
    expect(outer, "outer", "", IMAGE_FUNCTION);
    expect(outer + 2, "inner", "", IMAGE_FUNCTION);
    expect(outer + 4, "inner", "", IMAGE_FUNCTION);
    expect(outer + 6, "outer", "", IMAGE_FUNCTION);
    assert_int_equal(image_find(state.image, outer + 6, &found), 0);
    assert_int_equal(found.start, outer);
    assert_int_equal(found.size, 8);
}

/* An object, among code or not, has its name; nm knows its size. */
static void expect_object(const char *name)
{
    const struct nm_symbol *nm = nm_find(&state.nm, name);
    struct image_symbol found;

    assert_int_not_equal(nm->size, 0);
    for (uint32_t at = 0; at < nm->size; at += 2) {
        expect(nm->address + at, name, "", IMAGE_DATA);
        assert_int_equal(image_find(state.image, nm->address + at, &found), 0);
        assert_int_equal(found.start, nm->address);
        assert_int_equal(found.size, nm->size);
    }
}

static void test_data_is_no_function(void **unused)
{
    uint32_t end = address_of("pooled") + nm_find(&state.nm, "pooled")->size;

    (void)unused;
    expect_object("rom_table");
    expect_object("vectors");
    expect_object("ram_counter");
    expect_object("zeroed_counter");
    /* The gap between a sized function and the next one. */
    assert_true(nm_is_code(end));
    expect(end, "[unknown]", "", IMAGE_UNKNOWN);
}

static void test_nowhere(void **unused)
{
    static const uint32_t places[] = {0,          0x07FFFFFE, 0x08010000,
                                      0x20001000, 0x40000000, 0xE000E100,
                                      0xFFFFFFF9, 0xFFFFFFFF};
    struct image_symbol found;

    (void)unused;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        expect(places[i], "[unknown]", "", IMAGE_UNKNOWN);
    /* Behind the last function: names.ld leaves 64 bytes there. */
    for (uint32_t at = 8; at < 72; at += 2) {
        uint32_t place = address_of("__hot_ram_veneer") + at;

        assert_int_equal(image_find(state.image, place, &found), 0);
        assert_string_equal(found.name, "[unknown]");
    }
    assert_int_equal(image_find(state.image, address_of("_etext"), &found), 0);
    assert_string_equal(found.name, "[unknown]");
}

static void test_no_helper_symbols_anywhere(void **unused)
{
    static const uint32_t bases[] = {0x08000000, 0x20000000};
    struct image_symbol found;

    (void)unused;
    for (size_t base = 0; base < 2; base++)
        for (uint32_t at = bases[base]; at < bases[base] + 0x400; at++) {
            assert_int_equal(image_find(state.image, at, &found), 0);
            assert_null(strchr("$_", found.name[0]));
            assert_string_not_equal(found.name, "inlined_mix");
        }
}

static void test_symbol_address(void **unused)
{
    uint32_t address = 0;

    (void)unused;
    assert_int_equal(image_symbol_address(state.image, "hot_ram", &address), 0);
    assert_int_equal(address, address_of("hot_ram"));
    assert_int_equal(
            image_symbol_address(state.image, "zeroed_counter", &address), 0);
    assert_int_equal(address, address_of("zeroed_counter"));
    assert_int_equal(image_symbol_address(state.image, "quiet_sum", &address),
                     0);
    assert_int_equal(address, address_of("quiet_sum"));
    assert_int_equal(
            image_symbol_address(state.image, "mcuprof_answer", &address), 0);
    assert_int_equal(address, 42);
    assert_int_equal(image_symbol_count(state.image, "quiet_sum"), 1);
}

/* Sections and files, mapping symbols and inner labels. */
static void test_no_address_of_what_is_no_name(void **unused)
{
    static const char *const names[] = {"nobody",  "",   ".text",
                                        "names.c", "$t", "$C$L7"};
    uint32_t address = 7;

    (void)unused;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(image_symbol_address(state.image, names[i], &address),
                         MCUPROF_E_NOT_FOUND);
        assert_int_equal(address, 7);
        assert_int_equal(image_symbol_count(state.image, names[i]), 0);
    }
}

/* A local function gets the name of another local, of a global one, and of
 * one at the same place. */
static void test_ambiguous_names(void **unused)
{
    char from[PATH_SIZE], to[PATH_SIZE];
    uint32_t address = 0;
    struct image *image;
    struct error error;

    (void)unused;
    fixture_path(from, state.directory, "names.elf");
    fixture_path(to, state.directory, "ambiguous.elf");
    run_tool(NULL, "arm-none-eabi-objcopy", "--redefine-sym", "inner=outer",
             "--redefine-sym", "quiet_sum=hot_ram", "--redefine-sym",
             "local_default=local_default_a", from, to, NULL);
    assert_int_equal(image_open(&image, to, &error), 0);
    assert_int_equal(image_symbol_count(image, "outer"), 2);
    assert_int_equal(image_symbol_count(image, "hot_ram"), 2);
    assert_int_equal(image_symbol_address(image, "hot_ram", &address), 0);
    assert_int_equal(address, address_of("hot_ram"));
    assert_int_equal(image_symbol_count(image, "local_default_a"), 1);
    assert_int_equal(image_symbol_address(image, "local_default_a", &address),
                     0);
    assert_int_equal(address, address_of("local_default"));
    image_free(image);
}

static void expect_context(uint32_t table, unsigned exception, const char *name)
{
    char got[64] = "?";

    assert_int_equal(
            image_context_name(state.image, table, exception, got, sizeof got),
            0);
    assert_string_equal(got, name);
}

/* Their own, the shared ones, empty ones; unreadable ones are assumed. */
static void test_handlers(void **unused)
{
    uint32_t table = address_of("vectors");

    (void)unused;
    assert_true(image_has_handler(state.image, table, 16));
    assert_true(image_has_handler(state.image, table, 20));
    assert_false(image_has_handler(state.image, table, 15));
    assert_false(image_has_handler(state.image, table, 17));
    assert_false(image_has_handler(state.image, table, 11));
    assert_false(image_has_handler(state.image, table, 19));
    assert_true(image_has_handler(state.image, 0x50000000, 16));
    assert_true(image_has_handler(state.image, table, 512));
}

/* The vectors as names.c lists them. */
static void test_context_names(void **unused)
{
    uint32_t table = address_of("vectors");
    char small[8];

    (void)unused;
    expect_context(table, 0, "thread");
    expect_context(table, 1, "Reset (1)");
    expect_context(table, 3, "HardFault (3)");
    expect_context(table, 7, "SecureFault (7)");
    expect_context(table, 8, "reserved (8)");
    expect_context(table, 11, "SVCall (11)");
    expect_context(table, 14, "PendSV (14)");
    expect_context(table, 15, "SysTick (15)");
    expect_context(table, 16, "UART0_Handler (16)");
    expect_context(table, 17, "IRQ 1 (17)");
    expect_context(table, 18, "IRQ 2 (18)");
    expect_context(table, 19, "IRQ 3 (19)");
    expect_context(table, 20, "hot_ram (20)");
    expect_context(table, 21, "local_default (21)");
    expect_context(table, 22, "IRQ 6 (22)");
    expect_context(table, 23, "IRQ 7 (23)");
    expect_context(table, 511, "IRQ 495 (511)");
    /* Flash shown at 0, a table in .bss, and none at all. */
    expect_context(0, 16, "UART0_Handler (16)");
    expect_context(address_of("zeroed_counter"), 16, "IRQ 0 (16)");
    expect_context(0xFFFFFFF0, 16, "IRQ 0 (16)");
    assert_int_equal(
            image_context_name(state.image, table, 15, small, sizeof small), 0);
    assert_string_equal(small, "SysTick");
    assert_int_equal(
            image_context_name(state.image, table, 512, small, sizeof small),
            MCUPROF_E_USAGE);
    assert_string_equal(small, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_sized_functions),
            cmocka_unit_test(test_aliases_have_one_name),
            cmocka_unit_test(test_mapping_symbols_of_empty_sections),
            cmocka_unit_test(test_ram_function),
            cmocka_unit_test(test_size_0_ends_at_next_symbol),
            cmocka_unit_test(test_label_inside_sized_function),
            cmocka_unit_test(test_veneer),
            cmocka_unit_test(test_inner_label_typed_as_function),
            cmocka_unit_test(test_nested_functions),
            cmocka_unit_test(test_data_is_no_function),
            cmocka_unit_test(test_nowhere),
            cmocka_unit_test(test_no_helper_symbols_anywhere),
            cmocka_unit_test(test_symbol_address),
            cmocka_unit_test(test_no_address_of_what_is_no_name),
            cmocka_unit_test(test_ambiguous_names),
            cmocka_unit_test(test_handlers),
            cmocka_unit_test(test_context_names),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
