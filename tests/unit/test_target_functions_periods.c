/* SPDX-License-Identifier: MIT */
/*
 * Where a period of the function table ends, nothing of it is in the next:
 * after a reset and after another start, also of what did not run then.
 *
 * variant: 16 MCUPROF_FUNCTIONS=1 MCUPROF_FUNCTIONS_SLOTS=16
 */
#include "functions_by_hand.h"

/* The table puts what is open into its rows, and all into its sums. */
#define LONG 0x30000000u

/* Something comes whenever a hook wants to be alone. */
static void let_go(void)
{
    elapse(1);
    mcuprof_port_host.is_exclusive = 0;
}

/* All that goes wrong, in the task that runs, at a depth from 1 on. */
static void go_wrong(void)
{
    enter(1, 2);
    enter(2, 1); /* the one before was never left */
    leave(2, 1);
    leave(3, 1); /* this was never entered */
    for (uint32_t i = 0; i < MCUPROF_FUNCTIONS_DEPTH + 2u; i++) {
        enter(4, 1u + i);
    }
    for (uint32_t i = MCUPROF_FUNCTIONS_DEPTH + 2u; i-- > 0;) {
        leave(4, 1u + i);
    }
    for (unsigned i = 10; i < 40; i++) {
        call(i, 1); /* more than there are slots for */
    }
    mcuprof_port_host.between = let_go;
    call(2, 0);
    mcuprof_port_host.between = NULL;
}

static void use_all_contexts(void)
{
    for (unsigned i = 0; i < MCUPROF_FUNCTIONS_CONTEXTS; i++) {
        interrupt(20 + i, 5, 3);
    }
}

static void go_wrong_everywhere(void)
{
    mcuprof_context_set(SECOND);
    call(2, 4); /* it has a slot */
    mcuprof_context_set(FIRST);
    use_all_contexts();
    go_wrong();
    mcuprof_context_set(SECOND);
    go_wrong();
    enter(2, 1);
    elapse(20);
    mcuprof_context_set(THIRD); /* which finds no room */
    call(2, LONG);
    assert_true(mcuprof_poll() >= 0);
    mcuprof_context_set(FIRST);
}

static void expect_wrong(unsigned tasks)
{
    const struct mcuprofi_functions_moment *m = &mcuprofi_functions_moment;
    uint64_t nobody = m->rests[MCUPROF_FUNCTIONS_CONTEXTS].outside;
    assert_int_equal(m->unwound, tasks);
    assert_int_equal(m->unmatched, tasks);
    assert_int_equal(m->deep, 2u * tasks);
    assert_true((m->no_slot > 0) == (tasks > 0));
    assert_true((m->tries > 0) == (tasks > 0));
    /* An enter and an exit of each that found no room. */
    assert_int_equal(m->no_context, 3u * tasks);
    assert_int_equal(nobody, tasks > 0 ? LONG : 0);
}

static void expect_nothing(uint64_t ticks)
{
    look(ticks);
    expect_wrong(0);
    assert_int_equal(mcuprofi_functions_moment.rows, 0);
    assert_int_equal(mcuprofi_functions_moment.calls, 0);
    assert_int_equal(mcuprofi_functions_moment.hooks, 0);
}

/* What hooks take is theirs: here, only when they try again. */
static void start_with_costs(void)
{
    assert_int_equal(mcuprof_functions_start(NULL), 0);
}

/* At once, and when all have run again. */
static void test_reset_empties_all(void **state)
{
    (void)state;
    start_with_costs();
    go_wrong_everywhere();
    assert_true(mcuprof_functions_snapshot() > 0);
    expect_wrong(2);
    assert_true(mcuprofi_functions_moment.hooks > 0);
    mcuprof_functions_reset();
    look(0);
    expect_wrong(0);
    assert_int_equal(mcuprofi_functions_moment.rows, 1);
    expect(2, SECOND, 1, 1, 0, 0);
    elapse(9);
    mcuprof_context_set(SECOND);
    leave(2, 1);
    call(2, 4);
    mcuprof_context_set(FIRST);
    interrupt(20, 5, 3);
    look(9 + 4 + 3);
    expect_wrong(0);
    expect(2, SECOND, 2, 0, 4, 4);
    expect(5, 20, 1, 0, 3, 3);
    assert_int_equal(mcuprofi_functions_moment.calls, 3);
    assert_int_equal(outside(FIRST), 9);
}

