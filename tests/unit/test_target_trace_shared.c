/* SPDX-License-Identifier: MIT */
/*
 * The call ring where the only clock is a SysTick that belongs to others: no
 * register shows the time, which is what its interrupts add up.
 *
 * variant: flight MCUPROF_TRACE=1 MCUPROF_TRACE_RING=64
 */

/* cmocka needs these first, in this order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "mcuprof_port_host.h"
#include "mcuprof_ring.h"

/* As the owner has set it up: a prime, so that nothing hides in its parts. */
#define PERIOD 70001u
#define LATE_MAX 4u
#define WIDTH 0x1000000u

static uint64_t ticks; /* the truth */
static const uint8_t code[64];

static size_t nowhere(const uint8_t *data, size_t size)
{
    (void)data;
    return size;
}

/* SysTick counts from PERIOD - 1 to 0, and pends as it is loaded again. */
static void go_to(uint64_t time)
{
    if (time / PERIOD != ticks / PERIOD) {
        mcuprof_port_host.systick_pending = 1;
    }
    ticks = time;
    mcuprof_port_host.systick_count = PERIOD - 1u - (uint32_t)(time % PERIOD);
}

static void owners_handler(void)
{
    mcuprof_port_host.exception = 15;
    mcuprof_port_host.systick_pending = 0;
    mcuprof_sample_put(0x08000000u, 0);
    mcuprof_port_host.exception = 0;
}

/* Time of the newest record, counted upwards. */
static uint32_t newest(void)
{
    const struct mcuprofi_slot *slot =
            (const struct mcuprofi_slot *)mcuprof_trace.block.head - 1;
    assert_true(slot >= mcuprof_trace.slots);
    return ~slot->time & (WIDTH - 1u);
}

static uint32_t first;
static uint64_t first_ticks;

/* Every event is at its time, whatever lies between. */
static void event(unsigned exception)
{
    mcuprof_port_host.exception = exception;
    __cyg_profile_func_enter((void *)0x1000, NULL);
    mcuprof_port_host.exception = 0;
    if (first_ticks == 0) {
        first = newest();
        first_ticks = ticks;
    }
    assert_int_equal((newest() - first) & (WIDTH - 1u),
                     (ticks - first_ticks) % WIDTH);
}

static void begin(void)
{
    struct mcuprof_config config = {0};
    (void)mcuprof_trace_stop();
    (void)mcuprof_stop();
    while (mcuprof_poll() > 0) {
    }
    mcuprof_port_host = (struct mcuprof_port_host){0};
    mcuprof_port_host.source = MCUPROF_CLOCK_SYSTICK_SHARED;
    mcuprof_port_host.systick_running = 1;
    mcuprof_port_host.systick_reload = PERIOD - 1u;
    mcuprof_port_host.code = code;
    mcuprof_port_host.code_length = sizeof(code);
    config.write = nowhere;
    config.core_hz = 64000000u;
    config.timer = &mcuprof_timer_systick_shared;
    go_to(5u * PERIOD + 7u);
    mcuprof_port_host.systick_pending = 0;
    assert_int_equal(mcuprof_init(&config), 0);
    /* Nothing adds it up yet. */
    assert_int_equal(mcuprof_trace_start(NULL), MCUPROF_ETIMER);
    assert_int_equal(mcuprof_start(), 0);
    go_to(6u * PERIOD);
    owners_handler();
    assert_int_equal(mcuprof_trace_start(NULL), 0);
    first_ticks = 0;
}

/*
 * Around each wrap: the owner's interrupt comes at once or late, and what is
 * recorded before it finds it pending. Long enough for the records' 24 bits.
 */
