/* SPDX-License-Identifier: MIT */
#include "print_calls.h"

#include "call_lines.h"
#include "call_quality.h"
#include "room.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An open call of a context. */
struct still_open {
    uint32_t function;
    struct timeline_span entered;
    unsigned flags;
};

/* Those of all contexts that are open during a replay, context by context. */
struct collector {
    struct output *output;
    struct call_session *session;
    struct stack_open *stacks;
    size_t count;
    size_t room;
    size_t shown;
    bool is_reset; /* the recording began with one */
};

struct stack_open {
    uint16_t context;
    struct still_open *calls;
    size_t count; /* that are open */
    size_t left;  /* of them, that are left by the end of the record alone */
    size_t off;   /* that were open when recording went off, the last time */
    size_t going; /* the same, while they are left */
    size_t room;
};

static struct stack_open *get_stack(struct collector *collector,
                                    uint16_t context)
{
    struct stack_open *grown;

    for (size_t i = 0; i < collector->count; i++)
        if (collector->stacks[i].context == context)
            return &collector->stacks[i];
    grown = room_reserve(collector->stacks, collector->count, &collector->room,
                         sizeof *grown);
    if (grown == NULL)
        return NULL;
    collector->stacks = grown;
    grown[collector->count] = (struct stack_open){.context = context};
    return &grown[collector->count++];
}

static int on_enter(struct collector *collector,
                    const struct timeline_event *event)
{
    struct stack_open *stack = get_stack(collector, event->context);
    struct still_open *calls;

    if (stack == NULL)
        return MCUPROF_E_NOMEM;
    calls = room_reserve(stack->calls, stack->count, &stack->room,
                         sizeof *calls);
    if (calls == NULL)
        return MCUPROF_E_NOMEM;
    stack->calls = calls;
    calls[stack->count++] = (struct still_open){.function = event->function,
                                                .entered = event->at,
                                                .flags = event->flags};
    return 0;
}

/* The calls that the end of the record closes are kept until it is printed. */
static int on_leave(struct collector *collector,
                    const struct timeline_event *event)
{
    struct stack_open *stack = get_stack(collector, event->context);

    if (stack == NULL)
        return MCUPROF_E_NOMEM;
    if ((event->flags & TIMELINE_OPEN) != 0)
        stack->left++;
    else
        stack->count--;
    stack->going += (event->flags & TIMELINE_LEFT_OFF) != 0;
    return 0;
}

/* What was open when recording went off has been left just now. */
static void on_pause(struct collector *collector)
{
    for (size_t i = 0; i < collector->count; i++) {
        collector->stacks[i].off = collector->stacks[i].going;
        collector->stacks[i].going = 0;
    }
}

static int print_stack(struct collector *collector,
                       const struct stack_open *stack, struct timeline_span end)
{
    struct call_session *session = collector->session;
    FILE *stream = collector->output->stream;
    const char *unit = session->in_us ? "us" : "cycles";
    int width = 14 - (int)strlen(unit) - 1;
    const char *name = call_names_context(session->names, stack->context);
    uint64_t depth = session->settings->depth;
    size_t shown =
            depth == 0 || depth > stack->count ? stack->count : (size_t)depth;

    if (name == NULL)
        return MCUPROF_E_NOMEM;
    (void)fprintf(stream, "%s%s%s: %zu open\n", output_bold(collector->output),
                  name, output_plain(collector->output), stack->left);
    (void)fprintf(stream, "%*s %s %*s %s\n", width, "entered", unit, width,
                  "for", unit);
    for (size_t i = 0; i < shown; i++) {
        const struct still_open *call = &stack->calls[i];
        struct timeline_span age = {end.ticks - call->entered.ticks,
                                    end.ps - call->entered.ps};
        const char *function =
                call_names_function(session->names, call->function);
        char entered[UNITS_MAX];
        char span[UNITS_MAX];
        char note[CALL_LINES_NOTE_MAX];

        (void)fprintf(stream, "%14s %14s  %*s%s%s\n",
                      call_lines_number(entered, session, call->entered),
                      call_lines_number(span, session, age),
                      2 * (int)(i < 40 ? i : 40), "",
                      function != NULL ? function : "",
                      call_lines_note(note, call->flags));
    }
    if (shown < stack->count)
        (void)fprintf(stream, "%30s  %*s%zu more within (--depth)\n", "",
                      2 * (int)(shown < 40 ? shown : 40), "",
                      stack->count - shown);
    if (stack->off > 0)
        (void)fprintf(stream,
                      "  %zu more when recording went off for a while; whether "
                      "they were left is not known\n",
                      stack->off);
    (void)fputc('\n', stream);
    return 0;
}

/* One recording ends: what is open in it is shown. */
static int on_end(struct collector *collector,
                  const struct timeline_event *event)
{
    int error = 0;

    if (collector->session->boots > 1)
        (void)fprintf(collector->output->stream, "recording %u%s\n\n",
                      (unsigned)event->number,
                      collector->is_reset
                              ? ", after a reset, or when nothing had run for "
                                "long"
                              : "");
    for (size_t i = 0; i < collector->count && error == 0; i++) {
        struct stack_open *stack = &collector->stacks[i];

        if (stack->left + stack->off > 0
            && call_session_shows(collector->session, stack->context)) {
            error = print_stack(collector, stack, event->at);
            collector->shown++;
        }
        stack->count = 0;
        stack->left = 0;
        stack->off = 0;
    }
    return error;
}

static int on_event(void *context, const struct timeline_event *event)
{
    struct collector *collector = context;

    switch (event->kind) {
    case TIMELINE_BEGIN:
        collector->is_reset = (event->flags & TIMELINE_RESET) != 0;
        return 0;
    case TIMELINE_ENTER:
        return on_enter(collector, event);
    case TIMELINE_LEAVE:
        return on_leave(collector, event);
    case TIMELINE_PAUSE:
        on_pause(collector);
        return 0;
    case TIMELINE_END:
        return on_end(collector, event);
    default:
        return 0;
    }
}

int print_calls_open(struct output *output, struct call_session *session)
{
    struct collector collector = {.output = output, .session = session};
    char frozen[CALL_QUALITY_FROZEN_MAX];
    int error = call_session_replay(session, on_event, &collector);

    for (size_t i = 0; i < collector.count; i++)
        free(collector.stacks[i].calls);
    free(collector.stacks);
    if (error < 0)
        return error;
    if (collector.shown == 0)
        (void)fprintf(output->stream,
                      "all calls that were entered were left\n\n");
    call_quality_frozen(session->capture, session->elf.modules,
                        (enum demangle)session->settings->demangle, frozen,
                        sizeof frozen);
    if (frozen[0] != '\0')
        (void)fprintf(output->stream, "  stopped: %s\n\n", frozen);
    return 0;
}
