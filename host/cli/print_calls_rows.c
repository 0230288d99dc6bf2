/* SPDX-License-Identifier: MIT */
#include "print_calls.h"

#include "call_lines.h"
#include "call_rows.h"
#include "print_table.h"
#include "room.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTEXT_IDS 65536u

enum column {
    COLUMN_KIND,
    COLUMN_RECORDING,
    COLUMN_CONTEXT,
    COLUMN_CONTEXT_ID,
    COLUMN_ID,
    COLUMN_PARENT,
    COLUMN_DEPTH,
    COLUMN_FUNCTION,
    COLUMN_FILE,
    COLUMN_LINE,
    COLUMN_ADDRESS,
    COLUMN_START,
    COLUMN_END,
    COLUMN_DURATION,
    COLUMN_SELF,
    COLUMN_NUMBER,
    COLUMN_VALUE,
    COLUMN_COUNT_OF,
    COLUMN_FLAGS, /* the same twice */
    COLUMN_FLAG_LIST,
    COLUMN_COUNT
};

static const struct table_column all_columns[COLUMN_COUNT] = {
        [COLUMN_KIND] = {"kind", "", TABLE_TEXT, TABLE_IN_DATA},
        [COLUMN_RECORDING] = {"recording", "", TABLE_COUNT, TABLE_IN_DATA},
        [COLUMN_CONTEXT] = {"context", "", TABLE_TEXT, TABLE_IN_DATA},
        [COLUMN_CONTEXT_ID] = {"context_id", "", TABLE_COUNT, TABLE_IN_DATA},
        [COLUMN_ID] = {"id", "", TABLE_COUNT, TABLE_IN_DATA},
        [COLUMN_PARENT] = {"parent", "", TABLE_COUNT, TABLE_IN_DATA},
        [COLUMN_DEPTH] = {"depth", "", TABLE_COUNT, TABLE_IN_DATA},
        [COLUMN_FUNCTION] = {"function", "", TABLE_TEXT, TABLE_IN_DATA},
        [COLUMN_FILE] = {"file", "", TABLE_TEXT, TABLE_IN_DATA},
        [COLUMN_LINE] = {"line", "", TABLE_COUNT, TABLE_IN_DATA},
        [COLUMN_ADDRESS] = {"address", "", TABLE_ADDRESS, TABLE_IN_DATA},
        [COLUMN_START] = {"start_us", "", TABLE_DECIMAL, TABLE_IN_DATA},
        [COLUMN_END] = {"end_us", "", TABLE_DECIMAL, TABLE_IN_DATA},
        [COLUMN_DURATION] = {"duration_us", "", TABLE_DECIMAL, TABLE_IN_DATA},
        [COLUMN_SELF] = {"self_us", "", TABLE_DECIMAL, TABLE_IN_DATA},
        [COLUMN_NUMBER] = {"number", "", TABLE_COUNT, TABLE_IN_DATA},
        [COLUMN_VALUE] = {"value", "", TABLE_COUNT, TABLE_IN_DATA},
        [COLUMN_COUNT_OF] = {"count", "", TABLE_COUNT, TABLE_IN_DATA},
        [COLUMN_FLAGS] = {"flags", "", TABLE_TEXT, TABLE_IN_CSV},
        [COLUMN_FLAG_LIST] = {"flags", "", TABLE_JSON, TABLE_IN_JSON},
};

static const struct {
    enum column column;
    const char *key;
} in_cycles[] = {{COLUMN_START, "start_cycles"},
                 {COLUMN_END, "end_cycles"},
                 {COLUMN_DURATION, "duration_cycles"},
                 {COLUMN_SELF, "self_cycles"}};

static const struct {
    unsigned flag;
    const char *name;
} flag_names[] = {
        {TIMELINE_ENTERED_BEFORE, "entered_before"},
        {TIMELINE_UNWOUND, "unwound"},
        {TIMELINE_ENDED, "ended"},
        {TIMELINE_OPEN, "open"},
        {TIMELINE_LEFT_IN_GAP, "left_in_gap"},
        {TIMELINE_LEFT_GONE, "context_deleted"},
        {TIMELINE_TOO_DEEP, "too_deep"},
        {TIMELINE_LEFT_OFF, "recording_off"},
        {TIMELINE_ON_LINE, "on_line"},
        {TIMELINE_UNSURE, "unsure"},
        {TIMELINE_RESET, "reset"},
};

