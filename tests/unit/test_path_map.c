/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "path_map.h"

static void check(const struct path_map *map, const char *path,
                  const char *expected)
{
    char *mapped = path_map_apply(map, path);

    assert_non_null(mapped);
    assert_string_equal(mapped, expected);
    free(mapped);
}

static void check_rule(const char *rule, const char *path, const char *expected)
{
    struct path_map map = {.count = 0};

    assert_int_equal(path_map_add(&map, rule), 0);
    check(&map, path, expected);
}

static void test_no_rule(void **unused)
{
    const struct path_map map = {.count = 0};

    (void)unused;
    check(&map, "C:\\proj\\src/a.c", "C:\\proj\\src/a.c");
    check(&map, "", "");
}

static void test_prefixes_of_whole_parts(void **unused)
{
    (void)unused;
    check_rule("/build=/home/u", "/build/src/a.c", "/home/u/src/a.c");
    check_rule("/build=/home/u", "/builder/a.c", "/builder/a.c");
    check_rule("/build=/home/u", "/other/build/a.c", "/other/build/a.c");
    check_rule("/build=/home/u", "/build", "/home/u");
    check_rule("/build=/home/u", "/buil", "/buil");
    check_rule("/build/=/home/u/", "/build/a.c", "/home/u/a.c");
    check_rule("/build/=/home/u", "/build/a.c", "/home/u/a.c");
    check_rule("/=/mnt", "/usr/a.c", "/mnt/usr/a.c");
    check_rule("src=lib", "src/a.c", "lib/a.c");
    check_rule("/build=", "/build/src/a.c", "src/a.c");
    check_rule("/a=/b=c", "/a/x.c", "/b=c/x.c");
}

static void test_windows(void **unused)
{
    (void)unused;
    check_rule("C:\\proj=/home/u/proj", "C:\\proj\\src\\a.c",
               "/home/u/proj/src/a.c");
    check_rule("C:\\proj=/home/u/proj", "C:\\proj/src\\sub/a.c",
               "/home/u/proj/src/sub/a.c");
    check_rule("C:/proj=/home/u/proj", "c:\\proj\\a.c", "/home/u/proj/a.c");
    check_rule("c:\\proj=/home/u/proj", "C:\\proj\\a.c", "/home/u/proj/a.c");
    check_rule("C:\\proj=/home/u/proj", "C:\\project\\a.c", "C:\\project\\a.c");
    check_rule("C:\\proj=/home/u/proj", "D:\\proj\\a.c", "D:\\proj\\a.c");
    /* Only the drive's letter may differ in case: the rest can be from
       anywhere. */
    check_rule("C:\\proj=/home/u/proj", "C:\\Proj\\a.c", "C:\\Proj\\a.c");
    check_rule("C:\\proj=D:\\work", "C:\\proj\\src/a.c", "D:\\work\\src/a.c");
    check_rule("C:\\=/mnt/c", "C:\\proj\\a.c", "/mnt/c/proj/a.c");
    check_rule("\\\\server\\share=/net", "\\\\server\\share\\a.c", "/net/a.c");
    check_rule("/build=C:\\x", "/build/a/b.c", "C:\\x\\a/b.c");
}

static void test_first_rule_wins(void **unused)
{
    struct path_map map = {.count = 0};

    (void)unused;
    assert_int_equal(path_map_add(&map, "/build/sdk=/opt/sdk"), 0);
    assert_int_equal(path_map_add(&map, "/build=/home/u"), 0);
    assert_int_equal(path_map_strip(&map, "/home/u"), 0);
    check(&map, "/build/sdk/a.c", "/opt/sdk/a.c");
    /* What a rule makes is not mapped again, but stripped. */
    check(&map, "/build/app/a.c", "app/a.c");
    check(&map, "/home/u/app/a.c", "app/a.c");
}

static void test_strip(void **unused)
{
    struct path_map map = {.count = 0};

    (void)unused;
    assert_int_equal(path_map_strip(&map, "C:\\proj"), 0);
    check(&map, "c:/proj\\src\\a.c", "src\\a.c");
    /* A path has to remain. */
    check(&map, "C:\\proj", "C:\\proj");
    check(&map, "C:\\proj\\", "C:\\proj\\");
}

static void test_refused(void **unused)
{
    struct path_map map = {.count = 0};

    (void)unused;
    assert_int_equal(path_map_add(&map, "/build"), MCUPROF_E_USAGE);
    assert_int_equal(path_map_add(&map, "=/home"), MCUPROF_E_USAGE);
    assert_int_equal(path_map_strip(&map, ""), MCUPROF_E_USAGE);
    assert_int_equal(map.count, 0);
    for (size_t i = 0; i < PATH_MAP_RULES_MAX; i++)
        assert_int_equal(path_map_add(&map, "/a=/b"), 0);
    assert_int_equal(path_map_add(&map, "/a=/b"), MCUPROF_E_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_no_rule),
            cmocka_unit_test(test_prefixes_of_whole_parts),
            cmocka_unit_test(test_windows),
            cmocka_unit_test(test_first_rule_wins),
            cmocka_unit_test(test_strip),
            cmocka_unit_test(test_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
