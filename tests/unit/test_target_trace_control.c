/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * The call ring's starts and ends: what is recorded, from where on, up to what,
 * and what is left of it after a fault or a reset.
 *
 * variant: stream MCUPROF_TRACE=1 MCUPROF_TRACE_RING=64 MCUPROF_TRACE_KEEP=1
 * variant: alone MCUPROF_TRACE=1 MCUPROF_TRACE_RING=64 MCUPROF_TRACE_KEEP=1 MCUPROF_STREAM=0 MCUPROF_HOTSPOTS=0
 */
/* clang-format on */

#include "trace_rig.h"

static void test_nothing_before_the_start(void **unused)
{
    (void)unused;
    boot(1);
    call(0x1000);
    assert_int_equal(made(), 0);
    assert_int_equal(mcuprof_trace_stop(), MCUPROF_ESTATE);
    assert_int_equal(mcuprof_trace_resume(), MCUPROF_ESTATE);
    assert_int_equal(mcuprof_trace_start(NULL), 0);
    assert_int_equal(mcuprof_trace_start(NULL), MCUPROF_ESTATE);
    call(0x1000);
    assert_int_equal(mcuprof_trace_stop(), 0);
    call(0x2000);
    assert_int_equal(mcuprof_trace_resume(), 0);
    call(0x3000);
    assert_int_equal(entered(0x1000), 1);
    assert_int_equal(entered(0x2000), 0);
    assert_int_equal(entered(0x3000), 1);
}

/* What a debugger does: `set var mcuprof_control.gate = &mcuprof_control`. */
static void test_gate_by_hand(void **unused)
{
    (void)unused;
    boot(1);
    assert_int_equal(mcuprof_trace.block.state, MCUPROF_TRACE_STATE_OFF);
    mcuprof_control.gate = &mcuprof_control;
    call(0x1000);
    assert_int_equal(mcuprof_trace.block.state, MCUPROF_TRACE_STATE_RUNNING);
    assert_int_equal(mcuprof_trace.block.context, 0);
    mcuprof_control.gate = NULL;
    call(0x2000);
    assert_int_equal(made(), 3);
    assert_int_equal(entered(0x1000), 1);
    assert_int_equal(entered(0x2000), 0);
    /* The same after a stop; and it can be triggered. */
    mcuprof_control.gate = &mcuprof_control;
    assert_int_equal(mcuprof_trace_stop(), 0);
    assert_int_equal(mcuprof_trace.block.state, MCUPROF_TRACE_STATE_OFF);
    mcuprof_control.gate = &mcuprof_control;
    mcuprof_mark(1, 2);
    assert_int_equal(mcuprof_trace.block.state, MCUPROF_TRACE_STATE_RUNNING);
    mcuprof_trace_trigger(2);
    assert_int_equal(mcuprof_trace.block.state, MCUPROF_TRACE_STATE_TRIGGERED);
}

/* A stop within a hook that had found the gate open: it stays off. */
static unsigned stops_left;

static void stop_meanwhile(void)
{
    if (stops_left > 0 && --stops_left == 0) {
        mcuprof_port_host.is_exclusive = 0;
        assert_int_equal(mcuprof_trace_stop(), 0);
    }
}

static void test_stop_meanwhile(void **unused)
{
    (void)unused;
    for (unsigned moment = 1; moment < 8; moment++) {
        start(NULL);
        stops_left = moment;
        mcuprof_port_host.between = stop_meanwhile;
        call(0x1000);
        mcuprof_port_host.between = NULL;
        assert_int_equal(stops_left, 0);
        assert_int_equal(mcuprof_trace.block.state, MCUPROF_TRACE_STATE_OFF);
    }
}

static void test_no_clock(void **unused)
{
    (void)unused;
    struct mcuprof_config config = {0};
    boot(1);
    mcuprof_port_host.source = MCUPROF_CLOCK_NONE;
    config.write = line_write;
    config.core_hz = HZ;
    assert_int_equal(mcuprof_init(&config), 0);
    assert_int_equal(mcuprof_trace_start(NULL), MCUPROF_ETIMER);
    mcuprof_control.gate = &mcuprof_control;
    call(0x1000);
    assert_int_equal(made(), 0);
    assert_null(mcuprof_control.gate);
}

