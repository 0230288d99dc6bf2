/* SPDX-License-Identifier: MIT */
#include "arm_fixture.h"
#include "image.h"

/*
 * What the image says the memory holds, against the binary that objcopy
 * makes for a programmer and the build-id that readelf prints.
 */

enum {
    FLASH = 0x08000000
};

struct state {
    char directory[PATH_SIZE];
    char elf[PATH_SIZE];
    struct nm_table nm;
    struct image *image;
    uint8_t *flash; /* from FLASH on */
    size_t flash_size;
};

static struct state state;

static int setup(void **unused)
{
    char binary[PATH_SIZE];
    struct error error;

    (void)unused;
    fixture_begin(state.directory);
    fixture_path(state.elf, state.directory, "names.elf");
    fixture_path(binary, state.directory, "names.bin");
    build_names(state.elf);
    nm_read(&state.nm, state.directory, state.elf);
    run_tool(NULL, "arm-none-eabi-objcopy", "-O", "binary", "--gap-fill=0xff",
             state.elf, binary, NULL);
    state.flash = file_read(binary, &state.flash_size);
    if (image_open(&state.image, state.elf, &error) != 0)
        fail_msg("%s", error.cause);
    return 0;
}

static int teardown(void **unused)
{
    (void)unused;
    image_free(state.image);
    free(state.flash);
    fixture_end(state.directory);
    return 0;
}

static void test_read_at_run_time_address(void **unused)
{
    uint32_t data = nm_find(&state.nm, "_sdata")->address;
    uint32_t data_end = nm_find(&state.nm, "_edata")->address;
    uint32_t load = nm_find(&state.nm, "_sidata")->address - FLASH;
    uint8_t bytes[64];

    (void)unused;
    assert_int_equal(image_read(state.image, FLASH, bytes, 64), 0);
    assert_memory_equal(bytes, state.flash, 64);
    assert_in_range(data_end - data, 5, 64);
    assert_int_equal(image_read(state.image, data, bytes, data_end - data), 0);
    assert_memory_equal(bytes, state.flash + load, data_end - data);
    /* ram_counter of names.c is 7 */
    assert_int_equal(bytes[0], 7);
    assert_int_equal(image_read(state.image, data, bytes, 0), 0);
}

static void test_read_needs_every_byte(void **unused)
{
    uint32_t bss = nm_find(&state.nm, "zeroed_counter")->address;
    uint8_t bytes[64];

    (void)unused;
    assert_int_equal(image_read(state.image, bss, bytes, 1),
                     MCUPROF_E_NOT_FOUND);
    assert_int_equal(image_read(state.image, bss - 4, bytes, 5),
                     MCUPROF_E_NOT_FOUND);
    assert_int_equal(image_read(state.image, bss - 4, bytes, 4), 0);
    assert_int_equal(image_read(state.image, FLASH - 1, bytes, 2),
                     MCUPROF_E_NOT_FOUND);
    assert_int_equal(image_read(state.image, 0xFFFFFFFF, bytes, 2),
                     MCUPROF_E_NOT_FOUND);
}

static void test_read_as_programmed(void **unused)
{
    uint32_t size = (uint32_t)state.flash_size;
    uint8_t *bytes = malloc(size + 32);

    (void)unused;
    assert_non_null(bytes);
    /* Both segments, the gap between them and what lies around. */
    assert_int_equal(image_read_load(state.image, FLASH - 16, bytes, size + 32),
                     0);
    for (size_t i = 0; i < 16; i++) {
        assert_int_equal(bytes[i], 0xFF);
        assert_int_equal(bytes[16 + size + i], 0xFF);
    }
    assert_memory_equal(bytes + 16, state.flash, size);
    /* The same flash as seen at 0. */
    assert_int_equal(image_read_load(state.image, 0, bytes, size), 0);
    assert_memory_equal(bytes, state.flash, size);
    assert_int_equal(image_read_load(state.image, 8, bytes, 4), 0);
    assert_memory_equal(bytes, state.flash + 8, 4);
    /* RAM is not programmed. */
    assert_int_equal(image_read_load(state.image, 0x20000000, bytes, 4),
                     MCUPROF_E_NOT_FOUND);
    assert_int_equal(bytes[3], 0xFF);
    assert_int_equal(image_read_load(state.image, 0xFFFFFFFE, bytes, 3),
                     MCUPROF_E_USAGE);
    free(bytes);
}

/* Bit by bit, as the polynomial is written: not zlib. */
static uint32_t crc_of(const uint8_t *bytes, size_t size, size_t patched)
{
    uint32_t crc = 0xFFFFFFFF;

    for (size_t i = 0; i < size; i++) {
        if (i >= patched && i < patched + 4)
            continue;
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
    }
    return ~crc;
}

