/* SPDX-License-Identifier: MIT */
#include "frames_rig.h"

#include <string.h>

#include "bytes.h"
#include "facts.h"

static void give_hello(struct target *target, uint8_t flags)
{
    target->hello[MCUPROF_HELLO_FLAGS] = flags;
    assert_int_equal(give(target, MCUPROF_WIRE_HELLO, target->hello,
                          sizeof target->hello),
                     0);
}

static void give_time(struct target *target, uint64_t ticks, uint32_t produced,
                      uint32_t lost, uint32_t missed)
{
    uint8_t payload[MCUPROF_TIME_ENTRIES + MCUPROF_TIME_SAMPLER_SIZE] = {0};
    uint8_t *entry = payload + MCUPROF_TIME_ENTRIES;

    bytes_put64(payload + MCUPROF_TIME_TICKS, ticks);
    entry[MCUPROF_TIME_ENTRY_ENGINE] = MCUPROF_ENGINE_SAMPLER;
    entry[MCUPROF_TIME_ENTRY_SIZE] = MCUPROF_TIME_SAMPLER_SIZE;
    bytes_put32(entry + MCUPROF_TIME_ENTRY_PRODUCED, produced);
    bytes_put32(entry + MCUPROF_TIME_ENTRY_LOST, lost);
    bytes_put32(entry + MCUPROF_TIME_ENTRY_MISSED, missed);
    assert_int_equal(give(target, MCUPROF_WIRE_TIME, payload, sizeof payload),
                     0);
}

/* COUNT samples at address 0 in thread mode: two zero bytes each. */
static void give_samples(struct target *target, uint32_t first, uint32_t lost,
                         uint32_t count)
{
    uint8_t payload[MCUPROF_WIRE_PAYLOAD_MAX] = {0};

    bytes_put32(payload, first);
    bytes_put32(payload + 4, lost);
    assert_int_equal(give(target, MCUPROF_WIRE_SAMPLE, payload, 8 + 2 * count),
                     0);
}

static const struct ledger_totals *totals(const struct target *target)
{
    return capture_totals(target->capture);
}

static int set_up(void **state)
{
    struct target *target;

    (void)frames_set_up(state);
    target = *state;
    target->hello[MCUPROF_HELLO_VERSION] = 1;
    target->hello[MCUPROF_HELLO_CLOCK_SOURCE] = MCUPROF_CLOCK_DWT;
    bytes_put32(target->hello + MCUPROF_HELLO_BOOT_ID, 7);
    bytes_put32(target->hello + MCUPROF_HELLO_CLOCK_HZ, 1000000);
    bytes_put32(target->hello + MCUPROF_HELLO_PERIOD, 1000);
    return 0;
}

/* A HELLO written out by hand from docs/wire.md, with four bytes to come. */
static void test_hello(void **state)
{
    static const uint8_t payload[60] = {
            1,    0x13, 2,    4,    0x98, 3,    0x2C, 0x01, /* 0 */
            0x41, 0xC2, 0x0F, 0x41, 0x78, 0x56, 0x34, 0x12, /* 8 */
            0x40, 0x78, 0x7D, 0x01, 0xA8, 0x61, 0x00, 0x00, /* 16 */
            0x00, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x08, /* 24 */
            0x10, 0x27, 0x00, 0x00, 0xEF, 0xBE, 0xAD, 0xDE, /* 32 */
            0,    0,    0,    0,    0x34, 0x12, 1,    9,    /* 40 */
            0x00, 0x01, 0x00, 0x08, 0x0F, 0x00, 0xC0, 0x03, /* 48 */
            0xAA, 0xAA, 0xAA, 0xAA};
    struct target *target = *state;
    const struct wire_hello *hello = &target->capture->hello;

    assert_int_equal(give(target, MCUPROF_WIRE_HELLO, payload, 60), 0);
    assert_true(target->capture->has_hello);
    assert_true(hello->start && hello->running);
    assert_int_equal(hello->clock_source, MCUPROF_CLOCK_USER);
    assert_int_equal(hello->clock_reason, MCUPROF_REASON_STANDS_STILL);
    assert_int_equal(hello->clock_bits, MCUPROF_CLOCK_DOWN | 24);
    assert_int_equal(hello->lateness_shift, 3);
    assert_int_equal(hello->sampler_cost, 300);
    assert_int_equal(hello->cpuid, 0x410FC241);
    assert_int_equal(hello->boot_id, 0x12345678);
    assert_int_equal(hello->clock_hz, 25000000);
    assert_int_equal(hello->period, 25000);
    assert_int_equal(hello->second_hz, 32768);
    assert_true(hello->identity.valid);
    assert_false(hello->identity.partial || hello->identity.build_id);
    assert_int_equal(hello->identity.start, 0x08000000);
    assert_int_equal(hello->identity.length, 10000);
    assert_memory_equal(hello->identity.value, "\xEF\xBE\xAD\xDE\0\0\0\0", 8);
    assert_int_equal(hello->engines, MCUPROF_ENGINE_SAMPLER);
    assert_int_equal(hello->ring_log2, 9);
    assert_int_equal(hello->vectors, 0x08000100);
    assert_int_equal(hello->sampler_exception, 15);
    assert_int_equal(hello->sampler_priority, 0xC0);
    assert_int_equal(hello->sampler_flags, 3);
    assert_int_equal(target->capture->identity_count, 1);
}

