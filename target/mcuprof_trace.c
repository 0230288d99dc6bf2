/* SPDX-License-Identifier: MIT */
/*
 * The call ring's thread side: start, stop, freeze, and what is kept over a
 * reset. mcuprof_ring.c says how the hooks share the ring.
 */
#include "mcuprof_ring.h"
#include "mcuprof_stream.h"

#if MCUPROF_ENABLED && MCUPROF_TRACE

/* MLSPERR, MSTKERR, LSPERR, STKERR of CFSR: ARMv7-M ARM, B3.2.15. */
#define MCUPROFI_CFSR_STACKING 0x3030u
/* No RAM lies below it: tightly coupled memory begins at 0x10000000. */
#define MCUPROFI_CODE_END 0x10000000u

/* What this boot knows, whatever the memory of the ring holds. */
static struct {
    uint8_t started;
    uint8_t identity;              /* flags of the identity that HELLO has */
    volatile uint32_t hz;          /* of the clock as it was last recorded */
    volatile uint8_t rate_is_news; /* HELLO is to say it, no record does */
    uint64_t sync_ticks;           /* of the last SYNC */
} trace_state;

uint8_t mcuprofi_trace_has_kept;

static uint32_t mcuprofi_address_of(void (*function)(void))
{
    return (uint32_t)(uintptr_t)function;
}

static uint32_t mcuprofi_block_check(const struct mcuprofi_block *b)
{
    uint32_t crc =
            mcuprofi_crc32(0, (const uint8_t *)&b->magic,
                           offsetof(struct mcuprofi_block, laps)
                                   - offsetof(struct mcuprofi_block, magic));
    return mcuprofi_crc32(crc, (const uint8_t *)&b->generation,
                          sizeof(b->generation));
}

static int mcuprofi_has_records(const struct mcuprofi_block *b)
{
    return b->laps != 0 || b->head != MCUPROFI_RING_BEGIN;
}

/* Whether memory that was not cleared holds a ring of ours that was in use. */
static int mcuprofi_block_is_whole(const struct mcuprofi_block *b)
{
    return b->magic == MCUPROF_BLOCK_MAGIC_VALUE
           && b->version == MCUPROF_BLOCK_VERSION_VALUE
           && b->size == MCUPROF_BLOCK_BYTES
           && (mcuprofi_word)b->ring == MCUPROFI_RING_BEGIN
           && b->records == MCUPROF_TRACE_RING
           && b->check == mcuprofi_block_check(b)
           && b->head >= MCUPROFI_RING_BEGIN && b->head <= MCUPROFI_RING_END
           && (b->head - MCUPROFI_RING_BEGIN) % MCUPROF_TRACE_RECORD_SIZE == 0
           && mcuprofi_has_records(b);
}

MCUPROFI_BARE int mcuprofi_is_recording(void)
{
    return mcuprof_control.gate == &mcuprof_control && !mcuprofi_trace_has_kept;
}

static void mcuprofi_open_gate(void)
{
    mcuprofi_barrier();
    mcuprof_control.gate = &mcuprof_control;
    mcuprofi_functions_with_ring();
}

/* Whatever closes it tells the function table what hooks cost then. */
MCUPROF_NO_INSTRUMENT static void mcuprofi_close_gate(void)
{
    mcuprof_control.gate = NULL;
    mcuprofi_functions_with_ring();
}

MCUPROF_KEEP int mcuprofi_trace_is_open(void)
{
    return mcuprofi_is_recording();
}

/* Where the hooks read the time; 0 if there is nothing to read. */
static int mcuprofi_use_clock(void)
{
    const struct mcuprofi_clock *clock = &mcuprofi_stream.clock;
    struct mcuprofi_ring *r = &mcuprof_trace;
    r->block.clock = &r->now;
    if (!mcuprofi_stream_has_clock()) {
        return 0;
    }
    if (clock->adds_up) {
        mcuprofi_trace_slow(MCUPROFI_SLOW_CLOCK, 0);
    } else {
        mcuprofi_trace_slow(0, MCUPROFI_SLOW_CLOCK);
        r->block.clock = clock->reg;
    }
    return 1;
}

