/* SPDX-License-Identifier: MIT */
/*
 * The thread side: life cycle, 64-bit time, and the frames.
 *
 * Order on the wire: HELLO, BUILD, CONTEXT, then samples and TIME. A TIME is
 * a checkpoint: it is taken at one moment and sent after every sample that was
 * produced before that moment, and before every later one.
 */
#include "mcuprof_internal.h"

#if MCUPROF_ENABLED

#define HELLO_EVERY_BYTES 8192u
#define PERIOD_MIN_TICKS 8u
/* Samples that make a frame worth its 19 bytes around them... */
#define BATCH (MCUPROF_SAMPLE_RING / 4u < 64u ? MCUPROF_SAMPLE_RING / 4u : 64u)
/* ...or the part of a second after which fewer will do. */
#define BATCH_WAITS 8u
#define FRAME_HEAD (2u + MCUPROF_WIRE_HEAD_SIZE)

/* What is still to be sent, most urgent first. */
enum due {
    DUE_HELLO = 1u << 0,
    DUE_BUILD = 1u << 1,
    DUE_CONTEXT = 1u << 2,
    DUE_SELFTEST = 1u << 3,
    DUE_TIME = 1u << 4,
};

struct context_name {
    const char *name;
    uint16_t context;
};

/* One moment of the sampler. */
struct checkpoint {
    uint64_t ticks;
    uint64_t second;
    uint32_t head;
    uint32_t produced;
    uint32_t lost;
    uint32_t missed;
    uint32_t longest;
    uint32_t longest_pc;
};

static struct {
    struct mcuprof_config config;
    const struct mcuprof_timer *timer;
    struct mcuprofi_clock clock;
    struct mcuprofi_identity identity;
    struct mcuprofi_selftest selftest;
    /* Waiting TIMEs: two, so that a stop does not displace its start. */
    struct checkpoint checkpoints[2];
    struct context_name names[MCUPROF_CONTEXTS];
    uint64_t ticks;
    uint64_t hello_ticks;
    uint64_t time_ticks;
    uint64_t sample_ticks;
    uint32_t mask;  /* of clock_now() */
    uint32_t last;  /* clock value that `ticks` belongs to */
    uint32_t sent;  /* samples taken out of the ring since boot */
    uint32_t bytes; /* since the last HELLO */
    uint32_t vectors;
    uint32_t boot_id;
    uint32_t period;   /* nominal, in clock ticks */
    uint32_t interval; /* nominal, in timer ticks */
    uint32_t cost;
    uint16_t exception; /* the sampler's, as last announced */
    uint16_t next_context;
    uint16_t seq;
    uint16_t frame_size;
    uint16_t frame_sent;
    uint8_t due;
    uint8_t waiting; /* checkpoints */
    uint8_t start;   /* the next HELLO begins a segment */
    uint8_t initialised;
    uint8_t frame[MCUPROF_WIRE_FRAME_MAX];
} stream;

#define MCUPROF_ERROR_TEXT(name, value, message) [-(value)] = message,

const char *mcuprof_error_text(int error)
{
    static const char *const texts[] = {MCUPROF_ERRORS(MCUPROF_ERROR_TEXT)};
    size_t i = error < 0 ? (size_t)-error : 0;
    if (i == 0 || i >= sizeof(texts) / sizeof(texts[0])) {
        return "";
    }
    return texts[i];
}

/*
 * SysTick as sampler: the next deadline less what is left to count. A reload
 * whose interrupt is still pending has not moved the deadline yet.
 */
static uint32_t systick_now(void)
{
    const struct mcuprofi_sampler *s = &mcuprofi_sampler;
    uint32_t state = mcuprof_port_lock();
    uint32_t now = s->deadline - (*s->clock & 0xFFFFFFu);
    if (mcuprof_port_systick_pending()) {
        now = s->deadline + s->interval - (*s->clock & 0xFFFFFFu);
    }
    mcuprof_port_unlock(state);
    return now;
}