static void test_newer_version(void **state)
{
    struct target *target = *state;

    target->hello[MCUPROF_HELLO_VERSION] = 2;
    assert_int_equal(give(target, MCUPROF_WIRE_HELLO, target->hello,
                          sizeof target->hello),
                     MCUPROF_E_VERSION);
    assert_int_equal(target->capture->decoder.stats.newer_version, 2);
}

static void test_malformed_payloads(void **state)
{
    static const struct {
        uint8_t type;
        uint8_t size;
        uint8_t payload[26];
    } rows[] = {
            {MCUPROF_WIRE_HELLO, 0, {0}},
            {MCUPROF_WIRE_HELLO, 20, {1}},
            {MCUPROF_WIRE_HELLO, 1, {0}},
            {MCUPROF_WIRE_TIME, 15, {0}},
            {MCUPROF_WIRE_TIME, 17, {0}},
            /* an entry of size 0 would be an endless loop */
            {MCUPROF_WIRE_TIME, 20, {[16] = 9, [17] = 0}},
            {MCUPROF_WIRE_TIME, 20, {[16] = 9, [17] = 5}},
            {MCUPROF_WIRE_TIME, 20, {[16] = 1, [17] = 4}},
            {MCUPROF_WIRE_CONTEXT, 3, {0}},
            {MCUPROF_WIRE_CONTEXT, 6, {0, 2, 1, 3, 'a', 'b'}},
            {MCUPROF_WIRE_CONTEXT, 4, {0, 2, 1, 33}},
            {MCUPROF_WIRE_SELFTEST, 23, {0}},
            {MCUPROF_WIRE_SAMPLE, 7, {0}},
            {MCUPROF_WIRE_SAMPLE, 9, {0}},           /* no lateness */
            {MCUPROF_WIRE_SAMPLE, 9, {[8] = 1}},     /* no context */
            {MCUPROF_WIRE_SAMPLE, 10, {[9] = 0x80}}, /* varint cut */
            {MCUPROF_WIRE_SAMPLE,
             15, /* varint too long */
             {[8] = 0x80, [9] = 0x80, [10] = 0x80, [11] = 0x80, [12] = 0x80}},
            {MCUPROF_WIRE_SAMPLE,
             14, /* more than 32 bits */
             {[8] = 0xFE, [9] = 0xFF, [10] = 0xFF, [11] = 0xFF, [12] = 0x7F}},
            {MCUPROF_WIRE_SAMPLE, 12, {[9] = 0xFF, [10] = 0xFF, [11] = 0x7F}},
    };
    struct target *target = *state;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(
                give(target, rows[i].type, rows[i].payload, rows[i].size),
                MCUPROF_E_FORMAT);
    assert_int_equal(totals(target)->samples.received, 0);
    assert_int_equal(profile_total(target->capture->profile), 0);
}

static int keep_samples(void *context, const struct wire_sample *samples,
                        size_t count)
{
    memcpy(context, samples, count * sizeof *samples);
    return 0;
}

/* The payload was packed by tests/tools/mprof.py. */
static void test_samples(void **state)
{
    static const uint8_t payload[] = {
            0,    0,    0,    0,    0,    0,    0,    0,    0x80, 0x84,
            0x80, 0x80, 0x01, 0x00, 0x03, 0x0F, 0x03, 0x9A, 0x84, 0x80,
            0x80, 0x01, 0xFF, 0xFF, 0x03, 0x21, 0x00, 0x00, 0x81, 0x80,
            0x80, 0x80, 0x04, 0xBC, 0x05, 0x81, 0x01};
    static const struct wire_sample expected[] = {{0x08000100, 0, 0},
                                                  {0x080000FE, 15, 3},
                                                  {0xFFFFFFF0, 15, 0xFFFF},
                                                  {0, 0, 0},
                                                  {0x20000000, 700, 129}};
    struct wire_sample samples[116] = {0};
    const struct decode_handler handler = {.context = samples,
                                           .samples = keep_samples};
    const struct frame frame = {.type = MCUPROF_WIRE_SAMPLE,
                                .size = sizeof payload,
                                .payload = payload};
    struct decoder decoder;

    (void)state;
    assert_int_equal(decoder_init(&decoder, &handler), 0);
    assert_int_equal(decoder_frame(&decoder, &frame), 0);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        assert_int_equal(samples[i].pc, expected[i].pc);
        assert_int_equal(samples[i].context, expected[i].context);
        assert_int_equal(samples[i].lateness, expected[i].lateness);
    }
    decoder_deinit(&decoder);
}

