/* SPDX-License-Identifier: MIT */
/*
 * The function table's rules, one by one: periods that begin while tasks are
 * in calls, filters, tasks that end, clocks that are narrow or count down,
 * kernels that tell of no switch. Expected values are counted by hand.
 *
 * variant: told MCUPROF_FUNCTIONS=1
 * variant: pull MCUPROF_FUNCTIONS=1 MCUPROF_CONTEXT_ID=mcuprof_port_cpuid
 */
#include "functions_by_hand.h"

/* The kernel's part: it tells, or is asked. */
static void run_as(unsigned task)
{
    mcuprof_port_host.cpuid = task;
#ifndef MCUPROF_CONTEXT_ID
    mcuprof_context_set(task);
#endif
}

static void begin_with(const volatile uint32_t *clock, uint8_t bits)
{
    hand_begin_with(clock, bits);
    mcuprof_functions_everything();
    run_as(FIRST);
}

static int begin(void **state)
{
    (void)state;
    begin_with(NULL, 0);
    return 0;
}

/* Both tasks are known, from a table before. */
static void both_are_known(void)
{
    start();
    run_as(SECOND);
    call(1, 10);
    run_as(FIRST);
    call(1, 10);
}

/* A task that was seen before: its calls count, and its time. */
static void test_seen_before(void **state)
{
    (void)state;
    both_are_known();
    assert_int_equal(mcuprof_functions_stop(), 0);
    start();
    elapse(3);
    run_as(SECOND);
    call(1, 40);
    elapse(5);
    call(1, 0);
    run_as(FIRST);
    call(1, 7);
    look(3 + 40 + 5 + 7);
    expect(1, SECOND, 2, 0, 40, 40);
    expect(1, FIRST, 1, 0, 7, 7);
    assert_int_equal(outside(SECOND), 5);
}

/* One that has no event: its time is where it was left. */
static void test_silent_task(void **state)
{
    (void)state;
#ifdef MCUPROF_CONTEXT_ID
    skip(); /* Who has no event is not seen. */
#endif
    both_are_known();
    run_as(SECOND);
    enter(1, 1);
    enter(2, 2);
    elapse(11);
    run_as(FIRST);
    elapse(20);
    mcuprof_functions_reset();
    elapse(30);
    run_as(SECOND);
    elapse(50);
    look(80);
    expect(2, SECOND, 1, 1, 50, 50);
    expect(1, SECOND, 1, 1, 0, 50);
    assert_int_equal(outside(FIRST), 30);
    leave(2, 2);
    elapse(1);
    leave(1, 1);
    look(81);
    expect(2, SECOND, 1, 0, 50, 50);
    expect(1, SECOND, 1, 0, 1, 51);
    assert_int_equal(row_of(1, SECOND)->max, 51);
    /* Begun anew, what was open is no more. */
    enter(1, 1);
    run_as(FIRST);
    assert_int_equal(mcuprof_functions_stop(), 0);
    start();
    run_as(SECOND);
    elapse(9);
    look(9);
    expect(1, SECOND, 0, 0, 0, 0);
    assert_int_equal(outside(SECOND), 9);
}

static uint64_t ticked;

static void tick(void)
{
    elapse(1);
    ticked++;
}

/* What hooks took before a reset is in no period's sum. */
static void test_reset_in_calls(void **state)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    (void)state;
    assert_int_equal(mcuprof_functions_start(NULL), 0);
    t->hot.inner = 1;
    t->hot.outer = 1;
    t->hot.probe = 1;
    t->head.again_enter = 1;
    t->head.again = 1;
    t->enter_rest = 9;
    t->exit_rest = 9;
    mcuprof_port_host.between = tick;
    ticked = 0;
    for (uint32_t i = 0; i < 40; i++) {
        /* Some are too deep. */
        enter(i % 3u, i);
        elapse(20);
    }
    mcuprof_port_host.between = NULL;
    look(40u * 20u + ticked);
    mcuprof_functions_reset();
    mcuprof_port_host.between = tick;
    ticked = 0;
    for (uint32_t i = 40; i-- > 0;) {
        elapse(20);
        leave(i % 3u, i);
    }
    mcuprof_port_host.between = NULL;
    look(40u * 20u + ticked);
    assert_int_equal(mcuprofi_functions_moment.calls, 32);
}

