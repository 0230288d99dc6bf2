/* SPDX-License-Identifier: MIT */
#include "arm_fixture.h"
#include "hook_flow.h"

/*
 * fixtures/hook_flow.S says in its labels which hooks belong together, and in
 * its functions' names what is wrong with them.
 */

enum {
    SITES = 256
};

static struct {
    char directory[PATH_SIZE];
    char elf[PATH_SIZE];
    struct nm_table nm;
    struct image *image;
    struct lines *lines;
    struct code_map *code;
    struct hook_sites *sites;
    struct hook_flow *flow;
} state;

static bool has_word(size_t function, const char *word)
{
    return strstr(state.code->functions[function].name, word) != NULL;
}

/* As hook_pairs.c does: rests, then whole functions, then what was moved away
   and is not known yet. */
static void follow_all(void)
{
    for (unsigned turn = 0; turn < 2; turn++)
        for (size_t i = 0; i < state.code->function_count; i++)
            if (has_word(i, ".part.") == (turn == 0) && !has_word(i, ".cold")
                && !has_word(i, "profile"))
                assert_int_equal(hook_flow_follow(state.flow, i), 0);
    for (size_t i = 0; i < state.sites->count; i++)
        if (hook_flow_body(state.flow, i) == CODE_NONE
            && has_word(state.sites->items[i].function, ".cold"))
            assert_int_equal(hook_flow_follow(state.flow,
                                              state.sites->items[i].function),
                             0);
    assert_int_equal(hook_flow_spread(state.flow), 0);
}

static int setup(void **unused)
{
    struct error error;

    (void)unused;
    fixture_begin(state.directory);
    fixture_path(state.elf, state.directory, "flow.elf");
    run_tool(NULL, "arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb",
             "-nostdlib", "-Wl,-Ttext=0x8000,-e,0x8000", FIXTURES "hook_flow.S",
             "-o", state.elf, NULL);
    nm_read(&state.nm, state.directory, state.elf);
    assert_int_equal(image_open(&state.image, state.elf, &error), 0);
    assert_int_equal(lines_open(&state.lines, state.image), 0);
    assert_int_equal(code_map_new(&state.code, state.image), 0);
    assert_int_equal(hook_sites_find(&state.sites, state.code, state.lines), 0);
    state.flow = hook_flow_new(state.code, state.sites);
    assert_non_null(state.flow);
    follow_all();
    return 0;
}

static int teardown(void **unused)
{
    (void)unused;
    hook_flow_free(state.flow);
    hook_sites_free(state.sites);
    code_map_free(state.code);
    lines_free(state.lines);
    image_free(state.image);
    fixture_end(state.directory);
    return 0;
}

/* The label of SITE: "b_ways1". */
static const char *label_of(size_t site)
{
    for (size_t i = 0; i < state.nm.count; i++)
        if (state.nm.symbols[i].address == state.sites->items[site].address
            && strncmp(state.nm.symbols[i].name, "b_", 2) == 0)
            return state.nm.symbols[i].name;
    fail_msg("no label at 0x%x", state.sites->items[site].address);
    return "";
}

static bool is_one_body(const char *a, const char *b)
{
    return strlen(a) == strlen(b) && strncmp(a, b, strlen(a) - 1) == 0;
}

/* Whether WHERE is in FUNCTION, or in what was moved away from it. */
static bool is_of(uint32_t where, size_t function)
{
    size_t at = code_map_find(state.code, where);

    return at == function
           || (at != CODE_NONE && code_map_is_moved(state.code, at, function));
}

static void test_problems(void **unused)
{
    static const char *const words[] = {
            [HOOK_FLOW_FINE] = "fine_",   [HOOK_FLOW_UNEQUAL] = "unequal_",
            [HOOK_FLOW_EMPTY] = "empty_", [HOOK_FLOW_OPEN] = "open_",
            [HOOK_FLOW_TABLE] = "table_", [HOOK_FLOW_STRANGE] = "strange_",
    };
    size_t seen[sizeof words / sizeof words[0]] = {0};

    (void)unused;
    for (size_t i = 0; i < state.code->function_count; i++) {
        uint32_t where;
        enum hook_flow_problem problem =
                hook_flow_problem(state.flow, i, &where);

        for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
            if (strncmp(state.code->functions[i].name, words[k],
                        strlen(words[k]))
                        != 0
                || has_word(i, ".cold"))
                continue;
            if (problem != (enum hook_flow_problem)k)
                fail_msg("%s: problem %d at 0x%x",
                         state.code->functions[i].name, (int)problem, where);
            assert_true(k == HOOK_FLOW_FINE || is_of(where, i));
            seen[k]++;
        }
    }
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        assert_int_not_equal(seen[k], 0);
}

/* Hooks that are called by hand have no sites. */
static void test_other_hook(void **unused)
{
    size_t seen = 0;

    (void)unused;
    for (size_t i = 0; i < state.code->function_count; i++) {
        uint32_t where;

        if (!has_word(i, "mcuprofi_trace_pair"))
            continue;
        seen++;
        assert_int_equal(hook_flow_problem(state.flow, i, &where),
                         HOOK_FLOW_STRANGE);
        assert_int_equal(where, state.code->functions[i].start + 2);
    }
    assert_int_equal(seen, 1);
}

static void test_bodies(void **unused)
{
    (void)unused;
    assert_in_range(state.sites->count, 70, SITES);
    for (size_t i = 0; i < state.sites->count; i++)
        for (size_t k = 0; k < i; k++) {
            const char *a = label_of(i), *b = label_of(k);
            uint32_t where;
            bool is_one = hook_flow_class(state.flow, i)
                          == hook_flow_class(state.flow, k);

            if (hook_flow_problem(state.flow, state.sites->items[i].function,
                                  &where)
                        == HOOK_FLOW_FINE
                && is_one != is_one_body(a, b))
                fail_msg("%s and %s are %s", a, b, is_one ? "one" : "two");
        }
}

/* What encloses a body is open around it, whichever hook of it is asked. */
static void test_around(void **unused)
{
    size_t inner = 0;

    (void)unused;
    for (size_t i = 0; i < state.sites->count; i++) {
        const char *label = label_of(i);
        size_t around = hook_flow_around(state.flow, i);
        uint32_t where;

        if (hook_flow_problem(state.flow, state.sites->items[i].function,
                              &where)
                    != HOOK_FLOW_FINE
            || strncmp(label, "b_ways", 6) != 0)
            continue;
        if (strncmp(label, "b_ways_in", 9) != 0) {
            assert_int_equal(around, CODE_NONE);
            continue;
        }
        inner++;
        assert_int_not_equal(around, CODE_NONE);
        assert_string_equal(label_of(around), "b_ways1");
    }
    assert_int_equal(inner, 2);
}

static void test_loose(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < state.sites->count; i++)
        assert_int_equal(hook_flow_is_loose(state.flow, i),
                         strcmp(label_of(i), "b_loose1") == 0);
    for (size_t i = 0; i < state.code->function_count; i++)
        if (has_word(i, "fine_"))
            assert_int_equal(hook_flow_has_pads(state.flow, i),
                             has_word(i, "fine_pad"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_problems), cmocka_unit_test(test_other_hook),
            cmocka_unit_test(test_bodies),   cmocka_unit_test(test_around),
            cmocka_unit_test(test_loose),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
