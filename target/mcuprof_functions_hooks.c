/* SPDX-License-Identifier: MIT */
/*
 * The function table's fast paths: what is frequent, in assembly or in C.
 * mcuprof_functions_parts.h says why they are right under interrupts.
 */
#include "mcuprof_functions_parts.h"

#if MCUPROF_ENABLED && MCUPROF_FUNCTIONS

#if MCUPROFI_HOOKS_V7M

/* Offsets of what the assembly has besides the first eight hot words. */
#define ROWS "184"
#define ROW_INDEX "208" /* 184 and 24 */
#define ROW_KEY "212"
#define AGAIN_ENTER "168"
#define EXTEND "176"
#define AGAIN "180"
#define STOLEN "32"
#define PROBE "36"
#define SLOTS_LOG2 MCUPROFI_TEXT(MCUPROFI_FUNCTIONS_LOG2)
#define LONGEST MCUPROFI_TEXT(MCUPROFI_FUNCTIONS_LONGEST)
/* From a state's limit, in r5, to its base. */
#if MCUPROF_FUNCTIONS_DEPTH < 128
#define BASE "    subw  r5, r5, #(" DEPTH " * 32)    \n"
#else
#define BASE                                                                   \
    "    movw  r1, #(" DEPTH " * 32)             \n"                           \
    "    subs  r5, r1                        \n"
#endif
#define DEPTH MCUPROFI_TEXT(MCUPROF_FUNCTIONS_DEPTH)
/* r1: what fast hooks have taken beyond each call's; it is at r5 and 16. */
#define MORE                                                                   \
    "    ldr   r5, [r4, #16]                 \n" BASE                          \
    "    ldr   r1, [r5, #16]                 \n"
/* The call ring's hook comes first; all it needs is kept. */
#if MCUPROF_TRACE
#define RING(hook)                                                             \
    "    push  {r0, lr}                      \n"                               \
    "    bl    " MCUPROFI_TEXT(                                                \
            hook) "       \n"                                                  \
                  "    pop   {r0, lr}                      \n"
#else
#define RING(hook) ""
#endif
#define ROWS_SIZE "(1 << (" SLOTS_LOG2 " + 5))"

/* clang-format off */
/* Not the row that it should be: one that is open, a call from itself, or
   another; then the next ones, up to a free one, and round the end. Where it is
   open, and at the same stack pointer, it may be stale. */
#define ENTER_OTHER \
    "3:  adds  r1, #1                        \n" \
    "    cmp   r1, r0                        \n" \
    "    bne   10f                           \n" \
    "    ldrb  r1, [r3, #" ROW_INDEX "]      \n" \
    "    cmp   r1, r7                        \n" \
    "    beq   11f                           \n" \
    "10: add   r8, r3, #512                  \n" \
    "4:  ldr   r1, [r3, #" ROW_KEY "]        \n" \
    "    cbz   r1, 6f                        \n" \
    "    subs  r1, r0, r1                    \n" \
    "    cmp   r1, #1                        \n" \
    "    beq   7f                            \n" \
    "5:  adds  r3, #32                       \n" \
    "    cmp   r3, r8                        \n" \
    "    beq   2b                            \n" \
    "    add   r1, r4, #" ROWS_SIZE "        \n" \
    "    cmp   r3, r1                        \n" \
    "    itt   eq                            \n" \
    "    subeq r3, r3, #" ROWS_SIZE "        \n" \
    "    subeq r8, r8, #" ROWS_SIZE "        \n" \
    "    ldr   r1, [r4, #" PROBE "]          \n" \
    "    add   r6, r1                        \n" \
    "    ldr   r1, [r3, #" ROW_KEY "]        \n" \
    "    cmp   r1, r0                        \n" \
    "    bne   4b                            \n" \
    "    ldrb  r1, [r3, #" ROW_INDEX "]      \n" \
    "    cmp   r1, r7                        \n" \
    "    bne   4b                            \n" \
    "    b     8f                            \n" \
    "6:  b     2b                            \n" \
    "7:  ldrb  r1, [r3, #" ROW_INDEX "]      \n" \
    "    cmp   r1, r7                        \n" \
    "    bne   5b                            \n" \
    "11: ldr   r1, [r5, #20]                 \n" \
    "    cmp   sp, r1                        \n" \
    "    beq   2b                            \n" \
    "    subs  r0, #1                        \n" \
    "    ldrd  r1, r8, [r4, #" AGAIN_ENTER "]\n" \
    "    add   r6, r1                        \n" \
    "    add   r12, r8                       \n"

