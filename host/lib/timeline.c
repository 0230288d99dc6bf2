/* SPDX-License-Identifier: MIT */
#include "timeline_parts.h"

#include "room.h"
#include "trace_pack.h"

#include <stdlib.h>
#include <string.h>

#define CONTEXT_IDS 65536u

struct timeline *timeline_new(void)
{
    struct timeline *timeline = calloc(1, sizeof *timeline);

    if (timeline == NULL)
        return NULL;
    timeline->stack_index = calloc(CONTEXT_IDS, sizeof *timeline->stack_index);
    timeline->last_runs = calloc(CONTEXT_IDS, sizeof *timeline->last_runs);
    if (timeline->stack_index == NULL || timeline->last_runs == NULL) {
        timeline_free(timeline);
        return NULL;
    }
    return timeline;
}

void timeline_free(struct timeline *timeline)
{
    if (timeline == NULL)
        return;
    for (size_t i = 0; i < timeline->stack_count; i++)
        free(timeline->stacks[i].calls);
    free(timeline->stacks);
    free(timeline->stack_index);
    free(timeline->last_runs);
    free(timeline->items);
    timeline_log_deinit(&timeline->log);
    timeline_log_deinit(&timeline->missing);
    free(timeline);
}

static int put_at(struct timeline *timeline, uint64_t ticks, uint32_t word,
                  uint32_t extra)
{
    const struct timeline_entry entry = {
            .ticks = ticks, .word = word, .extra = extra};

    return timeline_log_add(&timeline->log, &entry);
}

int timeline_put(struct timeline *timeline, uint32_t word, uint32_t extra)
{
    return put_at(timeline, timeline->clock.now, word, extra);
}

static uint32_t costs_of(const struct wire_hello *hello)
{
    return (uint32_t)hello->hook_cost << 16 | hello->hook_inner;
}

/* CONTEXT is the first thread or task to run: no switch came before. */
static int set_base(struct timeline *timeline, uint16_t context)
{
    struct timeline_entry costs;
    int error;

    timeline->base_known = true;
    error = timeline_log_get(&timeline->log, timeline->begin + 1, &costs);
    costs.word = TIMELINE_WORD(TIMELINE_WORD_COSTS, context);
    return error < 0 ? error
                     : timeline_log_set(&timeline->log, timeline->begin + 1,
                                        &costs);
}

static int put_context(struct timeline *timeline, uint16_t context)
{
    uint64_t number = timeline->log.count;
    int error = timeline_put(timeline,
                             TIMELINE_WORD(MCUPROF_TRACE_CONTEXT, context), 0);

    timeline->running = context;
    if (context == WIRE_CONTEXT_UNKNOWN && number == timeline->begin + 2) {
        timeline->has_unknown = true;
        timeline->unknown = number;
    } else if (error == 0 && !timeline->base_known
               && !timeline_is_exception(context)) {
        error = set_base(timeline, context);
    }
    return error;
}

/* In front of the first record of a boot. */
static int begin(struct timeline *timeline)
{
    uint32_t how = timeline->clock.time.known ? TIMELINE_BEGIN_INIT : 0;
    bool is_reset = timeline->is_reset;
    int error;

    if (is_reset)
        how |= TIMELINE_BEGIN_RESET;
    timeline->counts.resets += is_reset;
    timeline->is_reset = false;
    timeline->began = true;
    timeline->begin = timeline->log.count;
    timeline->begin_missing = timeline->missing.count;
    timeline->has_unknown = false;
    timeline->base_known = false;
    timeline->has_pause = false;
    timeline_rate_begin(timeline);
    error = timeline_put(timeline, TIMELINE_WORD(TIMELINE_WORD_BEGIN, how),
                         timeline->rate.hz);
    if (error == 0)
        error = timeline_put(timeline, TIMELINE_WORD(TIMELINE_WORD_COSTS, 0),
                             costs_of(&timeline->hello));
    return error < 0 || !is_reset ? error
                                  : put_context(timeline, timeline->running);
}

static int put_wraps(struct timeline *timeline, uint64_t from, uint64_t wraps)
{
    uint32_t count = wraps > UINT32_MAX ? UINT32_MAX : (uint32_t)wraps;

    if (wraps == 0)
        return 0;
    timeline->counts.wraps += wraps;
    return put_at(timeline, from, TIMELINE_WORD(TIMELINE_WORD_WRAP, 0), count);
}

