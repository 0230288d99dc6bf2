/* SPDX-License-Identifier: MIT */
/*
 * What mcuprof_poll() sends.
 *
 * Order on the wire: HELLO, BUILD, CONTEXT, then samples, HOTSPOTS and TIME. A
 * TIME is a checkpoint: it is taken at one moment and sent after every sample
 * that was produced before that moment, and before every later one.
 */
#include "mcuprof_stream.h"
#include "mcuprof_hotspots.h"

#if MCUPROF_ENABLED && MCUPROF_STREAM

/* Samples that make a frame worth its 19 bytes around them... */
#define BATCH (MCUPROF_SAMPLE_RING / 4u < 64u ? MCUPROF_SAMPLE_RING / 4u : 64u)
/* ...or the part of a second after which fewer will do. */
#define BATCH_WAITS 8u

static uint8_t *mcuprofi_frame_begin(uint8_t type)
{
    mcuprofi_stream.frame[2] = type;
    uint8_t *payload =
            mcuprofi_put16(mcuprofi_stream.frame + 3, mcuprofi_stream.seq);
    mcuprofi_stream.seq++;
    return payload;
}

static void mcuprofi_frame_end(const uint8_t *end)
{
    size_t raw = (size_t)(end - (mcuprofi_stream.frame + 2));
    mcuprofi_stream.frame_size =
            (uint16_t)mcuprofi_frame_finish(mcuprofi_stream.frame, raw);
    mcuprofi_stream.frame_sent = 0;
}

static uint8_t *put_bytes(uint8_t *to, const void *from, size_t size)
{
    const uint8_t *p = (const uint8_t *)from;
    for (size_t i = 0; i < size; i++) {
        to[i] = p[i];
    }
    return to + size;
}

static size_t text_length(const char *text, size_t max)
{
    size_t n = 0;
    while (n < max && text[n] != '\0') {
        n++;
    }
    return n;
}

static uint8_t ring_log2(void)
{
    uint8_t n = 0;
    while ((1u << n) < MCUPROF_SAMPLE_RING) {
        n++;
    }
    return n;
}

static uint8_t sampler_flags(void)
{
    uint8_t flags = 0;
    if (mcuprofi_stream.timer->reload != NULL) {
        flags |= MCUPROF_SAMPLER_JITTER;
    }
    /* A narrow clock wraps in a long stretch, and the wrap is not seen. */
    if (mcuprofi_stream.clock.mask != 0xFFFFFFFFu) {
        flags |= MCUPROF_SAMPLER_MISSED_UNKNOWN;
    }
    if (mcuprofi_sampler.mask == 0) {
        flags |= MCUPROF_SAMPLER_LATENESS_UNKNOWN;
    }
    if (mcuprofi_stream.cost == 0) {
        flags |= MCUPROF_SAMPLER_COST_UNKNOWN;
    }
    return flags;
}

