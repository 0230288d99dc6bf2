/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_TRANSPORT_H
#define MCUPROF_TRANSPORT_H

/*
 * What the transports that leave bytes in RAM have in common; nothing here is
 * for the user but MCUPROF_GENERATION_SEED.
 */
#include <stdint.h>

#include "mcuprof_config.h"

#ifdef __cplusplus
extern "C" {
#endif

/* DWT cycle counter: ARMv7-M ARM C1.8.8. ARMv6-M has none. */
#if defined(__ARM_ARCH_ISA_THUMB) && __ARM_ARCH_ISA_THUMB >= 2                 \
        && !defined(__linux__)
#define MCUPROFI_CYCLE_COUNTER 0xE0001004u
#endif

/*
 * A block's first generation where startup code has cleared what the boot
 * before left: an expression that differs from boot to boot (an RTC, a random
 * number). The cycle counter does after a reset that is no power-on, as it
 * runs through it. Without any, place the block where it outlives a reset.
 */
#ifndef MCUPROF_GENERATION_SEED
#ifdef MCUPROFI_CYCLE_COUNTER
#define MCUPROF_GENERATION_SEED                                                \
    (*(const volatile uint32_t *)MCUPROFI_CYCLE_COUNTER)
#else
#define MCUPROF_GENERATION_SEED 1u
#endif
#endif

/* A negative array size where it is empty. */
typedef char mcuprofi_check_generation_seed_is_an_expression
        [(sizeof(MCUPROFI_TEXT(MCUPROF_GENERATION_SEED)) > 1) ? 1 : -1];

/* The generation after `left`, which is what the block says now; never 0. */
MCUPROF_NO_INSTRUMENT static inline uint32_t
mcuprofi_generation_after(uint32_t left)
{
    uint32_t next = left != 0 ? left + 1u : MCUPROF_GENERATION_SEED;
    return next != 0 ? next : 1u;
}

/*
 * Keeps memory accesses in order, as another bus master, the probe, sees
 * them: ARMv6-M ARM A3.7.3, ARMv7-M ARM A3.7.3.
 */
#if defined(__ARM_ARCH_ISA_THUMB)
MCUPROF_NO_INSTRUMENT static inline void mcuprofi_probe_barrier(void)
{
    __asm volatile("dmb" ::: "memory");
}
#elif defined(__GNUC__)
MCUPROF_NO_INSTRUMENT static inline void mcuprofi_probe_barrier(void)
{
    __asm volatile("" ::: "memory");
}
#else
MCUPROF_NO_INSTRUMENT static inline void mcuprofi_probe_barrier(void)
{
}
#endif

#ifdef __cplusplus
}
#endif

#endif
