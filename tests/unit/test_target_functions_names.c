/* SPDX-License-Identifier: MIT */
/*
 * Names of contexts in the printed function table, as the host reads them:
 * whatever is in a name, a line stays a line.
 *
 * variant: 16 MCUPROF_FUNCTIONS=1 MCUPROF_FUNCTIONS_SLOTS=16
 */
#include "functions_by_hand.h"

#include "capture.h"

static struct capture *capture;

static size_t feed(const uint8_t *bytes, size_t size)
{
    assert_int_equal(capture_feed(capture, bytes, size), 0);
    for (size_t i = 0; i < size; i++) {
        assert_true(bytes[i] >= ' ' || bytes[i] == '\r' || bytes[i] == '\n');
        assert_int_not_equal(bytes[i], 0x7F);
    }
    return size;
}

/* The name that arrives, of a table that arrives whole. */
static const char *read_name(const char *name)
{
    capture_free(capture);
    capture = capture_new();
    assert_non_null(capture);
    assert_int_equal(mcuprof_context_name(FIRST, name), 0);
    assert_int_equal(mcuprof_functions_print(feed), 0);
    assert_int_equal(capture_end(capture), 0);
    assert_int_equal(capture->functions.complete, 1);
    assert_int_equal(capture->functions.incomplete, 0);
    assert_non_null(capture_context(capture, FIRST));
    return capture_context(capture, FIRST)->name;
}

static void test_control_characters(void **state)
{
    static const char *const names[] = {
            "first\nsecond",
            "first\rsecond",
            "first\r\nmcuprof end x\nsecond",
            "first\tsecond",
            "first\x1B[2Jsecond",
            "first\x01\x1F\x7Fsecond",
    };
    (void)state;
    start();
    call(1, 3);
    assert_string_equal(read_name("the control loop"), "the control loop");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *name = read_name(names[i]);
        assert_ptr_equal(strstr(name, "first"), name);
        assert_non_null(strstr(name, "second"));
    }
    /* Bytes of UTF-8 are none. */
    assert_string_equal(read_name("Z\xC3\xA4hler"), "Z\xC3\xA4hler");
    capture_free(capture);
    capture = NULL;
}

#define TEST(name) HAND_TEST(name)

int main(void)
{
    static const struct CMUnitTest tests[] = {
            TEST(test_control_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