/* A gap or a pause: what happens in it is not known. */
static int put_gap(struct timeline *timeline, uint32_t word, uint64_t from,
                   uint32_t records)
{
    int error;

    if (timeline->clock.anchors == 0)
        word |= TIMELINE_UNSURE;
    timeline->segment++;
    timeline->lower_ran = false;
    error = put_at(timeline, from, word, records);
    return error < 0 ? error : timeline_rate_gap(timeline);
}

static int take_lost(struct timeline *timeline,
                     const struct timeline_item *item)
{
    struct timeline_clock *clock = &timeline->clock;
    uint64_t from = clock->now;
    uint32_t count = item->word & MCUPROF_TRACE_ARGUMENT;

    if (item->value_count > 0
        && ((item->values[0] - clock->last) & clock->mask) <= clock->mask / 2)
        (void)timeline_clock_record(clock, item->values[0]);
    timeline->counts.gaps_target++;
    timeline->counts.lost_target += count;
    return put_gap(timeline, TIMELINE_WORD(MCUPROF_TRACE_LOST, 0), from, count);
}

/* Recording went on. In front of all that is left there was no pause. */
static int take_cut(struct timeline *timeline)
{
    int error;

    if (timeline->log.count == timeline->begin + 2)
        return 0;
    timeline->counts.pauses++;
    error = timeline_follow_pause(timeline);
    timeline->has_pause = true;
    timeline->pause = timeline->log.count;
    if (error == 0)
        error = put_gap(timeline,
                        TIMELINE_WORD(MCUPROF_TRACE_CUT, TIMELINE_UNSURE),
                        timeline->before, 0);
    return error < 0 ? error
                     : timeline_put(timeline,
                                    TIMELINE_WORD(TIMELINE_WORD_ON, 0), 0);
}

/* Behind the last pause all bits of the clock were told, again. */
static int settle_pause(struct timeline *timeline, bool is_sure)
{
    bool was_open = timeline->has_pause;
    struct timeline_entry entry;
    int error;

    timeline->has_pause = false;
    if (!was_open || !is_sure)
        return 0;
    error = timeline_log_get(&timeline->log, timeline->pause, &entry);
    entry.word &= ~TIMELINE_UNSURE;
    return error < 0
                   ? error
                   : timeline_log_set(&timeline->log, timeline->pause, &entry);
}

static int take_mark(struct timeline *timeline,
                     const struct timeline_item *item)
{
    uint32_t kind = item->value_count > 0 ? MCUPROF_TRACE_MARK
                                          : TIMELINE_WORD_BARE_MARK;
    int error = timeline_follow_run(timeline, timeline->running);

    if (error < 0)
        return error;
    return timeline_put(timeline, TIMELINE_WORD(kind, item->word),
                        item->values[0]);
}

static int take_sync(struct timeline *timeline,
                     const struct timeline_item *item)
{
    struct timeline_clock *clock = &timeline->clock;
    bool was_known = clock->sync.known;
    uint64_t disagreed = clock->disagreed;
    uint64_t from = clock->now;
    uint64_t wraps =
            timeline_clock_sync(clock, item->word & MCUPROF_TRACE_ARGUMENT);
    int error = settle_pause(
            timeline, was_known && wraps == 0 && clock->disagreed == disagreed);

    return error < 0 ? error : put_wraps(timeline, from, wraps);
}

static int take_gone(struct timeline *timeline, uint16_t context)
{
    int error = timeline_follow_gone(timeline, context);

    if (error < 0)
        return error;
    return timeline_put(timeline, TIMELINE_WORD(MCUPROF_TRACE_GONE, context),
                        0);
}

static bool is_context(uint32_t word)
{
    uint32_t kind = word >> 24;

    return (kind == MCUPROF_TRACE_CONTEXT || kind == MCUPROF_TRACE_GONE)
           && (word & MCUPROF_TRACE_ARGUMENT) <= UINT16_MAX;
}

