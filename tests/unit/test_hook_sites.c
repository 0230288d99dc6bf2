/* SPDX-License-Identifier: MIT */
#include "arm_fixture.h"
#include "hook_naked.h"
#include "hook_sites.h"

#include <inttypes.h>

/*
 * fixtures/hook_work.c as compilers make it: objdump says where the calls of
 * hooks are, addr2line whom they are for.
 */

enum {
    TRUTH_MAX = 300
};

struct truth {
    uint32_t address;
    bool is_exit;
    bool is_jump;
    char function[40];
};

static struct {
    char directory[PATH_SIZE];
    char elf[PATH_SIZE];
    struct truth truths[TRUTH_MAX];
    size_t truth_count;
    struct image *image;
    struct lines *lines;
    struct code_map *code;
    struct hook_sites *sites;
} state;

static int setup(void **unused)
{
    (void)unused;
    fixture_begin(state.directory);
    fixture_path(state.elf, state.directory, "hooks.elf");
    return 0;
}

static int teardown(void **unused)
{
    (void)unused;
    fixture_end(state.directory);
    return 0;
}

static void close_elf(void)
{
    hook_sites_free(state.sites);
    code_map_free(state.code);
    lines_free(state.lines);
    image_free(state.image);
}

static void open_elf(void)
{
    struct error error;

    if (image_open(&state.image, state.elf, &error) != 0)
        fail_msg("%s", error.cause);
    assert_int_equal(lines_open(&state.lines, state.image), 0);
    assert_int_equal(code_map_new(&state.code, state.image), 0);
    assert_int_equal(hook_sites_find(&state.sites, state.code, state.lines), 0);
}

/* AT is "HOOKS_AT=0x10000". */
static void build_with(bool is_clang, bool is_m0, const char *level,
                       const char *flag, const char *more, const char *at)
{
    char work[PATH_SIZE], hooks[PATH_SIZE], place[PATH_SIZE];
    const char *cpu = is_m0 ? "-mcpu=cortex-m0" : "-mcpu=cortex-m4";
    const char *target = is_m0 ? "--target=thumbv6m-none-eabi"
                               : "--target=thumbv7em-none-eabi";

    fixture_path(work, state.directory, "work.o");
    fixture_path(hooks, state.directory, "hooks.o");
    (void)snprintf(place, sizeof place, "-Wl,--defsym=%s", at);
    run_tool(NULL, is_clang ? "clang" : "arm-none-eabi-gcc",
             is_clang ? target : "-mthumb", cpu, level, flag, more, "-g",
             "-ffreestanding", "-fno-short-enums", "-finstrument-functions",
             "-c", FIXTURES "hook_work.c", "-o", work, NULL);
    run_tool(NULL, "arm-none-eabi-gcc", "-mthumb", cpu, "-O2",
             "-fno-short-enums", "-c", FIXTURES "hook_hooks.c", "-o", hooks,
             NULL);
    run_tool(NULL, "arm-none-eabi-gcc", "-mthumb", cpu, "-nostdlib",
             "-Wl,--no-enum-size-warning,-z,noexecstack", place, "-T",
             FIXTURES "hook_far.ld", work, hooks, "-lgcc", "-o", state.elf,
             NULL);
}

static void build(bool is_clang, bool is_m0, const char *level, const char *at)
{
    build_with(is_clang, is_m0, level, "-g", "-g", at);
}

/* "    8010:	f7ff fffe 	bl	8268 <__cyg_profile_func_enter>" */
static bool parse_branch(const char *line, struct truth *truth)
{
    const char *name = strstr(line, "<__cyg_profile_func_");
    const char *tab = strchr(line, '\t');

    if (name == NULL)
        name = strstr(line, "<____cyg_profile_func_");
    if (name == NULL || tab == NULL || strchr(name, '+') != NULL
        || sscanf(line, " %" SCNx32 ":", &truth->address) != 1)
        return false;
    tab = strchr(tab + 1, '\t');
    if (tab == NULL || tab[1] != 'b')
        return false;
    truth->is_exit = strstr(name, "_exit") != NULL;
    truth->is_jump = tab[2] != 'l';
    return true;
}

static void read_truth(void)
{
    char list[PATH_SIZE], line[256], function[40] = "";
    FILE *file;

    fixture_path(list, state.directory, "objdump.txt");
    run_tool(list, "arm-none-eabi-objdump", "-d", "-j", ".text", state.elf,
             NULL);
    file = fopen(list, "r");
    assert_non_null(file);
    state.truth_count = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        struct truth *truth = &state.truths[state.truth_count];

        (void)sscanf(line, "%*[0-9a-f] <%39[^>]>:", function);
        if (!parse_branch(line, truth) || strstr(function, "_veneer") != NULL)
            continue;
        (void)snprintf(truth->function, sizeof truth->function, "%s", function);
        state.truth_count++;
        assert_in_range(state.truth_count, 1, TRUTH_MAX - 1);
    }
    (void)fclose(file);
}

static void check_sites(void)
{
    assert_int_equal(state.sites->count, state.truth_count);
    for (size_t i = 0; i < state.truth_count; i++) {
        const struct hook_site *site = &state.sites->items[i];
        const struct truth *truth = &state.truths[i];

        assert_int_equal(site->address, truth->address);
        assert_int_equal(site->size, 4);
        assert_int_equal(site->is_exit, truth->is_exit);
        assert_int_equal(site->is_jump, truth->is_jump);
        assert_string_equal(state.code->functions[site->function].name,
                            truth->function);
    }
}