static void test_start_empties_all(void **state)
{
    (void)state;
    start_with_costs();
    go_wrong_everywhere();
    assert_int_equal(mcuprof_functions_stop(), 0);
    elapse(77);
    start();
    expect_nothing(0);
    elapse(5);
    expect_nothing(5);
    mcuprof_context_set(SECOND);
    call(2, 4);
    mcuprof_context_set(FIRST);
    call(2, 8);
    interrupt(20, 5, 3);
    look(5 + 4 + 8 + 3);
    expect_wrong(0);
    expect(2, SECOND, 1, 0, 4, 4);
    expect(2, FIRST, 1, 0, 8, 8);
    expect(5, 20, 1, 0, 3, 3);
    assert_int_equal(mcuprofi_functions_moment.calls, 3);
}

/* With no other task, and calls open when it was stopped. */
static void test_start_alone(void **state)
{
    (void)state;
    start();
    go_wrong();
    use_all_contexts();
    enter(2, 1);
    elapse(6);
    assert_int_equal(mcuprof_functions_stop(), 0);
    start();
    expect_nothing(0);
    interrupt(21, 5, 3);
    call(6, 1);
    look(4);
    expect_wrong(0);
    expect(5, 21, 1, 0, 3, 3);
    expect(6, FIRST, 1, 0, 1, 1);
    assert_int_equal(mcuprofi_functions_moment.calls, 2);
}

static unsigned moments;

/* At the MOMENTS-th one of a hook of the second task's. */
static void start_meanwhile(void)
{
    if (moments == 0 || --moments > 0) {
        return;
    }
    mcuprof_port_host.is_exclusive = 0;
    mcuprof_context_set(FIRST);
    assert_int_equal(mcuprof_functions_stop(), 0);
    start();
    mcuprof_context_set(THIRD);
    call(5, 30);
    mcuprof_context_set(SECOND);
}

/*
 * A task that was left in the middle of a hook has it still to end, whatever
 * begins anew meanwhile: its own row is what it goes on with, and no other's.
 */
static void test_start_in_a_hook(void **state)
{
    unsigned reached = 0;
    (void)state;
    for (unsigned moment = 1; moment < 40; moment++) {
        (void)hand_begin(NULL);
        start();
        mcuprof_context_set(SECOND);
        call(1, 3);
        elapse(4);
        moments = moment;
        mcuprof_port_host.between = start_meanwhile;
        enter(2, 1);
        mcuprof_port_host.between = NULL;
        reached += moments == 0;
        if (moments > 0) {
            break;
        }
        elapse(10);
        leave(2, 1);
        call(3, 5);
        look(30 + 10 + 5);
        expect(5, THIRD, 1, 0, 30, 30);
        expect(3, SECOND, 1, 0, 5, 5);
        assert_true(row_of(2, SECOND)->calls <= 1);
        assert_int_equal(row_of(2, SECOND)->self + outside(SECOND), 10);
        for (unsigned function = 1; function < 4; function++) {
            expect(function, THIRD, 0, 0, 0, 0);
        }
        expect(1, SECOND, 0, 0, 0, 0);
        expect(5, SECOND, 0, 0, 0, 0);
    }
    assert_in_range(reached, 5, 38);
}

#define TEST(name) HAND_TEST(name)

int main(void)
{
    static const struct CMUnitTest tests[] = {
            TEST(test_reset_empties_all),
            TEST(test_start_empties_all),
            TEST(test_start_alone),
            TEST(test_start_in_a_hook),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
