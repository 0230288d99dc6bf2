/* SPDX-License-Identifier: MIT */
#include "select_rig.h"

/*
 * Selected images in the eyes of binutils and gdb: nothing but the patches and
 * the build-id has changed, and nobody has anything to say against the file.
 */

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

/* Run a line of the shell, with $1 and $2, that prints nothing if all is well.
 */
static void expect_silence(const char *script, const char *one, const char *two)
{
    char list[PATH_SIZE];
    char *text;
    size_t size;

    fixture_path(list, rig.directory, "silence.txt");
    run_tool(list, "sh", "-c", script, "sh", one, two, NULL);
    text = (char *)file_read(list, &size);
    text[size] = '\0';
    if (size > 0)
        fail_msg("%s: %s", script, text);
    free(text);
}

static void expect_no_complaints(void)
{
    expect_silence("arm-none-eabi-readelf -aW \"$1\" 2>&1 >/dev/null", rig.out,
                   "");
    expect_silence("arm-none-eabi-objdump -dgSC \"$1\" 2>&1 >/dev/null; true",
                   rig.out, "");
    expect_silence("arm-none-eabi-objcopy \"$1\" \"$1.copy\" 2>&1", rig.out,
                   "");
    expect_silence("llvm-readelf -aW \"$1\" 2>&1 >/dev/null", rig.out, "");
}

/* gdb takes its time. */
static void expect_gdb(void)
{
    expect_silence("gdb-multiarch -nx -batch -ex 'info files' "
                   "-ex 'disassemble in_flash' \"$1\" 2>&1 >/dev/null",
                   rig.out, "");
    expect_silence("gdb-multiarch -nx -batch -ex 'disassemble in_flash' \"$1\""
                   " | grep -q 'nop.w' || echo no nop.w",
                   rig.out, "");
}

/* Sections and symbols stay as they were, but for the record's. */
static void expect_same_tables(void)
{
    static const char sections[] =
            "for f in \"$1\" \"$2\"; do arm-none-eabi-readelf -SW \"$f\" | "
            "sed 's/^ *\\[ *[0-9]*\\] *//' | grep -v "
            "'\\.shstrtab\\|mcuprof.select\\|There are' >\"$f.s\"; "
            "arm-none-eabi-nm -a \"$f\" >\"$f.n\" 2>&1; "
            "sed -i 's/^.*no symbols$//' \"$f.n\"; "
            "arm-none-eabi-readelf -lW \"$f\" >\"$f.l\"; done; "
            "for k in s n l; do diff \"$1.$k\" \"$2.$k\"; done; true";

    expect_silence(sections, rig.in, rig.out);
}

/* A byte of the original and of the selected image, at physical addresses. */
struct loaded {
    uint8_t *bytes;
    size_t size;
};

static struct loaded load(const char *elf)
{
    struct loaded loaded;
    char path[PATH_SIZE];

    fixture_path(path, rig.directory, "loaded.bin");
    run_tool(NULL, "arm-none-eabi-objcopy", "-O", "binary", elf, path, NULL);
    loaded.bytes = file_read(path, &loaded.size);
    return loaded;
}

/* Where objdump's patches are in the binary, RAM functions by their copy. */
static size_t place_in_load(uint32_t address)
{
    char list[PATH_SIZE], line[256];
    uint32_t start, load_at, size;
    size_t place = SIZE_MAX;
    FILE *file;

    fixture_path(list, rig.directory, "objdump-h.txt");
    run_tool(list, "arm-none-eabi-objdump", "-hw", rig.in, NULL);
    file = fopen(list, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, " %*d %*s %" SCNx32 " %" SCNx32 " %" SCNx32, &size,
                   &start, &load_at)
                    == 3
            && strstr(line, "LOAD") != NULL && address - start < size)
            place = load_at - 0x08000000 + (address - start);
    (void)fclose(file);
    return place;
}

