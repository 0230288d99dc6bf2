/* SPDX-License-Identifier: MIT */
#include "call_quality.h"

#include "symbolize.h"
#include "units.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define PS_PER_S 1e12

/* Parts of a sentence, with commas between them. */
struct sentence {
    char text[QUALITY_TEXT_MAX];
    size_t used;
};

static void __attribute__((format(printf, 2, 3)))
append(struct sentence *sentence, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(sentence->text + sentence->used,
                       sizeof sentence->text - sentence->used, format,
                       arguments);
    va_end(arguments);
    if (length > 0)
        sentence->used += (size_t)length;
    if (sentence->used >= sizeof sentence->text)
        sentence->used = sizeof sentence->text - 1;
}

static void append_count(struct sentence *sentence, uint64_t count,
                         const char *what)
{
    char text[UNITS_MAX];

    if (count > 0)
        append(sentence, "%s%s %s", sentence->used > 0 ? ", " : "",
               units_count(text, count), what);
}

static void put_counts(struct quality *quality,
                       const struct timeline_counts *counts)
{
    const struct {
        const char *key;
        uint64_t count;
    } facts[] = {
            {"calls", counts->calls},
            {"marks", counts->marks},
            {"calls_entered_before", counts->entered_before},
            {"calls_unwound", counts->unwound},
            {"calls_ended_by_return", counts->ended},
            {"calls_open", counts->open},
            {"calls_left_in_gap", counts->left_in_gap},
            {"calls_left_with_context", counts->left_gone},
            {"calls_too_deep", counts->too_deep},
            {"calls_left_off", counts->left_off},
            {"pauses", counts->pauses},
            {"leaves_stray", counts->stray_leaves},
            {"records_torn", counts->torn},
            {"records_stale", counts->stale},
            {"records_without_value", counts->stray_values},
            {"records_unknown", counts->unknown},
            {"records_before_hello", counts->before_hello},
            {"gaps_target", counts->gaps_target},
            {"gaps_line", counts->gaps_line},
            {"records_lost_target", counts->lost_target},
            {"records_lost_line", counts->lost_line},
            {"clock_wraps_hidden", counts->wraps},
            {"clock_readings_in_full", counts->anchors},
            {"clock_readings_refused", counts->disagreed},
            {"clock_changes_unsure", counts->rates_unsure},
            {"recordings", counts->boots},
            {"resets", counts->resets},
    };

    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        quality_add_fact(quality, facts[i].key,
                         json_integer((json_int_t)facts[i].count));
}

static void add_calls(struct quality *quality,
                      const struct timeline_result *result)
{
    const struct timeline_counts *counts = &result->counts;
    struct sentence sentence = {.used = 0};
    char calls[UNITS_MAX];

    append(&sentence, "%s in %zu context%s", units_count(calls, counts->calls),
           result->share_count, result->share_count == 1 ? "" : "s");
    append_count(&sentence, counts->marks,
                 counts->marks == 1 ? "mark" : "marks");
    if (counts->boots > 1)
        append_count(&sentence, counts->boots, "recordings one after another");
    quality_add_line(quality, QUALITY_FINE, "calls", sentence.text);
}

/* Lost on the target, in no gap: a ring in RAM keeps their number alone. */
static uint64_t lost_anywhere(const struct capture *capture,
                              const struct timeline_counts *counts)
{
    uint64_t lost = capture_totals(capture)->trace.lost_target;

    return lost > counts->lost_target ? lost - counts->lost_target : 0;
}

static void add_lost(struct quality *quality, const struct capture *capture,
                     const struct timeline_result *result)
{
    const struct timeline_counts *counts = &result->counts;
    uint64_t anywhere = lost_anywhere(capture, counts);
    char target[UNITS_MAX];
    char line[UNITS_MAX];
    struct sentence sentence = {.used = 0};

    quality_add_fact(quality, "records_lost_anywhere",
                     json_integer((json_int_t)anywhere));
    if (counts->gaps_target + counts->gaps_line + anywhere == 0) {
        quality_add_line(quality, QUALITY_FINE, "lost", "no records");
        return;
    }
    if (counts->gaps_target + counts->gaps_line > 0)
        append(&sentence,
               "%s records on the target (no room), in gaps: %" PRIu64
               "; %s on the line, in gaps: %" PRIu64,
               units_count(target, counts->lost_target), counts->gaps_target,
               units_count(line, counts->lost_line), counts->gaps_line);
    if (anywhere > 0)
        append(&sentence,
               "%s%s record%s on the target, nobody knows where: calls around "
               "them are mended, or wrong",
               sentence.used > 0 ? "; " : "", units_count(target, anywhere),
               anywhere == 1 ? "" : "s");
    quality_add_line(quality, QUALITY_WARNING, "lost", sentence.text);
}

