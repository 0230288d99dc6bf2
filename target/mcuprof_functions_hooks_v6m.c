/* SPDX-License-Identifier: MIT */
/*
 * The function table's fast paths on cores without LDREX, for a clock of any
 * width and direction. Interrupts are masked while clock and `stolen` are read
 * and it is changed. That cannot fail; what turns out to be rare behind it is
 * taken back, and begins from scratch on the slow path.
 */
#include "mcuprof_functions_parts.h"

#if MCUPROF_ENABLED && MCUPROF_FUNCTIONS && MCUPROFI_HOOKS_V6M

#define V6M_LOG2 MCUPROFI_TEXT(MCUPROFI_FUNCTIONS_LOG2)
#define V6M_ROWS "184"
#define V6M_DEPTH MCUPROFI_TEXT(MCUPROF_FUNCTIONS_DEPTH)
#define V6M_INNER "28"
#define V6M_STOLEN "32"
#define V6M_PROBE "36"
#define V6M_MASK "64" /* then flip and now */
#define V6M_BEHIND_NOW "76"
#define V6M_AGAIN_ENTER "168"
#define V6M_EXTEND "176"
#define V6M_AGAIN "180"

/* clang-format off */
/* The call ring's hook comes first; all it needs is kept. */
#if MCUPROF_TRACE
#define V6M_RING(hook) \
    "    push  {r0, lr}                      \n" \
    "    bl    " MCUPROFI_TEXT(hook) "       \n" \
    "    pop   {r0, r1}                      \n" \
    "    mov   lr, r1                        \n"
#else
#define V6M_RING(hook) ""
#endif

/* The slow path, as if nothing had been. */
#define V6M_SLOW(name) \
    "2:  pop   {r4-r7}                       \n" \
    "    pop   {r2}                          \n" \
    "    mov   lr, r2                        \n" \
    "    mov   r1, sp                        \n" \
    "    subs  r1, #20                       \n" \
    "    movs  r3, #1                        \n" \
    "    orrs  r0, r3                        \n" \
    "    ldr   r3, 17f                       \n" \
    "    bx    r3                            \n" \
    "8:  msr   primask, r12                  \n" \
    "    b     2b                            \n" \
    "    .balign 4                           \n" \
    "17: .word " name "                      \n"

/* r1 becomes the time, where it is the clock's address; `more` to r7. */
#define V6M_ENTER_SECTION(slow, more) \
    "    mrs   r12, primask                  \n" \
    "    adds  r4, #(" V6M_MASK " - 24)      \n" \
    "    cpsid i                             \n" \
    "    ldm   r4!, {r3, r6, r7}             \n" \
    "    ldr   r1, [r1]                      \n" \
    "    eors  r1, r6                        \n" \
    "    subs  r1, r7                        \n" \
    "    ands  r1, r3                        \n" \
    "    lsrs  r3, r3, #4                    \n" \
    "    cmp   r1, r3                        \n" \
    "    bhi   " slow "                          \n" \
    "    adds  r1, r7                        \n" \
    "    subs  r4, #" V6M_BEHIND_NOW "       \n" \
    "    ldr   r7, [r4, #" V6M_STOLEN "]     \n" \
    "    subs  r1, r7                        \n" \
    more \
    "    str   r7, [r4, #" V6M_STOLEN "]     \n" \
    "    msr   primask, r12                  \n"

/*
 * Not the row that it should be: one that is open, a call from itself, or
 * another; then the next ones, up to a free one, and round the end. Where it is
 * open, and at the same stack pointer, it may be stale. r6: ticks that all this
 * takes, r7: those more at its exit; the former is in `before` of the frame that
 * will be, their sum with inner in lr.
 */
