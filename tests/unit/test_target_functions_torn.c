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

static char text[256];
static size_t text_size;

/* The first line; then events come no more, so that the rest is soon there. */
static size_t write_line(const uint8_t *bytes, size_t size)
{
    steps.is_on = 0;
    for (size_t i = 0; i < size && text_size < sizeof(text) - 1u; i++) {
        text[text_size++] = (char)bytes[i];
    }
    return size;
}

static const char *first_line(void)
{
    memset(text, 0, sizeof(text));
    text_size = 0;
    assert_int_equal(mcuprof_functions_print(write_line), 0);
    *strstr(text, "\r\n") = '\0';
    return text;
}

/* Where events never end a snapshot does, and says what it is. */
static void test_snapshot_of_many_moments(void **state)
{
    const struct mcuprofi_functions_moment *m = &mcuprofi_functions_moment;
    (void)state;
    if (!STEPS_WORK) {
        skip();
    }
    start();
    interrupt(16, 3, 5);
    steps_begin(&(struct steps_plan){
            .intrude = interrupt_comes, .stride = 211, .again = 1});
    assert_non_null(strstr(first_line(), " moments running"));
    steps_end(1);
    assert_true(steps.count > 1000);
    assert_true((m->flags & MCUPROF_FUNCTIONS_MOMENTS) != 0);
    /* As often as it is tried again, an interrupt came. */
    uint32_t calls = hand_row(3)->calls;
    assert_in_range(calls, 2, 100000);
    assert_null(strstr(first_line(), "moments"));
    assert_true((m->flags & MCUPROF_FUNCTIONS_MOMENTS) == 0);
    look(5u + 7u * (calls - 1u));
    expect(3, 16, calls, 0, 5u + 7u * (calls - 1u), 5u + 7u * (calls - 1u));
}

/* It comes back from where it was left with another call open. */
static void second_runs(void)
{
    mcuprof_port_host.is_exclusive = 0;
    mcuprof_context_set(SECOND);
    elapse(5);
    enter(3, 2);
    elapse(7);
    mcuprof_context_set(FIRST);
    mcuprof_port_host.is_exclusive = 0;
}

static int is_right_behind_reset(void)
{
    const struct mcuprofi_functions_moment *m = &mcuprofi_functions_moment;
    int was_meanwhile = row_of(3, SECOND)->calls == 1;
    uint64_t most = was_meanwhile ? 12 : 0;
    return mcuprof_functions_snapshot() >= 0
           && (m->ticks == 101 || m->ticks == 101 + most)
           && hand_sum() <= m->ticks && hand_sum() >= 101
           && row_of(1, SECOND)->total <= 1 + most
           && row_of(1, SECOND)->self <= 1 + most
           && row_of(3, SECOND)->self <= 1 + most && outside(FIRST) == 0
           && outside(SECOND) == 0 && row_of(2, FIRST)->self == 100;
}

/*
 * A task that runs while it is told to begin anew: whenever that is, its calls
 * have no time from before, and none that did not pass. What it ran between the
 * end of one period and the other may be in neither.
 */
static void test_reset_of_one_that_runs(void **state)
{
    (void)state;
    if (!STEPS_WORK) {
        skip();
    }
    start();
    mcuprof_context_set(SECOND);
    enter(1, 1);
    elapse(1000);
    mcuprof_context_set(FIRST);
    enter(2, 1);
    elapse(2000);
    steps_begin(&(struct steps_plan){.intrude = second_runs, .stride = 1});
    mcuprof_functions_reset();
    steps.is_on = 0;
    elapse(100);
    leave(2, 1);
    mcuprof_context_set(SECOND);
    if (steps.is_child) {
        leave(3, 2);
    }
    elapse(1);
    leave(1, 1);
    mcuprof_context_set(FIRST);
    (void)mcuprof_functions_snapshot();
    steps_end(is_right_behind_reset());
    assert_in_range(steps.children, 100, 100000);
    assert_int_equal(steps.first_wrong, 0);
    assert_int_equal(steps.wrong, 0);
    look(101);
}

#define TEST(name) HAND_TEST(name)

int main(void)
{
    static const struct CMUnitTest tests[] = {
            TEST(test_snapshot_is_one_moment),
            TEST(test_snapshot_of_many_moments),
            TEST(test_reset_of_one_that_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
