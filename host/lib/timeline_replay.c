/* SPDX-License-Identifier: MIT */
#include "timeline_parts.h"

#include "room.h"

#include <stdlib.h>
#include <string.h>

#define CONTEXT_IDS 65536u
#define PS_PER_SECOND UINT64_C(1000000000000)

/* An open call. */
struct frame_open {
    uint32_t function;
    uint32_t until; /* the gap in which it is left; 0: none */
    unsigned flags;
    struct timeline_span entered;
    struct timeline_span self;
    struct timeline_span total; /* of what it called */
    struct timeline_span self_cost;
    struct timeline_span total_cost; /* of what it called */
};

struct lane {
    uint16_t context;
    bool is_nested; /* an exception that is under way, by its open calls */
    bool is_away;
    uint16_t other; /* that took over */
    struct timeline_span left_at;
    struct frame_open *frames;
    size_t count;
    size_t room;
    uint64_t calls;
    struct timeline_span self;
    struct timeline_span outside;
};

/* Lanes are told by number + 1: they move when one is added. */
#define NO_LANE 0u

struct replay {
    struct timeline *timeline;
    timeline_sink sink;
    void *context;
    struct timeline_result *result;

    struct lane *lanes;
    size_t lane_count;
    size_t lane_room;
    uint32_t *lane_index; /* by context: number + 1 */

    uint32_t *nest; /* lanes of exceptions, the one that runs last */
    size_t nest_count;
    size_t nest_room;
    uint32_t base;    /* lane of the thread or task below them */
    uint32_t running; /* lane that the records are of */
    uint32_t owner;   /* lane that the time is of */

    struct timeline_span now;
    uint64_t rate_ticks; /* since when the rate holds */
    uint64_t rate_ps;
    uint32_t hz;
    struct timeline_span whole; /* cost of a pair of hooks, and its part */
    struct timeline_span inner;

    uint32_t segment;
    uint64_t missing_at;
    bool is_opening;            /* the segment's first record is to come */
    bool is_lost;               /* time belongs to nobody */
    bool is_off;                /* for want of recording */
    struct timeline_event gap;  /* that the segment begins with */
    struct timeline_event rate; /* that changed in it; 0 Hz: none */
};

static void add_span(struct timeline_span *sum, struct timeline_span span)
{
    sum->ticks += span.ticks;
    sum->ps += span.ps;
}

static struct timeline_span difference(struct timeline_span later,
                                       struct timeline_span earlier)
{
    return (struct timeline_span){later.ticks - earlier.ticks,
                                  later.ps - earlier.ps};
}

/* Without rounding that adds up: whole seconds, nanoseconds, picoseconds. */
static uint64_t to_ps(uint64_t ticks, uint32_t hz)
{
    uint64_t nano;

    if (hz == 0)
        return 0;
    nano = ticks % hz * UINT64_C(1000000000);
    return ticks / hz * PS_PER_SECOND + nano / hz * 1000
           + nano % hz * 1000 / hz;
}

static struct timeline_span moment(const struct replay *replay, uint64_t ticks)
{
    return (struct timeline_span){
            .ticks = ticks,
            .ps = replay->rate_ps
                  + to_ps(ticks - replay->rate_ticks, replay->hz)};
}

/* NUMBER is not NO_LANE. */
static struct lane *lane_of(const struct replay *replay, uint32_t number)
{
    return &replay->lanes[number - 1];
}

/* NO_LANE without memory. */
static uint32_t get_lane(struct replay *replay, uint16_t context)
{
    struct lane *lanes;

    if (replay->lane_index[context] != NO_LANE)
        return replay->lane_index[context];
    lanes = room_reserve(replay->lanes, replay->lane_count, &replay->lane_room,
                         sizeof *lanes);
    if (lanes == NULL)
        return NO_LANE;
    replay->lanes = lanes;
    lanes[replay->lane_count] = (struct lane){.context = context};
    replay->lane_index[context] = (uint32_t)++replay->lane_count;
    return replay->lane_index[context];
}

