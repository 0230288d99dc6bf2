/* SPDX-License-Identifier: MIT */
#include <elf.h>
#include <sys/stat.h>

#include "arm_fixture.h"
#include "image.h"

/*
 * Separate debug files as objcopy makes them: found, or not there, or not the
 * right ones. fw.elf is the firmware stripped of all but code.
 */

struct state {
    char directory[PATH_SIZE];
    char full[PATH_SIZE];  /* as linked */
    char debug[PATH_SIZE]; /* what --only-keep-debug leaves of it */
    char elf[PATH_SIZE];
    char other[PATH_SIZE];
    char folder[PATH_SIZE];
    struct nm_table nm;
};

static struct state state;

static void copy(const char *from, const char *to)
{
    run_tool(NULL, "cp", "--", from, to, NULL);
}

static void make_folder(const char *path)
{
    run_tool(NULL, "mkdir", "-p", "--", path, NULL);
}

/* Begin anew: the full ELF and its debug file. */
static int setup(void **unused)
{
    (void)unused;
    fixture_begin(state.directory);
    fixture_path(state.full, state.directory, "full.elf");
    fixture_path(state.debug, state.directory, "fw.debug");
    fixture_path(state.elf, state.directory, "fw.elf");
    fixture_path(state.other, state.directory, "other");
    build_names(state.full);
    nm_read(&state.nm, state.directory, state.full);
    run_tool(NULL, "arm-none-eabi-objcopy", "--only-keep-debug", state.full,
             state.debug, NULL);
    return 0;
}

static int teardown(void **unused)
{
    (void)unused;
    fixture_end(state.directory);
    return 0;
}

/* Make fw.elf; OPTION says what is stripped. DEBUG may be NULL. */
static void strip(const char *option, const char *debug)
{
    char link[PATH_SIZE + 32];

    (void)snprintf(link, sizeof link, "--add-gnu-debuglink=%s",
                   debug != NULL ? debug : "");
    run_tool(NULL, "arm-none-eabi-objcopy", option, state.full, state.elf,
             NULL);
    if (debug != NULL)
        run_tool(NULL, "arm-none-eabi-objcopy", link, state.elf, NULL);
}

static struct image *open_image(const char *elf)
{
    struct image *image;
    struct error error;

    if (image_open(&image, elf, &error) != 0)
        fail_msg("%s", error.cause);
    return image;
}

static void expect_names(const struct image *image)
{
    static const char *const names[] = {"quiet_sum", "UART0_Handler", "hot_ram",
                                        "pooled"};
    struct image_symbol found;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct nm_symbol *nm = nm_find(&state.nm, names[i]);

        assert_int_equal(image_find(image, nm->address + 2, &found), 0);
        assert_string_equal(found.name, names[i]);
        assert_int_equal(found.kind, IMAGE_FUNCTION);
        assert_int_equal(found.start, nm->address);
        assert_int_equal(found.size, nm->size);
    }
    /* $d in pooled; objdump -d shows the pool from byte 8 on. */
    assert_int_equal(image_find(image,
                                nm_find(&state.nm, "pooled")->address + 8,
                                &found),
                     0);
    assert_int_equal(found.kind, IMAGE_DATA);
}

/* PATH, a debug file, serves fw.elf. */
static void expect_found(const char *path)
{
    struct image *image = open_image(state.elf);
    struct error error = {0};

    if (image_problem(image, &error))
        fail_msg("%s", error.cause);
    assert_string_equal(image_debug_path(image), path);
    assert_int_equal(image_check_symbols(image, &error), 0);
    expect_names(image);
    image_free(image);
}