/* All that a stop does is after the last tick. */
static void test_stop_is_one_moment(void **state)
{
    (void)state;
    assert_int_equal(mcuprof_functions_start(NULL), 0);
    mcuprof_port_host.between = tick;
    for (unsigned i = 0; i < 100; i++) {
        call(i % 5u, 12);
    }
    enter(7, 1);
    assert_int_equal(mcuprof_functions_stop(), 0);
    mcuprof_port_host.between = NULL;
    uint64_t ticks =
            mcuprof_functions.head.ended - mcuprof_functions.head.began;
    elapse(1000);
    look(ticks);
}

/* Nobody polls, and each call is shorter than the clock. */
static void test_wall_without_poll(void **state)
{
    (void)state;
    start();
    for (unsigned i = 0; i < 10; i++) {
        call(1, 0xE0000000u);
    }
    look(10u * (uint64_t)0xE0000000u);
}

static void test_deep(void **state)
{
    (void)state;
    start();
    for (uint32_t i = 0; i < 200; i++) {
        enter(1 + i / 100u, i);
        elapse(10);
    }
    look(2000);
    expect(1, FIRST, 100, MCUPROF_FUNCTIONS_DEPTH, 2000, 2000);
    expect(2, FIRST, 100, 0, 0, 0);
    for (uint32_t i = 200; i-- > 0;) {
        leave(1 + i / 100u, i);
        elapse(10);
    }
    look(4000);
    assert_int_equal(row_of(1, FIRST)->calls, 100);
    assert_int_equal(row_of(2, FIRST)->calls, 100);
    assert_int_equal(row_of(2, FIRST)->max, 0);
    assert_int_equal(mcuprofi_functions_moment.deep,
                     200 - MCUPROF_FUNCTIONS_DEPTH);
}

/* An interrupt of 102 ticks, of which two are before its first event. */
static void interrupt_late(unsigned exception, unsigned function)
{
    mcuprof_port_host.exception = exception;
    elapse(2);
    call(function, 100);
    mcuprof_port_host.exception = 0;
}

static void test_range(void **state)
{
    (void)state;
    uint32_t first = (uint32_t)address_of(1);
    assert_int_equal(mcuprof_functions_only(first, first), MCUPROF_EINVAL);
    assert_int_equal(mcuprof_functions_only(first & ~1u, first | 1u),
                     MCUPROF_EINVAL);
    /* As addresses of functions are: with the Thumb bit. */
    assert_int_equal(mcuprof_functions_only(first | 1u, (first | 1u) + 2u), 0);
    for (unsigned i = 3; i < 6; i++) {
        first = (uint32_t)address_of(i);
        assert_int_equal(mcuprof_functions_only(first, first + 36u), 0);
    }
    assert_int_equal(mcuprof_functions_only(first, first + 36u),
                     MCUPROF_ENOSPACE);
    start();
    enter(0, 0);
    elapse(1);
    enter(1, 1);
    elapse(10);
    enter(2, 2);
    elapse(20);
    leave(2, 2);
    call(4, 40);
    leave(1, 1);
    elapse(3);
    leave(0, 0);
    call(6, 0);
    look(74);
    expect(6, FIRST, 0, 0, 0, 0);
    expect(1, FIRST, 1, 0, 30, 70);
    expect(4, FIRST, 1, 0, 40, 40);
    assert_int_equal(outside(FIRST), 4);
    assert_int_equal(mcuprof_functions_stop(), 0);
    mcuprof_functions_everything();
    start();
    call(2, 20);
    look(20);
    expect(2, FIRST, 1, 0, 20, 20);
}

static void test_contexts(void **state)
{
    (void)state;
    assert_int_equal(mcuprof_functions_only_context(0x10000), MCUPROF_EINVAL);
    assert_int_equal(mcuprof_functions_only_context(SECOND), 0);
    assert_int_equal(mcuprof_functions_only_context(17), 0);
    assert_int_equal(mcuprof_functions_only_context(18), 0);
    assert_int_equal(mcuprof_functions_only_context(19), 0);
    assert_int_equal(mcuprof_functions_only_context(20), MCUPROF_ENOSPACE);
    start();
    call(1, 10);
    run_as(SECOND);
    enter(1, 1);
    interrupt_late(16, 1);
    interrupt_late(17, 1);
    leave(1, 1);
    look(10 + 2 * 102);
    /* Of one that does not count, and of one before its first event. */
    expect(1, SECOND, 1, 0, 104, 104);
    expect(1, 17, 1, 0, 100, 100);
    expect(1, 16, 0, 0, 0, 0);
    expect(1, FIRST, 0, 0, 0, 0);
}