/* The id as readelf prints it; "" without. */
static void read_id(const char *elf, char out[200])
{
    char list[PATH_SIZE], line[256];
    FILE *file;

    fixture_path(list, rig.directory, "notes.txt");
    run_tool(list, "arm-none-eabi-readelf", "-n", elf, NULL);
    file = fopen(list, "r");
    assert_non_null(file);
    out[0] = '\0';
    while (fgets(line, sizeof line, file) != NULL)
        (void)sscanf(line, " Build ID: %199s", out);
    (void)fclose(file);
}

/* Where the id of readelf is in IMAGE; its size if it is not. */
static size_t place_id(const struct loaded *image, uint8_t id[100],
                       size_t *size)
{
    char text[200];
    size_t place = 0;

    read_id(rig.in, text);
    *size = strlen(text) / 2;
    for (size_t i = 0; i < *size; i++) {
        unsigned byte;

        assert_int_equal(sscanf(text + 2 * i, "%2x", &byte), 1);
        id[i] = (uint8_t)byte;
    }
    while (place + *size < image->size
           && memcmp(image->bytes + place, id, *size) != 0)
        place++;
    return place;
}

/* The first COUNT patches are there, another id of ID_SIZE, and no more. */
static void expect_changes(size_t count, size_t id_size)
{
    struct loaded before = load(rig.in);
    struct loaded after = load(rig.out);
    size_t different = 0, place, size;
    uint8_t id[100];

    assert_int_equal(before.size, after.size);
    for (size_t i = 0; i < count; i++) {
        place = place_in_load(rig.patches[i].address);

        assert_in_range(place, 0, before.size - 4);
        assert_memory_equal(after.bytes + place, rig.patches[i].after, 4);
        memcpy(before.bytes + place, rig.patches[i].after, 4);
    }
    place = place_id(&before, id, &size);
    assert_int_equal(size, id_size);
    assert_in_range(place, size > 0 ? 64 : 0, before.size - size);
    for (size_t i = 0; i < size; i++)
        different += before.bytes[place + i] != after.bytes[place + i];
    assert_in_range(different, count > 0 ? size / 2 : 0, count > 0 ? size : 0);
    memcpy(after.bytes + place, id, size);
    assert_memory_equal(before.bytes, after.bytes, before.size);
    free(before.bytes);
    free(after.bytes);
}

static void expect_new_id(void)
{
    char before[200], after[200], again[200];

    read_id(rig.in, before);
    read_id(rig.out, after);
    assert_int_equal(strlen(before), strlen(after));
    if (before[0] == '\0')
        return;
    assert_string_not_equal(before, after);
    /* Another selection has another one. */
    rig_select(&rig, rig.in, rig.back, rig.count - 1);
    read_id(rig.back, again);
    assert_string_not_equal(again, before);
    assert_string_not_equal(again, after);
}

static void check_image(size_t id_size)
{
    rig_find(&rig);
    rig_select(&rig, rig.in, rig.out, rig.count);
    expect_no_complaints();
    expect_same_tables();
    expect_changes(rig.count, id_size);
    expect_new_id();
    rig_restore(rig.out, rig.back);
    rig_same(rig.in, rig.back);
}

static void test_gcc(void **unused)
{
    static const struct {
        const char *flag;
        size_t size;
    } ids[] = {
            {"-Wl,--build-id=sha1", 20},
            {"-Wl,--build-id=md5", 16},
            {"-Wl,--build-id=uuid", 16},
            {"-Wl,--build-id=0x1234567890abcdef", 8},
            {"-Wl,--build-id=0x"
             "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
             "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
             64},
            {"-Wl,--build-id=none", 0},
    };

    (void)unused;
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        rig_build(&rig, "-O2", ids[i].flag, "-g", "-g");
        check_image(ids[i].size);
    }
}

static void test_levels(void **unused)
{
    static const char *const levels[] = {"-O0", "-O1", "-O3", "-Os"};

    (void)unused;
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        rig_build(&rig, levels[i], "-Wl,--build-id", "-g", "-g");
        check_image(20);
    }
    rig_build(&rig, "-O2", "-Wl,--build-id", "-flto", "-g");
    check_image(20);
    rig_build(&rig, "-O2", "-Wl,--build-id", "-x", "c++");
    check_image(20);
    expect_gdb();
}

