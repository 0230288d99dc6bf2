/* SPDX-License-Identifier: MIT */
#include "quality.h"

#include "confidence.h"
#include "facts.h"
#include "json_text.h"
#include "quality_functions.h"
#include "quality_ring.h"
#include "quality_selection.h"
#include "symbolize.h"
#include "text.h"
#include "units.h"
#include "verdict.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void __attribute__((format(printf, 4, 5)))
say(struct quality *quality, enum quality_level level, const char *label,
    const char *format, ...)
{
    struct quality_line *line;
    va_list arguments;

    if (quality->quiet)
        return;
    if (quality->line_count == quality->line_room) {
        size_t room = quality->line_room + 16;
        struct quality_line *grown =
                realloc(quality->lines, room * sizeof *grown);

        if (grown == NULL) {
            quality->failed = true;
            return;
        }
        quality->lines = grown;
        quality->line_room = room;
    }
    line = &quality->lines[quality->line_count++];
    line->level = level;
    line->label = label;
    line->hotspots = quality->hotspots;
    va_start(arguments, format);
    (void)vsnprintf(line->text, sizeof line->text, format, arguments);
    va_end(arguments);
}

/* Takes VALUE over; NULL (out of memory, bad UTF-8) is caught here. */
static void put(struct quality *quality, const char *key, json_t *value)
{
    if (json_object_set_new(quality->facts, key, value) < 0)
        quality->failed = true;
}

static void put_count(struct quality *quality, const char *key, uint64_t count)
{
    put(quality, key, json_integer((json_int_t)count));
}

static void put_fact(struct quality *quality, const char *key, struct fact fact)
{
    put(quality, key, fact.known ? json_real(fact.value) : json_null());
}

static void put_text(struct quality *quality, const char *key, const char *text)
{
    put(quality, key, json_text(text));
}

static void add_mismatch(struct quality *quality,
                         const struct quality_subject *subject,
                         const char *firmware, const char *have)
{
    put_text(quality, "identity_elf", have);
    say(quality, QUALITY_WARNING, "identity",
        "MISMATCH%s: the firmware is %s, the ELF is %s; names may be wrong",
        subject->forced ? ", forced" : "", firmware, have);
}

/* Only one of several ELFs can be what the firmware computed it of. */
static void say_unchecked(struct quality *quality, const struct module *module,
                          size_t count)
{
    char name[200];

    text_clean(name, sizeof name, module->name);
    say(quality, QUALITY_FINE, "", "that is %s; the other %s not checked by it",
        name, count == 2 ? "ELF is" : "ELFs are");
}

static enum identity_verdict
check_identity(struct quality *quality, const struct quality_subject *subject,
               char *have, size_t *which)
{
    enum identity_verdict verdict = identity_check_any(
            subject->modules, &subject->capture->identities[0], have, which);

    put_text(quality, "identity_path",
             modules_get(subject->modules, *which)->path);
    return verdict;
}

static void say_no_identity(struct quality *quality,
                            const struct capture *capture)
{
    const struct wire_identity *identity = &capture->hello.identity;

    say(quality, QUALITY_WARNING, "identity",
        "not yet known: the firmware had not finished computing it");
    if (capture->trace.has_ring && identity->length > 0)
        say(quality, QUALITY_FINE, "",
            "mcuprof_poll() computes it; mcuprof does, too, where it can read "
            "the code, 0x%08" PRIx32 "-0x%08" PRIx32
            ", with the ring: at gdb:HOST:PORT or in a core file",
            identity->start, identity->start + identity->length - 1);
}

static void say_identity(struct quality *quality,
                         const struct quality_subject *subject,
                         enum identity_verdict verdict, const char *firmware)
{
    if (subject->capture->identity_count == 0)
        say_no_identity(quality, subject->capture);
    else if (subject->modules == NULL)
        say(quality, QUALITY_FINE, "identity", "%s", firmware);
    else if (verdict == IDENTITY_PARTIAL)
        say(quality, QUALITY_WARNING, "identity",
            "the ELF matches as far as was compared: %s", firmware);
    else
        say(quality, QUALITY_FINE, "identity", "the ELF matches: %s", firmware);
}

