/* SPDX-License-Identifier: MIT */
#include "follow_calls.h"

static int on_restart(void *context)
{
    const struct follow_calls *follow = context;

    return timeline_restart(follow->timeline);
}

static int on_hello(void *context, const struct wire_hello *hello)
{
    struct follow_calls *follow = context;

    follow->has_table = (hello->engines & MCUPROF_ENGINE_FUNCTIONS) != 0;
    return timeline_hello(follow->timeline, hello);
}

static int on_time(void *context, const struct wire_time *time)
{
    const struct follow_calls *follow = context;

    return follow->has_table ? timeline_time(follow->timeline, time) : 0;
}

static int on_ring(void *context, const struct wire_ring *ring)
{
    const struct follow_calls *follow = context;

    return follow->timeline_handler.ring == NULL
                   ? 0
                   : follow->timeline_handler.ring(
                           follow->timeline_handler.context, ring);
}

static int on_trace(void *context, const struct wire_trace_part *part)
{
    const struct follow_calls *follow = context;

    return follow->has_table ? timeline_trace(follow->timeline, part) : 0;
}

int follow_calls_init(struct follow_calls *follow, struct capture *capture)
{
    *follow = (struct follow_calls){.timeline = timeline_new()};
    if (follow->timeline == NULL)
        return MCUPROF_E_NOMEM;
    follow->timeline_handler = timeline_handler(follow->timeline);
    follow->handler = (struct decode_handler){.context = follow,
                                              .restart = on_restart,
                                              .hello = on_hello,
                                              .time = on_time,
                                              .ring = on_ring,
                                              .trace = on_trace};
    capture_follow(capture, &follow->handler);
    return 0;
}

int follow_calls_end(struct follow_calls *follow, bool raw)
{
    struct timeline_result sums;
    int result = timeline_end(follow->timeline);

    if (result < 0 || !timeline_has_records(follow->timeline))
        return result;
    follow->times = call_times_new(raw);
    if (follow->times == NULL)
        return MCUPROF_E_NOMEM;
    result = timeline_replay(follow->timeline, call_times_event, follow->times,
                             &sums);
    timeline_result_deinit(&sums);
    return result;
}

void follow_calls_deinit(struct follow_calls *follow)
{
    call_times_free(follow->times);
    timeline_free(follow->timeline);
}
