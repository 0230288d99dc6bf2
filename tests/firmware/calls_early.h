/* SPDX-License-Identifier: MIT */
#ifndef CALLS_EARLY_H
#define CALLS_EARLY_H

#include <stdint.h>

struct early_vectors {
    uint32_t *stack;
    void (*handlers[16 - 1 + 32])(void);
};

extern const struct early_vectors early_vectors;

/* Traced. */
void early_work(unsigned n);

#endif