static uint32_t clock_now(void)
{
    const struct mcuprofi_clock *clock = &stream.clock;
    if (!clock->adds_up) {
        return (*clock->reg ^ clock->flip) & clock->mask;
    }
    if (!mcuprofi_sampler.running) {
        return stream.last;
    }
    if (clock->source == MCUPROF_CLOCK_NONE) {
        return mcuprofi_sampler.deadline - mcuprofi_sampler.interval;
    }
    return systick_now();
}

uint64_t mcuprofi_stream_ticks(void)
{
    uint32_t now = clock_now();
    stream.ticks += (now - stream.last) & stream.mask;
    stream.last = now;
    return stream.ticks;
}

uint32_t mcuprofi_stream_hz(void)
{
    return stream.clock.hz;
}

int mcuprofi_stream_running(void)
{
    return mcuprofi_sampler.running != 0;
}

static uint32_t samples_waiting(uint32_t head)
{
    return (head - mcuprofi_sampler.tail) & MCUPROFI_RING_MASK;
}

/* Notes this moment; it is sent once the samples before it are. */
static void take_checkpoint(void)
{
    const struct mcuprofi_sampler *s = &mcuprofi_sampler;
    struct checkpoint *c = &stream.checkpoints[stream.waiting > 0 ? 1 : 0];
    stream.waiting = stream.waiting > 0 ? 2 : 1;
    stream.due |= DUE_TIME;
    c->ticks = mcuprofi_stream_ticks();
    c->second = stream.config.second_clock != NULL
                        ? stream.config.second_clock()
                        : 0;
    stream.time_ticks = c->ticks;
    uint32_t state = mcuprof_port_lock();
    c->head = s->head;
    c->lost = s->lost;
    c->missed = s->missed;
    c->longest = s->longest;
    c->longest_pc = s->longest_pc;
    mcuprof_port_unlock(state);
    c->produced = stream.sent + samples_waiting(c->head) + c->lost;
}

uint32_t mcuprofi_stream_produced(void)
{
    return stream.sent + samples_waiting(mcuprofi_sampler.head)
           + mcuprofi_sampler.lost;
}

void mcuprofi_stream_selftest(const struct mcuprofi_selftest *result)
{
    stream.selftest = *result;
    stream.due |= DUE_SELFTEST;
}

/* Period in timer and clock ticks; see MCUPROF_CLOCK_PER_TIMER. */
static int choose_period(void)
{
    const struct mcuprof_config *config = &stream.config;
    const struct mcuprof_timer *timer = stream.timer;
    uint32_t rate = config->rate_hz != 0 ? config->rate_hz : 1000u;
    uint32_t hz = timer->hz != 0 ? timer->hz : config->core_hz;
    uint32_t interval = (hz + rate / 2u) / rate;
    uint32_t max = timer->reload_max != 0 ? timer->reload_max : 0xFFFFu;
    if (timer == &mcuprof_timer_systick_shared
        && mcuprof_port_systick_reload() != 0) {
        interval = mcuprof_port_systick_reload() + 1u;
    }
    /* A deadline that is not exact drifts away from its interrupt. */
    if ((uint64_t)hz * MCUPROF_CLOCK_PER_TIMER
        != (uint64_t)stream.clock.hz * MCUPROF_TIMER_PER_CLOCK) {
        return MCUPROF_ECLOCK;
    }
    if (interval < PERIOD_MIN_TICKS) {
        return MCUPROF_ETIMER;
    }
    /* Late by a period and early by one must be told apart. */
    uint32_t mask = stream.clock.mask != 0 ? stream.clock.mask : stream.mask;
    if (interval / MCUPROF_TIMER_PER_CLOCK
        > mask / MCUPROF_CLOCK_PER_TIMER / 4u) {
        return MCUPROF_ETIMER;
    }
    /* Jitter reaches one and a half periods. */
    if (timer->reload != NULL && interval + interval / 2u > max) {
        return MCUPROF_ETIMER;
    }
    stream.interval = interval;
    stream.period =
            interval / MCUPROF_TIMER_PER_CLOCK * MCUPROF_CLOCK_PER_TIMER;
    return 0;
}