static void test_unknown_types(void **state)
{
    struct target *target = *state;
    static const uint8_t payload[] = {1, 2, 3};

    give_hello(target, MCUPROF_HELLO_START | MCUPROF_HELLO_RUNNING);
    assert_int_equal(give(target, 0x2F, payload, sizeof payload), 0);
    assert_int_equal(give(target, 0x60, payload, 0), 0);
    give_samples(target, 0, 0, 5);
    assert_int_equal(target->capture->decoder.stats.unknown, 2);
    assert_int_equal(totals(target)->samples.received, 5);
    assert_int_equal(totals(target)->frames_lost, 0);
}

/* Later engines and longer entries are stepped over. */
static void test_time_of_the_future(void **state)
{
    struct target *target = *state;
    uint8_t payload[MCUPROF_TIME_ENTRIES + 6 + 28] = {0};
    uint8_t *sampler = payload + MCUPROF_TIME_ENTRIES + 6;

    payload[MCUPROF_TIME_ENTRIES] = 2;
    payload[MCUPROF_TIME_ENTRIES + 1] = 6;
    sampler[MCUPROF_TIME_ENTRY_ENGINE] = MCUPROF_ENGINE_SAMPLER;
    sampler[MCUPROF_TIME_ENTRY_SIZE] = 28;
    bytes_put32(sampler + MCUPROF_TIME_ENTRY_LONGEST, 4242);
    bytes_put32(sampler + MCUPROF_TIME_ENTRY_LONGEST_PC, 0x1234);
    assert_int_equal(give(target, MCUPROF_WIRE_TIME, payload, sizeof payload),
                     0);
    assert_int_equal(target->capture->longest.ticks, 4242);
    assert_int_equal(target->capture->longest.pc, 0x1234);
}

/* One sample at 0x100 that is late by LATE ticks, below 128. */
static void give_late(struct target *target, uint32_t first, uint8_t late)
{
    /* 0x100 is 0x80 halfwords: zigzag 0x100, times two: 0x200 as a varint. */
    uint8_t payload[8 + 3] = {0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x04, late};

    bytes_put32(payload, first);
    assert_int_equal(give(target, MCUPROF_WIRE_SAMPLE, payload, sizeof payload),
                     0);
}

/*
 * What keeps sampling off ends at the first interrupt; the sample may come at
 * the second, if the timer wraps then, and is later still. TIME knows.
 */
static void test_longest_is_of_time(void **state)
{
    struct target *target = *state;

    give_hello(target, MCUPROF_HELLO_START | MCUPROF_HELLO_RUNNING);
    give_late(target, 0, 90);
    give_time(target, 1000, 1, 0, 0);
    assert_int_equal(target->capture->longest.ticks, 0);
    give_late(target, 1, 70);
    assert_int_equal(target->capture->longest.ticks, 0);
    /* The firmware was reset before it could say. */
    give_hello(target, MCUPROF_HELLO_START | MCUPROF_HELLO_RUNNING);
    assert_int_equal(target->capture->longest.ticks, 70);
    assert_int_equal(target->capture->longest.pc, 0x100);
    give_late(target, 2, 80);
    assert_int_equal(capture_end(target->capture), 0);
    assert_int_equal(target->capture->longest.ticks, 80);
}

static void test_losses(void **state)
{
    struct target *target = *state;

    give_hello(target, MCUPROF_HELLO_START | MCUPROF_HELLO_RUNNING);
    give_time(target, 0, 0, 0, 0);
    give_samples(target, 0, 0, 10);
    target->seq++; /* one frame of 20 is gone */
    give_samples(target, 30, 3, 10);
    give_time(target, 50000, 48, 3, 2); /* 5 more did not arrive */
    assert_int_equal(totals(target)->samples.received, 20);
    assert_int_equal(totals(target)->samples.lost_line, 25);
    assert_int_equal(totals(target)->samples.lost_target, 3);
    assert_int_equal(totals(target)->samples.produced, 48);
    assert_int_equal(totals(target)->missed, 2);
    assert_int_equal(totals(target)->frames_lost, 1);
    assert_int_equal(totals(target)->ticks, 50000);
}

/* What was made before the capture began is no loss; counts may wrap. */
static void test_joining_late(void **state)
{
    struct target *target = *state;

    target->seq = 65530;
    give_samples(target, 0xFFFFFFF8, 100, 10);
    give_samples(target, 2, 100, 10);
    give_time(target, 1000, 12 + 101, 101, 777);
    give_samples(target, 12, 101, 5);
    give_time(target, 9000, 17 + 101, 101, 780);
    assert_int_equal(totals(target)->samples.received, 25);
    assert_int_equal(totals(target)->samples.lost_line, 0);
    assert_int_equal(totals(target)->samples.lost_target, 1);
    assert_int_equal(totals(target)->samples.produced, 26);
    assert_int_equal(totals(target)->missed, 3);
    assert_int_equal(totals(target)->ticks, 8000);
}

