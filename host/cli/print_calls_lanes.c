/* SPDX-License-Identifier: MIT */
#include "print_calls.h"

#include "call_lines.h"
#include "room.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS_SHOWN 40
#define NUMBER_WIDTH 14

/* An open call. Its line is printed when something within it is. */
struct line {
    struct timeline_event event;
    size_t level;
    bool is_hidden;
    bool is_printed;
    bool is_cut; /* calls within it are not shown */
};

/* One context of a replay. */
struct lane {
    struct output *output;
    struct call_filter *filter;
    uint16_t context;
    struct line *lines;
    size_t count;
    size_t room;
};

static FILE *stream_of(const struct lane *lane)
{
    return lane->output->stream;
}

static void begin_line(const struct lane *lane, struct timeline_span at,
                       const char *duration, size_t level)
{
    char number[UNITS_MAX];

    (void)fprintf(stream_of(lane), "%*s %*s  ", NUMBER_WIDTH,
                  call_lines_number(number, lane->filter->session, at),
                  NUMBER_WIDTH, duration);
    if (level <= LEVELS_SHOWN)
        (void)fprintf(stream_of(lane), "%*s", 2 * (int)level, "");
    else
        (void)fprintf(stream_of(lane), "%*s[%zu] ", 2 * LEVELS_SHOWN, "",
                      level);
}

static const char *name_of(const struct lane *lane,
                           const struct timeline_event *event)
{
    const char *name =
            call_names_function(lane->filter->session->names, event->function);

    return name != NULL ? name : "";
}

static void print_note(const struct lane *lane, unsigned flags)
{
    char note[CALL_LINES_NOTE_MAX];

    if (flags != 0)
        (void)fprintf(stream_of(lane), "%s%s%s", output_alarm(lane->output),
                      call_lines_note(note, flags), output_plain(lane->output));
}

static int end_line(const struct lane *lane)
{
    (void)fputc('\n', stream_of(lane));
    return call_lines_flush(lane->filter, lane->output) ? 0 : MCUPROF_E_IO;
}

/* The lines of all calls around what comes now. */
static int print_around(struct lane *lane)
{
    int error = 0;

    for (size_t i = 0; i < lane->count && error == 0; i++) {
        struct line *line = &lane->lines[i];

        if (line->is_hidden || line->is_printed)
            continue;
        line->is_printed = true;
        begin_line(lane, line->event.at, "", line->level);
        (void)fprintf(stream_of(lane), "%s() {", name_of(lane, &line->event));
        print_note(lane, line->event.flags);
        error = end_line(lane);
    }
    return error;
}

/* What has ended within the innermost call was not shown. */
static void cut(struct lane *lane)
{
    if (lane->count > 0)
        lane->lines[lane->count - 1].is_cut = true;
}

static int on_enter(struct lane *lane, const struct timeline_event *event)
{
    struct line *lines =
            room_reserve(lane->lines, lane->count, &lane->room, sizeof *lines);
    size_t level = 0;
    bool is_shown = call_filter_enter(lane->filter, event, &level)
                    && call_filter_is_before_to(lane->filter, event);
    int error = 0;

    if (lines == NULL)
        return MCUPROF_E_NOMEM;
    lane->lines = lines;
    if (is_shown && call_filter_is_after_from(lane->filter, event))
        error = print_around(lane);
    lines[lane->count++] = (struct line){
            .event = *event, .level = level, .is_hidden = !is_shown};
    return error;
}

static int print_left(struct lane *lane, const struct line *line,
                      const struct timeline_event *event)
{
    char duration[UNITS_MAX];
    bool is_leaf = !line->is_printed;

    call_lines_duration(duration, lane->filter, event);
    begin_line(lane, is_leaf ? line->event.at : event->at, duration,
               line->level);
    (void)fprintf(stream_of(lane),
                  !is_leaf       ? "} /* %s */"
                  : line->is_cut ? "%s() { ... }"
                                 : "%s();",
                  name_of(lane, event));
    print_note(lane, is_leaf ? event->flags
                             : event->flags & ~TIMELINE_ENTERED_BEFORE);
    return end_line(lane);
}

