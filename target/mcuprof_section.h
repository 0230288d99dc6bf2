/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_SECTION_H
#define MCUPROF_SECTION_H

/*
 * What the two engines with hooks have in common: how hooks exclude each
 * other, and in which of them they are written.
 */
#include "mcuprof_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

#if MCUPROF_ENABLED && (MCUPROF_TRACE || MCUPROF_FUNCTIONS)

/* What the hooks call: inlined, so that each hook is one body, and bare. */
#if defined(__GNUC__)
#define MCUPROFI_BARE                                                          \
    static inline __attribute__((always_inline, no_instrument_function))
#else
#define MCUPROFI_BARE static inline
#endif

/* What a hook is told of its caller, where its cost is measured. */
#if defined(__GNUC__)
#define MCUPROFI_CALL_SITE __builtin_return_address(0)
#else
#define MCUPROFI_CALL_SITE NULL
#endif

/* Whether the hooks are in assembly, and which. */
#if MCUPROF_HOOKS_ASM && defined(__ARM_ARCH_ISA_THUMB)
#if __ARM_ARCH_ISA_THUMB >= 2
#define MCUPROFI_HOOKS_V7M 1
#elif !defined(__ARM_FEATURE_LDREX)
#define MCUPROFI_HOOKS_V6M 1
#endif
#endif
#ifndef MCUPROFI_HOOKS_V7M
#define MCUPROFI_HOOKS_V7M 0
#endif
#ifndef MCUPROFI_HOOKS_V6M
#define MCUPROFI_HOOKS_V6M 0
#endif

/*
 * What the call ring's hooks are called: beside the function table they are
 * called by its.
 */
#if MCUPROF_TRACE && MCUPROF_FUNCTIONS
#define MCUPROFI_RING_ENTER mcuprofi_ring_enter
#define MCUPROFI_RING_EXIT mcuprofi_ring_exit
void mcuprofi_ring_enter(void *function, void *call_site);
void mcuprofi_ring_exit(void *function, void *call_site);
#else
#define MCUPROFI_RING_ENTER __cyg_profile_func_enter
#define MCUPROFI_RING_EXIT __cyg_profile_func_exit
#endif

/* As wide as a pointer: on the desk that is more than on the target. */
typedef uintptr_t mcuprofi_word;

/*
 * Sections. Between mcuprofi_take(), which loads a word, and mcuprofi_give(),
 * which stores it, no exception is taken, or mcuprofi_give() returns not 0 and
 * has stored nothing. One may be left without giving by mcuprofi_leave().
 */
#if defined(__ARM_FEATURE_LDREX)

#define MCUPROFI_SECTION_MASKS 0

MCUPROFI_BARE uint32_t mcuprofi_enter(void)
{
    return 0;
}

MCUPROFI_BARE mcuprofi_word mcuprofi_take(const volatile mcuprofi_word *from)
{
    mcuprofi_word value;
    __asm volatile("ldrex %0, %1" : "=r"(value) : "Q"(*from) : "memory");
    return value;
}

MCUPROFI_BARE uint32_t mcuprofi_give(uint32_t section,
                                     volatile mcuprofi_word *to,
                                     mcuprofi_word value)
{
    uint32_t failed;
    (void)section;
    __asm volatile("strex %0, %2, %1"
                   : "=&r"(failed), "=Q"(*to)
                   : "r"(value)
                   : "memory");
    return failed;
}

MCUPROFI_BARE void mcuprofi_leave(uint32_t section)
{
    (void)section;
    __asm volatile("" : : : "memory");
}

#elif defined(__ARM_ARCH_ISA_THUMB)

#define MCUPROFI_SECTION_MASKS 1

MCUPROFI_BARE uint32_t mcuprofi_enter(void)
{
    uint32_t primask;
    __asm volatile("mrs %0, primask\n\tcpsid i" : "=r"(primask) : : "memory");
    return primask;
}

MCUPROFI_BARE void mcuprofi_leave(uint32_t section)
{
    __asm volatile("msr primask, %0" : : "r"(section) : "memory");
}

MCUPROFI_BARE mcuprofi_word mcuprofi_take(const volatile mcuprofi_word *from)
{
    return *from;
}

MCUPROFI_BARE uint32_t mcuprofi_give(uint32_t section,
                                     volatile mcuprofi_word *to,
                                     mcuprofi_word value)
{
    *to = value;
    mcuprofi_leave(section);
    return 0;
}

#else

#define MCUPROFI_SECTION_MASKS 0

MCUPROFI_BARE uint32_t mcuprofi_enter(void)
{
    return 0;
}

MCUPROFI_BARE mcuprofi_word mcuprofi_take(const volatile mcuprofi_word *from)
{
    return mcuprof_port_load_exclusive(from);
}

MCUPROFI_BARE uint32_t mcuprofi_give(uint32_t section,
                                     volatile mcuprofi_word *to,
                                     mcuprofi_word value)
{
    (void)section;
    return mcuprof_port_store_exclusive(to, value);
}

MCUPROFI_BARE void mcuprofi_leave(uint32_t section)
{
    (void)section;
}

#endif

/* Number of the exception that runs. */
MCUPROFI_BARE uint32_t mcuprofi_ipsr(void)
{
#if defined(__ARM_ARCH_ISA_THUMB)
    uint32_t ipsr;
    __asm volatile("mrs %0, ipsr" : "=r"(ipsr));
    return ipsr;
#else
    return mcuprof_port_exception();
#endif
}

#endif

#ifdef __cplusplus
}
#endif

#endif
