/* SPDX-License-Identifier: MIT */
#include "select_rig.h"

/* What tells a selected firmware from another, and what sums it has itself. */

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

static int check(const char *objcopy_flag, const char *flag_value,
                 struct error *error)
{
    struct image *image = NULL;
    int result;

    if (objcopy_flag != NULL)
        run_tool(NULL, "arm-none-eabi-objcopy", objcopy_flag, flag_value,
                 rig.in, NULL);
    assert_int_equal(image_open(&image, rig.in, error), 0);
    result = elf_select_check_identity(image, rig.patches, rig.count, error);
    image_free(image);
    return result;
}

static void expect_told_apart(void)
{
    struct error error = {0};

    if (check(NULL, NULL, &error) != 0)
        fail_msg("%s", error.cause);
}

static void expect_not(void)
{
    struct error error = {0};

    assert_int_equal(check(NULL, NULL, &error), MCUPROF_E_MISMATCH);
    assert_non_null(strstr(error.cause, "could not tell"));
    assert_non_null(strstr(error.remedy, "--force"));
}

/* Leave patches of code below ADDRESS, or those from there on. */
static void keep_patches(uint32_t address, bool is_below)
{
    size_t count = 0;

    for (size_t i = 0; i < rig.count; i++)
        if ((rig.patches[i].address < address) == is_below)
            rig.patches[count++] = rig.patches[i];
    assert_in_range(count, 1, rig.count - 1);
    rig.count = count;
}

static void remove_symbol(const char *name)
{
    run_tool(NULL, "arm-none-eabi-objcopy", "--strip-symbol", name, rig.in,
             NULL);
}

static void test_build_id(void **unused)
{
    (void)unused;
    rig_build(&rig, "-O2", "-Wl,--build-id", "-g", "-g");
    rig_find(&rig);
    expect_told_apart();
    /* An id that others will have as well. */
    rig_build(&rig, "-O2", "-Wl,--build-id=0x123456", "-g", "-g");
    rig_find(&rig);
    expect_not();
    rig_build(&rig, "-O2", "-Wl,--build-id=0x12345678", "-g", "-g");
    rig_find(&rig);
    expect_told_apart();
}

/* With more, C and assembly, linked in. */
static void build_with(const char *more)
{
    char source[PATH_SIZE];

    fixture_path(source, rig.directory, "more.c");
    file_write(source, more, strlen(more));
    rig_build(&rig, "-O2", "-Wl,--build-id", "-g", source);
}

/* What the firmware sends is another note than the one that is made anew. */
static void test_other_note(void **unused)
{
    static const char note[] =
            "__attribute__((used, aligned(4))) const unsigned char another[] = "
            "{4, 0, 0, 0, 8, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, "
            "1, 2, 3, 4, 5, 6, 7, 8};";
    struct nm_table nm;
    char symbol[64];

    (void)unused;
    build_with(note);
    rig_find(&rig);
    expect_told_apart();
    nm_read(&nm, rig.directory, rig.in);
    remove_symbol("mcuprof_build_id");
    (void)snprintf(symbol, sizeof symbol, "mcuprof_build_id=0x%x,global",
                   nm_find(&nm, "another")->address);
    run_tool(NULL, "arm-none-eabi-objcopy", "--add-symbol", symbol, rig.in,
             NULL);
    expect_not();
}

/* The image ends before the copies of RAM functions: select_work.ld. */
static void test_crc(void **unused)
{
    (void)unused;
    rig_build(&rig, "-O2", "-Wl,--build-id=none", "-g", "-g");
    rig_find(&rig);
    expect_not();
    keep_patches(0x20000000, true);
    expect_told_apart();
    rig_find(&rig);
    keep_patches(0x20000000, false);
    expect_not();
    rig_find(&rig);
    keep_patches(0x20000000, true);
    remove_symbol("mcuprof_image_end");
    expect_not();
    run_tool(NULL, "arm-none-eabi-objcopy", "--add-symbol",
             "__etext=0x08010000,global", rig.in, NULL);
    expect_told_apart();
    rig_find(&rig);
    expect_told_apart();
}

/* Without mcuprof nothing is sent, and nobody will be told wrong. */
static void test_others_hooks(void **unused)
{
    (void)unused;
    rig_build(&rig, "-O2", "-Wl,--build-id=none", "-g", "-g");
    rig_find(&rig);
    expect_not();
    remove_symbol("mcuprof_init");
    expect_told_apart();
}

static void expect_signature(const char *wanted)
{
    char text[ELF_SELECT_SIGNATURE_MAX];
    struct image *image = NULL;
    struct error error;

    assert_int_equal(image_open(&image, rig.in, &error), 0);
    (void)elf_select_signature(image, text);
    assert_string_equal(text, wanted);
    assert_int_equal(elf_select_signature(image, text), wanted[0] != '\0');
    image_free(image);
}

static void test_signatures(void **unused)
{
    static const struct {
        const char *source;
        const char *wanted;
    } images[] = {
            {"", ""},
            {"__attribute__((section(\".checksum\"), used)) const int sum = 1;",
             ".checksum"},
            {"__attribute__((used)) const unsigned __crc__ = 1;", "__crc__"},
            {"__attribute__((used)) const unsigned image_crc32 = 1;",
             "image_crc32"},
            {"__attribute__((used)) const char fw_signature[64] = {1};",
             "fw_signature"},
            {"__attribute__((used)) const char Sign[64] = {1};", "Sign"},
            /* What makes sums, what is no sum, and what is in RAM. */
            {"__attribute__((used)) const unsigned crc_table[16] = {1};", ""},
            {"__attribute__((used)) const unsigned crc32_poly = 1;", ""},
            {"__attribute__((used)) const char crc_lookup[64] = {1};", ""},
            {"__attribute__((used)) int crc16(int a); int crc16(int a) { "
             "return a + 1; }",
             ""},
            {"unsigned checksum = 1;", ""},
            {"unsigned signature;", ""},
            {"__attribute__((used)) const int signal_count = 1;", ""},
            {"__attribute__((used)) const int mcuprof_crc = 1;", ""},
    };

    (void)unused;
    for (size_t i = 0; i < sizeof images / sizeof images[0]; i++) {
        build_with(images[i].source);
        expect_signature(images[i].wanted);
    }
    /* At the begin, where it is looked for, and elsewhere. */
    build_with("__attribute__((section(\".vectors\"), used)) const unsigned "
               "header[8] = {0x96f3b83d};");
    expect_signature("MCUboot's header");
    build_with("__attribute__((used)) const unsigned header[8] = "
               "{0x96f3b83d};");
    expect_signature("");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_build_id),
            cmocka_unit_test(test_other_note),
            cmocka_unit_test(test_crc),
            cmocka_unit_test(test_others_hooks),
            cmocka_unit_test(test_signatures),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