static void add_identity(struct quality *quality,
                         const struct quality_subject *subject)
{
    const struct capture *capture = subject->capture;
    enum identity_verdict verdict = IDENTITY_UNKNOWN;
    char firmware[IDENTITY_TEXT_MAX] = "";
    char have[IDENTITY_TEXT_MAX] = "";
    size_t which = 0;

    if (capture->identity_count > 0) {
        identity_format(&capture->identities[0], firmware);
        if (subject->modules != NULL)
            verdict = check_identity(quality, subject, have, &which);
    }
    put_text(quality, "identity",
             firmware[0] != '\0' && subject->modules == NULL
                     ? "not checked"
                     : identity_word(verdict));
    put(quality, "identity_read_from_memory",
        json_boolean(capture->identity_count > 0
                     && capture->identities[0].read));
    put(quality, "identity_forced",
        json_boolean(subject->forced && verdict == IDENTITY_MISMATCH));
    put(quality, "identity_firmware",
        firmware[0] != '\0' ? json_string(firmware) : json_null());
    if (verdict == IDENTITY_MISMATCH)
        add_mismatch(quality, subject, firmware, have);
    else
        say_identity(quality, subject, verdict, firmware);
    if (capture->identity_count > 0 && capture->identities[0].read)
        say(quality, QUALITY_FINE, "",
            "the firmware had not computed it; mcuprof did, of the code in its "
            "memory");
    if ((verdict == IDENTITY_MATCH || verdict == IDENTITY_PARTIAL)
        && modules_count(subject->modules) > 1)
        say_unchecked(quality, modules_get(subject->modules, which),
                      modules_count(subject->modules));
    if (capture->identity_count > 1)
        say(quality, QUALITY_WARNING, "",
            "%zu different firmwares are mixed in this capture",
            capture->identity_count);
}

static void add_firmware(struct quality *quality,
                         const struct quality_subject *subject)
{
    const struct capture *capture = subject->capture;
    char core[UNITS_MAX] = "a core not yet known";

    if (capture->has_hello)
        facts_core(capture->hello.cpuid, core, sizeof core);
    put(quality, "core", capture->has_hello ? json_string(core) : json_null());
    if (capture->build[0] != '\0') {
        put_text(quality, "build", capture->build);
        say(quality, QUALITY_FINE, "firmware", "\"%s\" on %s", capture->build,
            core);
    } else {
        put(quality, "build", json_null());
        say(quality, QUALITY_FINE, "firmware", "%s; no build string", core);
    }
}

static void add_missed(struct quality *quality,
                       const struct quality_subject *subject)
{
    const struct capture *capture = subject->capture;
    const struct ledger_totals *totals = capture_totals(capture);
    bool bounded =
            capture->has_hello
            && (capture->hello.sampler_flags & MCUPROF_SAMPLER_MISSED_UNKNOWN)
                       != 0;
    char missed[UNITS_MAX];

    put(quality, "missed_is_exact",
        json_boolean(totals->samples.times > 0 && !bounded));
    if (totals->samples.times == 0) {
        put(quality, "missed", json_null());
        say(quality, QUALITY_WARNING, "missed",
            "not known: no TIME record in this capture");
        return;
    }
    put_count(quality, "missed", totals->missed);
    say(quality, bounded ? QUALITY_WARNING : QUALITY_FINE, "missed",
        "%s sampling period%s without a sample%s",
        units_count(missed, totals->missed), totals->missed == 1 ? "" : "s",
        bounded ? ", at least: this clock cannot count more than one in "
                  "a row"
                : "");
}

static void add_samples(struct quality *quality,
                        const struct quality_subject *subject)
{
    const struct ledger_totals *totals = capture_totals(subject->capture);
    uint64_t lost = totals->samples.lost_target + totals->samples.lost_line;
    char samples[UNITS_MAX];
    char target[UNITS_MAX];
    char line[UNITS_MAX];

    put_count(quality, "samples", totals->samples.received);
    put_count(quality, "lost_target", totals->samples.lost_target);
    put_count(quality, "lost_line", totals->samples.lost_line);
    put(quality, "produced",
        totals->samples.times > 0
                ? json_integer((json_int_t)totals->samples.produced)
                : json_null());
    put_count(quality, "samples_after_time", totals->samples.after_time);
    if (capture_is_unsampled(subject->capture))
        say(quality, QUALITY_FINE, "samples", "none: %s",
            (subject->capture->hello.engines & MCUPROF_ENGINE_SAMPLER) != 0
                    ? "sampling was never started"
                    : "the firmware has no sampler");
    else if (lost == 0)
        say(quality, QUALITY_FINE, "samples", "%s, none lost",
            units_count(samples, totals->samples.received));
    else
        say(quality, QUALITY_WARNING, "samples",
            "%s; lost %s on the target (ring full), %s on the line",
            units_count(samples, totals->samples.received),
            units_count(target, totals->samples.lost_target),
            units_count(line, totals->samples.lost_line));
}

