/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_CLI_PRINT_HOTSPOTS_H
#define MCUPROF_CLI_PRINT_HOTSPOTS_H

/*
 * What stands under the hot-spot table: what its shares are of, how far they
 * can be relied on, which moment they are of.
 */

#include "capture.h"

#include <jansson.h>
#include <stdio.h>

/** Print the notes on CAPTURE's last view, which must be there. */
void print_hotspots_notes(FILE *stream, const struct capture *capture);

/** The same as numbers, null for what is not known; NULL without memory. */
json_t *print_hotspots_json(const struct capture *capture);

#endif