static void test_delete(void **state)
{
    (void)state;
    start();
    run_as(SECOND);
    enter(1, 1);
    elapse(10);
    enter(2, 2);
    elapse(20);
    enter(2, 3);
    run_as(FIRST);
    enter(3, 1);
    elapse(40);
    mcuprof_context_delete(SECOND);
    leave(3, 1);
    look(70);
    assert_int_equal(mcuprofi_functions_moment.unwound, 3);
    expect(1, SECOND, 1, 0, 10, 30);
    expect(2, SECOND, 2, 0, 20, 20);
    /* Another of its number begins with nothing open. */
    run_as(SECOND);
    call(2, 5);
    look(75);
    expect(2, SECOND, 3, 0, 25, 25);
    assert_int_equal(mcuprofi_functions_moment.unwound, 3);
    mcuprof_context_delete(SECOND + 7u);
    look(75);
}

/*
 * What an interrupt calls, each time for a little: together more than its rows
 * hold at once.
 */
static void test_often(void **state)
{
    const uint32_t rounds = 0x3000;
    const uint64_t ticks = 0x100000u;
    (void)state;
    start();
    for (uint32_t i = 0; i < rounds; i++) {
        mcuprof_port_host.exception = 16;
        enter(1, 1);
        enter(2, 2);
        elapse((uint32_t)ticks);
        leave(2, 2);
        leave(1, 1);
        mcuprof_port_host.exception = 0;
    }
    look(rounds * ticks);
    expect(1, 16, rounds, 0, 0, rounds * ticks);
    expect(2, 16, rounds, 0, rounds * ticks, rounds * ticks);
}

/* 24 bits, up and down, with an event in each turn of it. */
static void test_narrow(void **state)
{
    (void)state;
    for (unsigned down = 0; down < 2; down++) {
        hand_down = 0x00123456u;
        begin_with(down ? &hand_down : &mcuprof_port_host.counter,
                   (uint8_t)(24u | (down ? MCUPROF_CLOCK_DOWN : 0)));
        start();
        enter(1, 0);
        uint64_t ticks = 0;
        for (unsigned i = 0; i < 600; i++) {
            interrupt_late(16, 3);
            call(2, 0x00FFFF00u);
            ticks += 102u + 0x00FFFF00u;
        }
        leave(1, 0);
        look(ticks);
        expect(1, FIRST, 1, 0, 600 * 2, 600 * 2 + 600 * (uint64_t)0xFFFF00);
        expect(2, FIRST, 600, 0, 600 * (uint64_t)0xFFFF00,
               600 * (uint64_t)0xFFFF00);
        expect(3, 16, 600, 0, 60000, 60000);
    }
}

/*
 * It is always another that looks at the clock, an interrupt or a switch, and
 * what runs has only fast events: it is settled all the same.
 */
static void looked_at(int by_interrupt)
{
    const uint32_t rounds = 9000;
    const uint64_t inside = 0xF0000u;
    const uint64_t between = 0x20000u;
    begin_with(&mcuprof_port_host.counter, 24);
    start();
    for (uint32_t i = 0; i < rounds; i++) {
        call(1, (uint32_t)inside);
        elapse((uint32_t)between);
        if (by_interrupt) {
            interrupt_late(16, 3);
        } else {
            run_as(SECOND);
            run_as(FIRST);
        }
    }
    look(rounds * (inside + between + (by_interrupt ? 102u : 0)));
    expect(1, FIRST, rounds, 0, rounds * inside, rounds * inside);
}

static void test_looked_at_by_another(void **state)
{
    (void)state;
    looked_at(1);
    looked_at(0);
}

static struct mcuprofi_function_row *first_row(void)
{
    struct mcuprofi_function_row *row = mcuprof_functions.rows;
    while (row->key == 0) {
        row++;
    }
    return row;
}