static void add_unresolved(struct quality *quality,
                           const struct quality_subject *subject)
{
    const struct symbols *symbols = subject->symbols;
    uint64_t samples = 0;
    uint64_t addresses = 0;
    char sample_text[UNITS_MAX];
    char address_text[UNITS_MAX];

    if (symbols == NULL)
        return;
    for (size_t i = 0; i < symbols->location_count; i++)
        if (symbols->locations[i].place == PLACE_UNKNOWN) {
            samples += symbols->locations[i].weight;
            addresses++;
        }
    put_count(quality, "unresolved_samples", samples);
    put_count(quality, "unresolved_addresses", addresses);
    if (samples == 0)
        say(quality, QUALITY_FINE, "unresolved", "no samples");
    else
        say(quality, QUALITY_WARNING, "unresolved",
            "%s sample%s at %s address%s", units_count(sample_text, samples),
            samples == 1 ? "" : "s", units_count(address_text, addresses),
            addresses == 1 ? "" : "es");
}

/* What the ELFs or their debug info cannot be relied on for. */
static void add_names(struct quality *quality,
                      const struct quality_subject *subject)
{
    json_t *problems = json_array();
    struct error problem;
    size_t i = 0;

    for (; subject->modules != NULL
           && modules_problem(subject->modules, i, &problem);
         i++) {
        (void)json_array_append_new(problems, json_text(problem.cause));
        say(quality, QUALITY_WARNING, i == 0 ? "names" : "", "%s",
            problem.cause);
    }
    put(quality, "name_problems", problems);
}

static const char *const rate_words[] = {
        [RATE_MEASURED] = "measured",
        [RATE_PROGRAMMED] = "programmed",
        [RATE_ASSUMED] = "assumed",
};

static void add_rate(struct quality *quality,
                     const struct quality_subject *subject)
{
    const struct capture *capture = subject->capture;
    struct fact rate = facts_rate(capture);
    struct fact nominal = facts_nominal_rate(capture);
    bool jitter = (capture->hello.sampler_flags & MCUPROF_SAMPLER_JITTER) != 0;
    enum rate_basis basis = facts_rate_basis(capture);
    char seen[UNITS_MAX] = "not";
    char wanted[UNITS_MAX] = "no";

    if (rate.known)
        units_hz(seen, rate.value);
    if (nominal.known)
        units_hz(wanted, nominal.value);
    put_fact(quality, "rate_hz", rate);
    put(quality, "rate_basis",
        rate.known ? json_string(rate_words[basis]) : json_null());
    put_fact(quality, "nominal_rate_hz", nominal);
    put(quality, "jitter",
        capture->has_hello ? json_boolean(jitter) : json_null());
    say(quality, QUALITY_FINE, "rate", "%s %s, %s nominal, jitter %s", seen,
        rate_words[rate.known ? basis : RATE_MEASURED], wanted,
        capture->has_hello ? (jitter ? "on" : "off") : "not known");
    if (rate.known && basis == RATE_ASSUMED)
        say(quality, QUALITY_FINE, "",
            "nothing measures it: the clock adds up periods of a SysTick that "
            "somebody else set, each as long as the firmware takes it to be; "
            "times rest on that too");
    if (capture->has_hello && !jitter && nominal.known)
        say(quality, QUALITY_FINE, "",
            "without jitter, work in step with the sampling interrupt is "
            "over- or understated");
    if (facts_rate_differs(capture) && !facts_clock_wrapped(capture))
        say(quality, QUALITY_WARNING, "",
            "the two differ: is rate_hz the rate of the timer, and are core_hz "
            "and clock_hz what their clocks run at?");
    if (capture->settings_changed)
        say(quality, QUALITY_WARNING, "",
            "clock or rate changed within the capture: times and rates are "
            "in terms of the last setting");
}