static void choose_clock(void)
{
    const struct mcuprof_config *config = &stream.config;
    struct mcuprofi_clock *clock = &stream.clock;
    clock->hz = config->core_hz;
    if (config->clock == NULL) {
        mcuprof_port_clock_choose(config, clock);
        return;
    }
    uint8_t bits = config->clock_bits & 0x7Fu;
    bits = bits != 0 && bits < 32 ? bits : 32;
    clock->reg = config->clock;
    clock->mask = 0xFFFFFFFFu >> (32 - bits);
    clock->flip =
            (config->clock_bits & MCUPROF_CLOCK_DOWN) != 0 ? clock->mask : 0;
    clock->bits = (uint8_t)(bits | (config->clock_bits & MCUPROF_CLOCK_DOWN));
    clock->source = MCUPROF_CLOCK_USER;
    clock->reason = MCUPROF_REASON_CONFIGURED;
    if (config->clock_hz != 0) {
        clock->hz = config->clock_hz;
    }
}

/*
 * Sources that are not a register of their own: time is what the sampler adds
 * up, to 32 bits, and stands still while it does not run.
 */
static void describe_clock(struct mcuprofi_clock *clock)
{
    clock->adds_up = clock->source == MCUPROF_CLOCK_NONE
                     || clock->source > MCUPROF_CLOCK_SYSTICK;
    clock->is_plain =
            !clock->adds_up && clock->mask == 0xFFFFFFFFu && clock->flip == 0;
    stream.mask = clock->adds_up ? 0xFFFFFFFFu : clock->mask;
}

static void clear(void *object, size_t size)
{
    uint8_t *p = (uint8_t *)object;
    for (size_t i = 0; i < size; i++) {
        p[i] = 0;
    }
}

int mcuprof_init(const struct mcuprof_config *config)
{
    if (mcuprofi_sampler.running) {
        return MCUPROF_ESTATE;
    }
    if (config == NULL || config->write == NULL || config->core_hz == 0) {
        return MCUPROF_EINVAL;
    }
    if (stream.waiting > 0) {
        return MCUPROF_EBUSY;
    }
    clear(&stream, sizeof(stream));
    clear(&mcuprofi_sampler, sizeof(mcuprofi_sampler));
    stream.config = *config;
    if (stream.config.timer == NULL) {
        stream.config.timer = &mcuprof_timer_systick;
    }
    stream.timer = stream.config.timer;
    stream.vectors = mcuprof_port_vectors();
    choose_clock();
    describe_clock(&stream.clock);
    int error = choose_period();
    if (error != 0) {
        return error;
    }
    stream.last = clock_now();
    stream.boot_id = config->boot_id != 0 ? config->boot_id : stream.last;
    mcuprofi_identity_begin(&stream.identity, stream.vectors);
    stream.initialised = 1;
    return 0;
}

int mcuprof_start(void)
{
    struct mcuprofi_sampler *s = &mcuprofi_sampler;
    const struct mcuprof_timer *timer = stream.timer;
    if (!stream.initialised || s->running) {
        return MCUPROF_ESTATE;
    }
    if (stream.waiting > 0) {
        return MCUPROF_EBUSY;
    }
    mcuprofi_sampler_reset(&stream.clock, stream.period, timer);
    if (!s->adds_up) {
        stream.cost = mcuprofi_sampler_cost();
    }
    mcuprofi_sampler_reset(&stream.clock, stream.period, timer);
    s->exception = timer->exception;
    s->interval = stream.period;
    stream.exception = timer->exception;
    stream.start = 1;
    stream.due |= DUE_HELLO;
    take_checkpoint();
    s->seed ^= stream.last;
    s->seed = s->seed != 0 ? s->seed : 0x9E3779B9u;
    if (timer->start != NULL) {
        timer->start(stream.interval);
    }
    /* Without a start of ours the phase is unknown: the first sample says. */
    int known = timer->start != NULL || s->adds_up;
    s->deadline = clock_now() + (known ? s->interval : s->mask >> 2);
    mcuprofi_barrier();
    s->running = 1;
    return 0;
}

