/* SPDX-License-Identifier: MIT */
#include "quality_functions.h"

#include "function_starts.h"
#include "units.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static void __attribute__((format(printf, 4, 5)))
say(struct quality *quality, enum quality_level level, const char *label,
    const char *format, ...)
{
    char text[QUALITY_TEXT_MAX];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    quality_add_line(quality, level, label, text);
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void add_snapshots(struct quality *quality,
                          const struct capture *capture)
{
    const struct function_table *table = &capture->functions;
    uint64_t bad = capture->decoder.stats.bad_functions;
    bool fine = table->incomplete + table->refused + bad == 0;
    char printed[80] = "";
    char slots[40] = "";
    char count[UNITS_MAX];

    if (capture_misses_functions(capture)) {
        say(quality,
            capture_is_unsampled(capture) ? QUALITY_WARNING : QUALITY_FINE,
            "functions",
            "no snapshot: mcuprof_functions_start() was not called, or the "
            "first one, a second behind it, had not come");
        return;
    }
    if (table->printed > 0)
        (void)snprintf(printed, sizeof printed, ", %s of them as text",
                       units_count(count, table->printed));
    if (table->complete > 0)
        (void)snprintf(slots, sizeof slots, " (%u slots)",
                       table->whole.capacity);
    say(quality, fine ? QUALITY_FINE : QUALITY_WARNING, "functions",
        "%s snapshot%s%s%s; %" PRIu64 " incomplete, %" PRIu64
        " not credible, %" PRIu64 " damaged frame%s",
        units_count(count, table->complete), plural(table->complete), slots,
        printed, table->incomplete, table->refused, bad, plural(bad));
}

/* Those of two firmwares are never summed. */
static void add_left_out(struct quality *quality, const struct capture *capture)
{
    uint64_t left_out = capture->functions.left_out;
    char count[UNITS_MAX];

    if (left_out > 0)
        say(quality, QUALITY_WARNING, "",
            "%s snapshot%s of another firmware left out: %s differ",
            units_count(count, left_out), plural(left_out), capture->unlike);
}

/* What is not in the rows of the functions it was about. */
static uint64_t add_failures(struct quality *quality,
                             const struct wire_function_counts *counts)
{
    const struct {
        uint64_t count;
        const char *singular;
        const char *plural;
    } failures[] = {
            {counts->no_slot, "call of a function that found no slot",
             "calls of functions that found no slot: [no slot] has them"},
            {counts->deep, "call deeper than the stack of the table",
             "calls deeper than the stack of the table: they are in their "
             "callers"},
            {counts->unmatched, "exit of what had not been entered, ignored",
             "exits of what had not been entered, ignored"},
            {counts->no_context, "event of a context too many, ignored",
             "events of contexts too many, ignored"},
    };
    uint64_t sum = 0;
    char number[UNITS_MAX];

    for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++) {
        sum = function_counts_sum(sum, failures[i].count);
        if (failures[i].count > 0)
            say(quality, QUALITY_WARNING, "", "%s %s",
                units_count(number, failures[i].count),
                failures[i].count == 1 ? failures[i].singular
                                       : failures[i].plural);
    }
    return sum;
}

static void add_remarks(struct quality *quality,
                        const struct wire_function_counts *counts,
                        uint64_t open)
{
    char number[UNITS_MAX];

    if (counts->unwound > 0)
        say(quality, QUALITY_FINE, "",
            "%s call%s left by no exit of %s own (longjmp, throw, a task that "
            "ended), closed where that was seen",
            units_count(number, counts->unwound), plural(counts->unwound),
            counts->unwound == 1 ? "its" : "their");
    if (counts->tries > 0)
        say(quality, QUALITY_FINE, "",
            "%s event%s tried again, as an interrupt came in between",
            units_count(number, counts->tries), plural(counts->tries));
    if (open > 0)
        say(quality, QUALITY_FINE, "",
            "%s call%s not left: their time so far is in self and total, and "
            "not in min and max",
            units_count(number, open), plural(open));
}

static void add_sums(struct quality *quality,
                     const struct function_table *table,
                     const struct function_sums *sums)
{
    char count[UNITS_MAX];

    if (!function_table_adds_up(sums))
        say(quality, QUALITY_WARNING, "",
            "its parts and its time by the clock are %.2f %% apart",
            function_table_apart(sums));
    if ((table->whole.flags & MCUPROF_FUNCTIONS_MOMENTS) != 0)
        say(quality, QUALITY_WARNING, "",
            "rows are not of one moment: it was interrupted too often when "
            "the snapshot was made");
    if ((table->whole.flags & MCUPROF_FUNCTIONS_EARLIER) != 0)
        say(quality, QUALITY_WARNING, "",
            "its clock is not in that memory: what the innermost call had "
            "taken itself since it was entered is missing");
    if (table->unseen > 0)
        say(quality, QUALITY_WARNING, "",
            "of %s period%s between starts and resets nothing came: their "
            "calls are missing",
            units_count(count, table->unseen), plural(table->unseen));
    if ((table->whole.flags & MCUPROF_FUNCTIONS_DROPPED) != 0)
        say(quality, QUALITY_WARNING, "",
            "a period's last snapshot was not sent, and calls are missing: "
            "between a reset or stop and the next one or a start "
            "mcuprof_poll() has to return 0");
    if (table->mixed)
        say(quality, QUALITY_WARNING, "",
            "some snapshots are with what the hooks took, some without");
}