MCUPROF_KEEP uint32_t mcuprofi_trace_clock(void)
{
    const struct mcuprofi_clock *clock = &mcuprofi_stream.clock;
    if (!clock->adds_up) {
        return *clock->reg;
    }
    return (mcuprofi_stream_now() ^ clock->flip) & clock->mask;
}

static mcuprofi_word mcuprofi_first_stop(uint8_t mode)
{
    switch (mode) {
    case MCUPROF_TRACE_MODE_STREAM:
        /* One slot stays empty. */
        return MCUPROFI_RING_END - MCUPROF_TRACE_RECORD_SIZE;
    case MCUPROF_TRACE_MODE_ONE_SHOT:
        return MCUPROFI_RING_END;
    default:
        return MCUPROFI_RING_NEVER;
    }
}

void mcuprofi_trace_reset(uint8_t mode)
{
    struct mcuprofi_ring *r = &mcuprof_trace;
    struct mcuprofi_block *b = &r->block;
    b->magic = 0;
    mcuprofi_barrier();
    b->context = MCUPROFI_CONTEXT_NONE;
    b->version = MCUPROF_BLOCK_VERSION_VALUE;
    b->size = MCUPROF_BLOCK_BYTES;
    b->ring = r->slots;
    b->records = MCUPROF_TRACE_RING;
    b->laps = 0;
    b->lost = 0;
    b->state = MCUPROF_TRACE_STATE_OFF;
    b->mode = mode;
    b->names = MCUPROF_CONTEXTS;
    b->names_at = mcuprofi_stream.names;
    b->generation++;
    b->frozen_pc = 0;
    b->frozen_lr = 0;
    b->frozen_xpsr = 0;
    b->fault = 0;
    b->head = MCUPROFI_RING_BEGIN;
    r->end = MCUPROFI_RING_END;
    r->stop = mcuprofi_first_stop(mode);
    b->limit = r->stop < r->end ? r->stop : r->end;
    r->told = 0;
    if (mode == MCUPROF_TRACE_MODE_STREAM) {
        mcuprofi_clear(r->slots, sizeof(r->slots));
    }
    mcuprofi_trace_select_reset();
    mcuprofi_barrier();
    b->magic = MCUPROF_BLOCK_MAGIC_VALUE;
    b->check = mcuprofi_block_check(b);
}

/* The rate in the block's HELLO is that of the last record; in one piece. */
static void mcuprofi_put_rate(void)
{
    uint8_t *at = mcuprof_trace.block.hello + MCUPROF_HELLO_CLOCK_HZ;
    uint32_t hz;
    do {
        hz = trace_state.hz;
        *(volatile uint32_t *)(void *)at = hz;
    } while (hz != trace_state.hz);
}

/* From here on. */
static void mcuprofi_use_rate(uint32_t hz)
{
    trace_state.hz = hz;
    mcuprofi_put_rate();
}

/* Nothing was recorded at the rate before: it is HELLO's from the begin on. */
static void mcuprofi_begin_with_rate(uint32_t hz)
{
    mcuprofi_use_rate(hz);
#if MCUPROF_STREAM
    if (mcuprofi_stream.first_hz != 0) {
        mcuprofi_stream.first_hz = hz;
    }
    trace_state.rate_is_news = 1;
#endif
}

/*
 * Records another rate, if it is another. Where there is no room, nothing
 * follows that would have it; in a stream it is recorded when there is.
 */