int mcuprof_stop(void)
{
    struct mcuprofi_sampler *s = &mcuprofi_sampler;
    if (!s->running) {
        return MCUPROF_ESTATE;
    }
    if (stream.timer->stop != NULL) {
        stream.timer->stop();
    }
    (void)mcuprofi_stream_ticks();
    s->running = 0;
    s->threshold = 0;
    take_checkpoint();
    return 0;
}

int mcuprof_context_name(unsigned context, const char *name)
{
    if (context > 0xFFFFu) {
        return MCUPROF_EINVAL;
    }
    struct context_name *free_slot = NULL;
    struct context_name *slot = NULL;
    for (size_t i = 0; i < MCUPROF_CONTEXTS; i++) {
        if (stream.names[i].name == NULL) {
            free_slot = free_slot != NULL ? free_slot : &stream.names[i];
        } else if (stream.names[i].context == context) {
            slot = &stream.names[i];
        }
    }
    slot = slot != NULL ? slot : free_slot;
    if (slot == NULL) {
        return name != NULL ? MCUPROF_ENOSPACE : 0;
    }
    slot->name = name;
    slot->context = (uint16_t)context;
    stream.due |= DUE_CONTEXT;
    return 0;
}

/*
 * Frames
 */

static uint8_t *frame_begin(uint8_t type)
{
    stream.frame[2] = type;
    uint8_t *payload = mcuprofi_put16(stream.frame + 3, stream.seq);
    stream.seq++;
    return payload;
}

static void frame_end(const uint8_t *end)
{
    size_t raw = (size_t)(end - (stream.frame + 2));
    stream.frame_size = (uint16_t)mcuprofi_frame_finish(stream.frame, raw);
    stream.frame_sent = 0;
    stream.bytes += stream.frame_size;
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
    if (stream.timer->reload != NULL) {
        flags |= MCUPROF_SAMPLER_JITTER;
    }
    if (stream.clock.adds_up) {
        flags |= MCUPROF_SAMPLER_MISSED_UNKNOWN | MCUPROF_SAMPLER_COST_UNKNOWN;
    }
    if (stream.clock.source == MCUPROF_CLOCK_NONE) {
        flags |= MCUPROF_SAMPLER_LATENESS_UNKNOWN;
    }
    return flags;
}

static void frame_hello(void)
{
    uint8_t *p = frame_begin(MCUPROF_WIRE_HELLO);
    unsigned flags = stream.identity.flags;
    uint32_t cost = stream.cost < 0xFFFFu ? stream.cost : 0xFFFFu;
    stream.exception = (uint16_t)mcuprofi_sampler.exception;
    int priority = mcuprof_port_priority(stream.exception);
    flags |= stream.start ? MCUPROF_HELLO_START : 0u;
    flags |= mcuprofi_sampler.running ? MCUPROF_HELLO_RUNNING : 0u;
    *p++ = MCUPROF_WIRE_VERSION;
    *p++ = (uint8_t)flags;
    *p++ = stream.clock.source;
    *p++ = stream.clock.reason;
    *p++ = stream.clock.bits;
    *p++ = (uint8_t)mcuprofi_sampler.shift;
    p = mcuprofi_put16(p, cost);
    p = mcuprofi_put32(p, mcuprof_port_cpuid());
    p = mcuprofi_put32(p, stream.boot_id);
    p = mcuprofi_put32(p, stream.clock.hz);
    p = mcuprofi_put32(p, stream.period);
    p = mcuprofi_put32(p, stream.config.second_hz);
    p = mcuprofi_put32(p, stream.identity.start);
    p = mcuprofi_put32(p, stream.identity.length);
    p = put_bytes(p, stream.identity.value, sizeof(stream.identity.value));
    p = mcuprofi_put16(p, 0); /* no call hooks yet */
    *p++ = MCUPROF_ENGINE_SAMPLER;
    *p++ = ring_log2();
    p = mcuprofi_put32(p, stream.vectors);
    p = mcuprofi_put16(p, stream.exception);
    *p++ = (uint8_t)(priority > 0 ? priority : 0);
    *p++ = sampler_flags();
    frame_end(p);
    stream.start = 0;
    stream.bytes = 0;
    stream.hello_ticks = stream.ticks;
    stream.next_context = 0;
    stream.due |= DUE_BUILD | DUE_CONTEXT;
    stream.due &= (uint8_t)~DUE_HELLO;
}