static void test_lld(void **unused)
{
    char object[PATH_SIZE];

    (void)unused;
    fixture_path(object, rig.directory, "fw.o");
    run_tool(NULL, "clang", "--target=thumbv7em-none-eabi", "-mcpu=cortex-m4",
             "-O2", "-g", "-ffreestanding", "-finstrument-functions", "-c",
             FIXTURES "select_work.c", "-o", object, NULL);
    run_tool(NULL, "ld.lld", "--build-id", "-T", FIXTURES "select_work.ld",
             object, "-o", rig.in, NULL);
    check_image(8);
    expect_gdb();
    run_tool(NULL, "ld.lld", "--build-id=sha1", "-T", FIXTURES "select_work.ld",
             object, "-o", rig.in, NULL);
    check_image(20);
}

/* What the new id of $1 must be, by hashlib; patches are lines of the input. */
static const char id_script[] =
        "import hashlib, re, struct, subprocess, sys\n"
        "old = bytes.fromhex(re.search('Build ID: (.*)', subprocess.run("
        "['arm-none-eabi-readelf', '-n', sys.argv[1]], text=True, "
        "capture_output=True).stdout)[1])\n"
        "patches = [line.split() for line in open(sys.argv[2])]\n"
        "data = b''.join(struct.pack('<II', int(address, 16), "
        "len(bytes.fromhex(after))) + bytes.fromhex(after) "
        "for address, after in patches)\n"
        "new = b''.join(hashlib.sha1(b'mcuprof select\\0' + struct.pack("
        "'<III', 1, number, len(old)) + old + struct.pack('<I', len(patches)) "
        "+ data).digest() for number in range((len(old) + 19) // 20))\n"
        "print(new[:len(old)].hex())\n";

/* Select all of a firmware with one more FLAG; its new id, as it must be. */
static void select_id(const char *flag, const char *build_id, char out[200])
{
    char list[PATH_SIZE], want[PATH_SIZE];
    FILE *file;

    fixture_path(list, rig.directory, "patches.txt");
    fixture_path(want, rig.directory, "want.txt");
    rig_build(&rig, "-O2", build_id, flag, "-g");
    rig_find(&rig);
    rig_select(&rig, rig.in, rig.out, rig.count);
    read_id(rig.out, out);
    file = fopen(list, "w");
    assert_non_null(file);
    for (size_t i = 0; i < rig.count; i++)
        (void)fprintf(file, "%" PRIx32 " %02x%02x%02x%02x\n",
                      rig.patches[i].address, rig.patches[i].after[0],
                      rig.patches[i].after[1], rig.patches[i].after[2],
                      rig.patches[i].after[3]);
    (void)fclose(file);
    run_tool(want, "python3", "-c", id_script, rig.in, list, NULL);
    file = fopen(want, "r");
    assert_non_null(file);
    assert_non_null(fgets(list, sizeof list, file));
    (void)fclose(file);
    list[strcspn(list, "\n")] = '\0';
    assert_string_equal(out, list);
}

/* Firmwares that differ in a constant keep different ids: the old one counts,
   where the code that was changed is the same. */
static void test_ids(void **unused)
{
    static const char *const kinds[] = {
            "-Wl,--build-id=sha1",
            "-Wl,--build-id=md5",
    };
    char one[200], two[200];

    (void)unused;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        select_id("-DFIRST=7", kinds[i], one);
        select_id("-DFIRST=8", kinds[i], two);
        assert_int_equal(strlen(one), strlen(two));
        assert_string_not_equal(one, two);
    }
    select_id("-g",
              "-Wl,--build-id=0x"
              "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
              "20212223",
              one);
}