void mcuprofi_trace_tell_rate(void)
{
    uint32_t rates[2];
    do {
        rates[0] = mcuprofi_stream.clock.hz;
        rates[1] = trace_state.hz;
        if (rates[0] == rates[1]) {
            return;
        }
        if (mcuprofi_ring_put(MCUPROF_TRACE_CLOCK << 24, rates,
                              MCUPROFI_SLOTS(3), mcuprofi_ipsr())) {
            mcuprofi_use_rate(rates[0]);
        } else if (!mcuprofi_has_records(&mcuprof_trace.block)) {
            mcuprofi_begin_with_rate(rates[0]);
        } else {
            return;
        }
        /* An interrupt may have changed it, and recorded that before. */
    } while (mcuprofi_stream.clock.hz != rates[0]);
}

/* The block's copy; a dump of it begins a capture. */
void mcuprofi_trace_put_hello(void)
{
    uint8_t *hello = mcuprof_trace.block.hello;
    (void)mcuprofi_put_hello(hello);
    hello[MCUPROF_HELLO_FLAGS] |= MCUPROF_HELLO_START;
    mcuprofi_put_rate();
    trace_state.identity = mcuprofi_stream.identity.flags;
}

/* SYNC, but not so near a wrap that it could be behind it. */
static void mcuprofi_put_sync(void)
{
    const struct mcuprofi_clock *clock = &mcuprofi_stream.clock;
    uint64_t ticks = mcuprofi_stream.ticks;
    uint32_t up = mcuprofi_stream.last & clock->mask;
    if (ticks - trace_state.sync_ticks < clock->mask / 4u
        || clock->mask - up < clock->mask / 16u) {
        return;
    }
    trace_state.sync_ticks = ticks;
    /* Since the clock was 0, not since init. */
    ticks += (up - (uint32_t)ticks) & clock->mask;
    ticks >>= clock->bits & (uint8_t)~MCUPROF_CLOCK_DOWN;
    (void)mcuprofi_ring_put(
            MCUPROF_TRACE_SYNC << 24
                    | ((uint32_t)ticks & MCUPROF_TRACE_ARGUMENT),
            NULL, MCUPROFI_SLOTS(1), mcuprofi_ipsr());
}

#if MCUPROF_STREAM
int mcuprofi_trace_has_news(void)
{
    int is_news = trace_state.rate_is_news;
    trace_state.rate_is_news = 0;
    return is_news;
}
#endif

void mcuprofi_trace_keep(void)
{
    if (mcuprofi_trace_has_kept) {
        return;
    }
    if (trace_state.identity != mcuprofi_stream.identity.flags) {
        mcuprofi_trace_put_hello();
    }
    if (mcuprofi_is_recording()
        && mcuprof_trace.block.mode != MCUPROF_TRACE_MODE_STREAM) {
        mcuprofi_trace_tell_rate();
        mcuprofi_put_sync();
    }
}

void mcuprofi_trace_init(void)
{
    struct mcuprofi_ring *r = &mcuprof_trace;
    mcuprof_control.gate = NULL;
    trace_state.started = 0;
    if (MCUPROF_FUNCTIONS) {
        mcuprofi_trace_costs.measured = 0;
    }
    mcuprofi_trace_has_kept =
            MCUPROF_TRACE_KEEP && mcuprofi_block_is_whole(&r->block);
    r->task = MCUPROF_CONTEXT_THREAD;
#if MCUPROF_STREAM
    mcuprofi_trace_stream_init();
#endif
    mcuprofi_trace_arm(0, 0, 0, 0);
    if (mcuprofi_trace_has_kept) {
        r->slow = MCUPROFI_SLOW_KEPT;
        r->block.state |= MCUPROF_TRACE_STATE_KEPT;
        r->block.context = MCUPROFI_CONTEXT_NONE;
        return;
    }
    r->slow = MCUPROFI_SLOW_OFF;
#ifdef MCUPROF_CONTEXT_ID
    r->slow |= MCUPROFI_SLOW_PULL;
#endif
    /* A debugger may open the gate. */
    mcuprofi_trace_reset(MCUPROF_TRACE_MODE_FLIGHT);
    if (!mcuprofi_use_clock()) {
        r->stop = r->block.head;
    }
    trace_state.hz = mcuprofi_stream.clock.hz;
    mcuprofi_trace_put_hello();
}

