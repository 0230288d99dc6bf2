/* SPDX-License-Identifier: MIT */
#include "decode.h"

#include "bytes.h"
#include "functions_unpack.h"
#include "trace_pack.h"
#include "varint.h"

#include <string.h>

/* A record takes two bytes at least: pc and lateness. */
#define SAMPLES_MAX ((MCUPROF_WIRE_PAYLOAD_MAX - MCUPROF_RECORDS_HEAD_SIZE) / 2)

int decoder_init(struct decoder *decoder, const struct decode_handler *handler)
{
    memset(decoder, 0, sizeof *decoder);
    decoder->handler = handler;
    return ledger_init(&decoder->ledger);
}

void decoder_deinit(struct decoder *decoder)
{
    ledger_deinit(&decoder->ledger);
}

static void unpack_hello(struct wire_hello *hello, const uint8_t *p)
{
    uint8_t flags = p[MCUPROF_HELLO_FLAGS];
    struct wire_identity *identity = &hello->identity;

    hello->version = p[MCUPROF_HELLO_VERSION];
    hello->start = (flags & MCUPROF_HELLO_START) != 0;
    hello->running = (flags & MCUPROF_HELLO_RUNNING) != 0;
    hello->clock_source = p[MCUPROF_HELLO_CLOCK_SOURCE];
    hello->clock_reason = p[MCUPROF_HELLO_CLOCK_REASON];
    hello->clock_bits = p[MCUPROF_HELLO_CLOCK_BITS];
    hello->lateness_shift = p[MCUPROF_HELLO_LATENESS_SHIFT];
    hello->sampler_cost = bytes_get16(p + MCUPROF_HELLO_SAMPLER_COST);
    hello->cpuid = bytes_get32(p + MCUPROF_HELLO_CPUID);
    hello->boot_id = bytes_get32(p + MCUPROF_HELLO_BOOT_ID);
    hello->clock_hz = bytes_get32(p + MCUPROF_HELLO_CLOCK_HZ);
    hello->period = bytes_get32(p + MCUPROF_HELLO_PERIOD);
    hello->second_hz = bytes_get32(p + MCUPROF_HELLO_SECOND_HZ);
    hello->engines = p[MCUPROF_HELLO_ENGINES];
    hello->ring_log2 = p[MCUPROF_HELLO_RING_LOG2];
    hello->vectors = bytes_get32(p + MCUPROF_HELLO_VECTORS);
    hello->sampler_exception = bytes_get16(p + MCUPROF_HELLO_SAMPLER_EXCEPTION);
    hello->sampler_priority = p[MCUPROF_HELLO_SAMPLER_PRIORITY];
    hello->sampler_flags = p[MCUPROF_HELLO_SAMPLER_FLAGS];
    hello->hook_cost = bytes_get16(p + MCUPROF_HELLO_HOOK_COST);
    hello->hook_inner = bytes_get16(p + MCUPROF_HELLO_HOOK_INNER);
    hello->selects =
            (p[MCUPROF_HELLO_TRACE_FLAGS] & MCUPROF_TRACE_SELECTED) != 0;
    hello->trace_mode = p[MCUPROF_HELLO_TRACE_MODE];
    identity->valid = (flags & MCUPROF_HELLO_IDENTITY) != 0;
    identity->partial = (flags & MCUPROF_HELLO_PARTIAL) != 0;
    identity->build_id = (flags & MCUPROF_HELLO_BUILD_ID) != 0;
    identity->read = (flags & MCUPROF_HELLO_IDENTITY_READ) != 0;
    identity->start = bytes_get32(p + MCUPROF_HELLO_IDENTITY_START);
    identity->length = bytes_get32(p + MCUPROF_HELLO_IDENTITY_LENGTH);
    memcpy(identity->value, p + MCUPROF_HELLO_IDENTITY_VALUE,
           sizeof identity->value);
}

static bool same_identity(const struct wire_identity *a,
                          const struct wire_identity *b)
{
    return a->start == b->start && a->length == b->length
           && memcmp(a->value, b->value, sizeof a->value) == 0;
}

static void note_identity(struct decoder *decoder,
                          const struct wire_identity *identity)
{
    if (!identity->valid)
        return;
    if (decoder->identity.valid && !same_identity(identity, &decoder->identity))
        ledger_begin_segment(&decoder->ledger);
    decoder->identity = *identity;
}

