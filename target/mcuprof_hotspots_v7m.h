/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOTSPOTS_V7M_H
#define MCUPROF_HOTSPOTS_V7M_H

/*
 * mcuprofi_hotspots_put() for the end of a sampler in ARMv7-M assembly, once
 * fast and once small. It begins with r4-r7 pushed and the address in r0, and
 * leaves with them restored.
 *
 *   r0 pc         r2 block, then free            r6 a unit's address
 *   r1 &tag[0]    r4 weight of a hit             r7 its number
 *   r3 free       r5 hint's index, countdown     r12 free
 */
#include "mcuprof_hotspots.h"

/* Where `tag` lies, behind the hints; what follows it, counted from it. */
#define MCUPROFI_V7M_TAG_AT 32
#define MCUPROFI_V7M_WEIGHT_AT (4 * MCUPROF_HOTSPOT_UNITS + 16)
#define MCUPROFI_V7M_GROUPS_AT (4 * MCUPROF_HOTSPOT_UNITS + 24)

#define MCUPROFI_V7M_TEXT_OF(x) #x
#define MCUPROFI_V7M_TEXT(x) MCUPROFI_V7M_TEXT_OF(x)
#define MCUPROFI_V7M_UNITS MCUPROFI_V7M_TEXT(MCUPROF_HOTSPOT_UNITS)
#define MCUPROFI_V7M_WEIGHT MCUPROFI_V7M_TEXT(MCUPROFI_V7M_WEIGHT_AT)
#define MCUPROFI_V7M_GROUPS MCUPROFI_V7M_TEXT(MCUPROFI_V7M_GROUPS_AT)

/* clang-format off */
/* Goes to 21 if the block's unit is not known by its hint. */
#define MCUPROFI_V7M_BY_HINT                                                   \
    "    ldr   r1, 28f                      \n"                                \
    "    lsrs  r2, r0, #" MCUPROFI_V7M_TEXT(MCUPROFI_HOTSPOT_SHIFT) "\n"       \
    "    orn   r5, r2, #31                  \n" /* hint's index - 32 */        \
    "    ldrb  r7, [r1, r5]                 \n" /* hint */                     \
    "    ldr   r3, [r1, r7, lsl #2]         \n"                                \
    "    cmp   r3, r2                       \n"                                \
    "    bne   21f                          \n"

#define MCUPROFI_V7M_UNIT_ADDRESS                                              \
    "    ldr   r6, 29f                      \n"                                \
    "    add   r6, r6, r7, lsl #4           \n"

/* Equal: C is set. Else C is clear if the vote ends, and another begins. */
#define MCUPROFI_V7M_HIT                                                       \
    MCUPROFI_V7M_UNIT_ADDRESS                                                  \
    "    ldrd  r4, r5, [r1, #" MCUPROFI_V7M_WEIGHT "]\n"                       \
    "    ldrd  r2, r3, [r6]                 \n" /* pc, weight */               \
    "    add   r3, r4                       \n"                                \
    "    str   r3, [r6, #4]                 \n"                                \
    "    cmp   r2, r0                       \n"                                \
    "    ldr   r2, [r6, #12]                \n" /* vote */                     \
    "    ite   eq                           \n"                                \
    "    addeq r2, r2, r4                   \n"                                \
    "    subsne r2, r2, r4                  \n"                                \
    "    itt   cc                           \n"                                \
    "    strcc r0, [r6]                     \n"                                \
    "    rsbcc r2, r2, #0                   \n"                                \
    "    str   r2, [r6, #12]                \n"

#define MCUPROFI_V7M_DONE                                                      \
    "    subs  r5, #1                       \n"                                \
    "    str   r5, [r1, #" MCUPROFI_V7M_WEIGHT " + 4]\n" /* countdown */       \
    "    pop   {r4-r7}                      \n"                                \
    "    beq   23f                          \n"                                \
    "19: bx    lr                           \n"