/* No debug file serves fw.elf; the problem says WORDS. */
static void expect_problem(const char *words)
{
    struct image *image = open_image(state.elf);
    struct error error = {0};

    assert_true(image_problem(image, &error));
    if (strstr(error.cause, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.cause, words);
    assert_null(strchr(error.cause, '\n'));
    assert_int_not_equal(error.code, 0);
    assert_int_not_equal(strlen(error.remedy), 0);
    assert_string_equal(image_debug_path(image), state.elf);
    assert_int_equal(image_check_symbols(image, &error), MCUPROF_E_NO_SYMBOLS);
    image_free(image);
}

static void test_own_debug_info(void **unused)
{
    struct image *image = open_image(state.full);
    struct error error;

    (void)unused;
    assert_false(image_problem(image, &error));
    assert_string_equal(image_debug_path(image), state.full);
    image_free(image);
}

static void test_found_beside(void **unused)
{
    (void)unused;
    strip("--strip-all", state.debug);
    expect_found(state.debug);
}

static void test_found_in_folder(void **unused)
{
    char path[PATH_SIZE];

    (void)unused;
    strip("--strip-all", state.debug);
    fixture_path(path, state.directory, ".debug");
    make_folder(path);
    fixture_path(path, state.directory, ".debug/fw.debug");
    assert_int_equal(rename(state.debug, path), 0);
    expect_found(path);
    /* A stale one nearer by does not hide it. */
    copy(state.full, state.debug);
    expect_found(path);
}

static void test_found_through_symbolic_link(void **unused)
{
    char real[PATH_SIZE], path[PATH_SIZE];

    (void)unused;
    strip("--strip-all", state.debug);
    fixture_path(path, state.directory, "build");
    make_folder(path);
    fixture_path(real, state.directory, "build/fw.elf");
    fixture_path(path, state.directory, "build/fw.debug");
    assert_int_equal(rename(state.elf, real), 0);
    assert_int_equal(rename(state.debug, path), 0);
    assert_int_equal(symlink(real, state.elf), 0);
    expect_found(path);
}

/* Folders and name as readelf's build-id has them: ab/cdef... */
static void build_id_path(char path[PATH_SIZE], const char *root)
{
    char list[PATH_SIZE], line[256], id[41] = "";
    FILE *file;

    fixture_path(list, state.directory, "notes.txt");
    run_tool(list, "arm-none-eabi-readelf", "-n", state.full, NULL);
    file = fopen(list, "r");
    assert_non_null(file);
    while (id[0] == '\0' && fgets(line, sizeof line, file) != NULL)
        (void)sscanf(line, " Build ID: %40s", id);
    (void)fclose(file);
    assert_int_equal(strlen(id), 40);
    (void)snprintf(path, PATH_SIZE, "%.300s/.build-id/%.2s", root, id);
    make_folder(path);
    (void)snprintf(path, PATH_SIZE, "%.300s/.build-id/%.2s/%s.debug", root, id,
                   id + 2);
}

static void test_found_by_build_id(void **unused)
{
    char path[PATH_SIZE];

    (void)unused;
    strip("--strip-all", NULL);
    build_id_path(path, state.directory);
    assert_int_equal(rename(state.debug, path), 0);
    expect_found(path);
}

static void test_other_build_id(void **unused)
{
    char path[PATH_SIZE];

    (void)unused;
    strip("--strip-all", NULL);
    build_id_path(path, state.directory);
    run_tool(NULL, "arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb", "-O1",
             "-g", "-ffreestanding", "-nostdlib", "-Wl,--build-id", "-T",
             FIXTURES "names.ld", FIXTURES "names.c", FIXTURES "names_asm.S",
             "-o", path, NULL);
    expect_problem("not of the same build");
}

static void test_missing(void **unused)
{
    struct image *image;
    struct error error;

    (void)unused;
    strip("--strip-all", state.debug);
    assert_int_equal(unlink(state.debug), 0);
    expect_problem("fw.debug is missing");
    /* Whoever built without -g is not told of a file that never was. */
    strip("--strip-all", NULL);
    image = open_image(state.elf);
    assert_false(image_problem(image, &error));
    image_free(image);
}

static void test_stale(void **unused)
{
    FILE *file;

    (void)unused;
    strip("--strip-all", state.debug);
    file = fopen(state.debug, "ab");
    assert_non_null(file);
    assert_int_equal(fputc(0, file), 0);
    assert_int_equal(fclose(file), 0);
    expect_problem("not of the same build");
}

/* The CRC-32 is right, the file is not. */
static void test_unusable(void **unused)
{
    size_t size;
    uint8_t *bytes = file_read(state.debug, &size);

    (void)unused;
    bytes[18] = EM_RISCV;
    file_write(state.debug, bytes, size);
    strip("--strip-all", state.debug);
    expect_problem("RISC-V");
    bytes[18] = EM_ARM;
    file_write(state.debug, bytes, size - 1);
    strip("--strip-all", state.debug);
    expect_problem("is cut");
    file_write(state.debug, "no debug info", 13);
    strip("--strip-all", state.debug);
    expect_problem("text");
    free(bytes);
}

static void test_no_regular_file(void **unused)
{
    (void)unused;
    strip("--strip-all", state.debug);
    assert_int_equal(unlink(state.debug), 0);
    assert_int_equal(mkfifo(state.debug, 0600), 0);
    expect_problem("not a regular file");
    assert_int_equal(unlink(state.debug), 0);
    assert_int_equal(mkdir(state.debug, 0700), 0);
    expect_problem("not a regular file");
    assert_int_equal(rmdir(state.debug), 0);
    assert_int_equal(symlink("fw.debug", state.debug), 0);
    expect_problem("is missing");
}

/* Sparse, so that the test needs no room. */
static void test_huge(void **unused)
{
    (void)unused;
    strip("--strip-all", state.debug);
    assert_int_equal(truncate(state.debug, (off_t)3 << 30), 0);
    expect_problem("too large");
}

static void test_itself(void **unused)
{
    (void)unused;
    strip("--strip-all", state.debug);
    assert_int_equal(unlink(state.debug), 0);
    assert_int_equal(symlink(state.elf, state.debug), 0);
    expect_problem("itself");
    /* One that names itself is not followed. */
    assert_int_equal(unlink(state.debug), 0);
    copy(state.elf, state.debug);
    expect_problem("not of the same build");
}

/* "fw.debug" in the section becomes NAME of as many bytes. */
static void rename_link(const char *name)
{
    size_t size, at = 0;
    uint8_t *bytes = file_read(state.elf, &size);

    while (at + 8 <= size && memcmp(bytes + at, "fw.debug", 8) != 0)
        at++;
    assert_in_range(at, 1, size - 8);
    memcpy(bytes + at, name, 8);
    file_write(state.elf, bytes, size);
    free(bytes);
}

static void test_link_that_is_a_path(void **unused)
{
    struct image *image;
    struct error error;
    char path[PATH_SIZE];

    (void)unused;
    strip("--strip-all", state.debug);
    fixture_path(path, state.directory, "d");
    make_folder(path);
    fixture_path(path, state.directory, "d/.debug");
    copy(state.debug, path);
    rename_link("d/.debug");
    image = open_image(state.elf);
    assert_string_equal(image_debug_path(image), state.elf);
    assert_int_equal(image_check_symbols(image, &error), MCUPROF_E_NO_SYMBOLS);
    image_free(image);
    /* No zero in the whole section. */
    strip("--strip-all", state.debug);
    rename_link("fw.debug");
    image = open_image(state.elf);
    assert_string_equal(image_debug_path(image), state.debug);
    image_free(image);
}

/* The debug file gives lines; the symbols are those of the ELF that runs. */
static void test_own_symbols_win(void **unused)
{
    uint32_t address = nm_find(&state.nm, "quiet_sum")->address;
    struct image_symbol found;
    struct image *image;

    (void)unused;
    run_tool(NULL, "arm-none-eabi-objcopy", "--redefine-sym",
             "quiet_sum=loud_sum", state.debug, NULL);
    strip("--strip-debug", state.debug);
    expect_found(state.debug);
    strip("--strip-all", state.debug);
    image = open_image(state.elf);
    assert_int_equal(image_find(image, address, &found), 0);
    assert_string_equal(found.name, "loud_sum");
    image_free(image);
}

/* A strip that keeps some: the debug file knows more. */
static void test_partly_stripped(void **unused)
{
    (void)unused;
    strip("--strip-all", state.debug);
    run_tool(NULL, "arm-none-eabi-strip", "-K", "Reset_Handler", "-K",
             "quiet_sum", "-o", state.elf, state.full, NULL);
    run_tool(NULL, "arm-none-eabi-objcopy", "--add-gnu-debuglink", state.debug,
             state.elf, NULL);
    expect_found(state.debug);
}

/* Given in place of the ELF. */
static void test_debug_file_itself(void **unused)
{
    struct image *image = open_image(state.debug);
    struct image *full = open_image(state.full);
    uint8_t id[20], full_id[20], byte;
    size_t size, full_size;
    struct error error;
    uint32_t crc;

    (void)unused;
    assert_true(image_problem(image, &error));
    assert_non_null(strstr(error.cause, "without code"));
    assert_string_equal(image_debug_path(image), state.debug);
    assert_int_equal(image_check_symbols(image, &error), 0);
    expect_names(image);
    assert_string_equal(image_section(image, 0x08000000), ".text");
    assert_true(image_is_code(image, 0x08000000));
    assert_int_equal(image_lowest(image), 0x08000000);
    assert_int_equal(image_build_id(image, id, &size), 0);
    assert_int_equal(image_build_id(full, full_id, &full_size), 0);
    assert_int_equal(size, full_size);
    assert_memory_equal(id, full_id, size);
    assert_int_equal(image_read(image, 0x08000000, &byte, 1),
                     MCUPROF_E_NOT_FOUND);
    assert_int_equal(image_identity_crc(image, 0x08000000, 64, &crc),
                     MCUPROF_E_NOT_FOUND);
    image_free(full);
    image_free(image);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
            TEST(test_own_debug_info),
            TEST(test_found_beside),
            TEST(test_found_in_folder),
            TEST(test_found_through_symbolic_link),
            TEST(test_found_by_build_id),
            TEST(test_other_build_id),
            TEST(test_missing),
            TEST(test_stale),
            TEST(test_unusable),
            TEST(test_no_regular_file),
            TEST(test_huge),
            TEST(test_itself),
            TEST(test_link_that_is_a_path),
            TEST(test_own_symbols_win),
            TEST(test_partly_stripped),
            TEST(test_debug_file_itself),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