/* The first frame of a boot is number 0: all of it belongs to the capture. */
static void test_first_records_lost(void **state)
{
    struct target *target = *state;

    give_hello(target, MCUPROF_HELLO_START | MCUPROF_HELLO_RUNNING);
    target->seq += 2;
    give_samples(target, 40, 2, 10);
    assert_int_equal(totals(target)->samples.lost_line, 40);
    assert_int_equal(totals(target)->samples.lost_target, 2);
}

static void restart(struct target *target, uint32_t boot_id)
{
    target->seq = 0;
    bytes_put32(target->hello + MCUPROF_HELLO_BOOT_ID, boot_id);
}

static void test_announced_restart(void **state)
{
    struct target *target = *state;

    give_hello(target, MCUPROF_HELLO_START | MCUPROF_HELLO_RUNNING);
    give_time(target, 500, 0, 0, 0);
    give_samples(target, 0, 0, 50);
    give_time(target, 50500, 50, 0, 1);
    restart(target, 8);
    give_hello(target, MCUPROF_HELLO_START | MCUPROF_HELLO_RUNNING);
    give_time(target, 700, 0, 0, 0);
    give_samples(target, 0, 0, 20);
    give_time(target, 20700, 20, 0, 2);
    assert_int_equal(totals(target)->samples.received, 70);
    assert_int_equal(totals(target)->samples.produced, 70);
    assert_int_equal(totals(target)->samples.lost_line, 0);
    assert_int_equal(totals(target)->missed, 3);
    assert_int_equal(totals(target)->segments, 2);
    assert_int_equal(totals(target)->boots, 2);
    assert_int_equal(totals(target)->ticks, 70000);
    assert_int_equal(totals(target)->frames_lost, 0);
}

/* A reset leaves no TIME behind; record frames carry the same counts. */
static void test_reset_without_a_last_time(void **state)
{
    struct target *target = *state;

    give_hello(target, MCUPROF_HELLO_START | MCUPROF_HELLO_RUNNING);
    give_time(target, 500, 0, 0, 0);
    give_samples(target, 0, 0, 50);
    give_time(target, 50500, 50, 0, 0);
    give_samples(target, 55, 4, 20); /* 5 did not arrive, 4 were not kept */
    restart(target, 8);
    give_hello(target, MCUPROF_HELLO_START | MCUPROF_HELLO_RUNNING);
    give_time(target, 700, 0, 0, 0);
    give_samples(target, 0, 0, 10);
    give_time(target, 10700, 12, 2, 0);
    give_samples(target, 10, 3, 6);
    assert_int_equal(totals(target)->samples.received, 86);
    assert_int_equal(totals(target)->samples.lost_line, 5);
    assert_int_equal(totals(target)->samples.lost_target, 7);
    assert_int_equal(totals(target)->samples.produced,
                     50 + 5 + 4 + 20 + 12 + 1 + 6);
    assert_int_equal(totals(target)->samples.after_time, 6);
    /* Their time is not known, so they are in no rate. */
    assert_int_equal(totals(target)->timed_produced, 50 + 12);
}

/* The HELLO after the restart is lost: numbers that begin anew show it. */
static void test_unannounced_restart(void **state)
{
    struct target *target = *state;

    give_hello(target, MCUPROF_HELLO_START | MCUPROF_HELLO_RUNNING);
    give_time(target, 500, 0, 0, 0);
    give_samples(target, 0, 0, 50);
    give_samples(target, 50, 0, 50);
    restart(target, 8);
    target->seq = 2;
    give_samples(target, 0, 0, 20);
    give_time(target, 20500, 20, 0, 0);
    give_hello(target, MCUPROF_HELLO_RUNNING);
    give_samples(target, 20, 0, 5);
    give_time(target, 25500, 25, 0, 0);
    assert_int_equal(totals(target)->samples.received, 125);
    assert_int_equal(totals(target)->samples.lost_line, 0);
    assert_int_equal(totals(target)->boots, 2);
    assert_int_equal(totals(target)->segments, 2);
    assert_int_equal(totals(target)->ticks, 5000);
}

/* A boot id that does not change between boots: the numbers still tell. */
static void test_restart_under_the_same_id(void **state)
{
    struct target *target = *state;

    give_hello(target, MCUPROF_HELLO_START | MCUPROF_HELLO_RUNNING);
    give_time(target, 500, 0, 0, 0);
    give_samples(target, 0, 0, 50);
    restart(target, 7);
    give_hello(target, MCUPROF_HELLO_START | MCUPROF_HELLO_RUNNING);
    give_samples(target, 60, 0, 20);
    assert_int_equal(totals(target)->boots, 2);
    assert_int_equal(totals(target)->frames_lost, 0);
    assert_int_equal(totals(target)->samples.lost_line, 60);
}

