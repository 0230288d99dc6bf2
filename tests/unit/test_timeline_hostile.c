/* SPDX-License-Identifier: MIT */
/*
 * Records as no firmware makes them. Whatever comes, a replay is balanced, in
 * order of time, and counts each moment once.
 */
#include "timeline_rig.h"

#define CONTEXTS 8u
#define DEPTH 4096u

/* The calls that are open, by what the replay has sent. */
struct watcher {
    uint32_t open[CONTEXTS][DEPTH];
    size_t depth[CONTEXTS];
    struct timeline_span last;
    uint64_t entered;
    uint64_t left;
};

static const uint16_t contexts[CONTEXTS] = {0, 3, 15, 16, 47, 511, 512, 65535};

static size_t number_of(uint16_t context)
{
    for (size_t i = 0; i < CONTEXTS; i++)
        if (contexts[i] == context)
            return i;
    fail_msg("context %u was never recorded", context);
    return 0;
}

static int watch(void *context, const struct timeline_event *event)
{
    struct watcher *watcher = context;
    size_t lane;

    if (event->kind == TIMELINE_BEGIN)
        watcher->last = event->at;
    if (event->kind != TIMELINE_ENTER && event->kind != TIMELINE_LEAVE)
        return 0;
    assert_true(event->at.ticks >= watcher->last.ticks);
    watcher->last = event->at;
    lane = number_of(event->context);
    if (event->kind == TIMELINE_ENTER) {
        assert_true(watcher->depth[lane] < DEPTH);
        assert_int_equal(event->depth, watcher->depth[lane]);
        watcher->open[lane][watcher->depth[lane]++] = event->function;
        watcher->entered++;
        return 0;
    }
    assert_true(watcher->depth[lane] > 0);
    watcher->depth[lane]--;
    assert_int_equal(event->depth, watcher->depth[lane]);
    assert_int_equal(event->function, watcher->open[lane][event->depth]);
    assert_true(event->self.ticks <= event->span.ticks);
    /* So it is without what the hooks took. */
    assert_true(event->self.ticks + event->span_cost.ticks
                <= event->span.ticks + event->self_cost.ticks);
    assert_true(event->span_cost.ticks <= event->span.ticks);
    watcher->left++;
    return 0;
}

/* source: Marsaglia, Journal of Statistical Software 8(14), xorshift */
static uint32_t roll(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void put_record(struct rig *rig, uint32_t *dice, uint32_t *now)
{
    uint32_t kind = roll(dice) % 100;
    char function = (char)('a' + roll(dice) % 5);

    *now += roll(dice) % (kind < 2 ? UINT32_MAX : 50);
    if (kind < 40)
        enter(rig, *now, function);
    else if (kind < 80)
        leave(rig, *now, function);
    else if (kind < 90)
        runs(rig, *now, contexts[roll(dice) % CONTEXTS]);
    else if (kind < 92)
        special(rig, *now, 0xF6, contexts[roll(dice) % CONTEXTS]);
    else if (kind < 94)
        put(rig, roll(dice), (roll(dice) & 0xFFFFFF) | 0xF1000000);
    else if (kind < 96)
        put(rig, roll(dice), (roll(dice) & 0x0FFFFFFF) | 0xE0000000);
    else if (kind < 97)
        put(rig, roll(dice), 0);
    else
        special(rig, *now, 0xF2 + roll(dice) % 6, roll(dice) & 0xFFFFFF);
    /* Of the clock's rates, among others. */
    while (kind >= 97 && roll(dice) % 2 == 0)
        value(rig, roll(dice) % 3);
}

static void feed(struct rig *rig, uint32_t *dice)
{
    uint32_t now = roll(dice);

    for (int part = 0; part < 40; part++) {
        for (uint32_t left = roll(dice) % 60; left > 0; left--)
            put_record(rig, dice, &now);
        switch (roll(dice) % 12) {
        case 0:
            rig_drop(rig);
            break;
        case 1:
            rig_time(rig, (uint64_t)roll(dice) << roll(dice) % 33, now);
            break;
        case 2:
            rig_time(rig, now, now);
            break;
        case 3:
            rig_send(rig);
            rig->first = roll(dice);
            break;
        case 4:
            rig_send(rig);
            assert_int_equal(timeline_restart(rig->timeline), 0);
            rig->first = 0;
            rig->context = WIRE_CONTEXT_UNKNOWN;
            break;
        case 7:
            rig_send(rig);
            rig->context = contexts[roll(dice) % CONTEXTS];
            break;
        case 5:
            rig_send(rig);
            rig->hello.clock_bits = (uint8_t)(24 + 8 * (roll(dice) % 2));
            rig->hello.clock_hz = roll(dice) % 3;
            rig->hello.hook_cost = (uint16_t)(roll(dice) % 30);
            rig->hello.hook_inner = (uint16_t)(roll(dice) % 40);
            rig_hello(rig);
            break;
        case 6:
            rig_send(rig);
            assert_int_equal(timeline_restart(rig->timeline), 0);
            break;
        case 8: {
            const struct wire_ring ring = {.state = (uint8_t)(roll(dice) % 7),
                                           .kept = roll(dice) % 4 > 0,
                                           .records = roll(dice) % 100};

            rig_send(rig);
            assert_int_equal(timeline_ring(rig->timeline, &ring), 0);
            break;
        }
        default:
            rig_send(rig);
        }
    }
}

static void test_anything(void **unused)
{
    static struct watcher watcher;

    (void)unused;
    for (uint32_t seed = 1; seed <= 400; seed++) {
        uint8_t mode = seed % 2 == 0 ? STREAM : FLIGHT;
        struct rig *rig = rig_new(seed % 3 == 0 ? 24 : 32, mode);
        uint32_t dice = seed * 2654435761u;

        memset(&watcher, 0, sizeof watcher);
        feed(rig, &dice);
        assert_int_equal(timeline_end(rig->timeline), 0);
        assert_int_equal(
                timeline_replay(rig->timeline, watch, &watcher, &rig->result),
                0);
        assert_int_equal(watcher.entered, watcher.left);
        assert_int_equal(watcher.entered, rig->result.counts.calls);
        for (size_t i = 0; i < CONTEXTS; i++)
            assert_int_equal(watcher.depth[i], 0);
        rig_free(rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_anything),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