#define V6M_ENTER_OTHER \
    "3:  adds  r3, #1                        \n" \
    "    cmp   r3, r0                        \n" \
    "    bne   4f                            \n" \
    "    movs  r6, #0                        \n" \
    "    ldrb  r3, [r2, #24]                 \n" \
    "    cmp   r3, r7                        \n" \
    "    beq   11f                           \n" \
    "4:  movs  r6, #0                        \n" \
    "    movs  r3, #128                      \n" \
    "    lsls  r3, r3, #2                    \n" \
    "    adds  r3, r2                        \n" \
    "    mov   lr, r3                        \n" \
    "12: ldr   r3, [r2, #28]                 \n" \
    "    cmp   r3, #0                        \n" \
    "    beq   2b                            \n" \
    "    subs  r3, r0, r3                    \n" \
    "    cmp   r3, #1                        \n" \
    "    beq   10f                           \n" \
    "13: adds  r2, #32                       \n" \
    "    cmp   r2, lr                        \n" \
    "    beq   2b                            \n" \
    "    ldr   r3, 18f                       \n" \
    "    cmp   r2, r3                        \n" \
    "    bne   14f                           \n" \
    "    ldr   r3, 19f                       \n" \
    "    adds  r2, r3                        \n" \
    "    add   lr, r3                        \n" \
    "14: ldr   r3, [r4, #(" V6M_PROBE " - 24)]\n" \
    "    adds  r6, r3                        \n" \
    "    ldr   r3, [r2, #28]                 \n" \
    "    cmp   r3, r0                        \n" \
    "    bne   12b                           \n" \
    "    ldrb  r3, [r2, #24]                 \n" \
    "    cmp   r3, r7                        \n" \
    "    bne   13b                           \n" \
    "    movs  r7, #0                        \n" \
    "    b     15f                           \n" \
    "10: ldrb  r3, [r2, #24]                 \n" \
    "    cmp   r3, r7                        \n" \
    "    bne   13b                           \n" \
    "11: ldr   r3, [r5, #20]                 \n" \
    "    cmp   sp, r3                        \n" \
    "    beq   2b                            \n" \
    "    subs  r0, #1                        \n" \
    "    adds  r4, #(" V6M_AGAIN_ENTER " - 24)\n" \
    "    ldm   r4!, {r3, r7}                 \n" \
    "    subs  r4, #(" V6M_AGAIN_ENTER " + 8 - 24)\n" \
    "    adds  r6, r3                        \n" \
    "15: str   r6, [r5, #(32 + 24)]          \n" \
    "    ldr   r3, [r4, #(" V6M_INNER " - 24)]\n" \
    "    adds  r6, r3                        \n" \
    "    adds  r6, r7                        \n" \
    "    mov   lr, r6                        \n" \
    V6M_ENTER_SECTION("8b", "    add   r7, lr                        \n") \
    "    ldr   r6, [r5, #(32 + 24)]          \n" \
    "    subs  r1, r6                        \n" \
    "    ldr   r6, [sp, #16]                 \n" \
    "    mov   lr, r6                        \n" \
    "    lsls  r6, r0, #31                   \n" \
    "    beq   16f                           \n" \
    "    b     5b                            \n" \
    "16: b     6b                            \n"

/*
 * r0 function, r1 clock, then time, r2 row, r4 hot words, r5 top, r6 limit, r7
 * index, then stolen, r12 primask. The frame keeps the stack pointer as it is
 * behind the push.
 */
MCUPROF_KEEP __attribute__((naked)) void
__cyg_profile_func_enter(void *function __attribute__((unused)),
                         void *call_site __attribute__((unused)))
{
    __asm volatile(
        ".syntax unified                         \n"
        V6M_RING(MCUPROFI_RING_ENTER)
        "    push  {r4-r7, lr}                   \n"
        "    ldr   r4, 9f                        \n"
        "    mrs   r2, ipsr                      \n"
        "    adds  r2, r4                        \n"
        "    adds  r4, #4                        \n"
        "    ldm   r4!, {r1, r3, r5-r7}          \n"
        "    cmp   r2, r3                        \n"
        "    bne   2f                            \n"
        "    cmp   r5, r6                        \n"
        "    beq   2f                            \n"
        "    ldr   r2, [r5, #20]                 \n"
        "    cmp   sp, r2                        \n"
        "    bhi   2f                            \n"
        "    lsls  r2, r7, #(" V6M_LOG2 " + 1)   \n"
        "    eors  r2, r0                        \n"
        "    lsls  r2, r2, #(28 - " V6M_LOG2 ")  \n"
        "    lsrs  r2, r2, #(32 - " V6M_LOG2 ")  \n"
        "    lsls  r2, r2, #5                    \n"
        "    adds  r2, r4                        \n"
        "    adds  r2, #(" V6M_ROWS " - 24)      \n"
        "    ldr   r3, [r2, #28]                 \n"
        "    cmp   r3, r0                        \n"
        "    bne   3f                            \n"
        "    ldrb  r3, [r2, #24]                 \n"
        "    cmp   r3, r7                        \n"
        "    bne   4f                            \n"
        V6M_ENTER_SECTION("8f",
        "    ldr   r6, [r4, #" V6M_INNER "]      \n"
        "    adds  r7, r6                        \n")
        "5:  subs  r6, r0, #1                    \n"
        "    str   r6, [r2, #28]                 \n"
        "6:  movs  r3, #0                        \n"
        "    mov   r6, lr                        \n"
        "    mov   r7, sp                        \n"
        "    adds  r5, #32                       \n"
        "    stm   r5!, {r0-r3, r6, r7}          \n"
        "    subs  r5, #24                       \n"
        "    str   r5, [r4, #12]                 \n"
        "    pop   {r4-r7, pc}                   \n"
        V6M_SLOW("mcuprofi_functions_enter_slow")
        V6M_ENTER_OTHER
        "    .balign 4                           \n"
        "9:  .word mcuprof_functions             \n"
        /* Behind the rows, and how much to go back from there. */
        "18: .word mcuprof_functions + " V6M_ROWS
        " + (32 << " V6M_LOG2 ")                 \n"
        "19: .word -(32 << " V6M_LOG2 ")         \n");
}

