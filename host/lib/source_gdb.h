/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_SOURCE_GDB_H
#define MCUPROF_HOST_SOURCE_GDB_H

/*
 * What a firmware left in its memory, read through a gdb server: OpenOCD,
 * J-Link, QEMU and their like. The target is halted for as long as that takes,
 * and always runs on: signals that end the program wait until it does.
 */

#include "gdb_session.h"
#include "source_dump.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SOURCE_GDB_FORM GDB_SESSION_FORM

/**
 * Read from the server at PEER, "HOST:PORT", what is at ADDRESSES, as a
 * capture. OUT is to be freed; HALTED_US is for how long the target stood.
 * errors: as peer_connect(), gdb_client_ask() and source_dump_take()
 */
int source_gdb_read(uint8_t **out, size_t *size, uint32_t *halted_us,
                    const char *peer, const struct source_addresses *addresses,
                    struct error *error) MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
