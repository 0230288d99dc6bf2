/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_GDB_SESSION_H
#define MCUPROF_HOST_GDB_SESSION_H

/*
 * Some work on a target that stands, by a gdb server: OpenOCD, J-Link, QEMU
 * and their like. It is halted for as long as that takes, and always runs on:
 * signals that end the program wait until it does.
 */

#include "error.h"
#include "gdb_client.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GDB_SESSION_FORM "gdb:HOST:PORT"

struct gdb_work {
    void *context;
    /* Returns 0, or an error with ERROR filled. */
    int (*run)(void *context, struct gdb_client *client, struct error *error);
};

/**
 * Connect to the server at PEER, "HOST:PORT", halt its target, do WORK and let
 * it run on. HALTED_US is for how long it stood.
 * errors: as peer_connect() and gdb_client_ask(), and WORK's
 */
int gdb_session_run(const char *peer, const struct gdb_work *work,
                    uint32_t *halted_us, struct error *error) MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