static void test_repeated_and_late_frames(void **state)
{
    struct target *target = *state;

    give_hello(target, MCUPROF_HELLO_START | MCUPROF_HELLO_RUNNING);
    give_samples(target, 0, 0, 10);
    target->seq = 1;
    target->crc--;
    give_samples(target, 0, 0, 10); /* the same again */
    target->seq = 3;
    give_samples(target, 20, 0, 10);
    target->seq = 2;
    give_samples(target, 10, 0, 10); /* booked as lost already */
    target->seq = 4;
    give_time(target, 0, 30, 0, 0);
    assert_int_equal(totals(target)->samples.received, 20);
    assert_int_equal(totals(target)->samples.lost_line, 10);
    assert_int_equal(totals(target)->frames_repeated, 1);
    assert_int_equal(totals(target)->frames_late, 1);
    assert_int_equal(totals(target)->boots, 1);
}

/*
 * Who joins in the middle, and then sees a reset: all of the new boot counts,
 * whether its HELLO comes or not, and whatever its boot id is.
 */
static void test_reset_after_joining(void **state)
{
    struct target *target = *state;

    for (uint16_t lost = 0; lost < 3; lost++) {
        uint64_t received = totals(target)->samples.received;

        ledger_begin_recording(&target->capture->decoder.ledger);
        target->capture->decoder.has_hello = false;
        target->seq = 500;
        give_samples(target, 9000, 0, 10);
        target->seq = 0;
        if (lost == 0)
            give_hello(target, MCUPROF_HELLO_START | MCUPROF_HELLO_RUNNING);
        target->seq = (uint16_t)(1 + lost);
        give_samples(target, 10u * lost, 0, 10);
        give_samples(target, 10u * lost + 10, 0, 10);
        assert_int_equal(totals(target)->samples.received, received + 30);
        assert_int_equal(totals(target)->frames_repeated, 0);
        assert_int_equal(totals(target)->frames_late, 0);
    }
    assert_int_equal(totals(target)->samples.lost_line, 10 + 20);
    assert_int_equal(totals(target)->frames_lost, 0);
}

/* Past the half of the numbers a reset looks like a gap, but for its HELLO. */
static void test_reset_at_any_number(void **state)
{
    struct target *target = *state;

    for (uint32_t seq = 100; seq < 65536; seq += 4999) {
        uint64_t received = totals(target)->samples.received;

        ledger_begin_recording(&target->capture->decoder.ledger);
        target->capture->decoder.has_hello = false;
        target->seq = (uint16_t)seq;
        give_samples(target, 70000, 0, 10);
        target->seq = 0;
        give_hello(target, MCUPROF_HELLO_START | MCUPROF_HELLO_RUNNING);
        give_samples(target, 0, 0, 10);
        assert_int_equal(totals(target)->samples.received, received + 20);
    }
    assert_int_equal(totals(target)->frames_lost, 0);
    assert_int_equal(totals(target)->samples.lost_line, 0);
}

/* Between stop and start nobody samples: that is not measured time. */
static void test_stopped_time(void **state)
{
    struct target *target = *state;

    give_hello(target, MCUPROF_HELLO_START | MCUPROF_HELLO_RUNNING);
    give_time(target, 0, 0, 0, 0);
    give_samples(target, 0, 0, 10);
    give_time(target, 10000, 10, 0, 0);
    give_hello(target, 0);
    give_time(target, 500000, 10, 0, 0);
    give_hello(target, MCUPROF_HELLO_START | MCUPROF_HELLO_RUNNING);
    give_time(target, 600000, 10, 0, 0);
    give_samples(target, 10, 0, 10);
    give_time(target, 610000, 20, 0, 0);
    assert_int_equal(totals(target)->ticks, 20000);
    assert_int_equal(totals(target)->segments, 2);
    assert_int_equal(totals(target)->boots, 1);
}

/* Ticks that run backwards begin a segment and are never subtracted. */
static void test_clock_backwards(void **state)
{
    struct target *target = *state;

    give_hello(target, MCUPROF_HELLO_START | MCUPROF_HELLO_RUNNING);
    give_time(target, 1000, 0, 0, 0);
    give_samples(target, 0, 0, 10);
    give_time(target, 11000, 10, 0, 0);
    give_time(target, 500, 10, 0, 0);
    give_samples(target, 10, 0, 10);
    give_time(target, 10500, 20, 0, 0);
    assert_int_equal(totals(target)->ticks, 20000);
    assert_int_equal(totals(target)->segments, 2);
    assert_int_equal(totals(target)->samples.received, 20);
    assert_int_equal(totals(target)->samples.produced, 20);
}

static void test_contexts_add_up(void **state)
{
    static const uint8_t first[] = {0x00, 0x02, 0x01, 3,    'o', 'l',
                                    'd',  0x10, 0x00, 0x02, 0};
    static const uint8_t second[] = {0x00, 0x02, 0x02, 0,   0x00, 0x02,
                                     0x01, 4,    'n',  'e', 'w',  '\n'};
    struct target *target = *state;
    const struct wire_context *context;

    assert_int_equal(give(target, MCUPROF_WIRE_CONTEXT, first, sizeof first),
                     0);
    assert_int_equal(give(target, MCUPROF_WIRE_CONTEXT, second, sizeof second),
                     0);
    context = capture_context(target->capture, 512);
    assert_non_null(context);
    assert_true(context->unseen);
    assert_string_equal(context->name, "new.");
    context = capture_context(target->capture, 16);
    assert_non_null(context);
    assert_true(context->unseen);
    assert_false(context->named);
    assert_null(capture_context(target->capture, 0));
}

