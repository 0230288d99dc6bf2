/* SPDX-License-Identifier: MIT */
#include "quality_ring.h"

#include "symbolize.h"
#include "units.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const modes[] = {
        [MCUPROF_TRACE_MODE_FLIGHT] = "flight recorder",
        [MCUPROF_TRACE_MODE_ONE_SHOT] = "one-shot",
        [MCUPROF_TRACE_MODE_STREAM] = "stream",
};

static const char *const states[] = {
        [MCUPROF_TRACE_STATE_OFF] = "off",
        [MCUPROF_TRACE_STATE_ARMED] = "waiting for its function",
        [MCUPROF_TRACE_STATE_RUNNING] = "recording",
        [MCUPROF_TRACE_STATE_TRIGGERED] = "triggered",
        [MCUPROF_TRACE_STATE_FULL] = "full",
        [MCUPROF_TRACE_STATE_FROZEN] = "frozen",
        [MCUPROF_TRACE_STATE_FAULT] = "frozen by a fault",
};

/* What a ring in RAM loses: it keeps the count, not the place. */
static const char lost_in_ring[] = "their hooks gave up, nobody knows where";

#define NAME(table, value)                                                     \
    ((value) < sizeof(table) / sizeof(table)[0] ? (table)[value]               \
                                                : "of an unknown kind")

static uint8_t mode_of(const struct capture *capture)
{
    return capture->trace.has_ring ? capture->trace.ring.mode
                                   : capture->hello.trace_mode;
}

/* What it says of where is of a freeze before, else. */
static bool is_frozen(const struct wire_ring *ring)
{
    return ring->state == MCUPROF_TRACE_STATE_FROZEN
           || ring->state == MCUPROF_TRACE_STATE_FAULT;
}

static json_t *address_fact(bool known, uint32_t address)
{
    return known ? json_integer((json_int_t)address) : json_null();
}

static json_t *describe(const struct capture *capture)
{
    const struct ledger_counts *counts = &capture_totals(capture)->trace;
    const struct capture_trace *trace = &capture->trace;
    const struct wire_ring *ring = &trace->ring;
    bool frozen = trace->has_ring && is_frozen(ring);
    uint16_t cost = trace->hook_cost;

    return json_pack(
            "{s:s, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, "
            "s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b}",
            "mode", NAME(modes, mode_of(capture)), "state",
            trace->has_ring ? json_string(NAME(states, ring->state))
                            : json_null(),
            "kept", trace->has_ring ? json_boolean(ring->kept) : json_null(),
            "size", address_fact(trace->has_ring, ring->records), "records",
            (json_int_t)counts->received, "before", (json_int_t)counts->skipped,
            "lost_target", (json_int_t)counts->lost_target, "lost_line",
            (json_int_t)counts->lost_line, "entered",
            (json_int_t)trace->entered, "left", (json_int_t)trace->left,
            "marks", (json_int_t)trace->marks, "incomplete",
            (json_int_t)trace->incomplete, "frozen_pc",
            address_fact(frozen, ring->pc), "frozen_lr",
            address_fact(frozen, ring->lr), "frozen_xpsr",
            address_fact(frozen && ring->xpsr != 0, ring->xpsr), "cfsr",
            address_fact(frozen && ring->fault != 0, ring->fault), "halted_us",
            address_fact(trace->has_ring, ring->halted_us), "unnamed",
            address_fact(trace->has_ring, ring->unnamed), "hook_pair_ticks",
            address_fact(cost > 0, cost), "hook_inner_ticks",
            address_fact(cost > 0, trace->hook_inner), "selected",
            (int)trace->selects);
}

static void add_records(struct quality *quality, const struct capture *capture)
{
    const struct ledger_counts *counts = &capture_totals(capture)->trace;
    const struct capture_trace *trace = &capture->trace;
    uint64_t lost = counts->lost_target + counts->lost_line;
    bool streams = mode_of(capture) == MCUPROF_TRACE_MODE_STREAM;
    char text[QUALITY_TEXT_MAX];
    char how[80] = "";
    char losses[200] = "none lost";
    char a[UNITS_MAX];
    char b[UNITS_MAX];

    if (trace->has_ring)
        (void)snprintf(how, sizeof how, " of %s, %s%s",
                       units_count(a, trace->ring.records),
                       NAME(states, trace->ring.state),
                       trace->ring.kept ? ", left by a boot before" : "");
    if (lost > 0)
        (void)snprintf(losses, sizeof losses,
                       "lost %s on the target (%s), %s on the line",
                       units_count(a, counts->lost_target),
                       streams ? "no room" : lost_in_ring,
                       units_count(b, counts->lost_line));
    (void)snprintf(text, sizeof text, "%s%s: %s record%s, %s; %s %s",
                   NAME(modes, mode_of(capture)), how,
                   units_count(a, counts->received),
                   counts->received == 1 ? "" : "s", losses,
                   units_count(b, counts->skipped),
                   !trace->has_ring ? "before the capture"
                   : streams        ? "sent before"
                                    : "older ones overwritten");
    quality_add_line(quality, lost > 0 ? QUALITY_WARNING : QUALITY_FINE,
                     "call ring", text);
}

