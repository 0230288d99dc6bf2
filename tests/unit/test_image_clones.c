/* SPDX-License-Identifier: MIT */
#include <elf.h>

#include "arm_fixture.h"
#include "image.h"

/*
 * Which function a clone belongs to, as clones.c, clones_other.c (what gcc
 * makes of them), clones_one.S and clones_two.S (any name there is) lay out.
 */

struct state {
    char directory[PATH_SIZE];
    char elf[PATH_SIZE];
    struct nm_table nm;
    struct image *image;
};

static struct state state;

static void use(const char *elf)
{
    struct error error;

    image_free(state.image);
    nm_read(&state.nm, state.directory, elf);
    if (image_open(&state.image, elf, &error) != 0)
        fail_msg("%s", error.cause);
}

static int setup(void **unused)
{
    (void)unused;
    fixture_begin(state.directory);
    fixture_path(state.elf, state.directory, "clones.elf");
    run_tool(NULL, "arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb", "-O2",
             "-ffreestanding", "-nostdlib", "-T", FIXTURES "names.ld",
             FIXTURES "clones.c", FIXTURES "clones_other.c",
             FIXTURES "clones_one.S", FIXTURES "clones_two.S", "-o", state.elf,
             NULL);
    use(state.elf);
    return 0;
}

static int teardown(void **unused)
{
    (void)unused;
    image_free(state.image);
    fixture_end(state.directory);
    return 0;
}

/* The first symbol NAME, or the one behind the begin of the second file. */
static uint32_t address_of(const char *name, bool in_two)
{
    uint32_t from = in_two ? nm_find(&state.nm, "two_begin")->address : 0;

    for (size_t i = 0; i < state.nm.count; i++)
        if (strcmp(state.nm.symbols[i].name, name) == 0
            && state.nm.symbols[i].address >= from)
            return state.nm.symbols[i].address;
    fail_msg("nm has no %s", name);
    return 0;
}

/* NAME, of one or two, has BASE in its name and belongs to what is at START. */
static void expect_at(const char *name, bool in_two, const char *base,
                      uint32_t start)
{
    uint32_t address = address_of(name, in_two);
    struct image_symbol found;

    assert_int_equal(image_find(state.image, address + 2, &found), 0);
    assert_string_equal(found.name, name);
    assert_int_equal(found.start, address);
    if (found.base_size != strlen(base) || found.base_start != start)
        print_error("%s:\n", name);
    assert_int_equal(found.base_size, strlen(base));
    assert_memory_equal(found.name, base, strlen(base));
    assert_int_equal(found.base_start, start);
}

static void expect(const char *name, bool in_two, const char *base,
                   const char *owner)
{
    expect_at(name, in_two, base, address_of(owner, in_two));
}

static void test_compiled(void **unused)
{
    (void)unused;
    expect("guarded.part.0", false, "guarded", "guarded");
    expect("guarded", false, "guarded", "guarded");
    /* Not the static function of that name in another file. */
    expect("scaled.constprop.0", false, "scaled", "scaled.constprop.0");
    expect("scaled", false, "scaled", "scaled");
}

static void test_static_functions_of_one_name(void **unused)
{
    (void)unused;
    assert_int_not_equal(address_of("twin", false), address_of("twin", true));
    expect("twin", false, "twin", "twin");
    expect("twin.constprop.0", false, "twin", "twin");
    expect("twin.cold", false, "twin", "twin");
    expect("twin.constprop.0.isra.0.cold.1", false, "twin", "twin");
    expect("twin", true, "twin", "twin");
    expect("twin.constprop.0", true, "twin", "twin");
}

static void test_renamed_is_no_clone(void **unused)
{
    (void)unused;
    expect("split.lto_priv.0", false, "split", "split.lto_priv.0");
    expect("split.lto_priv.0.cold", false, "split", "split.lto_priv.0");
    expect("split.lto_priv.1", true, "split", "split.lto_priv.1");
    expect("split.lto_priv.1.cold", true, "split", "split.lto_priv.1");
    expect("split.constprop.2.lto_priv.0", false, "split",
           "split.constprop.2.lto_priv.0");
    expect("thin.llvm.123456", true, "thin", "thin.llvm.123456");
    expect("thin.llvm.123456.cold.1", true, "thin", "thin.llvm.123456");
}