static void say_wall(struct quality *quality, const struct capture *capture,
                     struct fact wall)
{
    struct fact stopped = facts_stopped_seconds(capture);
    unsigned segments = capture_totals(capture)->segments;
    uint64_t after = capture_totals(capture)->samples.after_time;
    bool is_assumed = facts_rate_basis(capture) == RATE_ASSUMED
                      && !(stopped.known && stopped.value > 0.0);
    char seconds[UNITS_MAX];
    char late[UNITS_MAX];

    say(quality, QUALITY_FINE, "time", "%s in %u segment%s%s",
        units_seconds(seconds, wall.value), segments, segments == 1 ? "" : "s",
        is_assumed ? ", assumed (see rate)" : "");
    if (after > 0)
        say(quality, QUALITY_FINE, "",
            "%s samples came after the last reading of the clock",
            units_count(late, after));
}

static void say_no_time(struct quality *quality, const struct capture *capture)
{
    unsigned segments = capture_totals(capture)->segments;

    say(quality, QUALITY_WARNING, "time", "not known (%s), %u segment%s",
        capture->has_hello && capture->hello.clock_hz == 0
                ? "the firmware has no clock"
        : capture_is_unsampled(capture)
                ? "nothing was sampled, and no records with a time came"
                : "fewer than two TIME records",
        segments, segments == 1 ? "" : "s");
}

/* Of samples, then what the call ring saw apart from them. */
static void add_time(struct quality *quality,
                     const struct quality_subject *subject)
{
    const struct capture *capture = subject->capture;
    struct fact wall = facts_wall_seconds(capture);
    struct fact traced = facts_traced_seconds(capture);
    struct fact ring = subject->ring_seconds;
    struct fact table = facts_seconds(capture, capture->functions.whole.ticks);
    char seconds[UNITS_MAX];

    table.known = table.known && capture->functions.complete > 0;
    put_fact(quality, "wall_seconds", wall);
    put_fact(quality, "traced_seconds", traced);
    put_fact(quality, "ring_seconds", ring);
    put_fact(quality, "function_table_seconds", table);
    put_count(quality, "segments", capture_totals(capture)->segments);
    put_count(quality, "boots", capture_totals(capture)->boots);
    if (wall.known)
        say_wall(quality, capture, wall);
    if (traced.known)
        say(quality, QUALITY_FINE, wall.known ? "" : "time",
            "%s in which calls were recorded and nothing was sampled",
            units_seconds(seconds, traced.value));
    /* Else that is said with the rate. */
    if (traced.known && capture_is_unsampled(capture)
        && capture->settings_changed)
        say(quality, QUALITY_WARNING, "",
            "the clock changed within the capture: that is in terms of its "
            "last rate");
    if (ring.known)
        say(quality, QUALITY_FINE, wall.known || traced.known ? "" : "time",
            "%s from the first to the last record of the call ring",
            units_seconds(seconds, ring.value));
    if (table.known)
        say(quality, QUALITY_FINE,
            wall.known || traced.known || ring.known ? "" : "time",
            "%s in the function table", units_seconds(seconds, table.value));
    if (!wall.known && !traced.known && !ring.known && !table.known)
        say_no_time(quality, capture);
}

