/* SPDX-License-Identifier: MIT */
#ifndef ZOO_H
#define ZOO_H

/*
 * A firmware of everything that has led symbolizers astray. It is built by
 * many compilers and flags (../zoo_build.py) and never run.
 */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NOINLINE __attribute__((noinline))

/* What every function reads and writes, so that no two are the same. */
extern volatile uint32_t zoo_port[16];

struct zoo_item {
    struct zoo_item *next;
    uint32_t key;
    uint32_t value;
};

struct zoo_item *zoo_sort(struct zoo_item *list);
uint32_t zoo_digest(const uint32_t *words, unsigned count);
uint32_t zoo_step(uint32_t state, uint32_t event);
uint32_t zoo_clones(const struct zoo_item *item, uint32_t mode);
uint32_t zoo_shapes(uint32_t seed);
uint32_t zoo_divide(uint32_t a, uint32_t b);
uint32_t zoo_dead(uint32_t seed);
uint32_t zoo_dead_again(uint32_t seed);
uint32_t zoo_alive(uint32_t seed);
void zoo_hot(void);
uint32_t asm_sized(uint32_t count);
uint32_t asm_typed(uint32_t value);

#ifdef __cplusplus
}
#endif

#endif