static void test_clones_without_function(void **unused)
{
    (void)unused;
    expect("orphan.isra", false, "orphan", "orphan.isra");
    expect("orphan.part.0", false, "orphan", "orphan.isra");
    expect("orphan.constprop.1", false, "orphan", "orphan.isra");
    expect("orphan.part.0", true, "orphan", "orphan.part.0");
}

static void test_clones_of_global_functions(void **unused)
{
    (void)unused;
    expect_at("shared.part.3", false, "shared", address_of("shared", true));
    expect("_Z3foov.constprop.0", false, "_Z3foov", "_Z3foov");
}

static void test_what_only_looks_like_it(void **unused)
{
    (void)unused;
    expect("inner.0", false, "inner.0", "inner.0");
    expect("inner.0.constprop.1", false, "inner.0", "inner.0");
    expect(".cold", false, ".cold", ".cold");
    expect("plain.hot", false, "plain.hot", "plain.hot");
    expect("partial.part", false, "partial", "partial");
    expect("partial", false, "partial", "partial");
}

static void test_has_function(void **unused)
{
    uint32_t twin = address_of("twin", false);
    uint32_t clone = address_of("twin.constprop.0", false);

    (void)unused;
    assert_true(image_has_function(state.image, "twin", twin));
    assert_true(image_has_function(state.image, "twin", twin | 1));
    assert_true(image_has_function(state.image, "twin", clone));
    assert_true(image_has_function(state.image, "twin.constprop.0", clone));
    assert_false(image_has_function(state.image, "twin.constprop.0", twin));
    assert_false(image_has_function(state.image, "twin.isra.0", clone));
    assert_false(image_has_function(state.image, "twi", twin));
    assert_false(image_has_function(state.image, "twins", twin));
    assert_false(image_has_function(state.image, "", twin));
    assert_false(image_has_function(state.image, "twin", twin + 2));
    assert_false(image_has_function(state.image, "twin", 0));
    assert_false(
            image_has_function(state.image, "out", address_of("out", false)));
}

/* Some linkers write no symbols of files. */
static void drop_files(const char *elf, const char *copy)
{
    size_t size;
    uint8_t *bytes = file_read(elf, &size);
    const Elf32_Ehdr *header = (const void *)bytes;
    const Elf32_Shdr *section = (const void *)(bytes + header->e_shoff);
    unsigned dropped = 0;

    while (section->sh_type != SHT_SYMTAB)
        section++;
    for (size_t at = 0; at < section->sh_size; at += sizeof(Elf32_Sym)) {
        Elf32_Sym *symbol = (void *)(bytes + section->sh_offset + at);

        if (ELF32_ST_TYPE(symbol->st_info) != STT_FILE)
            continue;
        symbol->st_info = ELF32_ST_INFO(STB_LOCAL, STT_NOTYPE);
        dropped++;
    }
    assert_int_not_equal(dropped, 0);
    file_write(copy, bytes, size);
    free(bytes);
}

/* Where no symbol tells the file, no name that comes twice is trusted. */
static void test_files_unknown(void **unused)
{
    char elf[PATH_SIZE];

    (void)unused;
    fixture_path(elf, state.directory, "no_files.elf");
    drop_files(state.elf, elf);
    use(elf);
    expect("twin.constprop.0", false, "twin", "twin.constprop.0");
    expect("twin.constprop.0", true, "twin", "twin.constprop.0");
    expect("twin.cold", false, "twin", "twin.cold");
    expect("orphan.isra", false, "orphan", "orphan.isra");
    expect("orphan.part.0", false, "orphan", "orphan.part.0");
    expect("orphan.part.0", true, "orphan", "orphan.part.0");
    expect("split.lto_priv.0.cold", false, "split", "split.lto_priv.0");
    expect_at("shared.part.3", false, "shared", address_of("shared", true));
    use(state.elf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_compiled),
            cmocka_unit_test(test_static_functions_of_one_name),
            cmocka_unit_test(test_renamed_is_no_clone),
            cmocka_unit_test(test_clones_without_function),
            cmocka_unit_test(test_clones_of_global_functions),
            cmocka_unit_test(test_what_only_looks_like_it),
            cmocka_unit_test(test_has_function),
            cmocka_unit_test(test_files_unknown),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