int decode_hello(struct wire_hello *hello, const uint8_t *payload, size_t size)
{
    uint8_t whole[MCUPROF_HELLO_SIZE] = {0};

    if (size < 1)
        return MCUPROF_E_FORMAT;
    if (payload[0] > MCUPROF_WIRE_VERSION)
        return MCUPROF_E_VERSION;
    if (size < MCUPROF_HELLO_SIZE_MIN || payload[0] == 0)
        return MCUPROF_E_FORMAT;
    memcpy(whole, payload, size < sizeof whole ? size : sizeof whole);
    unpack_hello(hello, whole);
    return 0;
}

static int take_hello(struct decoder *decoder, const struct frame *frame)
{
    struct wire_hello hello = {0};
    int error = decode_hello(&hello, frame->payload, frame->size);

    if (error == MCUPROF_E_VERSION)
        decoder->stats.newer_version = frame->payload[0];
    if (error < 0)
        return error;
    if (hello.start)
        ledger_begin_segment(&decoder->ledger);
    note_identity(decoder, &hello.identity);
    decoder->has_hello = true;
    decoder->running = hello.running;
    decoder->boot_id = hello.boot_id;
    decoder->clock_bits = hello.clock_bits;
    decoder->trace_streams = hello.trace_mode == MCUPROF_TRACE_MODE_STREAM;
    if (decoder->handler->hello == NULL)
        return 0;
    return decoder->handler->hello(decoder->handler->context, &hello);
}

/* Bytes that would move a terminal's cursor become dots. */
static void copy_text(char *out, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        out[i] = (char)(bytes[i] < 0x20 || bytes[i] == 0x7F ? '.' : bytes[i]);
    out[size] = '\0';
}

static int take_build(struct decoder *decoder, const struct frame *frame)
{
    char text[MCUPROF_WIRE_PAYLOAD_MAX + 1];

    copy_text(text, frame->payload, frame->size);
    if (decoder->handler->build == NULL)
        return 0;
    return decoder->handler->build(decoder->handler->context, text);
}

static bool unpack_sampler_time(struct wire_time *time, const uint8_t *entry,
                                size_t size)
{
    if (size < MCUPROF_TIME_SAMPLER_SIZE)
        return false;
    time->sampler = true;
    time->produced = bytes_get32(entry + MCUPROF_TIME_ENTRY_PRODUCED);
    time->lost = bytes_get32(entry + MCUPROF_TIME_ENTRY_LOST);
    time->missed = bytes_get32(entry + MCUPROF_TIME_ENTRY_MISSED);
    time->longest = bytes_get32(entry + MCUPROF_TIME_ENTRY_LONGEST);
    time->longest_pc = bytes_get32(entry + MCUPROF_TIME_ENTRY_LONGEST_PC);
    return true;
}

static bool unpack_trace_time(struct wire_time *time, const uint8_t *entry,
                              size_t size)
{
    if (size < MCUPROF_TIME_TRACE_SIZE)
        return false;
    time->has_trace = true;
    time->trace.produced = bytes_get32(entry + MCUPROF_TIME_ENTRY_PRODUCED);
    time->trace.lost = bytes_get32(entry + MCUPROF_TIME_ENTRY_LOST);
    time->trace.clock = bytes_get32(entry + MCUPROF_TIME_ENTRY_CLOCK);
    return true;
}

/* What an engine that is not known says is left alone. */
static bool unpack_time_entry(struct wire_time *time, const uint8_t *entry,
                              size_t size)
{
    switch (entry[MCUPROF_TIME_ENTRY_ENGINE]) {
    case MCUPROF_ENGINE_SAMPLER:
        return unpack_sampler_time(time, entry, size);
    case MCUPROF_ENGINE_TRACE:
        return unpack_trace_time(time, entry, size);
    default:
        return true;
    }
}