#define FLAG_COUNT (sizeof flag_names / sizeof flag_names[0])

/* An open call. */
struct row_call {
    uint64_t id;
    struct timeline_span entered;
    bool is_shown;
};

struct row_stack {
    struct row_call *calls;
    size_t count;
    size_t room;
};

struct row_printer {
    struct output *output;
    struct call_filter filter;
    struct table_column columns[COLUMN_COUNT];
    struct table table; /* the row that is next */
    struct table_cell *cells;
    struct row_stack *stacks; /* by context */
    uint64_t calls;
    uint32_t recording;
    bool has_rows;
};

/* For JSON, where flags are a list. */
static json_t *expand_flags(const void *context,
                            const struct table_column *column, uint64_t flags)
{
    json_t *list = json_array();

    (void)context;
    (void)column;
    for (size_t i = 0; i < FLAG_COUNT && list != NULL; i++)
        if ((flags & flag_names[i].flag) != 0
            && json_array_append_new(list, json_string(flag_names[i].name))
                       < 0) {
            json_decref(list);
            list = NULL;
        }
    return list;
}

static int set_flags(struct table_cell *cells, unsigned flags)
{
    char text[200] = "";
    size_t used = 0;

    for (size_t i = 0; i < FLAG_COUNT; i++)
        if ((flags & flag_names[i].flag) != 0)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                     used > 0 ? " " : "", flag_names[i].name);
    table_set_count(&cells[COLUMN_FLAG_LIST], flags);
    return table_set_text(&cells[COLUMN_FLAGS], text);
}

static void set_time(const struct row_printer *printer, enum column column,
                     struct timeline_span span)
{
    bool in_us = printer->filter.session->in_us;

    table_set_count(&printer->cells[column], span.ticks);
    if (in_us)
        table_set_number(&printer->cells[column], call_rows_number(span, true));
}

static int begin_row(struct row_printer *printer, const char *kind,
                     const struct timeline_event *event)
{
    struct table_cell *cells = printer->cells;
    int error;

    for (size_t i = 0; i < COLUMN_COUNT; i++)
        cells[i].set = false;
    table_set_count(&cells[COLUMN_RECORDING], printer->recording);
    error = table_set_text(&cells[COLUMN_KIND], kind);
    return error < 0 ? error : set_flags(cells, event->flags);
}

static int set_context(struct row_printer *printer, uint16_t context)
{
    const char *name =
            call_names_context(printer->filter.session->names, context);

    table_set_count(&printer->cells[COLUMN_CONTEXT_ID], context);
    return name == NULL ? MCUPROF_E_NOMEM
                        : table_set_text(&printer->cells[COLUMN_CONTEXT], name);
}

static int end_row(struct row_printer *printer)
{
    struct call_session *session = printer->filter.session;
    int error = 0;

    if (session->settings->format == FORMAT_CSV)
        print_csv_row(printer->output, &printer->table, 0);
    else
        error = print_json_next(printer->output, &printer->table,
                                !printer->has_rows);
    printer->has_rows = true;
    if (error < 0)
        return error;
    return call_lines_flush(&printer->filter, printer->output) ? 0
                                                               : MCUPROF_E_IO;
}

static int on_enter(struct row_printer *printer,
                    const struct timeline_event *event)
{
    struct row_stack *stack = &printer->stacks[event->context];
    struct row_call *calls = room_reserve(stack->calls, stack->count,
                                          &stack->room, sizeof *calls);
    size_t level;
    bool is_shown = call_filter_enter(&printer->filter, event, &level)
                    && call_filter_is_before_to(&printer->filter, event);

    if (calls == NULL)
        return MCUPROF_E_NOMEM;
    stack->calls = calls;
    calls[stack->count++] = (struct row_call){
            .id = printer->calls++, .entered = event->at, .is_shown = is_shown};
    return 0;
}