static void add_mended(struct quality *quality,
                       const struct timeline_counts *counts)
{
    struct sentence sentence = {.used = 0};
    bool is_ordinary = counts->ended + counts->left_in_gap + counts->too_deep
                               + counts->unwound
                       == 0;

    append_count(&sentence, counts->entered_before,
                 "entered before the record or in a gap");
    append_count(&sentence, counts->unwound,
                 "unwound (longjmp, throw, no return, tail call)");
    append_count(&sentence, counts->ended,
                 "ended when what they interrupted went on");
    append_count(&sentence, counts->left_in_gap, "left in a gap");
    append_count(&sentence, counts->left_gone,
                 "left when their context was deleted");
    append_count(&sentence, counts->too_deep, "closed: too many open ones");
    append_count(&sentence, counts->left_off, "open when recording went off");
    append_count(&sentence, counts->open, "open at the end");
    quality_add_line(quality, is_ordinary ? QUALITY_FINE : QUALITY_WARNING,
                     "mended", sentence.used > 0 ? sentence.text : "no calls");
}

static void add_pauses(struct quality *quality,
                       const struct timeline_result *result)
{
    uint64_t pauses = result->counts.pauses;
    struct sentence sentence = {.used = 0};
    char count[UNITS_MAX];
    char time[UNITS_MAX];

    if (pauses == 0)
        return;
    append(&sentence, "%s pause%s of recording, ", units_count(count, pauses),
           pauses == 1 ? "" : "s");
    if (result->clock_hz > 0)
        append(&sentence, "%s in total",
               units_seconds(time, (double)result->off.ps / PS_PER_S));
    else
        append(&sentence, "%s cycles in total",
               units_count(time, result->off.ticks));
    if (result->is_off_unsure)
        append(&sentence, ", or more: whole wraps of the clock cannot be seen");
    quality_add_line(quality, QUALITY_FINE, "off", sentence.text);
}

/* A ring that was recording at a reset. */
static void add_resets(struct quality *quality,
                       const struct timeline_result *result)
{
    uint64_t resets = result->counts.resets;
    struct sentence sentence = {.used = 0};
    char count[UNITS_MAX];

    if (!result->was_running)
        return;
    append(&sentence,
           "the ring was recording when the chip was reset: functions that "
           "run before .bss is cleared may have added calls, by a clock that "
           "had begun anew; `mcuprof lint` names them (early)");
    if (resets > 0)
        append(&sentence,
               "; time jumps in %s place%s, as it would there, and counts anew "
               "behind",
               units_count(count, resets), resets == 1 ? "" : "s");
    quality_add_line(quality, QUALITY_WARNING, "reset", sentence.text);
}

static void add_left_out(struct quality *quality,
                         const struct timeline_counts *counts)
{
    struct sentence sentence = {.used = 0};

    append_count(&sentence, counts->stray_leaves,
                 "leaves of what was not entered (a task switch that was not "
                 "told?)");
    append_count(&sentence, counts->torn, "reserved and never written");
    append_count(&sentence, counts->stale, "of an earlier lap of the ring");
    append_count(&sentence, counts->stray_values, "without what belongs to it");
    append_count(&sentence, counts->unknown, "of an unknown kind");
    append_count(&sentence, counts->before_hello,
                 "from before the first HELLO");
    if (sentence.used > 0)
        quality_add_line(quality, QUALITY_WARNING, "left out", sentence.text);
}

static void add_wraps(struct quality *quality,
                      const struct timeline_result *result)
{
    const struct timeline_counts *counts = &result->counts;
    unsigned bits = result->clock_bits & ~(unsigned)MCUPROF_CLOCK_DOWN;
    struct sentence sentence = {.used = 0};
    char seconds[UNITS_MAX];

    if (bits == 0 || bits > 32)
        bits = 32;
    if (counts->anchors == 0 && result->clock_hz > 0)
        append(&sentence,
               "nothing tells how often the clock wrapped: a silence of %s or "
               "more cannot be seen",
               units_seconds(seconds,
                             (double)(UINT64_C(1) << bits) / result->clock_hz));
    append_count(&sentence, counts->wraps,
                 "of the clock are somewhere in the record: that time counts "
                 "as lost");
    append_count(&sentence, counts->disagreed,
                 "readings of the clock contradict the records");
    if (sentence.used > 0)
        quality_add_line(quality,
                         counts->wraps + counts->disagreed > 0 ? QUALITY_WARNING
                                                               : QUALITY_FINE,
                         "wraps", sentence.text);
}

