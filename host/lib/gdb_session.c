/* SPDX-License-Identifier: MIT */
#include "gdb_session.h"

#include "peer.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* 512 KiB, the longest ring, at 10 KB/s. */
#define BUDGET_MS 60000

/* Those that end or stop this program, so that the target is not left so. */
static void hold_signals(sigset_t *before)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
    struct sigaction action;
    sigset_t held;

    (void)sigemptyset(&held);
    /* One that is held cannot be ignored. */
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        if (sigaction(signals[i], NULL, &action) == 0
            && action.sa_handler != SIG_IGN)
            (void)sigaddset(&held, signals[i]);
    (void)pthread_sigmask(SIG_BLOCK, &held, before);
}

/* The target stands while small packets go to and fro: send each at once. */
static void hurry(int fd)
{
    const int yes = 1;

    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

static void add_halted(struct error *error)
{
    size_t used = strlen(error->cause);

    (void)snprintf(error->cause + used, sizeof error->cause - used,
                   "; the target may have stayed halted");
}

/* Halt, work, resume; an error of the first two is worth more. */
static int run(struct gdb_client *client, const struct gdb_work *work,
               struct error *error)
{
    int result = gdb_client_halt(client, error);
    bool halted = result == 0;
    int resumed;

    if (result == 0)
        result = work->run(work->context, client, error);
    resumed = gdb_client_resume(client, result == 0 ? error : NULL);
    if (halted && result < 0 && resumed < 0)
        add_halted(error);
    return result == 0 ? resumed : result;
}

int gdb_session_run(const char *peer, const struct gdb_work *work,
                    uint32_t *halted_us, struct error *error)
{
    struct gdb_client *client = malloc(sizeof *client);
    char name[200];
    sigset_t signals;
    int fd = -1;
    int result;

    if (client == NULL)
        return error_set(error, MCUPROF_E_NOMEM, "", "out of memory");
    (void)snprintf(name, sizeof name, "gdb:%s", peer);
    hold_signals(&signals);
    result = peer_connect(peer, GDB_SESSION_FORM, &fd, error);
    if (result == 0) {
        hurry(fd);
        gdb_client_init(client, fd, name, BUDGET_MS);
        result = run(client, work, error);
        *halted_us = (uint32_t)(client->run_us - client->stop_us);
        (void)close(fd);
    }
    (void)pthread_sigmask(SIG_SETMASK, &signals, NULL);
    free(client);
    return result;
}
