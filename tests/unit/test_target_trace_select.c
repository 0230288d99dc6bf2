/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * What of all calls the ring records, and what its hooks cost.
 *
 * variant: stream MCUPROF_TRACE=1 MCUPROF_TRACE_RING=64
 * variant: alone MCUPROF_TRACE=1 MCUPROF_TRACE_RING=64 MCUPROF_STREAM=0 MCUPROF_HOTSPOTS=0
 */
/* clang-format on */

#include "trace_rig.h"

static void test_start_at(void **unused)
{
    (void)unused;
    const struct mcuprof_trace_config config = {.start_at =
                                                        (void (*)(void))0x2000};
    start(&config);
    assert_int_equal(mcuprof_trace.block.state, MCUPROF_TRACE_STATE_ARMED);
    call(0x1000);
    leave(0x2000);
    mcuprof_mark(1, 2);
    assert_int_equal(made(), 0);
    call(0x2000);
    call(0x3000);
    assert_int_equal(mcuprof_trace.block.state, MCUPROF_TRACE_STATE_RUNNING);
    assert_int_equal(entered(0x1000), 0);
    assert_int_equal(entered(0x2000), 1);
    assert_int_equal(entered(0x3000), 1);
    /* Nothing is asked any more: fast again. */
    assert_int_equal(mcuprof_trace.block.context, 0);
}

static void test_depth(void **unused)
{
    (void)unused;
    const struct mcuprof_trace_config config = {.depth = 2};
    start(&config);
    for (uint32_t i = 1; i <= 5; i++) {
        enter(0x1000u * i);
    }
    /* An interrupt has levels of its own. */
    mcuprof_port_host.exception = 20;
    enter(0x10000);
    enter(0x11000);
    enter(0x12000);
    leave(0x12000);
    leave(0x11000);
    leave(0x10000);
    mcuprof_port_host.exception = 0;
    for (uint32_t i = 5; i >= 1; i--) {
        leave(0x1000u * i);
    }
    assert_int_equal(entered(0x1000), 1);
    assert_int_equal(entered(0x2000), 1);
    assert_int_equal(entered(0x3000), 0);
    assert_int_equal(entered(0x5000), 0);
    assert_int_equal(entered(0x11000), 1);
    assert_int_equal(entered(0x12000), 0);
    /* Three contexts' records, and a pair of each function. */
    assert_int_equal(made(), 3 + 8);
}

/* Enters so many, each 16 bytes deeper in the stack, from 0x10000 down. */
static void enter_down(uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        mcuprof_port_host.stack = 0x10000u - 16u * i;
        enter(first + 0x1000u * i);
    }
}

static void leave_up(uint32_t first, uint32_t count)
{
    while (count-- > 0) {
        mcuprof_port_host.stack = 0x10000u - 16u * count;
        leave(first + 0x1000u * count);
    }
}

/* What a longjmp() has left without its hook does not count on. */
static void test_depth_recovers(void **unused)
{
    (void)unused;
    const struct mcuprof_trace_config config = {.depth = 2};
    start(&config);
    enter_down(0x10000, 5);
    assert_int_equal(made(), 3);
    /* The same is called again, */
    enter_down(0x10000, 5);
    assert_int_equal(made(), 5);
    leave_up(0x10000, 5);
    assert_int_equal(made(), 7);
    enter_down(0x10000, 3);
    /* or another by whom its frame was in the way of, */
    mcuprof_port_host.stack = 0x10000u + 8u;
    enter(0x20000);
    assert_int_equal(word_ago(1), 0x20001u);
    /* or who had called it is left. */
    enter_down(0x10000, 3);
    mcuprof_port_host.stack = 0x20000u;
    leave(0x30000);
    assert_int_equal(word_ago(1), 0x30000u);
    uint32_t count = made();
    enter_down(0x10000, 5);
    leave_up(0x10000, 5);
    assert_int_equal(made(), count + 4u);
    /* What is inlined is at the same place, and a level deeper. */
    mcuprof_port_host.stack = 0x10000u;
    enter(0x10000);
    enter(0x11000);
    enter(0x12000);
    leave(0x12000);
    leave(0x11000);
    leave(0x10000);
    assert_int_equal(made(), count + 8u);
    /* An exit hook that is jumped to has its caller's stack. */
    enter_down(0x10000, 3);
    mcuprof_port_host.stack = 0x10000u - 16u;
    leave(0x12000);
    mcuprof_port_host.stack = 0x10000u;
    leave(0x11000);
    mcuprof_port_host.stack = 0x10000u + 16u;
    leave(0x10000);
    assert_int_equal(made(), count + 12u);
    enter_down(0x10000, 5);
    leave_up(0x10000, 5);
    assert_int_equal(made(), count + 16u);
}