static int take_special(struct timeline *timeline,
                        const struct timeline_item *item)
{
    uint16_t argument = (uint16_t)(item->word & UINT16_MAX);

    switch (item->word >> 24) {
    case MCUPROF_TRACE_CONTEXT:
        if (is_context(item->word))
            return put_context(timeline, argument);
        timeline->counts.unknown++;
        return put_context(timeline, WIRE_CONTEXT_UNKNOWN);
    case MCUPROF_TRACE_GONE:
        if (is_context(item->word))
            return take_gone(timeline, argument);
        break;
    case MCUPROF_TRACE_MARK:
        return take_mark(timeline, item);
    case MCUPROF_TRACE_LOST:
        return take_lost(timeline, item);
    case MCUPROF_TRACE_SYNC:
        return take_sync(timeline, item);
    case MCUPROF_TRACE_CLOCK:
        return timeline_rate_record(timeline, item);
    case MCUPROF_TRACE_CUT:
        return take_cut(timeline);
    case MCUPROF_TRACE_NEVER:
        timeline->counts.torn++;
        return 0;
    default:
        break;
    }
    timeline->counts.unknown++;
    return 0;
}

static bool is_lost(const struct timeline_item *item)
{
    return item->word >> 24 == MCUPROF_TRACE_LOST;
}

static bool is_cut(uint32_t word)
{
    return word >> 24 == MCUPROF_TRACE_CUT;
}

static bool is_sync(const struct timeline_item *item)
{
    return item->word >> 24 == MCUPROF_TRACE_SYNC;
}

/* What came of the boot and was settled is all there is of it. */
static int close_boot(struct timeline *timeline)
{
    int error = 0;

    if (timeline->began) {
        error = timeline_rate_settle(timeline);
        if (error == 0)
            error = timeline_follow_end(timeline);
        if (error == 0)
            error = timeline_put(timeline, TIMELINE_WORD(TIMELINE_WORD_END, 0),
                                 0);
        timeline->boot++;
        timeline->segment++;
    }
    timeline->began = false;
    timeline->has_first = false;
    timeline->lower_ran = false;
    timeline->counts.anchors += timeline->clock.anchors;
    timeline->counts.disagreed += timeline->clock.disagreed;
    timeline_clock_init(&timeline->clock, timeline->clock.mask);
    return error;
}

/*
 * Of a ring that was recording at a reset: hooks that run before .bss is
 * cleared go on with it, by a clock that began anew. How long after is not
 * known; a step that long is hardly anything else.
 */
static bool is_after_reset(const struct timeline *timeline,
                           const struct timeline_item *item)
{
    const struct timeline_clock *clock = &timeline->clock;

    return timeline->was_running && timeline->has_first && !is_lost(item)
           && ((item->time - clock->last) & clock->mask) > clock->mask / 4;
}

/* The time of ITEM, and what goes with it: it may begin a boot. */
static int settle_time(struct timeline *timeline,
                       const struct timeline_item *item)
{
    struct timeline_clock *clock = &timeline->clock;
    uint32_t step;
    int error = 0;

    if (is_after_reset(timeline, item)) {
        error = close_boot(timeline);
        timeline->is_reset = true;
    }
    step = (item->time - clock->last) & clock->mask;
    timeline->before = clock->now;
    /* A loss is noted by what was interrupted, maybe late: it must not be
       taken for a wrap. */
    if (!is_lost(item) || !clock->began || step <= clock->mask / 2)
        (void)timeline_clock_record(clock, item->time);
    if (error < 0 || timeline->has_first)
        return error;
    timeline->has_first = true;
    timeline->first_time = item->time;
    return begin(timeline);
}

/* What is next in order of time. */
static int settle(struct timeline *timeline, const struct timeline_item *item)
{
    int error = settle_time(timeline, item);

    if (error == 0 && !is_lost(item) && !is_cut(item->word))
        error = timeline_rate_settle(timeline);
    if (error < 0)
        return error;
    if (item->word >= MCUPROF_TRACE_SPECIAL)
        return take_special(timeline, item);
    error = timeline_follow_run(timeline, timeline->running);
    if (error < 0)
        return error;
    if ((item->word & MCUPROF_TRACE_ENTER) != 0)
        return timeline_follow_enter(timeline, timeline->running,
                                     item->word & ~MCUPROF_TRACE_ENTER);
    return timeline_follow_leave(timeline, timeline->running, item->word);
}