static int send(struct replay *replay, const struct timeline_event *event)
{
    return replay->sink == NULL ? 0 : replay->sink(replay->context, event);
}

/* Time goes on to TICKS, and belongs to whoever has it. */
static void advance(struct replay *replay, uint64_t ticks)
{
    struct timeline_span now = moment(replay, ticks);
    struct timeline_span passed = difference(now, replay->now);
    struct lane *owner;

    if (ticks <= replay->now.ticks)
        return;
    replay->now = now;
    add_span(&replay->result->wall, passed);
    if (replay->is_off) {
        add_span(&replay->result->off, passed);
        return;
    }
    if (replay->is_lost || replay->owner == NO_LANE) {
        add_span(&replay->result->lost, passed);
        return;
    }
    owner = lane_of(replay, replay->owner);
    if (owner->count > 0) {
        add_span(&owner->frames[owner->count - 1].self, passed);
        add_span(&owner->self, passed);
    } else {
        add_span(&owner->outside, passed);
    }
}

/* Find out whom the time belongs to from now on. */
static int pass_on(struct replay *replay)
{
    uint32_t owner = replay->nest_count > 0
                             ? replay->nest[replay->nest_count - 1]
                             : replay->base;
    struct lane *before;
    struct lane *after;

    if (owner == replay->owner || owner == NO_LANE || replay->owner == NO_LANE)
        return 0;
    before = lane_of(replay, replay->owner);
    after = lane_of(replay, owner);
    if (before->count > 0) {
        before->is_away = true;
        before->left_at = replay->now;
        before->other = after->context;
    }
    replay->owner = owner;
    if (!after->is_away || after->count == 0)
        return 0;
    after->is_away = false;
    return send(replay,
                &(struct timeline_event){
                        .kind = TIMELINE_AWAY,
                        .context = after->context,
                        .other = after->other,
                        .depth = after->count,
                        .at = after->left_at,
                        .span = difference(replay->now, after->left_at)});
}

static int enter(struct replay *replay, uint32_t number, uint32_t function,
                 uint32_t until, unsigned flags)
{
    struct lane *lane = lane_of(replay, number);
    struct frame_open *frames = room_reserve(lane->frames, lane->count,
                                             &lane->room, sizeof *frames);

    if (frames == NULL)
        return MCUPROF_E_NOMEM;
    lane->frames = frames;
    if (lane->count == 0)
        lane->is_away = false;
    frames[lane->count] = (struct frame_open){.function = function,
                                              .until = until,
                                              .flags = flags,
                                              .entered = replay->now,
                                              .self_cost = replay->inner};
    lane->count++;
    lane->calls++;
    replay->result->counts.calls++;
    replay->result->counts.entered_before += flags != 0;
    return send(replay, &(struct timeline_event){.kind = TIMELINE_ENTER,
                                                 .context = lane->context,
                                                 .flags = flags,
                                                 .depth = lane->count - 1,
                                                 .function = function,
                                                 .at = replay->now});
}

static struct timeline_span least(struct timeline_span a,
                                  struct timeline_span b)
{
    return (struct timeline_span){a.ticks < b.ticks ? a.ticks : b.ticks,
                                  a.ps < b.ps ? a.ps : b.ps};
}

/* What a call cost whoever made it; of its own cost the inner part is in it. */
static void charge(struct replay *replay, struct frame_open *caller,
                   const struct timeline_event *callee)
{
    add_span(&caller->total, callee->span);
    add_span(&caller->self_cost, difference(replay->whole, replay->inner));
    add_span(&caller->total_cost, callee->span_cost);
}