/* Symbols away, sections away: what remains is where it was. */
static void test_stripped(void **unused)
{
    char full[PATH_SIZE];

    (void)unused;
    fixture_path(full, rig.directory, "full.elf");
    rig_build(&rig, "-O2", "-Wl,--build-id", "-g", "-g");
    rig_find(&rig);
    run_tool(NULL, "cp", rig.in, full, NULL);
    run_tool(NULL, "arm-none-eabi-strip", rig.in, NULL);
    rig_select(&rig, rig.in, rig.out, rig.count);
    expect_silence("arm-none-eabi-readelf -aW \"$1\" 2>&1 >/dev/null", rig.out,
                   "");
    expect_same_tables();
    expect_changes(rig.count, 20);
    rig_restore(rig.out, rig.back);
    rig_same(rig.in, rig.back);

    run_tool(NULL, "llvm-objcopy", "--strip-sections", full, rig.in, NULL);
    rig_select(&rig, rig.in, rig.out, rig.count);
    expect_silence("arm-none-eabi-readelf -aW \"$1\" 2>&1 >/dev/null", rig.out,
                   "");
    expect_silence(
            "arm-none-eabi-readelf -SW \"$1\" | grep -c mcuprof.select | "
            "grep -vx 1; true",
            rig.out, "");
    rig_restore(rig.out, rig.back);
    rig_same(rig.in, rig.back);
}

/* More sections than the header's 16 bits can count. */
static void test_many_sections(void **unused)
{
    enum {
        JUST_BELOW = 0xFEFF,
        SECTION = 40
    };
    static const uint32_t counts[] = {40, JUST_BELOW - 1, JUST_BELOW,
                                      JUST_BELOW + 1, 70000};
    size_t size;
    uint8_t *bytes, *grown;

    (void)unused;
    rig_build(&rig, "-O2", "-Wl,--build-id", "-g", "-g");
    rig_find(&rig);
    bytes = file_read(rig.in, &size);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        uint32_t at = (uint32_t)(size + 3) / 4 * 4, many = counts[i];
        uint32_t old = bytes[48] | (uint32_t)bytes[49] << 8;
        uint32_t table;
        bool is_many = many >= 0xFF00;

        memcpy(&table, bytes + 32, sizeof table);
        grown = calloc(1, at + (size_t)many * SECTION);
        assert_non_null(grown);
        memcpy(grown, bytes, size);
        memcpy(grown + at, bytes + table, (size_t)old * SECTION);
        memcpy(grown + 32, &at, sizeof at);
        /* Sections of no bytes, named as the last one is. */
        for (uint32_t k = old; k < many; k++) {
            memcpy(grown + at + (size_t)k * SECTION,
                   bytes + table + (size_t)(old - 1) * SECTION, 4);
            grown[at + (size_t)k * SECTION + 4] = 1;
        }
        grown[48] = is_many ? 0 : (uint8_t)many;
        grown[49] = is_many ? 0 : (uint8_t)(many >> 8);
        if (is_many)
            memcpy(grown + at + 20, &many, sizeof many);
        file_write(rig.in, grown, at + (size_t)many * SECTION);
        free(grown);
        rig_select(&rig, rig.in, rig.out, rig.count);
        /* gABI: from there on the count is in the first section. */
        grown = file_read(rig.out, &(size_t){0});
        assert_int_equal(grown[48] | grown[49] << 8,
                         many + 1 >= 0xFF00 ? 0 : many + 1);
        free(grown);
        expect_silence("arm-none-eabi-readelf -hSlW \"$1\" 2>&1 >/dev/null",
                       rig.out, "");
        expect_silence("arm-none-eabi-readelf -SW \"$1\" | "
                       "grep -c mcuprof.select | grep -vx 1; true",
                       rig.out, "");
        expect_changes(rig.count, 20);
        rig_restore(rig.out, rig.back);
        rig_same(rig.in, rig.back);
    }
    free(bytes);
}

