/* SPDX-License-Identifier: MIT */
#include "frames_rig.h"

#include <string.h>

#include "bytes.h"
#include "trace_pack.h"

/* TRACE, RING and their part of HELLO and TIME, and what is told of them. */
static struct told {
    struct wire_trace records[WIRE_TRACE_MAX];
    struct wire_trace_part part; /* the last one */
    unsigned parts;
    unsigned restarts;
} told;

static int keep_part(void *context, const struct wire_trace_part *part)
{
    struct told *kept = context;

    kept->part = *part;
    kept->parts++;
    memcpy(kept->records, part->records, part->count * sizeof *part->records);
    return 0;
}

static int count_restart(void *context)
{
    struct told *kept = context;

    kept->restarts++;
    return 0;
}

static int set_up(void **state)
{
    static const struct decode_handler follower = {
            .context = &told, .restart = count_restart, .trace = keep_part};
    struct target *target;

    (void)frames_set_up(state);
    target = *state;
    memset(&told, 0, sizeof told);
    capture_follow(target->capture, &follower);
    return 0;
}

static void give_hello_of(struct target *target, size_t size, uint8_t bits)
{
    uint8_t hello[64] = {[0] = 1, [1] = 1, [4] = bits, [46] = 4};

    bytes_put16(hello + 44, 90);
    bytes_put16(hello + 56, 40);
    hello[58] = MCUPROF_TRACE_MODE_STREAM;
    assert_int_equal(give(target, MCUPROF_WIRE_HELLO, hello, size), 0);
}

static const struct ledger_totals *totals(const struct target *target)
{
    return capture_totals(target->capture);
}

/* 0.1.0 sends 56 bytes; a later one may send more than is known. */
static void test_hello_sizes(void **state)
{
    struct target *target = *state;
    const struct wire_hello *hello = &target->capture->hello;

    give_hello_of(target, 56, 32);
    assert_int_equal(hello->hook_cost, 90);
    assert_int_equal(hello->hook_inner, 0);
    assert_int_equal(hello->trace_mode, 0);
    give_hello_of(target, 57, 32);
    assert_int_equal(hello->hook_inner, 40);
    give_hello_of(target, 60, 32);
    assert_int_equal(hello->hook_inner, 40);
    assert_int_equal(hello->trace_mode, 2);
    give_hello_of(target, 64, 32);
    assert_int_equal(hello->trace_mode, 2);
    assert_int_equal(target->capture->decoder.stats.by_type[1], 4);
    assert_int_equal(give(target, MCUPROF_WIRE_HELLO, (uint8_t[55]){1}, 55),
                     MCUPROF_E_FORMAT);
}

/* Packed by hand from docs/wire.md. */
static const uint8_t packed[] = {
        0x00, 0x01, 0,    0,                            /* first */
        3,    0,    0,    0,                            /* lost */
        0xE8, 0x03, 0,    0,                            /* time 1000 */
        2,    0,    0,    0,                            /* context */
        0x17, 0xF0, 0x0F,                               /* +5 context 15 */
        0x92, 0x03, 0x81, 0x84, 0x80, 0x80, 0x01,       /* +100 enter */
        0x7C, 0x01,                                     /* +31 leave place 1 */
        0x01, 0x01,                                     /* +0 enter place 1 */
        0x06, 0x1F,                                     /* +1 enter, 16 less */
        0x08, 0x3C,                                     /* +2 leave place 60 */
        0x03, 0xF2, 0x07,                               /* +0 mark 7 */
        0x03, 0xF1, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0x00, /* value */
        0xBA, 0xFE, 0xFF, 0xFF, 0x3F,                   /* 50 back, */
        0xDE, 0x83, 0x80, 0x80, 0x01,                   /* not written */
};