static void count_repair(struct timeline_counts *counts, unsigned flags)
{
    counts->unwound += (flags & TIMELINE_UNWOUND) != 0;
    counts->ended += (flags & TIMELINE_ENDED) != 0;
    counts->open += (flags & TIMELINE_OPEN) != 0;
    counts->left_in_gap += (flags & TIMELINE_LEFT_IN_GAP) != 0;
    counts->left_gone += (flags & TIMELINE_LEFT_GONE) != 0;
    counts->too_deep += (flags & TIMELINE_TOO_DEEP) != 0;
    counts->left_off += (flags & TIMELINE_LEFT_OFF) != 0;
}

/* The innermost call of a lane. */
static int leave(struct replay *replay, struct lane *lane, unsigned flags)
{
    struct frame_open frame = lane->frames[--lane->count];
    struct timeline_event event = {
            .kind = TIMELINE_LEAVE,
            .context = lane->context,
            .flags = frame.flags | flags,
            .depth = lane->count,
            .function = frame.function,
            .at = replay->now,
            .span = frame.total,
            .self = frame.self,
            .span_cost = frame.total_cost,
            .self_cost = frame.self_cost,
    };

    if ((flags & TIMELINE_OPEN) != 0)
        event.self_cost = difference(event.self_cost, replay->inner);
    add_span(&event.span, event.self);
    /* Where hooks are quicker than was measured, other calls keep their time.
     */
    add_span(&event.span_cost, least(event.self_cost, event.self));
    if (lane->count > 0)
        charge(replay, &lane->frames[lane->count - 1], &event);
    count_repair(&replay->result->counts, flags);
    return send(replay, &event);
}

static int leave_all(struct replay *replay, struct lane *lane, unsigned flags)
{
    int error = 0;

    while (lane->count > 0 && error == 0)
        error = leave(replay, lane, flags);
    return error;
}

static bool is_nested(const struct replay *replay, uint32_t number)
{
    return lane_of(replay, number)->is_nested;
}

static int nest(struct replay *replay, uint32_t number)
{
    uint32_t *grown = room_reserve(replay->nest, replay->nest_count,
                                   &replay->nest_room, sizeof *grown);

    if (grown == NULL)
        return MCUPROF_E_NOMEM;
    replay->nest = grown;
    grown[replay->nest_count++] = number;
    lane_of(replay, number)->is_nested = true;
    return 0;
}

/* Exceptions without open calls are over, as far as is known. */
static void unnest_empty(struct replay *replay)
{
    size_t kept = 0;

    for (size_t i = 0; i < replay->nest_count; i++) {
        struct lane *lane = lane_of(replay, replay->nest[i]);

        lane->is_nested = lane->count > 0;
        if (lane->is_nested)
            replay->nest[kept++] = replay->nest[i];
    }
    replay->nest_count = kept;
}

/* NUMBER runs: what had interrupted it has ended. */
static int end_above(struct replay *replay, uint32_t number)
{
    int error = 0;

    if (timeline_is_exception(lane_of(replay, number)->context)
        && !is_nested(replay, number))
        return 0;
    while (replay->nest_count > 0 && error == 0) {
        struct lane *top =
                lane_of(replay, replay->nest[replay->nest_count - 1]);

        if (replay->nest[replay->nest_count - 1] == number)
            break;
        error = leave_all(replay, top, TIMELINE_ENDED);
        top->is_nested = false;
        replay->nest_count--;
    }
    return error < 0 ? error : pass_on(replay);
}

/* The calls of a lane from the one that is left in this gap on. */
static int leave_in_gap(struct replay *replay, struct lane *lane)
{
    size_t kept = 0;
    int error = 0;

    while (kept < lane->count && lane->frames[kept].until != replay->segment)
        kept++;
    while (lane->count > kept && error == 0)
        error = leave(replay, lane, TIMELINE_LEFT_IN_GAP);
    return error;
}

/* The calls that were entered before the segment, outermost first: those that
   were left last. */