static int mcuprofi_check_start(unsigned mode)
{
    if (!mcuprofi_stream.initialised || mcuprofi_is_recording()) {
        return MCUPROF_ESTATE;
    }
    if (mcuprofi_trace_has_kept
        || (mcuprofi_functions_counts() && !mcuprofi_trace_costs.measured)) {
        return MCUPROF_EBUSY;
    }
    if (mode > MCUPROF_TRACE_MODE_STREAM
        || (mode == MCUPROF_TRACE_MODE_STREAM && !MCUPROF_STREAM)) {
        return MCUPROF_EINVAL;
    }
    mcuprofi_stream_lend_clock();
    return mcuprofi_use_clock() ? 0 : MCUPROF_ETIMER;
}

int mcuprof_trace_start(const struct mcuprof_trace_config *config)
{
    static const struct mcuprof_trace_config defaults = {0, 0, NULL, NULL, 0};
    const struct mcuprof_trace_config *c = config != NULL ? config : &defaults;
    int error = mcuprofi_check_start(c->mode);
    if (error != 0) {
        return error;
    }
#if MCUPROF_STREAM
    mcuprofi_trace_stream_reset();
#endif
    /* With all that makes hooks slow from here on, but for filters. */
    mcuprofi_trace_arm(0, mcuprofi_address_of(c->trigger_at), 0, c->depth);
    mcuprofi_trace_slow(0, MCUPROFI_SLOW_FILTER);
    if (!mcuprofi_functions_counts()) {
        mcuprofi_trace_measure();
    }
    mcuprofi_trace_reset(c->mode);
    mcuprofi_trace_arm(mcuprofi_address_of(c->start_at),
                       mcuprofi_address_of(c->trigger_at),
                       c->keep != 0 ? c->keep : MCUPROF_TRACE_RING / 2u,
                       c->depth);
    trace_state.hz = mcuprofi_stream.clock.hz;
    mcuprofi_trace_put_hello();
#if MCUPROF_STREAM
    if (c->mode == MCUPROF_TRACE_MODE_STREAM) {
        mcuprofi_stream.first_hz = trace_state.hz;
    }
#endif
    trace_state.started = 1;
    trace_state.rate_is_news = 0;
    trace_state.sync_ticks = mcuprofi_stream_ticks();
    mcuprof_trace.block.state = c->start_at != NULL
                                        ? MCUPROF_TRACE_STATE_ARMED
                                        : MCUPROF_TRACE_STATE_RUNNING;
    mcuprofi_open_gate();
    mcuprofi_stream_trace_begins();
    return 0;
}

MCUPROF_KEEP void mcuprofi_trace_ends(void)
{
    /* Not of one that was frozen meanwhile. */
    if (mcuprofi_is_recording()) {
        mcuprofi_close_gate();
        mcuprof_trace.block.state = MCUPROF_TRACE_STATE_FULL;
    }
}

int mcuprof_trace_stop(void)
{
    if (!mcuprofi_is_recording()) {
        return MCUPROF_ESTATE;
    }
    mcuprofi_close_gate();
    mcuprof_trace.block.state = MCUPROF_TRACE_STATE_OFF;
    mcuprofi_trace_slow(MCUPROFI_SLOW_OFF, 0);
    return 0;
}

/* Whether there is something to go on with. */
MCUPROFI_BARE int mcuprofi_may_resume(const struct mcuprofi_block *b)
{
    if (!trace_state.started || mcuprofi_is_recording()
        || b->state >= MCUPROF_TRACE_STATE_FROZEN) {
        return 0;
    }
    return b->state != MCUPROF_TRACE_STATE_FULL
           || b->mode != MCUPROF_TRACE_MODE_ONE_SHOT;
}