/* Whether a call of 1 is fast: only the slow path moves bit 31 up. */
static void is_fast(uint32_t ticks, int at_enter, int at_exit)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    struct mcuprofi_function_row *row = first_row();
    t->frames[0][1].before = 77;
    enter(1, 1);
    assert_int_equal(t->frames[0][1].before, at_enter ? 77 : 0);
    row->total |= 0x80000000u;
    elapse(ticks);
    leave(1, 1);
    assert_int_equal(row->total >> 31, at_exit);
    row->total &= 0x7FFFFFFFu;
    row->total_high = 0;
}

/* Of any width and direction, until it has to be looked at. */
static void test_narrow_is_fast(void **state)
{
    static const uint8_t clocks[] = {16, 24, 28, 16 | MCUPROF_CLOCK_DOWN,
                                     24 | MCUPROF_CLOCK_DOWN};
    (void)state;
#ifdef MCUPROF_CONTEXT_ID
    skip(); /* No event is fast there. */
#endif
    for (size_t i = 0; i < sizeof(clocks); i++) {
        unsigned bits = clocks[i] & (MCUPROF_CLOCK_DOWN - 1u);
        uint32_t sixteenth = 1u << (bits - 4u);
        int is_down = (clocks[i] & MCUPROF_CLOCK_DOWN) != 0;
        hand_down = 0x00123456u;
        begin_with(is_down ? &hand_down : &mcuprof_port_host.counter,
                   clocks[i]);
        start();
        call(1, sixteenth / 4u);
        is_fast(sixteenth / 4u, 1, 1);
        is_fast(sixteenth * 12u, 1, 0);
        elapse(sixteenth * 12u);
        is_fast(sixteenth / 2u, 0, 1);
        is_fast(sixteenth / 4u, 1, 1);
        look((uint64_t)sixteenth * 25u + sixteenth / 4u);
        expect(1, FIRST, 5, 0, (uint64_t)sixteenth * 13u + sixteenth / 4u,
               (uint64_t)sixteenth * 13u + sixteenth / 4u);
    }
    begin_with(&hand_down, 32 | MCUPROF_CLOCK_DOWN);
    start();
    call(1, 10);
    is_fast(100, 1, 1);
}

/* Without a hook in the kernel a switch shows at the first event behind it. */
static void test_switches(void **state)
{
    (void)state;
    start();
    enter(1, 1);
    elapse(10);
    run_as(SECOND);
    enter(2, 1);
    elapse(20);
    interrupt_late(16, 3);
    run_as(FIRST);
    enter(4, 2);
    elapse(5);
    run_as(SECOND);
    leave(2, 1);
    run_as(FIRST);
    leave(4, 2);
    leave(1, 1);
    look(10 + 20 + 102 + 5);
    expect(1, FIRST, 1, 0, 10, 15);
    expect(4, FIRST, 1, 0, 5, 5);
    expect(2, SECOND, 1, 0, 22, 22);
    expect(3, 16, 1, 0, 100, 100);
    assert_int_equal(mcuprofi_functions_moment.unwound, 0);
    assert_int_equal(mcuprofi_functions_moment.unmatched, 0);
}

/* Where a slow gate is set, and where none is. */
static void test_gates(void **state)
{
    const struct mcuprofi_functions *t = &mcuprof_functions;
    mcuprofi_word fast = (mcuprofi_word)&t->hot;
    (void)state;
    both_are_known();
    assert_true(t->contexts[MCUPROFI_FUNCTIONS_NOBODY].state.gate
                == fast + MCUPROFI_GATE_SLOW);
#ifndef MCUPROF_CONTEXT_ID
    assert_true(t->hot.state.gate == fast);
    mcuprof_functions_reset();
    assert_true(t->hot.state.gate == fast);
    run_as(SECOND);
    assert_true(t->hot.state.gate == fast + MCUPROFI_GATE_SLOW);
    call(1, 1);
    assert_true(t->hot.state.gate == fast);
#endif
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
    static const struct CMUnitTest tests[] = {
            TEST(test_seen_before),
            TEST(test_silent_task),
            TEST(test_reset_in_calls),
            TEST(test_stop_is_one_moment),
            TEST(test_wall_without_poll),
            TEST(test_deep),
            TEST(test_range),
            TEST(test_contexts),
            TEST(test_delete),
            TEST(test_often),
            TEST(test_narrow),
            TEST(test_looked_at_by_another),
            TEST(test_narrow_is_fast),
            TEST(test_switches),
            TEST(test_gates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