static int set_function(struct row_printer *printer, uint32_t function)
{
    struct call_names *names = printer->filter.session->names;
    struct table_cell *cells = printer->cells;
    const char *name = call_names_function(names, function);
    const char *file;
    uint32_t line;
    int error = name == NULL ? MCUPROF_E_NOMEM
                             : table_set_text(&cells[COLUMN_FUNCTION], name);

    call_names_place(names, function, &file, &line);
    if (error == 0 && file[0] != '\0')
        error = table_set_text(&cells[COLUMN_FILE], file);
    if (line > 0)
        table_set_count(&cells[COLUMN_LINE], line);
    table_set_count(&cells[COLUMN_ADDRESS], function);
    return error;
}

static int print_call(struct row_printer *printer,
                      const struct timeline_event *event,
                      const struct row_call *call)
{
    bool is_raw = printer->filter.session->settings->raw;
    struct table_cell *cells = printer->cells;
    int error = begin_row(printer, "call", event);

    if (error == 0)
        error = set_context(printer, event->context);
    if (error == 0)
        error = set_function(printer, event->function);
    if (error < 0)
        return error;
    table_set_count(&cells[COLUMN_ID], call->id);
    if (event->depth > 0)
        table_set_count(&cells[COLUMN_PARENT], call[-1].id);
    table_set_count(&cells[COLUMN_DEPTH], event->depth);
    set_time(printer, COLUMN_START, call->entered);
    set_time(printer, COLUMN_END, event->at);
    set_time(printer, COLUMN_DURATION,
             is_raw ? event->span
                    : call_rows_without(event->span, event->span_cost));
    set_time(printer, COLUMN_SELF,
             is_raw ? event->self
                    : call_rows_without(event->self, event->self_cost));
    return end_row(printer);
}

static int on_leave(struct row_printer *printer,
                    const struct timeline_event *event)
{
    struct row_stack *stack = &printer->stacks[event->context];
    const struct row_call *call = &stack->calls[--stack->count];
    bool is_wanted = !printer->filter.session->settings->open
                     || (event->flags & TIMELINE_OPEN) != 0;
    int error = 0;

    if (is_wanted && call->is_shown
        && call_filter_is_after_from(&printer->filter, event))
        error = print_call(printer, event, call);
    call_filter_leave(&printer->filter, event);
    return error;
}

/* What has a row of its own: "" has none. */
static const char *kind_of(enum timeline_kind kind)
{
    switch (kind) {
    case TIMELINE_MARK:
        return "mark";
    case TIMELINE_GAP:
        return "gap";
    case TIMELINE_PAUSE:
        return "off";
    case TIMELINE_WRAP:
        return "wraps";
    case TIMELINE_CLOCK:
        return "clock";
    case TIMELINE_GONE:
        return "deleted";
    case TIMELINE_BEGIN:
        return "recording";
    default:
        return "";
    }
}

/* What is counted: records, wraps, gaps. */
static void set_numbers(struct table_cell *cells,
                        const struct timeline_event *event)
{
    bool is_mark = event->kind == TIMELINE_MARK;

    if (is_mark)
        table_set_count(&cells[COLUMN_NUMBER], event->number);
    if (event->kind == TIMELINE_CLOCK || (is_mark && event->has_value))
        table_set_count(&cells[COLUMN_VALUE], event->value);
    if (event->kind == TIMELINE_GAP || event->kind == TIMELINE_WRAP)
        table_set_count(&cells[COLUMN_COUNT_OF], event->count);
}