static void frame_hello(void)
{
    uint8_t *p = mcuprofi_frame_begin(MCUPROF_WIRE_HELLO);
    unsigned flags = mcuprofi_stream.identity.flags;
    uint32_t cost =
            mcuprofi_stream.cost < 0xFFFFu ? mcuprofi_stream.cost : 0xFFFFu;
    mcuprofi_stream.exception = (uint16_t)mcuprofi_sampler.exception;
    int priority = mcuprof_port_priority(mcuprofi_stream.exception);
    flags |= mcuprofi_stream.start ? MCUPROF_HELLO_START : 0u;
    flags |= mcuprofi_sampler.running ? MCUPROF_HELLO_RUNNING : 0u;
    *p++ = MCUPROF_WIRE_VERSION;
    *p++ = (uint8_t)flags;
    *p++ = mcuprofi_stream.clock.source;
    *p++ = mcuprofi_stream.clock.reason;
    *p++ = mcuprofi_stream.clock.bits;
    *p++ = (uint8_t)mcuprofi_sampler.shift;
    p = mcuprofi_put16(p, cost);
    p = mcuprofi_put32(p, mcuprof_port_cpuid());
    p = mcuprofi_put32(p, mcuprofi_stream.boot_id);
    p = mcuprofi_put32(p, mcuprofi_stream.clock.hz);
    p = mcuprofi_put32(p, mcuprofi_stream.period);
    p = mcuprofi_put32(p, mcuprofi_stream.config.second_hz);
    p = mcuprofi_put32(p, mcuprofi_stream.identity.start);
    p = mcuprofi_put32(p, mcuprofi_stream.identity.length);
    p = put_bytes(p, mcuprofi_stream.identity.value,
                  sizeof(mcuprofi_stream.identity.value));
    p = mcuprofi_put16(p, 0); /* no call hooks yet */
    *p++ = MCUPROF_ENGINE_SAMPLER
           | (MCUPROF_HOTSPOTS ? MCUPROF_ENGINE_HOTSPOTS : 0);
    *p++ = ring_log2();
    p = mcuprofi_put32(p, mcuprofi_stream.vectors);
    p = mcuprofi_put16(p, mcuprofi_stream.exception);
    *p++ = (uint8_t)(priority > 0 ? priority : 0);
    *p++ = sampler_flags();
    mcuprofi_frame_end(p);
    mcuprofi_stream.start = 0;
    mcuprofi_stream.bytes = 0;
    mcuprofi_stream.hello_ticks = mcuprofi_stream.ticks;
    mcuprofi_stream.next_context = 0;
    mcuprofi_stream.due |= MCUPROFI_DUE_BUILD | MCUPROFI_DUE_CONTEXT;
    mcuprofi_stream.due &= (uint8_t)~MCUPROFI_DUE_HELLO;
}

static void frame_build(void)
{
    /* At most MCUPROF_BUILD_MAX: mcuprof_check.h sees to it. */
    size_t length = sizeof(MCUPROF_BUILD) - 1u;
    mcuprofi_stream.due &= (uint8_t)~MCUPROFI_DUE_BUILD;
    if (length > 0) {
        uint8_t *p = mcuprofi_frame_begin(MCUPROF_WIRE_BUILD);
        mcuprofi_frame_end(put_bytes(p, MCUPROF_BUILD, length));
    }
}

/* Priorities as high as the sampler's: it cannot interrupt these. */
static int is_unseen(unsigned exception)
{
    return exception != mcuprofi_stream.exception
           && mcuprof_port_enabled(exception)
           && mcuprof_port_priority(exception)
                      <= mcuprof_port_priority(mcuprofi_stream.exception);
}

static uint8_t *put_context(uint8_t *p, unsigned context, uint8_t flags,
                            const char *name)
{
    size_t length =
            name != NULL ? text_length(name, MCUPROF_CONTEXT_NAME_MAX) : 0;
    p = mcuprofi_put16(p, context);
    *p++ = flags;
    *p++ = (uint8_t)length;
    return put_bytes(p, name, length);
}

/*
 * Names first, then exceptions that cannot be sampled. `next_context` is
 * where the next frame goes on: names, then MCUPROF_CONTEXTS + exception.
 */
static void frame_contexts(void)
{
    uint8_t *begin = mcuprofi_frame_begin(MCUPROF_WIRE_CONTEXT);
    uint8_t *p = begin;
    uint8_t *end = begin + MCUPROF_WIRE_PAYLOAD_MAX - MCUPROF_CONTEXT_HEAD_SIZE
                   - MCUPROF_CONTEXT_NAME_MAX;
    unsigned last =
            mcuprofi_stream.exception != 0 ? mcuprof_port_exception_last() : 0;
    unsigned i = mcuprofi_stream.next_context;
    for (; i <= MCUPROF_CONTEXTS + last && p <= end; i++) {
        if (i < MCUPROF_CONTEXTS) {
            if (mcuprofi_stream.names[i].name != NULL) {
                p = put_context(p, mcuprofi_stream.names[i].context,
                                MCUPROF_CONTEXT_NAMED,
                                mcuprofi_stream.names[i].name);
            }
        } else if (is_unseen(i - MCUPROF_CONTEXTS)) {
            p = put_context(p, i - MCUPROF_CONTEXTS, MCUPROF_CONTEXT_UNSEEN,
                            NULL);
        }
    }
    mcuprofi_stream.next_context = (uint16_t)i;
    if (i > MCUPROF_CONTEXTS + last) {
        mcuprofi_stream.next_context = 0;
        mcuprofi_stream.due &= (uint8_t)~MCUPROFI_DUE_CONTEXT;
    }
    if (p > begin) {
        mcuprofi_frame_end(p);
    } else {
        mcuprofi_stream.seq--;
    }
}

