/* SPDX-License-Identifier: MIT */
/*
 * The call ring in the stream: poll takes its records out and packs them, as
 * docs/wire.md has it.
 */
#include "mcuprof_ring.h"
#include "mcuprof_stream.h"
#include "mcuprof_trace_pack.h"

#if MCUPROF_ENABLED && MCUPROF_TRACE && MCUPROF_STREAM

/* Records that make a frame worth its 31 bytes around them... */
#define TRACE_BATCH                                                            \
    (MCUPROF_TRACE_RING / 4u < 64u ? MCUPROF_TRACE_RING / 4u : 64u)
/* ...or the part of a second after which fewer will do. */
#define TRACE_BATCH_WAITS 8u

static struct {
    struct mcuprofi_packer packer;
    mcuprofi_word tail;
    uint64_t ticks;        /* when the last frame was made */
    uint32_t sent;         /* since boot, LOST records too */
    uint32_t lost_before;  /* since boot, before this start */
    uint8_t is_on;         /* as last seen */
    volatile uint8_t gone; /* a task was deleted since the start */
} trace_stream;

static int mcuprofi_is_streaming(void)
{
    return mcuprof_trace.block.mode == MCUPROF_TRACE_MODE_STREAM;
}

static uint32_t mcuprofi_lost_records(void)
{
    return trace_stream.lost_before + (uint32_t)mcuprof_trace.block.lost;
}

/* The place that an address stands for: the end is where it begins. */
static mcuprofi_word mcuprofi_place_of(mcuprofi_word head)
{
    return head == MCUPROFI_RING_END ? MCUPROFI_RING_BEGIN : head;
}

/* Records from the tail up to a head. */
static uint32_t mcuprofi_waiting_to(mcuprofi_word head)
{
    mcuprofi_word place = mcuprofi_place_of(head);
    if (place < trace_stream.tail) {
        place += MCUPROFI_SLOTS(MCUPROF_TRACE_RING);
    }
    return (uint32_t)((place - trace_stream.tail) / MCUPROF_TRACE_RECORD_SIZE);
}

void mcuprofi_trace_stream_init(void)
{
    trace_stream.sent = 0;
    trace_stream.lost_before = 0;
    trace_stream.ticks = 0;
    trace_stream.is_on = 0;
}

void mcuprofi_trace_stream_reset(void)
{
    struct mcuprofi_block *b = &mcuprof_trace.block;
    trace_stream.lost_before = mcuprofi_lost_records();
    if (mcuprofi_is_streaming()) {
        trace_stream.lost_before += mcuprofi_waiting_to(b->head);
    }
    b->lost = 0;
    trace_stream.tail = MCUPROFI_RING_BEGIN;
    trace_stream.gone = 0;
    /* Though it may be off again when poll looks for the first time. */
    trace_stream.is_on = 1;
    /* TIMEs that wait are of a ring that is no more: what it held is lost. */
    for (unsigned i = 0; i < mcuprofi_stream.waiting; i++) {
        struct mcuprofi_checkpoint *c = &mcuprofi_stream.checkpoints[i];
        c->trace_head = MCUPROFI_RING_BEGIN;
        c->trace_produced = trace_stream.sent + c->trace_lost;
    }
    trace_stream.packer.mask = mcuprofi_stream.clock.mask;
    trace_stream.packer.flip = mcuprofi_stream.clock.flip;
    trace_stream.packer.time =
            mcuprofi_packer_up(&trace_stream.packer, mcuprofi_trace_clock());
    trace_stream.packer.context = MCUPROF_CONTEXT_THREAD;
}

void mcuprofi_trace_checkpoint(struct mcuprofi_checkpoint *checkpoint)
{
    const struct mcuprofi_block *b = &mcuprof_trace.block;
    const struct mcuprofi_clock *clock = &mcuprofi_stream.clock;
    checkpoint->trace_streams = (uint32_t)mcuprofi_is_streaming();
    checkpoint->trace_clock =
            (mcuprofi_stream.last ^ clock->flip) & clock->mask;
    do {
        checkpoint->trace_head = b->head;
        checkpoint->trace_lost = mcuprofi_lost_records();
        mcuprofi_barrier();
    } while (checkpoint->trace_head != b->head
             || checkpoint->trace_lost != mcuprofi_lost_records());
    checkpoint->trace_produced = trace_stream.sent
                                 + mcuprofi_waiting_to(checkpoint->trace_head)
                                 + checkpoint->trace_lost;
}

int mcuprofi_trace_is_packed(const struct mcuprofi_checkpoint *checkpoint)
{
    return !checkpoint->trace_streams
           || mcuprofi_place_of(checkpoint->trace_head) == trace_stream.tail;
}

