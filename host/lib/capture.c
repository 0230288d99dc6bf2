/* SPDX-License-Identifier: MIT */
#include "capture.h"

#include "units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE 65536
#define CONTEXT_IDS 65536u

/* Hand what a callback got on to the follower. */
#define FOLLOW(capture, member, ...)                                           \
    ((capture)->follower == NULL || (capture)->follower->member == NULL        \
             ? 0                                                               \
             : (capture)->follower->member(__VA_ARGS__))

static void *follower_context(const struct capture *capture)
{
    return capture->follower == NULL ? NULL : capture->follower->context;
}

static int on_restart(void *context)
{
    struct capture *capture = context;

    function_table_restart(&capture->functions);
    return FOLLOW(capture, restart, follower_context(capture));
}

static int on_host(void *context, const struct wire_host *host)
{
    struct capture *capture = context;

    capture->has_host = true;
    capture->host = *host;
    return FOLLOW(capture, host, follower_context(capture), host);
}

static bool same_settings(const struct wire_hello *a,
                          const struct wire_hello *b)
{
    return a->clock_hz == b->clock_hz && a->period == b->period
           && a->clock_source == b->clock_source && a->second_hz == b->second_hz
           && a->lateness_shift == b->lateness_shift;
}

static void note_identity(struct capture *capture,
                          const struct wire_identity *identity)
{
    size_t known = capture->identity_count;

    if (!identity->valid)
        return;
    if (known > CAPTURE_IDENTITIES_MAX)
        known = CAPTURE_IDENTITIES_MAX;
    for (size_t i = 0; i < known; i++) {
        const struct wire_identity *other = &capture->identities[i];

        if (other->start == identity->start && other->length == identity->length
            && memcmp(other->value, identity->value, sizeof other->value) == 0)
            return;
    }
    if (known < CAPTURE_IDENTITIES_MAX)
        capture->identities[known] = *identity;
    capture->identity_count++;
}

static void note_stretch(struct capture_stretch *longest, uint64_t ticks,
                         uint32_t pc)
{
    if (ticks > longest->ticks) {
        longest->ticks = ticks;
        longest->pc = pc;
    }
}

/*
 * A TIME knows of every interrupt; of samples not every one is the end of a
 * stretch, so they count only where no TIME follows.
 */
static void note_latest(struct capture *capture)
{
    note_stretch(&capture->longest, capture->latest.ticks, capture->latest.pc);
    capture->latest.ticks = 0;
}

/* A boot that has not measured it yet has the hooks of the one before. */
static void note_hook_cost(struct capture *capture,
                           const struct wire_hello *hello)
{
    bool is_known = hello->hook_cost > 0;

    capture->trace.selects = capture->trace.selects || hello->selects;
    if (!is_known && capture->identity_count < 2
        && same_settings(&capture->hello, hello))
        return;
    capture->trace.hook_cost = hello->hook_cost;
    capture->trace.hook_inner = hello->hook_inner;
}

static int on_hello(void *context, const struct wire_hello *hello)
{
    struct capture *capture = context;

    if (capture->has_hello && !same_settings(&capture->hello, hello))
        capture->settings_changed = true;
    note_identity(capture, &hello->identity);
    note_hook_cost(capture, hello);
    if (hello->start)
        note_latest(capture);
    capture->sampled = capture->sampled || hello->running;
    capture->has_hello = true;
    capture->hello = *hello;
    return FOLLOW(capture, hello, follower_context(capture), hello);
}

static int on_build(void *context, const char *text)
{
    struct capture *capture = context;

    (void)snprintf(capture->build, sizeof capture->build, "%s", text);
    return FOLLOW(capture, build, follower_context(capture), text);
}

