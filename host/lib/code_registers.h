/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_CODE_REGISTERS_H
#define MCUPROF_HOST_CODE_REGISTERS_H

/*
 * Which constants the core's registers hold, as far as can be told from one
 * instruction after the other. See code_map.h for what survives a join.
 */

#include "image.h"
#include "thumb_decode.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct code_registers {
    const struct image *image;
    uint32_t values[16];
    uint16_t known;       /* bit 0: r0 ... */
    uint16_t steady;      /* set a single time in this function */
    unsigned conditional; /* instructions left of an IT block */
    bool has_function;
    size_t function;
};

/** Begin with FUNCTION, or go on with it if it is the last one; SETS is how
 * often it sets r4 to r11. */
void code_registers_begin(struct code_registers *registers, size_t function,
                          const uint8_t sets[8]);

/** Control may come here from elsewhere. */
void code_registers_join(struct code_registers *registers);

/** Take the effect of THUMB. */
void code_registers_step(struct code_registers *registers,
                         const struct thumb *thumb);

/** The constant in register NAME; false if that is not known. */
bool code_registers_get(const struct code_registers *registers, unsigned name,
                        uint32_t *out);

/** Where the branch THUMB goes, without the Thumb bit; before its step. */
bool code_registers_target(const struct code_registers *registers,
                           const struct thumb *thumb, uint32_t *out);

#ifdef __cplusplus
}
#endif

#endif
