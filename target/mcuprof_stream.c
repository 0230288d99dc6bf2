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
#include "mcuprof_ring.h"

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

static size_t mcuprofi_text_length(const char *text, size_t max)
{
    size_t n = 0;
    while (n < max && text[n] != '\0') {
        n++;
    }
    return n;
}

static void mcuprofi_frame_hello(void)
{
    uint8_t *p = mcuprofi_frame_begin(MCUPROF_WIRE_HELLO);
    mcuprofi_stream.exception = (uint16_t)mcuprofi_sampler.exception;
    uint8_t *end = mcuprofi_put_hello(p);
    /* That of a start goes before its records, which tell of the change. */
    if (mcuprofi_stream.first_hz != 0) {
        (void)mcuprofi_put32(p + MCUPROF_HELLO_CLOCK_HZ,
                             mcuprofi_stream.first_hz);
        mcuprofi_stream.first_hz = 0;
    }
    mcuprofi_frame_end(end);
    mcuprofi_stream.start = 0;
    mcuprofi_stream.bytes = 0;
    mcuprofi_stream.hello_ticks = mcuprofi_stream.ticks;
    mcuprofi_stream.next_context = 0;
    mcuprofi_stream.due |= MCUPROFI_DUE_BUILD | MCUPROFI_DUE_CONTEXT;
    mcuprofi_stream.due &= (uint8_t)~MCUPROFI_DUE_HELLO;
}

static void mcuprofi_frame_build(void)
{
    /* At most MCUPROF_BUILD_MAX: mcuprof_check.h sees to it. */
    size_t length = sizeof(MCUPROF_BUILD) - 1u;
    mcuprofi_stream.due &= (uint8_t)~MCUPROFI_DUE_BUILD;
    if (length > 0) {
        uint8_t *p = mcuprofi_frame_begin(MCUPROF_WIRE_BUILD);
        mcuprofi_frame_end(mcuprofi_put_bytes(p, MCUPROF_BUILD, length));
    }
}

/* Priorities as high as the sampler's: it cannot interrupt these. */
static int mcuprofi_is_unseen(unsigned exception)
{
    return exception != mcuprofi_stream.exception
           && mcuprof_port_enabled(exception)
           && mcuprof_port_priority(exception)
                      <= mcuprof_port_priority(mcuprofi_stream.exception);
}

static uint8_t *mcuprofi_put_context(uint8_t *p, unsigned context,
                                     uint8_t flags, const char *name)
{
    size_t length =
            name != NULL ? mcuprofi_text_length(name, MCUPROF_CONTEXT_NAME_MAX)
                         : 0;
    p = mcuprofi_put16(p, context);
    *p++ = flags;
    *p++ = (uint8_t)length;
    return mcuprofi_put_bytes(p, name, length);
}

/*
 * Names first, then exceptions that cannot be sampled. `next_context` is
 * where the next frame goes on: names, then MCUPROF_CONTEXTS + exception.
 */