static void expect_identity(uint32_t start, uint32_t length, uint32_t expected)
{
    uint32_t crc = 0;

    assert_int_equal(image_identity_crc(state.image, start, length, &crc), 0);
    assert_int_equal(crc, expected);
}

static void test_identity(void **unused)
{
    static const uint32_t lengths[] = {1, 28, 29, 31, 32, 33, 64};
    uint32_t size = (uint32_t)state.flash_size;
    uint8_t *erased = malloc(16384);
    uint32_t crc;

    (void)unused;
    assert_non_null(erased);
    assert_int_equal(crc_of((const uint8_t *)"123456789", 9, 9), 0xCBF43926);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        expect_identity(FLASH, lengths[i], crc_of(state.flash, lengths[i], 28));
    expect_identity(FLASH, size, crc_of(state.flash, size, 28));
    expect_identity(0, size, crc_of(state.flash, size, 28));
    expect_identity(FLASH + 4, 100, crc_of(state.flash + 4, 100, 28));
    /* 16 KiB, most of them erased: more than one slice of the reading. */
    memset(erased, 0xFF, 16384);
    memcpy(erased, state.flash, size);
    expect_identity(FLASH, 16384, crc_of(erased, 16384, 28));
    free(erased);
    assert_int_equal(image_identity_crc(state.image, FLASH, 0, &crc),
                     MCUPROF_E_USAGE);
    assert_int_equal(image_identity_crc(state.image, FLASH, 0xFFFFFFFF, &crc),
                     MCUPROF_E_USAGE);
    assert_int_equal(image_identity_crc(state.image, 0x20000000, 64, &crc),
                     MCUPROF_E_NOT_FOUND);
}

/* A programmer may patch word 7, and nothing else. */
static void test_identity_skips_word_7(void **unused)
{
    char path[PATH_SIZE];
    struct image *patched;
    struct error error;
    size_t size, at;
    uint8_t *bytes = file_read(state.elf, &size);
    uint32_t before, after;

    (void)unused;
    for (at = 0; at + 64 <= size; at++)
        if (memcmp(bytes + at, state.flash, 64) == 0)
            break;
    assert_in_range(at, 1, size - 64);
    assert_int_equal(image_identity_crc(state.image, FLASH, 64, &before), 0);
    fixture_path(path, state.directory, "patched.elf");
    for (size_t byte = 24; byte < 36; byte++) {
        bytes[at + byte] ^= 0x10;
        file_write(path, bytes, size);
        bytes[at + byte] ^= 0x10;
        assert_int_equal(image_open(&patched, path, &error), 0);
        assert_int_equal(image_identity_crc(patched, FLASH, 64, &after), 0);
        assert_int_equal(before == after, byte >= 28 && byte < 32);
        image_free(patched);
    }
    free(bytes);
}

static void expect_build_id(const char *elf)
{
    char notes[PATH_SIZE], text[48] = "", *found, *all;
    uint8_t id[20];
    struct image *image;
    struct error error;
    size_t size = 0;

    fixture_path(notes, state.directory, "notes.txt");
    run_tool(notes, "arm-none-eabi-readelf", "-n", state.elf, NULL);
    all = (char *)file_read(notes, &size);
    all[size] = '\0';
    found = strstr(all, "Build ID: ");
    assert_non_null(found);
    assert_int_equal(image_open(&image, elf, &error), 0);
    assert_int_equal(image_build_id(image, id, &size), 0);
    assert_int_equal(size, 20);
    for (size_t i = 0; i < size; i++)
        (void)snprintf(text + 2 * i, 3, "%02x", id[i]);
    assert_memory_equal(found + strlen("Build ID: "), text, 40);
    image_free(image);
    free(all);
}

static void test_build_id(void **unused)
{
    char path[PATH_SIZE];
    struct image *image;
    struct error error;
    size_t size;
    uint8_t *bytes = file_read(state.elf, &size), id[20];

    (void)unused;
    expect_build_id(state.elf);
    /* No section table: e_shoff and e_shnum are 0. */
    memset(bytes + 32, 0, 4);
    memset(bytes + 48, 0, 4);
    fixture_path(path, state.directory, "no-sections.elf");
    file_write(path, bytes, size);
    expect_build_id(path);
    free(bytes);

    fixture_path(path, state.directory, "no-id.elf");
    run_tool(NULL, "arm-none-eabi-objcopy", "-R", ".note.gnu.build-id",
             state.elf, path, NULL);
    assert_int_equal(image_open(&image, path, &error), 0);
    assert_int_equal(image_build_id(image, id, &size), MCUPROF_E_NOT_FOUND);
    image_free(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_read_at_run_time_address),
            cmocka_unit_test(test_read_needs_every_byte),
            cmocka_unit_test(test_read_as_programmed),
            cmocka_unit_test(test_identity),
            cmocka_unit_test(test_identity_skips_word_7),
            cmocka_unit_test(test_build_id),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
