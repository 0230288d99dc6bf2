/* SPDX-License-Identifier: MIT */
#include "arm_fixture.h"
#include "hook_pairs.h"
#include "selection.h"

/*
 * fixtures/pairs_by_hand.c says in its functions' names what is to be said of
 * their hooks; and what selection makes of it.
 */

enum {
    SITES = 64
};

static struct {
    char directory[PATH_SIZE];
    char elf[PATH_SIZE];
    struct image *image;
    struct lines *lines;
    struct code_map *code;
    struct hook_sites *sites;
    struct hook_pairs *pairs;
} state;

static void open_elf(void)
{
    struct error error;

    assert_int_equal(image_open(&state.image, state.elf, &error), 0);
    assert_int_equal(lines_open(&state.lines, state.image), 0);
    assert_int_equal(code_map_new(&state.code, state.image), 0);
    assert_int_equal(hook_sites_find(&state.sites, state.code, state.lines), 0);
    assert_int_equal(hook_pairs_find(&state.pairs, state.code, state.sites), 0);
}

static void close_elf(void)
{
    hook_pairs_free(state.pairs);
    hook_sites_free(state.sites);
    code_map_free(state.code);
    lines_free(state.lines);
    image_free(state.image);
}

static void build(const char *flag)
{
    run_tool(NULL, "arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-O1",
             "-g", flag, "-nostdlib", "-Wl,-Ttext=0x8000,-e,start",
             FIXTURES "pairs_by_hand.c", "-o", state.elf, NULL);
}

static int setup(void **unused)
{
    (void)unused;
    fixture_begin(state.directory);
    fixture_path(state.elf, state.directory, "pairs.elf");
    build("-g");
    open_elf();
    return 0;
}

static int teardown(void **unused)
{
    (void)unused;
    close_elf();
    fixture_end(state.directory);
    return 0;
}

static const char *function_of(const struct hook_instance *instance)
{
    return state.code->functions[instance->function].name;
}

/* "no_enter_pad" has "no-enter". */
static bool has_word(const char *name, const char *word)
{
    for (; *word != '\0'; word++, name++)
        if (*name != *word && (*name != '_' || *word != '-'))
            return false;
    return *name == '_';
}

static void test_doubts(void **unused)
{
    size_t seen[HOOK_DOUBT_COUNT] = {0};

    (void)unused;
    for (size_t i = 0; i < state.pairs->count; i++) {
        const struct hook_instance *instance = &state.pairs->instances[i];
        const char *name = function_of(instance);
        const char *said = instance->doubt == HOOK_SURE
                                   ? "sure"
                                   : hook_doubt_name(instance->doubt);

        if (has_word(name, "various"))
            continue;
        if (!has_word(name, said))
            fail_msg("%s: %s, at 0x%x", name, said, instance->where);
        seen[instance->doubt]++;
        if (instance->doubt != HOOK_SURE)
            assert_in_range(
                    instance->where
                            - state.code->functions[instance->function].start,
                    0, state.code->functions[instance->function].size - 1);
    }
    assert_int_equal(seen[HOOK_SURE], 6);
    for (size_t i = 0; i < HOOK_DOUBT_COUNT; i++)
        if (seen[i] == 0)
            fail_msg("nothing is %s", hook_doubt_name((enum hook_doubt)i));
}

/* Calls of what can be taken out, by hand. */
static void test_bodies(void **unused)
{
    static const struct {
        const char *function;
        size_t count;
    } bodies[] = {{"sure_plain", 2},
                  {"sure_jump", 2},
                  {"sure_ways", 3},
                  {"sure_loop", 2}};

    (void)unused;
    for (size_t k = 0; k < sizeof bodies / sizeof bodies[0]; k++) {
        size_t found = 0;

        for (size_t i = 0; i < state.pairs->count; i++) {
            const struct hook_instance *instance = &state.pairs->instances[i];

            if (strcmp(function_of(instance), bodies[k].function) != 0)
                continue;
            found++;
            assert_int_equal(instance->count, bodies[k].count);
            assert_int_equal(instance->enters, 1);
            assert_false(instance->is_inlined);
            assert_false(instance->is_shared);
            assert_string_equal(state.sites->subjects[instance->subject].name,
                                bodies[k].function);
        }
        assert_int_equal(found, 1);
    }
}

