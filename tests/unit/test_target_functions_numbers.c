/* SPDX-License-Identifier: MIT */
/*
 * The function table's numbers where they are widest, and where a cost takes
 * more than there is.
 *
 * variant: 64 MCUPROF_FUNCTIONS=1
 */
#include "functions_by_hand.h"

/* Nearly the longest time without an event that a context may have. */
#define LONG 0x7FFFFFFFu

static void test_48_bits(void **state)
{
    const uint64_t calls = 66000;
    (void)state;
    start();
    enter(3, 0);
    for (uint64_t i = 0; i < calls; i++) {
        elapse(1);
        enter(1, 1);
        elapse(LONG);
        leave(1, 1);
    }
    leave(3, 0);
    uint64_t ticks = calls * LONG;
    assert_true(ticks >> 47 == 1);
    look(ticks + calls);
    expect(1, FIRST, calls, 0, ticks, ticks);
    expect(3, FIRST, 1, 0, calls, ticks + calls);
}

#define TEST(name) HAND_TEST(name)

int main(void)
{
    static const struct CMUnitTest tests[] = {
            TEST(test_48_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