static void add_clock(struct quality *quality,
                      const struct quality_subject *subject)
{
    const struct capture *capture = subject->capture;
    const struct wire_hello *hello = &capture->hello;
    bool wrapped = facts_clock_wrapped(capture);
    bool own_timer = (hello->sampler_flags & MCUPROF_SAMPLER_JITTER) != 0;
    char hz[UNITS_MAX];

    put(quality, "clock_wrapped_unseen", json_boolean(wrapped));
    if (!capture->has_hello) {
        put(quality, "clock", json_null());
        put(quality, "clock_hz", json_null());
        put(quality, "clock_reason", json_null());
        say(quality, QUALITY_WARNING, "clock",
            "not known: no HELLO in this capture");
        return;
    }
    put_text(quality, "clock", facts_clock_name(hello->clock_source));
    put_text(quality, "clock_reason", facts_clock_reason(hello->clock_reason));
    put_count(quality, "clock_hz", hello->clock_hz);
    say(quality, QUALITY_FINE, "clock", "%s, %s, %d bits %s: %s",
        facts_clock_name(hello->clock_source), units_hz(hz, hello->clock_hz),
        hello->clock_bits & ~MCUPROF_CLOCK_DOWN,
        (hello->clock_bits & MCUPROF_CLOCK_DOWN) != 0 ? "down" : "up",
        facts_clock_reason(hello->clock_reason));
    if (capture->clock_given > 0)
        say(quality, QUALITY_WARNING, "",
            "its rate is what --clock says, not what the firmware does");
    if (wrapped)
        say(quality, QUALITY_WARNING, "",
            "more was sampled than its time has room for: %s wrapped between "
            "two calls of mcuprof_poll(), or it stops in sleep, or core_hz or "
            "clock_hz is not its rate; then distrust time and rate",
            own_timer ? "either it"
                      : "either the timer, which is not ours, is faster than "
                        "rate_hz says, and time and rate are right; or the "
                        "clock");
}

static void say_stopped(struct quality *quality,
                        const struct quality_subject *subject,
                        struct fact stopped)
{
    struct fact passed = facts_second_seconds(subject->capture);
    char seconds[UNITS_MAX];
    char all[UNITS_MAX];

    units_seconds(seconds, stopped.value);
    if (subject->of_calls)
        say(quality, QUALITY_WARNING, "sleep",
            "the clock stood still for %s of %s, says the second clock: where "
            "is not known, and no time of a call has it (unless core_hz, "
            "clock_hz or second_hz is wrong)",
            seconds, units_seconds(all, passed.value));
    else if (capture_has_functions(subject->capture))
        say(quality, QUALITY_WARNING, "sleep",
            "the clock stood still for %s, says the second clock: no time of "
            "the function table has it, and it is not in its sum (unless "
            "core_hz, clock_hz or second_hz is wrong)",
            seconds);
    else
        say(quality, QUALITY_WARNING, "sleep",
            "the clock stood still for %s, says the second clock, whose time "
            "counts (unless core_hz, clock_hz or second_hz is wrong)",
            seconds);
}

static void add_sleep(struct quality *quality,
                      const struct quality_subject *subject)
{
    struct fact stopped = facts_stopped_seconds(subject->capture);

    put_fact(quality, "clock_stopped_seconds", stopped);
    /* Else it is beside the time of samples. */
    if (subject->of_calls)
        put_fact(quality, "wall_seconds", facts_wall_seconds(subject->capture));
    if (!subject->capture->has_hello)
        return;
    if (!stopped.known)
        say(quality, QUALITY_FINE, "sleep",
            "time in which the clock stood still is not counted: there is "
            "no second clock");
    else if (stopped.value > 0.0)
        say_stopped(quality, subject, stopped);
    else
        say(quality, QUALITY_FINE, "sleep",
            "the clock never stood still, says the second clock");
}

static void add_masked(struct quality *quality,
                       const struct quality_subject *subject)
{
    const struct capture *capture = subject->capture;
    const struct capture_stretch *longest = &capture->longest;
    struct fact seconds = facts_seconds(capture, longest->ticks);
    bool unknown =
            !capture->has_hello || !seconds.known
            || (capture->hello.sampler_flags & MCUPROF_SAMPLER_LATENESS_UNKNOWN)
                       != 0;
    char where[SYMBOLIZE_ADDRESS_MAX] = "";
    char time[UNITS_MAX];

    if (unknown) {
        put(quality, "longest_masked_seconds", json_null());
        say(quality, QUALITY_FINE, "masked",
            "longest stretch without the sampling interrupt not known: "
            "lateness "
            "was not measured");
        return;
    }
    put(quality, "longest_masked_seconds", json_real(seconds.value));
    if (longest->ticks == 0) {
        say(quality, QUALITY_FINE, "masked", "no sample was late");
        return;
    }
    put_count(quality, "longest_masked_end", longest->pc);
    if (subject->modules != NULL) {
        symbolize_address(subject->modules, subject->demangle, longest->pc,
                          where, sizeof where);
        put_text(quality, "longest_masked_function", where);
    }
    say(quality, QUALITY_FINE, "masked",
        "sampling was kept off for %s at most, until %s%s0x%08" PRIx32 "%s",
        units_seconds(time, seconds.value), where, where[0] != '\0' ? " (" : "",
        longest->pc, where[0] != '\0' ? ")" : "");
}