static uint32_t step_to(const struct timeline *timeline,
                        const struct timeline_item *item)
{
    return (item->time - timeline->clock.last) & timeline->clock.mask;
}

/*
 * A record that was reserved and not written holds what its slot did a lap
 * before. What reserved it was interrupted there and has not run since, so that
 * a context's record follows. The time of that shows it: it is sooner.
 */
static bool is_interrupted(const struct timeline *timeline, size_t at)
{
    const struct timeline_item *item = &timeline->items[at];

    return item[1].word >> 24 == MCUPROF_TRACE_CONTEXT
           && step_to(timeline, &item[1]) < step_to(timeline, item)
           && timeline->last_runs[timeline->running] <= at + 1;
}

/* The last record has none behind it. Of the lap before it would be from just
   before the first one. */
static bool is_unwritten_end(const struct timeline *timeline, size_t at)
{
    const struct timeline_item *item = &timeline->items[at];
    uint32_t rest = (timeline->first_time - item->time) & timeline->clock.mask;

    /* Nor do those behind a reset. */
    return !timeline->was_running && !is_sync(item)
           && rest < step_to(timeline, item) / 256;
}

static bool is_stale(const struct timeline *timeline, size_t at)
{
    if (!timeline->items[at].is_rewritten || !timeline->has_first)
        return false;
    return at + 1 < timeline->item_count ? is_interrupted(timeline, at)
                                         : is_unwritten_end(timeline, at);
}

static unsigned values_of(uint32_t word)
{
    switch (word >> 24) {
    case MCUPROF_TRACE_MARK:
    case MCUPROF_TRACE_LOST:
        return 1;
    case MCUPROF_TRACE_CLOCK:
        return 2; /* an older firmware's has one */
    default:
        return 0;
    }
}

/* The last item gets no more values; all that want any want the first. */
static void end_values(struct timeline *timeline)
{
    if (timeline->expects > 0)
        timeline->counts.stray_values +=
                timeline->items[timeline->item_count - 1].value_count == 0;
    timeline->expects = 0;
}

/* The context with which recording goes on has its record in front, and then it
   went on: what is between is nobody's. */
static void put_cut_first(struct timeline *timeline)
{
    struct timeline_item *last = &timeline->items[timeline->item_count - 1];
    struct timeline_item cut = *last;

    if (!is_cut(cut.word) || timeline->item_count < 2
        || last[-1].word >> 24 != MCUPROF_TRACE_CONTEXT)
        return;
    cut.time = last[-1].time;
    last[0] = last[-1];
    last[-1] = cut;
}

static bool is_run(const struct timeline_item *item)
{
    return item->word >> 24 == MCUPROF_TRACE_CONTEXT && is_context(item->word);
}

static void note_runs(struct timeline *timeline, bool is_noted)
{
    for (size_t i = 0; i < timeline->item_count; i++)
        if (is_run(&timeline->items[i]))
            timeline->last_runs[timeline->items[i].word & UINT16_MAX] =
                    is_noted ? (uint32_t)i + 1 : 0;
}

/* Settle all that waits but so many. */
static int settle_all_but(struct timeline *timeline, size_t kept)
{
    size_t count = 0;
    int error = 0;

    note_runs(timeline, true);
    for (; count + kept < timeline->item_count && error == 0; count++) {
        if (is_stale(timeline, count))
            timeline->counts.stale++;
        else
            error = settle(timeline, &timeline->items[count]);
    }
    note_runs(timeline, false);
    timeline->item_count -= count;
    if (timeline->item_count > 0)
        memmove(timeline->items, timeline->items + count,
                timeline->item_count * sizeof *timeline->items);
    return error;
}

/* A record waits for its values, and a context's for a cut; those of a ring
   wait for all of it, that what is stale may be seen. */
static int push(struct timeline *timeline, const struct timeline_item *item)
{
    struct timeline_item *items;
    int error = 0;

    end_values(timeline);
    if (timeline->item_count > timeline->ring_records)
        error = settle_all_but(timeline, 1);
    items = room_reserve(timeline->items, timeline->item_count,
                         &timeline->item_room, sizeof *items);
    if (items == NULL)
        return MCUPROF_E_NOMEM;
    timeline->items = items;
    items[timeline->item_count++] = *item;
    timeline->expects = values_of(item->word);
    put_cut_first(timeline);
    return error;
}