static void frame_build(void)
{
    stream.due &= (uint8_t)~DUE_BUILD;
    size_t length = text_length(MCUPROF_BUILD, MCUPROF_BUILD_MAX);
    if (length > 0) {
        uint8_t *p = frame_begin(MCUPROF_WIRE_BUILD);
        frame_end(put_bytes(p, MCUPROF_BUILD, length));
    }
}

/* Priorities as high as the sampler's: it cannot interrupt these. */
static int is_unseen(unsigned exception)
{
    return exception != stream.exception && mcuprof_port_enabled(exception)
           && mcuprof_port_priority(exception)
                      <= mcuprof_port_priority(stream.exception);
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
    uint8_t *begin = frame_begin(MCUPROF_WIRE_CONTEXT);
    uint8_t *p = begin;
    uint8_t *end = begin + MCUPROF_WIRE_PAYLOAD_MAX - MCUPROF_CONTEXT_HEAD_SIZE
                   - MCUPROF_CONTEXT_NAME_MAX;
    unsigned last = stream.exception != 0 ? mcuprof_port_exception_last() : 0;
    unsigned i = stream.next_context;
    for (; i <= MCUPROF_CONTEXTS + last && p <= end; i++) {
        if (i < MCUPROF_CONTEXTS) {
            if (stream.names[i].name != NULL) {
                p = put_context(p, stream.names[i].context,
                                MCUPROF_CONTEXT_NAMED, stream.names[i].name);
            }
        } else if (is_unseen(i - MCUPROF_CONTEXTS)) {
            p = put_context(p, i - MCUPROF_CONTEXTS, MCUPROF_CONTEXT_UNSEEN,
                            NULL);
        }
    }
    stream.next_context = (uint16_t)i;
    if (i > MCUPROF_CONTEXTS + last) {
        stream.next_context = 0;
        stream.due &= (uint8_t)~DUE_CONTEXT;
    }
    if (p > begin) {
        frame_end(p);
    } else {
        stream.seq--;
    }
}

static void frame_selftest(void)
{
    uint8_t *p = frame_begin(MCUPROF_WIRE_SELFTEST);
    const struct mcuprofi_selftest *result = &stream.selftest;
    stream.due &= (uint8_t)~DUE_SELFTEST;
    p = mcuprofi_put32(p, (uint32_t)(uintptr_t)&mcuprof_selftest_three);
    p = mcuprofi_put32(p, (uint32_t)(uintptr_t)&mcuprof_selftest_one);
    p = mcuprofi_put32(p, result->three_ticks);
    p = mcuprofi_put32(p, result->one_ticks);
    p = mcuprofi_put32(p, result->produced);
    frame_end(mcuprofi_put32(p, result->rounds));
}

static void frame_time(void)
{
    const struct checkpoint *c = &stream.checkpoints[0];
    uint8_t *p = frame_begin(MCUPROF_WIRE_TIME);
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
    frame_end(p);
    stream.waiting--;
    stream.checkpoints[0] = stream.checkpoints[1];
    if (stream.waiting == 0) {
        stream.due &= (uint8_t)~DUE_TIME;
    }
}

