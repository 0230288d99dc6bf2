/* SPDX-License-Identifier: MIT */
/*
 * mcuprofi_sample() of a table alone: the C reference, or for ARMv7-M the same
 * by hand, as small as it goes.
 */
#include "mcuprof_hotspots_v7m.h"

#if MCUPROF_ENABLED && !MCUPROF_STREAM

#if MCUPROFI_HOTSPOTS_BY_V7M

/* The assembly below loads five words from the first on. */
#define ALONE_OFFSET_HOLDS(member, offset)                                     \
    typedef char check_alone_offset_of_##member                                \
            [offsetof(struct mcuprofi_alone, member) == (offset) ? 1 : -1]
ALONE_OFFSET_HOLDS(running, 0);
ALONE_OFFSET_HOLDS(seed, 4);
ALONE_OFFSET_HOLDS(span, 8);
ALONE_OFFSET_HOLDS(base, 12);
ALONE_OFFSET_HOLDS(reload, 16);

MCUPROF_KEEP __attribute__((naked)) void
mcuprofi_sample(const uint32_t *frame __attribute__((unused)),
                uint32_t exc_return __attribute__((unused)))
{
    /* clang-format off */
    __asm volatile(
        ".syntax unified                            \n"
        "    ldr   r2, 2f                           \n"
        "    ldr   r3, [r2]                         \n" /* running */
        "    cbz   r3, 19f                          \n" /* to a BX LR */
        "    push  {r4-r7}                          \n"
        /* running, seed, span, base, reload */
        "    ldmia r2!, {r3-r7}                     \n"
        "    eor   r4, r4, r4, lsl #13              \n"
        "    eor   r4, r4, r4, lsr #17              \n"
        "    eor   r4, r4, r4, lsl #5               \n"
        "    str   r4, [r2, #-16]                   \n" /* seed */
        "    umull r3, r5, r4, r5                   \n"
        "    adds  r5, r6                           \n"
        "    str   r5, [r7]                         \n" /* reload */
        "    ldr   r0, [r0, #24]                    \n" /* pc */
        "    mov   r12, r2                          \n"
        MCUPROFI_HOTSPOTS_V7M
        "2:  .word mcuprofi_alone                   \n");
    /* clang-format on */
}

#else

MCUPROF_KEEP void mcuprofi_sample(const uint32_t *frame, uint32_t exc_return)
{
    mcuprofi_sample_reference(frame, exc_return);
}

#endif

#endif