static void test_modes(void **unused)
{
    (void)unused;
    struct mcuprof_trace_config config = {.mode = 3};
    boot(1);
    assert_int_equal(mcuprof_trace_start(&config), MCUPROF_EINVAL);
    config.mode = MCUPROF_TRACE_MODE_STREAM;
    assert_int_equal(mcuprof_trace_start(&config),
                     MCUPROF_STREAM ? 0 : MCUPROF_EINVAL);
}

/* So many records behind it, wherever it comes. */
static void test_trigger(void **unused)
{
    (void)unused;
    for (uint32_t before = 0; before < 3u * RECORDS; before += 2) {
        for (uint32_t keep = 0; keep < RECORDS; keep += 9) {
            start(NULL);
            for (uint32_t i = 0; i < before / 2u; i++) {
                call(0x1000);
            }
            uint32_t at = made();
            mcuprof_trace_trigger(keep);
            assert_int_equal(mcuprof_trace.block.state,
                             MCUPROF_TRACE_STATE_TRIGGERED);
            for (uint32_t i = 0; i < RECORDS; i++) {
                call(0x2000);
            }
            assert_int_equal(made(), at + keep);
            assert_int_equal(mcuprof_trace.block.state,
                             MCUPROF_TRACE_STATE_FULL);
            assert_null(mcuprof_control.gate);
            assert_int_equal(mcuprof_trace.block.lost, 0);
        }
    }
    assert_int_equal(mcuprof_trace_resume(), 0);
    for (uint32_t i = 0; i < 2u * RECORDS; i++) {
        call(0x3000);
    }
    assert_int_equal(entered(0x2000), 0);
    assert_int_equal(mcuprof_trace.block.context, 0);
}

static void test_trigger_at(void **unused)
{
    (void)unused;
    const struct mcuprof_trace_config config = {
            .trigger_at = (void (*)(void))0x2000, .keep = 5};
    start(&config);
    for (uint32_t i = 0; i < RECORDS; i++) {
        call(0x1000);
    }
    call(0x2000);
    for (uint32_t i = 0; i < RECORDS; i++) {
        call(0x3000);
    }
    assert_int_equal(mcuprof_trace.block.state, MCUPROF_TRACE_STATE_FULL);
    assert_int_equal(word_ago(6), 0x2001);
    assert_int_equal(word_ago(5), 0x2000);
    assert_int_equal(word_ago(4), 0x3001);
}

/* A pair that has room for one only is not begun. */
static void test_trigger_before_a_pair(void **unused)
{
    (void)unused;
    for (uint32_t keep = 0; keep < 9; keep++) {
        start(NULL);
        call(0x1000);
        uint32_t at = made();
        mcuprof_trace_trigger(keep);
        for (uint32_t i = 0; i < RECORDS; i++) {
            mcuprof_mark(i, i);
        }
        /* The context's record, and what of pairs goes into the rest. */
        assert_int_equal(made(), at + keep - (keep > 0 && keep % 2u == 0));
    }
}

/* Nor is what has two values. */
static void test_trigger_before_three(void **unused)
{
    (void)unused;
    for (uint32_t keep = 0; keep < 12; keep++) {
        start(NULL);
        call(0x1000);
        uint32_t at = made();
        mcuprof_trace_trigger(keep);
        for (uint32_t i = 0; i < RECORDS; i++) {
            mcuprof_clock_changed(2000000u + i);
        }
        uint32_t wholes = keep > 0 ? (keep - 1u) / 3u : 0;
        assert_int_equal(made(), at + (keep > 0) + 3u * wholes);
        assert_int_equal(mcuprof_trace.block.state, MCUPROF_TRACE_STATE_FULL);
        assert_int_equal(hello_hz(), wholes > 0 ? 1999999u + wholes : HZ);
    }
}

/* One-shot: the trigger cannot go beyond its end. */
static void test_trigger_in_one_shot(void **unused)
{
    (void)unused;
    const struct mcuprof_trace_config config = {
            .mode = MCUPROF_TRACE_MODE_ONE_SHOT};
    start(&config);
    for (uint32_t i = 0; i < RECORDS / 2u - 5u; i++) {
        call(0x1000);
    }
    mcuprof_trace_trigger(RECORDS / 2u);
    for (uint32_t i = 0; i < RECORDS; i++) {
        call(0x2000);
    }
    assert_int_equal(made(), RECORDS);
}