static int enter_missing(struct replay *replay)
{
    struct timeline_log *log = &replay->timeline->missing;
    struct timeline_entry entry;
    uint64_t end = replay->missing_at;
    int error = 0;

    for (; end < log->count; end++) {
        error = timeline_log_get(log, end, &entry);
        if (error < 0 || entry.ticks != replay->segment)
            break;
    }
    for (uint64_t i = end; i > replay->missing_at && error == 0; i--) {
        uint32_t number;

        error = timeline_log_get(log, i - 1, &entry);
        if (error < 0)
            break;
        number = get_lane(replay, (uint16_t)entry.extra);
        if (number == NO_LANE)
            return MCUPROF_E_NOMEM;
        if (timeline_is_exception((uint16_t)entry.extra)
            && !is_nested(replay, number))
            error = nest(replay, number);
        if (error == 0)
            error = enter(replay, number, entry.word, 0,
                          TIMELINE_ENTERED_BEFORE);
    }
    replay->missing_at = end;
    return error;
}

/* The gap, or pause, that is under way goes until now. */
static int end_gap(struct replay *replay)
{
    int error = 0;

    if (replay->is_lost) {
        replay->gap.span = difference(replay->now, replay->gap.at);
        error = send(replay, &replay->gap);
    }
    if (error == 0 && replay->rate.value > 0) {
        replay->rate.span = difference(replay->now, replay->rate.at);
        error = send(replay, &replay->rate);
    }
    replay->rate.value = 0;
    replay->is_lost = false;
    replay->is_off = false;
    return error;
}

/* At the first record of a segment. */
static int open_segment(struct replay *replay)
{
    int error = end_gap(replay);

    replay->is_opening = false;
    if (error == 0)
        error = enter_missing(replay);
    return error < 0 ? error : pass_on(replay);
}

static int on_gap(struct replay *replay, const struct timeline_entry *entry)
{
    unsigned flags = entry->word & MCUPROF_TRACE_ARGUMENT;
    int error = end_gap(replay);

    replay->segment++;
    for (size_t i = 0; i < replay->lane_count && error == 0; i++)
        error = leave_in_gap(replay, &replay->lanes[i]);
    unnest_empty(replay);
    if (error == 0)
        error = pass_on(replay);
    replay->is_opening = true;
    replay->is_lost = true;
    replay->gap = (struct timeline_event){.kind = TIMELINE_GAP,
                                          .flags = flags,
                                          .count = entry->extra,
                                          .at = replay->now};
    return error;
}

/* All that is open, the innermost first. What was never told apart is known to
   be nobody's. */
static int leave_everything(struct replay *replay, unsigned flags)
{
    unsigned unknown = flags == TIMELINE_OPEN ? TIMELINE_ENDED : flags;
    int error = 0;

    for (; replay->nest_count > 0 && error == 0; replay->nest_count--) {
        struct lane *top =
                lane_of(replay, replay->nest[replay->nest_count - 1]);

        error = leave_all(replay, top, flags);
        top->is_nested = false;
    }
    for (size_t i = 0; i < replay->lane_count && error == 0; i++)
        error = leave_all(replay, &replay->lanes[i],
                          replay->lanes[i].context == WIRE_CONTEXT_UNKNOWN
                                  ? unknown
                                  : flags);
    return error;
}

static int on_pause(struct replay *replay, const struct timeline_entry *entry)
{
    unsigned flags = entry->word & MCUPROF_TRACE_ARGUMENT;
    int error = end_gap(replay);

    replay->segment++;
    if (error == 0)
        error = leave_everything(replay, TIMELINE_LEFT_OFF);
    if (error == 0)
        error = pass_on(replay);
    replay->is_opening = true;
    replay->is_lost = true;
    replay->is_off = true;
    replay->result->is_off_unsure =
            replay->result->is_off_unsure || (flags & TIMELINE_UNSURE) != 0;
    replay->gap = (struct timeline_event){
            .kind = TIMELINE_PAUSE, .flags = flags, .at = replay->now};
    return error;
}