/* The only instance of FUNCTION with ENTERS enter hooks, of COUNT. */
static const struct hook_instance *find_instance(const char *function,
                                                 size_t enters, size_t count)
{
    size_t found = 0, seen = 0;

    for (size_t i = 0; i < state.pairs->count; i++) {
        const struct hook_instance *instance = &state.pairs->instances[i];

        if (strcmp(function_of(instance), function) != 0
            || instance->enters != enters || instance->count != count)
            continue;
        found = i;
        seen++;
    }
    if (seen != 1)
        fail_msg("%s: %zu bodies of %zu hooks", function, seen, count);
    return &state.pairs->instances[found];
}

/* Hooks that no way leads to may be of what is open there; where nothing says
   of which, of all that is. */
static void test_pads(void **unused)
{
    (void)unused;
    assert_int_equal(find_instance("various_pads", 1, 1)->doubt, HOOK_ENDLESS);
    assert_int_equal(find_instance("various_pads", 0, 1)->doubt, HOOK_NO_ENTER);
    assert_true(find_instance("various_untold", 2, 5)->is_shared);
}

/* Of two open ones where the debug info has one copy the inner one may be
   anybody's. */
static void test_merged(void **unused)
{
    size_t seen[HOOK_DOUBT_COUNT] = {0};

    (void)unused;
    for (size_t i = 0; i < state.pairs->count; i++)
        if (strcmp(function_of(&state.pairs->instances[i]), "various_merged")
            == 0)
            seen[state.pairs->instances[i].doubt]++;
    assert_int_equal(seen[HOOK_SURE], 1);
    assert_int_equal(seen[HOOK_UNNAMED], 1);
}

static struct selection *make(const struct selection_rules *rules)
{
    struct selection *selection;
    struct error error;

    if (selection_make(&selection, state.pairs, state.code, rules, &error) != 0)
        fail_msg("%s", error.cause);
    return selection;
}

static struct selection_rules rules_of(const char *const *drop, size_t count)
{
    return (struct selection_rules){.drop = {drop, count},
                                    .keep_inlined = true};
}

/* Drop all: what is in doubt stays, and each patch is what it must be. */
static void test_patches(void **unused)
{
    static const char *const every[] = {"*"};
    static const uint8_t nop[4] = {0xAF, 0xF3, 0x00, 0x80};
    static const uint8_t leave[4] = {0x70, 0x47, 0x00, 0xBF};
    const struct selection_rules rules = rules_of(every, 1);
    struct selection *selection = make(&rules);
    struct elf_patch *patches;
    struct error error;
    size_t count, jumps = 0, various = 0;

    (void)unused;
    assert_int_equal(selection_patches(selection, &patches, &count, &error), 0);
    assert_int_equal(count, 11 + 3 + 7); /* shared ones, and various */
    assert_int_equal(selection->sites - selection->sites_kept, count);
    for (size_t i = 0; i < count; i++) {
        const char *name = state.code
                                   ->functions[code_map_find(
                                           state.code, patches[i].address)]
                                   .name;
        bool is_jump = memcmp(patches[i].after, leave, 4) == 0;

        various += has_word(name, "various");
        assert_true(has_word(name, "sure") || has_word(name, "various"));
        assert_int_equal(patches[i].size, 4);
        assert_true(i == 0 || patches[i - 1].address < patches[i].address);
        if (!is_jump)
            assert_memory_equal(patches[i].after, nop, 4);
        else
            assert_string_equal(name, "sure_jump");
        jumps += is_jump;
    }
    assert_int_equal(jumps, 1);
    assert_int_equal(various, 7);
    free(patches);
    selection_free(selection);
}

