/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_CLI_PRINT_QUALITY_H
#define MCUPROF_CLI_PRINT_QUALITY_H

#include "output.h"
#include "quality.h"

/** Which lines of the block to print. */
enum quality_lines {
    QUALITY_ALL,
    QUALITY_OF_HOTSPOTS /* what is about the hot-spot table, and warnings */
};

/** Print the block on STREAM, which may be another than OUTPUT's. */
void print_quality(const struct output *output, FILE *stream,
                   const struct quality *quality, enum quality_lines lines);

/** The facts, and the lines in words; a new object. */
json_t *quality_json(const struct quality *quality);

#endif