static void test_host(void **state)
{
    struct target *target = *state;
    uint8_t payload[MCUPROF_WIRE_PAYLOAD_MAX];
    char path[MCUPROF_WIRE_PAYLOAD_MAX] = "/a path/fw.elf";
    size_t size = decode_pack_host(payload, 1700000000123, "1.2.3", path);

    assert_int_equal(size, 8 + 6 + 14);
    target->seq = 0;
    assert_int_equal(give(target, MCUPROF_WIRE_HOST, payload, size), 0);
    assert_int_equal(target->capture->host.unix_ms, 1700000000123);
    assert_string_equal(target->capture->host.version, "1.2.3");
    assert_string_equal(target->capture->host.elf, path);
    assert_int_equal(target->capture->decoder.stats.target_frames, 0);
    memset(path, 'x', sizeof path - 1);
    assert_int_equal(decode_pack_host(payload, 0, "1.2.3", path), 0);
}

static void test_rates(void **state)
{
    struct target *target = *state;

    give_hello(target, MCUPROF_HELLO_START | MCUPROF_HELLO_RUNNING);
    give_time(target, 0, 0, 0, 0);
    for (uint32_t i = 0; i < 10; i++)
        give_samples(target, 100 * i, 0, 100);
    give_time(target, 1100000, 1000, 0, 100);
    assert_float_equal(facts_wall_seconds(target->capture).value, 1.1, 1e-9);
    assert_float_equal(facts_rate(target->capture).value, 1000.0, 1e-6);
    assert_float_equal(facts_nominal_rate(target->capture).value, 1000.0, 0);
    assert_false(facts_clock_wrapped(target->capture));
    /* 1,000 more periods of 1,000 ticks in 10,000 ticks: it went round. */
    for (uint32_t i = 10; i < 20; i++)
        give_samples(target, 100 * i, 0, 100);
    give_time(target, 1110000, 2000, 0, 100);
    assert_true(facts_clock_wrapped(target->capture));
}

/* One number, and one checksum each time. */
static void give_same(struct target *target, uint8_t type, uint16_t seq,
                      const uint8_t *payload, size_t size)
{
    const struct frame frame = {.type = type,
                                .seq = seq,
                                .crc = 0xFFFF0000u + type + seq,
                                .size = size,
                                .payload = payload};

    assert_int_equal(decoder_frame(&target->capture->decoder, &frame), 0);
}

static void give_start(struct target *target)
{
    target->hello[MCUPROF_HELLO_FLAGS] = MCUPROF_HELLO_START;
    give_same(target, MCUPROF_WIRE_HELLO, 0, target->hello,
              sizeof target->hello);
}

static void test_ring_of_the_boot_before(void **state)
{
    static const uint8_t ring[MCUPROF_RING_SIZE] = {MCUPROF_TRACE_STATE_FAULT
                                                    | 0x80};
    struct target *target = *state;
    const struct decode_stats *stats = &target->capture->decoder.stats;

    give_start(target);
    give_start(target);
    give_same(target, MCUPROF_WIRE_RING, 1, ring, sizeof ring);
    assert_int_equal(totals(target)->boots, 2);
    assert_int_equal(totals(target)->frames_repeated, 0);
    assert_int_equal(totals(target)->frames_lost, 0);
    assert_int_equal(stats->by_type[MCUPROF_WIRE_HELLO], 2);
    assert_int_equal(target->capture->trace.ring.state,
                     MCUPROF_TRACE_STATE_FAULT);
    assert_true(target->capture->trace.ring.kept);
    /* All of it once more, as a line may do: those are repetitions. */
    give_start(target);
    give_same(target, MCUPROF_WIRE_RING, 1, ring, sizeof ring);
    assert_int_equal(totals(target)->boots, 2);
    assert_int_equal(totals(target)->frames_repeated, 2);
}

static void give_trace(struct target *target, uint32_t first, uint32_t lost,
                       const uint8_t *records, size_t size)
{
    uint8_t payload[MCUPROF_WIRE_PAYLOAD_MAX] = {0};

    bytes_put32(payload, first);
    bytes_put32(payload + 4, lost);
    memcpy(payload + 16, records, size);
    assert_int_equal(give(target, MCUPROF_WIRE_TRACE, payload, 16 + size), 0);
}

/* kind 3: d = 0, F2, number; then d = 1. */
static const uint8_t two_marks[] = {3, 0xF2, 7, 3 | 1 << 2, 0xF2, 8};