/* Marks and their like keep together with their value, over the end, too. */
static void test_points(void **unused)
{
    (void)unused;
    start(NULL);
    for (uint32_t i = 0; i < 3u * RECORDS; i++) {
        mcuprof_mark(0x1000000u | i, 77u * i);
        assert_int_equal(word_ago(2), 0xF2000000u | i);
        assert_int_equal(word_ago(1), 0xF1000000u);
        assert_int_equal(mcuprof_trace.slots[(made() - 1u) % RECORDS].time,
                         77u * i);
        if (i % 5u == 0) {
            enter(0x1000);
        }
    }
    mcuprof_context_delete(600);
    assert_int_equal(word_ago(1), 0xF6000000u | 600u);
}

/* A lap's first record says whether its context had run before it, too. */
static void test_laps(void **unused)
{
    (void)unused;
    start(NULL);
    while (made() < RECORDS) {
        enter(0x1000);
    }
    enter(0x1000);
    assert_int_equal(word_ago(2), 0xF0010000u);
    while (made() < 2u * RECORDS) {
        enter(0x1000);
    }
    mcuprof_port_host.exception = 20;
    enter(0x2000);
    mcuprof_port_host.exception = 0;
    assert_int_equal(word_ago(2), 0xF0000000u | 20u);
    while (made() < 3u * RECORDS) {
        enter(0x1000);
    }
    /* A task's switch, which is a record of its own. */
    mcuprof_context_set(600);
    assert_int_equal(made(), 3u * RECORDS + 1u);
    assert_int_equal(word_ago(1), 0xF0000000u | 600u);
    mcuprof_context_set(0);
}

/* Both rates, the new one first, together wherever the ring's end is. */
static void test_clock_changes(void **unused)
{
    (void)unused;
    start(NULL);
    assert_int_equal(hello_hz(), HZ);
    uint32_t before = HZ;
    for (uint32_t i = 0; i < 3u * RECORDS; i++) {
        uint32_t hz = 2000000u + i;
        mcuprof_clock_changed(hz);
        assert_int_equal(word_ago(3), 0xF5000000u);
        assert_int_equal(value_ago(2), hz);
        assert_int_equal(value_ago(1), before);
        assert_in_range((made() - 3u) % RECORDS, 1, RECORDS - 3u);
        assert_int_equal(hello_hz(), hz);
        before = hz;
        for (uint32_t j = 0; j < i % 4u; j++) {
            enter(0x1000);
        }
    }
    uint32_t count = made();
    mcuprof_clock_changed(before);
    assert_int_equal(made(), count);
}

/* HELLO says what held when it was recorded, not what came when it was off. */
static void test_clock_changes_while_off(void **unused)
{
    (void)unused;
    boot(1);
    /* Nothing is recorded yet. */
    mcuprof_clock_changed(3000000u);
    assert_int_equal(hello_hz(), 3000000u);
    assert_int_equal(mcuprof_trace_start(NULL), 0);
    assert_int_equal(hello_hz(), 3000000u);
    call(0x1000);
    assert_int_equal(mcuprof_trace_stop(), 0);
    uint32_t count = made();
    mcuprof_clock_changed(4000000u);
    mcuprof_clock_changed(5000000u);
    /* Nor when the identity has become known, which makes it anew. */
    while (mcuprof_poll() > 0) {
    }
    (void)mcuprof_poll();
    assert_true(mcuprof_trace.block.hello[1] & MCUPROF_HELLO_IDENTITY);
    assert_int_equal(hello_hz(), 3000000u);
    assert_int_equal(made(), count);
    assert_int_equal(mcuprof_trace_resume(), 0);
    assert_int_equal(word_ago(4), 0xF7000000u);
    assert_int_equal(word_ago(3), 0xF5000000u);
    assert_int_equal(value_ago(2), 5000000u);
    assert_int_equal(value_ago(1), 3000000u);
    assert_int_equal(hello_hz(), 5000000u);
    call(0x2000);
    assert_int_equal(entered(0x2000), 1);
    assert_int_equal(mcuprof_trace_stop(), 0);
    assert_int_equal(mcuprof_trace_start(NULL), 0);
    assert_int_equal(hello_hz(), 5000000u);
    assert_int_equal(mcuprof_trace_stop(), 0);
    assert_int_equal(mcuprof_trace_resume(), 0);
    assert_int_equal(word_ago(1), 0xF7000000u);
}