/*
 * Packs samples up to `limit`; the layout stands in docs/wire.md. `lost` never
 * runs ahead of the TIME that follows.
 */
static void frame_samples(uint32_t limit, uint32_t lost)
{
    struct mcuprofi_sampler *s = &mcuprofi_sampler;
    uint8_t *p = frame_begin(MCUPROF_WIRE_SAMPLE);
    const uint8_t *end =
            p + MCUPROF_WIRE_PAYLOAD_MAX - MCUPROF_SAMPLE_PACKED_MAX;
    uint32_t tail = s->tail;
    uint32_t pc = 0;
    uint32_t context = 0;
    p = mcuprofi_put32(p, stream.sent);
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
        stream.sent++;
    }
    mcuprofi_barrier();
    s->tail = tail;
    frame_end(p);
}

/* Decides what is due by the clock; keeps the 64-bit time. */
static void keep_time(void)
{
    uint64_t ticks = mcuprofi_stream_ticks();
    uint32_t quarter = stream.mask / 4u;
    uint32_t every = stream.clock.hz < quarter ? stream.clock.hz : quarter;
    if (!mcuprofi_sampler.running) {
        return;
    }
    if (ticks - stream.time_ticks >= every && stream.waiting == 0) {
        take_checkpoint();
    }
    if (ticks - stream.hello_ticks >= stream.clock.hz
        || stream.bytes >= HELLO_EVERY_BYTES
        || stream.exception != mcuprofi_sampler.exception) {
        stream.due |= DUE_HELLO;
    }
}

/* Sends a frame of samples if enough are waiting, or for long enough. */
static int samples_due(void)
{
    const struct checkpoint *next = &stream.checkpoints[0];
    int waits = stream.waiting > 0;
    uint32_t limit = waits ? next->head : mcuprofi_sampler.head;
    uint32_t count = samples_waiting(limit);
    if (count == 0) {
        return 0;
    }
    if (!waits && count < BATCH
        && stream.ticks - stream.sample_ticks < stream.clock.hz / BATCH_WAITS) {
        return 0;
    }
    stream.sample_ticks = stream.ticks;
    frame_samples(limit, waits ? next->lost : mcuprofi_sampler.lost);
    return 1;
}

/* Builds the next frame; returns 0 if nothing is waiting. */
static int frame_next(void)
{
    if (stream.due & DUE_HELLO) {
        frame_hello();
        return 1;
    }
    if (stream.due & DUE_BUILD) {
        frame_build();
        return 1;
    }
    if (stream.due & DUE_CONTEXT) {
        frame_contexts();
        return 1;
    }
    if (stream.due & DUE_SELFTEST) {
        frame_selftest();
        return 1;
    }
    if (samples_due()) {
        return 1;
    }
    if (stream.due & DUE_TIME) {
        frame_time();
        return 1;
    }
    return 0;
}

/* Hands on what is left of the frame; returns 1 when all of it is taken. */
static int frame_send(void)
{
    while (stream.frame_sent < stream.frame_size) {
        size_t left = (size_t)(stream.frame_size - stream.frame_sent);
        size_t taken =
                stream.config.write(stream.frame + stream.frame_sent, left);
        if (taken == 0) {
            return 0;
        }
        taken = taken < left ? taken : left;
        stream.frame_sent = (uint16_t)(stream.frame_sent + taken);
    }
    return 1;
}

int mcuprof_poll(void)
{
    if (!stream.initialised) {
        return MCUPROF_ESTATE;
    }
    keep_time();
    unsigned known = stream.identity.flags & MCUPROF_HELLO_IDENTITY;
    int more = mcuprofi_identity_step(&stream.identity, MCUPROF_IDENTITY_SLICE);
    if (!more && !known) {
        stream.due |= DUE_HELLO;
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
