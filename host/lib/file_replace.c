/* SPDX-License-Identifier: MIT */
/* For realpath. NOLINTNEXTLINE(bugprone-reserved-identifier) */
#define _XOPEN_SOURCE 700

#include "file_replace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of what is written beside the file; short, whatever its name. */
#define TEMPORARY "/.mcuprof-XXXXXX"

enum {
    LINKS_MAX = 40 /* that are followed, as the kernel does */
};

static int refuse(const char *act, const char *path, struct error *error)
{
    int number = errno;
    const char *remedy = number == ENOSPC || number == EDQUOT
                                 ? "make room on that disk"
                         : number == EACCES || number == EROFS
                                 ? "choose a place that may be written to"
                                 : "check the path";

    return error_set(error, MCUPROF_E_IO, remedy, "cannot %s %s: %s", act, path,
                     strerror(number));
}

static bool read_all(int fd, uint8_t *bytes, size_t size)
{
    while (size > 0) {
        ssize_t got = read(fd, bytes, size);

        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0)
            errno = EIO; /* it became shorter */
        if (got <= 0)
            return false;
        bytes += got;
        size -= (size_t)got;
    }
    return true;
}

int file_read_whole(const char *path, uint8_t **bytes, size_t *size,
                    struct error *error)
{
    /* Without O_NONBLOCK a named pipe would be waited for. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    int result = 0;

    *bytes = NULL;
    if (fd < 0)
        return refuse("open", path, error);
    if (fstat(fd, &status) != 0) {
        result = refuse("open", path, error);
    } else if (!S_ISREG(status.st_mode)) {
        result = error_set(error, MCUPROF_E_IO, "give the file itself",
                           "%s is not a regular file", path);
    } else {
        *size = (size_t)status.st_size;
        *bytes = malloc(*size + 1);
        if (*bytes == NULL)
            result = error_set(error, MCUPROF_E_NOMEM, "close other programs",
                               "out of memory for %s", path);
        else if (!read_all(fd, *bytes, *size))
            result = refuse("read", path, error);
    }
    if (result < 0) {
        free(*bytes);
        *bytes = NULL;
    }
    (void)close(fd);
    return result;
}

static bool write_all(int fd, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        ssize_t put = write(fd, bytes, size);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        bytes += put;
        size -= (size_t)put;
    }
    return true;
}

static int write_into(const char *path, const uint8_t *bytes, size_t size,
                      struct error *error)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool is_written;

    if (fd < 0)
        return refuse("write", path, error);
    is_written = write_all(fd, bytes, size);
    if (!is_written)
        (void)refuse("write", path, error);
    if (close(fd) == 0 && is_written)
        return 0;
    return is_written ? refuse("write", path, error) : MCUPROF_E_IO;
}

/* The mode of the file LIKE; of NULL that of any new file. */
static bool find_mode(const char *like, mode_t *mode)
{
    struct stat status;

    if (like == NULL) {
        mode_t mask = umask(0);

        (void)umask(mask);
        *mode = 0666 & ~mask;
        return true;
    }
    if (stat(like, &status) != 0)
        return false;
    *mode = status.st_mode & 0777;
    return true;
}

/*
 * Write FD and close it; false with errno. What takes the place of a file must
 * be on the disk before it does.
 */
static bool fill(int fd, const uint8_t *bytes, size_t size, const char *like,
                 bool replaces)
{
    mode_t mode;
    bool is_good = find_mode(like, &mode) && fchmod(fd, mode) == 0
                   && write_all(fd, bytes, size)
                   && (!replaces || fsync(fd) == 0);
    int number = errno;

    if (close(fd) == 0 && is_good)
        return true;
    errno = is_good ? errno : number;
    return false;
}

/* REAL is where PATH, which messages call it, leads. */
static int write_beside(const char *real, const char *path,
                        const uint8_t *bytes, size_t size, const char *like,
                        struct error *error)
{
    const char *slash = strrchr(real, '/');
    char temporary[PATH_MAX];
    int length = snprintf(temporary, sizeof temporary, "%.*s" TEMPORARY,
                          slash != NULL ? (int)(slash - real) : 1,
                          slash != NULL ? real : ".");
    int fd, number;

