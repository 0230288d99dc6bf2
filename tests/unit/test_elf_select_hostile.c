/* SPDX-License-Identifier: MIT */
#include "bytes.h"
#include "select_rig.h"

#include <zlib.h>

/*
 * Selected images that somebody has damaged: restored to the byte, or refused
 * in one line that has a remedy.
 */

enum {
    RECORD_FIXED = 112,
    AT_CRC = 16
};

static struct {
    struct rig rig;
    char hurt[PATH_SIZE];
    uint8_t *original;
    size_t original_size;
    uint8_t *bytes; /* of the selected image */
    size_t size;
    size_t record; /* where it is in them */
    size_t record_size;
    size_t restored; /* what became of the damaged ones */
    size_t refused;
} state;

/* Where the record is, as readelf sees it. */
static void find_record(void)
{
    char list[PATH_SIZE], line[256];
    FILE *file;

    fixture_path(list, state.rig.directory, "sections.txt");
    run_tool(list, "arm-none-eabi-readelf", "-SW", state.rig.out, NULL);
    file = fopen(list, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        const char *at = strstr(line, ".mcuprof.select");

        if (at != NULL)
            assert_int_equal(sscanf(at, "%*s PROGBITS %*x %zx %zx",
                                    &state.record, &state.record_size),
                             2);
    }
    (void)fclose(file);
    assert_in_range(state.record_size, RECORD_FIXED, 100000);
}

static int setup(void **unused)
{
    (void)unused;
    rig_begin(&state.rig);
    fixture_path(state.hurt, state.rig.directory, "hurt.elf");
    rig_build(&state.rig, "-Os", "-Wl,--build-id", "-g0", "-g0");
    rig_find(&state.rig);
    rig_select(&state.rig, state.rig.in, state.rig.out, state.rig.count);
    state.original = file_read(state.rig.in, &state.original_size);
    state.bytes = file_read(state.rig.out, &state.size);
    find_record();
    return 0;
}

static int teardown(void **unused)
{
    (void)unused;
    free(state.original);
    free(state.bytes);
    fixture_end(state.rig.directory);
    return 0;
}

/* In one line, with a remedy in another. */
static void check_words(const struct error *error, int result)
{
    assert_int_equal(error->code, result);
    assert_int_not_equal(error->cause[0], '\0');
    assert_int_not_equal(error->remedy[0], '\0');
    assert_null(strchr(error->cause, '\n'));
    assert_null(strchr(error->remedy, '\n'));
}

static void judge(const uint8_t *bytes, size_t size)
{
    struct select_record record;
    struct error error = {0};
    int result;

    assert_int_equal(select_record_read(&record, bytes, size), 0);
    select_record_deinit(&record);
    file_write(state.hurt, bytes, size);
    (void)unlink(state.rig.back);
    result = elf_select_restore(state.hurt, state.rig.back, &error);
    if (result == 0) {
        rig_same(state.rig.in, state.rig.back);
        state.restored++;
        return;
    }
    check_words(&error, result);
    assert_int_equal(access(state.rig.back, F_OK), -1);
    state.refused++;
}

static void damage(size_t from, size_t size, bool is_mended)
{
    static const uint8_t masks[] = {0x01, 0x80, 0xFF};
    uint8_t *record = state.bytes + state.record;

    state.restored = state.refused = 0;
    for (size_t i = from; i < from + size; i++)
        for (size_t k = 0; k < sizeof masks; k++) {
            uint8_t sum[4];

            memcpy(sum, record + AT_CRC, sizeof sum);
            state.bytes[i] ^= masks[k];
            if (is_mended) {
                bytes_put32(record + AT_CRC, 0);
                bytes_put32(
                        record + AT_CRC,
                        (uint32_t)crc32(0, record, (uInt)state.record_size));
            }
            judge(state.bytes, state.size);
            state.bytes[i] ^= masks[k];
            if (is_mended)
                memcpy(record + AT_CRC, sum, sizeof sum);
        }
}

static void test_record(void **unused)
{
    (void)unused;
    damage(state.record, state.record_size, false);
    assert_int_equal(state.restored, 0);
    assert_int_equal(state.refused, 3 * state.record_size);
}

/* With its CRC made anew: what is still restored did not depend on it. */
static void test_mended_record(void **unused)
{
    (void)unused;
    damage(state.record, state.record_size, true);
    /* Summary, text, addresses: nothing that the original is made of. */
    assert_in_range(state.restored, 3 * 16, 3 * state.record_size / 2);
    assert_in_range(state.refused, 3 * 100, 3 * state.record_size);
}