static void frame_selftest(void)
{
    uint8_t *p = mcuprofi_frame_begin(MCUPROF_WIRE_SELFTEST);
    const struct mcuprofi_selftest *result = &mcuprofi_stream.selftest;
    mcuprofi_stream.due &= (uint8_t)~MCUPROFI_DUE_SELFTEST;
    p = mcuprofi_put32(p, (uint32_t)(uintptr_t)&mcuprof_selftest_three);
    p = mcuprofi_put32(p, (uint32_t)(uintptr_t)&mcuprof_selftest_one);
    p = mcuprofi_put32(p, result->three_ticks);
    p = mcuprofi_put32(p, result->one_ticks);
    p = mcuprofi_put32(p, result->produced);
    mcuprofi_frame_end(mcuprofi_put32(p, result->rounds));
}

#if MCUPROF_HOTSPOTS
/* Rows of the view that fit behind the head. */
#define HOTSPOT_ROWS                                                           \
    ((MCUPROF_WIRE_PAYLOAD_MAX - MCUPROF_HOTSPOTS_UNITS) / MCUPROF_HOTSPOT_SIZE)

static uint8_t *put_hotspots(uint8_t *p, unsigned first, unsigned end)
{
    const struct mcuprof_hotspots_view *view = &mcuprof_hotspots_view;
    p = mcuprofi_put32(p, view->sequence / 2u);
    p = mcuprofi_put32(p, view->samples);
    p = mcuprofi_put32(p, view->ignored);
    p = mcuprofi_put32(p, MCUPROF_HOTSPOT_HALF_LIFE);
    *p++ = MCUPROFI_HOTSPOT_SHIFT;
    *p++ = MCUPROF_HOTSPOT_UNITS;
    *p++ = (uint8_t)mcuprofi_hotspots.used;
    *p++ = (uint8_t)first;
    for (unsigned i = first; i < end; i++) {
        p = mcuprofi_put32(p, (uint32_t)(uintptr_t)view->units[i].pc);
        p = mcuprofi_put16(p, view->units[i].ratio);
        p = mcuprofi_put16(p, view->units[i].bound);
    }
    return p;
}

/*
 * A part of the view. All parts are of one: if another was made since, the
 * rest is given up until the next is due, so that a slow line gets samples too.
 * The last view is begun anew.
 *
 * returns: 0 if there is nothing to be sent
 */
static int frame_hotspots(void)
{
    const volatile uint32_t *now = &mcuprof_hotspots_view.sequence;
    uint32_t sequence = *now;
    unsigned first = mcuprofi_stream.next_hotspot;
    int is_old = first > 0 && sequence != mcuprofi_stream.hotspots_sequence;
    if (is_old) {
        first = 0;
        mcuprofi_stream.next_hotspot = 0;
    }
    if (sequence == 0 || (is_old && mcuprofi_sampler.running)) {
        mcuprofi_stream.due &= (uint8_t)~MCUPROFI_DUE_HOTSPOTS;
        return 0;
    }
    mcuprofi_barrier();
    unsigned used = mcuprofi_hotspots.used;
    unsigned end = used - first < HOTSPOT_ROWS ? used : first + HOTSPOT_ROWS;
    uint8_t *p = put_hotspots(mcuprofi_frame_begin(MCUPROF_WIRE_HOTSPOTS),
                              first, end);
    mcuprofi_barrier();
    if (sequence != *now) {
        mcuprofi_stream.seq--;
        return 0;
    }
    mcuprofi_frame_end(p);
    mcuprofi_stream.hotspots_sequence = sequence;
    mcuprofi_stream.next_hotspot = end;
    if (end == used) {
        mcuprofi_stream.due &= (uint8_t)~MCUPROFI_DUE_HOTSPOTS;
        mcuprofi_stream.next_hotspot = 0;
    }
    return 1;
}
#else
static int frame_hotspots(void)
{
    return 0;
}
#endif