/* "3.967 s"; "99,169,346 ticks" where the clock's rate is not known. */
static const char *say_ticks(char out[UNITS_MAX], const struct capture *capture,
                             uint64_t ticks)
{
    struct fact seconds = facts_seconds(capture, ticks);
    char count[UNITS_MAX];

    if (seconds.known)
        return units_seconds(out, seconds.value);
    (void)snprintf(out, UNITS_MAX, "%.20s ticks", units_count(count, ticks));
    return out;
}

static void add_clock(struct quality *quality,
                      const struct quality_subject *subject)
{
    const struct capture *capture = subject->capture;
    const struct function_clock *clock = &capture->functions.clock;
    bool agrees = function_clock_agrees(clock);
    char ticks[UNITS_MAX];
    char least[UNITS_MAX];
    char most[UNITS_MAX];

    if (clock->known)
        say(quality, agrees ? QUALITY_FINE : QUALITY_WARNING, "",
            "its clock %s the stream's: from its first snapshot to its last "
            "it counted %s, the stream %s at least and %s at most",
            agrees ? "agrees with" : "contradicts",
            say_ticks(ticks, capture, clock->ticks),
            say_ticks(least, capture, clock->least),
            say_ticks(most, capture, clock->most));
    /* Else that is said with the rate of samples. */
    if (capture->settings_changed
        && (subject->of_table || capture_is_unsampled(capture)))
        say(quality, QUALITY_WARNING, "",
            "the clock changed within the capture: its times are in terms of "
            "the last rate");
}

/* A sampler's interrupt would look at it often enough. */
static void add_turns(struct quality *quality, const struct capture *capture)
{
    unsigned bits = capture->hello.clock_bits & ~(unsigned)MCUPROF_CLOCK_DOWN;
    char turn[UNITS_MAX];

    if (bits == 0 || bits >= 32
        || (capture->hello.engines & MCUPROF_ENGINE_SAMPLER) != 0)
        return;
    say(quality, QUALITY_FINE, "",
        "its clock has %u bits: where nothing looked at it for %s or longer "
        "(no call, no mcuprof_poll()), whole turns of it are missing",
        bits, say_ticks(turn, capture, (uint64_t)7 << bits >> 3));
}

/* True unless out of memory. */
static bool add_starts(struct quality *quality,
                       const struct quality_subject *subject)
{
    struct function_starts starts = {0, 0};

    if (subject->modules != NULL
        && function_starts_check(&starts, subject->capture, subject->modules)
                   < 0)
        return false;
    if (starts.strangers > 0)
        say(quality, QUALITY_WARNING, "",
            "%zu of %zu functions do not begin where the ELF has functions: "
            "is it the firmware's?",
            starts.strangers, starts.functions);
    quality_add_fact(quality, "functions_not_in_elf",
                     starts.functions > 0
                             ? json_integer((json_int_t)starts.strangers)
                             : json_null());
    return true;
}

static json_t *clock_json(const struct function_clock *clock)
{
    return clock->known ? json_boolean(function_clock_agrees(clock))
                        : json_null();
}

static json_t *describe(const struct capture *capture,
                        const struct function_sums *sums)
{
    const struct function_table *table = &capture->functions;
    const struct wire_function_counts *counts = &table->whole.counts;

    return json_pack(
            "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:i, s:I, s:I, s:I, s:I,"
            " s:I, s:I, s:I, s:b, s:b, s:b, s:b, s:o}",
            "snapshots", (json_int_t)table->complete, "left_out",
            (json_int_t)table->left_out, "incomplete",
            (json_int_t)table->incomplete, "refused",
            (json_int_t)table->refused, "frames_refused",
            (json_int_t)capture->decoder.stats.bad_functions, "printed",
            (json_int_t)table->printed, "periods", (json_int_t)table->periods,
            "periods_unseen", (json_int_t)table->unseen, "slots",
            (int)table->whole.capacity, "open", (json_int_t)sums->open,
            "unwound", (json_int_t)counts->unwound, "unmatched",
            (json_int_t)counts->unmatched, "deep", (json_int_t)counts->deep,
            "no_slot", (json_int_t)counts->no_slot, "no_context",
            (json_int_t)counts->no_context, "tries", (json_int_t)counts->tries,
            "of_one_moment",
            (table->whole.flags & MCUPROF_FUNCTIONS_MOMENTS) == 0,
            "periods_whole",
            (table->whole.flags & MCUPROF_FUNCTIONS_DROPPED) == 0, "up_to_halt",
            (table->whole.flags & MCUPROF_FUNCTIONS_EARLIER) == 0, "adds_up",
            function_table_adds_up(sums), "clock_agrees",
            clock_json(&table->clock));
}

void quality_functions_add(struct quality *quality,
                           const struct quality_subject *subject)
{
    const struct capture *capture = subject->capture;
    const struct function_table *table = &capture->functions;
    struct function_sums sums = function_table_sums(&table->whole);

    if (!capture_has_functions(capture)) {
        quality_add_fact(quality, "function_table", json_null());
        return;
    }
    quality_add_fact(quality, "function_table", describe(capture, &sums));
    add_snapshots(quality, capture);
    add_left_out(quality, capture);
    if (table->complete == 0)
        return;
    if (add_failures(quality, &table->whole.counts) == 0)
        say(quality, QUALITY_FINE, "",
            "every call found a slot, a place on the stack and a context");
    add_remarks(quality, &table->whole.counts, sums.open);
    if (!add_starts(quality, subject))
        quality->failed = true;
    add_sums(quality, table, &sums);
    add_clock(quality, subject);
    add_turns(quality, capture);
}