static int on_wrap(struct replay *replay, const struct timeline_entry *entry)
{
    uint64_t wrap = (uint64_t)replay->timeline->clock.mask + 1;
    struct timeline_event event = {
            .kind = TIMELINE_WRAP, .count = entry->extra, .at = replay->now};
    bool was_lost = replay->is_lost;

    replay->is_lost = true;
    advance(replay, replay->now.ticks + entry->extra * wrap);
    replay->is_lost = was_lost;
    event.span = difference(replay->now, event.at);
    return send(replay, &event);
}

/* A switch between tasks may come from an exception, which then goes on. */
static int on_context(struct replay *replay, const struct timeline_entry *entry)
{
    replay->running = get_lane(replay, (uint16_t)(entry->word & UINT16_MAX));
    if (replay->running == NO_LANE)
        return MCUPROF_E_NOMEM;
    if (timeline_is_exception(lane_of(replay, replay->running)->context))
        return 0;
    if (replay->base != replay->running)
        lane_of(replay, replay->base)->other =
                lane_of(replay, replay->running)->context;
    replay->base = replay->running;
    return pass_on(replay);
}

static int on_enter(struct replay *replay, const struct timeline_entry *entry)
{
    uint32_t number = replay->running;
    int error = end_above(replay, number);

    if (error == 0 && timeline_is_exception(lane_of(replay, number)->context)
        && !is_nested(replay, number))
        error = nest(replay, number);
    if (error == 0)
        error = enter(replay, number, entry->word & ~MCUPROF_TRACE_ENTER,
                      entry->extra, 0);
    return error < 0 ? error : pass_on(replay);
}

static int on_leave(struct replay *replay, const struct timeline_entry *entry)
{
    struct lane *lane = lane_of(replay, replay->running);
    size_t at = lane->count;
    int error = end_above(replay, replay->running);

    while (at > 0 && lane->frames[at - 1].function != entry->word)
        at--;
    /* What is stray was counted when it was taken. */
    replay->result->counts.stray_leaves += entry->extra == 0 && at == 0;
    if (entry->extra != 0 || at == 0)
        return error;
    while (lane->count > at && error == 0)
        error = leave(replay, lane, TIMELINE_UNWOUND);
    if (error == 0)
        error = leave(replay, lane, 0);
    unnest_empty(replay);
    return error < 0 ? error : pass_on(replay);
}

static int on_mark(struct replay *replay, const struct timeline_entry *entry)
{
    struct lane *lane = lane_of(replay, replay->running);
    int error = end_above(replay, replay->running);

    replay->result->counts.marks++;
    if (error < 0)
        return error;
    return send(replay,
                &(struct timeline_event){
                        .kind = TIMELINE_MARK,
                        .context = lane->context,
                        .depth = lane->count,
                        .number = entry->word & MCUPROF_TRACE_ARGUMENT,
                        .value = entry->extra,
                        .has_value = entry->word >> 24 == MCUPROF_TRACE_MARK,
                        .at = replay->now});
}

/* COSTS in ticks, at the rate that is now. */
static struct timeline_span cost(const struct replay *replay, uint32_t ticks)
{
    return (struct timeline_span){ticks, to_ps(ticks, replay->hz)};
}

static void set_rate(struct replay *replay, uint32_t hz)
{
    replay->rate_ticks = replay->now.ticks;
    replay->rate_ps = replay->now.ps;
    replay->hz = hz;
    replay->whole = cost(replay, (uint32_t)replay->whole.ticks);
    replay->inner = cost(replay, (uint32_t)replay->inner.ticks);
    replay->result->clock_hz = hz;
}

static int on_clock(struct replay *replay, const struct timeline_entry *entry)
{
    replay->result->rate_changed =
            replay->result->rate_changed || entry->extra != replay->hz;
    set_rate(replay, entry->extra);
    return send(replay, &(struct timeline_event){.kind = TIMELINE_CLOCK,
                                                 .value = entry->extra,
                                                 .at = replay->now});
}