static int unpack_time(struct wire_time *time, const struct frame *frame)
{
    const uint8_t *p = frame->payload;
    size_t size;

    if (frame->size < MCUPROF_TIME_ENTRIES)
        return MCUPROF_E_FORMAT;
    time->ticks = bytes_get64(p + MCUPROF_TIME_TICKS);
    time->second = bytes_get64(p + MCUPROF_TIME_SECOND);
    for (size_t at = MCUPROF_TIME_ENTRIES; at < frame->size; at += size) {
        const uint8_t *entry = p + at;

        if (frame->size - at < 2)
            return MCUPROF_E_FORMAT;
        size = entry[MCUPROF_TIME_ENTRY_SIZE];
        if (size < 2 || size > frame->size - at
            || !unpack_time_entry(time, entry, size))
            return MCUPROF_E_FORMAT;
    }
    return 0;
}

/* A ring that stays in RAM has counts of its own, of which nothing comes. */
static bool trace_counts(const struct decoder *decoder,
                         const struct wire_time *time)
{
    return time->has_trace && decoder->trace_streams;
}

static int take_time(struct decoder *decoder, const struct frame *frame)
{
    struct wire_time time = {0};
    int error = unpack_time(&time, frame);

    if (error < 0)
        return error;
    ledger_time(&decoder->ledger,
                &(struct ledger_time){
                        .ticks = time.ticks,
                        .second = time.second,
                        .samples = {.known = time.sampler,
                                    .produced = time.produced,
                                    .lost = time.lost},
                        .trace = {.known = trace_counts(decoder, &time),
                                  .produced = time.trace.produced,
                                  .lost = time.trace.lost},
                        .missed = time.missed,
                        .running = decoder->running || !decoder->has_hello,
                });
    if (decoder->handler->time == NULL)
        return 0;
    return decoder->handler->time(decoder->handler->context, &time);
}

static size_t context_size(const uint8_t *record)
{
    return MCUPROF_CONTEXT_HEAD_SIZE + (size_t)record[3];
}

static bool contexts_are_sound(const struct frame *frame)
{
    size_t at = 0;

    while (at < frame->size) {
        const uint8_t *record = frame->payload + at;

        if (frame->size - at < MCUPROF_CONTEXT_HEAD_SIZE
            || record[3] > MCUPROF_CONTEXT_NAME_MAX
            || context_size(record) > frame->size - at)
            return false;
        at += context_size(record);
    }
    return true;
}

static int take_context(struct decoder *decoder, const struct frame *frame)
{
    int error = 0;

    if (!contexts_are_sound(frame))
        return MCUPROF_E_FORMAT;
    if (decoder->handler->name == NULL)
        return 0;
    for (size_t at = 0; at < frame->size && error == 0;) {
        const uint8_t *record = frame->payload + at;
        struct wire_context context = {
                .id = bytes_get16(record),
                .unseen = (record[2] & MCUPROF_CONTEXT_UNSEEN) != 0,
                .named = (record[2] & MCUPROF_CONTEXT_NAMED) != 0,
        };

        copy_text(context.name, record + MCUPROF_CONTEXT_HEAD_SIZE, record[3]);
        error = decoder->handler->name(decoder->handler->context, &context);
        at += context_size(record);
    }
    return error;
}

static int take_selftest(struct decoder *decoder, const struct frame *frame)
{
    const uint8_t *p = frame->payload;
    struct wire_selftest selftest;

    if (frame->size < MCUPROF_SELFTEST_SIZE)
        return MCUPROF_E_FORMAT;
    selftest.three = bytes_get32(p + MCUPROF_SELFTEST_THREE);
    selftest.one = bytes_get32(p + MCUPROF_SELFTEST_ONE);
    selftest.three_ticks = bytes_get32(p + MCUPROF_SELFTEST_THREE_TICKS);
    selftest.one_ticks = bytes_get32(p + MCUPROF_SELFTEST_ONE_TICKS);
    selftest.produced = bytes_get32(p + MCUPROF_SELFTEST_PRODUCED);
    selftest.rounds = bytes_get32(p + MCUPROF_SELFTEST_ROUNDS);
    if (decoder->handler->selftest == NULL)
        return 0;
    return decoder->handler->selftest(decoder->handler->context, &selftest);
}