    errno = ENAMETOOLONG;
    if (length < 0 || (size_t)length >= sizeof temporary)
        return refuse("write", path, error);
    fd = mkstemp(temporary);
    if (fd < 0)
        return refuse("write", path, error);
    if (fill(fd, bytes, size, like, access(real, F_OK) == 0)
        && rename(temporary, real) == 0)
        return 0;
    number = errno;
    (void)unlink(temporary);
    errno = number;
    return refuse("write", path, error);
}

static void hold_signals(sigset_t *before)
{
    sigset_t held;

    (void)sigemptyset(&held);
    (void)sigaddset(&held, SIGINT);
    (void)sigaddset(&held, SIGTERM);
    (void)sigaddset(&held, SIGHUP);
    (void)sigaddset(&held, SIGQUIT);
    /* A file may not grow further: write() then says so. */
    (void)sigaddset(&held, SIGXFSZ);
    (void)pthread_sigmask(SIG_BLOCK, &held, before);
}

/* That of a limit has been told as an error. */
static void release_signals(const sigset_t *before)
{
    sigset_t limit, pending;
    int number;

    (void)sigemptyset(&limit);
    (void)sigaddset(&limit, SIGXFSZ);
    (void)sigpending(&pending);
    if (sigismember(&pending, SIGXFSZ) == 1
        && sigismember(before, SIGXFSZ) == 0)
        (void)sigwait(&limit, &number);
    (void)pthread_sigmask(SIG_SETMASK, before, NULL);
}

int file_replace(const char *path, const uint8_t *bytes, size_t size,
                 const char *like, struct error *error)
{
    char real[PATH_MAX];
    struct stat status;
    sigset_t signals;
    int result;

    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return write_into(path, bytes, size, error);
    if (realpath(path, real) == NULL) {
        /* A link that leads nowhere is replaced by the file. */
        if (errno != ENOENT)
            return refuse("write", path, error);
        if (snprintf(real, sizeof real, "%s", path) >= (int)sizeof real) {
            errno = ENAMETOOLONG;
            return refuse("write", path, error);
        }
    }
    hold_signals(&signals);
    result = write_beside(real, path, bytes, size, like, error);
    release_signals(&signals);
    return result;
}

/* Where PATH leads by links, be there a file or not; false: too far. */
static bool follow(const char *path, char out[PATH_MAX])
{
    char link[PATH_MAX], next[PATH_MAX];

    if (snprintf(out, PATH_MAX, "%s", path) >= PATH_MAX)
        return false;
    for (int links = 0; links < LINKS_MAX; links++) {
        ssize_t size = readlink(out, link, sizeof link - 1);
        const char *slash = strrchr(out, '/');
        int length;

        if (size < 0)
            return true;
        link[size] = '\0';
        length = snprintf(
                next, sizeof next, "%.*s%s",
                slash == NULL || link[0] == '/' ? 0 : (int)(slash + 1 - out),
                out, link);
        if (length >= PATH_MAX)
            return false;
        memcpy(out, next, (size_t)length + 1);
    }
    return false;
}

/* The folder that PATH is in. */
static bool find_folder(const char *path, struct stat *status)
{
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX];

    (void)snprintf(folder, sizeof folder, "%.*s",
                   slash == NULL ? 1 : (int)(slash + 1 - path),
                   slash == NULL ? "." : path);
    return stat(folder, status) == 0;
}

static bool is_one(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? path : slash + 1;
}

bool file_is_same(const char *a, const char *b)
{
    char left[PATH_MAX], right[PATH_MAX];
    struct stat left_status, right_status;
    bool has_left = stat(a, &left_status) == 0;
    bool has_right = stat(b, &right_status) == 0;

    if (has_left && has_right)
        return S_ISREG(left_status.st_mode)
               && is_one(&left_status, &right_status);
    /* Where there is no file yet: the same name in the same folder. */
    return !has_left && !has_right && follow(a, left) && follow(b, right)
           && strcmp(last_part(left), last_part(right)) == 0
           && find_folder(left, &left_status)
           && find_folder(right, &right_status)
           && is_one(&left_status, &right_status);
}