/* Where the ring was full before it, nothing was recorded at the new rate. */
static void test_clock_changes_at_the_end(void **unused)
{
    (void)unused;
    const struct mcuprof_trace_config config = {
            .mode = MCUPROF_TRACE_MODE_ONE_SHOT};
    for (uint32_t left = 0; left < 6; left++) {
        start(&config);
        for (uint32_t i = 0; i < RECORDS - 1u - left; i++) {
            enter(0x1000);
        }
        mcuprof_clock_changed(3000000u);
        assert_int_equal(hello_hz(), left < 3 ? HZ : 3000000u);
        assert_int_equal(mcuprof_trace.block.state,
                         left < 3 ? MCUPROF_TRACE_STATE_FULL
                                  : MCUPROF_TRACE_STATE_RUNNING);
        start(&config);
        for (uint32_t i = 0; i < RECORDS - 1u - left; i++) {
            enter(0x1000);
        }
        assert_int_equal(mcuprof_trace_stop(), 0);
        mcuprof_clock_changed(3000000u);
        assert_int_equal(mcuprof_trace_resume(), 0);
        /* A context's record, that of the pause, the change's. */
        assert_int_equal(hello_hz(), left < 5 ? HZ : 3000000u);
        enter(0x2000);
        assert_int_equal(entered(0x2000), 0);
        assert_int_equal(mcuprof_trace.block.state, MCUPROF_TRACE_STATE_FULL);
    }
}

/* One that waits for its function still does. */
static void test_resume_waits(void **unused)
{
    (void)unused;
    const struct mcuprof_trace_config config = {.start_at =
                                                        (void (*)(void))0x2000};
    start(&config);
    assert_int_equal(mcuprof_trace_stop(), 0);
    mcuprof_clock_changed(3000000u);
    assert_int_equal(mcuprof_trace_resume(), 0);
    assert_int_equal(mcuprof_trace.block.state, MCUPROF_TRACE_STATE_ARMED);
    assert_int_equal(made(), 0);
    mcuprof_clock_changed(4000000u);
    assert_int_equal(made(), 0);
    assert_int_equal(hello_hz(), 4000000u);
    call(0x2000);
    assert_int_equal(made(), 3);
    assert_int_equal(mcuprof_trace.block.state, MCUPROF_TRACE_STATE_RUNNING);
}

#if MCUPROF_STREAM

/* Rates of the HELLOs in the stream since it was looked at last. */
static uint32_t heard_hz[8];
static unsigned heard;

static int on_heard_hello(void *unused, const struct wire_hello *hello)
{
    (void)unused;
    assert_true(heard < 8);
    heard_hz[heard++] = hello->clock_hz;
    return 0;
}

/* Of changes of the rate, both: the new one, and the one before it. */
static uint32_t changed_to[8][2];
static unsigned changes;

static int on_heard_trace(void *unused, const struct wire_trace_part *part)
{
    (void)unused;
    for (size_t i = 0; i < part->count; i++) {
        if (part->records[i].word == 0xF5000000u) {
            assert_true(changes < 8 && i + 2 < part->count);
            changed_to[changes][0] = part->records[i + 1].time;
            changed_to[changes++][1] = part->records[i + 2].time;
        }
    }
    return 0;
}

static void listen(void)
{
    static const struct decode_handler handler = {.hello = on_heard_hello,
                                                  .trace = on_heard_trace};
    struct decoder decoder;
    struct deframer deframer;
    while (mcuprof_poll() > 0) {
    }
    heard = 0;
    changes = 0;
    assert_int_equal(decoder_init(&decoder, &handler), 0);
    deframer_init(&deframer, decoder_frame, &decoder);
    assert_int_equal(deframer_feed(&deframer, line, line_size), 0);
    assert_int_equal(deframer_end(&deframer), 0);
    decoder_deinit(&decoder);
    line_size = 0;
}

/*
 * The first HELLO of a stream is that of its first records; those after it say
 * the rate of now, also if the ring has had no room to tell.
 */