static void take_value(struct timeline *timeline, uint32_t value)
{
    struct timeline_item *item;

    if (timeline->expects == 0) {
        timeline->counts.stray_values++;
        return;
    }
    item = &timeline->items[timeline->item_count - 1];
    item->values[item->value_count++] = value;
    timeline->expects--;
}

/* IS_REWRITTEN says that its slot has been written before. */
static int take_record(struct timeline *timeline,
                       const struct wire_trace *record, bool is_rewritten)
{
    const struct timeline_item item = {.time = record->time
                                               & timeline->clock.mask,
                                       .word = record->word,
                                       .is_rewritten = is_rewritten};

    if (record->word >> 24 == MCUPROF_TRACE_VALUE) {
        take_value(timeline, record->time);
        return 0;
    }
    if (record->word == 0) {
        end_values(timeline);
        timeline->counts.torn++;
        return 0;
    }
    if (record->word >> 24 == MCUPROF_TRACE_CONTEXT && is_context(record->word))
        timeline->context = (uint16_t)(record->word & UINT16_MAX);
    return push(timeline, &item);
}

/* Settle all that waits. Only at the end nothing is behind it. */
static int flush(struct timeline *timeline, bool is_end)
{
    end_values(timeline);
    if (!is_end && timeline->item_count > 0)
        timeline->items[timeline->item_count - 1].is_rewritten = false;
    return settle_all_but(timeline, 0);
}

/* What came of the boot is all that will come. */
static int end_boot(struct timeline *timeline)
{
    int error = flush(timeline, true);

    timeline->joined = false;
    timeline->was_running = false;
    timeline->ring_records = 0;
    return error < 0 ? error : close_boot(timeline);
}

int timeline_restart(struct timeline *timeline)
{
    return end_boot(timeline);
}

/* The costs are measured when recording starts, perhaps after a HELLO. */
static int note_costs(struct timeline *timeline)
{
    struct timeline_entry entry;
    int error;

    if (!timeline->began || timeline->hello.hook_cost == 0)
        return 0;
    error = timeline_log_get(&timeline->log, timeline->begin + 1, &entry);
    entry.extra = costs_of(&timeline->hello);
    if (error == 0)
        error = timeline_log_set(&timeline->log, timeline->begin + 1, &entry);
    return error;
}

int timeline_hello(struct timeline *timeline, const struct wire_hello *hello)
{
    uint32_t mask = trace_clock_mask(hello->clock_bits);
    int error = 0;

    /* What came before it ran as the last one said, or is not news to it. The
       next boot's says nothing of a ring that was kept. */
    if (hello->clock_hz != timeline->hello.clock_hz
        || hello->trace_mode == MCUPROF_TRACE_MODE_STREAM
        || timeline->ring_records > 0)
        error = settle_all_but(timeline, 1);
    if (error < 0)
        return error;
    if (!timeline->has_hello || mask != timeline->clock.mask) {
        error = end_boot(timeline);
        timeline_clock_init(&timeline->clock, mask);
    }
    timeline->has_hello = true;
    timeline->hello = *hello;
    if (timeline->began)
        timeline_rate_hello(timeline);
    return error < 0 ? error : note_costs(timeline);
}

int timeline_ring(struct timeline *timeline, const struct wire_ring *ring)
{
    int error = end_boot(timeline);

    if (ring->mode != MCUPROF_TRACE_MODE_STREAM)
        timeline->ring_records = ring->records < TIMELINE_RING_MAX
                                         ? ring->records
                                         : TIMELINE_RING_MAX;
    timeline->was_running =
            ring->kept
            && (ring->state == MCUPROF_TRACE_STATE_ARMED
                || ring->state == MCUPROF_TRACE_STATE_RUNNING
                || ring->state == MCUPROF_TRACE_STATE_TRIGGERED);
    timeline->any_running = timeline->any_running || timeline->was_running;
    return error;
}

