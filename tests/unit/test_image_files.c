/* SPDX-License-Identifier: MIT */
#include <elf.h>
#include <sys/stat.h>

#include "arm_fixture.h"
#include "image.h"

/* Files that are not what image_open wants: told what they are, or survived. */

struct state {
    char directory[PATH_SIZE];
    char elf[PATH_SIZE];
    char other[PATH_SIZE];
    uint8_t *bytes; /* of elf */
    size_t size;
};

static struct state state;

static int setup(void **unused)
{
    (void)unused;
    fixture_begin(state.directory);
    fixture_path(state.elf, state.directory, "names.elf");
    fixture_path(state.other, state.directory, "other");
    build_names(state.elf);
    state.bytes = file_read(state.elf, &state.size);
    return 0;
}

static int teardown(void **unused)
{
    (void)unused;
    free(state.bytes);
    fixture_end(state.directory);
    return 0;
}

static void expect_refused(const char *path, int code, const char *words)
{
    struct image *image = (struct image *)&state;
    struct error error = {0};

    assert_int_equal(image_open(&image, path, &error), code);
    assert_null(image);
    assert_int_equal(error.code, code);
    if (strstr(error.cause, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.cause, words);
    assert_non_null(strstr(error.cause, path));
    assert_null(strchr(error.cause, '\n'));
    assert_int_not_equal(strlen(error.remedy), 0);
    /* Nobody needs to want the words. */
    assert_int_equal(image_open(&image, path, NULL), code);
}

static void expect_bytes_refused(const void *bytes, size_t size,
                                 const char *words)
{
    file_write(state.other, bytes, size);
    expect_refused(state.other, MCUPROF_E_FORMAT, words);
}

static void test_not_a_file(void **unused)
{
    char path[PATH_SIZE];

    (void)unused;
    fixture_path(path, state.directory, "absent");
    expect_refused(path, MCUPROF_E_IO, "No such file");
    expect_refused(state.directory, MCUPROF_E_IO, "not a regular file");
    fixture_path(path, state.directory, "pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    expect_refused(path, MCUPROF_E_IO, "not a regular file");
}

static void test_not_an_elf(void **unused)
{
    static const uint8_t noise[] = {0x80, 1, 2, 3, 0xFF};
    static const uint8_t frame[] = {0, 3, 1, 2, 9, 0xC8, 0};

    (void)unused;
    expect_bytes_refused("", 0, "empty");
    expect_bytes_refused("main:\n\tbx lr\n", 13, "text");
    expect_bytes_refused("\x7F", 1, "binary data");
    expect_bytes_refused("\x7F"
                         "ELF",
                         3, "binary data");
    expect_bytes_refused(noise, sizeof noise, "binary data");
    expect_bytes_refused(frame, sizeof frame, "a capture?");
    expect_bytes_refused("!<arch>\nmain.o/", 15, "an archive");
    expect_bytes_refused("MZ\x90\0\3", 5, "a Windows program");
}

static void expect_converted(const char *format, const char *words)
{
    run_tool(NULL, "arm-none-eabi-objcopy", "-O", format, state.elf,
             state.other, NULL);
    expect_refused(state.other, MCUPROF_E_FORMAT, words);
}

static void test_programmers_formats(void **unused)
{
    (void)unused;
    expect_converted("ihex", "an Intel HEX file");
    expect_converted("srec", "an S-record file");
    expect_converted("binary", "a raw memory image");
}

static void test_not_linked(void **unused)
{
    (void)unused;
    run_tool(NULL, "arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb", "-c",
             FIXTURES "idle.S", "-o", state.other, NULL);
    expect_refused(state.other, MCUPROF_E_FORMAT, "an object file");
}

static void test_other_machines(void **unused)
{
    uint8_t *bytes = malloc(state.size);

    (void)unused;
    assert_non_null(bytes);
    memcpy(bytes, state.bytes, state.size);
    bytes[18] = EM_RISCV;
    file_write(state.other, bytes, state.size);
    expect_refused(state.other, MCUPROF_E_MACHINE, "RISC-V");
    bytes[18] = 0xFE;
    file_write(state.other, bytes, state.size);
    expect_refused(state.other, MCUPROF_E_MACHINE, "machine 254");
    free(bytes);
    run_tool(NULL, "arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb",
             "-mbig-endian", "-nostdlib", "-Wl,-e,Reset_Handler",
             FIXTURES "idle.S", "-o", state.other, NULL);
    expect_refused(state.other, MCUPROF_E_MACHINE, "big-endian");
}

/* This program itself. */
static void test_host_program(void **unused)
{
    (void)unused;
#if defined(__x86_64__)
    expect_refused("/proc/self/exe", MCUPROF_E_MACHINE, "x86-64");
#elif defined(__aarch64__)
    expect_refused("/proc/self/exe", MCUPROF_E_MACHINE, "64-bit Arm");
#else
    skip();
#endif
}

static void test_no_symbols(void **unused)
{
    struct image *image;
    struct image_symbol symbol;
    struct error error = {0};
    uint32_t address;
    uint8_t word[4];

    (void)unused;
    run_tool(NULL, "arm-none-eabi-strip", "-o", state.other, state.elf, NULL);
    assert_int_equal(image_open(&image, state.other, &error), 0);
    assert_int_equal(image_check_symbols(image, &error), MCUPROF_E_NO_SYMBOLS);
    assert_non_null(strstr(error.cause, "no symbols"));
    assert_non_null(strstr(error.remedy, "before strip"));
    assert_int_equal(image_find(image, 0x08000059, &symbol),
                     MCUPROF_E_NO_SYMBOLS);
    assert_string_equal(symbol.name, "[unknown]");
    assert_int_equal(image_symbol_address(image, "main", &address),
                     MCUPROF_E_NO_SYMBOLS);
    assert_int_equal(image_read(image, 0x08000000, word, 4), 0);
    image_free(image);

    assert_int_equal(image_open(&image, state.elf, &error), 0);
    assert_int_equal(image_check_symbols(image, &error), 0);
    image_free(image);
}

static void ask_name(const struct image *image, uint32_t address)
{
    struct image_symbol symbol;
    int code = image_find(image, address, &symbol);

    assert_true(code == 0 || code == MCUPROF_E_NO_SYMBOLS);
    assert_in_range(strlen(symbol.name), 1, state.size);
    assert_int_equal(strlen(symbol.suffix) % 9, 0);
    if (symbol.kind == IMAGE_FUNCTION)
        assert_true((address & ~1U) - symbol.start < symbol.size);
}

/* Ask a damaged image everything; only crashes and nonsense fail. */
static void ask_all(const struct image *image)
{
    char name[256];
    uint8_t bytes[256], id[20];
    uint32_t number;
    size_t size;

    for (uint32_t at = 0; at < 0x180; at += 7) {
        ask_name(image, 0x08000000 + at);
        ask_name(image, 0x20000000 + at);
        (void)image_is_idle(image, 0x08000000 + at);
    }
    ask_name(image, 0);
    ask_name(image, 0xFFFFFFFF);
    for (unsigned i = 14; i < 24; i++) {
        assert_int_equal(
                image_context_name(image, 0x08000000, i, name, sizeof name), 0);
        assert_non_null(strchr(name, '('));
    }
    if (image_read(image, 0x08000000, bytes, sizeof bytes) != 0
        && image_read_load(image, 0x08000000, bytes, sizeof bytes) != 0)
        assert_int_equal(bytes[0], 0xFF);
    (void)!image_read_load(image, 0, bytes, sizeof bytes);
    (void)!image_identity_crc(image, 0x08000000, 1024, &number);
    (void)!image_build_id(image, id, &size);
    (void)!image_symbol_address(image, "no such", &number);
    (void)!image_check_symbols(image, NULL);
}

/* Returns whether it could be opened. */
static bool survive(const uint8_t *bytes, size_t size)
{
    struct image *image;
    struct error error = {0};
    int code;

    file_write(state.other, bytes, size);
    code = image_open(&image, state.other, &error);
    if (code != 0) {
        assert_int_equal(error.code, code);
        assert_int_not_equal(strlen(error.cause), 0);
        assert_int_not_equal(strlen(error.remedy), 0);
        return false;
    }
    ask_all(image);
    image_free(image);
    return true;
}

static const Elf32_Ehdr *header(void)
{
    return (const void *)state.bytes;
}

static const Elf32_Shdr *section(size_t index)
{
    return (const void *)(state.bytes + header()->e_shoff
                          + index * sizeof(Elf32_Shdr));
}

static const Elf32_Shdr *symbol_table(void)
{
    size_t i = 0;

    while (i < header()->e_shnum && section(i)->sh_type != SHT_SYMTAB)
        i++;
    assert_int_not_equal(i, header()->e_shnum);
    return section(i);
}

static void test_cut_at_every_boundary(void **unused)
{
    (void)unused;
    for (size_t size = 0; size <= 64 + 3 * sizeof(Elf32_Phdr); size++)
        assert_false(survive(state.bytes, size));
    for (size_t i = 0; i < header()->e_shnum; i++) {
        size_t begin = section(i)->sh_offset;
        size_t end =
                begin
                + (section(i)->sh_type == SHT_NOBITS ? 0 : section(i)->sh_size);

        for (size_t off = 0; off < 3; off++) {
            assert_false(survive(state.bytes, begin + off));
            assert_false(survive(state.bytes, end + off));
        }
        /* Within the section table, which comes last. */
        assert_false(survive(state.bytes,
                             header()->e_shoff + i * sizeof(Elf32_Shdr)));
    }
    assert_true(survive(state.bytes, state.size));
    file_write(state.other, state.bytes, state.size - 1);
    expect_refused(state.other, MCUPROF_E_TRUNCATED, "is cut");
}

static void flip_all(size_t begin, size_t size)
{
    static const uint8_t flips[] = {0xFF, 0x80, 0x01};
    uint8_t *bytes = malloc(state.size);

    assert_non_null(bytes);
    assert_in_range(begin + size, 1, state.size);
    memcpy(bytes, state.bytes, state.size);
    for (size_t at = begin; at < begin + size; at++)
        for (size_t i = 0; i < sizeof flips; i++) {
            bytes[at] ^= flips[i];
            (void)survive(bytes, state.size);
            bytes[at] ^= flips[i];
        }
    free(bytes);
}

static void test_flip_headers(void **unused)
{
    (void)unused;
    flip_all(0, sizeof(Elf32_Ehdr));
    flip_all(header()->e_phoff, header()->e_phnum * sizeof(Elf32_Phdr));
    flip_all(header()->e_shoff, header()->e_shnum * sizeof(Elf32_Shdr));
}

static void test_flip_symbols(void **unused)
{
    const Elf32_Shdr *table = symbol_table();

    (void)unused;
    flip_all(table->sh_offset, table->sh_size);
    flip_all(section(table->sh_link)->sh_offset,
             section(table->sh_link)->sh_size);
}

/* All that is a size or an offset lies at once. */
static void test_lying_sizes(void **unused)
{
    static const uint32_t lies[] = {0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
    size_t fields = header()->e_shnum * sizeof(Elf32_Shdr) / 4;
    uint8_t *bytes = malloc(state.size);

    (void)unused;
    assert_non_null(bytes);
    for (size_t lie = 0; lie < sizeof lies / sizeof lies[0]; lie++)
        for (size_t column = 3; column < 10; column++) {
            memcpy(bytes, state.bytes, state.size);
            for (size_t i = column; i < fields; i += sizeof(Elf32_Shdr) / 4)
                memcpy(bytes + header()->e_shoff + 4 * i, &lies[lie], 4);
            (void)survive(bytes, state.size);
        }
    free(bytes);
}

/* No function reaches beyond its section, whatever its symbol says. */
static void test_symbols_of_any_size(void **unused)
{
    const Elf32_Shdr *table = symbol_table();
    uint8_t *bytes = malloc(state.size);
    uint32_t huge = 0xFFFFFFFF;
    struct image *image;
    struct image_symbol symbol;
    struct error error;

    (void)unused;
    assert_non_null(bytes);
    memcpy(bytes, state.bytes, state.size);
    for (size_t at = 0; at < table->sh_size; at += sizeof(Elf32_Sym))
        memcpy(bytes + table->sh_offset + at + offsetof(Elf32_Sym, st_size),
               &huge, sizeof huge);
    assert_true(survive(bytes, state.size));
    assert_int_equal(image_open(&image, state.other, &error), 0);
    for (size_t i = 1; i < header()->e_shnum; i++) {
        if (!(section(i)->sh_flags & SHF_EXECINSTR))
            continue;
        assert_int_equal(image_find(image,
                                    section(i)->sh_addr + section(i)->sh_size,
                                    &symbol),
                         0);
        assert_int_not_equal(symbol.kind, IMAGE_FUNCTION);
        assert_int_equal(image_find(image, section(i)->sh_addr - 2, &symbol),
                         0);
        assert_int_not_equal(symbol.kind, IMAGE_FUNCTION);
    }
    image_free(image);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_not_a_file),
            cmocka_unit_test(test_not_an_elf),
            cmocka_unit_test(test_programmers_formats),
            cmocka_unit_test(test_not_linked),
            cmocka_unit_test(test_other_machines),
            cmocka_unit_test(test_host_program),
            cmocka_unit_test(test_no_symbols),
            cmocka_unit_test(test_cut_at_every_boundary),
            cmocka_unit_test(test_flip_headers),
            cmocka_unit_test(test_flip_symbols),
            cmocka_unit_test(test_lying_sizes),
            cmocka_unit_test(test_symbols_of_any_size),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
