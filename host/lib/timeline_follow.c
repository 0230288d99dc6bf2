/* SPDX-License-Identifier: MIT */
#include "timeline_parts.h"

#include "room.h"

#include <stdlib.h>

static struct timeline_stack *find_stack(const struct timeline *timeline,
                                         uint16_t context)
{
    uint32_t number = timeline->stack_index[context];

    return number == 0 ? NULL : &timeline->stacks[number - 1];
}

static struct timeline_stack *get_stack(struct timeline *timeline,
                                        uint16_t context)
{
    struct timeline_stack *stacks = timeline->stacks;

    if (timeline->stack_index[context] != 0)
        return find_stack(timeline, context);
    stacks = room_reserve(stacks, timeline->stack_count, &timeline->stack_room,
                          sizeof *stacks);
    if (stacks == NULL)
        return NULL;
    timeline->stacks = stacks;
    stacks[timeline->stack_count] = (struct timeline_stack){.context = context};
    timeline->stack_index[context] = (uint32_t)++timeline->stack_count;
    return &stacks[timeline->stack_count - 1];
}

/* Note in the log of each call from KEPT on in which gap it was left. */
static int close_from(struct timeline *timeline, struct timeline_stack *stack,
                      size_t kept)
{
    struct timeline_call *calls = stack->calls;

    while (calls != NULL && stack->count > kept) {
        struct timeline_call *call = &calls[--stack->count];
        struct timeline_call *caller = stack->count > 0 ? call - 1 : NULL;
        struct timeline_entry entry;
        int error;

        timeline->open_exceptions -= timeline_is_exception(stack->context);
        /* What it was called from was open as long as it; with a gap between
           their enters it may be another. */
        if (caller != NULL && caller->segment == call->segment
            && caller->sure < call->sure)
            caller->sure = call->sure;
        if (call->sure == timeline->segment)
            continue;
        error = timeline_log_get(&timeline->log, call->number, &entry);
        entry.extra = call->sure + 1;
        if (error == 0)
            error = timeline_log_set(&timeline->log, call->number, &entry);
        if (error < 0)
            return error;
    }
    return 0;
}

int timeline_follow_enter(struct timeline *timeline, uint16_t context,
                          uint32_t function)
{
    struct timeline_stack *stack = get_stack(timeline, context);
    struct timeline_call *calls;
    int error = 0;

    if (stack == NULL)
        return MCUPROF_E_NOMEM;
    if (stack->count == TIMELINE_DEPTH_MAX) {
        error = close_from(timeline, stack, 0);
        if (error == 0)
            error = timeline_put(
                    timeline, TIMELINE_WORD(TIMELINE_WORD_CLOSE, context), 0);
    }
    calls = room_reserve(stack->calls, stack->count, &stack->room,
                         sizeof *calls);
    if (calls == NULL)
        return MCUPROF_E_NOMEM;
    stack->calls = calls;
    timeline->open_exceptions += timeline_is_exception(context);
    calls[stack->count++] = (struct timeline_call){
            .function = function,
            .segment = timeline->segment,
            .sure = timeline->segment,
            .number = timeline->log.count,
    };
    if (error < 0)
        return error;
    return timeline_put(timeline, function | MCUPROF_TRACE_ENTER, 0);
}

int timeline_follow_run(struct timeline *timeline, uint16_t context)
{
    int error = 0;

    if (timeline_is_exception(context)
        || (context == WIRE_CONTEXT_UNKNOWN && timeline->has_unknown))
        return 0;
    timeline->lower_ran = true;
    for (size_t i = 0; timeline->open_exceptions > 0
                       && i < timeline->stack_count && error == 0;
         i++)
        if (timeline_is_exception(timeline->stacks[i].context))
            error = close_from(timeline, &timeline->stacks[i], 0);
    return error;
}

/*
 * A leave of what was not entered: it was entered before the segment, if no
 * call that was entered in the segment is open, and none from before it was
 * left there. An exception is under way only until what it interrupted goes on.
 */
static bool was_entered_before(const struct timeline *timeline,
                               const struct timeline_stack *stack)
{
    size_t count = stack->count;

    if (timeline_is_exception(stack->context) && timeline->lower_ran)
        return false;
    return stack->fresh_in != timeline->boot + 1
           && stack->used_in != timeline->segment + 1
           && (count == 0
               || stack->calls[count - 1].segment < timeline->segment);
}

