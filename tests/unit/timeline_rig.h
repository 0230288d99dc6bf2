/* SPDX-License-Identifier: MIT */
#ifndef TIMELINE_RIG_H
#define TIMELINE_RIG_H

/*
 * A timeline fed record by record, and what a replay sends, both as text.
 * Functions are letters, at their ASCII codes times 16. A word a record:
 *
 *   15@100         context 15 runs from 100 on
 *   >a@100 <a@200  a is entered, and left
 *   cut@100        one of the other kinds, see rig_kind()
 *   gone(512)@100  the same with its argument
 *   =4000000       a value
 *
 * and a word an event:
 *
 *   0>a@100        context 0 enters a at 100
 *   0<a@200:90/50  left; 90 ticks in all, 50 of them its own
 *   0<a@200!u...   left, though not recorded so: see flags_of()
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "timeline.h"

#define FLIGHT MCUPROF_TRACE_MODE_FLIGHT
#define STREAM MCUPROF_TRACE_MODE_STREAM

#define RIG_RECORDS 4096
#define RIG_TEXT 65536

struct rig {
    struct timeline *timeline;
    struct wire_hello hello;
    struct wire_trace records[RIG_RECORDS];
    size_t count;
    uint32_t first;   /* index of the first of them */
    uint16_t context; /* that runs at it */
    char text[RIG_TEXT];
    size_t used;
    struct timeline_result result;
};

static inline void rig_hello(struct rig *rig)
{
    assert_int_equal(timeline_hello(rig->timeline, &rig->hello), 0);
}

static inline struct rig *rig_new(uint8_t bits, uint8_t mode)
{
    static struct rig rig;

    memset(&rig, 0, sizeof rig);
    rig.timeline = timeline_new();
    assert_non_null(rig.timeline);
    rig.hello = (struct wire_hello){
            .version = 1, .clock_bits = bits, .trace_mode = mode};
    rig_hello(&rig);
    return &rig;
}

static inline void put(struct rig *rig, uint32_t time, uint32_t word)
{
    assert_true(rig->count < RIG_RECORDS);
    rig->records[rig->count++] =
            (struct wire_trace){.time = time, .word = word};
}

static inline void enter(struct rig *rig, uint32_t time, char function)
{
    put(rig, time, (uint32_t)function << 4 | 1);
}

static inline void leave(struct rig *rig, uint32_t time, char function)
{
    put(rig, time, (uint32_t)function << 4);
}

static inline void special(struct rig *rig, uint32_t time, unsigned kind,
                           uint32_t argument)
{
    put(rig, time, (uint32_t)kind << 24 | argument);
}

static inline void runs(struct rig *rig, uint32_t time, uint16_t context)
{
    special(rig, time, 0xF0, context);
}

static inline void value(struct rig *rig, uint32_t number)
{
    special(rig, number, 0xF1, 0);
}

static inline uint32_t rig_number(const char **at)
{
    char *end;
    unsigned long number = strtoul(*at, &end, 0);

    if (end == *at || number > UINT32_MAX)
        fail_msg("no number: %s", *at);
    *at = end;
    return (uint32_t)number;
}

/* docs/wire.md has these numbers. */
static inline uint32_t rig_kind(const char **at)
{
    static const struct {
        const char *name;
        unsigned kind;
    } kinds[] = {{"mark", 0xF2},  {"lost", 0xF3}, {"sync", 0xF4},
                 {"clock", 0xF5}, {"gone", 0xF6}, {"cut", 0xF7}};
    size_t length = strcspn(*at, "(@");

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strlen(kinds[i].name) == length
            && strncmp(kinds[i].name, *at, length) == 0) {
            *at += length;
            return kinds[i].kind;
        }
    fail_msg("no record: %s", *at);
    return 0;
}

static inline uint32_t rig_argument(const char **at)
{
    uint32_t argument;

    if (**at != '(')
        return 0;
    ++*at;
    argument = rig_number(at);
    assert_int_equal(**at, ')');
    ++*at;
    return argument;
}

static inline uint32_t rig_time_of(const char **at)
{
    if (**at != '@')
        fail_msg("no time: %s", *at);
    ++*at;
    return rig_number(at);
}

static inline void rig_put(struct rig *rig, const char **at)
{
    char first = **at;
    uint32_t argument;
    uint32_t kind;

    if (first >= '0' && first <= '9') {
        argument = rig_number(at);
        special(rig, rig_time_of(at), 0xF0, argument);
    } else if (first == '>' || first == '<') {
        char function = (*at)[1];

        assert_int_not_equal(function, '\0');
        *at += 2;
        (first == '>' ? enter : leave)(rig, rig_time_of(at), function);
    } else if (first == '=') {
        ++*at;
        value(rig, rig_number(at));
    } else {
        kind = rig_kind(at);
        argument = rig_argument(at);
        special(rig, rig_time_of(at), kind, argument);
    }
}

/* Puts what the words say, with one space between them. */
static inline void rig_play(struct rig *rig, const char *words)
{
    rig_put(rig, &words);
    while (*words == ' ') {
        words++;
        rig_put(rig, &words);
    }
    if (*words != '\0')
        fail_msg("no record: %s", words);
}

/* What comes lay in a ring of so many records, and MADE were made before. */
static inline void rig_ring(struct rig *rig, uint32_t records, uint32_t made)
{
    const struct wire_ring ring = {.state = MCUPROF_TRACE_STATE_RUNNING,
                                   .mode = rig->hello.trace_mode,
                                   .records = records};

    assert_int_equal(timeline_ring(rig->timeline, &ring), 0);
    rig->first = made;
}

