/* SPDX-License-Identifier: MIT */
#include "source_gdb.h"

#include "gdb_client.h"
#include "peer.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* 512 KiB, the longest ring, at 10 KB/s. */
#define BUDGET_MS 60000

static int read_memory(void *context, uint32_t address, uint8_t *out,
                       size_t size, struct error *error)
{
    return gdb_client_read(context, address, out, size, error);
}

static uint64_t now_us(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* Those that end or stop this program, so that the target is not left so. */
static void hold_signals(sigset_t *before)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
    sigset_t held;

    (void)sigemptyset(&held);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        (void)sigaddset(&held, signals[i]);
    (void)pthread_sigmask(SIG_BLOCK, &held, before);
}

/* Halt, take, resume; an error of the first two is worth more. */
static int take(struct source_dump *dump, struct gdb_client *client,
                const struct source_addresses *addresses, struct error *error)
{
    const struct memory memory = {
            .context = client, .read = read_memory, .name = client->name};
    int result = gdb_client_halt(client, error);
    int resumed;

    if (result == 0)
        result = source_dump_take(dump, &memory, addresses, error);
    /* Names are no must, but what went wrong with one goes on doing so. */
    if (result == 0 && client->failure.code != 0) {
        *error = client->failure;
        source_dump_deinit(dump);
        result = error->code;
    }
    /* A server without a target, or none at all, halted nothing. */
    resumed = client->broken
                      ? 0
                      : gdb_client_resume(client, result == 0 ? error : NULL);
    if (result == 0 && resumed < 0) {
        source_dump_deinit(dump);
        result = resumed;
    }
    return result;
}

int source_gdb_read(uint8_t **out, size_t *size, uint32_t *halted_us,
                    const char *peer, const struct source_addresses *addresses,
                    struct error *error)
{
    struct gdb_client *client = malloc(sizeof *client);
    struct source_dump dump = {0};
    char name[200];
    sigset_t signals;
    uint64_t begin;
    int fd = -1;
    int result;

    if (client == NULL)
        return error_set(error, MCUPROF_E_NOMEM, "", "out of memory");
    (void)snprintf(name, sizeof name, "gdb:%s", peer);
    hold_signals(&signals);
    begin = now_us();
    result = peer_connect(peer, SOURCE_GDB_FORM, &fd, error);
    if (result == 0) {
        gdb_client_init(client, fd, name, BUDGET_MS);
        result = take(&dump, client, addresses, error);
        (void)close(fd);
    }
    *halted_us = (uint32_t)(now_us() - begin);
    (void)pthread_sigmask(SIG_SETMASK, &signals, NULL);
    free(client);
    if (result == 0 && source_dump_frames(&dump, *halted_us, out, size) < 0)
        result = error_set(error, MCUPROF_E_NOMEM, "", "out of memory");
    source_dump_deinit(&dump);
    return result;
}