/* sure_loop is not called: nobody would miss it. */
static void test_counts(void **unused)
{
    static const char *const one[] = {"sure_w?ys"};
    const struct selection_rules none = rules_of(NULL, 0);
    const struct selection_rules drop = rules_of(one, 1);
    struct selection *all = make(&none), *less = make(&drop);

    (void)unused;
    assert_int_equal(all->functions, 5);
    assert_int_equal(all->functions_kept, 5);
    assert_int_equal(all->sites_kept, all->sites);
    assert_int_equal(less->functions, 5);
    assert_int_equal(less->functions_kept, 4);
    assert_int_equal(less->sites - less->sites_kept, 3);
    selection_free(all);
    selection_free(less);
}

static void test_why(void **unused)
{
    static const char *const some[] = {"sure_plain", "mixed_*"};
    const struct selection_rules rules = rules_of(some, 2);
    struct selection *selection = make(&rules);
    char why[SELECTION_WHY_MAX];

    (void)unused;
    for (size_t i = 0; i < state.pairs->count; i++) {
        const char *name = function_of(&state.pairs->instances[i]);

        selection_why(selection, i, why);
        if (strcmp(name, "sure_plain") == 0)
            assert_string_equal(why, "--drop sure_plain");
        else if (has_word(name, "mixed"))
            assert_non_null(strstr(why, "in doubt: one function is entered"));
        else if (strcmp(name, "sure_shared") == 0)
            assert_string_equal(
                    why, "shares a hook with sure_jump; nothing calls it");
        else if (has_word(name, "sure"))
            assert_string_equal(why, strcmp(name, "sure_loop") == 0
                                             ? "nothing calls it"
                                             : "");
        assert_int_equal(selection->choices[i].is_dropped,
                         strcmp(name, "sure_plain") == 0);
    }
    selection_free(selection);
}

static size_t count_dropped(const char *const *drop, size_t patterns,
                            const struct hook_instance *instance)
{
    const struct selection_rules rules = rules_of(drop, patterns);
    struct selection *selection = make(&rules);
    const struct code_function *function =
            &state.code->functions[instance->function];
    struct elf_patch *patches;
    struct error error;
    size_t count, dropped = 0;

    assert_int_equal(selection_patches(selection, &patches, &count, &error), 0);
    for (size_t i = 0; i < count; i++)
        dropped += patches[i].address - function->start < function->size;
    assert_int_equal(
            selection->choices[instance - state.pairs->instances].is_dropped,
            dropped > 0);
    free(patches);
    selection_free(selection);
    return dropped;
}

/* What shares a hook with a body that is kept stays, all of it. */
static void test_shared(void **unused)
{
    static const char *const both[] = {"sure_plain", "sure_jump"};
    const struct hook_instance *shared = find_instance("sure_shared", 2, 3);

    (void)unused;
    assert_true(shared->is_shared);
    assert_int_equal(count_dropped(&both[0], 1, shared), 0);
    assert_int_equal(count_dropped(&both[1], 1, shared), 0);
    assert_int_equal(count_dropped(both, 2, shared), 3);
}

/* A site in FUNCTION, by number. */
static struct hook_site *site_of(const char *function, size_t number)
{
    size_t found = state.sites->count;

    for (size_t i = 0; i < state.sites->count; i++)
        if (strcmp(state.code->functions[state.sites->items[i].function].name,
                   function)
                    == 0
            && number-- == 0)
            found = i;
    assert_in_range(found, 0, state.sites->count - 1);
    return &state.sites->items[found];
}

static void expect_refused(void)
{
    static const char *const one[] = {"sure_*"};
    const struct selection_rules rules = rules_of(one, 1);
    struct selection *selection = make(&rules);
    struct elf_patch *patches;
    struct error error = {0};
    size_t count;

    assert_int_equal(selection_patches(selection, &patches, &count, &error),
                     MCUPROF_E_MISMATCH);
    assert_null(patches);
    assert_int_equal(count, 0);
    assert_non_null(strstr(error.cause, "is not the call of a hook"));
    selection_free(selection);
}

