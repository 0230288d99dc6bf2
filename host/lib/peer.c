/* SPDX-License-Identifier: MIT */
#include "peer.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECT_TIMEOUT_MS 5000

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
        *fd = -1;
    }
    return problem;
}

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

int peer_connect(const char *peer, const char *form, int *fd,
                 struct error *error)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *peers = NULL;
    const char *port = NULL;
    char remedy[80];
    char host[256];
    int problem;

    (void)snprintf(remedy, sizeof remedy, "write it as %s", form);
    if (split_peer(peer, host, sizeof host, &port) < 0)
        return error_set(error, MCUPROF_E_USAGE, remedy,
                         "no host and port in %.*s:%s", (int)strcspn(form, ":"),
                         form, peer);
    if (!is_port(port))
        return error_set(error, MCUPROF_E_USAGE, "it is 1 to 65535",
                         "'%s' is no port", port);
    problem = getaddrinfo(host[0] != '\0' ? host : "localhost", port, &hints,
                          &peers);
    if (problem != 0)
        return error_set(error, MCUPROF_E_UNREACHABLE,
                         "check the host's name and the port",
                         "cannot find %s: %s", peer, gai_strerror(problem));
    problem = connect_any(peers, fd);
    freeaddrinfo(peers);
    if (problem != 0)
        return error_set(
                error, MCUPROF_E_UNREACHABLE,
                "start what serves this port first (OpenOCD, J-Link, QEMU)",
                "cannot connect to %s: %s", peer, strerror(problem));
    return 0;
}
