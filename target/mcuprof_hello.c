/* SPDX-License-Identifier: MIT */
/*
 * What a firmware says of itself, in a stream or in the call ring's block: its
 * clock, its identity, the names of its contexts.
 */
#include "mcuprof_ring.h"
#include "mcuprof_stream.h"

#if MCUPROF_ENABLED && (MCUPROF_STREAM || MCUPROF_TRACE || MCUPROF_FUNCTIONS)

struct mcuprofi_stream mcuprofi_stream;

static void mcuprofi_choose_clock(void)
{
    const struct mcuprof_config *config = &mcuprofi_stream.config;
    struct mcuprofi_clock *clock = &mcuprofi_stream.clock;
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
}

static uint32_t mcuprofi_configured_hz(const struct mcuprof_config *config)
{
    int has_own = config->clock != NULL && config->clock_hz != 0;
    return has_own ? config->clock_hz : config->core_hz;
}

/*
 * Sources that are not a register of their own: time is what the sampler adds
 * up, to 32 bits, and stands still while it does not run.
 */
static void mcuprofi_describe_clock(struct mcuprofi_clock *clock)
{
    clock->adds_up = clock->source == MCUPROF_CLOCK_NONE
                     || clock->source > MCUPROF_CLOCK_SYSTICK;
    clock->is_plain =
            !clock->adds_up && clock->mask == 0xFFFFFFFFu && clock->flip == 0;
    mcuprofi_stream.mask = clock->adds_up ? 0xFFFFFFFFu : clock->mask;
}

uint64_t mcuprofi_stream_ticks(void)
{
    uint32_t now = mcuprofi_stream_now();
    mcuprofi_stream.ticks +=
            (now - mcuprofi_stream.last) & mcuprofi_stream.mask;
    mcuprofi_stream.last = now;
    return mcuprofi_stream.ticks;
}

void mcuprofi_stream_clock(const struct mcuprof_config *config,
                           const struct mcuprof_timer *timer)
{
    mcuprofi_stream.config = *config;
    mcuprofi_stream.config.timer = timer;
    mcuprofi_stream.timer = timer;
    mcuprofi_stream.vectors = mcuprof_port_vectors();
    mcuprofi_choose_clock();
    mcuprofi_stream.clock.hz = mcuprofi_configured_hz(config);
    mcuprofi_describe_clock(&mcuprofi_stream.clock);
}

void mcuprofi_stream_lend_clock(void)
{
    struct mcuprofi_clock *clock = &mcuprofi_stream.clock;
    struct mcuprof_config config = mcuprofi_stream.config;
    if (clock->source != MCUPROF_CLOCK_SYSTICK_SAMPLER
        || mcuprofi_stream_running()) {
        return;
    }
    /* As if no timer of ours were there that needs it. */
    config.timer = NULL;
    mcuprof_port_clock_choose(&config, clock);
    mcuprofi_describe_clock(clock);
    mcuprofi_stream.last = mcuprofi_stream_now();
}

int mcuprofi_stream_return_clock(void)
{
    struct mcuprofi_clock *clock = &mcuprofi_stream.clock;
    if (clock->source != MCUPROF_CLOCK_SYSTICK
        || mcuprofi_stream.timer != &mcuprof_timer_systick) {
        return 1;
    }
    if ((MCUPROF_TRACE && mcuprofi_trace_is_open())
        || (MCUPROF_FUNCTIONS && mcuprofi_functions_is_open())) {
        return 0;
    }
    mcuprofi_choose_clock();
    mcuprofi_describe_clock(clock);
    mcuprofi_stream.last = mcuprofi_stream_now();
    return 1;
}

int mcuprof_context_name(unsigned context, const char *name)
{
    if (context > MCUPROFI_CONTEXT_MAX) {
        return MCUPROF_EINVAL;
    }
    struct mcuprofi_context_name *free_slot = NULL;
    struct mcuprofi_context_name *slot = NULL;
    for (size_t i = 0; i < MCUPROF_CONTEXTS; i++) {
        if (mcuprofi_stream.names[i].name == NULL) {
            free_slot =
                    free_slot != NULL ? free_slot : &mcuprofi_stream.names[i];
        } else if (mcuprofi_stream.names[i].context == context) {
            slot = &mcuprofi_stream.names[i];
        }
    }
    slot = slot != NULL ? slot : free_slot;
    if (slot == NULL) {
        return name != NULL ? MCUPROF_ENOSPACE : 0;
    }
    slot->name = name;
    slot->context = (uint16_t)context;
    mcuprofi_stream.due |= MCUPROFI_DUE_CONTEXT;
    return 0;
}

uint8_t *mcuprofi_put_bytes(uint8_t *to, const void *from, size_t size)
{
    const uint8_t *p = (const uint8_t *)from;
    for (size_t i = 0; i < size; i++) {
        to[i] = p[i];
        /* Else gcc makes it a call of memcpy(), which may not be there. */
        mcuprofi_barrier();
    }
    return to + size;
}