static void test_clock_changes_in_a_stream(void **unused)
{
    (void)unused;
    const struct mcuprof_trace_config config = {
            .mode = MCUPROF_TRACE_MODE_STREAM};
    start(&config);
    mcuprof_clock_changed(3000000u);
    listen();
    assert_int_equal(heard_hz[0], HZ);
    assert_int_equal(heard_hz[heard - 1u], heard > 1 ? 3000000u : HZ);
    mcuprof_port_host.counter += 3000000u;
    listen();
    assert_int_equal(heard, 1);
    assert_int_equal(heard_hz[0], 3000000u);
    for (uint32_t i = 0; i < 2u * RECORDS; i++) {
        enter(0x1000);
    }
    mcuprof_clock_changed(4000000u);
    assert_true(mcuprof_trace.block.lost > 0);
    mcuprof_port_host.counter += 4000000u;
    listen();
    assert_int_equal(heard_hz[heard - 1u], 4000000u);
    /* The record comes as soon as there is room for it. */
    assert_int_equal(changes, 0);
    assert_int_equal(word_ago(3), 0xF5000000u);
    enter(0x1000);
    mcuprof_port_host.counter += 4000000u;
    listen();
    assert_int_equal(changes, 1);
    assert_int_equal(changed_to[0][0], 4000000u);
    assert_int_equal(changed_to[0][1], 3000000u);
    mcuprof_clock_changed(5000000u);
    assert_int_equal(value_ago(1), 4000000u);
}

/* Waiting for its function it records no change: the next HELLO has it. */
static void test_clock_changes_before_a_stream(void **unused)
{
    (void)unused;
    const struct mcuprof_trace_config config = {
            .mode = MCUPROF_TRACE_MODE_STREAM,
            .start_at = (void (*)(void))0x2000};
    start(&config);
    mcuprof_clock_changed(3000000u);
    listen();
    assert_true(heard > 0);
    assert_int_equal(heard_hz[0], 3000000u);
    mcuprof_clock_changed(4000000u);
    call(0x2000);
    mcuprof_port_host.counter += 1;
    listen();
    assert_int_equal(heard, 1);
    assert_int_equal(heard_hz[0], 4000000u);
    mcuprof_port_host.counter += 4000000u;
    listen();
    assert_int_equal(changes, 0);
}

/*
 * Another one at each moment of telling the first: what is recorded last, and
 * said, is the rate that holds.
 */
static unsigned moments_left;

static void change_at_moment(void)
{
    if (moments_left > 0 && --moments_left == 0) {
        mcuprof_port_host.exception = 20;
        mcuprof_port_host.is_exclusive = 0;
        mcuprof_clock_changed(4000000u);
        mcuprof_port_host.exception = 0;
    }
}

static void test_clock_changes_meanwhile(void **unused)
{
    (void)unused;
    for (unsigned moment = 1; moment < 20; moment++) {
        start(NULL);
        call(0x1000);
        moments_left = moment;
        mcuprof_port_host.between = change_at_moment;
        mcuprof_clock_changed(3000000u);
        mcuprof_port_host.between = NULL;
        if (moments_left == 0) {
            assert_int_equal(hello_hz(), 4000000u);
            assert_int_equal(value_ago(2), 4000000u);
        }
    }
}

/* What was said of the clock holds until the next init, whatever starts. */
static void test_clock_of_a_sampler(void **unused)
{
    (void)unused;
    static const uint8_t sources[] = {MCUPROF_CLOCK_DWT, MCUPROF_CLOCK_SYSTICK};
    for (size_t i = 0; i < sizeof(sources); i++) {
        struct mcuprof_config config = {.write = line_write, .core_hz = HZ};
        boot(1);
        mcuprof_port_host.source = sources[i];
        assert_int_equal(mcuprof_init(&config), 0);
        mcuprof_clock_changed(3000000u);
        assert_int_equal(mcuprof_start(), 0);
        listen();
        assert_true(heard > 0);
        assert_int_equal(heard_hz[0], 3000000u);
        assert_int_equal(mcuprof_stop(), 0);
        listen();
        assert_int_equal(heard_hz[heard - 1u], 3000000u);
        assert_int_equal(mcuprof_init(&config), 0);
        assert_int_equal(mcuprof_start(), 0);
        listen();
        assert_int_equal(heard_hz[0], HZ);
        assert_int_equal(mcuprof_stop(), 0);
        listen();
    }
}

