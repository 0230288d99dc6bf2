/* SPDX-License-Identifier: MIT */
/*
 * The function table after storms of interrupts, task switches and jumps,
 * against an oracle that knows no hooks: every row, exactly.
 *
 * variant: 64 MCUPROF_FUNCTIONS=1
 * variant: 512 MCUPROF_FUNCTIONS=1 MCUPROF_FUNCTIONS_SLOTS=512
 * variant: 16 MCUPROF_FUNCTIONS=1 MCUPROF_FUNCTIONS_SLOTS=16
 * variant: deep MCUPROF_FUNCTIONS=1 MCUPROF_FUNCTIONS_DEPTH=100
 * variant: flat MCUPROF_FUNCTIONS=1 MCUPROF_FUNCTIONS_DEPTH=5
 */
#include "functions_machine.h"

static struct mcuprofi_function_context *context_of(unsigned actor)
{
    for (size_t i = 0; i < MCUPROF_FUNCTIONS_CONTEXTS; i++) {
        struct mcuprofi_function_context *c = &mcuprof_functions.contexts[i];
        if (c->used == machine_context(actor) + 1u) {
            return c;
        }
    }
    return NULL;
}

static uint64_t wide(uint32_t low, uint32_t high, uint32_t more)
{
    return low + ((uint64_t)high << 31) + (more ? (uint64_t)1 << 47 : 0);
}

static uint64_t self_of(const struct mcuprofi_function_row *row)
{
    return wide(row->self, row->self_high, row->more & MCUPROF_TABLE_MORE_SELF);
}

static uint64_t calls_of(const struct mcuprofi_function_row *row)
{
    return wide(row->calls, row->more & MCUPROF_TABLE_MORE_CALLS, 0);
}

static const struct mcuprofi_function_row *
row_in_table(const struct mcuprofi_function_context *c, unsigned function)
{
    const struct mcuprofi_function_row *found = NULL;
    size_t index = (size_t)(c - mcuprof_functions.contexts);
    for (size_t i = 0; i < MCUPROF_FUNCTIONS_SLOTS; i++) {
        const struct mcuprofi_function_row *row = &mcuprof_functions.rows[i];
        if ((row->key | 1u) == machine_function(function)
            && (row->index & 0x7Fu) == index) {
            assert_null(found);
            found = row;
        }
    }
    return found;
}

static void check_row(const struct mcuprofi_function_row *row,
                      const struct machine_row *want)
{
    assert_int_equal(row->key & 1u, 1);
    assert_int_equal(calls_of(row), want->calls);
    assert_int_equal(self_of(row), want->self);
    assert_int_equal(wide(row->total, row->total_high,
                          row->more & MCUPROF_TABLE_MORE_TOTAL),
                     want->total);
    if (want->completed == 0) {
        assert_int_equal(row->min_high, MCUPROF_TABLE_ROW_NO_MIN);
        return;
    }
    assert_int_equal((uint64_t)row->min_high << 32 | row->min, want->min);
    assert_int_equal((uint64_t)row->max_high << 32
                             | (uint32_t)(row->min + row->span),
                     want->max);
}

static void check_actor(unsigned actor)
{
    const struct machine_actor *want = &machine.actors[actor];
    struct mcuprofi_function_context *c = context_of(actor);
    if (c == NULL) {
        assert_int_equal(want->inside, 0);
        return;
    }
    uint64_t lost_calls = 0;
    uint64_t lost_self = 0;
    for (unsigned i = 0; i < MACHINE_FUNCTIONS; i++) {
        const struct mcuprofi_function_row *row = row_in_table(c, i);
        if (row != NULL) {
            check_row(row, &want->rows[i]);
        } else {
            lost_calls += want->rows[i].calls;
            lost_self += want->rows[i].self;
        }
    }
    assert_int_equal(calls_of(&c->none), lost_calls);
    assert_int_equal(self_of(&c->none), lost_self);
    assert_int_equal(c->unwound, want->unwound);
    assert_int_equal(c->unmatched, 0);
    assert_int_equal(c->deep, want->deep);
    assert_int_equal(c->hooks, 0);
    assert_int_equal(c->outside, want->time - want->inside);
}

