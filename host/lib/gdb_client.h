/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_GDB_CLIENT_H
#define MCUPROF_HOST_GDB_CLIENT_H

/*
 * The client's side of gdb's remote serial protocol, as far as it takes to
 * stop a target, read and write its memory and let it run on. Nothing waits for
 * ever: each answer has its time, and all of them together have one. source:
 * Debugging with GDB, appendix E, "gdb Remote Serial Protocol"
 */

#include "error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GDB_REPLY_MAX 16384

struct gdb_client {
    int fd;
    const char *name;     /* of the server, for errors */
    bool heard;           /* it has said something, ever */
    bool broken;          /* nothing more can be said to it */
    bool waiting;         /* a command has not been answered yet */
    struct error failure; /* of a read, which nothing is read after; code 0 */
    uint64_t end_us;      /* by gdb_now_us(); UINT64_MAX: whatever happens */
    uint64_t stop_us;     /* when the target was stopped, or may have been */
    uint64_t run_us;      /* when it was told to run again, 0: not yet */
    size_t read_max;      /* bytes of memory for one answer */
    uint8_t input[1024];
    size_t input_at;
    size_t input_size;
    size_t reply_size;
    char reply[GDB_REPLY_MAX + 1]; /* the last one, without its frame */
};

/** Microseconds of a clock that only goes on. */
uint64_t gdb_now_us(void);

/**
 * Talk over FD, which does not block, to NAME, within BUDGET_MS in all. Most
 * servers stop the target when somebody connects: that is taken to be now.
 */
void gdb_client_init(struct gdb_client *client, int fd, const char *name,
                     unsigned budget_ms);

/**
 * Send COMMAND and wait for the answer, which is then in reply.
 * errors: MCUPROF_E_UNREACHABLE it ended or does not answer; MCUPROF_E_FORMAT
 *     what came is no answer; MCUPROF_E_IO a signal that ends the program waits
 */
int gdb_client_ask(struct gdb_client *client, const char *command,
                   struct error *error) MUST_CHECK;

/** Stop the target if it runs. errors: as gdb_client_ask() */
int gdb_client_halt(struct gdb_client *client, struct error *error) MUST_CHECK;

/**
 * Read SIZE bytes at ADDRESS.
 * errors: as gdb_client_ask(); MCUPROF_E_IO the server says that it cannot
 */
int gdb_client_read(struct gdb_client *client, uint32_t address, uint8_t *out,
                    size_t size, struct error *error) MUST_CHECK;

/* Bytes that gdb_client_write() takes. */
#define GDB_WRITE_MAX 16

/**
 * Write SIZE bytes, at most GDB_WRITE_MAX, at ADDRESS. Also tried where
 * something went wrong before, as what was written has to be put back.
 * errors: as gdb_client_read()
 */
int gdb_client_write(struct gdb_client *client, uint32_t address,
                     const uint8_t *bytes, size_t size,
                     struct error *error) MUST_CHECK;

/**
 * Let the target run; also tried where something went wrong before. Nothing
 * may be said afterwards: a server that hears something stops it again.
 * errors: as gdb_client_ask()
 */
int gdb_client_resume(struct gdb_client *client,
                      struct error *error) MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
