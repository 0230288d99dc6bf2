/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "arm_fixture.h"
#include "file_replace.h"

/* Files written whole or not at all, wherever they lead. */

static struct {
    char directory[PATH_SIZE];
    char like[PATH_SIZE];
    char out[PATH_SIZE];
} state;

static const char old_text[] = "what was there";
static const uint8_t bytes[100000] = {1, 2, 3};

static int setup(void **unused)
{
    (void)unused;
    fixture_begin(state.directory);
    fixture_path(state.like, state.directory, "like");
    fixture_path(state.out, state.directory, "out");
    file_write(state.like, "like", 4);
    return chmod(state.like, 0750);
}

static int teardown(void **unused)
{
    (void)unused;
    fixture_end(state.directory);
    return 0;
}

static size_t count_files(void)
{
    DIR *directory = opendir(state.directory);
    size_t count = 0;

    assert_non_null(directory);
    while (readdir(directory) != NULL)
        count++;
    (void)closedir(directory);
    return count - 2;
}

static void expect_written(const char *path)
{
    struct stat status;
    struct error error = {0};
    uint8_t *got;
    size_t size;

    if (file_replace(path, bytes, sizeof bytes, state.like, &error) != 0)
        fail_msg("%s", error.cause);
    assert_int_equal(file_read_whole(path, &got, &size, &error), 0);
    assert_int_equal(size, sizeof bytes);
    assert_memory_equal(got, bytes, size);
    free(got);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0750);
}

/* What was there is there still, and nothing else. */
static void expect_refused(const char *path, const char *words)
{
    struct error error = {0};
    size_t count = count_files();

    assert_int_equal(
            file_replace(path, bytes, sizeof bytes, state.like, &error),
            MCUPROF_E_IO);
    assert_non_null(strstr(error.cause, path));
    if (strstr(error.cause, words) == NULL)
        fail_msg("%s", error.cause);
    assert_int_not_equal(error.remedy[0], '\0');
    assert_int_equal(count_files(), count);
}

static void expect_old(void)
{
    size_t size;
    uint8_t *got = file_read(state.out, &size);

    assert_int_equal(size, sizeof old_text);
    assert_memory_equal(got, old_text, size);
    free(got);
}

static void test_written(void **unused)
{
    (void)unused;
    expect_written(state.out);
    expect_written(state.out);
    expect_written(state.like);
}

static void test_links(void **unused)
{
    char link[PATH_SIZE], hard[PATH_SIZE];
    struct stat status;
    size_t size;
    uint8_t *got;

    (void)unused;
    fixture_path(link, state.directory, "link");
    fixture_path(hard, state.directory, "hard");
    file_write(state.out, old_text, sizeof old_text);
    assert_int_equal(symlink("out", link), 0);
    expect_written(link);
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    expect_written(state.out);
    /* Another name of the same file keeps what was there. */
    file_write(state.out, old_text, sizeof old_text);
    (void)unlink(hard);
    assert_int_equal(linkat(AT_FDCWD, state.out, AT_FDCWD, hard, 0), 0);
    expect_written(state.out);
    got = file_read(hard, &size);
    assert_int_equal(size, sizeof old_text);
    free(got);
}

static void expect_same(const char *a, const char *b, bool is_same)
{
    char left[PATH_SIZE], right[PATH_SIZE];

    fixture_path(left, state.directory, a);
    fixture_path(right, state.directory, b);
    if (file_is_same(left, right) != is_same
        || file_is_same(right, left) != is_same)
        fail_msg("%s and %s", a, b);
}

static void link_to(const char *name, const char *target)
{
    char path[PATH_SIZE];

    fixture_path(path, state.directory, name);
    (void)unlink(path);
    assert_int_equal(symlink(target, path), 0);
}

static void test_same(void **unused)
{
    char path[PATH_SIZE];

    (void)unused;
    file_write(state.out, old_text, sizeof old_text);
    fixture_path(path, state.directory, "folder");
    assert_int_equal(mkdir(path, 0777), 0);
    link_to("to-out", "out");
    link_to("to-link", "to-out");
    link_to("folder/up", "../out");
    expect_same("out", "out", true);
    expect_same("out", "./folder/../out", true);
    expect_same("to-link", "out", true);
    expect_same("to-link", "folder/up", true);
    expect_same("out", "like", false);
    expect_same("out", "absent", false);
    /* What will be one file once one of them is written. */
    link_to("to-absent", "absent");
    link_to("folder/to-absent", "../to-absent");
    link_to("round", "round");
    expect_same("absent", "absent", true);
    expect_same("absent", "folder/../absent", true);
    expect_same("absent", "to-absent", true);
    expect_same("absent", "folder/to-absent", true);
    expect_same("absent", "folder/absent", false);
    expect_same("absent", "absent2", false);
    expect_same("absent", "nowhere/absent", false);
    expect_same("round", "round", false);
    assert_false(file_is_same("/dev/null", "/dev/null"));
    fixture_path(path, state.directory, "folder/up");
    (void)unlink(path);
    fixture_path(path, state.directory, "folder/to-absent");
    (void)unlink(path);
    fixture_path(path, state.directory, "folder");
    assert_int_equal(rmdir(path), 0);
}