static void unpack_hotspots(struct wire_hotspots *part,
                            const struct frame *frame)
{
    const uint8_t *p = frame->payload;
    const uint8_t *unit = p + MCUPROF_HOTSPOTS_UNITS;

    part->sequence = bytes_get32(p + MCUPROF_HOTSPOTS_SEQUENCE);
    part->samples = bytes_get32(p + MCUPROF_HOTSPOTS_SAMPLES);
    part->ignored = bytes_get32(p + MCUPROF_HOTSPOTS_IGNORED);
    part->half_life = bytes_get32(p + MCUPROF_HOTSPOTS_HALF_LIFE);
    part->grain_log2 = p[MCUPROF_HOTSPOTS_GRAIN_LOG2];
    part->capacity = p[MCUPROF_HOTSPOTS_CAPACITY];
    part->used = p[MCUPROF_HOTSPOTS_USED];
    part->first = p[MCUPROF_HOTSPOTS_FIRST];
    for (size_t i = 0; i < part->count; i++, unit += MCUPROF_HOTSPOT_SIZE) {
        part->units[i].pc = bytes_get32(unit + MCUPROF_HOTSPOT_PC);
        part->units[i].ratio = bytes_get16(unit + MCUPROF_HOTSPOT_RATIO);
        part->units[i].bound = bytes_get16(unit + MCUPROF_HOTSPOT_BOUND);
    }
}

static bool units_are_sound(const struct wire_hotspots *part)
{
    unsigned sum = 0;

    for (size_t i = 0; i < part->count; i++) {
        const struct wire_hotspot *unit = &part->units[i];

        sum += unit->ratio;
        if ((unit->pc & 1) != 0 || unit->bound > MCUPROF_HOTSPOT_WHOLE
            || sum > MCUPROF_HOTSPOT_WHOLE)
            return false;
    }
    return true;
}

/* Rows fill the payload; there is no telling them from what a later format
   could put behind them. */
static bool hotspots_are_sound(struct wire_hotspots *part,
                               const struct frame *frame)
{
    size_t rows;

    if (frame->size < MCUPROF_HOTSPOTS_UNITS)
        return false;
    rows = frame->size - MCUPROF_HOTSPOTS_UNITS;
    if (rows % MCUPROF_HOTSPOT_SIZE != 0)
        return false;
    part->count = (uint8_t)(rows / MCUPROF_HOTSPOT_SIZE);
    unpack_hotspots(part, frame);
    return part->grain_log2 >= MCUPROF_HOTSPOTS_GRAIN_LOG2_MIN
           && part->grain_log2 <= MCUPROF_HOTSPOTS_GRAIN_LOG2_MAX
           && part->capacity > 0 && part->used <= part->capacity
           && part->first + part->count <= part->used && units_are_sound(part);
}

static int take_hotspots(struct decoder *decoder, const struct frame *frame)
{
    struct wire_hotspots part;

    if (!hotspots_are_sound(&part, frame)) {
        decoder->stats.bad_hotspots++;
        return MCUPROF_E_FORMAT;
    }
    if (decoder->handler->hotspots == NULL)
        return 0;
    return decoder->handler->hotspots(decoder->handler->context, &part);
}

static int take_functions(struct decoder *decoder, const struct frame *frame)
{
    struct wire_functions part;
    int error = functions_unpack(&part, frame->payload, frame->size);

    if (error < 0) {
        decoder->stats.bad_functions++;
        return error;
    }
    if (decoder->handler->functions == NULL)
        return 0;
    return decoder->handler->functions(decoder->handler->context, &part);
}

/* Returns the number of samples, or MCUPROF_E_FORMAT. */
static int unpack_samples(struct wire_sample *samples, const uint8_t *at,
                          const uint8_t *end)
{
    uint32_t half = 0;
    uint32_t context = 0;
    int count = 0;

    while (at < end) {
        uint32_t step = 0;
        uint32_t lateness = 0;

        if (count == SAMPLES_MAX || !varint_get(&at, end, 5, &step))
            return MCUPROF_E_FORMAT;
        if ((step & 1) != 0 && !varint_get(&at, end, 3, &context))
            return MCUPROF_E_FORMAT;
        if (!varint_get(&at, end, 3, &lateness) || context > UINT16_MAX
            || lateness > UINT16_MAX)
            return MCUPROF_E_FORMAT;
        half += varint_unzigzag31(step >> 1);
        samples[count].pc = half << 1;
        samples[count].context = (uint16_t)context;
        samples[count].lateness = (uint16_t)lateness;
        count++;
    }
    return count;
}

