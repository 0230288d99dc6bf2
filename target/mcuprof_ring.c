/* SPDX-License-Identifier: MIT */
/*
 * The call ring's slow path. The hooks in assembly are its short cut; in C it
 * is all there is to it.
 *
 * A section is LDREX to STREX, or masked: whatever is taken in between makes
 * the STREX fail, and who fails looks again. Where it is masked, NMI and
 * HardFault record nothing. The rules, and what each is for:
 *
 * 1. The head moves only by a section, from what its decision was made on, and
 *    the section reads the clock: every slot has one owner, and the order of
 *    slots is that of times.
 * 2. `context` is an IPSR only while the last slot that was taken is that
 *    context's. To take one for another context's record, a section makes it
 *    PENDING, which is as good when the section fails: the next event then has
 *    one context record too many before it. A section of its own makes it an
 *    IPSR if the head still is where the record left it. So neither interrupt
 *    nor task switch, told or not, finds a value that is not so.
 * 3. From the head up to `limit` all slots may be written; the fast path
 *    looks at nothing else, and takes none from `limit` on. It is never too
 *    great: poll moves `stop` on, which leaves it too small, and whoever makes
 *    the head begin again has made it the ring's begin, unless all is free.
 *    Where it is too small the slow path sets it right, in a section of its
 * own.
 * 4. `laps` counts behind the section that begins again and before the first
 *    slot is written.
 * 5. A slot's word is written last. In stream mode poll clears the words that
 *    it has taken before it moves `stop`, and waits at one that is 0.
 * 6. Where there was no room, there is none until poll has taken all: it tells
 *    what was lost behind the last record before, and then moves `stop`.
 *
 * Retries are bounded: single-stepping ends every section, and some memory has
 * no monitor. Who gives up is a counted loss.
 */
#include "mcuprof_ring.h"

#if MCUPROF_ENABLED && MCUPROF_TRACE

#define TRIES MCUPROFI_RING_TRIES

#if MCUPROF_TRACE_KEEP && defined(__GNUC__)
__attribute__((section(MCUPROF_TRACE_SECTION)))
#endif
MCUPROF_VISIBLE struct mcuprofi_ring mcuprof_trace;

#if MCUPROF_TRACE_KEEP && defined(__GNUC__) && defined(__ELF__)
/* By this name `mcuprof lint` knows that nothing may clear it. */
extern MCUPROF_VISIBLE struct mcuprofi_ring mcuprof_trace_keep
        __attribute__((alias("mcuprof_trace")));
#endif

MCUPROF_VISIBLE struct mcuprof_control mcuprof_control;

#if defined(__ARM_ARCH)
#define BLOCK_HOLDS(member, offset)                                            \
    typedef char mcuprofi_check_block_##member                                 \
            [offsetof(struct mcuprofi_block, member) == (offset) ? 1 : -1]
BLOCK_HOLDS(context, MCUPROF_BLOCK_CONTEXT);
BLOCK_HOLDS(limit, MCUPROF_BLOCK_LIMIT);
BLOCK_HOLDS(head, MCUPROF_BLOCK_HEAD);
BLOCK_HOLDS(clock, MCUPROF_BLOCK_CLOCK);
BLOCK_HOLDS(magic, MCUPROF_BLOCK_MAGIC);
BLOCK_HOLDS(version, MCUPROF_BLOCK_VERSION);
BLOCK_HOLDS(size, MCUPROF_BLOCK_SIZE);
BLOCK_HOLDS(ring, MCUPROF_BLOCK_RING);
BLOCK_HOLDS(records, MCUPROF_BLOCK_RECORDS);
BLOCK_HOLDS(laps, MCUPROF_BLOCK_LAPS);
BLOCK_HOLDS(lost, MCUPROF_BLOCK_LOST);
BLOCK_HOLDS(state, MCUPROF_BLOCK_STATE);
BLOCK_HOLDS(mode, MCUPROF_BLOCK_MODE);
BLOCK_HOLDS(names, MCUPROF_BLOCK_NAMES);
BLOCK_HOLDS(names_at, MCUPROF_BLOCK_NAMES_AT);
BLOCK_HOLDS(generation, MCUPROF_BLOCK_GENERATION);
BLOCK_HOLDS(frozen_pc, MCUPROF_BLOCK_FROZEN_PC);
BLOCK_HOLDS(frozen_lr, MCUPROF_BLOCK_FROZEN_LR);
BLOCK_HOLDS(frozen_xpsr, MCUPROF_BLOCK_FROZEN_XPSR);
BLOCK_HOLDS(fault, MCUPROF_BLOCK_FAULT);
BLOCK_HOLDS(hello, MCUPROF_BLOCK_HELLO);
BLOCK_HOLDS(check, MCUPROF_BLOCK_CHECK);
typedef char mcuprofi_check_block_bytes
        [sizeof(struct mcuprofi_block) == MCUPROF_BLOCK_BYTES ? 1 : -1];
#endif