uint8_t *mcuprofi_trace_put_time(uint8_t *p,
                                 const struct mcuprofi_checkpoint *checkpoint)
{
    if (!checkpoint->trace_streams) {
        return p;
    }
    *p++ = MCUPROF_ENGINE_TRACE;
    *p++ = MCUPROF_TIME_TRACE_SIZE;
    p = mcuprofi_put16(p, 0);
    p = mcuprofi_put32(p, checkpoint->trace_produced);
    p = mcuprofi_put32(p, checkpoint->trace_lost);
    return mcuprofi_put32(p, checkpoint->trace_clock);
}

/*
 * Who took a slot has yet to write it: an interrupt at once, a task that was
 * left in the middle of a hook when it runs again. One that was deleted there
 * never does, so nobody waits for it beyond three quarters of the ring, nor for
 * anybody once the ring is off.
 */
static int mcuprofi_is_abandoned(void)
{
    return !trace_stream.is_on
           || (trace_stream.gone
               && mcuprofi_waiting_to(mcuprof_trace.block.head)
                          >= MCUPROF_TRACE_RING - MCUPROF_TRACE_RING / 4u);
}

MCUPROF_KEEP void mcuprofi_trace_stream_gone(void)
{
    trace_stream.gone = 1;
}

/* Takes what is there up to `head` and fits before `end`. */
static uint8_t *mcuprofi_put_waiting(uint8_t *p, const uint8_t *end,
                                     mcuprofi_word head)
{
    struct mcuprofi_packer *packer = &trace_stream.packer;
    mcuprofi_word place = mcuprofi_place_of(head);
    while (trace_stream.tail != place && p <= end) {
        struct mcuprofi_slot *slot = (struct mcuprofi_slot *)trace_stream.tail;
        uint32_t word = slot->word;
        if (word == 0 && !mcuprofi_is_abandoned()) {
            break;
        }
        uint32_t time = slot->time;
        if (word == 0) {
            word = MCUPROF_TRACE_NEVER << 24;
            time = packer->time ^ packer->flip;
        }
        p = mcuprofi_pack_record(p, packer, time, word);
        slot->word = 0;
        trace_stream.sent++;
        trace_stream.tail = mcuprofi_place_of((mcuprofi_word)(slot + 1));
    }
    return p;
}

/* How far the head may go: one slot before the tail stays empty. */
static mcuprofi_word mcuprofi_stop_for_tail(void)
{
    mcuprofi_word after = trace_stream.tail;
    if (after == MCUPROFI_RING_BEGIN) {
        after = MCUPROFI_RING_END;
    }
    return after - MCUPROF_TRACE_RECORD_SIZE;
}

/*
 * Lets the fast path go as far as it may from where the head is, unless that
 * changes meanwhile: then the next time.
 */
MCUPROF_KEEP void mcuprofi_ring_limit(void)
{
    struct mcuprofi_ring *r = &mcuprof_trace;
    mcuprofi_word head = r->block.head;
    mcuprofi_word stop = r->stop;
    mcuprofi_word limit = stop;
    if (head > stop || stop > r->end) {
        limit = r->end;
    }
    if (r->block.limit == limit) {
        return;
    }
    uint32_t section = mcuprofi_enter();
    (void)mcuprofi_take(&r->block.limit);
    if (((r->block.head ^ head) | (r->stop ^ stop)) != 0) {
        mcuprofi_leave(section);
        return;
    }
    (void)mcuprofi_give(section, &r->block.limit, limit);
}

/*
 * Lets the head go on, if `lost` still is what it is told to be: `tells` says
 * so first, in the section that opens the ring.
 */
static int mcuprofi_move_stop(mcuprofi_word lost)
{
    struct mcuprofi_ring *r = &mcuprof_trace;
    uint32_t section = mcuprofi_enter();
    (void)mcuprofi_take(&r->stop);
    if (r->block.lost != lost) {
        mcuprofi_leave(section);
        return 0;
    }
    r->told = lost;
    if (mcuprofi_give(section, &r->stop, mcuprofi_stop_for_tail()) != 0) {
        return 0;
    }
    mcuprofi_ring_limit();
    return 1;
}

/* A time that may be another than it should be: between the last and now. */
static uint32_t mcuprofi_time_within(uint32_t time, uint32_t now,
                                     uint32_t else_time)
{
    const struct mcuprofi_packer *packer = &trace_stream.packer;
    uint32_t last = packer->time;
    uint32_t up = mcuprofi_packer_up(packer, time);
    int is_within = mcuprofi_packer_ticks(packer, last, up)
                    <= mcuprofi_packer_ticks(packer, last, now);
    return is_within ? up : else_time;
}

/*
 * LOST, behind all that was recorded before, and lets the head go on. Losses
 * into a ring that has room have no place of their own.
 */