static int on_time(void *context, const struct wire_time *time)
{
    struct capture *capture = context;

    if (time->sampler) {
        capture->sampled =
                capture->sampled || time->produced > 0 || time->missed > 0;
        capture->latest.ticks = 0;
        note_stretch(&capture->longest, time->longest, time->longest_pc);
    }
    hotspot_views_time(&capture->hotspots,
                       ledger_segment(&capture->decoder.ledger), time->ticks);
    function_table_time(&capture->functions, time->ticks);
    return FOLLOW(capture, time, follower_context(capture), time);
}

static int add_context(struct capture *capture, uint16_t id)
{
    if (capture->context_count == capture->context_room) {
        size_t room =
                capture->context_room == 0 ? 16 : 2 * capture->context_room;
        struct wire_context *grown =
                realloc(capture->contexts, room * sizeof *grown);

        if (grown == NULL)
            return MCUPROF_E_NOMEM;
        capture->contexts = grown;
        capture->context_room = room;
    }
    memset(&capture->contexts[capture->context_count], 0,
           sizeof *capture->contexts);
    capture->contexts[capture->context_count].id = id;
    capture->context_count++;
    capture->context_index[id] = (uint32_t)capture->context_count;
    return 0;
}

static int note_name(struct capture *capture, const struct wire_context *name)
{
    struct wire_context *known;

    if (capture->context_index[name->id] == 0) {
        int error = add_context(capture, name->id);

        if (error < 0)
            return error;
    }
    known = &capture->contexts[capture->context_index[name->id] - 1];
    known->unseen = known->unseen || name->unseen;
    if (name->named) {
        known->named = true;
        memcpy(known->name, name->name, sizeof known->name);
    }
    return 0;
}

static int on_name(void *context, const struct wire_context *name)
{
    struct capture *capture = context;
    int error = note_name(capture, name);

    return error < 0 ? error
                     : FOLLOW(capture, name, follower_context(capture), name);
}

static int on_selftest(void *context, const struct wire_selftest *selftest)
{
    struct capture *capture = context;

    capture->has_selftest = true;
    capture->selftest = *selftest;
    return FOLLOW(capture, selftest, follower_context(capture), selftest);
}

static int on_hotspots(void *context, const struct wire_hotspots *part)
{
    struct capture *capture = context;

    hotspot_views_part(&capture->hotspots, part,
                       ledger_segment(&capture->decoder.ledger));
    return FOLLOW(capture, hotspots, follower_context(capture), part);
}

static int on_functions(void *context, const struct wire_functions *part)
{
    struct capture *capture = context;
    int error;

    (void)ledger_segment(&capture->decoder.ledger);
    error = function_table_part(&capture->functions, part,
                                capture->has_hello ? capture->hello.boot_id
                                                   : 0);
    return error < 0 ? error
                     : FOLLOW(capture, functions, follower_context(capture),
                              part);
}

/* Ticks of two clocks cannot be summed, nor can addresses of two builds. */
static const char *find_unlike(const struct wire_hello *a,
                               const struct wire_hello *b)
{
    const struct wire_identity *one = &a->identity, *other = &b->identity;

    if (a->cpuid != b->cpuid)
        return "their cores";
    if (a->clock_hz != b->clock_hz || a->clock_source != b->clock_source
        || a->clock_bits != b->clock_bits)
        return "their clocks";
    if (one->start != other->start || one->length != other->length)
        return "the sizes of their images";
    if (one->valid && other->valid
        && memcmp(one->value, other->value, sizeof one->value) != 0)
        return "their identities";
    return NULL;
}

/* Frames say the same of a firmware, and more. */
static void note_printed_hello(struct capture *capture,
                               const struct wire_hello *printed)
{
    const char *unlike =
            capture->has_hello ? find_unlike(&capture->hello, printed) : NULL;

    if (unlike != NULL) {
        capture->unlike = unlike;
        function_table_forget(&capture->functions);
    }
    note_identity(capture, &printed->identity);
    if (capture->decoder.stats.target_frames > 0)
        return;
    capture->has_hello = true;
    capture->hello = *printed;
    capture->hello.running = false;
}