#if MCUPROF_FUNCTIONS
int mcuprofi_trace_pause(void)
{
    if (!mcuprofi_is_recording()) {
        return 0;
    }
    mcuprofi_close_gate();
    return 1;
}

/* As it was, triggers and all; unless it has been frozen meanwhile. */
void mcuprofi_trace_go_on(void)
{
    if (mcuprof_trace.block.state < MCUPROF_TRACE_STATE_FROZEN) {
        (void)mcuprofi_ring_put(MCUPROF_TRACE_CUT << 24, NULL,
                                MCUPROFI_SLOTS(1), mcuprofi_ipsr());
        mcuprofi_open_gate();
    }
}
#endif

int mcuprof_trace_resume(void)
{
    struct mcuprofi_ring *r = &mcuprof_trace;
    if (!mcuprofi_may_resume(&r->block)) {
        return MCUPROF_ESTATE;
    }
    if (r->block.mode == MCUPROF_TRACE_MODE_FLIGHT) {
        r->stop = MCUPROFI_RING_NEVER;
        mcuprofi_trace_slow(0, MCUPROFI_SLOW_LAST);
    }
    mcuprofi_trace_slow(0, MCUPROFI_SLOW_OFF);
    mcuprofi_trace_select_reset();
    r->block.state = (r->slow & MCUPROFI_SLOW_ARMED) != 0
                             ? MCUPROF_TRACE_STATE_ARMED
                             : MCUPROF_TRACE_STATE_RUNNING;
    /* Before the gate is open, and so before all that follows. */
    (void)mcuprofi_ring_put(MCUPROF_TRACE_CUT << 24, NULL, MCUPROFI_SLOTS(1),
                            mcuprofi_ipsr());
    mcuprofi_trace_tell_rate();
    mcuprofi_open_gate();
    /* An interrupt may have changed it before it found the gate open. */
    mcuprofi_trace_tell_rate();
    return 0;
}

/* `keep` records on from the head, where the mode can go there. */
MCUPROFI_BARE mcuprofi_word mcuprofi_stop_after(mcuprofi_word head,
                                                uint32_t keep)
{
    uint32_t at = (uint32_t)((head - MCUPROFI_RING_BEGIN)
                             / MCUPROF_TRACE_RECORD_SIZE);
    if (keep > MCUPROF_TRACE_RING - 1u) {
        keep = MCUPROF_TRACE_RING - 1u;
    }
    at += keep;
    if (at > MCUPROF_TRACE_RING) {
        int wraps = mcuprof_trace.block.mode == MCUPROF_TRACE_MODE_FLIGHT;
        at = wraps ? at - MCUPROF_TRACE_RING : MCUPROF_TRACE_RING;
    }
    return MCUPROFI_RING_BEGIN + (mcuprofi_word)MCUPROFI_SLOTS(at);
}

MCUPROF_KEEP void mcuprof_trace_trigger(uint32_t keep)
{
    struct mcuprofi_ring *r = &mcuprof_trace;
    struct mcuprofi_block *b = &r->block;
    if (!mcuprofi_is_recording() || b->state != MCUPROF_TRACE_STATE_RUNNING
        || b->mode == MCUPROF_TRACE_MODE_STREAM) {
        return;
    }
    b->state = MCUPROF_TRACE_STATE_TRIGGERED;
    /* From here on no context becomes fast. */
    mcuprofi_trace_slow(MCUPROFI_SLOW_LAST, MCUPROFI_SLOW_TRIGGER);
    for (uint32_t tries = MCUPROFI_RING_TRIES; tries > 0; tries--) {
        mcuprofi_word head = b->head;
        mcuprofi_word stop = mcuprofi_stop_after(head, keep);
        uint32_t section = mcuprofi_enter();
        (void)mcuprofi_take(&r->stop);
        if (b->head != head) {
            mcuprofi_leave(section);
        } else if (mcuprofi_give(section, &r->stop, stop) == 0) {
            return;
        }
    }
}

