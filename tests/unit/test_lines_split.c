/* SPDX-License-Identifier: MIT */
#include "arm_fixture.h"

#include <sys/stat.h>

#include "lines.h"

/*
 * Split units: which .dwo file counts, of those beside the ELF and in the
 * compilation directory, and what is said of those that do not.
 */

enum {
    UNITS = 20,
    PATIENCE = 30 /* seconds, for a pipe without another end */
};

static const char source[] =
        "static volatile int input;\n"
        "static inline __attribute__((always_inline)) int body(int value)\n"
        "{\n"
        "    return value * input;\n"
        "}\n"
        "int NAME(int value)\n"
        "{\n"
        "    return body(value) + 1;\n"
        "}\n";

static struct {
    char directory[PATH_SIZE];
    char elf[PATH_SIZE];
    struct nm_table nm;
    struct image *image;
    struct lines *lines;
} state;

/* Run shell COMMAND in the test's folder. */
static void run(const char *command)
{
    char text[2 * PATH_SIZE];
    int length = snprintf(text, sizeof text, "cd '%s' && %s", state.directory,
                          command);

    assert_in_range(length, 1, sizeof text - 1);
    run_tool(NULL, "sh", "-c", text, NULL);
}

/* Units f1, f2 and so on in src, and one of another build there, other.dwo; the
 * ELF alone also in moved. */
static void build(const char *flag, int units)
{
    char path[PATH_SIZE], command[PATH_SIZE];

    run("rm -rf src moved && mkdir src moved");
    fixture_path(path, state.directory, "src/unit.c");
    file_write(path, source, strlen(source));
    (void)snprintf(command, sizeof command,
                   "cd src && for name in $(seq -f f%%g %d) other; do "
                   "arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -O2 -g %s "
                   "-gsplit-dwarf -DNAME=$name -c unit.c -o $name.o || exit 1; "
                   "done && arm-none-eabi-gcc -nostdlib "
                   "-Wl,-Ttext=0x8000,-e,f1 f*.o -o u.elf && "
                   "cp u.elf ../moved",
                   units, flag);
    run(command);
}

static void open_elf(const char *name)
{
    struct error error;

    fixture_path(state.elf, state.directory, name);
    nm_read(&state.nm, state.directory, state.elf);
    if (image_open(&state.image, state.elf, &error) != 0)
        fail_msg("%s", error.cause);
    assert_int_equal(lines_open(&state.lines, state.image), 0);
    (void)alarm(PATIENCE);
}

static int close_elf(void **unused)
{
    (void)unused;
    (void)alarm(0);
    lines_free(state.lines);
    image_free(state.image);
    state.lines = NULL;
    state.image = NULL;
    return 0;
}

/* The function NAME begins with what was inlined, if its .dwo file counts;
 * else lines are all that is known. */
static void expect_unit(const char *name, bool is_whole)
{
    struct lines_place place;

    assert_int_equal(
            lines_find(state.lines, nm_find(&state.nm, name)->address, &place),
            0);
    assert_int_equal(place.frame_count, is_whole ? 2 : 1);
    assert_int_equal(place.frames[0].line, 4);
    assert_string_equal(place.frames[0].name, is_whole ? "body" : "");
    if (is_whole) {
        assert_int_equal(place.frames[1].line, 8);
        assert_string_equal(place.frames[1].name, name);
    }
}

static void expect_problem(const char *words)
{
    struct error error;

    assert_true(lines_problem(state.lines, &error));
    if (strstr(error.cause, words) == NULL)
        fail_msg("'%s' has no '%s'", error.cause, words);
    assert_null(strstr(error.cause, "other problem"));
    assert_non_null(strstr(error.remedy, ".dwo"));
}

static void expect_no_problem(void)
{
    struct error error;

    if (lines_problem(state.lines, &error))
        fail_msg("%s", error.cause);
}

/* However many files are of another build, one that is right counts; the
 * linker has f9, as the shell sorts them, last. */
static void test_many_stale_files(void **unused)
{
    static const char *const flags[] = {"-gdwarf-4", "-gdwarf-5"};

    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        build(flags[i], UNITS);
        run("cd src && mv f9.dwo f9 && "
            "for i in f*.dwo; do cp other.dwo $i; done && mv f9 f9.dwo");
        open_elf("src/u.elf");
        for (int k = UNITS; k > 0; k--) {
            char name[8];

            (void)snprintf(name, sizeof name, "f%d", k);
            expect_unit(name, k == 9);
        }
        expect_problem("19 units is in .dwo files that are of another build");
        (void)close_elf(unused);
    }
}

/* The file beside the ELF, else the one in the compilation directory. */
static void test_two_places(void **unused)
{
    build("-gdwarf-5", 4);
    run("cp src/other.dwo moved/f2.dwo && mv src/f3.dwo moved");
    open_elf("moved/u.elf");
    expect_unit("f1", true);
    expect_unit("f2", true);
    expect_unit("f3", true);
    expect_no_problem();
    (void)close_elf(unused);
    run("cp src/other.dwo src/f1.dwo");
    open_elf("moved/u.elf");
    expect_unit("f1", false);
    expect_problem("1 unit is in .dwo files that are of another build");
    (void)close_elf(unused);
    run("rm src/f1.dwo");
    open_elf("moved/u.elf");
    expect_unit("f1", false);
    expect_problem("1 unit is in .dwo files that are not there (f1.dwo)");
}

/* A pipe in either place is never opened. */
static void test_pipes(void **unused)
{
    build("-gdwarf-5", 4);
    run("mkfifo moved/f1.dwo");
    open_elf("moved/u.elf");
    expect_unit("f1", false);
    expect_problem("1 unit is in .dwo files that cannot be read (f1.dwo)");
    (void)close_elf(unused);
    /* Beside the ELF is where it really is. */
    run("ln -s moved/u.elf link.elf");
    open_elf("link.elf");
    expect_unit("f1", false);
    expect_problem("1 unit is in .dwo files that cannot be read (f1.dwo)");
    (void)close_elf(unused);
    run("mv -f moved/f1.dwo src && cp src/other.dwo moved/f1.dwo");
    open_elf("moved/u.elf");
    expect_unit("f1", false);
    expect_problem("1 unit is in .dwo files that are of another build");
}

/* Not debug info, or not of this machine. */
static void test_strange_files(void **unused)
{
    build("-gdwarf-5", 4);
    run("cd src && mkdir ../moved/f1.dwo && echo no ELF > f2.dwo && "
        ": > f3.dwo && cp /bin/sh f4.dwo");
    open_elf("moved/u.elf");
    for (int i = 1; i <= 4; i++) {
        char name[8];

        (void)snprintf(name, sizeof name, "f%d", i);
        expect_unit(name, false);
    }
    expect_problem("4 units is in .dwo files that cannot be read (f1.dwo)");
    (void)close_elf(unused);
}

static int setup(void **unused)
{
    (void)unused;
    fixture_begin(state.directory);
    return 0;
}

static int teardown(void **unused)
{
    (void)unused;
    fixture_end(state.directory);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_teardown(test_many_stale_files, close_elf),
            cmocka_unit_test_teardown(test_two_places, close_elf),
            cmocka_unit_test_teardown(test_pipes, close_elf),
            cmocka_unit_test_teardown(test_strange_files, close_elf),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