static const struct wire_trace unpacked[] = {
        {1005, 0xF000000F}, {1105, 0x08000101},       {1136, 0x08000100},
        {1136, 0x08000101}, {1137, 0x080000F1},       {1139, 0x080000F0},
        {1139, 0xF2000007}, {UINT32_MAX, 0xF1000000}, {1089, 0},
};

#define UNPACKED (sizeof unpacked / sizeof unpacked[0])

static void assert_records(const struct wire_trace *records,
                           const struct wire_trace *expected, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(records[i].word, expected[i].word);
        assert_int_equal(records[i].time, expected[i].time);
    }
}

static void test_unpack(void **state)
{
    struct target *target = *state;
    const struct capture_trace *trace = &target->capture->trace;

    give_hello_of(target, 60, 32);
    assert_int_equal(give(target, MCUPROF_WIRE_TRACE, packed, sizeof packed),
                     0);
    assert_int_equal(told.part.first, 0x100);
    assert_int_equal(told.part.lost, 3);
    assert_int_equal(told.part.context, 2);
    assert_int_equal(told.part.count, UNPACKED);
    assert_records(told.records, unpacked, UNPACKED);
    assert_int_equal(trace->entered, 3);
    assert_int_equal(trace->left, 2);
    assert_int_equal(trace->marks, 1);
    assert_int_equal(trace->switches, 1);
    assert_int_equal(trace->incomplete, 1);
}

static void test_pack(void **state)
{
    const struct wire_trace_part head = {
            .context = 2, .first = 0x100, .lost = 3};
    struct trace_packer packer;

    (void)state;
    trace_pack_begin(&packer, &head, 1000, UINT32_MAX);
    for (size_t i = 0; i < UNPACKED; i++)
        assert_true(trace_pack_add(&packer, &unpacked[i]));
    assert_int_equal(packer.size, sizeof packed);
    assert_int_equal(packer.count, UNPACKED);
    assert_memory_equal(packer.payload, packed, sizeof packed);
}

/* A clock of 24 bits wraps within the frame, and in the head. */
static void test_narrow_clock(void **state)
{
    const uint8_t wraps[] = {0,    0,    0,    0,    0,    0,   0, 0,
                             0xFE, 0xFF, 0xFF, 0xFF, 0,    0,   0, 0, /* head */
                             0x07, 0xF0, 0x00, 0x07, 0xF0, 0x01}; /* +1 +1 */
    const uint8_t more[] = {0,    0,    0,    0,    0,    0,   0, 0,
                            2,    0,    0,    0xAB, 0,    0,   0, 0,
                            0x83, 0x80, 0x80, 0x20, 0xF0, 0x00};
    struct target *target = *state;

    give_hello_of(target, 60, 24 | MCUPROF_CLOCK_DOWN);
    assert_int_equal(give(target, MCUPROF_WIRE_TRACE, wraps, sizeof wraps), 0);
    assert_int_equal(told.records[0].time, 0xFFFFFF);
    assert_int_equal(told.records[1].time, 0);
    /* 2^24 more is nothing more. */
    assert_int_equal(give(target, MCUPROF_WIRE_TRACE, more, sizeof more), 0);
    assert_int_equal(told.records[0].time, 2);
}

