/* SPDX-License-Identifier: MIT */
#ifndef SELECT_TRUTH_H
#define SELECT_TRUTH_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Work with hooks; each gives a checksum of what it did since SUM. */
uint32_t select_round(uint32_t sum);
uint32_t select_exits(uint32_t sum);
uint32_t select_objects(uint32_t sum); /* in C++ */

/* In assembly, without hooks: select_falls.S. */
uint32_t select_falls(uint32_t value);

/* An interrupt comes here and now. Without hooks. */
void select_pend(void);

#ifdef __cplusplus
}
#endif

#endif
