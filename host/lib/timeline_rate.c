/* SPDX-License-Identifier: MIT */
#include "timeline_parts.h"

void timeline_rate_begin(struct timeline *timeline)
{
    bool is_told = timeline->hello.start
                   && timeline->hello.trace_mode == MCUPROF_TRACE_MODE_STREAM;

    timeline->rate = (struct timeline_rate){.hz = timeline->hello.clock_hz,
                                            .told = is_told};
}

/* HZ holds since a time that is not known: in the first gap in which that can
   be, or before now. */
static int put_unsure(struct timeline *timeline, uint32_t hz)
{
    struct timeline_rate *rate = &timeline->rate;
    struct timeline_entry entry;
    int error;

    timeline->counts.rates_unsure++;
    rate->hz = hz;
    rate->awaited = 0;
    rate->is_due = false;
    if (rate->gaps == 0)
        return timeline_put(timeline, TIMELINE_WORD(TIMELINE_WORD_RATE, 0), hz);
    error = timeline_log_get(&timeline->log, rate->slot, &entry);
    entry.word = TIMELINE_WORD(TIMELINE_WORD_RATE, rate->gaps);
    entry.extra = hz;
    rate->gaps = 0;
    return error < 0 ? error
                     : timeline_log_set(&timeline->log, rate->slot, &entry);
}

/* All of the boot until here ran at HZ. */
static int set_first(struct timeline *timeline, uint32_t hz)
{
    struct timeline_entry entry;
    int error = timeline_log_get(&timeline->log, timeline->begin, &entry);

    entry.extra = hz;
    return error < 0
                   ? error
                   : timeline_log_set(&timeline->log, timeline->begin, &entry);
}

int timeline_rate_gap(struct timeline *timeline)
{
    struct timeline_rate *rate = &timeline->rate;
    uint64_t number = timeline->log.count;
    int error = timeline_put(timeline, TIMELINE_WORD(TIMELINE_WORD_RATE, 0), 0);

    if (error == 0 && rate->gaps++ == 0)
        rate->slot = number;
    return error;
}

int timeline_rate_record(struct timeline *timeline,
                         const struct timeline_item *item)
{
    struct timeline_rate *rate = &timeline->rate;
    uint32_t hz = item->values[0];
    uint32_t before = item->value_count > 1 ? item->values[1] : 0;
    int error = 0;

    if (item->value_count == 0 || hz == 0)
        return 0;
    if (before != 0 && before != rate->hz)
        error = !rate->changed && (rate->gaps == 0 || !rate->told)
                        ? set_first(timeline, before)
                        : put_unsure(timeline, before);
    timeline->rate = (struct timeline_rate){.hz = hz, .changed = true};
    return error < 0 ? error
                     : timeline_put(timeline,
                                    TIMELINE_WORD(MCUPROF_TRACE_CLOCK, 0), hz);
}

void timeline_rate_hello(struct timeline *timeline)
{
    struct timeline_rate *rate = &timeline->rate;
    uint32_t hz = timeline->hello.clock_hz;

    rate->is_due = false;
    rate->awaited = hz == rate->hz ? 0 : hz;
    if (hz == rate->hz)
        rate->gaps = 0;
}

void timeline_rate_time(struct timeline *timeline)
{
    timeline->rate.is_due = timeline->rate.awaited != 0;
}

int timeline_rate_settle(struct timeline *timeline)
{
    return timeline->rate.is_due ? put_unsure(timeline, timeline->rate.awaited)
                                 : 0;
}