static void test_malformed(void **state)
{
    static const struct {
        uint8_t size;
        uint8_t records[8];
    } rows[] = {
            {1, {0x00}},                               /* no place */
            {2, {0x00, 0x05}},                         /* not known */
            {2, {0x01, 0x05}},                         /* not known */
            {2, {0x01, 0x40}},                         /* no place */
            {1, {0x02}},                               /* no function */
            {2, {0x02, 0x80}},                         /* cut */
            {6, {0x02, 0x80, 0x80, 0x80, 0x80, 0x3C}}, /* beyond 32 bits */
            {6, {0x02, 0xFE, 0xFF, 0xFF, 0xFF, 0x03}}, /* E0000000: no code */
            {2, {0x03, 0xF0}},                         /* no argument */
            {3, {0x03, 0xDF, 0x00}},                   /* an address */
            {6, {0x03, 0xF0, 0x80, 0x80, 0x80, 0x08}}, /* beyond 24 bits */
            {4, {0x07, 0xF1, 0x00, 0x00}},             /* a value has no time */
            {3, {0x03, 0xF1, 0x00}},                   /* no argument */
            {1, {0x83}},                               /* no time */
            {7, {0x83, 0x80, 0x80, 0x80, 0x40, 0xF0, 0}}, /* beyond 32 bits */
    };
    struct target *target = *state;
    uint8_t payload[MCUPROF_TRACE_FRAME_RECORDS + 8] = {0};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        memcpy(payload + MCUPROF_TRACE_FRAME_RECORDS, rows[i].records, 8);
        assert_int_equal(give(target, MCUPROF_WIRE_TRACE, payload,
                              MCUPROF_TRACE_FRAME_RECORDS + rows[i].size),
                         MCUPROF_E_FORMAT);
    }
    assert_int_equal(trace_unpack(told.records,
                                  (const uint8_t *)"\x02\x82\x80\x80\x80\x04",
                                  6, 0, UINT32_MAX),
                     1);
    assert_int_equal(told.records[0].word, 0xDFFFFFFE);
    assert_int_equal(give(target, MCUPROF_WIRE_TRACE, payload, 15),
                     MCUPROF_E_FORMAT);
    assert_int_equal(give(target, MCUPROF_WIRE_RING, payload, 24),
                     MCUPROF_E_FORMAT);
    assert_int_equal(told.parts, 0);
    assert_int_equal(totals(target)->trace.received, 0);
    /* None at all is a frame as well. */
    assert_int_equal(give(target, MCUPROF_WIRE_TRACE, payload, 16), 0);
    assert_int_equal(told.part.count, 0);
}