static void append(char *text, size_t size, const char *more)
{
    size_t used = strlen(text);

    (void)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "",
                   more);
}

static void add_unseen(struct quality *quality,
                       const struct quality_subject *subject)
{
    const struct capture *capture = subject->capture;
    json_t *names = json_array();
    char list[QUALITY_TEXT_MAX - 100] = "the sampler";
    char name[SYMBOLIZE_CONTEXT_MAX];

    if (capture->hello.sampler_exception != 0) {
        symbolize_context(capture, subject->modules,
                          capture->hello.sampler_exception, name, sizeof name);
        (void)snprintf(list, sizeof list, "the sampler %s", name);
    }
    for (size_t i = 0; i < capture->context_count; i++) {
        const struct wire_context *context = &capture->contexts[i];

        /* SVCall and PendSV cannot be switched off, but may have no handler. */
        if (!context->unseen
            || !symbolize_has_handler(capture, subject->modules, context->id))
            continue;
        symbolize_context(capture, subject->modules, context->id, name,
                          sizeof name);
        append(list, sizeof list, name);
        (void)json_array_append_new(names, json_text(name));
    }
    put(quality, "unseen_contexts", names);
    if (capture->has_hello)
        say(quality, QUALITY_FINE, "unseen",
            "%s; it cannot interrupt what has its own priority (0x%02x) "
            "or a higher one",
            list, capture->hello.sampler_priority);
}

/* The selftest's loops are the load, not the profiler. */
static bool is_own(const char *name)
{
    return strncmp(name, "mcuprof_selftest_", 17) != 0
           && (strncmp(name, "mcuprof_", 8) == 0
               || strncmp(name, "mcuprofi_", 9) == 0);
}

static struct fact own_functions_share(const struct quality_subject *subject)
{
    const struct symbols *symbols = subject->symbols;
    uint64_t whole = profile_total(subject->capture->profile)
                     + capture_totals(subject->capture)->missed;
    uint64_t own = 0;

    if (symbols == NULL || symbols->function_count == 0 || whole == 0)
        return (struct fact){.known = false};
    for (size_t i = 0; i < symbols->location_count; i++) {
        const struct location *location = &symbols->locations[i];

        if (location->function != SYMBOLS_NONE
            && is_own(symbols->functions[location->function].linkage))
            own += location->weight;
    }
    return (struct fact){.known = true, .value = (double)own / (double)whole};
}

static void describe_interrupt(const struct capture *capture, char *out,
                               size_t size)
{
    struct fact cost = facts_sampler_cost(capture);
    struct fact share = facts_sampler_share(capture);

    if (!cost.known)
        (void)snprintf(out, size, "the sampling interrupt's cost %s",
                       capture->has_hello
                               ? "was not measured"
                               : "is not known: no HELLO in this capture");
    else if (!share.known)
        (void)snprintf(out, size,
                       "%.0f ticks in each sampling interrupt (exception entry "
                       "and return not included); its share needs the time, "
                       "which is not known",
                       cost.value);
    else
        (void)snprintf(out, size,
                       "%.2f %% in the sampling interrupt (%.0f ticks each, "
                       "exception entry and return not included)",
                       100.0 * share.value, cost.value);
}

static void add_own_share(struct quality *quality,
                          const struct quality_subject *subject)
{
    const struct capture *capture = subject->capture;
    struct fact functions = own_functions_share(subject);
    char interrupt[160];
    char poll[80] = "";

    put_fact(quality, "sampler_share", facts_sampler_share(capture));
    put_fact(quality, "profiler_functions_share", functions);
    put(quality, "sampler_cost_ticks",
        facts_sampler_cost(capture).known
                ? json_integer(capture->hello.sampler_cost)
                : json_null());
    describe_interrupt(capture, interrupt, sizeof interrupt);
    if (functions.known)
        (void)snprintf(
                poll, sizeof poll,
                "; at least %.2f %% of the samples in mcuprof_ functions",
                100.0 * functions.value);
    say(quality, QUALITY_FINE, "own share", "%s%s", interrupt, poll);
}