/* Innermost function of each site; addr2line is asked for all of them. */
static void check_subjects(void)
{
    char list[PATH_SIZE], line[256], address[16];
    FILE *file;

    for (size_t i = 0; i < state.sites->count; i += 7) {
        const struct hook_site *site = &state.sites->items[i];
        const struct hook_subject *subject =
                &state.sites->subjects[site->subject];

        fixture_path(list, state.directory, "addr2line.txt");
        (void)snprintf(address, sizeof address, "0x%x", site->address);
        run_tool(list, "arm-none-eabi-addr2line", "-f", "-e", state.elf,
                 address, NULL);
        file = fopen(list, "r");
        assert_non_null(file);
        assert_non_null(fgets(line, sizeof line, file));
        line[strcspn(line, "\n")] = '\0';
        (void)fclose(file);
        assert_string_equal(subject->name, line);
        assert_non_null(site->frame);
        assert_string_equal(site->frame->name, line);
        assert_int_equal(site->is_inlined, site->function != subject->function);
    }
}

/* Those and no others, however the others look. */
static void check_naked(void)
{
    size_t found = 0;

    for (size_t i = 0; i < state.code->function_count; i++) {
        const char *name = state.code->functions[i].name;
        bool is_naked = strncmp(name, "naked_", 6) == 0;
        struct hook_naked naked;
        int result = hook_naked_check(state.code, state.sites, i, &naked);

        if (result != is_naked)
            fail_msg("%s is %staken for naked", name, is_naked ? "not " : "");
        found += is_naked;
        if (!is_naked)
            continue;
        /* "naked_jump" has arguments and never returns. */
        assert_int_equal(naked.lost,
                         strcmp(name, "naked_jump") == 0 ? 0 : THUMB_LR);
        assert_in_range(naked.hook, state.code->functions[i].start,
                        naked.use - 2);
    }
    assert_int_equal(found, 5);
}

static void check_all(bool is_clang, bool is_m0, const char *level,
                      const char *at)
{
    build(is_clang, is_m0, level, at);
    open_elf();
    read_truth();
    print_message("%s %s %s: %zu sites\n", is_clang ? "clang" : "gcc",
                  is_m0 ? "M0" : "M4", level, state.sites->count);
    assert_in_range(state.sites->count, 40, TRUTH_MAX);
    check_sites();
    /* clang gives hooks of inlined bodies to the function around them. */
    if (!is_clang || strcmp(level, "-O0") == 0)
        check_subjects();
    check_naked();
    close_elf();
}

static const char near[] = "HOOKS_AT=0x10000", far[] = "HOOKS_AT=0x28000000";

static void test_gcc(void **unused)
{
    static const char *const levels[] = {"-O0", "-O1", "-O2", "-O3", "-Os"};

    (void)unused;
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        check_all(false, false, levels[i], near);
        check_all(false, true, levels[i], near);
    }
}

static void test_clang(void **unused)
{
    static const char *const levels[] = {"-O0", "-O2", "-Os"};

    (void)unused;
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        check_all(true, false, levels[i], near);
        check_all(true, true, levels[i], near);
    }
}

static void test_veneers(void **unused)
{
    (void)unused;
    check_all(false, false, "-O2", far);
    check_all(false, true, "-O2", far);
    check_all(true, false, "-O2", far);
}

/* Without their names veneers are what their code does. */
static void test_nameless_veneers(void **unused)
{
    (void)unused;
    for (int is_m0 = 0; is_m0 < 2; is_m0++) {
        build(false, is_m0, "-O2", far);
        read_truth();
        run_tool(NULL, "arm-none-eabi-objcopy", "--strip-symbol",
                 "____cyg_profile_func_enter_veneer", "--strip-symbol",
                 "____cyg_profile_func_exit_veneer", state.elf, NULL);
        open_elf();
        check_sites();
        close_elf();
    }
}

static size_t count_enters(bool is_clang, bool is_m0, const char *flag,
                           const char *more)
{
    size_t count = 0;

    build_with(is_clang, is_m0, "-O2", flag, more, near);
    open_elf();
    for (size_t i = 0; i < state.sites->count; i++)
        count += !state.sites->items[i].is_exit;
    check_naked();
    close_elf();
    return count;
}

/*
 * -mlong-calls goes through registers. It changes what gcc inlines, and which
 * ways out it joins: so enters are counted, and without inlining there.
 */
static void test_long_calls(void **unused)
{
    (void)unused;
    for (int is_m0 = 0; is_m0 < 2; is_m0++) {
        assert_int_equal(count_enters(true, is_m0, "-g", "-mlong-calls"),
                         count_enters(true, is_m0, "-g", "-g"));
        assert_int_equal(
                count_enters(false, is_m0, "-fno-inline", "-mlong-calls"),
                count_enters(false, is_m0, "-fno-inline", "-g"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_gcc),
            cmocka_unit_test(test_clang),
            cmocka_unit_test(test_veneers),
            cmocka_unit_test(test_nameless_veneers),
            cmocka_unit_test(test_long_calls),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