static void storm(const struct machine_chances *chances, uint32_t seed,
                  uint32_t steps)
{
    static const struct mcuprof_functions_config raw = {1, 0};
    machine_reset(chances, seed);
    assert_int_equal(mcuprof_functions_start(&raw), 0);
    machine_begin();
    machine_run(steps);
    mcuprof_port_host.between = NULL;
    assert_int_equal(mcuprof_functions_stop(), 0);
    for (unsigned i = 0; i < MACHINE_TASKS; i++) {
        /* Of those that do not run, what they were outside of functions. */
        struct mcuprofi_function_context *c = context_of(i);
        if (c != NULL && i != machine.task) {
            c->outside += c->v - c->base->start - c->base->children;
        }
    }
    for (unsigned i = 0; i < MACHINE_ACTORS; i++) {
        check_actor(i);
    }
    uint64_t sum = 0;
    for (unsigned i = 0; i < MACHINE_ACTORS; i++) {
        sum += machine.actors[i].time;
    }
    assert_int_equal(sum, machine.wall);
}

static void test_alone(void **state)
{
    static const struct machine_chances calm = {0, 0, 0, 3, 4, 50};
    (void)state;
    for (uint32_t seed = 1; seed <= 20; seed++) {
        storm(&calm, seed, 2000);
    }
}

static void test_interrupts(void **state)
{
    static const struct machine_chances chances = {100, 0, 0, 5, 4, 50};
    (void)state;
    for (uint32_t seed = 1; seed <= 20; seed++) {
        storm(&chances, seed, 2000);
    }
}

static void test_tasks(void **state)
{
    static const struct machine_chances chances = {100, 50, 0, 5, 4, 50};
    (void)state;
    for (uint32_t seed = 1; seed <= 20; seed++) {
        storm(&chances, seed, 2000);
    }
}

static void test_everything(void **state)
{
    static const struct machine_chances chances = {60, 30, 30, 12, 60, 50};
    (void)state;
    for (uint32_t seed = 1; seed <= 30; seed++) {
        storm(&chances, seed, 5000);
    }
}

/* More than there is room for. */
static void test_many(void **state)
{
    static const struct machine_chances chances = {60, 30, 30, 40, 30, 50};
    (void)state;
    for (uint32_t seed = 1; seed <= 20; seed++) {
        storm(&chances, seed, 5000);
    }
}

/* Steps so long that the clock wraps every few. */
static void test_wraps(void **state)
{
    static const struct machine_chances chances = {60, 30, 10,
                                                   12, 20, 0x20000000u};
    (void)state;
    for (uint32_t seed = 1; seed <= 20; seed++) {
        storm(&chances, seed, 5000);
    }
}

/* Steps up to a third of its range, so that it wraps in calls and between. */
static void test_narrow_clock(void **state)
{
    static const struct machine_chances often = {60, 30, 30, 12, 60, 5000};
    static const struct machine_chances wraps = {60, 30, 10, 12, 20, 0x500000u};
    static const struct machine_chances small = {60, 30, 30, 12, 60, 0x3000u};
    (void)state;
    for (uint32_t seed = 1; seed <= 20; seed++) {
        machine_clock_bits = 24;
        storm(&often, seed, 5000);
        assert_int_equal(mcuprof_functions.head.slow,
                         MCUPROF_TABLE_SLOW_NARROW);
        storm(&wraps, seed, 5000);
        machine_clock_bits = 16;
        storm(&small, seed, 5000);
    }
    machine_clock_bits = 0;
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_alone),
            cmocka_unit_test(test_interrupts),
            cmocka_unit_test(test_tasks),
            cmocka_unit_test(test_everything),
            cmocka_unit_test(test_many),
            cmocka_unit_test(test_wraps),
            cmocka_unit_test(test_narrow_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