static int on_other(struct row_printer *printer,
                    const struct timeline_event *event)
{
    const struct timeline_span end = {event->at.ticks + event->span.ticks,
                                      event->at.ps + event->span.ps};
    bool is_common = call_lines_is_common(event);
    size_t level;
    int error;

    if (kind_of(event->kind)[0] == '\0'
        || printer->filter.session->settings->open
        || !call_filter_is_after_from(&printer->filter, event)
        || !call_filter_is_before_to(&printer->filter, event)
        || (!is_common && !call_filter_within(&printer->filter, event, &level)))
        return 0;
    error = begin_row(printer, kind_of(event->kind), event);
    if (error == 0 && !is_common)
        error = set_context(printer, event->context);
    if (error < 0)
        return error;
    if (event->kind == TIMELINE_MARK)
        table_set_count(&printer->cells[COLUMN_DEPTH], event->depth);
    set_numbers(printer->cells, event);
    set_time(printer, COLUMN_START, event->at);
    if (event->span.ticks > 0) {
        set_time(printer, COLUMN_END, end);
        set_time(printer, COLUMN_DURATION, event->span);
    }
    return end_row(printer);
}

static int on_event(void *context, const struct timeline_event *event)
{
    struct row_printer *printer = context;

    if (event->kind == TIMELINE_BEGIN)
        printer->recording = event->number;
    if (!call_lines_is_common(event)
        && !call_session_shows(printer->filter.session, event->context)) {
        /* Ids are the same whatever is shown. */
        printer->calls += event->kind == TIMELINE_ENTER;
        return 0;
    }
    switch (event->kind) {
    case TIMELINE_ENTER:
        return on_enter(printer, event);
    case TIMELINE_LEAVE:
        return on_leave(printer, event);
    default:
        return on_other(printer, event);
    }
}

static int print_head(struct row_printer *printer)
{
    struct call_session *session = printer->filter.session;
    const struct timeline_result *result = &session->result;
    struct quality quality;
    json_t *document;
    int error;

    if (session->settings->format == FORMAT_CSV) {
        print_csv_head(printer->output, &printer->table);
        return 0;
    }
    error = call_session_quality(session, &quality);
    if (error < 0)
        return error;
    document = call_session_json(session, "mcuprof-calls", &quality);
    quality_deinit(&quality);
    if (document != NULL) {
        (void)json_object_set_new(
                document, "unit",
                json_string(session->in_us ? "us" : "cycles"));
        (void)json_object_set_new(document, "since",
                                  json_string(result->from_init
                                                      ? "mcuprof_init"
                                                      : "first record"));
        (void)json_object_set_new(
                document, "compensated",
                json_boolean(!session->settings->raw && result->hook_cost > 0));
    }
    return print_json_head(printer->output, document);
}

static int init_printer(struct row_printer *printer)
{
    memcpy(printer->columns, all_columns, sizeof all_columns);
    if (!printer->filter.session->in_us)
        for (size_t i = 0; i < sizeof in_cycles / sizeof in_cycles[0]; i++) {
            printer->columns[in_cycles[i].column].key = in_cycles[i].key;
            printer->columns[in_cycles[i].column].type = TABLE_COUNT;
        }
    table_init(&printer->table, printer->columns, COLUMN_COUNT);
    printer->table.expand = expand_flags;
    printer->cells = table_add(&printer->table, false);
    printer->stacks = calloc(CONTEXT_IDS, sizeof *printer->stacks);
    return printer->cells == NULL || printer->stacks == NULL ? MCUPROF_E_NOMEM
                                                             : 0;
}

static void deinit_printer(struct row_printer *printer)
{
    for (size_t i = 0; printer->stacks != NULL && i < CONTEXT_IDS; i++)
        free(printer->stacks[i].calls);
    free(printer->stacks);
    table_deinit(&printer->table);
    call_filter_deinit(&printer->filter);
}

int print_calls_rows(struct output *output, struct call_session *session,
                     const struct call_window *window)
{
    struct row_printer printer = {.output = output};
    int error = call_filter_init(&printer.filter, session, window);

    if (error == 0)
        error = init_printer(&printer);
    if (error == 0)
        error = print_head(&printer);
    if (error == 0)
        error = call_session_replay(session, on_event, &printer);
    if (error == 0 && session->settings->format == FORMAT_JSON)
        print_json_end(output);
    deinit_printer(&printer);
    return error;
}
