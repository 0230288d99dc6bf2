/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_ENTRY_H
#define MCUPROF_ENTRY_H

/*
 * The way in: two macros that define the user's timer handler. Included by
 * mcuprof.h. The entry finds the exception frame and goes on in C:
 *
 *     SP at entry            frame (MSP or PSP, EXC_RETURN bit 2)
 *      + 0x00  r0 r1 r2 r3
 *      + 0x10  r12 lr pc xpsr          xpsr[8:0]: interrupted context
 *      + 0x20  s0-s15 fpscr -          if EXC_RETURN bit 4 is 0
 *      + 0x68  s16-s31                 if secure with FPCCR.TS
 *
 * It uses only instructions that ARMv6-M has, so one text serves every core.
 * The stack is 0 modulo 8 when C begins. Source: ARMv7-M ARM, B1.5.6-B1.5.8;
 * ARMv8-M ARM, B3.19.
 */
#include "mcuprof_config.h"

#ifdef __cplusplus
#define MCUPROF_EXTERN_C extern "C"
#else
#define MCUPROF_EXTERN_C extern
#endif

/*
 * VISIBLE: for what only assembly refers to: link-time optimisation must
 * neither drop nor rename it. KEEP: a function of ours that stays one body, by
 * its own name, and has no hook calls in it.
 */
#if defined(__GNUC__) && !defined(__clang__)
#define MCUPROF_VISIBLE __attribute__((used, externally_visible))
#define MCUPROF_KEEP                                                           \
    MCUPROF_VISIBLE __attribute__((noinline, noclone, no_instrument_function))
#else
#define MCUPROF_VISIBLE __attribute__((used))
#define MCUPROF_KEEP                                                           \
    MCUPROF_VISIBLE __attribute__((noinline, no_instrument_function))
#endif

/* What is left of a handler with a body where nothing of ours is wanted. */
#define MCUPROFI_HANDLER_ALONE(handler, body)                                  \
    MCUPROF_EXTERN_C void handler(void);                                       \
    void handler(void)                                                         \
    {                                                                          \
        body();                                                                \
    }                                                                          \
    MCUPROF_EXTERN_C void handler(void)

#if MCUPROF_ENABLED && defined(__ARM_ARCH_ISA_THUMB)

/* Frame to r0, EXC_RETURN to r1; r2 is spoilt. */
#define MCUPROF_ENTRY_FRAME                                                    \
    ".syntax unified           \n"                                             \
    "    mov   r1, lr          \n"                                             \
    "    mrs   r0, msp         \n"                                             \
    "    lsls  r2, r1, #29     \n" /* bit 2 of EXC_RETURN to N */              \
    "    bpl   1f              \n"                                             \
    "    mrs   r0, psp         \n"                                             \
    "1:                        \n"

/* What `ldr r2, 2f` gets: a C function of the frame and EXC_RETURN. */
#define MCUPROF_ENTRY_TARGET(function)                                         \
    "    .balign 4             \n"                                             \
    "2:  .word " #function "\n"

/* Calls `function` and then `body()`. */
#define MCUPROFI_HANDLER_THEN(handler, body, function)                         \
    MCUPROF_EXTERN_C void handler(void);                                       \
    MCUPROF_EXTERN_C void mcuprofi_body_##handler(void);                       \
    MCUPROF_KEEP void mcuprofi_body_##handler(void)                            \
    {                                                                          \
        body();                                                                \
    }                                                                          \
    MCUPROF_KEEP __attribute__((naked)) void handler(void)                     \
    {                                                                          \
        __asm volatile(MCUPROF_ENTRY_FRAME                                     \
                       "    push  {r3, lr}        \n" /* two keep 0 mod 8 */   \
                       "    ldr   r2, 2f          \n"                          \
                       "    blx   r2              \n"                          \
                       "    bl    mcuprofi_body_" #handler "\n"                \
                       "    pop   {r3, pc}        \n" MCUPROF_ENTRY_TARGET(    \
                               function));                                     \
    }                                                                          \
    MCUPROF_EXTERN_C void handler(void)

/*
 * Defines `handler` as a sampling interrupt that does nothing else.
 */
#define MCUPROF_SAMPLE_HANDLER(handler)                                        \
    MCUPROF_EXTERN_C void handler(void);                                       \
    MCUPROF_KEEP __attribute__((naked)) void handler(void)                     \
    {                                                                          \
        __asm volatile(MCUPROF_ENTRY_FRAME                                     \
                       "    ldr   r2, 2f          \n"                          \
                       "    bx    r2              \n" /* returns for us */     \
                       MCUPROF_ENTRY_TARGET(mcuprofi_sample));                 \
    }                                                                          \
    MCUPROF_EXTERN_C void handler(void)

/*
 * Defines `handler` as a sampling interrupt that then calls `body()`: what
 * the handler did before, a HAL's tick say, or what clears the timer's flag.
 */
#define MCUPROF_SAMPLE_HANDLER_THEN(handler, body)                             \
    MCUPROFI_HANDLER_THEN(handler, body, mcuprofi_sample)

#else

/* Disabled: no handler of ours at all, and the other one is just its body. */
#define MCUPROF_SAMPLE_HANDLER(handler) MCUPROF_EXTERN_C void handler(void)

#define MCUPROF_SAMPLE_HANDLER_THEN MCUPROFI_HANDLER_ALONE

#endif

#endif
