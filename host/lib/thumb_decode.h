/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_THUMB_DECODE_H
#define MCUPROF_HOST_THUMB_DECODE_H

/*
 * As much of a Thumb instruction as it takes to follow code: where it goes
 * on, which core registers it reads and writes, and what addresses it makes.
 * Not a disassembler: what an instruction computes is left open, floating
 * point registers and flags do not appear.
 *
 * source: Armv7-M ARM DDI0403E, A5 (encodings); Armv6-M ARM DDI0419; Armv8-M
 * ARM DDI0553, C2.3 (its loops)
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    THUMB_SP = 13,
    THUMB_LR = 14,
    THUMB_PC = 15,
    THUMB_NO_REGISTER = 16
};

/* Where the program goes from an instruction. */
enum thumb_flow {
    THUMB_NEXT,   /* to the one behind it */
    THUMB_CALL,   /* elsewhere, and comes back behind it */
    THUMB_BRANCH, /* to its target, or on */
    THUMB_JUMP,   /* to its target, or what a register holds, never on */
    THUMB_STOP    /* nowhere: not an instruction, or permanently undefined */
};

/* What is known of the register `made`. */
enum thumb_make {
    THUMB_UNKNOWN,
    THUMB_LITERAL, /* the word at address `value` */
    THUMB_VALUE,   /* `value` */
    THUMB_TOP,     /* `value` in its upper half, the lower one stays */
    THUMB_COPY,    /* that of register `value` */
    THUMB_ADD_PC   /* what it had, and `value` added */
};

struct thumb {
    uint32_t address;
    uint8_t size; /* 2 or 4 bytes */
    enum thumb_flow flow;
    bool has_target;
    uint32_t target;  /* of a branch, without the Thumb bit */
    unsigned through; /* of BX and BLX: the register, or THUMB_NO_REGISTER */

    uint16_t reads;    /* bit 0: r0 ...; calls and SVC read and write what */
    uint16_t writes;   /* the callee makes of it: not said here */
    bool is_lr_saved;  /* onto the stack */
    bool is_restoring; /* what it writes comes from the stack */

    enum thumb_make make;
    unsigned made;
    uint32_t value;

    unsigned conditional; /* so many that follow are of an IT block */
};

/**
 * Decode the instruction at ADDRESS, of which SIZE bytes, at least 2, can be
 * read. One whose second half is missing is a THUMB_NEXT of 2
 * bytes: a way does not end there, it goes where nobody sees.
 */
void thumb_decode(struct thumb *out, uint32_t address, const uint8_t *bytes,
                  size_t size);

#ifdef __cplusplus
}
#endif

#endif