static void add_unnamed(struct quality *quality, const struct wire_ring *ring)
{
    char text[QUALITY_TEXT_MAX];
    char count[UNITS_MAX];

    if (ring->unnamed == 0)
        return;
    if (ring->unnamed == MCUPROF_RING_UNNAMED_ALL)
        (void)snprintf(text, sizeof text,
                       "the names of contexts could not be read");
    else
        (void)snprintf(text, sizeof text,
                       "%s name%s of contexts could not be read",
                       units_count(count, ring->unnamed),
                       ring->unnamed == 1 ? "" : "s");
    quality_add_line(quality, QUALITY_WARNING, "", text);
}

/* As of a shared SysTick that nobody samples. */
static void add_standing(struct quality *quality, const struct capture *capture)
{
    bool stands = capture_trace_stands(capture);

    quality_add_fact(quality, "ring_clock_stood",
                     capture->trace.is_timed ? json_boolean(stands)
                                             : json_null());
    if (stands)
        quality_add_line(quality, QUALITY_WARNING, "",
                         "the clock never moved while these were made, so all "
                         "times are 0: check that the timer runs, and that "
                         "the handler of a shared one takes samples");
}

static void add_unread(struct quality *quality, const struct capture *capture)
{
    char text[QUALITY_TEXT_MAX];
    bool streams = mode_of(capture) == MCUPROF_TRACE_MODE_STREAM;

    (void)snprintf(text, sizeof text, "%s: %s", NAME(modes, mode_of(capture)),
                   streams ? "no record came"
                           : "it stays in RAM, to be read with gdb:HOST:PORT "
                             "or from a dump with ram:FILE@ADDRESS");
    quality_add_line(quality, QUALITY_FINE, "call ring", text);
}

static void add_halted(struct quality *quality, const struct wire_ring *ring)
{
    char text[QUALITY_TEXT_MAX];
    char time[UNITS_MAX];

    if (ring->halted_us == 0)
        return;
    (void)snprintf(text, sizeof text, "the target was halted for %s to read it",
                   units_seconds(time, ring->halted_us / 1e6));
    quality_add_line(quality, QUALITY_FINE, "", text);
}

/* "LABEL 0x08000154, work+0x12", of what is at NAMED; the number alone without
   an ELF. */
static void add_address(struct quality *quality,
                        const struct quality_subject *subject,
                        const char *label, uint32_t address, uint32_t named)
{
    char text[QUALITY_TEXT_MAX];
    char name[SYMBOLIZE_ADDRESS_MAX] = "";

    if (subject->modules != NULL)
        symbolize_address(subject->modules, subject->demangle, named, name,
                          sizeof name);
    if (snprintf(text, sizeof text, "%s 0x%08" PRIx32 "%s%s", label, address,
                 name[0] != '\0' ? ", " : "", name)
        > 0)
        quality_add_line(quality, QUALITY_FINE, "", text);
}

static void add_frozen(struct quality *quality,
                       const struct quality_subject *subject)
{
    const struct wire_ring *ring = &subject->capture->trace.ring;
    char text[QUALITY_TEXT_MAX];

    if (!is_frozen(ring))
        return;
    /* A freeze is a call, and notes where that returns. */
    add_address(quality, subject, "frozen at", ring->pc,
                ring->state == MCUPROF_TRACE_STATE_FAULT
                        ? ring->pc
                        : symbolize_call_before(ring->pc));
    add_address(quality, subject, "LR", ring->lr, ring->lr);
    if (ring->fault == 0)
        return;
    (void)snprintf(text, sizeof text, "CFSR 0x%08" PRIx32, ring->fault);
    quality_add_line(quality, QUALITY_FINE, "", text);
}

static void add_cost(struct quality *quality, const struct capture *capture)
{
    bool unsampled = capture_is_unsampled(capture);
    char text[QUALITY_TEXT_MAX];

    if (capture->trace.hook_cost > 0)
        (void)snprintf(text, sizeof text,
                       "a call's hooks cost %u ticks, measured on this chip%s",
                       capture->trace.hook_cost,
                       unsampled ? "" : "; they are in the samples");
    else
        (void)snprintf(text, sizeof text,
                       "what a call's hooks cost was not measured%s",
                       unsampled ? "" : ", and is in the samples");
    quality_add_line(quality, QUALITY_FINE, "", text);
    if (capture->trace.selects)
        quality_add_line(quality, QUALITY_FINE, "",
                         "not every call was recorded (a depth, filters)");
}

void quality_ring_add(struct quality *quality,
                      const struct quality_subject *subject)
{
    const struct capture *capture = subject->capture;

    if (!capture_has_trace(capture)) {
        quality_add_fact(quality, "ring", json_null());
        quality_add_fact(quality, "ring_clock_stood", json_null());
        return;
    }
    quality_add_fact(quality, "ring", describe(capture));
    if (capture->trace.has_ring || capture_totals(capture)->trace.received > 0)
        add_records(quality, capture);
    else
        add_unread(quality, capture);
    add_standing(quality, capture);
    if (capture->trace.has_ring) {
        add_unnamed(quality, &capture->trace.ring);
        add_halted(quality, &capture->trace.ring);
    }
    /* Where calls are shown, they say these themselves. */
    if (subject->of_calls)
        return;
    if (capture->trace.has_ring)
        add_frozen(quality, subject);
    add_cost(quality, capture);
}