static int on_printed(void *context, struct function_text_table *table)
{
    struct capture *capture = context;
    int error = 0;

    if (table->has_hello)
        note_printed_hello(capture, &table->hello);
    for (size_t i = 0; i < table->name_count && error == 0; i++)
        error = note_name(capture, &table->names[i]);
    if (error == 0)
        error = function_table_put(&capture->functions, &table->snapshot);
    if (error < 0)
        return error;
    capture->functions.printed += error > 0;
    return 0;
}

static void on_torn(void *context)
{
    struct capture *capture = context;

    function_table_note_torn(&capture->functions);
}

static int on_rest(void *context, const uint8_t *bytes, size_t size)
{
    struct capture *capture = context;

    return function_text_feed(&capture->text, bytes, size);
}

static int on_samples(void *context, const struct wire_sample *samples,
                      size_t count)
{
    struct capture *capture = context;
    unsigned latest = 0;
    uint32_t pc = 0;

    for (size_t i = 0; i < count; i++) {
        int error = profile_add(capture->profile, samples[i].context,
                                &samples[i].pc, 1, 1);

        if (error < 0)
            return error;
        if (samples[i].lateness > latest) {
            latest = samples[i].lateness;
            pc = samples[i].pc;
        }
    }
    capture->sampled = true;
    /* Without a HELLO the unit of lateness is not known. */
    if (capture->has_hello)
        note_stretch(&capture->latest,
                     (uint64_t)latest << (capture->hello.lateness_shift & 31),
                     pc);
    return FOLLOW(capture, samples, follower_context(capture), samples, count);
}

static int on_ring(void *context, const struct wire_ring *ring)
{
    struct capture *capture = context;

    capture->trace.has_ring = true;
    capture->trace.ring = *ring;
    return FOLLOW(capture, ring, follower_context(capture), ring);
}

static void count_record(struct capture_trace *trace, uint32_t word)
{
    if (word == 0)
        trace->incomplete++;
    else if (word < MCUPROF_TRACE_SPECIAL && (word & MCUPROF_TRACE_ENTER) != 0)
        trace->entered++;
    else if (word < MCUPROF_TRACE_SPECIAL)
        trace->left++;
    else if (word >> 24 == MCUPROF_TRACE_MARK)
        trace->marks++;
    else if (word >> 24 == MCUPROF_TRACE_CONTEXT)
        trace->switches++;
}

static void note_clock(struct capture_trace *trace,
                       const struct wire_trace *record)
{
    if (record->word == 0 || record->word >> 24 == MCUPROF_TRACE_VALUE)
        return;
    if (!trace->is_timed)
        trace->time = record->time;
    trace->is_timed = true;
    trace->moved = trace->moved || record->time != trace->time;
}

static int on_trace(void *context, const struct wire_trace_part *part)
{
    struct capture *capture = context;

    for (size_t i = 0; i < part->count; i++) {
        count_record(&capture->trace, part->records[i].word);
        note_clock(&capture->trace, &part->records[i]);
    }
    return FOLLOW(capture, trace, follower_context(capture), part);
}

/*
 * Whoever joins a running target begins with the rest of a frame. That is no
 * damage, if it is less than one.
 */
static int on_frame(void *context, const struct frame *frame)
{
    struct capture *capture = context;
    uint64_t damaged = capture->deframer.stats.damaged_bytes;

    if (capture->decoder.stats.target_frames == 0
        && damaged < MCUPROF_WIRE_FRAME_MAX)
        capture->lead_bytes = damaged;
    return decoder_frame(&capture->decoder, frame);
}

struct capture *capture_new(void)
{
    struct capture *capture = calloc(1, sizeof *capture);