/* Whether one of four tags is the block's. */
#define MCUPROFI_V7M_COMPARE_FOUR                                              \
    "    cmp   r3, r2                       \n"                                \
    "    ittt  ne                           \n"                                \
    "    cmpne r4, r2                       \n"                                \
    "    cmpne r6, r2                       \n"                                \
    "    cmpne r12, r2                      \n"                                \
    "    beq   25f                          \n"

/* The group with the least unit, to `group`, gives that to the block. */
#define MCUPROFI_V7M_TAKE_OVER(group)                                          \
    "    and   r7, r2, #" MCUPROFI_V7M_TEXT(MCUPROFI_HOTSPOT_SPREAD) " - 1\n"  \
    "    lsls  r7, r7, #3                   \n"                                \
    "    adds  r3, r1, r7                   \n"                                \
    "    ldr   r3, [r3, #" MCUPROFI_V7M_GROUPS "]\n" /* its min */             \
    "    .irp  k, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"      \
    "    .if   \\k < " MCUPROFI_V7M_UNITS " / 4\n"                             \
    "    ldr   r6, [r1, #" MCUPROFI_V7M_GROUPS " + 8 * \\k]\n"                 \
    "    cmp   r6, r3                       \n"                                \
    "    itt   lo                           \n"                                \
    "    movlo r3, r6                       \n"                                \
    "    movlo r7, #8 * \\k                 \n"                                \
    "    .endif                             \n"                                \
    "    .endr                              \n"                                \
    "    adds  " group ", r1, r7            \n"                                \
    "    ldr   r7, [" group ", #" MCUPROFI_V7M_GROUPS " + 4]\n"                \
    MCUPROFI_V7M_UNIT_ADDRESS                                                  \
    "    str   r2, [r1, r7, lsl #2]         \n" /* tag */                      \
    "    strb  r7, [r1, r5]                 \n" /* hint */                     \
    "    ldrd  r4, r5, [r1, #" MCUPROFI_V7M_WEIGHT "]\n"                       \
    "    adds  r2, r3, r4                   \n"                                \
    "    stmia r6, {r0, r2, r3, r4}         \n" /* pc, weight, error, vote */

/* A unit of the group at r6, whose first is number r7, if it is less. */
#define MCUPROFI_V7M_LESS(n)                                                   \
    "    ldr   r4, [r6, #4 + 16 * " #n "]   \n"                                \
    "    cmp   r4, r3                       \n"                                \
    "    itt   lo                           \n"                                \
    "    movlo r3, r4                       \n"                                \
    "    addlo r2, r7, #" #n "              \n"

/* The group's least may be another now; no hint leads to it. */
#define MCUPROFI_V7M_REFRESH                                                   \
    "    bic   r6, r6, #63                  \n"                                \
    "    ldr   r3, [r6, #4]                 \n"                                \
    "    mov   r2, r7                       \n"                                \
    MCUPROFI_V7M_LESS(1)                                                       \
    MCUPROFI_V7M_LESS(2)                                                       \
    MCUPROFI_V7M_LESS(3)                                                       \
    "    strd  r3, r2, [r12, #" MCUPROFI_V7M_GROUPS "]\n"                      \
    "    ldr   r4, [r1, r2, lsl #2]         \n"                                \
    "    orn   r4, r4, #31                  \n"                                \
    "    eor   r2, r2, #1                   \n"                                \
    "    strb  r2, [r1, r4]                 \n"

#define MCUPROFI_V7M_END                                                       \
    "23: b.w   mcuprofi_hotspots_event      \n"                                \
    "    .balign 4                          \n"                                \
    "28: .word mcuprofi_hotspots + "                                           \
        MCUPROFI_V7M_TEXT(MCUPROFI_V7M_TAG_AT) "\n"                            \
    "29: .word mcuprof_hotspots             \n"