static void frame_time(void)
{
    const struct mcuprofi_checkpoint *c = &mcuprofi_stream.checkpoints[0];
    uint8_t *p = mcuprofi_frame_begin(MCUPROF_WIRE_TIME);
    p = mcuprofi_put64(p, c->ticks);
    p = mcuprofi_put64(p, c->second);
    *p++ = MCUPROF_ENGINE_SAMPLER;
    *p++ = MCUPROF_TIME_SAMPLER_SIZE;
    p = mcuprofi_put16(p, 0);
    p = mcuprofi_put32(p, c->produced);
    p = mcuprofi_put32(p, c->lost);
    p = mcuprofi_put32(p, c->missed);
    p = mcuprofi_put32(p, c->longest);
    p = mcuprofi_put32(p, c->longest_pc);
    mcuprofi_frame_end(p);
    mcuprofi_stream.waiting--;
    mcuprofi_stream.checkpoints[0] = mcuprofi_stream.checkpoints[1];
    if (mcuprofi_stream.waiting == 0) {
        mcuprofi_stream.due &= (uint8_t)~MCUPROFI_DUE_TIME;
    }
}

/*
 * Packs samples up to `limit`; the layout stands in docs/wire.md. `lost` never
 * runs ahead of the TIME that follows.
 */
static void frame_samples(uint32_t limit, uint32_t lost)
{
    struct mcuprofi_sampler *s = &mcuprofi_sampler;
    uint8_t *p = mcuprofi_frame_begin(MCUPROF_WIRE_SAMPLE);
    const uint8_t *end =
            p + MCUPROF_WIRE_PAYLOAD_MAX - MCUPROF_SAMPLE_PACKED_MAX;
    uint32_t tail = s->tail;
    uint32_t pc = 0;
    uint32_t context = 0;
    p = mcuprofi_put32(p, mcuprofi_stream.sent);
    p = mcuprofi_put32(p, lost);
    while (tail != limit && p <= end) {
        const struct mcuprofi_record *record = &s->ring[tail];
        /* Twice the difference of halves, its sign folded into bit 0. */
        uint32_t delta = (record->pc & ~1u) - pc;
        uint32_t zigzag = (delta & 0x80000000u) != 0 ? ~delta : delta;
        uint32_t differs = record->context != context;
        pc += delta;
        context = record->context;
        /* delta is even, so its complement's bit 0 marks the sign. */
        p = mcuprofi_put_varint(p, zigzag << 1 | differs);
        if (differs) {
            p = mcuprofi_put_varint(p, context);
        }
        p = mcuprofi_put_varint(p, record->lateness);
        tail = (tail + 1u) & MCUPROFI_RING_MASK;
        mcuprofi_stream.sent++;
    }
    mcuprofi_barrier();
    s->tail = tail;
    mcuprofi_frame_end(p);
    mcuprofi_stream.bytes += mcuprofi_stream.frame_size;
}

