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

static void let_go(void)
{
    mcuprof_port_host.is_exclusive = 0;
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
    call(1, 0); /* it has its row */
    enter(2, 0);
    elapse(30);
    enter(1, 1);
    mcuprof_port_host.between = let_go;
    leave(1, 1);
    mcuprof_port_host.between = NULL;
    elapse(30);
    leave(2, 0);
    assert_true(mcuprof_functions_snapshot() > 0);
    row = row_of(1, FIRST);
    expect(1, FIRST, 2, 0, 0, 0);
    assert_int_equal(row->min, 0);
    assert_int_equal(row->max, 0);
    row = row_of(2, FIRST);
    assert_in_range(row->self, 55, 60);
    assert_int_equal(row->total, row->self);
}

/* What an interrupt's hooks took beyond the usual is the hooks', once. */
static void test_costs_of_an_interrupt(void **state)
{
    (void)state;
    start_with_costs();
    mcuprof_functions.head.again_enter = 2;
    mcuprof_functions.head.again_exit = 3;
    mcuprof_functions.head.again = 5;
    mcuprof_functions.head.extend = 7;
    mcuprof_port_host.between = tick;
    for (unsigned i = 0; i < 20; i++) {
        mcuprof_port_host.exception = 16;
        enter(1, 0);
        for (unsigned k = 1; k < 4; k++) {
            enter(2, k);
            elapse(i % 7u);
        }
        for (unsigned k = 4; k-- > 1;) {
            leave(2, k);
        }
        leave(1, 0);
        mcuprof_port_host.exception = 0;
        /* It starts from nothing again: 32 bits are not for all of them. */
        for (size_t c = 0; c < MCUPROF_FUNCTIONS_CONTEXTS; c++) {
            assert_true(mcuprof_functions.contexts[c].used != 16u + 1u
                        || mcuprof_functions.contexts[c].base->lr == 0);
        }
        interrupt(17, 3, 1);
    }
    mcuprof_port_host.between = NULL;
    look(ticked + 3u * (1 + 2 + 3 + 4 + 5 + 6) * 2u
         + 3u * (0 + 1 + 2 + 3 + 4 + 5) + 20u);
    assert_int_equal(row_of(2, 16)->calls, 60);
    assert_int_equal(row_of(1, 16)->calls, 20);
}

/*
 * Calls that are too deep are left by longjmp(): the next exit is that of a
 * call further down.
 */
static void test_deep_and_jumped(void **state)
{
    const unsigned depth = MCUPROF_FUNCTIONS_DEPTH;
    (void)state;
    start();
    for (uint32_t i = 0; i < depth + 3u; i++) {
        enter(i < 10 ? i : 10, i);
        elapse(10);
    }
    elapse(7);
    leave(9, 9);
    elapse(1);
    look(10u * (depth + 3u) + 8u);
    assert_int_equal(mcuprofi_functions_moment.deep, 3);
    assert_int_equal(mcuprofi_functions_moment.unwound, depth - 10u);
    assert_int_equal(mcuprofi_functions_moment.unmatched, 0);
    expect(9, FIRST, 1, 0, 10, 10u * (depth + 3u) + 7u - 90u);
    expect(8, FIRST, 1, 1, 11, 10u * (depth + 3u) + 8u - 80u);
    expect(10, FIRST, depth - 10u + 3u, 0, 10u * (depth - 7u) + 7u,
           10u * (depth - 7u) + 7u);
    /* The next too deep is left as it should be. */
    for (uint32_t i = 9; i < depth + 2u; i++) {
        enter(11, i);
    }
    for (uint32_t i = depth + 2u; i-- > 9;) {
        leave(11, i);
    }
    elapse(4);
    leave(8, 8);
    look(10u * (depth + 3u) + 12u);
    expect(8, FIRST, 1, 0, 15, 10u * (depth + 3u) + 12u - 80u);
    expect(11, FIRST, depth - 7u, 0, 0, 0);
}

/* A handler of the kernel's, with its own call open where it switches. */
static void switch_in(unsigned exception, unsigned task, uint32_t ticks)
{
    mcuprof_port_host.exception = exception;
    enter(7, 1);
    elapse(ticks);
    mcuprof_context_set(task);
    enter(8, 2);
    elapse(1);
    leave(8, 2);
    elapse(ticks);
    leave(7, 1);
    mcuprof_port_host.exception = 0;
}

static void test_switch_in_a_handler(void **state)
{
    (void)state;
    start();
    enter(1, 1);
    elapse(100);
    switch_in(14, SECOND, 1000);
    elapse(5);
    enter(1, 1);
    elapse(200);
    switch_in(14, FIRST, 2000);
    elapse(30);
    enter(2, 2);
    elapse(40);
    leave(2, 2);
    switch_in(14, FIRST, 3000); /* the same again */
    leave(1, 1);
    elapse(6);
    switch_in(14, SECOND, 4000);
    elapse(7);
    leave(1, 1);
    look(100 + 5 + 200 + 30 + 40 + 6 + 7 + 4 + 2 * 10000);
    expect(1, FIRST, 1, 0, 130, 170);
    expect(2, FIRST, 1, 0, 40, 40);
    expect(1, SECOND, 1, 0, 207, 207);
    expect(7, 14, 4, 0, 20000, 20004);
    expect(8, 14, 4, 0, 4, 4);
    assert_int_equal(outside(FIRST), 6);
    assert_int_equal(outside(SECOND), 5);
    assert_int_equal(outside(14), 0);
    assert_int_equal(mcuprofi_functions_moment.unwound, 0);
    assert_int_equal(mcuprofi_functions_moment.unmatched, 0);
}

/* In one that has come into another, which goes on. */
static void test_switch_in_nested_handlers(void **state)
{
    (void)state;
    start();
    for (unsigned i = 0; i < 6; i++) {
        unsigned to = i % 2u == 0 ? SECOND : FIRST;
        enter(1, 1);
        elapse(100);
        mcuprof_port_host.exception = 14;
        enter(5, 1);
        elapse(10);
        mcuprof_port_host.exception = 16;
        enter(6, 2);
        elapse(20);
        mcuprof_port_host.exception = 17;
        enter(7, 3);
        elapse(30);
        mcuprof_context_set(to);
        elapse(300);
        leave(7, 3);
        mcuprof_port_host.exception = 16;
        elapse(200);
        leave(6, 2);
        mcuprof_port_host.exception = 14;
        elapse(1000);
        leave(5, 1);
        mcuprof_port_host.exception = 0;
        if (i > 0) {
            /* What it was left in. */
            elapse(3);
            leave(1, 1);
        }
    }
    look(6u * (100 + 1560) + 5u * 3u);
    expect(1, FIRST, 3, 0, 309, 309);
    expect(1, SECOND, 3, 1, 306, 306);
    expect(5, 14, 6, 0, 6 * 1010, 6 * 1010);
    expect(6, 16, 6, 0, 6 * 220, 6 * 220);
    expect(7, 17, 6, 0, 6 * 330, 6 * 330);
    assert_int_equal(outside(FIRST), 0);
    assert_int_equal(outside(SECOND), 0);
    assert_int_equal(mcuprofi_functions_moment.unwound, 0);
    assert_int_equal(mcuprofi_functions_moment.unmatched, 0);
}

#define TEST(name) HAND_TEST(name)

int main(void)
{
    static const struct CMUnitTest tests[] = {
            TEST(test_costs_too_great),
            TEST(test_costs_of_an_interrupt),
            TEST(test_deep_and_jumped),
            TEST(test_switch_in_a_handler),
            TEST(test_switch_in_nested_handlers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