/* Adds by sections, or after so many anyhow. returns: what it was before */
__attribute__((noinline, no_instrument_function)) static mcuprofi_word
mcuprofi_ring_add(volatile mcuprofi_word *to, mcuprofi_word value)
{
    uint32_t tries = TRIES;
    mcuprofi_word before;
    uint32_t section;
    do {
        section = mcuprofi_enter();
        before = mcuprofi_take(to);
    } while (mcuprofi_give(section, to, before + value) != 0 && --tries > 0);
    if (tries == 0) {
        *to += value;
    }
    return before;
}

/* A context's record lies before `head`: says so, if it still is the last. */
MCUPROFI_BARE void mcuprofi_ring_publish(struct mcuprofi_block *b,
                                         mcuprofi_word head,
                                         mcuprofi_word pending,
                                         mcuprofi_word known)
{
    uint32_t failed;
    do {
        uint32_t section = mcuprofi_enter();
        if (mcuprofi_take(&b->context) != pending || b->head != head) {
            mcuprofi_leave(section);
            return;
        }
        failed = mcuprofi_give(section, &b->context, known);
    } while (failed);
}

/* `limit` as a lap begins: where it is not the ring's end, it is learnt. */
#if MCUPROF_STREAM
#define LIMIT_OF_LAP(r, at) (at)
#else
#define LIMIT_OF_LAP(r, at) ((r)->end)
#endif

/* What a decision was made on, and does not bear another value of. */
struct look {
    mcuprofi_word head;
    mcuprofi_word stop;
#if MCUPROFI_SECTION_MASKS
    mcuprofi_word limit; /* what it is then */
#endif
};

/*
 * Moves the head and reads the clock, unless anything has changed.
 *
 * at, next: the slots, and the head behind them
 * pending: what `context` becomes, 0: stays
 * returns: 1 if it has moved it
 */
#if MCUPROFI_SECTION_MASKS
typedef char mcuprofi_check_offset_of_stop
        [offsetof(struct mcuprofi_ring, stop) == 132 ? 1 : -1];

/* By hand, for what is masked must be short: 25 cycles on a Cortex-M0+. */
static __attribute__((naked, noinline, no_instrument_function)) int
mcuprofi_ring_claim_masked(const struct look *look __attribute__((unused)),
                           mcuprofi_word next __attribute__((unused)),
                           mcuprofi_word pending __attribute__((unused)),
                           uint32_t *time __attribute__((unused)))
{
    /* clang-format off */
    __asm volatile(
        ".syntax unified               \n"
        "    push  {r3-r7, lr}         \n"
        "    ldmia r0!, {r4-r6}        \n" /* head, stop, limit */
        "    ldr   r7, 4f              \n"
        "    ldr   r3, [r7, #12]       \n" /* clock */
        "    mrs   r0, primask         \n"
        "    mov   r12, r0             \n"
        "    cpsid i                   \n"
        "    ldr   r0, [r7, #8]        \n"
        "    cmp   r0, r4              \n"
        "    bne   3f                  \n"
        "    movs  r4, #132            \n"
        "    ldr   r0, [r7, r4]        \n"
        "    cmp   r0, r5              \n"
        "    bne   3f                  \n"
        "    str   r6, [r7, #4]        \n"
        "    cmp   r2, #0              \n"
        "    beq   1f                  \n"
        "    str   r2, [r7]            \n"
        "1:  str   r1, [r7, #8]        \n"
        "    ldr   r0, [r3]            \n"
        "    msr   primask, r12        \n"
        "    ldr   r3, [sp]            \n"
        "    str   r0, [r3]            \n"
        "    movs  r0, #1              \n"
        "    pop   {r3-r7, pc}         \n"
        "3:  msr   primask, r12        \n"
        "    movs  r0, #0              \n"
        "    pop   {r3-r7, pc}         \n"
        "    .balign 4                 \n"
        "4:  .word mcuprof_trace       \n");
    /* clang-format on */
}

MCUPROFI_BARE int mcuprofi_ring_claim(const struct mcuprofi_ring *r,
                                      struct look *look, mcuprofi_word at,
                                      mcuprofi_word next, mcuprofi_word pending,
                                      uint32_t *time)
{
    look->limit = at != look->head ? LIMIT_OF_LAP(r, at) : r->block.limit;
    return mcuprofi_ring_claim_masked(look, next, pending, time);
}
#else
MCUPROFI_BARE int mcuprofi_ring_claim(struct mcuprofi_ring *r,
                                      const struct look *look, mcuprofi_word at,
                                      mcuprofi_word next, mcuprofi_word pending,
                                      uint32_t *time)
{
    const volatile uint32_t *clock = r->block.clock;
    uint32_t section = mcuprofi_enter();
    if (mcuprofi_take_head(r) != look->head || r->stop != look->stop) {
        mcuprofi_leave(section);
        return 0;
    }
    if (pending != 0) {
        r->block.context = pending;
    }
    if (at != look->head) {
        r->block.limit = LIMIT_OF_LAP(r, at);
    }
    uint32_t now = *clock;
    if (mcuprofi_give_head(section, r, next) != 0) {
        return 0;
    }
    *time = now;
    return 1;
}
#endif