static uint8_t *mcuprofi_put_lost(uint8_t *p)
{
    struct mcuprofi_ring *r = &mcuprof_trace;
    struct mcuprofi_packer *packer = &trace_stream.packer;
    mcuprofi_word told = r->told;
    uint32_t first = r->lost_first;
    mcuprofi_word lost;
    do {
        lost = r->block.lost;
    } while (!mcuprofi_move_stop(lost));
    uint32_t now = mcuprofi_packer_up(packer, mcuprofi_trace_clock());
    int is_empty = mcuprofi_place_of(r->block.head) == trace_stream.tail;
    first = is_empty ? mcuprofi_time_within(first, now, packer->time)
                     : packer->time;
    uint32_t last = mcuprofi_time_within(r->lost_last, now, first);
    uint32_t count = (uint32_t)(lost - told);
    if (count > MCUPROF_TRACE_ARGUMENT) {
        count = MCUPROF_TRACE_ARGUMENT;
    }
    p = mcuprofi_pack_record(p, packer, first ^ packer->flip,
                             MCUPROF_TRACE_LOST << 24 | count);
    p = mcuprofi_pack_record(p, packer, (last ^ packer->flip) & packer->mask,
                             MCUPROF_TRACE_VALUE << 24);
    trace_stream.sent += 2u;
    return p;
}

/*
 * A loss is told where all is taken: without room nothing came behind it. Not
 * before a TIME that may be of a moment before it; the last one is not.
 */
static int mcuprofi_may_tell(const struct mcuprofi_checkpoint *checkpoint)
{
    const struct mcuprofi_ring *r = &mcuprof_trace;
    if (checkpoint != NULL
        && (trace_stream.is_on || mcuprofi_stream.waiting > 1)) {
        return 0;
    }
    return r->block.head != r->stop
           || mcuprofi_place_of(r->block.head) == trace_stream.tail;
}

/* Whether so many records, or a loss, are worth a frame now. */
static int mcuprofi_is_trace_due(uint32_t count, int is_told,
                                 const struct mcuprofi_checkpoint *checkpoint)
{
    if (count == 0) {
        return !is_told && mcuprofi_may_tell(checkpoint);
    }
    return checkpoint != NULL || !is_told || count >= TRACE_BATCH
           || !trace_stream.is_on
           || mcuprofi_stream.ticks - trace_stream.ticks
                      >= mcuprofi_stream.clock.hz / TRACE_BATCH_WAITS;
}

uint8_t *mcuprofi_trace_pack(uint8_t *p, struct mcuprofi_checkpoint *checkpoint)
{
    const struct mcuprofi_ring *r = &mcuprof_trace;
    mcuprofi_word head = r->block.head;
    uint32_t lost = mcuprofi_lost_records();
    uint8_t *end = p + MCUPROF_WIRE_PAYLOAD_MAX - 2 * MCUPROF_TRACE_PACKED_MAX;
    int is_told = r->told == r->block.lost;
    /* Of before the start, as its head: nothing goes before that TIME. */
    if (checkpoint != NULL) {
        head = checkpoint->trace_head;
        lost = checkpoint->trace_lost;
        if (!checkpoint->trace_streams) {
            return NULL;
        }
    }
    if (!mcuprofi_is_streaming()
        || !mcuprofi_is_trace_due(mcuprofi_waiting_to(head), is_told,
                                  checkpoint)) {
        return NULL;
    }
    uint32_t sent = trace_stream.sent;
    p = mcuprofi_pack_begin(p, &trace_stream.packer, sent, lost);
    p = mcuprofi_put_waiting(p, end, head);
    if (is_told) {
        (void)mcuprofi_move_stop(r->told);
    } else if (p <= end && mcuprofi_may_tell(checkpoint)) {
        p = mcuprofi_put_lost(p);
        if (checkpoint != NULL) {
            checkpoint->trace_produced += 2u;
        }
    }
    /* One that had found no room may have it now. */
    if (mcuprof_control.gate == &mcuprof_control) {
        mcuprofi_trace_tell_rate();
    }
    trace_stream.ticks = mcuprofi_stream.ticks;
    return trace_stream.sent != sent ? p : NULL;
}

int mcuprofi_trace_poll(void)
{
    int is_on = mcuprof_control.gate == &mcuprof_control;
    int was_on = trace_stream.is_on;
    trace_stream.is_on = (uint8_t)is_on;
    mcuprofi_trace_keep();
    if (!mcuprofi_is_streaming()) {
        return 0;
    }
    if (mcuprofi_trace_has_news()) {
        mcuprofi_stream.due |= MCUPROFI_DUE_HELLO;
    }
    return is_on ? 1 : 2 * was_on;
}

#endif