static int take_samples(struct decoder *decoder, const struct frame *frame)
{
    const uint8_t *p = frame->payload;
    struct wire_sample samples[SAMPLES_MAX];
    int count;

    if (frame->size < MCUPROF_RECORDS_HEAD_SIZE)
        return MCUPROF_E_FORMAT;
    count = unpack_samples(samples, p + MCUPROF_RECORDS_HEAD_SIZE,
                           p + frame->size);
    if (count < 0)
        return count;
    ledger_records(&decoder->ledger, LEDGER_SAMPLER,
                   bytes_get32(p + MCUPROF_RECORDS_FIRST),
                   bytes_get32(p + MCUPROF_RECORDS_LOST), (uint32_t)count);
    if (decoder->handler->samples == NULL)
        return 0;
    return decoder->handler->samples(decoder->handler->context, samples,
                                     (size_t)count);
}

static int take_trace(struct decoder *decoder, const struct frame *frame)
{
    const uint8_t *p = frame->payload;
    struct wire_trace records[WIRE_TRACE_MAX];
    struct wire_trace_part part = {.records = records};
    int count;

    if (frame->size < MCUPROF_TRACE_FRAME_RECORDS)
        return MCUPROF_E_FORMAT;
    count = trace_unpack(records, p + MCUPROF_TRACE_FRAME_RECORDS,
                         frame->size - MCUPROF_TRACE_FRAME_RECORDS,
                         bytes_get32(p + MCUPROF_TRACE_FRAME_TIME),
                         trace_clock_mask(decoder->clock_bits));
    if (count < 0)
        return count;
    part.first = bytes_get32(p + MCUPROF_RECORDS_FIRST);
    part.lost = bytes_get32(p + MCUPROF_RECORDS_LOST);
    part.context = bytes_get16(p + MCUPROF_TRACE_FRAME_CONTEXT);
    part.count = (size_t)count;
    ledger_records(&decoder->ledger, LEDGER_TRACE, part.first, part.lost,
                   (uint32_t)count);
    if (decoder->handler->trace == NULL)
        return 0;
    return decoder->handler->trace(decoder->handler->context, &part);
}

static int take_ring(struct decoder *decoder, const struct frame *frame)
{
    uint8_t p[MCUPROF_RING_SIZE_READ] = {0};
    struct wire_ring ring;

    if (frame->size < MCUPROF_RING_SIZE)
        return MCUPROF_E_FORMAT;
    memcpy(p, frame->payload, frame->size < sizeof p ? frame->size : sizeof p);
    ring.state = p[MCUPROF_RING_STATE] & (uint8_t)~MCUPROF_TRACE_STATE_KEPT;
    ring.kept = (p[MCUPROF_RING_STATE] & MCUPROF_TRACE_STATE_KEPT) != 0;
    ring.mode = p[MCUPROF_RING_MODE];
    ring.records = bytes_get32(p + MCUPROF_RING_RECORDS);
    ring.pc = bytes_get32(p + MCUPROF_RING_PC);
    ring.lr = bytes_get32(p + MCUPROF_RING_LR);
    ring.xpsr = bytes_get32(p + MCUPROF_RING_XPSR);
    ring.fault = bytes_get32(p + MCUPROF_RING_FAULT);
    ring.halted_us = bytes_get32(p + MCUPROF_RING_HALTED);
    ring.unnamed = bytes_get16(p + MCUPROF_RING_UNNAMED);
    ledger_ring(&decoder->ledger, bytes_get32(p + MCUPROF_RING_BEFORE_HIGH));
    if (decoder->handler->ring == NULL)
        return 0;
    return decoder->handler->ring(decoder->handler->context, &ring);
}

static int tell_restart(const struct decoder *decoder)
{
    if (decoder->handler->restart == NULL)
        return 0;
    return decoder->handler->restart(decoder->handler->context);
}

static void unpack_host(struct wire_host *host, const struct frame *frame)
{
    size_t size = frame->size - MCUPROF_HOST_STRINGS;
    const uint8_t *text = frame->payload + MCUPROF_HOST_STRINGS;
    const uint8_t *end = memchr(text, 0, size);
    size_t version = end != NULL ? (size_t)(end - text) : size;
    size_t path = end != NULL ? size - version - 1 : 0;

    host->unix_ms = bytes_get64(frame->payload + MCUPROF_HOST_TIME);
    copy_text(host->version, text, version);
    if (path > 0)
        memcpy(host->elf, text + version + 1, path);
    host->elf[path] = '\0';
}

