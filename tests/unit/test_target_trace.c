/* SPDX-License-Identifier: MIT */
/*
 * The call ring in RAM: what lies in it after storms of interrupts and task
 * switches, in the modes that keep it there.
 *
 * variant: 16 MCUPROF_TRACE=1 MCUPROF_TRACE_RING=16
 * variant: 37 MCUPROF_TRACE=1 MCUPROF_TRACE_RING=37
 * variant: 4096 MCUPROF_TRACE=1 MCUPROF_TRACE_RING=4096
 */
#include "trace_machine.h"

#define RECORDS MCUPROF_TRACE_RING

static size_t nowhere(const uint8_t *data, size_t size)
{
    (void)data;
    return size;
}

static void start(const struct mcuprof_trace_config *config)
{
    struct mcuprof_config base = {0};
    /* What comes while it is off is not recorded. */
    mcuprof_port_host.between = NULL;
    (void)mcuprof_trace_stop();
    base.write = nowhere;
    base.core_hz = MACHINE_HZ;
    assert_int_equal(mcuprof_init(&base), 0);
    assert_int_equal(mcuprof_trace_start(config), 0);
    mcuprof_port_host.between = machine_between;
}

/* The ring's records, the oldest first. */
static struct mcuprofi_slot found[RECORDS];
static size_t found_count;
static uint32_t made;

static void read_ring(void)
{
    const struct mcuprofi_block *b = &mcuprof_trace.block;
    size_t head = (b->head - MCUPROFI_RING_BEGIN) / sizeof(found[0]);
    assert_true(head <= RECORDS);
    made = (uint32_t)(b->laps * RECORDS + head);
    found_count = b->laps != 0 ? RECORDS : head;
    for (size_t i = 0; i < found_count; i++) {
        size_t from = b->laps != 0 ? (head + i) % RECORDS : i;
        found[i].time = mcuprof_trace.slots[from].time;
        found[i].word = mcuprof_trace.slots[from].word;
    }
}

static uint32_t next_of[MACHINE_ACTORS]; /* event of each that comes next */
static int has_come[MACHINE_ACTORS];
static uint32_t events;

static uint32_t missing; /* events between those that came */

static uint32_t rate; /* of the clock, as it was said last */
static uint32_t changes;
static uint32_t changes_found;

static void change_rate(void)
{
    if (machine_random(8) == 0) {
        changes++;
        mcuprof_clock_changed(++rate);
    }
}

/* Its two values behind it, the second the first of the one before it. */
static void check_change(size_t at, uint32_t *last)
{
    assert_true(at + 2 < found_count);
    assert_int_equal(found[at].word, 0xF5000000u);
    assert_int_equal(found[at + 1].word, 0xF1000000u);
    assert_int_equal(found[at + 2].word, 0xF1000000u);
    assert_in_range(found[at + 1].time, MACHINE_HZ + 1u, rate);
    if (*last != 0) {
        assert_int_equal(found[at + 2].time, *last);
    }
    *last = found[at + 1].time;
    changes_found++;
}

/* One event: of the right context, and behind the last of its actor. */
static void check_event(uint32_t word, unsigned context)
{
    unsigned actor = (word >> 28) - 1u;
    assert_true(actor < MACHINE_ACTORS);
    uint32_t n = (word & 0xFFFFFFCu) >> 2;
    n = 2u * n + ((word & 1u) == 0);
    assert_int_equal(context, machine_context(actor));
    if (has_come[actor]) {
        assert_true(n >= next_of[actor]);
        missing += n - next_of[actor];
    }
    has_come[actor] = 1;
    next_of[actor] = n + 1u;
    events++;
}

/*
 * All of it in order, from the first context record on, and what is missing was
 * counted.
 */
static void check_ring(void)
{
    unsigned context = 0xFFFFFFFFu;
    uint32_t last_rate = 0;
    uint32_t last = 0;
    size_t first = 0;
    memset(has_come, 0, sizeof(has_come));
    events = 0;
    missing = 0;
    changes_found = 0;
    /* Of the oldest one the values may be all that is left. */
    while (mcuprof_trace.block.laps != 0 && first < 2
           && found[first].word >> 24 == MCUPROF_TRACE_VALUE) {
        first++;
    }
    for (size_t i = first; i < found_count; i++) {
        uint32_t word = found[i].word;
        assert_int_not_equal(word, 0);
        if (i > first) {
            assert_true(found[i].time - last < 0x80000000u);
        }
        last = found[i].time;
        if (word >> 24 == MCUPROF_TRACE_CONTEXT) {
            if ((word & 0x10000u) != 0 && context != 0xFFFFFFFFu) {
                assert_int_equal(context, word & 0xFFFFu);
            }
            context = word & 0xFEFFFFu;
        } else if (word >> 24 == MCUPROF_TRACE_CLOCK) {
            check_change(i, &last_rate);
            i += 2;
        } else if (context != 0xFFFFFFFFu) {
            check_event(word, context);
        }
    }
    for (unsigned actor = 0; actor < MACHINE_ACTORS; actor++) {
        if (has_come[actor]) {
            missing += machine.issued[actor] - next_of[actor];
        }
    }
    assert_true(missing <= mcuprof_trace.block.lost);
}

