/* SPDX-License-Identifier: MIT */
#ifndef FUNCTIONS_BY_HAND_H
#define FUNCTIONS_BY_HAND_H

/*
 * The function table on the host port, event by event: a clock, calls, tasks
 * and interrupts by hand, so that what is expected is counted by hand, too.
 */

/* cmocka needs these first, in this order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "mcuprof_functions_view.h"
#include "mcuprof_port_host.h"

#define HAND_HZ 1000000u
#define FIRST MCUPROF_CONTEXT_TASK_FIRST
#define SECOND (MCUPROF_CONTEXT_TASK_FIRST + 1u)
#define THIRD (MCUPROF_CONTEXT_TASK_FIRST + 2u)
#define HAND_SP 0x20001000u
#define HAND_TEST(name) cmocka_unit_test_setup(name, hand_begin)

static const struct mcuprof_functions_config hand_raw = {1, 0};

static inline size_t hand_nowhere(const uint8_t *data, size_t size)
{
    (void)data;
    return size;
}

/* A clock that counts down while the port's counts up. */
static volatile uint32_t hand_down;

/* Of a clock with so many bits, NULL: the port's; no context is set. */
static inline void hand_begin_with(const volatile uint32_t *clock, uint8_t bits)
{
    static const uint8_t code[64];
    struct mcuprof_config config = {0};
    (void)mcuprof_functions_stop();
    while (mcuprof_poll() == 1) {
    }
    memset(&mcuprof_port_host, 0, sizeof(mcuprof_port_host));
    mcuprof_port_host.source = MCUPROF_CLOCK_DWT;
    mcuprof_port_host.reason = MCUPROF_REASON_ADVANCES;
    mcuprof_port_host.counter = 0xFFFFFF00u;
    mcuprof_port_host.code = code;
    mcuprof_port_host.code_length = sizeof(code);
    config.write = hand_nowhere;
    config.core_hz = HAND_HZ;
    config.clock = clock;
    config.clock_hz = clock != NULL ? HAND_HZ : 0;
    config.clock_bits = bits;
    assert_int_equal(mcuprof_init(&config), 0);
}

static inline int hand_begin(void **state)
{
    (void)state;
    hand_begin_with(NULL, 0);
    mcuprof_context_set(FIRST);
    return 0;
}

static inline void start(void)
{
    assert_int_equal(mcuprof_functions_start(&hand_raw), 0);
}

static inline void elapse(uint32_t ticks)
{
    mcuprof_port_host.counter += ticks;
    hand_down -= ticks;
}

static inline uintptr_t address_of(unsigned function)
{
    return 0x08000100u + function * 36u;
}

static inline void enter(unsigned function, uint32_t depth)
{
    mcuprofi_functions_enter(address_of(function) + 1u, HAND_SP - 16u * depth,
                             0x08000001u);
}

static inline void leave(unsigned function, uint32_t depth)
{
    mcuprofi_functions_exit(address_of(function) + 1u, HAND_SP - 16u * depth);
}

static inline void call(unsigned function, uint32_t ticks)
{
    enter(function, 1);
    elapse(ticks);
    leave(function, 1);
}

static inline void interrupt(unsigned exception, unsigned function,
                             uint32_t ticks)
{
    unsigned before = mcuprof_port_host.exception;
    mcuprof_port_host.exception = exception;
    call(function, ticks);
    mcuprof_port_host.exception = before;
    mcuprof_port_host.is_exclusive = 0;
}

static inline const struct mcuprof_function *row_of(unsigned function,
                                                    unsigned context)
{
    static const struct mcuprof_function none;
    for (size_t i = 0; mcuprof_functions_view[i].function != NULL; i++) {
        const struct mcuprof_function *row = &mcuprof_functions_view[i];
        if ((uintptr_t)row->function == address_of(function)
            && row->context == context) {
            return row;
        }
    }
    return &none;
}

static inline void expect(unsigned function, unsigned context, uint64_t calls,
                          uint64_t open, uint64_t self, uint64_t total)
{
    const struct mcuprof_function *row = row_of(function, context);
    assert_int_equal(row->calls, calls);
    assert_int_equal(row->open, open);
    assert_int_equal(row->self, self);
    assert_int_equal(row->total, total);
}

static inline uint64_t outside(unsigned context)
{
    for (size_t i = 0; i < MCUPROF_FUNCTIONS_CONTEXTS; i++) {
        const struct mcuprofi_functions_rest *rest =
                &mcuprofi_functions_moment.rests[i];
        if (rest->is_used && rest->context == context) {
            return rest->outside;
        }
    }
    return 0;
}

/* What all parts of the snapshot add up to. */
static inline uint64_t hand_sum(void)
{
    const struct mcuprofi_functions_moment *m = &mcuprofi_functions_moment;
    return m->self + m->hooks + m->calls * m->pair;
}

/* A snapshot of so many ticks, all of which are in it. */
static inline void look(uint64_t ticks)
{
    assert_true(mcuprof_functions_snapshot() >= 0);
    assert_int_equal(mcuprofi_functions_moment.ticks, ticks);
    assert_int_equal(hand_sum(), ticks);
}

/* The row itself, where a count is to be set that nobody waits for. */
static inline struct mcuprofi_function_row *hand_row(unsigned function)
{
    struct mcuprofi_function_row *rows = mcuprof_functions.rows;
    size_t i = 0;
    while (i < MCUPROF_FUNCTIONS_SLOTS
           && (rows[i].key | 1u) != address_of(function) + 1u) {
        i++;
    }
    assert_in_range(i, 0, MCUPROF_FUNCTIONS_SLOTS - 1u);
    return &rows[i];
}

#endif