static int on_leave(struct lane *lane, const struct timeline_event *event)
{
    struct line line = lane->lines[--lane->count];
    int error = 0;

    if (!line.is_hidden && !line.is_printed
        && call_filter_is_after_from(lane->filter, event))
        error = print_around(lane);
    if (error == 0 && !line.is_hidden
        && (line.is_printed || call_filter_is_after_from(lane->filter, event)))
        error = print_left(lane, &line, event);
    else
        cut(lane);
    call_filter_leave(lane->filter, event);
    return error;
}

/* Something that is no call. */
static int on_other(struct lane *lane, const struct timeline_event *event)
{
    struct timeline_event within = *event;
    char text[400];
    size_t level = 0;
    int error;

    within.context = lane->context;
    within.depth = lane->count;
    if (!call_filter_within(lane->filter, &within, &level)
        || !call_filter_is_after_from(lane->filter, event)
        || !call_filter_is_before_to(lane->filter, event))
        return 0;
    error = call_lines_say(lane->filter->session, event, text, sizeof text);
    if (error == 0 && text[0] != '\0')
        error = print_around(lane);
    if (error < 0 || text[0] == '\0')
        return error;
    begin_line(lane, event->at, "", level);
    (void)fprintf(stream_of(lane), "%s-- %s --%s", output_faint(lane->output),
                  text, output_plain(lane->output));
    return end_line(lane);
}

static int on_event(void *context, const struct timeline_event *event)
{
    struct lane *lane = context;

    if (!call_lines_is_common(event) && event->context != lane->context)
        return 0;
    switch (event->kind) {
    case TIMELINE_ENTER:
        return on_enter(lane, event);
    case TIMELINE_LEAVE:
        return on_leave(lane, event);
    default:
        return on_other(lane, event);
    }
}

static int print_head(const struct lane *lane,
                      const struct timeline_share *share)
{
    const struct call_session *session = lane->filter->session;
    const char *name = call_names_context(session->names, share->context);
    const char *unit = session->in_us ? "us" : "cycles";
    int width = NUMBER_WIDTH - (int)strlen(unit) - 1;
    char calls[UNITS_MAX];

    if (name == NULL)
        return MCUPROF_E_NOMEM;
    (void)fprintf(stream_of(lane), "%s%s%s: %s call%s\n",
                  output_bold(lane->output), name, output_plain(lane->output),
                  units_count(calls, share->calls),
                  share->calls == 1 ? "" : "s");
    (void)fprintf(stream_of(lane), "%*s %s %*s %s\n", width, "at", unit, width,
                  "duration", unit);
    return 0;
}

static int print_lane(struct output *output, struct call_filter *filter,
                      struct timeline_share share)
{
    struct lane lane = {
            .output = output, .filter = filter, .context = share.context};
    int error = print_head(&lane, &share);

    if (error == 0)
        error = call_session_replay(filter->session, on_event, &lane);
    free(lane.lines);
    (void)fputc('\n', output->stream);
    return error;
}

int print_calls_lanes(struct output *output, struct call_session *session,
                      const struct call_window *window)
{
    struct call_filter filter;
    int error = call_filter_init(&filter, session, window);
    char count[UNITS_MAX];

    /* A replay makes the shares anew, the same. */
    for (size_t i = 0; i < session->result.share_count && error == 0; i++)
        if (call_session_shows(session, session->result.shares[i].context))
            error = print_lane(output, &filter, session->result.shares[i]);
    if (error == 0 && filter.below_zero > 0)
        (void)fprintf(output->stream,
                      "  calls that took less than their hooks, shown as 0: "
                      "%s\n",
                      units_count(count, filter.below_zero));
    call_filter_deinit(&filter);
    return error;
}