/* Its first time, the shortest or the longest yet; r5 is age - min. */
#define EXIT_EXTEND \
    "3:  cmp   r3, #" LONGEST "              \n" \
    "    bhs   10f                           \n" \
    "    add   r1, r2                        \n" \
    "    ldr   r2, [r4, #" EXTEND "]         \n" \
    "    add   r1, r2                        \n" \
    "    strex r2, r1, [r4, #" STOLEN "]     \n" \
    "    cmp   r2, #0                        \n" \
    "    bne   2b                            \n" \
    "    ldrb  r1, [r7, #25]                 \n" /* min_high */ \
    "    cmp   r1, #255                      \n" \
    "    itt   eq                            \n" \
    "    moveq r5, #0                        \n" \
    "    strbeq r5, [r7, #25]                \n" \
    "    beq   4f                            \n" \
    "    cmp   r5, #0                        \n" \
    "    bgt   5f                            \n" \
    "    sub   r5, lr, r5                    \n" \
    "4:  str   r3, [r7, #12]                 \n" \
    "5:  str   r5, [r7, #16]                 \n" \
    MORE \
    "    ldr   r2, [r4, #" EXTEND "]         \n" \
    "    add   r1, r2                        \n" \
    "    str   r1, [r5, #16]                 \n" \
    "    lsls  r1, r0, #31                   \n" \
    "    bmi   1b                            \n" \
    "    b     12f                           \n"

/* One that is open below, too: no total, and it stays open. */
#define EXIT_AGAIN \
    "6:  adds  r1, #1                        \n" \
    "    cmp   r1, r0                        \n" \
    "    bne   2b                            \n" \
    "    lsls  r1, r7, #30                   \n" \
    "    bne   2b                            \n" \
    "    subs  r0, #1                        \n" \
    "    ldrex r1, [r4, #" STOLEN "]         \n" \
    "    ldr   r3, [r3]                      \n" \
    "    subs  r3, r3, r1                    \n" \
    "    subs  r3, r3, r5                    \n" \
    "    sub   r12, r3, r12                  \n" \
    "    ldrd  r5, lr, [r7, #12]             \n" \
    "    subs  r5, r3, r5                    \n" \
    "    cmp   r5, lr                        \n" \
    "    bhi   3b                            \n" \
    "    add   r1, r2                        \n" \
    "    strex r2, r1, [r4, #" STOLEN "]     \n" \
    "    cmp   r2, #0                        \n" \
    "    bne   2b                            \n" \
    "12: ldrd  r0, r1, [r7]                  \n" \
    "    adds  r0, #1                        \n" \
    "    add   r1, r12                       \n" \
    "    strd  r0, r1, [r7]                  \n" \
    MORE \
    "    ldr   r2, [r4, #" AGAIN "]          \n" \
    "    add   r1, r2                        \n" \
    "    str   r1, [r5, #16]                 \n" \
    "    b     7b                            \n"

/* clang-format on */

/*
 * r0 function, r1 time, r2 clock, then row, r3 row less ROWS, r4 hot words,
 * r5 top, r6 limit, then stolen, r7 index, r8 epoch, r12 inner. The frame keeps
 * the stack pointer as it is behind the push.
 */
