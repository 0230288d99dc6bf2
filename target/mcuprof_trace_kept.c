/* SPDX-License-Identifier: MIT */
/*
 * The ring that a boot before this one has left in memory that no reset clears:
 * it goes into the stream with that boot's HELLO, or is released.
 */
#include "mcuprof_ring.h"
#include "mcuprof_stream.h"
#include "mcuprof_trace_pack.h"

#if MCUPROF_ENABLED && MCUPROF_TRACE

int mcuprof_trace_kept(void)
{
    return mcuprofi_trace_has_kept;
}

void mcuprof_trace_release(void)
{
    if (mcuprofi_trace_has_kept) {
        mcuprof_trace.block.magic = 0;
        mcuprofi_trace_init();
    }
}

#if MCUPROF_STREAM

/* What is sent next. */
enum kept_step {
    KEPT_NOTHING,
    KEPT_HELLO,
    KEPT_RING,
    KEPT_FIRST,
    KEPT_RECORDS
};

static struct {
    struct mcuprofi_packer packer;
    uint32_t made; /* records before the next slot's */
    uint32_t left; /* slots to be looked at */
    uint32_t at;   /* number of the next one */
    enum kept_step step;
} kept;

/* Width and direction of that boot's clock. */
static void mcuprofi_use_kept_clock(uint8_t bits)
{
    kept.packer.mask = 0xFFFFFFFFu;
    kept.packer.flip = 0;
    if ((bits & 0x1Fu) != 0) {
        kept.packer.mask >>= 32u - (bits & 0x1Fu);
    }
    if (bits & MCUPROF_CLOCK_DOWN) {
        kept.packer.flip = kept.packer.mask;
    }
}

int mcuprof_trace_send_kept(void)
{
    const struct mcuprofi_block *b = &mcuprof_trace.block;
    uint32_t head = (uint32_t)((b->head - MCUPROFI_RING_BEGIN)
                               / MCUPROF_TRACE_RECORD_SIZE);
    if (!mcuprofi_trace_has_kept || !mcuprofi_stream.initialised) {
        return MCUPROF_ESTATE;
    }
    kept.left = head;
    kept.at = 0;
    kept.packer.context = MCUPROF_CONTEXT_THREAD;
    if (b->laps != 0) {
        kept.left = MCUPROF_TRACE_RING;
        kept.at = head % MCUPROF_TRACE_RING;
        kept.packer.context = 0xFFFFu; /* not known */
    }
    kept.made = (uint32_t)b->laps * MCUPROF_TRACE_RING + head - kept.left;
    mcuprofi_use_kept_clock(b->hello[MCUPROF_HELLO_CLOCK_BITS]);
    kept.step = KEPT_HELLO;
    return 0;
}

static uint8_t *mcuprofi_put_kept_ring(uint8_t *p)
{
    const struct mcuprofi_block *b = &mcuprof_trace.block;
    *p++ = b->state;
    *p++ = b->mode;
    p = mcuprofi_put16(p, 0);
    p = mcuprofi_put32(p, b->records);
    p = mcuprofi_put32(p, b->frozen_pc);
    p = mcuprofi_put32(p, b->frozen_lr);
    p = mcuprofi_put32(p, b->frozen_xpsr);
    p = mcuprofi_put32(p, b->fault);
    return mcuprofi_put32(p, 0);
}

static uint32_t mcuprofi_kept_word(void)
{
    return kept.left > 0 ? mcuprof_trace.slots[kept.at].word : 0;
}

static void mcuprofi_next_kept(void)
{
    kept.at = kept.at + 1u < MCUPROF_TRACE_RING ? kept.at + 1u : 0;
    kept.made++;
    kept.left--;
}

/* What nobody completed is a gap: the frame ends before it. */
static uint8_t *mcuprofi_put_kept_records(uint8_t *p)
{
    const uint8_t *end =
            p + MCUPROF_WIRE_PAYLOAD_MAX - MCUPROF_TRACE_PACKED_MAX;
    int is_first = kept.step != KEPT_RECORDS;
    while (kept.left > 0 && mcuprofi_kept_word() == 0) {
        mcuprofi_next_kept();
    }
    if (is_first && kept.left > 0) {
        kept.packer.time = mcuprofi_packer_up(
                &kept.packer, mcuprof_trace.slots[kept.at].time);
    }
    kept.step = KEPT_RECORDS;
    p = mcuprofi_pack_begin(p, &kept.packer, kept.made,
                            (uint32_t)mcuprof_trace.block.lost);
    while (mcuprofi_kept_word() != 0 && p <= end) {
        p = mcuprofi_pack_record(p, &kept.packer,
                                 mcuprof_trace.slots[kept.at].time,
                                 mcuprofi_kept_word());
        mcuprofi_next_kept();
    }
    return p;
}

uint8_t mcuprofi_trace_kept_frame(uint8_t *payload, uint8_t **end)
{
    if (!mcuprofi_trace_has_kept || kept.step == KEPT_NOTHING) {
        return 0;
    }
    if (kept.step == KEPT_HELLO) {
        kept.step = KEPT_RING;
        *end = mcuprofi_put_bytes(payload, mcuprof_trace.block.hello,
                                  MCUPROF_HELLO_SIZE);
        return MCUPROF_WIRE_HELLO;
    }
    if (kept.step == KEPT_RING) {
        kept.step = KEPT_FIRST;
        *end = mcuprofi_put_kept_ring(payload);
        return MCUPROF_WIRE_RING;
    }
    if (kept.left > 0) {
        *end = mcuprofi_put_kept_records(payload);
        return MCUPROF_WIRE_TRACE;
    }
    /* This boot again. */
    kept.step = KEPT_NOTHING;
    mcuprofi_stream.start = 1;
    mcuprofi_stream.due |= MCUPROFI_DUE_HELLO;
    return 0;
}

#else

int mcuprof_trace_send_kept(void)
{
    return MCUPROF_ESTATE;
}

#endif

#endif