/* What selects from a selected image begins with its original. */
static void test_again(void **unused)
{
    char direct[PATH_SIZE];

    (void)unused;
    fixture_path(direct, rig.directory, "direct.elf");
    rig_build(&rig, "-O2", "-Wl,--build-id", "-g", "-g");
    rig_find(&rig);
    rig_select(&rig, rig.in, rig.out, rig.count);
    rig_select(&rig, rig.out, rig.back, 2);
    rig_select(&rig, rig.in, direct, 2);
    rig_same(rig.back, direct);
    /* With nothing to change the firmware is the same, and so is its id. */
    rig_select(&rig, rig.in, rig.out, 0);
    expect_changes(0, 20);
    rig_restore(rig.out, rig.out);
    rig_same(rig.in, rig.out);
}

static void expect_summary(const struct image *image, enum select_state state)
{
    struct select_record record;

    assert_int_equal(elf_select_read(image, &record), 0);
    assert_int_equal(record.state, state);
    if (state == SELECT_FOUND) {
        assert_int_equal(record.summary.functions, 5);
        assert_int_equal(record.summary.functions_kept, 3);
        assert_int_equal(record.summary.sites, rig.count);
        assert_int_equal(record.summary.sites_kept, rig.count - 2);
        assert_string_equal(record.summary.rules, "--drop twice");
        assert_int_equal(record.change_count, 2);
    }
    select_record_deinit(&record);
}

static void test_opened(void **unused)
{
    struct image *image = NULL;
    bool is_selected = true;
    struct error error;
    uint8_t code[4];

    (void)unused;
    rig_build(&rig, "-O2", "-Wl,--build-id", "-g", "-g");
    rig_find(&rig);
    rig_select(&rig, rig.in, rig.out, 2);

    assert_int_equal(image_open(&image, rig.out, &error), 0);
    expect_summary(image, SELECT_FOUND);
    assert_int_equal(image_read(image, rig.patches[1].address, code, 4), 0);
    assert_memory_equal(code, rig.patches[1].after, 4);
    image_free(image);

    assert_int_equal(elf_select_open(&image, rig.out, &is_selected, &error), 0);
    assert_true(is_selected);
    expect_summary(image, SELECT_NONE);
    assert_int_equal(image_read(image, rig.patches[1].address, code, 4), 0);
    assert_memory_equal(code, rig.patches[1].before, 4);
    assert_string_equal(image_debug_path(image), rig.out);
    image_free(image);

    assert_int_equal(elf_select_open(&image, rig.in, &is_selected, &error), 0);
    assert_false(is_selected);
    expect_summary(image, SELECT_NONE);
    image_free(image);
}

/* The debug file is that of the build, whose id the selected image has lost. */
static void test_debug_file(void **unused)
{
    char folder[PATH_SIZE], debug[PATH_SIZE + 300], id[200];
    struct image *image = NULL;
    struct error error;

    (void)unused;
    rig_build(&rig, "-O2", "-Wl,--build-id", "-g", "-g");
    rig_find(&rig);
    read_id(rig.in, id);
    assert_int_equal(strlen(id), 40);
    fixture_path(folder, rig.directory, ".build-id");
    (void)snprintf(debug, sizeof debug, "%s/%.2s", folder, id);
    run_tool(NULL, "mkdir", "-p", debug, NULL);
    (void)snprintf(debug, sizeof debug, "%s/%.2s/%s.debug", folder, id, id + 2);
    run_tool(NULL, "arm-none-eabi-objcopy", "--only-keep-debug", rig.in, debug,
             NULL);
    run_tool(NULL, "arm-none-eabi-strip", "-g", rig.in, NULL);
    rig_select(&rig, rig.in, rig.out, 2);
    assert_int_equal(image_open(&image, rig.out, &error), 0);
    assert_string_equal(image_debug_path(image), debug);
    assert_false(image_problem(image, &error));
    image_free(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_gcc),
            cmocka_unit_test(test_levels),
            cmocka_unit_test(test_lld),
            cmocka_unit_test(test_ids),
            cmocka_unit_test(test_stripped),
            cmocka_unit_test(test_many_sections),
            cmocka_unit_test(test_again),
            cmocka_unit_test(test_opened),
            cmocka_unit_test(test_debug_file),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