#endif

/* A task's record comes at the switch, whatever interrupt tells it. */
static void test_switch(void **unused)
{
    (void)unused;
    start(NULL);
    mcuprof_port_host.exception = 14;
    mcuprof_context_set(600);
    assert_int_equal(word_ago(1), 0xF0000000u | 600u);
    call(0x1000);
    assert_int_equal(word_ago(3), 0xF0000000u | 14u);
    mcuprof_port_host.exception = 0;
    call(0x2000);
    assert_int_equal(word_ago(3), 0xF0000000u | 600u);
    call(0x2000);
    assert_int_equal(word_ago(3), 0x2000u);
}

static void test_freeze(void **unused)
{
    (void)unused;
    start(NULL);
    call(0x1000);
    mcuprof_freeze();
    call(0x2000);
    assert_int_equal(entered(0x2000), 0);
    assert_int_equal(mcuprof_trace.block.state, MCUPROF_TRACE_STATE_FROZEN);
    uint32_t here = (uint32_t)(uintptr_t)&test_freeze;
    assert_in_range(mcuprof_trace.block.frozen_pc, here, here + 2000u);
    /* The first one counts. */
    uint32_t frame[8] = {0};
    mcuprofi_fault(frame, 0xFFFFFFF9u);
    assert_int_equal(mcuprof_trace.block.state, MCUPROF_TRACE_STATE_FROZEN);
    /* For good, but for another start. */
    assert_int_equal(mcuprof_trace_resume(), MCUPROF_ESTATE);
    call(0x3000);
    assert_int_equal(entered(0x3000), 0);
    assert_int_equal(mcuprof_trace_start(NULL), 0);
    call(0x3000);
    assert_int_equal(entered(0x3000), 1);
    mcuprofi_fault(frame, 0xFFFFFFF9u);
    assert_int_equal(mcuprof_trace.block.state, MCUPROF_TRACE_STATE_FAULT);
    assert_int_equal(mcuprof_trace_resume(), MCUPROF_ESTATE);
    /* Also in a pause. */
    assert_int_equal(mcuprof_trace_start(NULL), 0);
    assert_int_equal(mcuprof_trace_stop(), 0);
    mcuprof_freeze();
    assert_int_equal(mcuprof_trace.block.state, MCUPROF_TRACE_STATE_FROZEN);
    assert_int_equal(mcuprof_trace_resume(), MCUPROF_ESTATE);
    /* What was never started is not frozen. */
    boot(1);
    mcuprof_freeze();
    assert_int_equal(mcuprof_trace.block.state, MCUPROF_TRACE_STATE_OFF);
}

static void test_sync(void **unused)
{
    (void)unused;
    boot_counter = 0x00800000u;
    start(NULL);
    boot_counter = 0;
    mcuprof_port_host.counter = 0x20000000u;
    (void)mcuprof_poll();
    assert_int_equal(made(), 0);
    mcuprof_port_host.counter = 0x50000000u;
    (void)mcuprof_poll();
    assert_int_equal(word_ago(1), 0xF4000000u);
    mcuprof_port_host.counter = 0xF8000000u; /* near the wrap */
    (void)mcuprof_poll();
    assert_int_equal(made(), 2);
    /* Less than a wrap after init, but it has wrapped. */
    mcuprof_port_host.counter = 0x10u;
    (void)mcuprof_poll();
    assert_int_equal(word_ago(1), 0xF4000001u);
}