/* Not of the target: outside of seq, and a new beginning for the losses. */
static int take_host(struct decoder *decoder, const struct frame *frame)
{
    struct wire_host host = {0};
    int error;

    if (frame->size < MCUPROF_HOST_STRINGS)
        return MCUPROF_E_FORMAT;
    if (decoder->has_host && decoder->host_crc == frame->crc) {
        decoder->ledger.totals.frames_repeated++;
        return 0;
    }
    decoder->has_host = true;
    decoder->host_crc = frame->crc;
    unpack_host(&host, frame);
    ledger_begin_recording(&decoder->ledger);
    decoder->has_hello = false;
    decoder->stats.by_type[MCUPROF_WIRE_HOST]++;
    error = tell_restart(decoder);
    if (error < 0 || decoder->handler->host == NULL)
        return error;
    return decoder->handler->host(decoder->handler->context, &host);
}

/* Another boot id, or the HELLO with which a boot's sampling begins. */
static bool announces_boot(const struct decoder *decoder,
                           const struct frame *frame)
{
    const uint8_t *p = frame->payload;

    if (frame->type != MCUPROF_WIRE_HELLO
        || frame->size < MCUPROF_HELLO_SIZE_MIN)
        return false;
    if (frame->seq == 0 && decoder->ledger.began
        && (p[MCUPROF_HELLO_FLAGS] & MCUPROF_HELLO_START) != 0)
        return true;
    return decoder->has_hello
           && bytes_get32(p + MCUPROF_HELLO_BOOT_ID) != decoder->boot_id;
}

static bool totals_run_backwards(const struct decoder *decoder,
                                 const struct frame *frame)
{
    const struct ledger *ledger = &decoder->ledger;
    struct wire_time time = {0};

    if (unpack_time(&time, frame) < 0)
        return false;
    return (time.sampler
            && ledger_records_restart(ledger, LEDGER_SAMPLER,
                                      time.produced - time.lost, time.lost))
           || (trace_counts(decoder, &time)
               && ledger_records_restart(ledger, LEDGER_TRACE,
                                         time.trace.produced - time.trace.lost,
                                         time.trace.lost));
}

/* A restart whose HELLO was lost: the counts begin at 0 again. */
static bool counts_run_backwards(const struct decoder *decoder,
                                 const struct frame *frame)
{
    const uint8_t *p = frame->payload;

    switch (frame->type) {
    case MCUPROF_WIRE_SAMPLE:
    case MCUPROF_WIRE_TRACE:
        return frame->size >= MCUPROF_RECORDS_HEAD_SIZE
               && ledger_records_restart(&decoder->ledger,
                                         frame->type == MCUPROF_WIRE_SAMPLE
                                                 ? LEDGER_SAMPLER
                                                 : LEDGER_TRACE,
                                         bytes_get32(p + MCUPROF_RECORDS_FIRST),
                                         bytes_get32(p + MCUPROF_RECORDS_LOST));
    case MCUPROF_WIRE_TIME:
        return totals_run_backwards(decoder, frame);
    default:
        return false;
    }
}

static const struct {
    uint8_t type;
    int (*take)(struct decoder *decoder, const struct frame *frame);
} takers[] = {
        {MCUPROF_WIRE_SAMPLE, take_samples},
        {MCUPROF_WIRE_TRACE, take_trace},
        {MCUPROF_WIRE_TIME, take_time},
        {MCUPROF_WIRE_HELLO, take_hello},
        {MCUPROF_WIRE_BUILD, take_build},
        {MCUPROF_WIRE_CONTEXT, take_context},
        {MCUPROF_WIRE_SELFTEST, take_selftest},
        {MCUPROF_WIRE_HOTSPOTS, take_hotspots},
        {MCUPROF_WIRE_FUNCTIONS, take_functions},
        {MCUPROF_WIRE_RING, take_ring},
};

static int take_known(struct decoder *decoder, const struct frame *frame)
{
    for (size_t i = 0; i < sizeof takers / sizeof takers[0]; i++)
        if (takers[i].type == frame->type)
            return takers[i].take(decoder, frame);
    decoder->stats.unknown++;
    return 0;
}

