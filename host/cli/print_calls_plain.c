/* SPDX-License-Identifier: MIT */
#include "print_calls.h"

#include "call_lines.h"

#include <stdio.h>

struct printer {
    struct output *output;
    struct call_filter filter;
};

static int end_line(struct printer *printer, const struct timeline_event *event,
                    const char *note)
{
    char number[UNITS_MAX];
    struct output *output = printer->output;

    (void)fprintf(output->stream, " @ %s%s\n",
                  call_lines_number(number, printer->filter.session, event->at),
                  note);
    return call_lines_flush(&printer->filter, output) ? 0 : MCUPROF_E_IO;
}

static int print_call(struct printer *printer,
                      const struct timeline_event *event)
{
    struct call_names *names = printer->filter.session->names;
    const char *context = call_names_context(names, event->context);
    const char *function = call_names_function(names, event->function);
    char note[CALL_LINES_NOTE_MAX];

    if (context == NULL || function == NULL)
        return MCUPROF_E_NOMEM;
    (void)fprintf(printer->output->stream, "[%s] %c %s", context,
                  event->kind == TIMELINE_ENTER ? '>' : '<', function);
    return end_line(printer, event, call_lines_note(note, event->flags));
}

static int print_other(struct printer *printer,
                       const struct timeline_event *event)
{
    struct call_session *session = printer->filter.session;
    char text[400];
    const char *context;
    size_t level;
    int error = call_lines_say(session, event, text, sizeof text);

    if (error < 0 || text[0] == '\0' || event->kind == TIMELINE_AWAY)
        return error;
    if (call_lines_is_common(event)) {
        (void)fprintf(printer->output->stream, "-- %s --", text);
        return end_line(printer, event, "");
    }
    context = call_names_context(session->names, event->context);
    if (context == NULL)
        return MCUPROF_E_NOMEM;
    if (!call_filter_within(&printer->filter, event, &level))
        return 0;
    (void)fprintf(printer->output->stream, "[%s] - %s", context, text);
    return end_line(printer, event, "");
}

static int on_event(void *context, const struct timeline_event *event)
{
    struct printer *printer = context;
    struct call_filter *filter = &printer->filter;
    bool is_in_time = call_filter_is_after_from(filter, event)
                      && call_filter_is_before_to(filter, event);
    size_t level;
    int error = 0;

    if (!call_lines_is_common(event)
        && !call_session_shows(filter->session, event->context))
        return 0;
    if (event->kind == TIMELINE_ENTER) {
        if (call_filter_enter(filter, event, &level) && is_in_time)
            error = print_call(printer, event);
        return error;
    }
    if (event->kind != TIMELINE_LEAVE)
        return is_in_time ? print_other(printer, event) : 0;
    if (call_filter_shows(filter, event) && is_in_time)
        error = print_call(printer, event);
    call_filter_leave(filter, event);
    return error;
}

int print_calls_plain(struct output *output, struct call_session *session,
                      const struct call_window *window)
{
    struct printer printer = {.output = output};
    int error = call_filter_init(&printer.filter, session, window);

    if (error == 0)
        error = call_session_replay(session, on_event, &printer);
    call_filter_deinit(&printer.filter);
    return error;
}
