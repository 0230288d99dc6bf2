/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <unistd.h>

#include "bytes.h"
#include "memory_file.h"

/* FILE holds TEXT of SIZE bytes and nothing else. */
static void fill(FILE *file, const void *text, size_t size)
{
    rewind(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fflush(file), 0);
    assert_int_equal(ftruncate(fileno(file), (off_t)size), 0);
}

static int set_up(void **state)
{
    *state = tmpfile();
    return *state == NULL ? -1 : 0;
}

static int tear_down(void **state)
{
    return fclose(*state);
}

/* Lines of the specification's kinds. */
static const char hex[] = ":020000042000DA\n" /* at 0x2000.... */
                          ":0400000001020304F2\n"
                          ":020008000506EB\r\n"
                          ":020000021000EC\n"     /* at 0x10000 */
                          ":04FFFE00AABBCCDDF1\n" /* over its end */
                          ":0400000500000101F5\n" /* where it starts */
                          "\n"
                          ":00000001FF\n"
                          "anything\n";

static int read_at(const struct memory_file *file, uint32_t address, void *out,
                   size_t size)
{
    return memory_read(memory_file_get(file), address, out, size, NULL);
}

static void test_hex(void **state)
{
    FILE *stream = *state;
    struct memory_file *file = NULL;
    uint8_t out[4];

    fill(stream, hex, sizeof hex - 1);
    assert_int_equal(
            memory_file_open(&file, fileno(stream), "name", NULL, NULL), 0);
    assert_int_equal(read_at(file, 0x20000000, out, 4), 0);
    assert_memory_equal(out, "\1\2\3\4", 4);
    assert_int_equal(read_at(file, 0x20000008, out, 2), 0);
    assert_memory_equal(out, "\5\6", 2);
    /* A segment's addresses wrap within 64 KiB. */
    assert_int_equal(read_at(file, 0x1FFFE, out, 2), 0);
    assert_memory_equal(out, "\xAA\xBB", 2);
    assert_int_equal(read_at(file, 0x10000, out, 2), 0);
    assert_memory_equal(out, "\xCC\xDD", 2);
    assert_int_equal(read_at(file, 0x20000002, out, 3), MCUPROF_E_TRUNCATED);
    assert_int_equal(read_at(file, 0x20000004, out, 1), MCUPROF_E_NOT_FOUND);
    assert_int_equal(read_at(file, 0x20000, out, 1), MCUPROF_E_NOT_FOUND);
    memory_file_free(file);
}

#define CORE_SIZE (52 + 3 * 32 + 12)

/* Three segments, the last two of which adjoin in memory, turned in the file.
 */
static void make_core(uint8_t *core)
{
    static const uint32_t segments[3][3] = {
            {148, 0x10000000, 4}, {156, 0x20000004, 4}, {152, 0x20000000, 4}};

    memset(core, 0, CORE_SIZE);
    memcpy(core, "\177ELF\1\1\1", 7);
    bytes_put16(core + 16, 4);
    bytes_put32(core + 28, 52);
    bytes_put16(core + 42, 32);
    bytes_put16(core + 44, 3);
    for (size_t i = 0; i < 3; i++) {
        uint8_t *header = core + 52 + 32 * i;

        bytes_put32(header, 1);
        bytes_put32(header + 4, segments[i][0]);
        bytes_put32(header + 8, segments[i][1]);
        bytes_put32(header + 16, segments[i][2]);
    }
    memcpy(core + 148,
           "flsh"
           "abcd"
           "efgh",
           12);
}

static void test_core(void **state)
{
    FILE *stream = *state;
    struct memory_file *file = NULL;
    uint8_t core[CORE_SIZE];
    char out[9] = "";

    make_core(core);
    fill(stream, core, sizeof core);
    assert_int_equal(
            memory_file_open(&file, fileno(stream), "name", NULL, NULL), 0);
    assert_int_equal(read_at(file, 0x20000000, out, 8), 0);
    assert_string_equal(out, "abcdefgh");
    assert_int_equal(read_at(file, 0x20000001, out, 8), MCUPROF_E_TRUNCATED);
    memory_file_free(file);
    /* What the file ends before is not there. */
    fill(stream, core, sizeof core - 3);
    assert_int_equal(
            memory_file_open(&file, fileno(stream), "name", NULL, NULL), 0);
    assert_int_equal(read_at(file, 0x20000000, out, 5), 0);
    assert_int_equal(read_at(file, 0x20000000, out, 6), MCUPROF_E_TRUNCATED);
    memory_file_free(file);
}

static void test_plain(void **state)
{
    const uint32_t begin = 0xFFFFFFFE;
    FILE *stream = *state;
    struct memory_file *file = NULL;
    char out[4] = "";

    /* More than there are addresses. */
    fill(stream, "abcd", 4);
    assert_int_equal(
            memory_file_open(&file, fileno(stream), "name", &begin, NULL), 0);
    assert_int_equal(read_at(file, begin, out, 2), 0);
    assert_memory_equal(out, "ab", 2);
    assert_int_equal(read_at(file, begin, out, 3), MCUPROF_E_TRUNCATED);
    assert_int_equal(read_at(file, 0, out, 1), MCUPROF_E_NOT_FOUND);
    memory_file_free(file);
}

static bool has_addresses(FILE *stream, const void *text, size_t size)
{
    fill(stream, text, size);
    return memory_file_has_addresses(fileno(stream));
}

static void test_forms(void **state)
{
    FILE *stream = *state;
    uint8_t core[CORE_SIZE];

    make_core(core);
    assert_true(has_addresses(stream, core, sizeof core));
    assert_true(has_addresses(stream, hex, sizeof hex - 1));
    assert_true(has_addresses(stream, ":00000001FF\n", 12));
    assert_false(has_addresses(stream, ":0000000", 8));
    assert_false(has_addresses(stream, ":0000000x0000000000", 19));
    assert_false(has_addresses(stream, core, 16));
    bytes_put16(core + 16, 2); /* ET_EXEC */
    assert_false(has_addresses(stream, core, sizeof core));
    assert_false(has_addresses(stream, "", 0));
}

static uint32_t next_random(uint32_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

/* Damaged files give an error with a remedy, or a memory that can be asked. */
static void damage(FILE *stream, const uint8_t *good, size_t size)
{
    uint8_t bad[512];
    uint32_t seed = 4711;

    for (unsigned round = 0; round < 3000; round++) {
        struct memory_file *file = NULL;
        struct error error = {0};
        uint8_t out[16];
        size_t kept = round % 7 == 0 ? next_random(&seed) % size : size;

        memcpy(bad, good, size);
        for (unsigned i = 0; i <= round % 3; i++)
            bad[next_random(&seed) % size] = (uint8_t)next_random(&seed);
        fill(stream, bad, kept);
        if (memory_file_open(&file, fileno(stream), "name", NULL, &error) < 0) {
            assert_true(error.cause[0] != '\0' && error.remedy[0] != '\0');
            continue;
        }
        for (unsigned i = 0; i < 8; i++)
            (void)!read_at(file, 0x20000000 + next_random(&seed) % 16, out,
                           1 + next_random(&seed) % sizeof out);
        (void)!read_at(file, next_random(&seed), out, sizeof out);
        memory_file_free(file);
    }
}

static void test_damage(void **state)
{
    uint8_t core[CORE_SIZE];

    make_core(core);
    damage(*state, core, sizeof core);
    damage(*state, (const uint8_t *)hex, sizeof hex - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(test_hex, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_core, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_plain, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_forms, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_damage, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