static int put_leave(struct timeline *timeline, uint32_t function,
                     bool is_stray)
{
    timeline->counts.stray_leaves += is_stray;
    return timeline_put(timeline, function, is_stray);
}

/*
 * The boot began in a context that was not known. The first one to leave what
 * is open there is it.
 */
static bool is_the_unknown(const struct timeline *timeline, uint16_t context,
                           uint32_t function)
{
    const struct timeline_stack *unknown;
    const struct timeline_stack *stack;

    if (!timeline->has_unknown || context == WIRE_CONTEXT_UNKNOWN)
        return false;
    unknown = find_stack(timeline, WIRE_CONTEXT_UNKNOWN);
    stack = find_stack(timeline, context);
    return unknown != NULL && unknown->count > 0
           && (stack == NULL || stack->count == 0)
           && unknown->calls[unknown->count - 1].function == function;
}

static int rename_missing(struct timeline *timeline, uint16_t context)
{
    struct timeline_entry entry;
    int error = 0;

    for (uint64_t i = timeline->begin_missing;
         i < timeline->missing.count && error == 0; i++) {
        error = timeline_log_get(&timeline->missing, i, &entry);
        if (error < 0 || entry.extra != WIRE_CONTEXT_UNKNOWN)
            continue;
        entry.extra = context;
        error = timeline_log_set(&timeline->missing, i, &entry);
    }
    return error;
}

/* All that was of the unknown context is CONTEXT's, which has no calls open. */
static int name_unknown(struct timeline *timeline, uint16_t context)
{
    struct timeline_stack *stack = get_stack(timeline, context);
    struct timeline_stack *unknown = find_stack(timeline, WIRE_CONTEXT_UNKNOWN);
    struct timeline_entry entry;
    struct timeline_stack swap;
    int error;

    if (stack == NULL || unknown == NULL)
        return MCUPROF_E_NOMEM;
    swap = *stack;
    *stack = *unknown;
    stack->context = context;
    *unknown = swap;
    unknown->context = WIRE_CONTEXT_UNKNOWN;
    if (timeline_is_exception(context))
        timeline->open_exceptions += stack->count;
    timeline->has_unknown = false;
    error = timeline_log_get(&timeline->log, timeline->unknown, &entry);
    entry.word = TIMELINE_WORD(MCUPROF_TRACE_CONTEXT, context);
    if (error == 0)
        error = timeline_log_set(&timeline->log, timeline->unknown, &entry);
    return error < 0 ? error : rename_missing(timeline, context);
}

int timeline_follow_leave(struct timeline *timeline, uint16_t context,
                          uint32_t function)
{
    struct timeline_stack *stack;
    size_t at;
    int error = 0;

    if (is_the_unknown(timeline, context, function))
        error = name_unknown(timeline, context);
    stack = get_stack(timeline, context);
    if (error < 0 || stack == NULL)
        return error < 0 ? error : MCUPROF_E_NOMEM;
    for (at = stack->count; at > 0; at--)
        if (stack->calls[at - 1].function == function)
            break;
    if (at == 0) {
        struct timeline_entry missing = {
                .ticks = timeline->segment, .word = function, .extra = context};

        if (!was_entered_before(timeline, stack))
            return put_leave(timeline, function, true);
        error = timeline_log_add(&timeline->missing, &missing);
        return error < 0 ? error : put_leave(timeline, function, false);
    }
    if (stack->calls[at - 1].segment < timeline->segment)
        stack->used_in = timeline->segment + 1;
    stack->calls[at - 1].sure = timeline->segment;
    error = close_from(timeline, stack, at - 1);
    return error < 0 ? error : put_leave(timeline, function, false);
}

int timeline_follow_gone(struct timeline *timeline, uint16_t context)
{
    struct timeline_stack *stack = get_stack(timeline, context);
    int error;

    if (stack == NULL)
        return MCUPROF_E_NOMEM;
    error = close_from(timeline, stack, 0);
    stack->fresh_in = timeline->boot + 1;
    return error;
}

int timeline_follow_pause(struct timeline *timeline)
{
    for (size_t i = 0; i < timeline->stack_count; i++)
        timeline->stacks[i].fresh_in = 0;
    return timeline_follow_end(timeline);
}

int timeline_follow_end(struct timeline *timeline)
{
    int error = 0;

    for (size_t i = 0; i < timeline->stack_count && error == 0; i++)
        error = close_from(timeline, &timeline->stacks[i], 0);
    return error;
}