static void mcuprofi_frame_contexts(void)
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
                p = mcuprofi_put_context(p, mcuprofi_stream.names[i].context,
                                         MCUPROF_CONTEXT_NAMED,
                                         mcuprofi_stream.names[i].name);
            }
        } else if (mcuprofi_is_unseen(i - MCUPROF_CONTEXTS)) {
            p = mcuprofi_put_context(p, i - MCUPROF_CONTEXTS,
                                     MCUPROF_CONTEXT_UNSEEN, NULL);
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

static void mcuprofi_frame_selftest(void)
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

static uint8_t *mcuprofi_put_hotspots(uint8_t *p, unsigned first, unsigned end)
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
static int mcuprofi_frame_hotspots(void)
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
    uint8_t *p = mcuprofi_put_hotspots(
            mcuprofi_frame_begin(MCUPROF_WIRE_HOTSPOTS), first, end);
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
static int mcuprofi_frame_hotspots(void)
{
    return 0;
}
#endif

#if MCUPROF_TRACE
/* A frame of the call ring's records. returns: 0 if there is none to be sent */
static int mcuprofi_frame_trace(void)
{
    int waits = mcuprofi_stream.waiting > 0;
    uint8_t *p = mcuprofi_frame_begin(MCUPROF_WIRE_TRACE);
    p = mcuprofi_trace_pack(p, waits ? &mcuprofi_stream.checkpoints[0] : NULL);
    if (p == NULL) {
        mcuprofi_stream.seq--;
        return 0;
    }
    mcuprofi_frame_end(p);
    mcuprofi_stream.bytes += mcuprofi_stream.frame_size;
    return 1;
}

/* A frame of a ring that was kept. */
static int mcuprofi_frame_kept(void)
{
    uint8_t *end = NULL;
    uint8_t *p = mcuprofi_frame_begin(0);
    uint8_t type = mcuprofi_trace_kept_frame(p, &end);
    if (type == 0) {
        mcuprofi_stream.seq--;
        return 0;
    }
    mcuprofi_stream.frame[2] = type;
    mcuprofi_frame_end(end);
    return 1;
}

static int mcuprofi_trace_runs(void)
{
    int state = mcuprofi_trace_poll();
    if (state == 2) {
        mcuprofi_stream.due |= MCUPROFI_DUE_HELLO;
        mcuprofi_stream_checkpoint();
    }
    return state == 1;
}

void mcuprofi_stream_trace_begins(void)
{
    if (!mcuprofi_sampler.running) {
        mcuprofi_stream.start = 1;
    }
    mcuprofi_stream.due |= MCUPROFI_DUE_HELLO;
    if (mcuprof_trace.block.mode == MCUPROF_TRACE_MODE_STREAM) {
        mcuprofi_stream_checkpoint();
    }
}
#else
static int mcuprofi_frame_trace(void)
{
    return 0;
}

static int mcuprofi_frame_kept(void)
{
    return 0;
}

static int mcuprofi_trace_runs(void)
{
    return 0;
}
#endif

#if MCUPROF_FUNCTIONS
/* A part of a snapshot. returns: 0 if there is none to be sent */
static int mcuprofi_frame_functions(void)
{
    uint8_t *p = mcuprofi_frame_begin(MCUPROF_WIRE_FUNCTIONS);
    p = mcuprofi_functions_pack(p);
    if (p == NULL) {
        mcuprofi_stream.seq--;
        return 0;
    }
    mcuprofi_frame_end(p);
    return 1;
}

void mcuprofi_stream_functions_changed(int begins)
{
    int is_alone = !mcuprofi_sampler.running
                   && !(MCUPROF_TRACE && mcuprofi_trace_is_open());
    if (begins && is_alone) {
        mcuprofi_stream.start = 1;
    }
    mcuprofi_stream.due |= MCUPROFI_DUE_HELLO;
    mcuprofi_stream_checkpoint();
}
#else
static int mcuprofi_frame_functions(void)
{
    return 0;
}
#endif

static void mcuprofi_frame_time(void)
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
    if (MCUPROF_TRACE) {
        p = mcuprofi_trace_put_time(p, c);
    }
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
static void mcuprofi_frame_samples(uint32_t limit, uint32_t lost)
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
static void mcuprofi_keep_time(void)
{
    if (MCUPROF_FUNCTIONS) {
        mcuprofi_functions_touch();
    }
    uint64_t ticks = mcuprofi_stream_ticks();
    uint32_t quarter = mcuprofi_stream.mask / 4u;
    uint32_t every = mcuprofi_stream.clock.hz < quarter
                             ? mcuprofi_stream.clock.hz
                             : quarter;
    int functions = MCUPROF_FUNCTIONS && mcuprofi_functions_is_open();
    if (!mcuprofi_trace_runs() && !mcuprofi_sampler.running && !functions) {
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
static int mcuprofi_samples_due(void)
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
    mcuprofi_frame_samples(limit, waits ? next->lost : mcuprofi_sampler.lost);
    return 1;
}

/* Builds the next frame; returns 0 if nothing is waiting. */
static int mcuprofi_frame_next(void)
{
    if (mcuprofi_frame_kept()) {
        return 1;
    }
    if (mcuprofi_stream.due & MCUPROFI_DUE_HELLO) {
        mcuprofi_frame_hello();
        return 1;
    }
    if (mcuprofi_stream.due & MCUPROFI_DUE_BUILD) {
        mcuprofi_frame_build();
        return 1;
    }
    if (mcuprofi_stream.due & MCUPROFI_DUE_CONTEXT) {
        mcuprofi_frame_contexts();
        return 1;
    }
    if (mcuprofi_stream.due & MCUPROFI_DUE_SELFTEST) {
        mcuprofi_frame_selftest();
        return 1;
    }
    if (mcuprofi_samples_due() || mcuprofi_frame_trace()
        || mcuprofi_frame_functions()) {
        return 1;
    }
    if ((mcuprofi_stream.due & MCUPROFI_DUE_HOTSPOTS)
        && mcuprofi_frame_hotspots()) {
        return 1;
    }
    if ((mcuprofi_stream.due & MCUPROFI_DUE_TIME)
        && (!MCUPROF_TRACE
            || mcuprofi_trace_is_packed(&mcuprofi_stream.checkpoints[0]))) {
        mcuprofi_frame_time();
        return 1;
    }
    return 0;
}

/* Hands on what is left of the frame; returns 1 when all of it is taken. */
static int mcuprofi_frame_send(void)
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
    mcuprofi_keep_time();
    unsigned known = mcuprofi_stream.identity.flags & MCUPROF_HELLO_IDENTITY;
    int more = mcuprofi_identity_step(&mcuprofi_stream.identity,
                                      MCUPROF_IDENTITY_SLICE);
    if (!more && !known) {
        mcuprofi_stream.due |= MCUPROFI_DUE_HELLO;
    }
    for (unsigned i = 0; i < MCUPROF_POLL_FRAMES; i++) {
        if (!mcuprofi_frame_send()) {
            return 1;
        }
        if (!mcuprofi_frame_next()) {
            return more;
        }
    }
    return 1;
}

#endif