/* Nobody said where. */
static int on_rate(struct replay *replay, const struct timeline_entry *entry)
{
    struct timeline_event event = {.kind = TIMELINE_CLOCK,
                                   .flags = TIMELINE_UNSURE,
                                   .value = entry->extra,
                                   .count =
                                           entry->word & MCUPROF_TRACE_ARGUMENT,
                                   .at = replay->now};

    if (entry->extra == 0)
        return 0;
    replay->result->rate_changed = true;
    set_rate(replay, entry->extra);
    if (event.count == 0)
        return send(replay, &event);
    event.at = replay->gap.at;
    replay->rate = event;
    return 0;
}

static int close_lane(struct replay *replay, const struct timeline_entry *entry,
                      unsigned flags)
{
    uint32_t number = get_lane(replay, (uint16_t)(entry->word & UINT16_MAX));
    int error;

    if (number == NO_LANE)
        return MCUPROF_E_NOMEM;
    error = leave_all(replay, lane_of(replay, number), flags);
    unnest_empty(replay);
    return error < 0 ? error : pass_on(replay);
}

static int on_close(struct replay *replay, const struct timeline_entry *entry)
{
    return close_lane(replay, entry, TIMELINE_TOO_DEEP);
}

static int on_gone(struct replay *replay, const struct timeline_entry *entry)
{
    int error = close_lane(replay, entry, TIMELINE_LEFT_GONE);

    if (error < 0)
        return error;
    return send(replay, &(struct timeline_event){
                                .kind = TIMELINE_GONE,
                                .context = (uint16_t)(entry->word & UINT16_MAX),
                                .at = replay->now});
}

static int on_begin(struct replay *replay, const struct timeline_entry *entry)
{
    struct timeline_counts *counts = &replay->result->counts;
    bool from_init = (entry->word & TIMELINE_BEGIN_INIT) != 0;
    bool is_reset = (entry->word & TIMELINE_BEGIN_RESET) != 0;

    replay->now = (struct timeline_span){
            .ticks = entry->ticks, .ps = to_ps(entry->ticks, entry->extra)};
    replay->result->from_init =
            from_init && (counts->boots == 0 || replay->result->from_init);
    counts->boots++;
    set_rate(replay, entry->extra);
    replay->is_opening = true;
    return send(replay,
                &(struct timeline_event){.kind = TIMELINE_BEGIN,
                                         .flags = is_reset ? TIMELINE_RESET : 0,
                                         .number = (uint32_t)counts->boots,
                                         .at = replay->now});
}

static int on_costs(struct replay *replay, const struct timeline_entry *entry)
{
    replay->base = get_lane(replay, (uint16_t)(entry->word & UINT16_MAX));
    replay->owner = replay->base;
    replay->running = replay->base;
    replay->whole = cost(replay, entry->extra >> 16);
    replay->inner = cost(replay, entry->extra & UINT16_MAX);
    if (replay->inner.ticks > replay->whole.ticks)
        replay->inner = replay->whole;
    replay->result->hook_cost = (uint16_t)replay->whole.ticks;
    replay->result->hook_inner = (uint16_t)replay->inner.ticks;
    return replay->base == NO_LANE ? MCUPROF_E_NOMEM : 0;
}

/* What is open stays open, as far as is known; the innermost first. */
static int on_end(struct replay *replay, const struct timeline_entry *entry)
{
    int error = leave_everything(replay, TIMELINE_OPEN);

    (void)entry;
    replay->segment++;
    replay->owner = NO_LANE;
    replay->is_lost = false;
    replay->is_off = false;
    if (error < 0)
        return error;
    return send(replay,
                &(struct timeline_event){
                        .kind = TIMELINE_END,
                        .number = (uint32_t)replay->result->counts.boots,
                        .at = replay->now});
}

static int on_go(struct replay *replay, const struct timeline_entry *entry)
{
    (void)replay;
    (void)entry;
    return 0;
}