static uint32_t issued(void)
{
    uint32_t all = 0;
    for (unsigned actor = 0; actor < MACHINE_ACTORS; actor++) {
        all += machine.issued[actor];
    }
    return all;
}

/*
 * Calm, stormy, with switches, with switches that nobody tells, and so stormy
 * that events give up. Who sleeps between taking a slot and writing it writes
 * into a later lap, if that is so short: small rings have less of it.
 */
static const struct machine_chances weather[] = {
        {0, 0, 0}, {40, 0, 0}, {100, 30, 1}, {100, 30, 0}, {250, 5, 1},
};

#define WEATHERS                                                               \
    (RECORDS < 32     ? 1u                                                     \
     : RECORDS < 1024 ? 2u                                                     \
                      : (unsigned)(sizeof(weather) / sizeof(weather[0])))

static void test_flight(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < WEATHERS; i++) {
        for (uint32_t seed = 1; seed < 20; seed++) {
            machine_reset(&weather[i], seed);
            start(NULL);
            rate = MACHINE_HZ;
            changes = 0;
            machine.main_step = change_rate;
            for (unsigned round = 0; round < 10; round++) {
                machine_run(1 + machine_random(400));
                read_ring();
                check_ring();
                if (mcuprof_trace.block.laps == 0) {
                    assert_int_equal(events + 3u * changes_found
                                             + mcuprof_trace.block.lost,
                                     issued() + 3u * changes);
                }
                assert_true(i > 1 || mcuprof_trace.block.lost == 0);
                assert_true(made + mcuprof_trace.block.lost
                            >= issued() + 3u * changes);
            }
        }
    }
}

/*
 * A trigger from an interrupt, which may come between any two steps of a hook:
 * nothing is recorded behind the place where it has to end.
 */
static int is_triggered;
static uint32_t trigger_time;
static uint32_t trigger_keep;

static void trigger_or_not(void)
{
    if (is_triggered || machine_random(400) != 0) {
        return;
    }
    is_triggered = 1;
    /* Few are the ones that a hook under way could run past. */
    trigger_keep = machine_random(machine_random(2) == 0 ? 3u : RECORDS);
    trigger_time = ++mcuprof_port_host.counter;
    mcuprof_trace_trigger(trigger_keep);
}

/* Records in the ring since then. */
static uint32_t since_trigger(void)
{
    uint32_t count = 0;
    read_ring();
    for (size_t i = 0; i < found_count; i++) {
        count += found[i].time - trigger_time < 0x80000000u;
    }
    return count;
}

static void between_with_trigger(void)
{
    if (mcuprof_port_host.exception == 18u) {
        mcuprof_port_host.between = machine_between;
        trigger_or_not();
        mcuprof_port_host.between = between_with_trigger;
    }
    machine_between();
}

static void test_trigger(void **unused)
{
    (void)unused;
    unsigned triggered = 0;
    for (unsigned i = 1; i < WEATHERS; i++) {
        for (uint32_t seed = 1; seed < 60; seed++) {
            machine_reset(&weather[i], seed);
            start(NULL);
            is_triggered = 0;
            mcuprof_port_host.between = between_with_trigger;
            machine_run(3000);
            mcuprof_port_host.between = NULL;
            if (!is_triggered || mcuprof_control.gate != NULL) {
                continue;
            }
            triggered++;
            assert_int_equal(mcuprof_trace.block.state,
                             MCUPROF_TRACE_STATE_FULL);
            assert_int_equal(mcuprof_trace.block.head, mcuprof_trace.stop);
            assert_int_equal(since_trigger(), trigger_keep);
        }
    }
    assert_true(RECORDS < 32 || triggered > 20);
}

/* As many as there is room for; then it is over. */
static void test_one_shot(void **unused)
{
    (void)unused;
    static const struct mcuprof_trace_config config = {
            .mode = MCUPROF_TRACE_MODE_ONE_SHOT};
    for (uint32_t seed = 1; seed < 20; seed++) {
        machine_reset(&weather[2], seed);
        start(&config);
        machine_run(RECORDS * 4u);
        read_ring();
        assert_int_equal(made, RECORDS);
        assert_int_equal(mcuprof_trace.block.state, MCUPROF_TRACE_STATE_FULL);
        assert_null(mcuprof_control.gate);
        assert_int_equal(found[0].word >> 24, MCUPROF_TRACE_CONTEXT);
        assert_int_equal(mcuprof_trace_resume(), MCUPROF_ESTATE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_flight),
            cmocka_unit_test(test_trigger),
            cmocka_unit_test(test_one_shot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