static uint32_t next_random(uint32_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

static struct wire_trace random_record(uint32_t *seed, uint32_t *time,
                                       uint32_t mask)
{
    static const uint32_t pool[] = {0x08000100, 0x08000102, 0x08004100,
                                    0x20000000, 0x1FFFFFFE, 0xDFFFFFFE,
                                    0};
    uint32_t random = next_random(seed);
    struct wire_trace record = {.word = pool[random % 7] | (random >> 3 & 1)};

    *time += random % 5 == 0 ? next_random(seed) : random >> 20;
    record.time = *time & mask;
    if (random % 11 == 0)
        record.word = next_random(seed) | MCUPROF_TRACE_SPECIAL;
    if (record.word >> 24 == MCUPROF_TRACE_VALUE)
        record.time = next_random(seed);
    return record;
}

/* Whatever lies in a ring comes back as it was, frame by frame. */
static void test_round_trip(void **state)
{
    struct target *target = *state;
    const uint32_t masks[] = {UINT32_MAX, 0xFFFFFF, 0xFFFF};
    uint32_t seed = 20260731;
    uint32_t time = 0;

    for (unsigned round = 0; round < 300; round++) {
        uint32_t mask = masks[round % 3];
        struct wire_trace records[WIRE_TRACE_MAX];
        struct trace_packer packer;
        size_t count = 0;

        give_hello_of(target, 60,
                      round % 3 == 0   ? 32
                      : round % 3 == 1 ? 24
                                       : 16);
        trace_pack_begin(&packer, &(struct wire_trace_part){.first = 9}, time,
                         mask);
        do
            records[count] = random_record(&seed, &time, mask);
        while (trace_pack_add(&packer, &records[count++]));
        assert_int_equal(
                trace_unpack(told.records,
                             packer.payload + MCUPROF_TRACE_FRAME_RECORDS,
                             packer.size - MCUPROF_TRACE_FRAME_RECORDS,
                             bytes_get32(packer.payload + 8), mask),
                count - 1);
        assert_records(told.records, records, count - 1);
        assert_in_range(count, 20, WIRE_TRACE_MAX);
    }
}

static void test_ring(void **state)
{
    struct target *target = *state;
    static const uint8_t payload[28] = {
            6,    2,    0,    0,    0x00, 0x04, 0,    0,    /* 0 */
            0x02, 0x01, 0x00, 0x08, 0x05, 0x01, 0x00, 0x08, /* 8 */
            0x03, 0,    0,    0x61, 0,    0x82, 0,    0,    /* 16 */
            0x40, 0x0D, 0x03, 0x00};
    const struct wire_ring *ring = &target->capture->trace.ring;

    assert_false(capture_has_trace(target->capture));
    assert_int_equal(give(target, MCUPROF_WIRE_RING, payload, 28), 0);
    assert_true(capture_has_trace(target->capture));
    assert_int_equal(ring->state, MCUPROF_TRACE_STATE_FAULT);
    assert_int_equal(ring->mode, MCUPROF_TRACE_MODE_STREAM);
    assert_int_equal(ring->records, 1024);
    assert_int_equal(ring->pc, 0x08000102);
    assert_int_equal(ring->lr, 0x08000105);
    assert_int_equal(ring->xpsr, 0x61000003);
    assert_int_equal(ring->fault, 0x8200);
    assert_int_equal(ring->halted_us, 200000);
}

static void give_time(struct target *target, uint64_t ticks,
                      const uint32_t made[2], const uint32_t lost[2],
                      bool sampler)
{
    uint8_t payload[16 + 24 + 16] = {0};
    uint8_t *trace = payload + (sampler ? 16 + 24 : 16);

    bytes_put64(payload, ticks);
    payload[16] = 1;
    payload[17] = 24;
    bytes_put32(payload + 20, made[0]);
    bytes_put32(payload + 24, lost[0]);
    trace[0] = 4;
    trace[1] = 16;
    bytes_put32(trace + 4, made[1]);
    bytes_put32(trace + 8, lost[1]);
    bytes_put32(trace + 12, (uint32_t)ticks);
    assert_int_equal(give(target, MCUPROF_WIRE_TIME, payload,
                          (size_t)(trace + 16 - payload)),
                     0);
}

/* COUNT records that take three or two bytes each. */
static void give_records(struct target *target, unsigned engine, uint32_t first,
                         uint32_t lost, uint32_t count)
{
    uint8_t payload[MCUPROF_WIRE_PAYLOAD_MAX] = {0};

    bytes_put32(payload, first);
    bytes_put32(payload + 4, lost);
    for (uint32_t i = 0; engine == 1 && i < count; i++) {
        payload[16 + 3 * i] = 3;
        payload[17 + 3 * i] = 0xF0;
    }
    assert_int_equal(
            give(target, engine == 1 ? MCUPROF_WIRE_TRACE : MCUPROF_WIRE_SAMPLE,
                 payload, engine == 1 ? 16 + 3 * count : 8 + 2 * count),
            0);
}

static void assert_balanced(const struct ledger_counts *counts,
                            uint32_t produced, uint32_t lost)
{
    assert_int_equal(counts->received + counts->lost_target + counts->lost_line,
                     produced);
    assert_int_equal(counts->produced, produced);
    assert_int_equal(counts->lost_target, lost);
}

/*
 * Both engines on a line that drops frames: at every TIME each one's accounts
 * are right by themselves, as the target counts them.
 */
static void test_accounts_are_apart(void **state)
{
    struct target *target = *state;
    uint32_t made[2] = {0, 0};
    uint32_t lost[2] = {0, 0};
    uint64_t dropped[2] = {0, 0};
    uint32_t seed = 5;

    give_hello_of(target, 60, 32);
    for (uint64_t ticks = 1; ticks <= 3000; ticks++) {
        uint32_t random = next_random(&seed);
        unsigned engine = random & 1;
        uint32_t count = random >> 8 & 31;

        if ((random & 0x70) == 0) {
            give_time(target, ticks, made, lost, true);
            assert_balanced(&totals(target)->samples, made[0], lost[0]);
            assert_balanced(&totals(target)->trace, made[1], lost[1]);
            assert_int_equal(totals(target)->samples.lost_line, dropped[0]);
            assert_int_equal(totals(target)->trace.lost_line, dropped[1]);
            continue;
        }
        if ((random & 0x80) != 0) {
            lost[engine] += count;
            made[engine] += count;
        }
        if ((random & 0x70) == 0x70) {
            target->seq++;
            dropped[engine] += count;
        } else {
            give_records(target, engine, made[engine] - lost[engine],
                         lost[engine], count);
        }
        made[engine] += count;
    }
    assert_in_range(totals(target)->trace.lost_line, 1000, 100000);
    assert_in_range(totals(target)->trace.times, 100, 3000);
    assert_int_equal(totals(target)->boots, 1);
    assert_int_equal(told.restarts, 0);
}

/* A ring that is not sent counts what nobody waits for. */
static void test_ring_in_ram_loses_nothing(void **state)
{
    struct target *target = *state;
    uint8_t hello[60] = {[0] = 1, [1] = 1, [4] = 32, [46] = 5};

    assert_int_equal(give(target, MCUPROF_WIRE_HELLO, hello, 60), 0);
    give_time(target, 1000, (uint32_t[2]){0, 5000}, (uint32_t[2]){0, 3}, true);
    give_time(target, 3000, (uint32_t[2]){0, 4000}, (uint32_t[2]){0, 3}, true);
    assert_int_equal(totals(target)->trace.produced, 0);
    assert_int_equal(totals(target)->trace.lost_line, 0);
    assert_int_equal(totals(target)->boots, 1);
}

/* Without a sampler the time between two TIMEs is measured as well. */
static void test_time_without_a_sampler(void **state)
{
    struct target *target = *state;

    give_hello_of(target, 60, 32);
    give_time(target, 1000, (uint32_t[2]){0}, (uint32_t[2]){0}, false);
    give_records(target, 1, 0, 0, 20);
    give_time(target, 5000, (uint32_t[2]){0, 20}, (uint32_t[2]){0}, false);
    assert_int_equal(totals(target)->ticks, 4000);
    assert_int_equal(totals(target)->samples.times, 0);
    assert_int_equal(totals(target)->trace.times, 2);
    assert_int_equal(totals(target)->trace.received, 20);
}

/* A boot whose HELLO was lost is told by the ring's counts alone. */
static void test_restart(void **state)
{
    struct target *target = *state;

    give_hello_of(target, 60, 32);
    give_records(target, 1, 0, 0, 20);
    give_records(target, 1, 20, 0, 20);
    assert_int_equal(told.restarts, 0);
    target->seq = 70;
    give_records(target, 1, 10, 0, 20);
    assert_int_equal(told.restarts, 1);
    assert_int_equal(totals(target)->boots, 2);
    assert_int_equal(totals(target)->trace.received, 60);
    target->seq = 80;
    give_time(target, 1, (uint32_t[2]){0, 5}, (uint32_t[2]){0}, false);
    assert_int_equal(told.restarts, 2);
    /* Another recording. */
    assert_int_equal(give(target, MCUPROF_WIRE_HOST, (uint8_t[9]){0}, 9), 0);
    assert_int_equal(told.restarts, 3);
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, set_up, frames_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
            TEST(test_hello_sizes),
            TEST(test_unpack),
            cmocka_unit_test(test_pack),
            TEST(test_narrow_clock),
            TEST(test_malformed),
            TEST(test_round_trip),
            TEST(test_ring),
            TEST(test_accounts_are_apart),
            TEST(test_ring_in_ram_loses_nothing),
            TEST(test_time_without_a_sampler),
            TEST(test_restart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
