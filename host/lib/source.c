/* SPDX-License-Identifier: MIT */
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONNECT_TIMEOUT_MS 5000

struct source {
    int fd;
    char name[200];
};

static int open_stdin(const char *rest, int *fd, struct error *error)
{
    (void)rest;
    (void)error;
    *fd = STDIN_FILENO;
    return 0;
}

static int open_file(const char *path, int *fd, struct error *error)
{
    struct stat status;

    *fd = open(path, O_RDONLY | O_CLOEXEC);
    if (*fd < 0)
        return error_set(error, MCUPROF_E_IO,
                         errno == ENOENT
                                 ? "check the name, or make a capture with "
                                   "`mcuprof record SOURCE -e fw.elf`"
                                 : "check the file and your rights to it",
                         "cannot open %s: %s", path, strerror(errno));
    if (fstat(*fd, &status) == 0 && S_ISDIR(status.st_mode)) {
        (void)close(*fd);
        return error_set(error, MCUPROF_E_IO, "give a file inside it",
                         "%s is a directory", path);
    }
    return 0;
}

/* 0 or an errno. */
static int connect_within(int fd, const struct addrinfo *peer, int timeout_ms)
{
    struct pollfd wait = {.fd = fd, .events = POLLOUT};
    int problem = 0;
    socklen_t size = sizeof problem;
    int ready;

    if (connect(fd, peer->ai_addr, peer->ai_addrlen) == 0)
        return 0;
    if (errno != EINPROGRESS)
        return errno;
    do
        ready = poll(&wait, 1, timeout_ms);
    while (ready < 0 && errno == EINTR);
    if (ready == 0)
        return ETIMEDOUT;
    if (ready < 0 || getsockopt(fd, SOL_SOCKET, SO_ERROR, &problem, &size) < 0)
        return errno;
    return problem;
}

static int connect_any(const struct addrinfo *peers, int *fd)
{
    int problem = EADDRNOTAVAIL;

    for (; peers != NULL; peers = peers->ai_next) {
        *fd = socket(peers->ai_family, peers->ai_socktype, peers->ai_protocol);
        if (*fd < 0) {
            problem = errno;
            continue;
        }
        (void)fcntl(*fd, F_SETFD, FD_CLOEXEC);
        (void)fcntl(*fd, F_SETFL, O_NONBLOCK);
        problem = connect_within(*fd, peers, CONNECT_TIMEOUT_MS);
        if (problem == 0)
            return 0;
        (void)close(*fd);
    }
    return problem;
}

/* "HOST:PORT", "[v6::address]:PORT", ":PORT" for this machine. */
static int split_peer(const char *rest, char *host, size_t room,
                      const char **port)
{
    const char *colon = strrchr(rest, ':');
    size_t length;

    if (colon == NULL || colon[1] == '\0')
        return MCUPROF_E_USAGE;
    length = (size_t)(colon - rest);
    if (length >= 2 && rest[0] == '[' && rest[length - 1] == ']') {
        rest++;
        length -= 2;
    }
    if (length >= room)
        return MCUPROF_E_USAGE;
    memcpy(host, rest, length);
    host[length] = '\0';
    *port = colon + 1;
    return 0;
}

/* Digits are taken modulo 2^16 by what looks the address up. */
static bool is_port(const char *text)
{
    char *end = NULL;
    unsigned long number = strtoul(text, &end, 10);

    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && number >= 1
           && number <= 65535;
}

static int open_tcp(const char *rest, int *fd, struct error *error)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *peers = NULL;
    const char *port = NULL;
    char host[256];
    int problem;

    if (split_peer(rest, host, sizeof host, &port) < 0)
        return error_set(error, MCUPROF_E_USAGE,
                         "write it as tcp:HOST:PORT, e.g. tcp:localhost:9090",
                         "no host and port in tcp:%s", rest);
    if (!is_port(port))
        return error_set(error, MCUPROF_E_USAGE, "it is 1 to 65535",
                         "'%s' is no port", port);
    problem = getaddrinfo(host[0] != '\0' ? host : "localhost", port, &hints,
                          &peers);
    if (problem != 0)
        return error_set(error, MCUPROF_E_UNREACHABLE,
                         "check the host's name and the port",
                         "cannot find %s: %s", rest, gai_strerror(problem));
    problem = connect_any(peers, fd);
    freeaddrinfo(peers);
    if (problem != 0)
        return error_set(
                error, MCUPROF_E_UNREACHABLE,
                "start what serves this port first (OpenOCD, J-Link, QEMU)",
                "cannot connect to %s: %s", rest, strerror(problem));
    return 0;
}

