/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "paths.h"

struct join {
    const char *directory;
    const char *name;
    const char *path;
};

static void expect(const struct join *joins, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *path = paths_join(joins[i].directory, joins[i].name);

        assert_non_null(path);
        if (strcmp(path, joins[i].path) != 0)
            print_error("\"%s\" and \"%s\":\n", joins[i].directory,
                        joins[i].name);
        assert_string_equal(path, joins[i].path);
        free(path);
    }
}

#define EXPECT(joins) expect(joins, sizeof(joins) / sizeof(joins)[0])

static void test_absolute(void **unused)
{
    (void)unused;
    assert_true(paths_is_absolute("/"));
    assert_true(paths_is_absolute("/x/y.c"));
    assert_true(paths_is_absolute("\\x"));
    assert_true(paths_is_absolute("C:\\x"));
    assert_true(paths_is_absolute("C:/x"));
    assert_true(paths_is_absolute("z:/"));
    assert_true(paths_is_absolute("\\\\server\\share\\x.c"));
    assert_false(paths_is_absolute(""));
    assert_false(paths_is_absolute("x.c"));
    assert_false(paths_is_absolute("./x.c"));
    assert_false(paths_is_absolute("..\\x.c"));
    assert_false(paths_is_absolute("C:"));
    assert_false(paths_is_absolute("C:x.c"));
    assert_false(paths_is_absolute("1:/x.c"));
    assert_false(paths_is_absolute("lib:/x.c"));
}

static void test_unix(void **unused)
{
    static const struct join joins[] = {
            {"/home/u/p", "a.c", "/home/u/p/a.c"},
            {"/home/u/p", "./a/../b.c", "/home/u/p/b.c"},
            {"/home/u/p/build", "../src/a.c", "/home/u/p/src/a.c"},
            {"/home/u/p/", "a.c", "/home/u/p/a.c"},
            {"/home//u/./p", "x//y/a.c", "/home/u/p/x/y/a.c"},
            {"/home/u", "/opt/inc/a.h", "/opt/inc/a.h"},
            {"/home/u", "../../../../a.c", "/a.c"},
            {"/", "a.c", "/a.c"},
            {"/", "..", "/"},
            {"/a", "..", "/"},
            {"/a", "", "/a"},
            {"/my work/p", "a file.c", "/my work/p/a file.c"},
            {"/h", "..hidden/...", "/h/..hidden/..."},
            {"/h", ".a/b./.c", "/h/.a/b./.c"},
            {"//h/u", "a.c", "/h/u/a.c"},
            {"/h", "<stdin>", "/h/<stdin>"},
            /* Below / a backslash is a letter. */
            {"/h", "odd\\..\\name.c", "/h/odd\\..\\name.c"},
    };

    (void)unused;
    EXPECT(joins);
}

static void test_relative(void **unused)
{
    static const struct join joins[] = {
            {"", "a.c", "a.c"},
            {"", "./a.c", "a.c"},
            {"", "src//a.c", "src/a.c"},
            {"src", "a.c", "src/a.c"},
            {".", "a.c", "a.c"},
            {"./", "./a.c", "a.c"},
            {"src", "../a.c", "a.c"},
            {"src", "../../a.c", "../a.c"},
            {"../lib", "../inc/a.h", "../inc/a.h"},
            {"..", "../x/../../a.c", "../../../a.c"},
            {"../..", "", "../.."},
            {"src", "..", "."},
            {"a/b", "../..", "."},
            {"", "", ""},
            {"src", "", "src"},
            {"src", "/a.c", "/a.c"},
    };

    (void)unused;
    EXPECT(joins);
}

static void test_windows(void **unused)
{
    static const struct join joins[] = {
            {"C:\\proj\\src", "..\\lib\\a.c", "C:\\proj\\lib\\a.c"},
            {"C:\\proj", "src/a.c", "C:\\proj\\src/a.c"},
            {"C:\\proj\\src", "../lib/a.c", "C:\\proj/lib/a.c"},
            {"C:/proj", "src\\a.c", "C:/proj/src\\a.c"},
            {"C:/proj/src", "..\\a.c", "C:/proj\\a.c"},
            {"C:\\proj/build", "a.c", "C:\\proj/build\\a.c"},
            {"C:\\proj\\", "a.c", "C:\\proj\\a.c"},
            {"C:\\", "a.c", "C:\\a.c"},
            {"C:/", "a.c", "C:/a.c"},
            {"C:\\p", "..\\..\\a.c", "C:\\a.c"},
            {"C:\\p", "D:\\q\\a.c", "D:\\q\\a.c"},
            {"C:\\p", "d:/q/./a.c", "d:/q/a.c"},
            {"/home/u", "C:\\q\\a.c", "C:\\q\\a.c"},
            {"C:\\p", "/opt/a.c", "/opt/a.c"},
            {"C:\\p", "\\q\\a.c", "\\q\\a.c"},
            {"C:\\My Documents\\p", ".\\a b.c", "C:\\My Documents\\p\\a b.c"},
            {"C:\\\\proj\\\\src", "a.c", "C:\\proj\\src\\a.c"},
            {"", "..\\src\\a.c", "..\\src\\a.c"},
            {"", "x\\..\\src\\.\\a.c", "src\\a.c"},
            {"build", "src\\a.c", "build\\src\\a.c"},
            {"..\\Core\\", "a.s", "..\\Core\\a.s"},
            {"..\\Core\\", "../x/a.s", "../x/a.s"},
    };

    (void)unused;
    EXPECT(joins);
}

static void test_server(void **unused)
{
    static const struct join joins[] = {
            {"\\\\server\\share\\p", "a.c", "\\\\server\\share\\p\\a.c"},
            {"\\\\server\\share\\p", "..\\..\\..\\a.c",
             "\\\\server\\share\\a.c"},
            {"\\\\server\\share", "a.c", "\\\\server\\share\\a.c"},
            {"\\\\server", "", "\\\\server"},
            {"\\\\", "", "\\\\"},
            {"C:\\p", "\\\\server\\share\\x\\..\\a.c",
             "\\\\server\\share\\a.c"},
    };

    (void)unused;
    EXPECT(joins);
}

/* 200,000 parts and as many ".." take no noticeable time. */
static void test_long_path(void **unused)
{
    enum {
        PARTS = 200000
    };
    char *name = malloc(5 * PARTS + 2);
    char *path, *at = name;

    (void)unused;
    assert_non_null(name);
    for (int i = 0; i < PARTS; i++, at += 2)
        memcpy(at, "x/", 2);
    for (int i = 0; i < PARTS; i++, at += 3)
        memcpy(at, "../", 3);
    memcpy(at, "a", 2);
    path = paths_join("/", name);
    assert_non_null(path);
    assert_string_equal(path, "/a");
    free(path);
    free(name);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_absolute), cmocka_unit_test(test_unix),
            cmocka_unit_test(test_relative), cmocka_unit_test(test_windows),
            cmocka_unit_test(test_server),   cmocka_unit_test(test_long_path),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
