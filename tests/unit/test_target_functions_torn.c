/* SPDX-License-Identifier: MIT */
/*
 * The function table's thread side, with events between any two of its
 * instructions.
 *
 * variant: 16 MCUPROF_FUNCTIONS=1 MCUPROF_FUNCTIONS_SLOTS=16
 */
#define _GNU_SOURCE /* for the processor's flags */

#include "functions_by_hand.h"
#include "single_steps.h"

static void interrupt_comes(void)
{
    interrupt(16, 3, 7);
}

/* An interrupt, and another task that runs for a while. */
static void events_come(void)
{
    interrupt_comes();
    mcuprof_context_set(SECOND);
    call(3, 9);
    mcuprof_context_set(FIRST);
    mcuprof_port_host.is_exclusive = 0;
}

/* All of them are in it, or none is. */
static int is_one_moment(void)
{
    const struct mcuprofi_functions_moment *m = &mcuprofi_functions_moment;
    const struct mcuprof_function *of_interrupt = row_of(3, 16);
    const struct mcuprof_function *of_task = row_of(3, SECOND);
    uint64_t events = m->ticks == 30 ? 0 : 1;
    return m->ticks == 30 + events * 16 && hand_sum() == m->ticks
           && (m->flags & MCUPROF_FUNCTIONS_MOMENTS) == 0
           && of_interrupt->calls == events && of_interrupt->self == events * 7
           && of_task->calls == events && of_task->self == events * 9
           && row_of(1, FIRST)->total == 30 && row_of(2, FIRST)->self == 20
           && outside(FIRST) == 0;
}

static void test_snapshot_is_one_moment(void **state)
{
    (void)state;
    if (!STEPS_WORK) {
        skip();
    }
    start();
    enter(1, 1);
    elapse(10);
    enter(2, 2);
    elapse(20);
    steps_begin(&(struct steps_plan){.intrude = events_come, .stride = 7});
    int rows = mcuprof_functions_snapshot();
    steps_end(rows >= 2 && is_one_moment());
    assert_true(is_one_moment());
    assert_in_range(steps.children, 50, 5000);
    assert_int_equal(steps.first_wrong, 0);
    assert_int_equal(steps.wrong, 0);
}

#define TEST(name) HAND_TEST(name)

int main(void)
{
    static const struct CMUnitTest tests[] = {
            TEST(test_snapshot_is_one_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
