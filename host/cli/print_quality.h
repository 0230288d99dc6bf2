/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_CLI_PRINT_QUALITY_H
#define MCUPROF_CLI_PRINT_QUALITY_H

#include "output.h"
#include "quality.h"

/** Print the block on STREAM, which may be another than OUTPUT's. */
void print_quality(const struct output *output, FILE *stream,
                   const struct quality *quality);

/** The facts, and the lines in words; a new object. */
json_t *quality_json(const struct quality *quality);

#endif
