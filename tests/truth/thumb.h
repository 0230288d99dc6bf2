/* SPDX-License-Identifier: MIT */
#ifndef THUMB_H
#define THUMB_H

#include <stdbool.h>
#include <stdint.h>

/*
 * As much of the Thumb instruction set as it takes to know where control can
 * go from an instruction. Source: ARMv7-M ARM, A5 and A7.7.
 */

enum thumb_kind {
    THUMB_PLAIN,    /* goes on to the next */
    THUMB_BRANCH,   /* to `target` */
    THUMB_CALL,     /* and comes back; to `target`, unless through a register */
    THUMB_RETURN,   /* through LR or the stack */
    THUMB_INDIRECT, /* anywhere else through a register or a table */
};

struct thumb {
    enum thumb_kind kind;
    bool conditional; /* may go on to the next as well */
    uint32_t target;  /* 0: not in the instruction */
    unsigned it;      /* so many instructions behind it are conditional */
};

/* `second` counts only where thumb_size() is 4. */
struct thumb thumb_decode(uint32_t address, uint16_t first, uint16_t second);

/* Bytes of the instruction that begins with this halfword. */
unsigned thumb_size(uint16_t first);

#endif
