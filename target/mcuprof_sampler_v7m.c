/* SPDX-License-Identifier: MIT */
/*
 * mcuprofi_sample(): the C reference, or for ARMv7-M the same by hand. gcc 12
 * makes 81 cycles of the reference (M4 timing table, docs/overhead.md), this
 * is 63: state comes in by two LDMs, and LR is not saved.
 */
#include "mcuprof_hotspots_v7m.h"

#if MCUPROF_ENABLED && MCUPROF_STREAM

#if MCUPROFI_SAMPLER_V7M

/* The assembly below has these offsets in it. */
#define OFFSET_HOLDS(member, offset)                                           \
    typedef char check_offset_of_##member                                      \
            [offsetof(struct mcuprofi_sampler, member) == (offset) ? 1 : -1]
OFFSET_HOLDS(clock, 0);
OFFSET_HOLDS(seed, 16);
OFFSET_HOLDS(head, 36);
OFFSET_HOLDS(tail, 40);
OFFSET_HOLDS(task, 44);
OFFSET_HOLDS(lost, 48);
OFFSET_HOLDS(ring, 92);

/* A sample goes on to the table; one that is skipped does not. */
#if MCUPROF_HOTSPOTS
#if MCUPROFI_HOTSPOTS_BY_V7M
#define MCUPROFI_SAMPLE_TABLE MCUPROFI_HOTSPOTS_V7M
#else
#define MCUPROFI_SAMPLE_TABLE                                                  \
    "    pop   {r4-r7}                          \n"                            \
    "    b.w   mcuprofi_hotspots_put            \n"
#endif
#else
#define MCUPROFI_SAMPLE_TABLE
#endif

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

MCUPROF_KEEP __attribute__((naked)) void
mcuprofi_sample(const uint32_t *frame __attribute__((unused)),
                uint32_t exc_return __attribute__((unused)))
{
    /* clang-format off */
    __asm volatile(
        ".syntax unified                            \n"
        "    push  {r4-r7}                          \n"
        "    movw  r12, #:lower16:mcuprofi_sampler  \n"
        "    movt  r12, #:upper16:mcuprofi_sampler  \n"
        /* clock, deadline, interval, threshold */
        "    ldmia r12!, {r2-r5}                    \n"
        "    ldr   r2, [r12, r2]                    \n"
        "    subs  r2, r2, r3                       \n"
        "    cmp   r2, r5                           \n"
        "    bhs   1f                               \n"
        "4:  add   r3, r4                           \n"
        "    str   r3, [r12, #-12]                  \n" /* deadline */
        /* seed, span, base, reload, shift */
        "    ldmia r12!, {r3-r7}                    \n"
        "    lsrs  r2, r7                           \n"
        "    usat  r2, #16, r2                      \n"
        "    eor   r3, r3, r3, lsl #13              \n"
        "    eor   r3, r3, r3, lsr #17              \n"
        "    eor   r3, r3, r3, lsl #5               \n"
        "    str   r3, [r12, #-20]                  \n" /* seed */
        "    umull r7, r4, r3, r4                   \n"
        "    adds  r4, r5                           \n"
        "    str   r4, [r12, #-28]                  \n" /* interval */
        "    subs  r4, #1                           \n"
        "    str   r4, [r6]                         \n" /* reload */
        "    ldrd  r0, r1, [r0, #24]                \n" /* pc, xpsr */
        "    ubfx  r1, r1, #0, #9                   \n"
        "    cbnz  r1, 2f                           \n"
        "    ldr   r1, [r12, #8]                    \n" /* task */
        "2:  ldrd  r4, r5, [r12]                    \n" /* head, tail */
        "    add   r6, r12, r4, lsl #3              \n"
        "    str   r0, [r6, #56]                    \n"
        "    strh  r1, [r6, #60]                    \n"
        "    strh  r2, [r6, #62]                    \n"
        "    adds  r4, #1                           \n"
        "    bic   r4, #" TEXT(MCUPROF_SAMPLE_RING) "\n"
        "    cmp   r4, r5                           \n"
        "    beq   3f                               \n"
        "    str   r4, [r12]                        \n"
        "5:                                         \n" MCUPROFI_SAMPLE_TABLE
        "6:  pop   {r4-r7}                          \n"
        "    bx    lr                               \n"
        "3:  ldr   r4, [r12, #12]                   \n" /* lost */
        "    adds  r4, #1                           \n"
        "    str   r4, [r12, #12]                   \n"
        "    b     5b                               \n"
        "1:  push  {r0, r1, r12, lr}                \n" /* 0 mod 8 */
        "    ldr   r0, [r0, #24]                    \n" /* pc */
        "    mov   r1, r2                           \n" /* late */
        "    bl    mcuprofi_sample_measure          \n"
        "    mov   r2, r0                           \n"
        "    pop   {r0, r1, r12, lr}                \n"
        "    adds  r1, r2, #1                       \n" /* MCUPROFI_SKIP */
        "    beq   6b                               \n"
        "    ldrd  r3, r4, [r12, #-12]              \n"
        "    b     4b                               \n");
    /* clang-format on */
}

#else

MCUPROF_KEEP void mcuprofi_sample(const uint32_t *frame, uint32_t exc_return)
{
    mcuprofi_sample_reference(frame, exc_return);
}

#endif

#endif