static const struct {
    uint32_t kind;
    bool is_record; /* and not about records */
    int (*play)(struct replay *replay, const struct timeline_entry *entry);
} players[] = {
        {MCUPROF_TRACE_CONTEXT, true, on_context},
        {MCUPROF_TRACE_MARK, true, on_mark},
        {TIMELINE_WORD_BARE_MARK, true, on_mark},
        {MCUPROF_TRACE_LOST, false, on_gap},
        {MCUPROF_TRACE_CUT, false, on_pause},
        {TIMELINE_WORD_ON, true, on_go},
        {MCUPROF_TRACE_CLOCK, true, on_clock},
        {TIMELINE_WORD_RATE, false, on_rate},
        {MCUPROF_TRACE_GONE, true, on_gone},
        {TIMELINE_WORD_BEGIN, false, on_begin},
        {TIMELINE_WORD_COSTS, false, on_costs},
        {TIMELINE_WORD_CLOSE, true, on_close},
        {TIMELINE_WORD_WRAP, false, on_wrap},
        {TIMELINE_WORD_END, true, on_end},
};

static int play(struct replay *replay, const struct timeline_entry *entry)
{
    bool is_call = entry->word < MCUPROF_TRACE_SPECIAL;
    size_t i = 0;
    int error = 0;

    while (!is_call && players[i].kind != entry->word >> 24)
        i++;
    if (is_call || players[i].kind != TIMELINE_WORD_BEGIN)
        advance(replay, entry->ticks);
    if (replay->is_opening && (is_call || players[i].is_record))
        error = open_segment(replay);
    if (error < 0)
        return error;
    if (!is_call)
        return players[i].play(replay, entry);
    return (entry->word & MCUPROF_TRACE_ENTER) != 0 ? on_enter(replay, entry)
                                                    : on_leave(replay, entry);
}

static int by_context(const void *a, const void *b)
{
    const struct timeline_share *left = a;
    const struct timeline_share *right = b;

    return (int)left->context - (int)right->context;
}

static int sum_up(const struct replay *replay)
{
    struct timeline_result *result = replay->result;

    result->shares = calloc(replay->lane_count + 1, sizeof *result->shares);
    if (result->shares == NULL)
        return MCUPROF_E_NOMEM;
    for (size_t i = 0; i < replay->lane_count; i++) {
        const struct lane *lane = &replay->lanes[i];

        if (lane->calls + lane->outside.ticks == 0)
            continue;
        result->shares[result->share_count++] =
                (struct timeline_share){.context = lane->context,
                                        .calls = lane->calls,
                                        .self = lane->self,
                                        .outside = lane->outside};
    }
    qsort(result->shares, result->share_count, sizeof *result->shares,
          by_context);
    return 0;
}

static void free_replay(struct replay *replay)
{
    for (size_t i = 0; i < replay->lane_count; i++)
        free(replay->lanes[i].frames);
    free(replay->lanes);
    free(replay->lane_index);
    free(replay->nest);
}

int timeline_replay(struct timeline *timeline, timeline_sink sink,
                    void *context, struct timeline_result *result)
{
    struct replay replay = {.timeline = timeline,
                            .sink = sink,
                            .context = context,
                            .result = result};
    struct timeline_entry entry;
    int error = 0;

    memset(result, 0, sizeof *result);
    result->counts = timeline->counts;
    result->clock_bits = timeline->hello.clock_bits;
    result->was_running = timeline->any_running;
    replay.lane_index = calloc(CONTEXT_IDS, sizeof *replay.lane_index);
    if (replay.lane_index == NULL)
        return MCUPROF_E_NOMEM;
    for (uint64_t i = 0; i < timeline->log.count && error == 0; i++) {
        error = timeline_log_get(&timeline->log, i, &entry);
        if (error == 0)
            error = play(&replay, &entry);
    }
    if (error == 0)
        error = sum_up(&replay);
    free_replay(&replay);
    return error;
}

void timeline_result_deinit(struct timeline_result *result)
{
    free(result->shares);
    result->shares = NULL;
    result->share_count = 0;
}