/* A reset leaves the ring; until it is released it stays as it is. */
static void test_kept(void **unused)
{
    (void)unused;
    start(NULL);
    assert_false(mcuprof_trace_kept());
    assert_int_equal(mcuprof_trace_send_kept(), MCUPROF_ESTATE);
    for (uint32_t i = 0; i < RECORDS; i++) {
        call(0x1000);
    }
    mcuprof_freeze();
    struct mcuprofi_slot before[RECORDS];
    memcpy(before, mcuprof_trace.slots, sizeof(before));
    uint32_t count = made();
    boot(0);
    assert_true(mcuprof_trace_kept());
    const uint8_t state = MCUPROF_TRACE_STATE_FROZEN | 0x80u;
    assert_int_equal(mcuprof_trace.block.state, state);
    assert_int_equal(mcuprof_trace_start(NULL), MCUPROF_EBUSY);
    assert_int_equal(mcuprof_trace_resume(), MCUPROF_ESTATE);
    /* Nor does a debugger's hand on the gate overwrite it. */
    mcuprof_control.gate = &mcuprof_control;
    call(0x2000);
    mcuprof_mark(1, 2);
    mcuprof_context_set(700);
    mcuprof_clock_changed(3000000u);
    assert_int_equal(hello_hz(), HZ);
    assert_int_equal(mcuprof_trace_stop(), MCUPROF_ESTATE);
    mcuprof_freeze();
    assert_int_equal(made(), count);
    assert_memory_equal(before, mcuprof_trace.slots, sizeof(before));
    assert_int_equal(mcuprof_trace.block.state, state);
    /* Still that of an earlier boot after one more. */
    boot(0);
    assert_int_equal(mcuprof_trace.block.state, state);
    mcuprof_trace_release();
    assert_false(mcuprof_trace_kept());
    assert_int_equal(mcuprof_trace.block.state, MCUPROF_TRACE_STATE_OFF);
    assert_int_equal(mcuprof_trace_start(NULL), 0);
    call(0x2000);
    assert_int_equal(entered(0x2000), 1);
    assert_int_equal(entered(0x1000), 0);
}

/* Nor does a fault of this boot write into a ring that was full. */
static void test_kept_full(void **unused)
{
    (void)unused;
    const struct mcuprof_trace_config config = {
            .mode = MCUPROF_TRACE_MODE_ONE_SHOT};
    start(&config);
    for (uint32_t i = 0; i < RECORDS; i++) {
        call(0x1000);
    }
    boot(0);
    uint32_t frame[8] = {0};
    mcuprof_port_host.fault = 0x82;
    mcuprofi_fault(frame, 0xFFFFFFF9u);
    assert_int_equal(mcuprof_trace.block.state,
                     MCUPROF_TRACE_STATE_FULL | 0x80u);
    assert_int_equal(mcuprof_trace.block.fault, 0);
    mcuprof_trace_release();
}

/* What is not a ring of this firmware is none. */
static void test_not_kept(void **unused)
{
    (void)unused;
    static const size_t offsets[] = {
            offsetof(struct mcuprofi_block, magic),
            offsetof(struct mcuprofi_block, version),
            offsetof(struct mcuprofi_block, ring),
            offsetof(struct mcuprofi_block, records),
            offsetof(struct mcuprofi_block, generation),
            offsetof(struct mcuprofi_block, check),
            offsetof(struct mcuprofi_block, head),
    };
    for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
        start(NULL);
        call(0x1000);
        ((uint8_t *)&mcuprof_trace)[offsets[i]] ^= 4u;
        boot(0);
        assert_false(mcuprof_trace_kept());
        assert_int_equal(mcuprof_trace_start(NULL), 0);
    }
    start(NULL);
    boot(0);
    /* Nothing was recorded. */
    assert_false(mcuprof_trace_kept());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_before_the_start),
        cmocka_unit_test(test_gate_by_hand),
        cmocka_unit_test(test_stop_meanwhile),
        cmocka_unit_test(test_no_clock),
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_trigger),
        cmocka_unit_test(test_trigger_at),
        cmocka_unit_test(test_trigger_before_a_pair),
        cmocka_unit_test(test_trigger_before_three),
        cmocka_unit_test(test_trigger_in_one_shot),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_laps),
        cmocka_unit_test(test_clock_changes),
        cmocka_unit_test(test_clock_changes_while_off),
        cmocka_unit_test(test_clock_changes_at_the_end),
        cmocka_unit_test(test_resume_waits),
#if MCUPROF_STREAM
        cmocka_unit_test(test_clock_changes_in_a_stream),
        cmocka_unit_test(test_clock_changes_before_a_stream),
        cmocka_unit_test(test_clock_changes_meanwhile),
        cmocka_unit_test(test_clock_of_a_sampler),
#endif
        cmocka_unit_test(test_switch),
        cmocka_unit_test(test_freeze),
        cmocka_unit_test(test_sync),
        cmocka_unit_test(test_kept),
        cmocka_unit_test(test_kept_full),
        cmocka_unit_test(test_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
