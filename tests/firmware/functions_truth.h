/* SPDX-License-Identifier: MIT */
#ifndef FUNCTIONS_TRUTH_H
#define FUNCTIONS_TRUTH_H

#include <stdint.h>

/* Work once, in thread mode; a checksum of it. */
uint16_t functions_round(uint16_t seed);

#endif