/* Nothing was sent of what was made before: it was overwritten, not lost. */
static void test_ring_that_had_overwritten(void **state)
{
    static const uint8_t ring[MCUPROF_RING_SIZE] = {MCUPROF_TRACE_STATE_FROZEN
                                                    | 0x80};
    struct target *target = *state;
    const struct ledger_counts *counts = &totals(target)->trace;

    give_start(target);
    give_same(target, MCUPROF_WIRE_RING, 1, ring, sizeof ring);
    target->seq = 2;
    give_trace(target, 1425, 3, two_marks, sizeof two_marks);
    give_trace(target, 1427, 3, two_marks, sizeof two_marks);
    assert_int_equal(counts->received, 4);
    assert_int_equal(counts->skipped, 1425);
    assert_int_equal(counts->lost_line, 0);
    assert_int_equal(counts->lost_target, 3);
    assert_int_equal(counts->produced, 4 + 3);
    /* Behind its begin a gap is one. */
    give_trace(target, 1430, 3, two_marks, sizeof two_marks);
    assert_int_equal(counts->lost_line, 1);
    /* And in the boot that follows, which has no such ring. */
    target->hello[MCUPROF_HELLO_BOOT_ID]++;
    target->seq = 0;
    give_hello(target, MCUPROF_HELLO_START);
    give_trace(target, 10, 0, two_marks, sizeof two_marks);
    assert_int_equal(counts->lost_line, 11);
    assert_int_equal(counts->skipped, 1425);
}

static void test_ring_of_long_ago(void **state)
{
    uint8_t ring[MCUPROF_RING_SIZE_READ + 4] = {0};
    struct target *target = *state;

    bytes_put32(ring + 28, 5);
    bytes_put16(ring + 32, 2);
    give_start(target);
    target->seq = 1;
    assert_int_equal(give(target, MCUPROF_WIRE_RING, ring, sizeof ring), 0);
    give_trace(target, 9, 0, two_marks, sizeof two_marks);
    assert_int_equal(totals(target)->trace.skipped, UINT64_C(0x500000009));
    assert_int_equal(target->capture->trace.ring.unnamed, 2);
}

static void test_clock_of_the_ring(void **state)
{
    /* Two records of one moment; a value that is no time; half a record. */
    static const uint8_t one[] = {3, 0xF0, 0, 3, 0xF2, 7};
    static const uint8_t more[] = {3, 0xF1, 99, 0, 2 | 1 << 2, 0};
    struct target *target = *state;

    give_hello(target, MCUPROF_HELLO_START);
    assert_false(capture_trace_stands(target->capture));
    give_trace(target, 0, 0, one, sizeof one);
    give_trace(target, 2, 0, more, sizeof more);
    assert_false(capture_trace_stands(target->capture));
    give_trace(target, 4, 0, one, sizeof one);
    assert_true(capture_trace_stands(target->capture));
    give_trace(target, 6, 0, two_marks, sizeof two_marks);
    assert_false(capture_trace_stands(target->capture));
}

static void test_start_that_is_repeated(void **state)
{
    static const uint8_t ring[MCUPROF_RING_SIZE];
    struct target *target = *state;

    give_start(target);
    give_start(target);
    target->seq = 1;
    give_time(target, 0, 0, 0, 0);
    give_same(target, MCUPROF_WIRE_RING, 2, ring, sizeof ring);
    assert_int_equal(totals(target)->boots, 1);
    assert_int_equal(totals(target)->frames_repeated, 1);
    assert_false(target->capture->trace.ring.kept);
}

/* A TIME of a firmware with sampler and ring. */
static void give_both(struct target *target, uint64_t ticks, uint32_t sampled,
                      uint32_t traced)
{
    uint8_t payload[MCUPROF_TIME_ENTRIES + MCUPROF_TIME_SAMPLER_SIZE
                    + MCUPROF_TIME_TRACE_SIZE] = {0};
    uint8_t *sampler = payload + MCUPROF_TIME_ENTRIES;
    uint8_t *trace = sampler + MCUPROF_TIME_SAMPLER_SIZE;

    bytes_put64(payload + MCUPROF_TIME_TICKS, ticks);
    sampler[MCUPROF_TIME_ENTRY_ENGINE] = MCUPROF_ENGINE_SAMPLER;
    sampler[MCUPROF_TIME_ENTRY_SIZE] = MCUPROF_TIME_SAMPLER_SIZE;
    bytes_put32(sampler + MCUPROF_TIME_ENTRY_PRODUCED, sampled);
    trace[MCUPROF_TIME_ENTRY_ENGINE] = MCUPROF_ENGINE_TRACE;
    trace[MCUPROF_TIME_ENTRY_SIZE] = MCUPROF_TIME_TRACE_SIZE;
    bytes_put32(trace + MCUPROF_TIME_ENTRY_PRODUCED, traced);
    assert_int_equal(give(target, MCUPROF_WIRE_TIME, payload, sizeof payload),
                     0);
}

