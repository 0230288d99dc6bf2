/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_PEER_H
#define MCUPROF_HOST_PEER_H

/*
 * A TCP connection, by "HOST:PORT", "[v6::address]:PORT", or ":PORT" for this
 * machine.
 */

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Connect to PEER within 5 seconds; FORM is how to write such a source. FD
 * does not block.
 * errors: MCUPROF_E_USAGE, MCUPROF_E_UNREACHABLE
 */
int peer_connect(const char *peer, const char *form, int *fd,
                 struct error *error) MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