/* Where recording goes on levels begin anew. */
static void test_depth_after_a_pause(void **unused)
{
    (void)unused;
    const struct mcuprof_trace_config config = {.depth = 2};
    start(&config);
    enter_down(0x10000, 5);
    assert_int_equal(mcuprof_trace_stop(), 0);
    leave_up(0x10000, 5);
    assert_int_equal(mcuprof_trace_resume(), 0);
    mcuprof_port_host.stack = 0x8000u;
    uint32_t count = made();
    call(0x20000);
    assert_int_equal(entered(0x20000), 1);
    assert_int_equal(made(), count + 2u);
}

/* So many contexts have levels; what others call is all recorded. */
static void test_depth_of_many(void **unused)
{
    (void)unused;
    const struct mcuprof_trace_config config = {.depth = 1};
    start(&config);
    for (uint32_t i = 0; i <= MCUPROF_CONTEXTS; i++) {
        uint32_t count = made();
        mcuprof_port_host.exception = 16u + i;
        enter_down(0x10000, 2);
        leave_up(0x10000, 2);
        mcuprof_port_host.exception = 0;
        assert_int_equal(made() - count, i < MCUPROF_CONTEXTS ? 3 : 5);
        if (i + 1u == MCUPROF_CONTEXTS) {
            start(&config);
            for (uint32_t j = 0; j < MCUPROF_CONTEXTS; j++) {
                mcuprof_port_host.exception = 16u + j;
                call(0x10000);
            }
        }
    }
    /* One that is gone leaves its place to another. */
    mcuprof_context_delete(17);
    uint32_t count = made();
    mcuprof_port_host.exception = 17u + MCUPROF_CONTEXTS;
    enter_down(0x10000, 2);
    leave_up(0x10000, 2);
    mcuprof_port_host.exception = 0;
    assert_int_equal(made() - count, 3);
}

static void test_filters(void **unused)
{
    (void)unused;
    start(NULL);
    assert_int_equal(mcuprof_trace_only(0x3000, 0x3000), MCUPROF_EINVAL);
    assert_int_equal(mcuprof_trace_only_context(0x10000), MCUPROF_EINVAL);
    assert_int_equal(mcuprof_trace_only(0x3000, 0x3001), MCUPROF_EINVAL);
    /* As pointers to functions are. */
    assert_int_equal(mcuprof_trace_only(0x2001, 0x3001), 0);
    assert_int_equal(mcuprof_trace_only(0x5000, 0x5004), 0);
    call(0x1FFE);
    call(0x2000);
    call(0x2FFE);
    call(0x3000);
    call(0x5002);
    assert_int_equal(entered(0x1FFE), 0);
    assert_int_equal(entered(0x2000), 1);
    assert_int_equal(entered(0x2FFE), 1);
    assert_int_equal(entered(0x3000), 0);
    assert_int_equal(entered(0x5002), 1);
    assert_int_equal(mcuprof_trace_only_context(21), 0);
    call(0x2100);
    mcuprof_port_host.exception = 20;
    call(0x2200);
    mcuprof_port_host.exception = 21;
    call(0x2300);
    call(0x4000);
    mcuprof_port_host.exception = 0;
    assert_int_equal(entered(0x2100), 0);
    assert_int_equal(entered(0x2200), 0);
    assert_int_equal(entered(0x2300), 1);
    assert_int_equal(entered(0x4000), 0);
    mcuprof_trace_everything();
    call(0x4000);
    assert_int_equal(entered(0x4000), 1);
    for (unsigned i = 0; i < MCUPROF_TRACE_FILTERS; i++) {
        assert_int_equal(mcuprof_trace_only(1, 2), 0);
        assert_int_equal(mcuprof_trace_only_context(i), 0);
    }
    assert_int_equal(mcuprof_trace_only(1, 2), MCUPROF_ENOSPACE);
    assert_int_equal(mcuprof_trace_only_context(1), MCUPROF_ENOSPACE);
    mcuprof_trace_everything();
}

static void tick(void)
{
    mcuprof_port_host.counter++;
}

/*
 * Where the clock ticks before a section, at both its ends and nowhere else, a
 * hook takes three, and between the readings of a pair there is one of each.
 */