MCUPROF_KEEP __attribute__((naked)) void
__cyg_profile_func_enter(void *function __attribute__((unused)),
                         void *call_site __attribute__((unused)))
{
    /* clang-format off */
    __asm volatile(
        ".syntax unified                         \n"
        RING(MCUPROFI_RING_ENTER)
        "    push  {r4-r8, lr}                   \n"
        "    ldr   r4, 9f                        \n"
        "    ldm   r4, {r1-r3, r5-r8, r12}       \n"
        "    mrs   r1, ipsr                      \n"
        "    add   r1, r4                        \n"
        "    cmp   r1, r3                        \n"
        "    bne   2f                            \n"
        "    cmp   r5, r6                        \n"
        "    beq   2f                            \n"
        "    ldr   r1, [r5, #20]                 \n"
        "    cmp   sp, r1                        \n"
        "    bhi   2f                            \n"
        "    ldrex r6, [r4, #" STOLEN "]         \n"
        "    eor   r3, r0, r7, lsl #(" SLOTS_LOG2 " + 1)\n"
        "    ubfx  r3, r3, #4, #" SLOTS_LOG2 "   \n"
        "    add   r3, r4, r3, lsl #5            \n"
        "    ldr   r1, [r3, #" ROW_KEY "]        \n"
        "    cmp   r1, r0                        \n"
        "    bne   3f                            \n"
        "    ldrb  r1, [r3, #" ROW_INDEX "]      \n"
        "    cmp   r1, r7                        \n"
        "    bne   10f                           \n"
        "1:  ldr   r2, [r2]                      \n"
        "    subs  r1, r2, r6                    \n"
        "    subs  r7, r1, r8                    \n"
        "    bmi   2f                            \n"
        "    add   r2, r3, #" ROWS "             \n"
        "    add   r6, r12                       \n"
        "    strex r3, r6, [r4, #" STOLEN "]     \n"
        "    cbnz  r3, 2f                        \n"
        "    bic   r7, r0, #1                    \n"
        "    str   r7, [r2, #28]                 \n"
        "    adds  r5, #32                       \n"
        "    stm   r5, {r0-r3, lr}               \n"
        "    str   sp, [r5, #20]                 \n"
        "    str   r5, [r4, #12]                 \n"
        "    pop   {r4-r8, pc}                   \n"
        "2:  pop   {r4-r8, lr}                   \n"
        "    orr   r0, r0, #1                    \n"
        "    sub   r1, sp, #24                   \n"
        "    mov   r2, lr                        \n"
        "    b.w   mcuprofi_functions_enter_slow \n"
        ENTER_OTHER
        "8:  ldr   r8, [r4, #24]                 \n"
        "    b     1b                            \n"
        "    .balign 4                           \n"
        "9:  .word mcuprof_functions             \n");
    /* clang-format on */
}

/* r0 function, r3 clock, then age, r4 hot words, r6 top, r7 row, r12 self. */
MCUPROF_KEEP __attribute__((naked)) void
__cyg_profile_func_exit(void *function __attribute__((unused)),
                        void *call_site __attribute__((unused)))
{
    /* clang-format off */
    __asm volatile(
        ".syntax unified                         \n"
        RING(MCUPROFI_RING_EXIT)
        "    push  {r4-r7, lr}                   \n"
        "    ldr   r4, 11f                       \n"
        "    ldm   r4, {r2, r3, r5, r6}          \n"
        "    mrs   r1, ipsr                      \n"
        "    add   r1, r4                        \n"
        "    cmp   r1, r5                        \n"
        "    bne   2f                            \n"
        "    ldm   r6, {r1, r5, r7, r12}         \n"
        "    cmp   r1, r0                        \n"
        "    bne   6f                            \n"
        "    ldrex r1, [r4, #" STOLEN "]         \n"
        "    ldr   r3, [r3]                      \n"
        "    subs  r3, r3, r1                    \n"
        "    subs  r3, r3, r5                    \n"
        "    sub   r12, r3, r12                  \n"
        "9:  ldrd  r5, lr, [r7, #12]             \n"
        "    subs  r5, r3, r5                    \n"
        "    cmp   r5, lr                        \n"
        "    bhi   3f                            \n"
        "    add   r1, r2                        \n"
        "    strex r2, r1, [r4, #" STOLEN "]     \n"
        "    cbnz  r2, 2f                        \n"
        "1:  str   r0, [r7, #28]                 \n"
        "    ldm   r7, {r0-r2}                   \n"
        "    adds  r0, #1                        \n"
        "    add   r1, r12                       \n"
        "    add   r2, r3                        \n"
        "    stm   r7, {r0-r2}                   \n"
        "7:  ldr   r0, [r6, #-20]                \n"
        "    add   r0, r3                        \n"
        "    str   r0, [r6, #-20]                \n"
        "    subs  r6, #32                       \n"
        "    str   r6, [r4, #12]                 \n"
        "    pop   {r4-r7, pc}                   \n"
        "2:  pop   {r4-r7, lr}                   \n"
        "    orr   r0, r0, #1                    \n"
        "    sub   r1, sp, #24                   \n"
        "    b.w   mcuprofi_functions_exit_slow  \n"
        EXIT_EXTEND
        EXIT_AGAIN
        /* Costs that are a little too great: it took no time. */
        "10: cmn   r3, #256                      \n"
        "    blo   2b                            \n"
        "    cmp   r3, r12                       \n"
        "    bne   2b                            \n"
        "    movs  r3, #0                        \n"
        "    mov   r12, r3                       \n"
        "    b     9b                            \n"
        "    .balign 4                           \n"
        "11: .word mcuprof_functions             \n");
    /* clang-format on */
}