static void test_wraps(void **unused)
{
    (void)unused;
    begin();
    for (uint64_t wrap = 7; wrap < 7u + 3u * WIDTH / PERIOD; wrap++) {
        uint64_t at = wrap * PERIOD;
        uint32_t late = (uint32_t)(wrap % LATE_MAX);
        go_to(at - PERIOD / 2u);
        event(0);
        for (uint32_t i = 5; i > 0; i--) {
            go_to(at - i);
            event(i % 2u == 0 ? 0 : 20);
        }
        for (uint32_t i = 0; i < late; i++) {
            go_to(at + i);
            event(i % 2u == 0 ? 20 : 0);
        }
        go_to(at + late);
        owners_handler();
        event(0);
        go_to(at + late + 1u);
        event(20);
        (void)mcuprof_poll();
    }
    /* And all of them by the slow way. */
    assert_true(mcuprof_trace.slow & MCUPROFI_SLOW_CLOCK);
    assert_int_equal(mcuprof_trace.block.lost, 0);
}

/*
 * An interrupt with a call of its own, and time that goes on, at each point in
 * turn where a hook can be interrupted.
 */
static unsigned points_left;

static void at_point(void)
{
    if (mcuprof_port_host.exception == 0 && points_left > 0
        && --points_left == 0) {
        mcuprof_port_host.exception = 20;
        mcuprof_port_host.is_exclusive = 0;
        go_to(ticks + 13u);
        __cyg_profile_func_enter((void *)0x2000, NULL);
        go_to(ticks + 17u);
        mcuprof_port_host.exception = 0;
    }
}

/* The ring's times, each from the one before. */
static void check_order(void)
{
    const struct mcuprofi_slot *slot = mcuprof_trace.slots;
    const struct mcuprofi_slot *head =
            (const struct mcuprofi_slot *)mcuprof_trace.block.head;
    assert_int_equal(mcuprof_trace.block.laps, 0);
    while (++slot < head) {
        assert_in_range((slot[-1].time - slot->time) & (WIDTH - 1u), 0, 100);
    }
}

static void test_interrupted_everywhere(void **unused)
{
    (void)unused;
    unsigned points = 0;
    for (unsigned point = 1; point < 100; point++) {
        begin();
        go_to(ticks + 100u);
        event(0);
        for (unsigned i = 0; i < 3; i++) {
            points_left = point;
            mcuprof_port_host.between = at_point;
            __cyg_profile_func_enter((void *)0x1000, NULL);
            mcuprof_port_host.between = NULL;
            points += points_left == 0;
            go_to(ticks + 10u);
        }
        check_order();
        assert_int_equal(mcuprof_trace.block.lost, 0);
    }
    /* It was interrupted: around the clock, and in each section. */
    assert_in_range(points, 3u * 4u, 3u * 90u);
}

/*
 * The owner's handler has been entered, which is no more pending, and is
 * interrupted before it samples: the period that has ended is not counted yet.
 */
static void test_within_the_owners_handler(void **unused)
{
    (void)unused;
    begin();
    for (uint64_t wrap = 7; wrap < 7u + 3u * WIDTH / PERIOD; wrap++) {
        uint64_t at = wrap * PERIOD;
        go_to(at - PERIOD / 2u);
        event(wrap % 2u == 0 ? 0 : 20);
        go_to(at);
        mcuprof_port_host.systick_pending = 0;
        for (uint32_t i = 1; i < 20u; i += 6u) {
            go_to(at + i);
            event(20);
        }
        mcuprof_port_host.exception = 15;
        mcuprof_sample_put(0x08000000u, 0);
        mcuprof_port_host.exception = 0;
        go_to(at + 30u);
        event(20);
        event(0);
        (void)mcuprof_poll();
    }
    assert_int_equal(mcuprof_trace.block.lost, 0);
}

static void pass(void)
{
    go_to(ticks + 1u);
}

/*
 * Reading the clock is part of a hook, and takes two ticks here; a section
 * three, and two are of the fast way that ends at the context.
 */
static void test_cost(void **unused)
{
    (void)unused;
    begin();
    assert_int_equal(mcuprof_trace_stop(), 0);
    mcuprof_port_host.between = pass;
    assert_int_equal(mcuprof_trace_start(NULL), 0);
    mcuprof_port_host.between = NULL;
    assert_int_equal(mcuprofi_trace_costs.total, 14);
    assert_int_equal(mcuprofi_trace_costs.inner, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_wraps),
            cmocka_unit_test(test_interrupted_everywhere),
            cmocka_unit_test(test_within_the_owners_handler),
            cmocka_unit_test(test_cost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
