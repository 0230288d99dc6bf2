/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_ROOM_H
#define MCUPROF_HOST_ROOM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Make room for one more of COUNT items of SIZE bytes in the array ITEMS, NULL
 * at first, that has ROOM for some.
 * returns the array, which may have moved; NULL without memory, ITEMS is then
 * as it was
 * cost: constant on average
 */
void *room_reserve(void *items, size_t count, size_t *room, size_t size);

#ifdef __cplusplus
}
#endif

#endif