#elif !MCUPROFI_HOOKS_V6M

/* The same in C, for other cores and for tests. */
MCUPROFI_BARE int
mcuprofi_functions_is_fast(const struct mcuprofi_function_hot *hot)
{
    return hot->state.gate == (mcuprofi_word)hot + mcuprofi_ipsr();
}

/* Its row. probes: the ticks of those that were looked at before */
MCUPROFI_BARE struct mcuprofi_function_row *
mcuprofi_functions_fast_row(mcuprofi_word function, mcuprofi_word index,
                            uint32_t *probes)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    uint32_t at = mcuprofi_functions_hash(function, index);
    for (uint32_t i = 0; i < MCUPROFI_FUNCTIONS_PROBES; i++, at++) {
        struct mcuprofi_function_row *row =
                &t->rows[at & (MCUPROF_FUNCTIONS_SLOTS - 1u)];
        mcuprofi_word key = row->key;
        if ((key | 1u) == function && row->index == index) {
            return row;
        }
        if (key == 0) {
            break;
        }
        *probes += t->hot.probe;
    }
    return NULL;
}

MCUPROF_NO_INSTRUMENT static int
mcuprofi_functions_enter_fast(mcuprofi_word function, mcuprofi_word sp,
                              mcuprofi_word lr)
{
    struct mcuprofi_function_hot *hot = &mcuprof_functions.hot;
    const struct mcuprofi_function_head *head = &mcuprof_functions.head;
    struct mcuprofi_function_frame *top = hot->state.top;
    if (!mcuprofi_functions_is_fast(hot) || top == hot->state.limit
        || sp > top->sp) {
        return 0;
    }
    uint32_t probes = 0;
    struct mcuprofi_function_row *row =
            mcuprofi_functions_fast_row(function, hot->state.index, &probes);
    /* At the same stack pointer as one that is open it may be stale. */
    if (row == NULL || ((row->key & 1u) == 0 && sp == top->sp)) {
        return 0;
    }
    int is_again = (row->key & 1u) == 0;
    uint32_t more = is_again ? head->again_exit : 0;
    probes += is_again ? head->again_enter : 0;
    uint32_t stolen = (uint32_t)hot->stolen;
    uint32_t last;
    uint32_t now;
    int is_known = mcuprofi_functions_read(&last, &now);
    uint32_t v = now - stolen - probes;
    if (!is_known
        || !mcuprofi_swap(&hot->stolen, stolen,
                          (uint32_t)(stolen + probes + more + hot->inner))) {
        return 0;
    }
    top++;
    top->tag = is_again ? function - 1u : function;
    row->key = function - 1u;
    top->start = v;
    top->row = (mcuprofi_word)row;
    top->children = 0;
    top->lr = lr;
    top->sp = sp;
    mcuprofi_barrier();
    hot->state.top = top;
    return 1;
}