    if (capture == NULL)
        return NULL;
    capture->handler = (struct decode_handler){
            .context = capture,
            .restart = on_restart,
            .host = on_host,
            .hello = on_hello,
            .build = on_build,
            .time = on_time,
            .name = on_name,
            .selftest = on_selftest,
            .hotspots = on_hotspots,
            .functions = on_functions,
            .ring = on_ring,
            .samples = on_samples,
            .trace = on_trace,
    };
    deframer_init(&capture->deframer, on_frame, capture);
    capture->deframer.rest = on_rest;
    capture->text.handler = (struct function_text_handler){
            .context = capture, .table = on_printed, .torn = on_torn};
    capture->profile = profile_new();
    capture->context_index =
            calloc(CONTEXT_IDS, sizeof *capture->context_index);
    if (decoder_init(&capture->decoder, &capture->handler) < 0
        || capture->profile == NULL || capture->context_index == NULL) {
        capture_free(capture);
        return NULL;
    }
    return capture;
}

void capture_free(struct capture *capture)
{
    if (capture == NULL)
        return;
    decoder_deinit(&capture->decoder);
    function_text_deinit(&capture->text);
    function_table_deinit(&capture->functions);
    profile_free(capture->profile);
    free(capture->contexts);
    free(capture->context_index);
    free(capture);
}

void capture_follow(struct capture *capture,
                    const struct decode_handler *follower)
{
    capture->follower = follower;
}

int capture_feed(struct capture *capture, const uint8_t *bytes, size_t size)
{
    return deframer_feed(&capture->deframer, bytes, size);
}

int capture_end(struct capture *capture)
{
    uint64_t damaged = capture->deframer.stats.damaged_stretches;
    int error = deframer_end(&capture->deframer);

    capture->cut = capture->deframer.stats.damaged_stretches > damaged;
    note_latest(capture);
    hotspot_views_close(&capture->hotspots);
    if (error == 0)
        error = function_text_end(&capture->text);
    return error < 0 ? error : function_table_end(&capture->functions);
}

int capture_explain(const struct capture *capture, int code, const char *name,
                    struct error *error)
{
    if (code == MCUPROF_E_VERSION)
        return error_set(
                error, code, "read it with a newer mcuprof",
                "%s is in format version %d; this mcuprof knows version %d",
                name, capture->decoder.stats.newer_version,
                MCUPROF_WIRE_VERSION);
    return error_set(error, code, "", "%s: %s", name, error_message(code));
}

int capture_check(const struct capture *capture, const char *name,
                  struct error *error)
{
    const struct frame_stats *stats = &capture->deframer.stats;
    char text[UNITS_MAX];
    char damaged[UNITS_MAX];

    if (capture->decoder.stats.target_frames > 0
        || capture->functions.complete > 0)
        return 0;
    if (capture->functions.printed == 0
        && capture->functions.incomplete + capture->functions.refused > 0)
        return error_set(error, MCUPROF_E_NO_DATA,
                         "print it again, and let no other task print "
                         "meanwhile",
                         "no function table came whole into %s", name);
    if (capture->has_host && stats->text_bytes + stats->damaged_bytes == 0)
        return error_set(error, MCUPROF_E_NO_DATA,
                         "check the connection, and that the firmware calls "
                         "mcuprof_poll()",
                         "no valid frame: nothing came from the target into %s",
                         name);
    if (stats->bytes > 0 && stats->delimiters == stats->bytes)
        return error_set(error, MCUPROF_E_NO_DATA,
                         "of a dump: make it after mcuprof_ram_init(); of a "
                         "line: check that it is not held low",
                         "no valid frame in %s: nothing but zero bytes", name);
    if (stats->text_bytes > 0 && stats->damaged_bytes == 0)
        return error_set(error, MCUPROF_E_NO_DATA,
                         "of a log: call mcuprof_functions_print(); of a "
                         "stream: check that this is the profiler's port",
                         "no valid frame in %s: %s bytes of text, and no "
                         "function table in it",
                         name, units_count(text, stats->text_bytes));
    return error_set(
            error, MCUPROF_E_NO_DATA,
            "check that this is the profiler's port, and its baud rate",
            "no valid frame in %s: %s bytes of text, %s of something else",
            name, units_count(text, stats->text_bytes),
            units_count(damaged, stats->damaged_bytes));
}

