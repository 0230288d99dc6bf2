/* SPDX-License-Identifier: MIT */
#include "elf_program.h"
#include "select_rig.h"

/* Binary and HEX files of selected images, as objcopy makes and reads them. */

static struct rig rig;

static int setup(void **unused)
{
    (void)unused;
    rig_begin(&rig);
    return 0;
}

static int teardown(void **unused)
{
    (void)unused;
    fixture_end(rig.directory);
    return 0;
}

static void write_both(const char *elf, const char *bin, const char *hex)
{
    struct error error = {0};

    if (elf_bin_write(elf, bin, &error) != 0)
        fail_msg("%s", error.cause);
    if (elf_hex_write(elf, hex, &error) != 0)
        fail_msg("%s", error.cause);
}

/* objcopy's lines of data and objcopy's reading of ours are the same bytes. */
static void expect_as_objcopy(const char *elf)
{
    char bin[PATH_SIZE], hex[PATH_SIZE], truth[PATH_SIZE], read[PATH_SIZE];

    fixture_path(bin, rig.directory, "ours.bin");
    fixture_path(hex, rig.directory, "ours.hex");
    fixture_path(truth, rig.directory, "truth.bin");
    fixture_path(read, rig.directory, "read.bin");
    write_both(elf, bin, hex);
    run_tool(NULL, "arm-none-eabi-objcopy", "-O", "binary", elf, truth, NULL);
    rig_same(bin, truth);
    run_tool(NULL, "arm-none-eabi-objcopy", "-I", "ihex", "-O", "binary", hex,
             read, NULL);
    rig_same(read, truth);
}

/* Where HEX starts, as objdump reads it, and the ELF. */
static void expect_start(const char *elf)
{
    static const char script[] =
            "a=$(arm-none-eabi-objdump -f \"$1\" | grep start); "
            "b=$(arm-none-eabi-objdump -b ihex -f \"$2\" | grep start); "
            "test \"$a\" = \"$b\"";
    char hex[PATH_SIZE];

    fixture_path(hex, rig.directory, "ours.hex");
    run_tool(NULL, "sh", "-c", script, "sh", elf, hex, NULL);
}

static void test_as_objcopy(void **unused)
{
    (void)unused;
    rig_build(&rig, "-O2", "-Wl,--build-id", "-g", "-g");
    rig_find(&rig);
    rig_select(&rig, rig.in, rig.out, rig.count);
    expect_as_objcopy(rig.in);
    expect_as_objcopy(rig.out);
    expect_start(rig.out);
    /* A text that crosses 64 KiB, from an odd place on. */
    rig_build(&rig, "-O2", "-Wl,--build-id", "-DFAR",
              "-Wl,--section-start=.text=0x0801fff3");
    expect_as_objcopy(rig.in);
    run_tool(NULL, "llvm-objcopy", "--strip-sections", rig.in, rig.back, NULL);
    {
        char bin[PATH_SIZE], hex[PATH_SIZE], truth[PATH_SIZE];

        fixture_path(bin, rig.directory, "ours.bin");
        fixture_path(hex, rig.directory, "ours.hex");
        fixture_path(truth, rig.directory, "truth.bin");
        write_both(rig.back, bin, hex);
        run_tool(NULL, "llvm-objcopy", "-O", "binary", rig.in, truth, NULL);
        rig_same(bin, truth);
    }
}

static void build_apart(const char *second)
{
    char source[PATH_SIZE];

    fixture_path(source, rig.directory, "apart.s");
    file_write(source, second, strlen(second));
    run_tool(NULL, "arm-none-eabi-gcc", "-mcpu=cortex-m4", "-nostdlib",
             "-Wl,-z,noexecstack,--no-warn-rwx-segments,-Ttext=0x08000000,"
             "--section-start=.far=0x0c000020,--section-start=.near=0x08000100"
             ",--no-check-sections,--section-start=.over=0x08000004,-e0",
             source, "-o", rig.in, NULL);
}

/* 64 MiB of nothing are written, one byte more is refused; HEX has no gaps. */
static void test_gaps(void **unused)
{
    char bin[PATH_SIZE], hex[PATH_SIZE];
    struct error error = {0};
    struct stat status;

    (void)unused;
    fixture_path(bin, rig.directory, "gap.bin");
    fixture_path(hex, rig.directory, "gap.hex");
    build_apart(".text\n.word 1\n.rept 7\n.word 2\n.endr\n"
                ".section .far,\"ax\"\n.word 3\n");
    assert_int_equal(elf_bin_write(rig.in, bin, &error), 0);
    assert_int_equal(stat(bin, &status), 0);
    assert_int_equal(status.st_size, 0x04000024);
    build_apart(".text\n.word 1\n.section .far,\"ax\"\n.word 3\n");
    (void)unlink(bin);
    assert_int_equal(elf_bin_write(rig.in, bin, &error), MCUPROF_E_USAGE);
    assert_non_null(strstr(error.remedy, "--hex"));
    assert_int_equal(access(bin, F_OK), -1);
    assert_int_equal(elf_hex_write(rig.in, hex, &error), 0);
    assert_int_equal(stat(hex, &status), 0);
    assert_in_range(status.st_size, 50, 200);
}

static void test_refused(void **unused)
{
    struct error error = {0};

    (void)unused;
    build_apart(".text\n.word 1, 2\n.section .over,\"ax\"\n.word 3\n");
    assert_int_equal(elf_bin_write(rig.in, rig.back, &error), MCUPROF_E_FORMAT);
    assert_non_null(strstr(error.cause, "0x08000004"));
    assert_int_equal(elf_hex_write(rig.in, rig.back, &error), MCUPROF_E_FORMAT);
    build_apart(".bss\n.word 0\n");
    assert_int_equal(elf_bin_write(rig.in, rig.back, &error),
                     MCUPROF_E_NO_DATA);
    assert_int_equal(elf_bin_write(FIXTURES "select_work.c", rig.back, &error),
                     MCUPROF_E_FORMAT);
    rig_build(&rig, "-O2", "-Wl,--build-id", "-g", "-g");
    assert_int_equal(elf_hex_write(rig.in, "/dev/full", &error), MCUPROF_E_IO);
    assert_non_null(strstr(error.cause, "No space left"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_as_objcopy),
            cmocka_unit_test(test_gaps),
            cmocka_unit_test(test_refused),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
