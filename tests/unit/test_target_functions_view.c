/* SPDX-License-Identifier: MIT */
/*
 * What is shown of the function table: the view, its text and its frames say
 * the same, and add up.
 *
 * variant: 64 MCUPROF_FUNCTIONS=1
 * variant: 16 MCUPROF_FUNCTIONS=1 MCUPROF_FUNCTIONS_SLOTS=16
 * variant: 512 MCUPROF_FUNCTIONS=1 MCUPROF_FUNCTIONS_SLOTS=512
 */
#include "functions_machine.h"

#include <stdio.h>

#include "mcuprof_functions_view.h"

static char text[65536];
static size_t text_size;
static size_t room;

static size_t take(const uint8_t *bytes, size_t size)
{
    size = size < room ? size : room;
    assert_true(text_size + size < sizeof(text));
    memcpy(text + text_size, bytes, size);
    text_size += size;
    return size;
}

/* Runs a storm without jumps and leaves calls open. */
static void storm(uint32_t seed, const struct mcuprof_functions_config *config)
{
    static const struct machine_chances chances = {60, 30, 0, 12, 20, 5000};
    machine_reset(&chances, seed);
    assert_int_equal(mcuprof_functions_start(config), 0);
    machine_begin();
    machine_run(3000);
    mcuprof_port_host.between = NULL;
    for (unsigned i = 0; i < 5; i++) {
        machine_elapse(100);
        machine_call(machine.task);
    }
    machine_elapse(77);
}

static uint64_t all_of(void)
{
    const struct mcuprofi_functions_moment *m = &mcuprofi_functions_moment;
    return m->self + m->hooks + m->calls * m->pair;
}

static void check_sum(void)
{
    uint64_t self = 0;
    uint64_t calls = 0;
    for (int i = 0; mcuprof_functions_view[i].function != NULL; i++) {
        self += mcuprof_functions_view[i].self;
        calls += mcuprof_functions_view[i].calls;
    }
    for (size_t i = 0; i <= MCUPROF_FUNCTIONS_CONTEXTS; i++) {
        const struct mcuprofi_functions_rest *rest =
                &mcuprofi_functions_moment.rests[i];
        self += rest->is_used ? rest->self + rest->outside : 0;
        calls += rest->is_used ? rest->calls : 0;
    }
    assert_int_equal(mcuprofi_functions_moment.self, self);
    assert_int_equal(mcuprofi_functions_moment.calls, calls);
    assert_int_equal(all_of(), machine.wall);
    assert_int_equal(mcuprofi_functions_moment.ticks, machine.wall);
}

static void test_adds_up(void **state)
{
    static const struct mcuprof_functions_config raw = {1, 0};
    (void)state;
    for (uint32_t seed = 1; seed <= 20; seed++) {
        storm(seed, &raw);
        assert_true(mcuprof_functions_snapshot() > 0);
        check_sum();
        /* Each of the oracle's open calls is one in the view. */
        uint64_t open = 0;
        for (int i = 0; mcuprof_functions_view[i].function != NULL; i++) {
            open += mcuprof_functions_view[i].open;
        }
        assert_true(open <= machine.actors[machine.task].depth);
        assert_true(mcuprofi_functions_moment.no_slot > 0
                    || open == machine.actors[machine.task].depth);
        /* Of a stopped one it is as it was. */
        assert_int_equal(mcuprof_functions_stop(), 0);
        machine_elapse(0);
        mcuprof_port_host.counter += 1000;
        assert_true(mcuprof_functions_snapshot() > 0);
        check_sum();
    }
}

/* Hooks take time, and it is in the sum. */
static void test_adds_up_with_hooks(void **state)
{
    static const struct machine_chances chances = {60, 30, 10, 12, 20, 5000};
    (void)state;
    for (uint32_t seed = 1; seed <= 20; seed++) {
        machine_reset(&chances, seed);
        assert_int_equal(mcuprof_functions_start(NULL), 0);
        machine.hook_ticks = 3;
        mcuprof_functions.hot.inner = 6;
        mcuprof_functions.hot.outer = 6;
        mcuprof_functions.enter_rest = 6;
        mcuprof_functions.exit_rest = 6;
        mcuprof_functions.hot.probe = 2;
        machine_begin();
        machine_run(3000);
        mcuprof_port_host.between = NULL;
        assert_true(mcuprof_functions_snapshot() > 0);
        check_sum();
        assert_true(mcuprofi_functions_moment.hooks > 0);
    }
}

/* The first number behind a word of a line. */
static uint64_t number_behind(const char *line, const char *word)
{
    const char *at = strstr(line, word);
    assert_non_null(at);
    return strtoull(at + strlen(word), NULL, 10);
}

static void test_text(void **state)
{
    (void)state;
    storm(3, NULL);
    text_size = 0;
    room = 7;
    assert_int_equal(mcuprof_functions_print(take), 0);
    text[text_size] = '\0';
    const char *end = strstr(text, "mcuprof-end ");
    assert_non_null(end);
    assert_int_equal(
            strtoul(end + 12, NULL, 16),
            mcuprofi_crc32(0, (const uint8_t *)text, (size_t)(end - text)));
    assert_int_equal(number_behind(text, " ticks "), machine.wall);
    assert_int_equal(number_behind(text, " all "), all_of());
    const char *line = strstr(text, "mcuprof-row");
    for (int i = 0; mcuprof_functions_view[i].function != NULL; i++) {
        const struct mcuprof_function *row = &mcuprof_functions_view[i];
        unsigned long function;
        unsigned context;
        unsigned open;
        unsigned long long n[6];
        assert_non_null(line);
        assert_int_equal(sscanf(line,
                                "mcuprof-row %lx %u %llu %llu %llu %llu %llu "
                                "%llu %u",
                                &function, &context, &n[0], &n[1], &n[2], &n[3],
                                &n[4], &n[5], &open),
                         9);
        assert_int_equal(function, (uintptr_t)row->function);
        assert_int_equal(context, row->context);
        assert_int_equal(n[0], row->calls);
        assert_int_equal(n[1], row->self);
        assert_int_equal(n[2], row->total);
        assert_int_equal(n[3], row->total / row->calls);
        assert_int_equal(n[4], row->min);
        assert_int_equal(n[5], row->max);
        assert_int_equal(open, row->open);
        assert_true(i == 0 || row->self <= mcuprof_functions_view[i - 1].self);
        line = strstr(line + 1, "mcuprof-row");
    }
    assert_null(line);
    room = 0;
    assert_int_equal(mcuprof_functions_print(take), MCUPROF_EBUSY);
}

static void test_reset(void **state)
{
    static const struct mcuprof_functions_config raw = {1, 0};
    (void)state;
    storm(5, &raw);
    uint64_t before = machine.wall;
    mcuprof_functions_reset();
    machine_elapse(1000);
    while (machine_programs[machine.task].depth > 0) {
        machine_return(machine.task);
    }
    assert_true(mcuprof_functions_snapshot() >= 0);
    assert_int_equal(mcuprofi_functions_moment.ticks, 1000);
    assert_int_equal(all_of(), machine.wall - before);
    assert_int_equal(mcuprofi_functions_moment.calls, 5);
    if (MCUPROF_FUNCTIONS_SLOTS > 64) {
        assert_int_equal(mcuprof_functions_view[0].self, 1000);
        assert_int_equal(mcuprof_functions_view[0].total, 1000);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_adds_up),
            cmocka_unit_test(test_adds_up_with_hooks),
            cmocka_unit_test(test_text),
            cmocka_unit_test(test_reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
