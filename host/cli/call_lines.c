/* SPDX-License-Identifier: MIT */
#include "call_lines.h"

#include "call_rows.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTEXT_IDS 65536u
#define LINES_A_FLUSH 1000

int call_filter_init(struct call_filter *filter, struct call_session *session,
                     const struct call_window *window)
{
    *filter = (struct call_filter){.window = window, .session = session};
    filter->inside = calloc(CONTEXT_IDS, sizeof *filter->inside);
    return filter->inside == NULL ? MCUPROF_E_NOMEM : 0;
}

void call_filter_deinit(struct call_filter *filter)
{
    free(filter->inside);
}

static bool is_wanted(const struct call_filter *filter, uint32_t function)
{
    const char *pattern = filter->session->settings->function;
    const char *name = call_names_function(filter->session->names, function);

    return pattern == NULL || (name != NULL && fnmatch(pattern, name, 0) == 0);
}

/* Levels below the call that was asked for, or all. */
static bool is_level_shown(const struct call_filter *filter, size_t level)
{
    uint64_t depth = filter->session->settings->depth;

    return depth == 0 || level < depth;
}

bool call_filter_enter(struct call_filter *filter,
                       const struct timeline_event *event, size_t *level)
{
    uint32_t *inside = &filter->inside[event->context];

    if (*inside == 0 && is_wanted(filter, event->function))
        *inside = (uint32_t)event->depth + 1;
    if (*inside == 0)
        return false;
    *level = event->depth + 1 - *inside;
    return is_level_shown(filter, *level);
}

bool call_filter_shows(const struct call_filter *filter,
                       const struct timeline_event *event)
{
    uint32_t inside = filter->inside[event->context];

    return inside != 0 && is_level_shown(filter, event->depth + 1 - inside);
}

bool call_filter_within(const struct call_filter *filter,
                        const struct timeline_event *event, size_t *level)
{
    uint32_t inside = filter->inside[event->context];

    *level = inside == 0 ? 0 : event->depth + 1 - inside;
    if (inside == 0 && filter->session->settings->function != NULL)
        return false;
    return *level == 0 || is_level_shown(filter, *level - 1);
}

void call_filter_leave(struct call_filter *filter,
                       const struct timeline_event *event)
{
    if (filter->inside[event->context] == event->depth + 1)
        filter->inside[event->context] = 0;
}

static uint64_t time_of(const struct call_filter *filter,
                        const struct timeline_event *event)
{
    return filter->window->in_cycles ? event->at.ticks : event->at.ps;
}

bool call_filter_is_after_from(const struct call_filter *filter,
                               const struct timeline_event *event)
{
    return time_of(filter, event) >= filter->window->from;
}

bool call_filter_is_before_to(const struct call_filter *filter,
                              const struct timeline_event *event)
{
    return time_of(filter, event) <= filter->window->to;
}

const char *call_lines_number(char out[UNITS_MAX],
                              const struct call_session *session,
                              struct timeline_span span)
{
    return session->in_us ? units_thousandths(out, call_rows_number(span, true))
                          : units_count(out, span.ticks);
}

const char *call_lines_duration(char out[UNITS_MAX], struct call_filter *filter,
                                const struct timeline_event *event)
{
    struct timeline_span span = event->span;

    if (!filter->session->settings->raw) {
        span = call_rows_without(event->span, event->span_cost);
        filter->below_zero +=
                span.ticks == 0 && event->self_cost.ticks > event->self.ticks;
    }
    return call_lines_number(out, filter->session, span);
}

const char *call_lines_note(char out[CALL_LINES_NOTE_MAX], unsigned flags)
{
    static const struct {
        unsigned flag;
        const char *text;
    } notes[] = {
            {TIMELINE_ENTERED_BEFORE, "entered before"},
            {TIMELINE_UNWOUND, "unwound"},
            {TIMELINE_ENDED, "ended, its leave is missing"},
            {TIMELINE_OPEN, "not left"},
            {TIMELINE_LEFT_IN_GAP, "left in the gap"},
            {TIMELINE_LEFT_GONE, "its context was deleted"},
            {TIMELINE_TOO_DEEP, "closed: too many open calls"},
            {TIMELINE_LEFT_OFF, "open when recording went off"},
    };
    size_t used = 0;

    out[0] = '\0';
    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++)
        if ((flags & notes[i].flag) != 0)
            used += (size_t)snprintf(out + used, CALL_LINES_NOTE_MAX - used,
                                     "%s%s", used == 0 ? "  [" : ", ",
                                     notes[i].text);
    if (used > 0)
        (void)snprintf(out + used, CALL_LINES_NOTE_MAX - used, "]");
    return out;
}

static const char *unit_of(const struct call_session *session)
{
    return session->in_us ? "us" : "cycles";
}