/* Decides what is due by the clock; keeps the 64-bit time. */
static void keep_time(void)
{
    uint64_t ticks = mcuprofi_stream_ticks();
    uint32_t quarter = mcuprofi_stream.mask / 4u;
    uint32_t every = mcuprofi_stream.clock.hz < quarter
                             ? mcuprofi_stream.clock.hz
                             : quarter;
    if (!mcuprofi_sampler.running) {
        return;
    }
    if (ticks - mcuprofi_stream.time_ticks >= every
        && mcuprofi_stream.waiting == 0) {
        mcuprofi_stream_checkpoint();
    }
    if (ticks - mcuprofi_stream.hello_ticks >= mcuprofi_stream.clock.hz
        || mcuprofi_stream.bytes >= MCUPROF_HELLO_BYTES
        || mcuprofi_stream.exception != mcuprofi_sampler.exception) {
        mcuprofi_stream.due |= MCUPROFI_DUE_HELLO;
    }
}

/* Sends a frame of samples if enough are waiting, or for long enough. */
static int samples_due(void)
{
    const struct mcuprofi_checkpoint *next = &mcuprofi_stream.checkpoints[0];
    int waits = mcuprofi_stream.waiting > 0;
    uint32_t limit = waits ? next->head : mcuprofi_sampler.head;
    uint32_t count = mcuprofi_stream_waiting(limit);
    if (count == 0) {
        return 0;
    }
    if (!waits && count < BATCH
        && mcuprofi_stream.ticks - mcuprofi_stream.sample_ticks
                   < mcuprofi_stream.clock.hz / BATCH_WAITS) {
        return 0;
    }
    mcuprofi_stream.sample_ticks = mcuprofi_stream.ticks;
    frame_samples(limit, waits ? next->lost : mcuprofi_sampler.lost);
    return 1;
}

/* Builds the next frame; returns 0 if nothing is waiting. */
static int frame_next(void)
{
    if (mcuprofi_stream.due & MCUPROFI_DUE_HELLO) {
        frame_hello();
        return 1;
    }
    if (mcuprofi_stream.due & MCUPROFI_DUE_BUILD) {
        frame_build();
        return 1;
    }
    if (mcuprofi_stream.due & MCUPROFI_DUE_CONTEXT) {
        frame_contexts();
        return 1;
    }
    if (mcuprofi_stream.due & MCUPROFI_DUE_SELFTEST) {
        frame_selftest();
        return 1;
    }
    if (samples_due()) {
        return 1;
    }
    if ((mcuprofi_stream.due & MCUPROFI_DUE_HOTSPOTS) && frame_hotspots()) {
        return 1;
    }
    if (mcuprofi_stream.due & MCUPROFI_DUE_TIME) {
        frame_time();
        return 1;
    }
    return 0;
}

/* Hands on what is left of the frame; returns 1 when all of it is taken. */
static int frame_send(void)
{
    while (mcuprofi_stream.frame_sent < mcuprofi_stream.frame_size) {
        size_t left = (size_t)(mcuprofi_stream.frame_size
                               - mcuprofi_stream.frame_sent);
        size_t taken = mcuprofi_stream.config.write(
                mcuprofi_stream.frame + mcuprofi_stream.frame_sent, left);
        if (taken == 0) {
            return 0;
        }
        taken = taken < left ? taken : left;
        mcuprofi_stream.frame_sent =
                (uint16_t)(mcuprofi_stream.frame_sent + taken);
    }
    return 1;
}

int mcuprof_poll(void)
{
    if (!mcuprofi_stream.initialised) {
        return MCUPROF_ESTATE;
    }
    keep_time();
    unsigned known = mcuprofi_stream.identity.flags & MCUPROF_HELLO_IDENTITY;
    int more = mcuprofi_identity_step(&mcuprofi_stream.identity,
                                      MCUPROF_IDENTITY_SLICE);
    if (!more && !known) {
        mcuprofi_stream.due |= MCUPROFI_DUE_HELLO;
    }
    for (unsigned i = 0; i < MCUPROF_POLL_FRAMES; i++) {
        if (!frame_send()) {
            return 1;
        }
        if (!frame_next()) {
            return more;
        }
    }
    return 1;
}

#endif