/* What a kind of source looks like on the command line. */
struct source_kind {
    const char *prefix; /* "tcp:", "" for a file */
    const char *form;   /* "tcp:HOST:PORT" */
    /* NULL: planned, refused with a clear word. */
    int (*open)(const char *rest, int *fd, struct error *error);
};

/* The first match counts; "" matches every name. */
static const struct source_kind kinds[] = {
        {"-", "-", open_stdin},
        {"tcp:", "tcp:HOST:PORT", open_tcp},
        {"serial:", "serial:DEV@BAUD", NULL},
        {"gdb:", "gdb:HOST:PORT", NULL},
        {"openocd:", "openocd:HOST:PORT", NULL},
        {"ram:", "ram:FILE@ADDRESS", NULL},
        {"rtt:", "rtt:FILE@ADDRESS", NULL},
        {"swo:", "swo:FILE", NULL},
        {"", "FILE", open_file},
        {NULL, NULL, NULL},
};

/* What SPEC names is of this kind. */
static const struct source_kind *source_kind_of(const char *spec)
{
    const struct source_kind *kind = kinds;

    if (strcmp(spec, "-") == 0)
        return kind;
    for (kind++; kind->prefix[0] != '\0'; kind++)
        if (strncmp(spec, kind->prefix, strlen(kind->prefix)) == 0)
            break;
    return kind;
}

static int refuse(const struct source_kind *refused, struct error *error)
{
    char list[120] = "sources so far: ";

    for (const struct source_kind *kind = kinds; kind->form != NULL; kind++) {
        size_t used = strlen(list);

        if (kind->open != NULL)
            (void)snprintf(list + used, sizeof list - used, "%s%s",
                           kind == kinds ? "" : ", ", kind->form);
    }
    return error_set(error, MCUPROF_E_USAGE, list,
                     "%s is not built into this version yet", refused->form);
}

int source_open(struct source **out, const char *spec, struct error *error)
{
    const struct source_kind *kind = source_kind_of(spec);
    struct source *source;
    int fd = -1;
    int result;

    if (kind->open == NULL)
        return refuse(kind, error);
    result = kind->open(spec + strlen(kind->prefix), &fd, error);
    if (result < 0)
        return result;
    source = calloc(1, sizeof *source);
    if (source == NULL) {
        if (fd != STDIN_FILENO)
            (void)close(fd);
        return error_set(error, MCUPROF_E_NOMEM, "", "out of memory");
    }
    source->fd = fd;
    (void)snprintf(source->name, sizeof source->name, "%s",
                   fd == STDIN_FILENO ? "standard input" : spec);
    *out = source;
    return 0;
}

void source_close(struct source *source)
{
    if (source == NULL)
        return;
    if (source->fd != STDIN_FILENO)
        (void)close(source->fd);
    free(source);
}

/* What poll() says for a plain file is "ready", so files take this way too. */
long source_read(struct source *source, uint8_t *buffer, size_t size,
                 int timeout_ms, struct error *error)
{
    struct pollfd wait = {.fd = source->fd, .events = POLLIN};
    int ready = poll(&wait, 1, timeout_ms);
    ssize_t got = -1;

    if (ready == 0 || (ready < 0 && errno == EINTR))
        return SOURCE_NOTHING_YET;
    if (ready > 0)
        got = read(source->fd, buffer, size);
    if (got >= 0)
        return (long)got;
    if (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)
        return SOURCE_NOTHING_YET;
    /* A reset is how QEMU and some probes hang up; EIO a pty without peer. */
    if (errno == ECONNRESET || (errno == EIO && isatty(source->fd)))
        return 0;
    return error_set(error, MCUPROF_E_IO, "check the connection",
                     "cannot read %s: %s", source->name, strerror(errno));
}