/* "WHAT within 50.000 us" */
static void say_within(struct call_session *session,
                       const struct timeline_event *event, const char *what,
                       char *out, size_t size)
{
    char span[UNITS_MAX];

    (void)snprintf(out, size, "%s within %s %s%s", what,
                   call_lines_number(span, session, event->span),
                   unit_of(session),
                   (event->flags & TIMELINE_UNSURE) != 0
                           ? ", or more: whole wraps of the clock cannot be "
                             "seen"
                           : "");
}

static void say_gap(struct call_session *session,
                    const struct timeline_event *event, char *out, size_t size)
{
    char what[UNITS_MAX + 40];
    char count[UNITS_MAX];

    (void)snprintf(what, sizeof what, "%s records lost %s,",
                   units_count(count, event->count),
                   (event->flags & TIMELINE_ON_LINE) != 0 ? "on the line"
                                                          : "for want of room");
    say_within(session, event, what, out, size);
}

/* Where its record is lost, the gap is in front of this line. */
static void say_clock(struct call_session *session,
                      const struct timeline_event *event, char *out,
                      size_t size)
{
    const struct timeline_span end = {event->at.ticks + event->span.ticks,
                                      event->at.ps + event->span.ps};
    char rate[UNITS_MAX];
    char from[UNITS_MAX];
    char to[UNITS_MAX];
    char others[80] = "";

    units_hz(rate, event->value);
    if ((event->flags & TIMELINE_UNSURE) == 0) {
        (void)snprintf(out, size, "the clock runs at %s from here on", rate);
        return;
    }
    if (event->count == 0) {
        (void)snprintf(out, size,
                       "the clock runs at %s, since an unknown time before",
                       rate);
        return;
    }
    if (event->count > 1)
        (void)snprintf(others, sizeof others,
                       ", or in one of the next gaps, of %" PRIu64,
                       event->count - 1);
    (void)snprintf(out, size,
                   "the clock changed to %s at an unknown time between %s and "
                   "%s %s%s",
                   rate, call_lines_number(from, session, event->at),
                   call_lines_number(to, session, end), unit_of(session),
                   others);
}

static void say_begin(const struct call_session *session,
                      const struct timeline_event *event, char *out,
                      size_t size)
{
    bool is_reset = (event->flags & TIMELINE_RESET) != 0;

    if (session->boots > 1)
        (void)snprintf(out, size, "recording %" PRIu32 "%s", event->number,
                       is_reset ? ": the chip was reset here, or nothing ran "
                                  "for long: the time between is not known"
                                : "");
}

static void say_mark(const struct timeline_event *event, char *out, size_t size)
{
    if (event->has_value)
        (void)snprintf(out, size,
                       "mark %" PRIu32 " = %" PRIu32 " (0x%" PRIx32 ")",
                       event->number, event->value, event->value);
    else
        (void)snprintf(out, size, "mark %" PRIu32 ", its value is missing",
                       event->number);
}

static int say_away(struct call_session *session,
                    const struct timeline_event *event, char *out, size_t size)
{
    const char *other = call_names_context(session->names, event->other);
    char span[UNITS_MAX];

    if (other == NULL)
        return MCUPROF_E_NOMEM;
    (void)snprintf(out, size, "%s for %s %s", other,
                   call_lines_number(span, session, event->span),
                   unit_of(session));
    return 0;
}

int call_lines_say(struct call_session *session,
                   const struct timeline_event *event, char *out, size_t size)
{
    char text[UNITS_MAX];

    out[0] = '\0';
    switch (event->kind) {
    case TIMELINE_MARK:
        say_mark(event, out, size);
        break;
    case TIMELINE_AWAY:
        return say_away(session, event, out, size);
    case TIMELINE_GAP:
        say_gap(session, event, out, size);
        break;
    case TIMELINE_WRAP:
        (void)snprintf(out, size,
                       "the clock wrapped %" PRIu64
                       " times unseen, here or before: %s %s",
                       event->count,
                       call_lines_number(text, session, event->span),
                       unit_of(session));
        break;
    case TIMELINE_PAUSE:
        say_within(session, event, "recording was off,", out, size);
        break;
    case TIMELINE_CLOCK:
        say_clock(session, event, out, size);
        break;
    case TIMELINE_GONE:
        (void)snprintf(out, size, "deleted");
        break;
    case TIMELINE_BEGIN:
        say_begin(session, event, out, size);
        break;
    default:
        break;
    }
    return 0;
}

bool call_lines_is_common(const struct timeline_event *event)
{
    return event->kind == TIMELINE_GAP || event->kind == TIMELINE_WRAP
           || event->kind == TIMELINE_PAUSE || event->kind == TIMELINE_CLOCK
           || event->kind == TIMELINE_BEGIN || event->kind == TIMELINE_END;
}

bool call_lines_flush(struct call_filter *filter, struct output *output)
{
    if (++filter->unflushed < LINES_A_FLUSH)
        return true;
    filter->unflushed = 0;
    return output_flush(output);
}