/* r3 becomes the age, where it is the clock's address; r5 row, r7 self. */
#define V6M_EXIT_SECTION(slow) \
    "    mrs   r12, primask                  \n" \
    "    adds  r4, #(" V6M_MASK " - 16)      \n" \
    "    cpsid i                             \n" \
    "    ldm   r4!, {r1, r5, r7}             \n" \
    "    ldr   r3, [r3]                      \n" \
    "    eors  r3, r5                        \n" \
    "    subs  r3, r7                        \n" \
    "    ands  r3, r1                        \n" \
    "    lsrs  r1, r1, #4                    \n" \
    "    cmp   r3, r1                        \n" \
    "    bhi   " slow "                          \n" \
    "    adds  r3, r7                        \n" \
    "    subs  r4, #" V6M_BEHIND_NOW "       \n" \
    "    ldr   r1, [r4, #" V6M_STOLEN "]     \n" \
    "    subs  r3, r1                        \n" \
    "    adds  r1, r2                        \n" \
    "    str   r1, [r4, #" V6M_STOLEN "]     \n" \
    "    msr   primask, r12                  \n" \
    "    ldm   r6!, {r1, r5, r7}             \n" \
    "    subs  r3, r1                        \n" \
    "    subs  r7, r3, r7                    \n"

/* Whether it is the shortest or the longest yet: r1 is age - min, r2 span. */
#define V6M_EXIT_CHECK \
    "    ldr   r1, [r5, #12]                 \n" \
    "    subs  r1, r3, r1                    \n" \
    "    ldr   r2, [r5, #16]                 \n" \
    "    cmp   r1, r2                        \n"

/* r1 ticks more than each call's: to the base of the state's frames. */
#define V6M_MORE \
    "    ldr   r2, [r4, #16]                 \n" \
    "    ldr   r0, 19f                       \n" \
    "    adds  r2, r0                        \n" \
    "    ldr   r0, [r2]                      \n" \
    "    adds  r0, r1                        \n" \
    "    str   r0, [r2]                      \n"

/* Its first time, the shortest or the longest yet. */
#define V6M_EXIT_EXTEND \
    "3:  lsrs  r4, r3, #30                   \n" /* LONGEST */ \
    "    bne   10f                           \n" \
    "    mov   lr, r1                        \n" \
    "    ldr   r4, 9f                        \n" \
    "    adds  r4, #128                      \n" \
    "    ldr   r1, [r4, #(" V6M_EXTEND " - 128)]\n" \
    "    subs  r4, #128                      \n" \
    "    mrs   r12, primask                  \n" \
    "    cpsid i                             \n" \
    "    ldr   r2, [r4, #" V6M_STOLEN "]     \n" \
    "    adds  r2, r1                        \n" \
    "    str   r2, [r4, #" V6M_STOLEN "]     \n" \
    "    msr   primask, r12                  \n" \
    "    mov   r12, r0                       \n" \
    V6M_MORE \
    "    mov   r0, r12                       \n" \
    "    mov   r1, lr                        \n" \
    "    ldrb  r2, [r5, #25]                 \n" /* min_high */ \
    "    cmp   r2, #255                      \n" \
    "    bne   12f                           \n" \
    "    movs  r1, #0                        \n" \
    "    strb  r1, [r5, #25]                 \n" \
    "    b     4f                            \n" \
    "12: cmp   r1, #0                        \n" \
    "    bgt   5f                            \n" \
    "    ldr   r2, [r5, #16]                 \n" \
    "    subs  r1, r2, r1                    \n" \
    "4:  str   r3, [r5, #12]                 \n" \
    "5:  str   r1, [r5, #16]                 \n" \
    "    lsls  r1, r0, #31                   \n" \
    "    beq   14f                           \n" \
    "    b     1b                            \n"