/* What HELLO says of the sampler. */
struct sampler_facts {
    uint32_t running;
    uint32_t shift;
    uint32_t cost;
    uint32_t ring_log2;
    uint32_t priority;
    uint32_t flags;
};

#if MCUPROF_STREAM

static uint32_t mcuprofi_ring_log2(void)
{
    uint32_t n = 0;
    while ((1u << n) < MCUPROF_SAMPLE_RING) {
        n++;
    }
    return n;
}

static uint32_t mcuprofi_sampler_flags(void)
{
    uint32_t flags = 0;
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

static void mcuprofi_describe_sampler(struct sampler_facts *facts)
{
    int priority = mcuprof_port_priority(mcuprofi_stream.exception);
    facts->running = mcuprofi_sampler.running;
    facts->shift = mcuprofi_sampler.shift;
    facts->cost =
            mcuprofi_stream.cost < 0xFFFFu ? mcuprofi_stream.cost : 0xFFFFu;
    facts->ring_log2 = mcuprofi_ring_log2();
    facts->priority = priority > 0 ? (uint32_t)priority : 0;
    facts->flags = mcuprofi_sampler_flags();
}

#else

static void mcuprofi_describe_sampler(struct sampler_facts *facts)
{
    mcuprofi_clear(facts, sizeof(*facts));
}

#endif

#if MCUPROF_TRACE && MCUPROF_FUNCTIONS
/* While the table counts the ring's times have its hooks in them, too. */
#define TRACE_COST (mcuprofi_trace_costs.total + mcuprofi_functions_on_top())
#define TRACE_INNER                                                            \
    (mcuprofi_trace_costs.inner + mcuprofi_functions_on_top() / 2u)
#elif MCUPROF_TRACE
#define TRACE_COST mcuprofi_trace_costs.total
#define TRACE_INNER mcuprofi_trace_costs.inner
#endif

#if MCUPROF_TRACE
#define TRACE_MODE mcuprof_trace.block.mode
#define TRACE_FLAGS mcuprofi_trace_flags
#else
#define TRACE_COST 0
#define TRACE_INNER 0
#define TRACE_MODE 0
#define TRACE_FLAGS 0
#endif

uint8_t *mcuprofi_put_hello(uint8_t *p)
{
    struct sampler_facts sampler;
    unsigned flags = mcuprofi_stream.identity.flags;
    mcuprofi_describe_sampler(&sampler);
    flags |= mcuprofi_stream.start ? MCUPROF_HELLO_START : 0u;
    flags |= sampler.running ? MCUPROF_HELLO_RUNNING : 0u;
    *p++ = MCUPROF_WIRE_VERSION;
    *p++ = (uint8_t)flags;
    *p++ = mcuprofi_stream.clock.source;
    *p++ = mcuprofi_stream.clock.reason;
    *p++ = mcuprofi_stream.clock.bits;
    *p++ = (uint8_t)sampler.shift;
    p = mcuprofi_put16(p, sampler.cost);
    p = mcuprofi_put32(p, mcuprof_port_cpuid());
    p = mcuprofi_put32(p, mcuprofi_stream.boot_id);
    p = mcuprofi_put32(p, mcuprofi_stream.clock.hz);
    p = mcuprofi_put32(p, mcuprofi_stream.period);
    p = mcuprofi_put32(p, mcuprofi_stream.config.second_hz);
    p = mcuprofi_put32(p, mcuprofi_stream.identity.start);
    p = mcuprofi_put32(p, mcuprofi_stream.identity.length);
    p = mcuprofi_put_bytes(p, mcuprofi_stream.identity.value,
                           sizeof(mcuprofi_stream.identity.value));
    p = mcuprofi_put16(p, TRACE_COST);
    *p++ = (MCUPROF_STREAM ? MCUPROF_ENGINE_SAMPLER : 0)
           | (MCUPROF_HOTSPOTS ? MCUPROF_ENGINE_HOTSPOTS : 0)
           | (MCUPROF_TRACE ? MCUPROF_ENGINE_TRACE : 0)
           | (MCUPROF_FUNCTIONS ? MCUPROF_ENGINE_FUNCTIONS : 0);
    *p++ = (uint8_t)sampler.ring_log2;
    p = mcuprofi_put32(p, mcuprofi_stream.vectors);
    p = mcuprofi_put16(p, mcuprofi_stream.exception);
    *p++ = (uint8_t)sampler.priority;
    *p++ = (uint8_t)sampler.flags;
    p = mcuprofi_put16(p, TRACE_INNER);
    *p++ = TRACE_MODE;
    *p++ = TRACE_FLAGS;
    return p;
}

#endif
