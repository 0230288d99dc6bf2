/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "error.h"

static void test_set(void **unused)
{
    struct error error;

    (void)unused;
    assert_int_equal(error_set(&error, MCUPROF_E_IO, "try again",
                               "cannot read %s", "fw.elf"),
                     MCUPROF_E_IO);
    assert_int_equal(error.code, MCUPROF_E_IO);
    assert_string_equal(error.cause, "cannot read fw.elf");
    assert_string_equal(error.remedy, "try again");
    assert_int_equal(error_set(NULL, MCUPROF_E_NOMEM, "", "%d", 1),
                     MCUPROF_E_NOMEM);
}

/* A file name may hold a newline or an escape sequence; UTF-8 stays. */
static void test_one_line(void **unused)
{
    struct error error;

    (void)unused;
    (void)error_set(&error, MCUPROF_E_IO, "\x7F", "a\n\x1B[31m \xC3\xA4");
    assert_string_equal(error.cause, "a??[31m \xC3\xA4");
    assert_string_equal(error.remedy, "?");
    /* U+009B begins a sequence as ESC [ does. */
    (void)error_set(&error, MCUPROF_E_IO, "\xFF", "a\xC2\x9B");
    assert_string_equal(error.cause, "a?");
    assert_string_equal(error.remedy, "?");
}

static void test_long_text_is_cut(void **unused)
{
    struct error error;
    char text[1000];

    (void)unused;
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    (void)error_set(&error, MCUPROF_E_IO, text, "%s", text);
    assert_int_equal(strlen(error.cause), sizeof error.cause - 1);
    assert_int_equal(strlen(error.remedy), sizeof error.remedy - 1);
}

static void test_codes(void **unused)
{
    (void)unused;
    assert_string_equal(error_message(MCUPROF_E_NOMEM), "out of memory");
    assert_string_equal(error_message(0), "no error");
    assert_string_equal(error_message(-1000), "unknown error");
    assert_true(MCUPROF_E_NOT_FOUND < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_set),
            cmocka_unit_test(test_one_line),
            cmocka_unit_test(test_long_text_is_cut),
            cmocka_unit_test(test_codes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