/* Hand over what was put. */
static inline void rig_send(struct rig *rig)
{
    const struct wire_trace_part part = {.context = rig->context,
                                         .first = rig->first,
                                         .count = rig->count,
                                         .records = rig->records};

    assert_int_equal(timeline_trace(rig->timeline, &part), 0);
    for (size_t i = 0; i < rig->count; i++)
        if (rig->records[i].word >> 24 == 0xF0)
            rig->context = (uint16_t)rig->records[i].word;
    rig->first += (uint32_t)rig->count;
    rig->count = 0;
}

/* The line swallows what was put. */
static inline void rig_drop(struct rig *rig)
{
    for (size_t i = 0; i < rig->count; i++)
        if (rig->records[i].word >> 24 == 0xF0)
            rig->context = (uint16_t)rig->records[i].word;
    rig->first += (uint32_t)rig->count;
    rig->count = 0;
}

static inline void rig_time(struct rig *rig, uint64_t ticks, uint32_t reading)
{
    const struct wire_time time = {
            .ticks = ticks, .has_trace = true, .trace = {.clock = reading}};

    rig_send(rig);
    assert_int_equal(timeline_time(rig->timeline, &time), 0);
}

static inline void __attribute__((format(printf, 2, 3)))
rig_say(struct rig *rig, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(rig->text + rig->used, RIG_TEXT - rig->used, format,
                       arguments);
    va_end(arguments);
    assert_true(length >= 0 && (size_t)length < RIG_TEXT - rig->used);
    rig->used += (size_t)length;
}

static inline void say_flags(struct rig *rig, unsigned flags)
{
    static const struct {
        unsigned flag;
        char letter;
    } letters[] = {{TIMELINE_ENTERED_BEFORE, 'b'}, {TIMELINE_UNWOUND, 'u'},
                   {TIMELINE_ENDED, 'e'},          {TIMELINE_OPEN, 'o'},
                   {TIMELINE_LEFT_IN_GAP, 'g'},    {TIMELINE_LEFT_GONE, 'd'},
                   {TIMELINE_TOO_DEEP, 't'},       {TIMELINE_ON_LINE, 'l'},
                   {TIMELINE_UNSURE, '?'},         {TIMELINE_LEFT_OFF, 'p'},
                   {TIMELINE_RESET, 'r'}};

    if (flags != 0)
        rig_say(rig, "!");
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++)
        if ((flags & letters[i].flag) != 0)
            rig_say(rig, "%c", letters[i].letter);
}

static inline int rig_event(void *context, const struct timeline_event *event)
{
    struct rig *rig = context;
    unsigned long long at = event->at.ticks;
    unsigned long long span = event->span.ticks;
    unsigned long long self = event->self.ticks;
    char function = (char)(event->function >> 4);

    switch (event->kind) {
    case TIMELINE_ENTER:
        rig_say(rig, "%u>%c@%llu", event->context, function, at);
        break;
    case TIMELINE_LEAVE:
        rig_say(rig, "%u<%c@%llu:%llu/%llu", event->context, function, at, span,
                self);
        break;
    case TIMELINE_MARK:
        rig_say(rig, "%u*%u=%u@%llu", event->context, event->number,
                event->value, at);
        break;
    case TIMELINE_AWAY:
        rig_say(rig, "%u~%u@%llu+%llu", event->context, event->other, at, span);
        break;
    case TIMELINE_GAP:
        rig_say(rig, "gap(%llu)@%llu+%llu", (unsigned long long)event->count,
                at, span);
        break;
    case TIMELINE_WRAP:
        rig_say(rig, "wrap(%llu)@%llu+%llu", (unsigned long long)event->count,
                at, span);
        break;
    case TIMELINE_PAUSE:
        rig_say(rig, "off@%llu+%llu", at, span);
        break;
    case TIMELINE_CLOCK:
        rig_say(rig, "clock(%u)@%llu", event->value, at);
        if (event->flags != 0)
            rig_say(rig, "+%llu#%llu", span, (unsigned long long)event->count);
        break;
    case TIMELINE_GONE:
        rig_say(rig, "%u-@%llu", event->context, at);
        break;
    case TIMELINE_BEGIN:
        rig_say(rig, "begin(%u)", event->number);
        break;
    case TIMELINE_END:
        rig_say(rig, "end(%u)@%llu", event->number, at);
        break;
    }
    say_flags(rig, event->flags);
    rig_say(rig, " ");
    return 0;
}

/* All that was put, played back, as text; twice, as replays must be equal. */
static inline const char *rig_replay(struct rig *rig)
{
    static char first[RIG_TEXT];

    rig_send(rig);
    assert_int_equal(timeline_end(rig->timeline), 0);
    for (int i = 0; i < 2; i++) {
        rig->used = 0;
        rig->text[0] = '\0';
        timeline_result_deinit(&rig->result);
        assert_int_equal(
                timeline_replay(rig->timeline, rig_event, rig, &rig->result),
                0);
        if (i == 0)
            memcpy(first, rig->text, sizeof first);
        assert_string_equal(first, rig->text);
    }
    return rig->text;
}

/* Every moment of the record is counted once. */
static inline void rig_check_sum(const struct rig *rig)
{
    uint64_t sum = rig->result.lost.ticks + rig->result.off.ticks;

    for (size_t i = 0; i < rig->result.share_count; i++)
        sum += rig->result.shares[i].self.ticks
               + rig->result.shares[i].outside.ticks;
    assert_int_equal(sum, rig->result.wall.ticks);
}

static inline void rig_free(struct rig *rig)
{
    rig_check_sum(rig);
    timeline_result_deinit(&rig->result);
    timeline_free(rig->timeline);
}

#endif