static void add_stream(struct quality *quality,
                       const struct quality_subject *subject)
{
    const struct decode_stats *decoded = &subject->capture->decoder.stats;
    const struct frame_stats *stats = &subject->capture->deframer.stats;
    const struct ledger_totals *totals = capture_totals(subject->capture);
    uint64_t unknown = decoded->unknown;
    bool clean = stats->damaged_bytes == subject->capture->lead_bytes
                 && totals->frames_lost == 0 && totals->frames_repeated == 0
                 && totals->frames_late == 0 && unknown == 0;
    char bytes[UNITS_MAX];
    char text[UNITS_MAX];
    char damaged[UNITS_MAX];

    put_count(quality, "bytes", stats->bytes);
    put_count(quality, "frames", stats->frames);
    put_count(quality, "text_bytes", stats->text_bytes);
    put_count(quality, "damaged_bytes", stats->damaged_bytes);
    put_count(quality, "damaged_bytes_in_front", subject->capture->lead_bytes);
    put_count(quality, "frames_missing", totals->frames_lost);
    put_count(quality, "frames_repeated", totals->frames_repeated);
    put_count(quality, "frames_late", totals->frames_late);
    put_count(quality, "frames_of_unknown_type", unknown);
    put(quality, "cut", json_boolean(subject->capture->cut));
    /* Frames that were made of a memory tell nothing. */
    if (clean && subject->of_table
        && subject->capture->functions.whole.sequence == 0)
        return;
    units_count(bytes, stats->bytes);
    units_count(text, stats->text_bytes);
    units_count(damaged, stats->damaged_bytes);
    if (decoded->target_frames == 0)
        say(quality, clean ? QUALITY_FINE : QUALITY_WARNING, "stream",
            "%s bytes: %s of text, %s of something else; no frames", bytes,
            text, damaged);
    else
        say(quality, clean ? QUALITY_FINE : QUALITY_WARNING, "stream",
            "%s bytes: %s of text, %s damaged; frames: %" PRIu64
            " missing, %" PRIu64 " late, %" PRIu64 " repeated, %" PRIu64
            " of unknown type",
            bytes, text, damaged, totals->frames_lost, totals->frames_late,
            totals->frames_repeated, unknown);
    if (subject->capture->lead_bytes > 0)
        say(quality, QUALITY_FINE, "", "it begins in the middle of a frame");
    if (subject->capture->cut)
        say(quality, QUALITY_WARNING, "", "it ends in the middle of a frame");
}

/* " (16 units of 256 bytes, half-life 8,192 samples)" */
static void describe_table(const struct wire_hotspots *head, char *out,
                           size_t size)
{
    char samples[UNITS_MAX];
    char half_life[80] = "nothing is forgotten";

    if (head->half_life > 0)
        (void)snprintf(half_life, sizeof half_life, "half-life %s samples",
                       units_count(samples, head->half_life));
    (void)snprintf(out, size, " (%u units of %lu bytes, %s)", head->capacity,
                   1ul << head->grain_log2, half_life);
}

static void add_hotspots(struct quality *quality,
                         const struct quality_subject *subject)
{
    const struct capture *capture = subject->capture;
    const struct hotspot_views *views = &capture->hotspots;
    uint64_t refused = capture->decoder.stats.bad_hotspots;
    char table[120] = "";
    char count[UNITS_MAX];

    if (!capture_has_hotspots(capture)) {
        put(quality, "hotspot_views", json_null());
        return;
    }
    put_count(quality, "hotspot_views", views->complete);
    put_count(quality, "hotspot_views_incomplete", views->incomplete);
    put_count(quality, "hotspot_views_refused", views->refused);
    put_count(quality, "hotspot_frames_refused", refused);
    if (views->complete > 0)
        describe_table(&views->last.head, table, sizeof table);
    say(quality,
        views->incomplete + views->refused + refused > 0 ? QUALITY_WARNING
                                                         : QUALITY_FINE,
        "hot spots",
        "%s view%s%s; %" PRIu64 " incomplete, %" PRIu64
        " not credible, %" PRIu64 " damaged frame%s",
        units_count(count, views->complete), views->complete == 1 ? "" : "s",
        table, views->incomplete, views->refused, refused,
        refused == 1 ? "" : "s");
}