static void test_time_of_the_ring_alone(void **state)
{
    struct target *target = *state;

    target->hello[MCUPROF_HELLO_TRACE_MODE] = MCUPROF_TRACE_MODE_STREAM;
    give_hello(target, MCUPROF_HELLO_START);
    give_both(target, 1000, 0, 0);
    assert_false(facts_traced_seconds(target->capture).known);
    give_both(target, 4000, 0, 20);
    /* Neither of them: no time of anybody. */
    give_both(target, 9000, 0, 20);
    assert_true(capture_is_unsampled(target->capture));
    assert_float_equal(facts_traced_seconds(target->capture).value, 0.003, 0);
    assert_false(facts_wall_seconds(target->capture).known);
    /* Both: that is the time of the samples. */
    give_both(target, 19000, 10, 40);
    assert_false(capture_is_unsampled(target->capture));
    assert_float_equal(facts_traced_seconds(target->capture).value, 0.003, 0);
    assert_float_equal(facts_wall_seconds(target->capture).value, 0.01, 0);
    /* What stays in RAM was perhaps recorded, perhaps not. */
    target->hello[MCUPROF_HELLO_TRACE_MODE] = MCUPROF_TRACE_MODE_FLIGHT;
    give_hello(target, 0);
    give_both(target, 29000, 10, 60);
    give_both(target, 39000, 10, 80);
    assert_float_equal(facts_traced_seconds(target->capture).value, 0.003, 0);
}

static void test_unsampled(void **state)
{
    struct target *target = *state;

    /* Nothing tells. */
    assert_false(capture_is_unsampled(target->capture));
    give_hello(target, MCUPROF_HELLO_START);
    assert_true(capture_is_unsampled(target->capture));
    give_hello(target, MCUPROF_HELLO_RUNNING);
    give_hello(target, 0);
    assert_false(capture_is_unsampled(target->capture));
}

static void test_hook_cost(void **state)
{
    struct target *target = *state;
    const struct capture_trace *trace = &target->capture->trace;

    give_hello(target, MCUPROF_HELLO_START);
    assert_int_equal(trace->hook_cost, 0);
    bytes_put16(target->hello + MCUPROF_HELLO_HOOK_COST, 39);
    bytes_put16(target->hello + MCUPROF_HELLO_HOOK_INNER, 19);
    give_hello(target, 0);
    /* The next boot has not measured it yet. */
    bytes_put16(target->hello + MCUPROF_HELLO_HOOK_COST, 0);
    bytes_put16(target->hello + MCUPROF_HELLO_HOOK_INNER, 0);
    target->seq = 0;
    give_hello(target, MCUPROF_HELLO_START);
    assert_int_equal(trace->hook_cost, 39);
    assert_int_equal(trace->hook_inner, 19);
    /* By another clock it is another number. */
    bytes_put32(target->hello + MCUPROF_HELLO_CLOCK_HZ, 2000000);
    give_hello(target, 0);
    assert_int_equal(trace->hook_cost, 0);
    assert_int_equal(trace->hook_inner, 0);
}

/* Another firmware has other hooks. */
static void test_hook_cost_of_another(void **state)
{
    struct target *target = *state;

    bytes_put16(target->hello + MCUPROF_HELLO_HOOK_COST, 39);
    give_hello(target, MCUPROF_HELLO_START | MCUPROF_HELLO_IDENTITY);
    bytes_put16(target->hello + MCUPROF_HELLO_HOOK_COST, 0);
    give_hello(target, MCUPROF_HELLO_IDENTITY);
    assert_int_equal(target->capture->trace.hook_cost, 39);
    target->hello[MCUPROF_HELLO_IDENTITY_VALUE] = 1;
    give_hello(target, MCUPROF_HELLO_IDENTITY);
    assert_int_equal(target->capture->trace.hook_cost, 0);
}

#define TEST(function)                                                         \
    cmocka_unit_test_setup_teardown(function, set_up, frames_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
            TEST(test_hello),
            TEST(test_newer_version),
            TEST(test_malformed_payloads),
            TEST(test_samples),
            TEST(test_unknown_types),
            TEST(test_time_of_the_future),
            TEST(test_longest_is_of_time),
            TEST(test_losses),
            TEST(test_joining_late),
            TEST(test_first_records_lost),
            TEST(test_announced_restart),
            TEST(test_reset_without_a_last_time),
            TEST(test_unannounced_restart),
            TEST(test_restart_under_the_same_id),
            TEST(test_repeated_and_late_frames),
            TEST(test_reset_after_joining),
            TEST(test_reset_at_any_number),
            TEST(test_stopped_time),
            TEST(test_clock_backwards),
            TEST(test_contexts_add_up),
            TEST(test_host),
            TEST(test_rates),
            TEST(test_ring_of_the_boot_before),
            TEST(test_ring_that_had_overwritten),
            TEST(test_ring_of_long_ago),
            TEST(test_clock_of_the_ring),
            TEST(test_start_that_is_repeated),
            TEST(test_time_of_the_ring_alone),
            TEST(test_unsampled),
            TEST(test_hook_cost),
            TEST(test_hook_cost_of_another),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
