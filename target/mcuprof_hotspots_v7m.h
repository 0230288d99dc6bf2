/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOTSPOTS_V7M_H
#define MCUPROF_HOTSPOTS_V7M_H

/*
 * mcuprofi_hotspots_put() for the end of the sampler in ARMv7-M assembly:
 * 34 cycles for a unit found by its hint, 134 at worst (M4 timing table, 16
 * units). Leaves with r4-r7 restored.
 *
 *   r0 pc         r2 block, then free    r6 a unit's address
 *   r1 &tag[0]    r4 weight of a hit     r7 its number
 *   r3 free       r5 countdown           r12 &groups[]
 */
#include "mcuprof_hotspots.h"

/* Where `tag` lies, behind the hints; what follows it, counted from it. */
#define MCUPROFI_V7M_TAG_AT 32
#define MCUPROFI_V7M_FILL_AT (4 * MCUPROF_HOTSPOT_UNITS + 20)
#define MCUPROFI_V7M_WEIGHT_AT (4 * MCUPROF_HOTSPOT_UNITS + 24)
#define MCUPROFI_V7M_COUNTDOWN_AT (4 * MCUPROF_HOTSPOT_UNITS + 28)
#define MCUPROFI_V7M_GROUPS_AT (4 * MCUPROF_HOTSPOT_UNITS + 32)

#define MCUPROFI_V7M_TEXT_OF(x) #x
#define MCUPROFI_V7M_TEXT(x) MCUPROFI_V7M_TEXT_OF(x)
#define MCUPROFI_V7M_UNITS MCUPROFI_V7M_TEXT(MCUPROF_HOTSPOT_UNITS)

/* clang-format off */
#define MCUPROFI_V7M_UNIT_ADDRESS                                              \
    "    movw  r6, #:lower16:mcuprof_hotspots   \n"                            \
    "    movt  r6, #:upper16:mcuprof_hotspots   \n"                            \
    "    add   r6, r6, r7, lsl #4               \n"

#define MCUPROFI_V7M_LOAD_WEIGHT                                               \
    "    ldrd  r4, r5, [r1, #" MCUPROFI_V7M_TEXT(MCUPROFI_V7M_WEIGHT_AT) "] \n"

/* Equal: C is set. Else C is clear if the vote ends, and another begins. */
#define MCUPROFI_V7M_HIT                                                       \
    "    ldrd  r2, r3, [r6]                     \n" /* pc, weight */           \
    "    add   r3, r4                           \n"                            \
    "    str   r3, [r6, #4]                     \n"                            \
    "    cmp   r2, r0                           \n"                            \
    "    ldr   r2, [r6, #12]                    \n" /* vote */                 \
    "    ite   eq                               \n"                            \
    "    addeq r2, r2, r4                       \n"                            \
    "    subsne r2, r2, r4                      \n"                            \
    "    itt   cc                               \n"                            \
    "    strcc r0, [r6]                         \n"                            \
    "    rsbcc r2, r2, #0                       \n"                            \
    "    str   r2, [r6, #12]                    \n"

/* A unit of the group at r6, whose number is r7 and `n`, if it is less. */
#define MCUPROFI_V7M_LESS(n)                                                   \
    "    ldr   r4, [r6, #4 + 16 * " #n "]       \n"                            \
    "    cmp   r4, r3                           \n"                            \
    "    itt   lo                               \n"                            \
    "    movlo r3, r4                           \n"                            \
    "    addlo r2, r7, #" #n "                  \n"