static void expect_mode(mode_t mask, mode_t mode)
{
    struct stat status;
    struct error error;
    mode_t before = umask(mask);

    assert_int_equal(file_replace(state.out, bytes, sizeof bytes, NULL, &error),
                     0);
    assert_int_equal(umask(before), mask);
    assert_int_equal(stat(state.out, &status), 0);
    assert_int_equal(status.st_mode & 07777, mode);
}

static void test_mode(void **unused)
{
    (void)unused;
    expect_mode(022, 0644);
    expect_mode(077, 0600);
}

static void test_devices(void **unused)
{
    struct error error;
    struct stat status;

    (void)unused;
    assert_int_equal(file_replace("/dev/null", bytes, 1, state.like, &error),
                     0);
    expect_refused("/dev/full", "No space left");
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
    assert_int_equal(stat("/dev/full", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
}

static void test_no_place(void **unused)
{
    char path[PATH_SIZE + 16];

    (void)unused;
    expect_refused(state.directory, "s a directory");
    fixture_path(path, state.directory, "absent/out");
    expect_refused(path, "No such file");
    fixture_path(path, state.directory, "like/out");
    expect_refused(path, "Not a directory");
    (void)snprintf(path, sizeof path, "%s/absent/", state.directory);
    expect_refused(path, "No such file");
}

/* As a disk that is full, when some of it has been written. */
static void test_full(void **unused)
{
    struct rlimit before, limit;

    (void)unused;
    file_write(state.out, old_text, sizeof old_text);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = 50000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    expect_refused(state.out, "File too large");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    expect_old();
    expect_written(state.out);
}

static void test_read_only(void **unused)
{
    int is_root = geteuid() == 0;

    (void)unused;
    file_write(state.out, old_text, sizeof old_text);
    assert_int_equal(chmod(state.out, 0644), 0);
    assert_int_equal(chmod(state.like, 0755), 0);
    assert_int_equal(chmod(state.directory, 0555), 0);
    /* Root may write anywhere: be nobody. */
    if (is_root)
        assert_int_equal(seteuid(65534), 0);
    expect_refused(state.out, "Permission denied");
    expect_old();
    if (is_root)
        assert_int_equal(seteuid(0), 0);
    assert_int_equal(chmod(state.directory, 0755), 0);
    assert_int_equal(chmod(state.like, 0750), 0);
}

static volatile sig_atomic_t seen;

static void note_signal(int number)
{
    seen = number;
}

/* A signal that was waiting for the end is not lost. */
static void test_signals(void **unused)
{
    sigset_t held, before;

    (void)unused;
    assert_true(signal(SIGTERM, note_signal) != SIG_ERR);
    (void)sigemptyset(&held);
    (void)sigaddset(&held, SIGTERM);
    assert_int_equal(sigprocmask(SIG_BLOCK, &held, &before), 0);
    (void)raise(SIGTERM);
    expect_written(state.out);
    assert_int_equal(seen, 0);
    assert_int_equal(sigprocmask(SIG_SETMASK, &before, NULL), 0);
    assert_int_equal(seen, SIGTERM);
}

static void test_reading(void **unused)
{
    char path[PATH_SIZE];
    struct error error;
    uint8_t *got;
    size_t size;

    (void)unused;
    fixture_path(path, state.directory, "pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(file_read_whole(path, &got, &size, &error), MCUPROF_E_IO);
    assert_non_null(strstr(error.cause, "not a regular file"));
    assert_int_equal(file_read_whole("/dev/zero", &got, &size, &error),
                     MCUPROF_E_IO);
    assert_int_equal(file_read_whole(state.directory, &got, &size, &error),
                     MCUPROF_E_IO);
    assert_null(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_written), cmocka_unit_test(test_links),
            cmocka_unit_test(test_same),    cmocka_unit_test(test_mode),
            cmocka_unit_test(test_devices), cmocka_unit_test(test_no_place),
            cmocka_unit_test(test_full),    cmocka_unit_test(test_read_only),
            cmocka_unit_test(test_signals), cmocka_unit_test(test_reading),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