/* One that is open below, too: no total, and it stays open. */
#define V6M_EXIT_AGAIN \
    "6:  adds  r1, #1                        \n" \
    "    cmp   r1, r0                        \n" \
    "    bne   13f                           \n" \
    "    ldr   r1, [r6, #4]                  \n" \
    "    lsls  r1, r1, #30                   \n" \
    "    bne   13f                           \n" \
    "    subs  r0, #1                        \n" \
    V6M_EXIT_SECTION("16f") \
    V6M_EXIT_CHECK \
    "    bhi   3b                            \n" \
    "14: ldm   r5!, {r1, r2}                 \n" \
    "    adds  r1, #1                        \n" \
    "    adds  r2, r7                        \n" \
    "    subs  r5, #8                        \n" \
    "    stm   r5!, {r1, r2}                 \n" \
    "    adds  r4, #128                      \n" \
    "    ldr   r1, [r4, #(" V6M_AGAIN " - 128)]\n" \
    "    subs  r4, #128                      \n" \
    V6M_MORE \
    "    b     7b                            \n" \
    "13: b     2b                            \n" \
    "16: b     8b                            \n"

/* Costs that are a little too great: it took no time. Else outer back. */
#define V6M_EXIT_RARE \
    "10: movs  r4, #1                        \n" \
    "    lsls  r4, r4, #8                    \n" \
    "    adds  r4, r3                        \n" \
    "    bcc   15f                           \n" \
    "    cmp   r3, r7                        \n" \
    "    bne   15f                           \n" \
    "    movs  r3, #0                        \n" \
    "    movs  r7, #0                        \n" \
    "    ldr   r4, 9f                        \n" \
    "    b     11b                           \n" \
    "15: ldr   r4, 9f                        \n" \
    "    ldr   r1, [r4]                      \n" \
    "    mrs   r12, primask                  \n" \
    "    cpsid i                             \n" \
    "    ldr   r2, [r4, #" V6M_STOLEN "]     \n" \
    "    subs  r2, r1                        \n" \
    "    str   r2, [r4, #" V6M_STOLEN "]     \n" \
    "    msr   primask, r12                  \n" \
    "    b     13b                           \n"

/*
 * r0 function, r2 outer, r3 clock, then age, r4 hot words, r5 row, r6 frame,
 * r7 self.
 */
MCUPROF_KEEP __attribute__((naked)) void
__cyg_profile_func_exit(void *function __attribute__((unused)),
                        void *call_site __attribute__((unused)))
{
    __asm volatile(
        ".syntax unified                         \n"
        V6M_RING(MCUPROFI_RING_EXIT)
        "    push  {r4-r7, lr}                   \n"
        "    ldr   r4, 9f                        \n"
        "    mrs   r1, ipsr                      \n"
        "    adds  r1, r4                        \n"
        "    ldm   r4!, {r2, r3, r5, r6}         \n"
        "    cmp   r1, r5                        \n"
        "    bne   2f                            \n"
        "    ldm   r6!, {r1}                     \n"
        "    cmp   r1, r0                        \n"
        "    bne   6f                            \n"
        V6M_EXIT_SECTION("8f")
        "11:                                     \n"
        V6M_EXIT_CHECK
        "    bhi   3f                            \n"
        "1:  str   r0, [r5, #28]                 \n"
        "    ldm   r5!, {r0-r2}                  \n"
        "    adds  r0, #1                        \n"
        "    adds  r1, r7                        \n"
        "    adds  r2, r3                        \n"
        "    subs  r5, #12                       \n"
        "    stm   r5!, {r0-r2}                  \n"
        "7:  subs  r6, #48                       \n"
        "    ldr   r0, [r6, #12]                 \n"
        "    adds  r0, r3                        \n"
        "    str   r0, [r6, #12]                 \n"
        "    str   r6, [r4, #12]                 \n"
        "    pop   {r4-r7, pc}                   \n"
        V6M_SLOW("mcuprofi_functions_exit_slow")
        V6M_EXIT_EXTEND
        V6M_EXIT_AGAIN
        V6M_EXIT_RARE
        "    .balign 4                           \n"
        "9:  .word mcuprof_functions             \n"
        /* From a state's limit to its base's lr. */
        "19: .word 16 - " V6M_DEPTH " * 32       \n");
}
/* clang-format on */

#endif