/* A site that is not what it was found as is never written to. */
static void test_wrong_places(void **unused)
{
    struct hook_site *call = site_of("sure_loop", 0);
    struct hook_site *jump = site_of("sure_jump", 1);
    struct hook_site *other = site_of("sure_plain", 1);
    const struct hook_site was = *call, was_jump = *jump;

    (void)unused;
    assert_true(was_jump.is_jump);
    call->address += 2; /* the half of it, and what is behind it */
    expect_refused();
    call->address = was.address + 4; /* bl helper */
    expect_refused();
    call->address = was.address - 2; /* mov r1, lr: too short */
    expect_refused();
    call->address = other->address; /* the exit hook, not the enter hook */
    expect_refused();
    *call = was;
    call->is_jump = true; /* a call, that something comes behind */
    expect_refused();
    *call = was;
    call->size = 2; /* half of it would stay */
    expect_refused();
    *call = was;
    jump->is_jump = false; /* nothing comes behind it */
    expect_refused();
    *jump = was_jump;
    (void)count_dropped((const char *const[]){"sure_loop"}, 1,
                        find_instance("sure_loop", 1, 2));
}

/* What somebody made: sure_ways is out, and then but for one exit. */
static void test_found(void **unused)
{
    bool is_out[SITES] = {false};
    struct selection *selection;
    struct error error;
    size_t last = 0;

    (void)unused;
    assert_in_range(state.sites->count, 10, SITES);
    for (size_t i = 0; i < state.sites->count; i++) {
        size_t function = state.sites->items[i].function;

        if (strcmp(state.code->functions[function].name, "sure_ways") != 0)
            continue;
        is_out[i] = true;
        last = i;
    }
    assert_int_equal(selection_found(&selection, state.pairs, state.code,
                                     is_out, &error),
                     0);
    assert_int_equal(selection->functions, 5);
    assert_int_equal(selection->functions_kept, 4);
    assert_int_equal(selection->sites - selection->sites_kept, 3);
    for (size_t i = 0; i < state.sites->count; i++)
        assert_int_equal(selection->choices[state.pairs->of_site[i]].is_dropped,
                         is_out[i]);
    assert_in_range(selection->doubts[HOOK_MIXED], 1, 4);
    selection_free(selection);
    is_out[last] = false;
    assert_int_equal(selection_found(&selection, state.pairs, state.code,
                                     is_out, &error),
                     MCUPROF_E_MISMATCH);
    assert_null(selection);
    assert_non_null(strstr(error.cause, "2 of 3 hook calls"));
}

static void test_no_match(void **unused)
{
    static const char *const nobody[] = {"nobody*"};
    const struct selection_rules rules = rules_of(nobody, 1);
    struct selection *selection;
    struct error error;

    (void)unused;
    assert_int_equal(
            selection_make(&selection, state.pairs, state.code, &rules, &error),
            MCUPROF_E_USAGE);
    assert_null(selection);
    assert_non_null(strstr(error.cause, "nobody*"));
}

/* Whose exit hook has another name is not whole: all stays. */
static void test_no_exit_hook(void **unused)
{
    (void)unused;
    close_elf();
    run_tool(NULL, "arm-none-eabi-objcopy", "--redefine-sym",
             "__cyg_profile_func_exit=other_hook", state.elf, NULL);
    open_elf();
    assert_in_range(state.pairs->count, 10, SITES);
    for (size_t i = 0; i < state.pairs->count; i++)
        assert_int_not_equal(state.pairs->instances[i].doubt, HOOK_SURE);
}

/* Where no hook is called through a register what has no exit has none, unless
   hooks lie there that no way leads to. */
static void test_no_registers(void **unused)
{
    (void)unused;
    close_elf();
    build("-DWITHOUT_REGISTERS");
    open_elf();
    assert_int_equal(find_instance("endless_loop", 1, 1)->doubt, HOOK_SURE);
    assert_int_equal(find_instance("various_pads", 1, 1)->doubt, HOOK_ENDLESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_doubts),
            cmocka_unit_test(test_bodies),
            cmocka_unit_test(test_pads),
            cmocka_unit_test(test_merged),
            cmocka_unit_test(test_patches),
            cmocka_unit_test(test_counts),
            cmocka_unit_test(test_why),
            cmocka_unit_test(test_shared),
            cmocka_unit_test(test_wrong_places),
            cmocka_unit_test(test_found),
            cmocka_unit_test(test_no_match),
            cmocka_unit_test(test_no_exit_hook),
            cmocka_unit_test(test_no_registers),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
