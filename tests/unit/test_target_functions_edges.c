/* SPDX-License-Identifier: MIT */
/*
 * The function table where hooks' costs are more than there is, where calls
 * are too deep, and where an interrupt that is counted switches tasks.
 *
 * variant: 64 MCUPROF_FUNCTIONS=1
 */
#include "functions_by_hand.h"

static uint64_t ticked;

static void tick(void)
{
    elapse(1);
    ticked++;
}

static void start_with_costs(void)
{
    assert_int_equal(mcuprof_functions_start(NULL), 0);
    mcuprof_functions.hot.inner = 1;
    mcuprof_functions.hot.outer = 1;
    ticked = 0;
}

/*
 * A hook is a tick shorter than it was measured: a call of nothing, left by the
 * slow path, has no time, not 2^32 - 1.
 */
static void test_costs_too_great(void **state)
{
    const struct mcuprof_function *row;
    (void)state;
    start_with_costs();
    /* Hooks that do take time, so that all of theirs is not below 0. */
    mcuprof_port_host.between = tick;
    enter(2, 0);
    mcuprof_port_host.between = NULL;
    assert_in_range(ticked, 5, 100);
    elapse(10);
    interrupt(16, 1, 0);
    elapse(10);
    leave(2, 0);
    look(20 + ticked);
    row = row_of(1, 16);
    expect(1, 16, 1, 0, 0, 0);
    assert_int_equal(row->min, 0);
    assert_int_equal(row->max, 0);
    row = row_of(2, FIRST);
    assert_in_range(row->self, 16, 20 + ticked);
    assert_int_equal(row->total, row->self);
}

#define TEST(name) HAND_TEST(name)

int main(void)
{
    static const struct CMUnitTest tests[] = {
            TEST(test_costs_too_great),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
