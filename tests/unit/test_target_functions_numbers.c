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

/* More calls than 31 bits; those that nobody waits for are put in. */
static void test_many_calls(void **state)
{
    struct mcuprofi_function_row *row;
    (void)state;
    start();
    call(1, 0);
    row = hand_row(1);
    row->calls = LONG;
    for (uint64_t i = 1; i <= 5; i++) {
        call(1, 0);
        look(i - 1u);
        expect(1, FIRST, LONG + i, 0, 0, 0);
        elapse(1);
    }
    /* As many again, once the table was settled in between. */
    elapse(0x30000000u);
    assert_true(mcuprof_poll() >= 0);
    row->calls += LONG - 10u;
    for (uint64_t i = 1; i <= 20; i++) {
        call(1, 0);
        look(0x30000005u);
        expect(1, FIRST, 2u * (uint64_t)LONG + i - 5u, 0, 0, 0);
    }
}

/* Both are those of calls whose time has no room, 1 and more of 2^40. */
static void test_40_bits(void **state)
{
    const uint64_t most = 0xFEFFFFFFFFu;
    (void)state;
    start();
    enter(1, 1);
    for (unsigned i = 0; i < 520; i++) {
        elapse(LONG);
        assert_true(mcuprof_poll() >= 0);
    }
    leave(1, 1);
    look(520 * (uint64_t)LONG);
    expect(1, FIRST, 1, 0, 520 * (uint64_t)LONG, 520 * (uint64_t)LONG);
    assert_int_equal(row_of(1, FIRST)->min, most);
    assert_int_equal(row_of(1, FIRST)->max, most);
    call(1, 5);
    look(520 * (uint64_t)LONG + 5u);
    assert_int_equal(row_of(1, FIRST)->min, 5);
    assert_int_equal(row_of(1, FIRST)->max, most);
}

#define TEST(name) HAND_TEST(name)

int main(void)
{
    static const struct CMUnitTest tests[] = {
            TEST(test_48_bits),
            TEST(test_many_calls),
            TEST(test_40_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