/* Not 0 if `context` is another than the one with this IPSR and number. */
MCUPROFI_BARE mcuprofi_word mcuprofi_ring_unknown(mcuprofi_word context,
                                                  mcuprofi_word ipsr,
                                                  uint32_t id)
{
    if (context == ipsr) {
        return 0;
    }
    return (context & ~(mcuprofi_word)MCUPROFI_CONTEXT_SLOW) ^ id;
}

/* There is no room, or never an end to it: that was all, or it counts. */
MCUPROFI_BARE void mcuprofi_ring_give_up(struct mcuprofi_ring *r,
                                         mcuprofi_word bytes, int is_full)
{
    if (is_full && r->block.mode != MCUPROF_TRACE_MODE_STREAM) {
        mcuprofi_trace_ends();
        return;
    }
    mcuprofi_word count = bytes / MCUPROF_TRACE_RECORD_SIZE;
#if MCUPROF_STREAM
    uint32_t now = *r->block.clock;
    r->lost_last = now;
    if (mcuprofi_ring_add(&r->block.lost, count) == r->told) {
        r->lost_first = now;
    }
#else
    (void)mcuprofi_ring_add(&r->block.lost, count);
#endif
}

/*
 * What `context` becomes if a context's record has to come first, 0 if none
 * has: its own is not the last one that is known, or a lap begins. There none
 * lies amid values.
 */
MCUPROFI_BARE mcuprofi_word mcuprofi_ring_pending(mcuprofi_word unknown,
                                                  uint32_t id, int begins)
{
    if (unknown == 0 && !begins) {
        return 0;
    }
    if (unknown == 0) {
        id |= MCUPROF_TRACE_CONTEXT_SAME;
    }
    return MCUPROFI_CONTEXT_PENDING | id;
}

/* Writes what was taken up to `next`. */
MCUPROFI_BARE void mcuprofi_ring_fill(struct mcuprofi_slot *slot,
                                      mcuprofi_word next, uint32_t word,
                                      const uint32_t *values)
{
    slot->word = word;
    while ((mcuprofi_word)++slot != next && values != NULL) {
        mcuprofi_ring_write(slot, *values++, MCUPROF_TRACE_VALUE << 24);
    }
#if MCUPROF_STREAM
    mcuprofi_ring_limit();
#endif
}

/* NMI and HardFault come into masked sections, too. */
MCUPROFI_BARE int mcuprofi_ring_is_barred(mcuprofi_word ipsr)
{
    return MCUPROFI_SECTION_MASKS && ipsr - 2u < 2u;
}

MCUPROF_KEEP int mcuprofi_ring_put(uint32_t word, const uint32_t *values,
                                   uint32_t bytes, mcuprofi_word ipsr)
{
    struct mcuprofi_ring *r = mcuprofi_ring();
    uint32_t id = mcuprofi_ring_context(r, ipsr);
    int is_full = 0;
    uint32_t tries = mcuprofi_ring_is_barred(ipsr) ? 0 : TRIES;
    for (; tries > 0; tries--) {
        struct look look;
        look.head = r->block.head;
        look.stop = r->stop;
        mcuprofi_word context = r->block.context;
        /* After the look: a clock that is no register is read here. */
        if (r->slow != 0 && !mcuprofi_trace_asks(word, tries)) {
            return 0;
        }
        mcuprofi_word at = look.head;
        uint32_t time = 0;
        if (at == r->end) {
            at = (mcuprofi_word)r->block.ring;
        }
        mcuprofi_word pending = mcuprofi_ring_pending(
                mcuprofi_ring_unknown(context, ipsr, id), id,
                at != look.head || at + bytes > r->end);
        mcuprofi_word take = pending != 0 ? 8 : bytes;
        mcuprofi_word next = at + take;
        is_full = look.head == look.stop || look.stop - at < take;
        if (is_full || take == 0) {
            break;
        }
        if (!mcuprofi_ring_claim(r, &look, at, next, pending, &time)) {
            continue;
        }
        if (at != look.head) {
            (void)mcuprofi_ring_add(&r->block.laps, 1);
        }
        struct mcuprofi_slot *slot = (struct mcuprofi_slot *)at;
        slot->time = time;
        mcuprofi_barrier();
        if (pending == 0) {
            mcuprofi_ring_fill(slot, next, word, values);
            return 1;
        }
        slot->word = MCUPROF_TRACE_CONTEXT << 24 | (uint32_t)pending;
        mcuprofi_ring_publish(&r->block, at + 8, pending,
                              r->slow ? MCUPROFI_CONTEXT_SLOW | id : ipsr);
    }
    if (bytes != 0) {
        mcuprofi_ring_give_up(r, bytes, is_full);
    }
    return 0;
}

MCUPROF_KEEP void mcuprofi_ring_slow(uint32_t word)
{
    (void)mcuprofi_ring_put(word, NULL, 8, mcuprofi_ipsr());
}

#endif