static bool is_start(const struct frame *frame)
{
    return frame->type == MCUPROF_WIRE_HELLO && frame->seq == 0
           && frame->size >= MCUPROF_HELLO_SIZE_MIN
           && (frame->payload[MCUPROF_HELLO_FLAGS] & MCUPROF_HELLO_START) != 0;
}

static void note_repeated(struct decoder *decoder, const struct frame *frame)
{
    decoder->ledger.totals.frames_repeated++;
    decoder->repeats_start = is_start(frame);
    if (!decoder->repeats_start)
        return;
    decoder->first.crc = frame->crc;
    decoder->first.size = frame->size;
    memcpy(decoder->first.payload, frame->payload, frame->size);
}

static int begin_boot(struct decoder *decoder, uint16_t seq)
{
    ledger_begin_boot(&decoder->ledger, seq);
    /* Until the next HELLO its boot id is not known. */
    decoder->has_hello = false;
    return tell_restart(decoder);
}

/*
 * A boot that found the ring of the one before begins with that one's HELLO,
 * which is no repetition if the ring follows.
 */
static int take_start_again(struct decoder *decoder)
{
    const struct frame hello = {.type = MCUPROF_WIRE_HELLO,
                                .size = decoder->first.size,
                                .payload = decoder->first.payload,
                                .crc = decoder->first.crc};
    int error = begin_boot(decoder, 0);

    decoder->ledger.totals.frames_repeated--;
    ledger_frame(&decoder->ledger, 0, hello.crc);
    decoder->stats.by_type[MCUPROF_WIRE_HELLO]++;
    decoder->stats.target_frames++;
    return error < 0 ? error : take_hello(decoder, &hello);
}

/* IS_NEW says whether FRAME is; a restart is booked and told before it. */
static int admit(struct decoder *decoder, const struct frame *frame,
                 bool *is_new)
{
    struct ledger *ledger = &decoder->ledger;
    enum arrival arrival = ledger_arrival(ledger, frame->seq, frame->crc);
    bool announced = announces_boot(decoder, frame);
    int error = 0;

    *is_new = false;
    if (arrival == ARRIVAL_REPEATED) {
        note_repeated(decoder, frame);
        return 0;
    }
    if (arrival == ARRIVAL_LATE && !announced) {
        ledger->totals.frames_late++;
        return 0;
    }
    if (announced || arrival == ARRIVAL_RESTART
        || counts_run_backwards(decoder, frame))
        error = begin_boot(decoder, frame->seq);
    ledger_frame(ledger, frame->seq, frame->crc);
    *is_new = true;
    return error;
}

int decoder_frame(void *context, const struct frame *frame)
{
    struct decoder *decoder = context;
    bool starts_again = decoder->repeats_start
                        && frame->type == MCUPROF_WIRE_RING && frame->seq == 1
                        && ledger_arrival(&decoder->ledger, 1, frame->crc)
                                   != ARRIVAL_REPEATED;
    bool is_new = false;
    int error = 0;

    decoder->repeats_start = false;
    if (frame->type == MCUPROF_WIRE_HOST)
        return take_host(decoder, frame);
    if (starts_again)
        error = take_start_again(decoder);
    if (error == 0)
        error = admit(decoder, frame, &is_new);
    if (error < 0 || !is_new)
        return error;
    error = take_known(decoder, frame);
    if (error == MCUPROF_E_FORMAT)
        return error;
    decoder->stats.by_type[frame->type]++;
    decoder->stats.target_frames++;
    return error;
}

size_t decode_pack_host(uint8_t payload[MCUPROF_WIRE_PAYLOAD_MAX],
                        uint64_t unix_ms, const char *version, const char *elf)
{
    size_t head = MCUPROF_HOST_STRINGS + strlen(version) + 1;
    size_t size = head + strlen(elf);

    if (size > MCUPROF_WIRE_PAYLOAD_MAX)
        return 0;
    bytes_put64(payload + MCUPROF_HOST_TIME, unix_ms);
    memcpy(payload + MCUPROF_HOST_STRINGS, version, strlen(version) + 1);
    memcpy(payload + head, elf, strlen(elf));
    return size;
}