/* The header, the segments and code, the tables at the end. */
static void test_file(void **unused)
{
    size_t tables = state.record + state.record_size;

    (void)unused;
    damage(0, 52 + 3 * 32, false);
    assert_in_range(state.restored, 30, 3 * 52);
    assert_in_range(state.refused, 3 * 3 * 32, 3 * (52 + 3 * 32));
    damage(tables, state.size - tables, false);
    assert_in_range(state.restored, 100, 3 * (state.size - tables) - 1);
    assert_in_range(state.refused, 10, 3 * (state.size - tables) - 1);
}

/* The original's own bytes: what was changed is put back, else refused. */
static void test_code(void **unused)
{
    size_t changed = 0;

    (void)unused;
    for (size_t i = 52; i < state.original_size; i++)
        changed += state.bytes[i] != state.original[i];
    state.restored = state.refused = 0;
    for (size_t i = 52; i < state.original_size; i += 1) {
        if (state.bytes[i] == state.original[i] && i % 97 != 0)
            continue;
        state.bytes[i] ^= 0x10;
        judge(state.bytes, state.size);
        state.bytes[i] ^= 0x10;
    }
    assert_in_range(state.restored, changed, changed + 4);
    assert_in_range(state.refused, state.original_size / 97 / 2,
                    state.original_size / 97 + 2);
}

static void test_cut(void **unused)
{
    (void)unused;
    state.restored = state.refused = 0;
    for (size_t size = 0; size < state.size; size += 7)
        judge(state.bytes, size);
    assert_int_equal(state.restored, 0);
}

static void test_other_version(void **unused)
{
    uint8_t *record = state.bytes + state.record;
    struct error error = {0};

    (void)unused;
    bytes_put32(record + 8, 2);
    bytes_put32(record + AT_CRC, 0);
    bytes_put32(record + AT_CRC,
                (uint32_t)crc32(0, record, (uInt)state.record_size));
    file_write(state.hurt, state.bytes, state.size);
    assert_int_equal(elf_select_restore(state.hurt, state.rig.back, &error),
                     MCUPROF_E_VERSION);
    check_words(&error, MCUPROF_E_VERSION);
    assert_non_null(strstr(error.cause, "another version"));
    free(state.bytes);
    state.bytes = file_read(state.rig.out, &state.size);
}

/* After other tools the original cannot be made again, and they are told so. */
static void test_other_tools(void **unused)
{
    static const char *const tools[] = {"arm-none-eabi-strip",
                                        "arm-none-eabi-objcopy", "llvm-strip"};
    struct error error = {0};

    (void)unused;
    for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++) {
        run_tool(NULL, "cp", state.rig.out, state.hurt, NULL);
        run_tool(NULL, tools[i], state.hurt, NULL);
        if (elf_select_restore(state.hurt, state.rig.back, &error) == 0)
            fail_msg("%s", tools[i]);
        check_words(&error, error.code);
    }
    assert_int_equal(elf_select_restore(state.rig.in, state.rig.back, &error),
                     MCUPROF_E_NOT_FOUND);
    assert_non_null(strstr(error.cause, "is not a selected image"));
    assert_int_equal(elf_select_restore(FIXTURES "select_work.c",
                                        state.rig.back, &error),
                     MCUPROF_E_FORMAT);
}

/* Patches that do not fit, each with what is said of it. */
static void test_bad_patches(void **unused)
{
    const struct elf_patch good = state.rig.patches[0];
    const struct {
        uint32_t address;
        uint8_t size;
        uint8_t first;
        int code;
    } bad[] = {
            {good.address, 4, (uint8_t)~good.before[0], MCUPROF_E_MISMATCH},
            {good.address, 3, good.before[0], MCUPROF_E_FORMAT},
            {0x30000000, 4, good.before[0], MCUPROF_E_FORMAT},
            {0, 4, good.before[0], MCUPROF_E_FORMAT},
            {0xFFFFFFFE, 4, good.before[0], MCUPROF_E_FORMAT},
    };
    const struct select_summary summary = {.rules = ""};
    struct elf_patch twice[2] = {good, good};
    struct error error = {0};

    (void)unused;
    (void)unlink(state.rig.back);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct elf_patch patch = good;

        patch.address = bad[i].address;
        patch.size = bad[i].size;
        patch.before[0] = bad[i].first;
        assert_int_equal(elf_select_write(state.rig.in, state.rig.back, &patch,
                                          1, &summary, &error),
                         bad[i].code);
        check_words(&error, bad[i].code);
    }
    assert_int_equal(elf_select_write(state.rig.in, state.rig.back, twice, 2,
                                      &summary, &error),
                     MCUPROF_E_FORMAT);
    assert_non_null(strstr(error.cause, "twice"));
    assert_int_equal(access(state.rig.back, F_OK), -1);
}