static void test_cost(void **unused)
{
    (void)unused;
    boot(1);
    mcuprof_port_host.between = tick;
    mcuprofi_trace_measure();
    mcuprof_port_host.between = NULL;
    assert_int_equal(mcuprofi_trace_costs.total, 6);
    assert_int_equal(mcuprofi_trace_costs.inner, 3);
}

/* What an interrupt adds, and what of its records looks like a pair, is not. */
static unsigned ticks_left;

static void tick_with_interrupt(void)
{
    if (mcuprof_port_host.exception != 0) {
        return;
    }
    tick();
    if (ticks_left > 0 && --ticks_left == 0) {
        mcuprof_port_host.exception = 20;
        mcuprof_port_host.is_exclusive = 0;
        for (unsigned i = 0; i < 5; i++) {
            __cyg_profile_func_enter((void *)0x1000, NULL);
        }
        mcuprof_port_host.exception = 0;
    }
}

static void test_cost_with_an_interrupt(void **unused)
{
    (void)unused;
    for (unsigned moment = 1; moment < 60; moment++) {
        boot(1);
        ticks_left = moment;
        mcuprof_port_host.between = tick_with_interrupt;
        mcuprofi_trace_measure();
        mcuprof_port_host.between = NULL;
        assert_int_equal(ticks_left, 0);
        assert_int_equal(mcuprofi_trace_costs.total, 6);
        assert_int_equal(mcuprofi_trace_costs.inner, 3);
    }
}

/* At each start, whatever is filtered. */
static void test_cost_at_each_start(void **unused)
{
    (void)unused;
    const struct mcuprof_trace_config config = {.depth = 1};
    boot(1);
    assert_int_equal(mcuprof_trace_only(0x1000, 0x2000), 0);
    assert_int_equal(mcuprof_trace_only_context(600), 0);
    mcuprof_port_host.between = tick;
    assert_int_equal(mcuprof_trace_start(NULL), 0);
    assert_int_equal(mcuprofi_trace_costs.total, 6);
    assert_int_equal(mcuprof_trace_stop(), 0);
    mcuprof_trace_everything();
    mcuprofi_trace_costs.total = 0;
    assert_int_equal(mcuprof_trace_start(&config), 0);
    mcuprof_port_host.between = NULL;
    /* Two ticks each more, of the fast way that ends at the context. */
    assert_int_equal(mcuprofi_trace_costs.total, 10);
    assert_int_equal(mcuprofi_trace_costs.inner, 5);
}

/* That not all is recorded, once it was so; also of what was set before. */
static void test_selected(void **unused)
{
    (void)unused;
    const struct mcuprof_trace_config config = {.depth = 3};
    uint8_t hello[MCUPROF_HELLO_SIZE];
    start(NULL);
    assert_int_equal(mcuprof_trace.block.hello[59], 0);
    (void)mcuprofi_put_hello(hello);
    assert_int_equal(hello[59], 0);
    assert_int_equal(mcuprof_trace_only(0x1000, 0x2000), 0);
    mcuprof_trace_everything();
    assert_int_equal(mcuprof_trace.block.hello[59], 1);
    (void)mcuprofi_put_hello(hello);
    assert_int_equal(hello[59], 1);
    start(NULL);
    assert_int_equal(mcuprof_trace.block.hello[59], 0);
    start(&config);
    assert_int_equal(mcuprof_trace.block.hello[59], 1);
    start(NULL);
    assert_int_equal(mcuprof_trace_only_context(20), 0);
    assert_int_equal(mcuprof_trace.block.hello[59], 1);
    assert_int_equal(mcuprof_trace_stop(), 0);
    assert_int_equal(mcuprof_trace_start(NULL), 0);
    assert_int_equal(mcuprof_trace.block.hello[59], 1);
    /* Before init is not too early. */
    boot(1);
    assert_int_equal(mcuprof_trace_start(NULL), 0);
    call(0x1000);
    assert_int_equal(made(), 0);
    mcuprof_trace_everything();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_start_at),
            cmocka_unit_test(test_depth),
            cmocka_unit_test(test_depth_recovers),
            cmocka_unit_test(test_depth_after_a_pause),
            cmocka_unit_test(test_depth_of_many),
            cmocka_unit_test(test_filters),
            cmocka_unit_test(test_cost),
            cmocka_unit_test(test_cost_with_an_interrupt),
            cmocka_unit_test(test_cost_at_each_start),
            cmocka_unit_test(test_selected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