int capture_read(struct capture *capture, struct source *source,
                 const char *name, struct error *error)
{
    uint8_t *block = malloc(BLOCK_SIZE);
    long got = 1;
    int result = 0;

    if (block == NULL)
        return capture_explain(capture, MCUPROF_E_NOMEM, name, error);
    while (got != 0 && result == 0) {
        got = source_read(source, block, BLOCK_SIZE, -1, error);
        if (got == SOURCE_NOTHING_YET)
            continue;
        if (got < 0) {
            free(block);
            return (int)got;
        }
        result = got > 0 ? capture_feed(capture, block, (size_t)got)
                         : capture_end(capture);
    }
    free(block);
    if (result < 0)
        return capture_explain(capture, result, name, error);
    if (capture->deframer.stats.bytes == 0)
        return source_explain_nothing(source, error);
    result = capture_check(capture, name, error);
    if (result == MCUPROF_E_NO_DATA && source_explain_dump(source, error) < 0)
        return MCUPROF_E_NO_DATA;
    return result;
}

void capture_set_clock(struct capture *capture, uint32_t hz)
{
    capture->clock_given = hz;
    capture->hello.clock_hz = hz;
}

const struct wire_context *capture_context(const struct capture *capture,
                                           uint16_t id)
{
    uint32_t number = capture->context_index[id];

    return number == 0 ? NULL : &capture->contexts[number - 1];
}

bool capture_refused_hotspots(const struct capture *capture)
{
    return capture->hotspots.refused > 0
           || capture->decoder.stats.bad_hotspots > 0;
}

bool capture_has_hotspots(const struct capture *capture)
{
    return (capture->hello.engines & MCUPROF_ENGINE_HOTSPOTS) != 0
           || capture->hotspots.complete + capture->hotspots.incomplete > 0
           || capture_refused_hotspots(capture);
}

bool capture_has_functions(const struct capture *capture)
{
    const struct function_table *table = &capture->functions;

    return (capture->hello.engines & MCUPROF_ENGINE_FUNCTIONS) != 0
           || table->complete + table->incomplete + table->refused > 0
           || capture->decoder.stats.bad_functions > 0;
}

bool capture_misses_functions(const struct capture *capture)
{
    const struct function_table *table = &capture->functions;

    return (capture->hello.engines & MCUPROF_ENGINE_FUNCTIONS) != 0
           && table->complete + table->incomplete + table->refused
                              + table->left_out
                      == 0
           && capture->decoder.stats.by_type[MCUPROF_WIRE_FUNCTIONS] == 0
           && capture->decoder.stats.bad_functions == 0;
}

bool capture_has_trace(const struct capture *capture)
{
    return (capture->hello.engines & MCUPROF_ENGINE_TRACE) != 0
           || capture->trace.has_ring
           || capture->decoder.stats.by_type[MCUPROF_WIRE_TRACE] > 0;
}

bool capture_trace_stands(const struct capture *capture)
{
    const struct capture_trace *trace = &capture->trace;

    /* A switch of contexts has the time of what follows it. */
    return !trace->moved && trace->entered + trace->left + trace->marks > 1;
}

bool capture_is_unsampled(const struct capture *capture)
{
    return capture->has_hello && !capture->sampled
           && capture->hotspots.complete + capture->hotspots.incomplete == 0;
}

bool capture_is_incomplete(const struct capture *capture)
{
    const struct ledger_totals *totals = capture_totals(capture);
    const struct frame_stats *stats = &capture->deframer.stats;

    return capture->cut || stats->damaged_bytes > capture->lead_bytes
           || totals->samples.lost_target > 0 || totals->samples.lost_line > 0
           || totals->trace.lost_target > 0 || totals->trace.lost_line > 0
           || totals->frames_lost > 0 || capture->hotspots.incomplete > 0
           || capture->hotspots.refused > 0
           || capture->decoder.stats.bad_functions > 0
           || function_table_is_incomplete(&capture->functions);
}