/* A table of the file, or a second claim, where the code should be. */
static void test_bad_places(void **unused)
{
    enum {
        BAD_PLACES = (52 + 32) / 4 /* words of the header and a segment */
    };
    const struct select_summary summary = {.rules = ""};
    struct elf_patch patch = state.rig.patches[0];
    uint32_t table = bytes_get32(state.original + 28), place = 0;
    uint8_t *bytes = malloc(state.original_size);
    struct error error = {0};

    (void)unused;
    assert_non_null(bytes);
    /* The first segment begins at the file's begin. With sections that say
       otherwise, and without any. */
    for (uint32_t i = 0; i < 2 * BAD_PLACES; i++) {
        uint32_t offset = i % BAD_PLACES * 4;

        memcpy(bytes, state.original, state.original_size);
        if (i >= BAD_PLACES) {
            bytes_put32(bytes + 32, 0);
            bytes_put32(bytes + 48, 0);
        }
        bytes_put32(bytes + table + 4, 0);
        bytes_put32(bytes + table + 8, patch.address - offset);
        bytes_put32(bytes + table + 16, 4096);
        bytes_put16(bytes + 44, 1);
        memcpy(patch.before, bytes + offset, 4);
        file_write(state.hurt, bytes, state.original_size);
        assert_int_equal(elf_select_write(state.hurt, state.rig.back, &patch, 1,
                                          &summary, &error),
                         MCUPROF_E_FORMAT);
        check_words(&error, MCUPROF_E_FORMAT);
        assert_non_null(strstr(error.cause, "is not in one place"));
    }
    /* Two segments claim it, in two places. */
    patch = state.rig.patches[0];
    memcpy(bytes, state.original, state.original_size);
    place = bytes_get32(bytes + table + 32 + 4);
    bytes_put32(bytes + table + 32 + 8, patch.address);
    bytes_put32(bytes + table + 32 + 16, 4);
    assert_int_not_equal(place, 0);
    file_write(state.hurt, bytes, state.original_size);
    assert_int_equal(elf_select_write(state.hurt, state.rig.back, &patch, 1,
                                      &summary, &error),
                     MCUPROF_E_FORMAT);
    assert_non_null(strstr(error.cause, "not in one place"));
    free(bytes);
}

/* Every byte of the original's tables: selected, then it restores; or not. */
static void test_hostile_original(void **unused)
{
    const struct select_summary summary = {.rules = "--drop x"};
    uint32_t sections = bytes_get32(state.original + 32);
    char in[PATH_SIZE];
    size_t selected = 0;

    (void)unused;
    fixture_path(in, state.rig.directory, "in.elf");
    for (size_t i = 0; i < state.original_size; i++) {
        struct error error = {0};
        int result;

        if (i > 52 + 4 * 32 && i < sections && i % 61 != 0)
            continue;
        state.original[i] ^= 0xFF;
        file_write(in, state.original, state.original_size);
        state.original[i] ^= 0xFF;
        result = elf_select_write(in, state.hurt, state.rig.patches,
                                  state.rig.count, &summary, &error);
        if (result < 0) {
            check_words(&error, result);
            continue;
        }
        rig_restore(state.hurt, state.rig.back);
        rig_same(in, state.rig.back);
        /* What is not replaced is written faster. */
        (void)unlink(state.hurt);
        (void)unlink(state.rig.back);
        selected++;
    }
    assert_in_range(selected, 100, state.original_size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_record),
            cmocka_unit_test(test_mended_record),
            cmocka_unit_test(test_file),
            cmocka_unit_test(test_code),
            cmocka_unit_test(test_cut),
            cmocka_unit_test(test_other_version),
            cmocka_unit_test(test_other_tools),
            cmocka_unit_test(test_bad_patches),
            cmocka_unit_test(test_bad_places),
            cmocka_unit_test(test_hostile_original),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