/* Stops for good what was started, unless it had been stopped so before. */
MCUPROFI_BARE int mcuprofi_trace_freeze(uint8_t state)
{
    struct mcuprofi_block *b = &mcuprof_trace.block;
    int was_on = mcuprofi_is_recording();
    mcuprofi_close_gate();
    if (!was_on
        && (!trace_state.started || b->state >= MCUPROF_TRACE_STATE_FROZEN)) {
        return 0;
    }
    b->state = state;
    return 1;
}

MCUPROF_KEEP void mcuprof_freeze(void)
{
    if (mcuprofi_trace_freeze(MCUPROF_TRACE_STATE_FROZEN)) {
#if defined(__GNUC__)
        mcuprof_trace.block.frozen_pc =
                (uint32_t)(uintptr_t)__builtin_return_address(0) & ~1u;
#endif
    }
}

/*
 * Whether a frame may be read: what could not be stacked is not there, and the
 * pointer to it may be anything (ARMv7-M ARM, B1.5.6). Another security state's
 * is not ours.
 */
MCUPROFI_BARE int mcuprofi_is_readable(const uint32_t *frame,
                                       uint32_t exc_return, uint32_t status)
{
    uint32_t at = (uint32_t)(uintptr_t)frame;
    return (status & MCUPROFI_CFSR_STACKING) == 0 && at % 4u == 0
           && at >= MCUPROFI_CODE_END && at < MCUPROF_TRACE_SPECIAL
           && mcuprofi_foreign_pc(exc_return) == 0;
}

MCUPROF_KEEP void mcuprofi_fault(const uint32_t *frame, uint32_t exc_return)
{
    struct mcuprofi_block *b = &mcuprof_trace.block;
    uint32_t status = mcuprof_port_fault();
    if (!mcuprofi_trace_freeze(MCUPROF_TRACE_STATE_FAULT)) {
        return;
    }
    b->fault = status;
    if (mcuprofi_is_readable(frame, exc_return, status)) {
        b->frozen_pc = frame[MCUPROFI_FRAME_PC];
        b->frozen_lr = frame[MCUPROFI_FRAME_PC - 1];
        b->frozen_xpsr = frame[MCUPROFI_FRAME_XPSR];
    }
}

MCUPROF_KEEP void mcuprof_mark(uint32_t id, uint32_t value)
{
    if (mcuprofi_is_recording()) {
        (void)mcuprofi_ring_put(MCUPROF_TRACE_MARK << 24
                                        | (id & MCUPROF_TRACE_ARGUMENT),
                                &value, MCUPROFI_SLOTS(2), mcuprofi_ipsr());
    }
}

MCUPROF_KEEP void mcuprof_clock_changed(uint32_t hz)
{
    mcuprofi_stream.clock.hz = hz;
    if (mcuprofi_is_recording()) {
        mcuprofi_trace_tell_rate();
    } else if (!mcuprofi_trace_has_kept
               && !mcuprofi_has_records(&mcuprof_trace.block)) {
        mcuprofi_use_rate(hz);
    }
}

MCUPROF_KEEP void mcuprofi_trace_gone(unsigned context)
{
#if MCUPROF_STREAM
    mcuprofi_trace_stream_gone();
#endif
    if (mcuprofi_is_recording() && context <= 0xFFFFu) {
        (void)mcuprofi_ring_put(MCUPROF_TRACE_GONE << 24 | context, NULL,
                                MCUPROFI_SLOTS(1), mcuprofi_ipsr());
    }
    mcuprofi_trace_select_gone(context);
}

MCUPROF_KEEP void mcuprofi_trace_switch(uint32_t context)
{
    mcuprof_trace.task = context;
    mcuprof_trace.block.context = MCUPROFI_CONTEXT_NONE;
    mcuprofi_barrier();
    if (mcuprofi_is_recording()) {
        (void)mcuprofi_ring_put(MCUPROF_TRACE_CONTEXT << 24, NULL, 0, 0);
    }
}

#endif