int timeline_time(struct timeline *timeline, const struct wire_time *time)
{
    bool counts_down = (timeline->hello.clock_bits & MCUPROF_CLOCK_DOWN) != 0;
    struct timeline_clock *clock = &timeline->clock;
    uint32_t reading = time->trace.clock;
    bool was_known = clock->time.known;
    uint64_t disagreed = clock->disagreed;
    uint64_t from;
    uint64_t wraps;
    int error;

    if (!time->has_trace || !timeline->has_hello)
        return 0;
    error = flush(timeline, false);
    from = clock->now;
    wraps = timeline_clock_time(clock, time->ticks,
                                counts_down ? ~reading : reading);
    timeline_rate_time(timeline);
    if (error == 0)
        error = settle_pause(timeline,
                             was_known && wraps == 0
                                     && clock->disagreed == disagreed);
    return error < 0 || !timeline->began ? error
                                         : put_wraps(timeline, from, wraps);
}

/* Records are missing before FIRST. */
static int take_line_gap(struct timeline *timeline, uint32_t count)
{
    int error = flush(timeline, false);

    if (error < 0 || !timeline->began)
        return error;
    timeline->counts.gaps_line++;
    timeline->counts.lost_line += count;
    return put_gap(timeline,
                   TIMELINE_WORD(MCUPROF_TRACE_LOST, TIMELINE_ON_LINE),
                   timeline->clock.now, count);
}

/* The context at the first record of PART, if that is not what is known. */
static int set_context(struct timeline *timeline,
                       const struct wire_trace_part *part)
{
    struct wire_trace record = {
            .time = part->records[0].time,
            .word = TIMELINE_WORD(MCUPROF_TRACE_CONTEXT, part->context)};

    if ((timeline->joined && part->context == timeline->context)
        || part->records[0].word >> 24 == MCUPROF_TRACE_CONTEXT
        || part->records[0].word >> 24 == MCUPROF_TRACE_VALUE)
        return 0;
    return take_record(timeline, &record, false);
}

/* In a ring that has gone round, or may have: the first lap's slots were empty.
 */
static bool is_rewritten(const struct timeline *timeline, uint32_t number)
{
    return timeline->ring_records > 0 && number >= timeline->ring_records;
}

int timeline_trace(struct timeline *timeline,
                   const struct wire_trace_part *part)
{
    int error = 0;

    if (!timeline->has_hello) {
        timeline->counts.before_hello += part->count;
        return 0;
    }
    if (timeline->joined && part->first - timeline->next > INT32_MAX)
        error = end_boot(timeline);
    else if (timeline->joined && part->first != timeline->next)
        error = take_line_gap(timeline, part->first - timeline->next);
    if (error == 0 && part->count > 0)
        error = set_context(timeline, part);
    for (size_t i = 0; i < part->count && error == 0; i++)
        error = take_record(timeline, &part->records[i],
                            is_rewritten(timeline, part->first + (uint32_t)i));
    timeline->joined = true;
    timeline->next = part->first + (uint32_t)part->count;
    return error;
}

int timeline_end(struct timeline *timeline)
{
    return end_boot(timeline);
}

bool timeline_has_records(const struct timeline *timeline)
{
    return timeline->log.count > 0 || timeline->counts.before_hello > 0;
}

bool timeline_is_incomplete(const struct timeline_counts *counts)
{
    return counts->torn + counts->stale + counts->stray_values
                   + counts->before_hello + counts->entered_before
                   + counts->stray_leaves + counts->ended + counts->left_in_gap
                   + counts->too_deep + counts->gaps_target + counts->gaps_line
                   + counts->wraps + counts->disagreed + counts->unknown
                   + counts->left_off + counts->rates_unsure + counts->resets
           > 0;
}

static int on_restart(void *context)
{
    return timeline_restart(context);
}

static int on_hello(void *context, const struct wire_hello *hello)
{
    return timeline_hello(context, hello);
}

static int on_ring(void *context, const struct wire_ring *ring)
{
    return timeline_ring(context, ring);
}

static int on_time(void *context, const struct wire_time *time)
{
    return timeline_time(context, time);
}

static int on_trace(void *context, const struct wire_trace_part *part)
{
    return timeline_trace(context, part);
}

struct decode_handler timeline_handler(struct timeline *timeline)
{
    return (struct decode_handler){
            .context = timeline,
            .restart = on_restart,
            .hello = on_hello,
            .time = on_time,
            .ring = on_ring,
            .trace = on_trace,
    };
}
