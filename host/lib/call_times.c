/* SPDX-License-Identifier: MIT */
#include "call_times.h"

#include "call_rows.h"
#include "intern.h"
#include "room.h"

#include <stdlib.h>
#include <string.h>

/* The calls that are open in one context. */
struct stack {
    uint32_t *functions;
    struct timeline_span *since;
    size_t function_room;
    size_t since_room;
};

struct key {
    uint64_t ticks;
    uint32_t function;
    uint32_t context;
};

struct call_times {
    bool raw;
    struct intern keys; /* struct key */
    uint64_t *calls;    /* by key */
    size_t call_room;
    struct intern worst_keys; /* the same without ticks */
    struct call_worst *worst;
    size_t worst_count;
    size_t worst_room;
    struct stack *stacks[UINT16_MAX + 1];
};

struct call_times *call_times_new(bool raw)
{
    struct call_times *times = calloc(1, sizeof *times);

    if (times != NULL)
        times->raw = raw;
    return times;
}

void call_times_free(struct call_times *times)
{
    if (times == NULL)
        return;
    for (size_t i = 0; i <= UINT16_MAX; i++) {
        if (times->stacks[i] == NULL)
            continue;
        free(times->stacks[i]->functions);
        free(times->stacks[i]->since);
        free(times->stacks[i]);
    }
    for (size_t i = 0; i < times->worst_count; i++)
        free(times->worst[i].path);
    free(times->worst);
    free(times->calls);
    intern_deinit(&times->keys);
    intern_deinit(&times->worst_keys);
    free(times);
}

static int take_enter(struct call_times *times,
                      const struct timeline_event *event)
{
    struct stack **stack = &times->stacks[event->context];
    uint32_t *functions;
    struct timeline_span *since;

    if (*stack == NULL)
        *stack = calloc(1, sizeof **stack);
    if (*stack == NULL)
        return MCUPROF_E_NOMEM;
    functions = room_reserve((*stack)->functions, event->depth,
                             &(*stack)->function_room, sizeof *functions);
    if (functions == NULL)
        return MCUPROF_E_NOMEM;
    (*stack)->functions = functions;
    since = room_reserve((*stack)->since, event->depth, &(*stack)->since_room,
                         sizeof *since);
    if (since == NULL)
        return MCUPROF_E_NOMEM;
    (*stack)->since = since;
    functions[event->depth] = event->function;
    since[event->depth] = event->at;
    return 0;
}

static int count_call(struct call_times *times, const struct key *key)
{
    size_t number;
    bool is_new;
    uint64_t *grown;

    if (intern_put(&times->keys, key, sizeof *key, &number, &is_new) < 0)
        return MCUPROF_E_NOMEM;
    if (!is_new) {
        times->calls[number]++;
        return 0;
    }
    grown = room_reserve(times->calls, number, &times->call_room,
                         sizeof *grown);
    if (grown == NULL)
        return MCUPROF_E_NOMEM;
    times->calls = grown;
    grown[number] = 1;
    return 0;
}

static int set_worst(struct call_times *times, size_t number,
                     const struct timeline_event *event, uint64_t ticks)
{
    const struct stack *stack = times->stacks[event->context];
    struct call_worst *worst = &times->worst[number];
    size_t depth = event->depth + 1;
    uint32_t *path = realloc(worst->path, depth * sizeof *path);

    if (path == NULL)
        return MCUPROF_E_NOMEM;
    memcpy(path, stack->functions, depth * sizeof *path);
    *worst = (struct call_worst){.function = event->function,
                                 .context = event->context,
                                 .ticks = ticks,
                                 .at = stack->since[event->depth],
                                 .path = path,
                                 .depth = depth};
    return 0;
}

static int note_worst(struct call_times *times,
                      const struct timeline_event *event, uint64_t ticks)
{
    struct key key = {.function = event->function, .context = event->context};
    struct call_worst *grown;
    size_t number;
    bool is_new;

    if (intern_put(&times->worst_keys, &key, sizeof key, &number, &is_new) < 0)
        return MCUPROF_E_NOMEM;
    if (!is_new)
        return ticks > times->worst[number].ticks
                       ? set_worst(times, number, event, ticks)
                       : 0;
    grown = room_reserve(times->worst, times->worst_count, &times->worst_room,
                         sizeof *grown);
    if (grown == NULL)
        return MCUPROF_E_NOMEM;
    times->worst = grown;
    grown[times->worst_count++] = (struct call_worst){.path = NULL};
    return set_worst(times, number, event, ticks);
}

int call_times_event(void *context, const struct timeline_event *event)
{
    struct call_times *times = context;
    struct timeline_span span = event->span;
    struct key key;
    int error;

    if (event->kind == TIMELINE_ENTER)
        return take_enter(times, event);
    if (event->kind != TIMELINE_LEAVE || event->flags != 0)
        return 0;
    if (!times->raw)
        span = call_rows_without(event->span, event->span_cost);
    key = (struct key){.ticks = span.ticks,
                       .function = event->function,
                       .context = event->context};
    error = count_call(times, &key);
    return error < 0 ? error : note_worst(times, event, span.ticks);
}

size_t call_times_count(const struct call_times *times)
{
    return times->keys.count;
}

struct call_time call_times_get(const struct call_times *times, size_t number)
{
    struct key key;

    memcpy(&key, times->keys.bytes + times->keys.entries[number].offset,
           sizeof key);
    return (struct call_time){.function = key.function,
                              .context = (uint16_t)key.context,
                              .ticks = key.ticks,
                              .calls = times->calls[number]};
}

size_t call_times_worst_count(const struct call_times *times)
{
    return times->worst_count;
}

const struct call_worst *call_times_worst(const struct call_times *times,
                                          size_t number)
{
    return &times->worst[number];
}