#define MCUPROFI_HOTSPOTS_V7M                                                  \
    "    movw  r1, #:lower16:mcuprofi_hotspots + "                             \
        MCUPROFI_V7M_TEXT(MCUPROFI_V7M_TAG_AT) "\n"                            \
    "    movt  r1, #:upper16:mcuprofi_hotspots + "                             \
        MCUPROFI_V7M_TEXT(MCUPROFI_V7M_TAG_AT) "\n"                            \
    "    lsrs  r2, r0, #" MCUPROFI_V7M_TEXT(MCUPROFI_HOTSPOT_SHIFT) "\n"       \
    "    orn   r3, r2, #31                      \n" /* hint's index - 32 */    \
    "    ldrb  r7, [r1, r3]                     \n" /* hint */                 \
    "    ldr   r3, [r1, r7, lsl #2]             \n"                            \
    "    cmp   r3, r2                           \n"                            \
    "    bne   21f                              \n"                            \
    MCUPROFI_V7M_UNIT_ADDRESS                                                  \
    MCUPROFI_V7M_LOAD_WEIGHT                                                   \
    MCUPROFI_V7M_HIT                                                           \
    "20: subs  r5, #1                           \n"                            \
    "    str   r5, [r1, #"                                                     \
        MCUPROFI_V7M_TEXT(MCUPROFI_V7M_COUNTDOWN_AT) "]\n"                     \
    "    pop   {r4-r7}                          \n"                            \
    "    beq   24f                              \n"                            \
    "    bx    lr                               \n"                            \
    "24: b.w   mcuprofi_hotspots_event          \n"                            \
    /* Not by its hint: look at all, four at a time. */                        \
    "21: mov   r7, r1                           \n"                            \
    "    .rept " MCUPROFI_V7M_UNITS " / 4       \n"                            \
    "    ldmia r7!, {r3-r6}                     \n"                            \
    "    cmp   r3, r2                           \n"                            \
    "    ittt  ne                               \n"                            \
    "    cmpne r4, r2                           \n"                            \
    "    cmpne r5, r2                           \n"                            \
    "    cmpne r6, r2                           \n"                            \
    "    beq   22f                              \n"                            \
    "    .endr                                  \n"                            \
    /* It has none: the group with the least unit gives that. */               \
    MCUPROFI_V7M_LOAD_WEIGHT                                                   \
    "    ldr   r3, [r1, #"                                                     \
        MCUPROFI_V7M_TEXT(MCUPROFI_V7M_FILL_AT) "]\n"                          \
    "    cmp   r3, #0                           \n"                            \
    "    bne   25f                              \n"                            \
    "    ldr   r3, [r7, #32]!                   \n" /* groups[0].min */        \
    "    mov   r12, r7                          \n"                            \
    "    .rept " MCUPROFI_V7M_UNITS " / 4 - 1   \n"                            \
    "    ldr   r6, [r7, #8]!                    \n"                            \
    "    cmp   r6, r3                           \n"                            \
    "    itt   lo                               \n"                            \
    "    movlo r3, r6                           \n"                            \
    "    movlo r12, r7                          \n"                            \
    "    .endr                                  \n"                            \
    "    ldr   r7, [r12, #4]                    \n" /* its number */           \
    "26:                                        \n"                            \
    MCUPROFI_V7M_UNIT_ADDRESS                                                  \
    "    str   r2, [r1, r7, lsl #2]             \n" /* tag */                  \
    "    orn   r2, r2, #31                      \n"                            \
    "    strb  r7, [r1, r2]                     \n" /* hint */                 \
    "    adds  r2, r3, r4                       \n"                            \
    "    str   r0, [r6]                         \n"                            \
    "    str   r2, [r6, #4]                     \n"                            \
    "    str   r3, [r6, #8]                     \n" /* error */                \
    "    str   r4, [r6, #12]                    \n"                            \
    /* The group's least may be another now; no hint leads to it. */           \
    "23: bic   r6, r6, #63                      \n"                            \
    "    bic   r7, r7, #3                       \n"                            \
    "    ldr   r3, [r6, #4]                     \n"                            \
    "    mov   r2, r7                           \n"                            \
    MCUPROFI_V7M_LESS(1)                                                       \
    MCUPROFI_V7M_LESS(2)                                                       \
    MCUPROFI_V7M_LESS(3)                                                       \
    "    str   r3, [r12]                        \n"                            \
    "    str   r2, [r12, #4]                    \n"                            \
    "    ldr   r4, [r1, r2, lsl #2]             \n"                            \
    "    orn   r4, r4, #31                      \n"                            \
    "    movs  r3, #" MCUPROFI_V7M_UNITS "      \n"                            \
    "    strb  r3, [r1, r4]                     \n"                            \
    "    b     20b                              \n"                            \
    /* Empty units are taken of each group in turn. */                         \
    "25: add   r12, r1, r3, lsl #3              \n"                            \
    "    add   r12, #"                                                         \
        MCUPROFI_V7M_TEXT(MCUPROFI_V7M_GROUPS_AT) " - 8\n"                     \
    "    ldr   r7, [r12, #4]                    \n"                            \
    "    subs  r3, #1                           \n"                            \
    "    bne   27f                              \n"                            \
    "    cmp   r7, #3                           \n"                            \
    "    it    ne                               \n"                            \
    "    movne r3, #" MCUPROFI_V7M_UNITS " / 4  \n"                            \
    "27: str   r3, [r1, #"                                                     \
        MCUPROFI_V7M_TEXT(MCUPROFI_V7M_FILL_AT) "]\n"                          \
    "    movs  r3, #0                           \n"                            \
    "    b     26b                              \n"                            \
    /* Found; r7 is the end of the group's tags. */                            \
    "22: subs  r7, r7, r1                       \n"                            \
    "    cmp   r5, r2                           \n"                            \
    "    it    eq                               \n"                            \
    "    subeq r7, #4                           \n"                            \
    "    cmp   r4, r2                           \n"                            \
    "    it    eq                               \n"                            \
    "    subeq r7, #8                           \n"                            \
    "    cmp   r3, r2                           \n"                            \
    "    it    eq                               \n"                            \
    "    subeq r7, #12                          \n"                            \
    "    lsrs  r7, r7, #2                       \n"                            \
    "    subs  r7, #1                           \n"                            \
    "    orn   r2, r2, #31                      \n"                            \
    "    strb  r7, [r1, r2]                     \n" /* hint */                 \
    MCUPROFI_V7M_UNIT_ADDRESS                                                  \
    MCUPROFI_V7M_LOAD_WEIGHT                                                   \
    MCUPROFI_V7M_HIT                                                           \
    "    lsrs  r3, r7, #2                       \n"                            \
    "    add   r12, r1, r3, lsl #3              \n"                            \
    "    add   r12, #"                                                         \
        MCUPROFI_V7M_TEXT(MCUPROFI_V7M_GROUPS_AT) "\n"                         \
    "    ldr   r3, [r12, #4]                    \n"                            \
    "    cmp   r3, r7                           \n"                            \
    "    beq   23b                              \n"                            \
    "    b     20b                              \n"
/* clang-format on */

#endif