static const char *or_unknown(char *text, size_t size, double ratio)
{
    if (ratio > 0.0)
        (void)snprintf(text, size, "%.3f", ratio);
    else
        (void)snprintf(text, size, "?");
    return text;
}

static void add_selftest(struct quality *quality,
                         const struct quality_subject *subject)
{
    struct selftest_verdict verdict;
    char ticks[UNITS_MAX];
    char rate[UNITS_MAX];

    if (!subject->capture->has_selftest) {
        put(quality, "selftest", json_null());
        return;
    }
    verdict = verdict_selftest(subject->capture, subject->modules,
                               subject->symbols);
    put(quality, "selftest",
        json_pack("{s:s, s:s, s:s, s:I, s:I}", "capture",
                  verdict_word(verdict.capture), "clock",
                  verdict_word(verdict.clock), "names",
                  verdict_word(verdict.names), "samples_three",
                  (json_int_t)verdict.three, "samples_one",
                  (json_int_t)verdict.one));
    say(quality,
        verdict.capture == VERDICT_WRONG ? QUALITY_WARNING : QUALITY_FINE,
        "selftest",
        "capture %s: %" PRIu64 " to %" PRIu64 " samples, expected 3 to 1%s",
        verdict_word(verdict.capture), verdict.three, verdict.one,
        capture_is_incomplete(subject->capture)
                ? "; what is lost may be one-sided"
                : "");
    say(quality,
        verdict.clock == VERDICT_WRONG ? QUALITY_WARNING : QUALITY_FINE, "",
        "clock %s: ticks %s to 1, expected 3 to 1; rate %s of nominal; that "
        "it runs at the Hz the firmware says, only a watch can tell",
        verdict_word(verdict.clock),
        or_unknown(ticks, sizeof ticks, verdict.tick_ratio),
        or_unknown(rate, sizeof rate, verdict.rate_ratio));
    say(quality,
        verdict.names == VERDICT_WRONG ? QUALITY_WARNING : QUALITY_FINE, "",
        "names %s: the two loops %s in the ELF", verdict_word(verdict.names),
        verdict.names == VERDICT_RIGHT ? "are found" : "are not told apart");
}

static const struct {
    void (*add)(struct quality *quality, const struct quality_subject *subject);
    bool hotspots;
    bool calls;   /* says something where calls are shown */
    bool sampled; /* says nothing where there are no samples */
    bool table;   /* says something where only the function table is shown */
} parts[] = {
        {add_identity, true, true, false, true},
        {add_firmware, true, true, false, true},
        {add_samples, false, false, false, false},
        {add_missed, false, false, true, false},
        {add_unresolved, false, false, true, false},
        {add_names, true, true, false, true},
        {add_time, false, false, false, true},
        {add_rate, false, false, true, false},
        {add_clock, false, true, false, true},
        {add_sleep, false, true, false, true},
        {add_masked, false, false, true, false},
        {add_unseen, true, false, true, false},
        {add_own_share, false, false, true, false},
        {add_stream, false, true, false, true},
        {add_hotspots, true, false, false, false},
        {quality_ring_add, false, true, false, true},
        {quality_functions_add, false, false, false, true},
        {quality_selection_add, false, true, false, true},
        {add_selftest, false, false, false, false},
};

void quality_add_line(struct quality *quality, enum quality_level level,
                      const char *label, const char *text)
{
    say(quality, level, label, "%s", text);
}

void quality_add_fact(struct quality *quality, const char *key, json_t *fact)
{
    put(quality, key, fact);
}

int quality_init(struct quality *quality, const struct quality_subject *subject)
{
    memset(quality, 0, sizeof *quality);
    quality->facts = json_object();
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (subject->of_calls && !parts[i].calls)
            continue;
        quality->hotspots = parts[i].hotspots;
        quality->quiet =
                (parts[i].sampled && capture_is_unsampled(subject->capture))
                || (subject->of_table && !parts[i].table);
        parts[i].add(quality, subject);
    }
    quality->quiet = false;
    if (quality->failed) {
        quality_deinit(quality);
        return MCUPROF_E_NOMEM;
    }
    return 0;
}

void quality_deinit(struct quality *quality)
{
    free(quality->lines);
    json_decref(quality->facts);
    quality->lines = NULL;
    quality->facts = NULL;
}