/* A call that is the first, the shortest or the longest yet. */
MCUPROFI_BARE void mcuprofi_functions_extend(struct mcuprofi_function_row *row,
                                             uint32_t age)
{
    if (row->min_high == MCUPROF_TABLE_ROW_NO_MIN) {
        row->min_high = 0;
        row->span = 0;
        row->min = age;
    } else if ((int32_t)(age - row->min) > 0) {
        row->span = age - row->min;
    } else {
        row->span += row->min - age;
        row->min = age;
    }
}

MCUPROF_NO_INSTRUMENT static int
mcuprofi_functions_exit_fast(mcuprofi_word function)
{
    struct mcuprofi_function_hot *hot = &mcuprof_functions.hot;
    const struct mcuprofi_function_head *head = &mcuprof_functions.head;
    struct mcuprofi_function_frame *top = hot->state.top;
    if (!mcuprofi_functions_is_fast(hot) || (top->tag | 1u) != function
        || (top->row & MCUPROF_TABLE_FRAME_SLOW) != 0) {
        return 0;
    }
    int is_again = (top->tag & 1u) == 0;
    uint32_t stolen = (uint32_t)hot->stolen;
    uint32_t last;
    uint32_t now;
    int is_known = mcuprofi_functions_read(&last, &now);
    uint32_t age = now - stolen - top->start;
    struct mcuprofi_function_row *row =
            (struct mcuprofi_function_row *)top->row;
    /* Costs that are a little too great: it took no time. */
    if (age >= 0xFFFFFF00u && top->children == 0) {
        age = 0;
    }
    int is_new = age - row->min > row->span;
    uint32_t more = is_new ? head->extend : 0;
    if (!is_known || age >= MCUPROFI_FUNCTIONS_LONGEST
        || !mcuprofi_swap(&hot->stolen, stolen,
                          (uint32_t)(stolen + more + hot->outer))) {
        return 0;
    }
    if (is_new) {
        mcuprofi_functions_extend(row, age);
    }
    more += is_again ? head->again : 0;
    hot->state.limit[-MCUPROF_FUNCTIONS_DEPTH].lr += more;
    row->calls++;
    row->self += age - top->children;
    if (!is_again) {
        row->key = function;
        row->total += age;
    }
    top[-1].children += age;
    mcuprofi_barrier();
    hot->state.top = top - 1;
    return 1;
}

MCUPROF_KEEP void mcuprofi_functions_enter(mcuprofi_word function,
                                           mcuprofi_word sp, mcuprofi_word lr)
{
    if (!mcuprofi_functions_enter_fast(function, sp, lr)) {
        mcuprofi_functions_enter_slow(function, sp, lr);
    }
}

MCUPROF_KEEP void mcuprofi_functions_exit(mcuprofi_word function,
                                          mcuprofi_word sp)
{
    if (!mcuprofi_functions_exit_fast(function)) {
        mcuprofi_functions_exit_slow(function, sp);
    }
}

#if defined(__GNUC__)
#define OWN_SP ((mcuprofi_word)__builtin_frame_address(0))
#define OWN_LR ((mcuprofi_word)__builtin_return_address(0))
#else
#define OWN_SP 0
#define OWN_LR 0
#endif

MCUPROF_KEEP void __cyg_profile_func_enter(void *function, void *call_site)
{
    (void)call_site;
#if MCUPROF_TRACE
    mcuprofi_ring_enter(function, call_site);
#endif
    mcuprofi_functions_enter((mcuprofi_word)function | 1u, OWN_SP, OWN_LR);
}

MCUPROF_KEEP void __cyg_profile_func_exit(void *function, void *call_site)
{
    (void)call_site;
#if MCUPROF_TRACE
    mcuprofi_ring_exit(function, call_site);
#endif
    mcuprofi_functions_exit((mcuprofi_word)function | 1u, OWN_SP);
}

#endif

#endif
