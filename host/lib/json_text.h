/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_JSON_TEXT_H
#define MCUPROF_HOST_JSON_TEXT_H

#include <jansson.h>

/**
 * TEXT as a JSON string. Firmwares, ELFs and file names may hold any bytes:
 * where they are not UTF-8, all bytes beyond ASCII become '?'.
 * returns a new reference, NULL without memory
 */
json_t *json_text(const char *text);

#endif