#if MCUPROF_STREAM
/* Fast, as the sampler before it takes its time, too. */
#define MCUPROFI_HOTSPOTS_V7M                                                  \
    MCUPROFI_V7M_BY_HINT                                                       \
    MCUPROFI_V7M_HIT                                                           \
    MCUPROFI_V7M_DONE                                                          \
    "21: mov   r7, r1                       \n"                                \
    "    .rept " MCUPROFI_V7M_UNITS " / 4   \n"                                \
    "    ldmia r7!, {r3, r4, r6, r12}       \n"                                \
    MCUPROFI_V7M_COMPARE_FOUR                                                  \
    "    .endr                              \n"                                \
    MCUPROFI_V7M_TAKE_OVER("r12")                                              \
    "24: bic   r7, r7, #3                   \n"                                \
    MCUPROFI_V7M_REFRESH                                                       \
    MCUPROFI_V7M_DONE                                                          \
    /* Found; r7 is behind the four. */                                        \
    "25: subs  r7, r7, r1                   \n"                                \
    "    cmp   r6, r2                       \n"                                \
    "    it    eq                           \n"                                \
    "    subeq r7, #4                       \n"                                \
    "    cmp   r4, r2                       \n"                                \
    "    it    eq                           \n"                                \
    "    subeq r7, #8                       \n"                                \
    "    cmp   r3, r2                       \n"                                \
    "    it    eq                           \n"                                \
    "    subeq r7, #12                      \n"                                \
    "    lsrs  r7, r7, #2                   \n"                                \
    "    subs  r7, #1                       \n"                                \
    "    strb  r7, [r1, r5]                 \n" /* hint */                     \
    MCUPROFI_V7M_HIT                                                           \
    "    bic   r3, r7, #3                   \n"                                \
    "    add   r12, r1, r3, lsl #1          \n"                                \
    "    ldr   r3, [r12, #" MCUPROFI_V7M_GROUPS " + 4]\n" /* its least */      \
    "    cmp   r3, r7                       \n"                                \
    "    beq   24b                          \n"                                \
    MCUPROFI_V7M_DONE                                                          \
    MCUPROFI_V7M_END
#else
/* Small; r12 is anything but r7, or the number of the group's least unit. */
#define MCUPROFI_HOTSPOTS_V7M                                                  \
    MCUPROFI_V7M_BY_HINT                                                       \
    "20:                                    \n"                                \
    MCUPROFI_V7M_HIT                                                           \
    "    cmp   r12, r7                      \n"                                \
    "    beq   24f                          \n"                                \
    "22:                                    \n"                                \
    MCUPROFI_V7M_DONE                                                          \
    "21: add   r7, r1, #4 * " MCUPROFI_V7M_UNITS "\n"                          \
    "26: ldmdb r7!, {r3, r4, r6, r12}       \n"                                \
    MCUPROFI_V7M_COMPARE_FOUR                                                  \
    "    cmp   r7, r1                       \n"                                \
    "    bne   26b                          \n"                                \
    MCUPROFI_V7M_TAKE_OVER("r6")                                               \
    "24: bic   r7, r7, #3                   \n"                                \
    "    add   r12, r1, r7, lsl #1          \n"                                \
    MCUPROFI_V7M_REFRESH                                                       \
    "    b     22b                          \n"                                \
    /* Found; r7 is at the first of the four. */                               \
    "25: ldr   r3, [r7], #4                 \n"                                \
    "    cmp   r3, r2                       \n"                                \
    "    bne   25b                          \n"                                \
    "    subs  r7, r7, r1                   \n"                                \
    "    lsrs  r7, r7, #2                   \n"                                \
    "    subs  r7, #1                       \n"                                \
    "    strb  r7, [r1, r5]                 \n" /* hint */                     \
    "    bic   r3, r7, #3                   \n"                                \
    "    add   r3, r1, r3, lsl #1           \n"                                \
    "    ldr   r12, [r3, #" MCUPROFI_V7M_GROUPS " + 4]\n"                      \
    "    b     20b                          \n"                                \
    MCUPROFI_V7M_END
#endif
/* clang-format on */

#endif
