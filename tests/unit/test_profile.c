/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "confidence.h"
#include "profile.h"
#include "units.h"

static void test_equal_stacks_merge(void **unused)
{
    const uint32_t stack[] = {0x100, 0x200, 0x300};
    struct profile *profile = profile_new();
    struct profile_entry entry;

    (void)unused;
    assert_non_null(profile);
    assert_int_equal(profile_add(profile, 0, stack, 1, 1), 0);
    assert_int_equal(profile_add(profile, 0, stack, 3, 5), 0);
    assert_int_equal(profile_add(profile, 15, stack, 1, 2), 0);
    assert_int_equal(profile_add(profile, 0, stack, 1, 10), 0);
    assert_int_equal(profile_add(profile, 0, stack, 0, 1), MCUPROF_E_USAGE);
    assert_int_equal(profile_count(profile), 3);
    assert_int_equal(profile_total(profile), 18);
    entry = profile_get(profile, 0);
    assert_int_equal(entry.weight, 11);
    assert_int_equal(entry.depth, 1);
    entry = profile_get(profile, 1);
    assert_int_equal(entry.weight, 5);
    assert_int_equal(entry.depth, 3);
    assert_memory_equal(entry.frames, stack, sizeof stack);
    entry = profile_get(profile, 2);
    assert_int_equal(entry.context, 15);
    profile_free(profile);
}

/* Sums stay exact while tables grow; each address comes three times. */
static void test_many_addresses(void **unused)
{
    const uint32_t count = 100000;
    struct profile *profile = profile_new();

    (void)unused;
    assert_non_null(profile);
    for (uint32_t round = 0; round < 3; round++)
        for (uint32_t i = 0; i < count; i++) {
            uint32_t address = 0x08000000 + 2 * i;

            assert_int_equal(
                    profile_add(profile, (uint16_t)(i & 1), &address, 1, 1), 0);
        }
    assert_int_equal(profile_count(profile), count);
    assert_int_equal(profile_total(profile), 3 * count);
    for (uint32_t i = 0; i < count; i++) {
        struct profile_entry entry = profile_get(profile, i);

        assert_int_equal(entry.weight, 3);
        assert_int_equal(entry.frames[0], 0x08000000 + 2 * i);
    }
    profile_free(profile);
}

/*
 * Newcombe, Statistics in Medicine 17 (1998), 857-872, table I, method 3
 * (the score method without continuity correction), to four digits.
 */
static void test_wilson(void **unused)
{
    static const struct {
        uint64_t hits;
        uint64_t count;
        double low;
        double high;
    } rows[] = {{81, 263, 0.2553, 0.3662},
                {15, 148, 0.0624, 0.1605},
                {0, 20, 0.0000, 0.1611},
                {1, 29, 0.0061, 0.1718}};

    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct interval interval =
                confidence_wilson(rows[i].hits, rows[i].count, CONFIDENCE_95);

        assert_float_equal(interval.low, rows[i].low, 0.00005);
        assert_float_equal(interval.high, rows[i].high, 0.00005);
    }
    assert_float_equal(confidence_wilson(0, 0, CONFIDENCE_95).high, 1.0, 0.0);
    assert_float_equal(confidence_wilson(9, 9, CONFIDENCE_95).high, 1.0, 0.0);
    assert_float_equal(confidence_wilson(0, 9, CONFIDENCE_95).low, 0.0, 0.0);
}

static void test_units(void **unused)
{
    char text[UNITS_MAX];

    (void)unused;
    assert_string_equal(units_count(text, 0), "0");
    assert_string_equal(units_count(text, 999), "999");
    assert_string_equal(units_count(text, 1000), "1,000");
    assert_string_equal(units_count(text, UINT64_MAX),
                        "18,446,744,073,709,551,615");
    assert_string_equal(units_seconds(text, 0.0), "0 s");
    assert_string_equal(units_seconds(text, 0.002), "2 ms");
    assert_string_equal(units_seconds(text, 4e-6), "4 us");
    assert_string_equal(units_seconds(text, 12.34), "12.34 s");
    assert_string_equal(units_seconds(text, 3600), "3600 s");
    assert_string_equal(units_seconds(text, 0.9996), "999.6 ms");
    assert_string_equal(units_hz(text, 1000), "1 kHz");
    assert_string_equal(units_hz(text, 168e6), "168 MHz");
    assert_string_equal(units_hz(text, 32768), "32.768 kHz");
    assert_string_equal(units_hz(text, 997.1), "997.1 Hz");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_equal_stacks_merge),
            cmocka_unit_test(test_many_addresses),
            cmocka_unit_test(test_wilson),
            cmocka_unit_test(test_units),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
