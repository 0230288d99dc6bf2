/* SPDX-License-Identifier: MIT */
/*
 * The hooks of -finstrument-functions: what is frequent, in assembly or in C.
 * A function's address is odd, so it says "entered" as it comes; the exit hook
 * clears bit 0 and goes on as the other. What is rare is mcuprofi_ring_slow().
 * Why they are right under interrupts stands at the top of mcuprof_ring.c.
 */
#include "mcuprof_ring.h"

#if MCUPROF_ENABLED && MCUPROF_TRACE

#if MCUPROFI_HOOKS_V7M || MCUPROFI_HOOKS_V6M

/* Both are one text: the exit hook falls into the other. */
#define MCUPROFI_HOOKS_BEGIN                                                   \
    ".syntax unified                              \n"                          \
    "    subs  r0, #1                             \n"                          \
    "    .global __cyg_profile_func_enter         \n"                          \
    "    .type __cyg_profile_func_enter, %function\n"                          \
    "    .thumb_func                              \n"                          \
    "__cyg_profile_func_enter:                    \n"

#define MCUPROFI_HOOKS_END                                                     \
    "    .size __cyg_profile_func_enter, . - __cyg_profile_func_enter\n"

MCUPROF_KEEP __attribute__((naked)) void
__cyg_profile_func_exit(void *function __attribute__((unused)),
                        void *call_site __attribute__((unused)))
{
    /* clang-format off */
    __asm volatile(MCUPROFI_HOOKS_BEGIN
#if MCUPROFI_HOOKS_V7M
        "    ldr   r3, 8f              \n"
        "    ldr   r2, [r3]            \n" /* gate */
        "    cmp   r2, r3              \n"
        "    bne   1f                  \n"
        "    ldr   r3, 9f              \n"
        "    ldrex r2, [r3, #8]        \n" /* head */
        "    ldrd  r1, r12, [r3]       \n" /* context, limit */
        "    cmp   r2, r12             \n"
        "    bhs   2f                  \n"
        "    mrs   r12, ipsr           \n"
        "    cmp   r12, r1             \n"
        "    bne   2f                  \n"
        "    ldr   r1, [r3, #12]       \n" /* clock */
        "    ldr   r1, [r1]            \n"
        "    add   r12, r2, #8         \n"
        "    strex r2, r12, [r3, #8]   \n"
        "    cbnz  r2, 2f              \n"
        "    strd  r1, r0, [r12, #-8]  \n"
        "1:  bx    lr                  \n"
        "2:  b.w   mcuprofi_ring_slow  \n"
#else
        "    ldr   r3, 8f              \n"
        "    ldr   r2, [r3]            \n" /* gate */
        "    cmp   r2, r3              \n"
        "    bne   1f                  \n"
        "    ldr   r3, 9f              \n"
        "    mrs   r2, ipsr            \n"
        "    mrs   r12, primask        \n"
        "    cpsid i                   \n"
        "    ldr   r1, [r3]            \n" /* context */
        "    cmp   r1, r2              \n"
        "    bne   2f                  \n"
        "    ldr   r1, [r3, #8]        \n" /* head */
        "    ldr   r2, [r3, #4]        \n" /* limit */
        "    cmp   r1, r2              \n"
        "    bhs   2f                  \n"
        "    ldr   r2, [r3, #12]       \n" /* clock */
        "    ldr   r2, [r2]            \n"
        "    adds  r1, #8              \n"
        "    str   r1, [r3, #8]        \n"
        "    msr   primask, r12        \n"
        "    subs  r1, #8              \n"
        "    str   r2, [r1]            \n"
        "    str   r0, [r1, #4]        \n"
        "1:  bx    lr                  \n"
        "2:  msr   primask, r12        \n"
        "    ldr   r1, 7f              \n"
        "    bx    r1                  \n"
        "    .balign 4                 \n"
        "7:  .word mcuprofi_ring_slow  \n"
#endif
        "    .balign 4                 \n"
        "8:  .word mcuprof_control     \n"
        "9:  .word mcuprof_trace       \n" MCUPROFI_HOOKS_END);
    /* clang-format on */
}

#else

/* The same in C, for other cores and for tests. */
MCUPROFI_BARE void mcuprofi_hook_record(uint32_t word)
{
    struct mcuprofi_block *b = &mcuprof_trace.block;
    if (mcuprof_control.gate != &mcuprof_control) {
        return;
    }
    const volatile uint32_t *clock = b->clock;
    uint32_t section = mcuprofi_enter();
    mcuprofi_word head = mcuprofi_take(&b->head);
    if (b->context != mcuprofi_ipsr() || head >= b->limit) {
        mcuprofi_leave(section);
        mcuprofi_ring_slow(word);
        return;
    }
    uint32_t time = *clock;
    if (mcuprofi_give(section, &b->head, head + MCUPROF_TRACE_RECORD_SIZE)
        != 0) {
        mcuprofi_ring_slow(word);
        return;
    }
    mcuprofi_ring_write((struct mcuprofi_slot *)head, time, word);
}

MCUPROF_KEEP void __cyg_profile_func_enter(void *function, void *call_site)
{
    (void)call_site;
    mcuprofi_hook_record((uint32_t)(uintptr_t)function | MCUPROF_TRACE_ENTER);
}

MCUPROF_KEEP void __cyg_profile_func_exit(void *function, void *call_site)
{
    (void)call_site;
    mcuprofi_hook_record((uint32_t)(uintptr_t)function & ~MCUPROF_TRACE_ENTER);
}

#endif

#else

#if defined(__GNUC__)
/* The flag was left on, and nothing of ours wants the hooks. */
#define MCUPROFI_EMPTY __attribute__((weak)) MCUPROF_NO_INSTRUMENT

MCUPROFI_EMPTY void __cyg_profile_func_enter(void *function, void *call_site)
{
    (void)function;
    (void)call_site;
}

MCUPROFI_EMPTY void __cyg_profile_func_exit(void *function, void *call_site)
{
    (void)function;
    (void)call_site;
}
#endif

#endif