static void add_rates(struct quality *quality,
                      const struct timeline_result *result)
{
    struct sentence sentence = {.used = 0};

    if (!result->rate_changed)
        return;
    append(&sentence, "the clock changed it: seconds are summed by pieces");
    append_count(&sentence, result->counts.rates_unsure,
                 "at an unknown time: the record is lost, and seconds are not "
                 "sure around it");
    quality_add_line(quality,
                     result->counts.rates_unsure > 0 ? QUALITY_WARNING
                                                     : QUALITY_FINE,
                     "rate", sentence.text);
}

static void add_hooks(struct quality *quality, const struct capture *capture,
                      const struct timeline_result *result)
{
    struct sentence sentence = {.used = 0};
    bool is_known = result->hook_cost > 0;

    quality_add_fact(quality, "hook_pair_cycles",
                     is_known ? json_integer(result->hook_cost) : json_null());
    quality_add_fact(quality, "hook_inner_cycles",
                     is_known ? json_integer(result->hook_inner) : json_null());
    if (is_known)
        append(&sentence,
               "a call costs %u cycles, measured on this chip, %u of them "
               "within it",
               result->hook_cost, result->hook_inner);
    else
        append(&sentence, "what a call costs was not measured: it is in all "
                          "times");
    if (capture->trace.selects)
        append(&sentence,
               "; not every call was recorded (a depth, filters): what the "
               "hooks of the others cost is in the times of their callers");
    quality_add_line(quality,
                     is_known && !capture->trace.selects ? QUALITY_FINE
                                                         : QUALITY_WARNING,
                     "hooks", sentence.text);
}

void call_quality_add(struct quality *quality, const struct capture *capture,
                      const struct timeline_result *result)
{
    put_counts(quality, &result->counts);
    add_calls(quality, result);
    add_lost(quality, capture, result);
    add_pauses(quality, result);
    add_resets(quality, result);
    add_mended(quality, &result->counts);
    add_left_out(quality, &result->counts);
    add_wraps(quality, result);
    add_rates(quality, result);
    add_hooks(quality, capture, result);
}

/* "work+0x4 (work.c:12)"; of an inlined function "leaf in work+0x4 (...)". */
static void name_place(struct modules *modules, enum demangle style,
                       uint32_t address, char *out, size_t size)
{
    char inlined[DEMANGLE_MAX] = "";
    char name[SYMBOLIZE_ADDRESS_MAX];
    char line[400] = "";
    struct modules_place place;

    symbolize_address(modules, style, address, name, sizeof name);
    if (modules_find(modules, address & ~1u, &place) == 0
        && place.frame_count > 0) {
        const struct lines_frame *frame = &place.frames[0];

        if (frame->line > 0)
            (void)snprintf(line, sizeof line, " (%s:%" PRIu32 ")", frame->file,
                           frame->line);
        if (frame->is_inlined) {
            demangle(style,
                     frame->linkage[0] != '\0' ? frame->linkage : frame->name,
                     inlined);
        }
    }
    (void)snprintf(out, size, "%s%s%s%s", inlined,
                   inlined[0] != '\0' ? " in " : "", name, line);
}

void call_quality_frozen(const struct capture *capture, struct modules *modules,
                         enum demangle style, char *out, size_t size)
{
    const struct wire_ring *ring = &capture->trace.ring;
    char pc[DEMANGLE_MAX + SYMBOLIZE_ADDRESS_MAX + 404];
    char lr[SYMBOLIZE_ADDRESS_MAX];
    bool is_fault = ring->state == MCUPROF_TRACE_STATE_FAULT;

    out[0] = '\0';
    if (!capture->trace.has_ring
        || (!is_fault && ring->state != MCUPROF_TRACE_STATE_FROZEN))
        return;
    /* A freeze is a call, and notes where that returns. */
    name_place(modules, style,
               is_fault ? ring->pc : symbolize_call_before(ring->pc), pc,
               sizeof pc);
    symbolize_address(modules, style, ring->lr, lr, sizeof lr);
    if (is_fault)
        (void)snprintf(out, size,
                       "a fault at %s, 0x%08" PRIx32
                       "; LR %s, CFSR 0x%08" PRIx32,
                       pc, ring->pc, lr, ring->fault);
    else
        (void)snprintf(out, size, "frozen at %s, 0x%08" PRIx32, pc, ring->pc);
}
