/* SPDX-License-Identifier: MIT */
/*
 * Views of the hot-spot table from their parts: what counts, what does not,
 * and that nothing hostile is ever shown.
 */
#include "frames_rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "hotspot_facts.h"

/* Room for one row more than a frame holds. */
#define PAYLOAD_ROOM (MCUPROF_WIRE_PAYLOAD_MAX + 8)

/* A payload as docs/wire.md draws it. */
struct part {
    uint8_t bytes[PAYLOAD_ROOM];
    size_t size;
};

/* Row N of a view: block N of 256 bytes, 48, 47, 46 ... of 1024. */
static void put_row(uint8_t *at, uint32_t row)
{
    bytes_put32(at, 0x08000000 + 256 * row + 4);
    bytes_put16(at + 4, (uint16_t)(48 - row));
    bytes_put16(at + 6, (uint16_t)(row / 2));
}

/* COUNT rows from FIRST on of a view of 30 rows. */
static struct part make(uint32_t sequence, uint8_t first, uint8_t count)
{
    struct part part = {.size = 20u + 8u * count};

    bytes_put32(part.bytes, sequence);
    bytes_put32(part.bytes + 4, 5000);
    bytes_put32(part.bytes + 8, 70);
    bytes_put32(part.bytes + 12, 8192);
    part.bytes[16] = 8;
    part.bytes[17] = 32;
    part.bytes[18] = 30;
    part.bytes[19] = first;
    for (uint32_t i = 0; i < count; i++)
        put_row(part.bytes + 20 + 8 * (size_t)i, first + i);
    return part;
}

static void give_part(struct target *target, struct part part)
{
    assert_int_equal(give(target, MCUPROF_WIRE_HOTSPOTS, part.bytes, part.size),
                     0);
}

static void give_view(struct target *target, uint32_t sequence)
{
    give_part(target, make(sequence, 0, 20));
    give_part(target, make(sequence, 20, 10));
}

static void give_start(struct target *target)
{
    uint8_t hello[MCUPROF_HELLO_SIZE] = {
            [MCUPROF_HELLO_VERSION] = 1,
            [MCUPROF_HELLO_FLAGS] = MCUPROF_HELLO_START | MCUPROF_HELLO_RUNNING,
            [MCUPROF_HELLO_ENGINES] =
                    MCUPROF_ENGINE_SAMPLER | MCUPROF_ENGINE_HOTSPOTS,
            [MCUPROF_HELLO_CLOCK_SOURCE] = MCUPROF_CLOCK_DWT};

    bytes_put32(hello + MCUPROF_HELLO_CLOCK_HZ, 1000000);
    bytes_put32(hello + MCUPROF_HELLO_PERIOD, 1000);
    assert_int_equal(give(target, MCUPROF_WIRE_HELLO, hello, sizeof hello), 0);
}

static void give_time(struct target *target, uint64_t ticks)
{
    uint8_t payload[MCUPROF_TIME_ENTRIES + MCUPROF_TIME_SAMPLER_SIZE] = {0};

    bytes_put64(payload + MCUPROF_TIME_TICKS, ticks);
    payload[MCUPROF_TIME_ENTRIES] = MCUPROF_ENGINE_SAMPLER;
    payload[MCUPROF_TIME_ENTRIES + 1] = MCUPROF_TIME_SAMPLER_SIZE;
    assert_int_equal(give(target, MCUPROF_WIRE_TIME, payload, sizeof payload),
                     0);
}

static const struct hotspot_views *ended(struct target *target)
{
    assert_int_equal(capture_end(target->capture), 0);
    return &target->capture->hotspots;
}

static void expect(struct target *target, uint64_t complete,
                   uint64_t incomplete)
{
    assert_int_equal(ended(target)->complete, complete);
    assert_int_equal(target->capture->hotspots.incomplete, incomplete);
    assert_int_equal(target->capture->hotspots.refused, 0);
}

/* Nothing is missing, but it cannot be true. */
static void expect_refused(struct target *target, uint64_t complete,
                           uint64_t refused)
{
    assert_int_equal(ended(target)->complete, complete);
    assert_int_equal(target->capture->hotspots.refused, refused);
    assert_int_equal(target->capture->hotspots.incomplete, 0);
    assert_true(capture_has_hotspots(target->capture));
    assert_true(capture_is_incomplete(target->capture));
}

/* A part written out by hand from docs/wire.md. */
static void test_by_hand(void **state)
{
    static const uint8_t payload[] = {
            0x07, 0x00, 0x00, 0x00, 0x40, 0xE2, 0x01, 0x00, /* 7, 123456 */
            0x39, 0x05, 0x00, 0x00, 0x00, 0x20, 0x00, 0x00, /* 1337, 8192 */
            9,    16,   2,    0,                            /* */
            0x10, 0x02, 0x00, 0x08, 0x00, 0x03, 0x04, 0x00, /* 768, 4 */
            0xFE, 0xFF, 0x00, 0x20, 0xFF, 0x00, 0x00, 0x01, /* 255, 256 */
    };
    struct target *target = *state;
    const struct hotspot_view *view;

    assert_int_equal(
            give(target, MCUPROF_WIRE_HOTSPOTS, payload, sizeof payload), 0);
    expect(target, 1, 0);
    view = &target->capture->hotspots.last;
    assert_int_equal(view->head.sequence, 7);
    assert_int_equal(view->head.samples, 123456);
    assert_int_equal(view->head.ignored, 1337);
    assert_int_equal(view->head.half_life, 8192);
    assert_int_equal(view->head.grain_log2, 9);
    assert_int_equal(view->head.capacity, 16);
    assert_int_equal(view->head.used, 2);
    assert_int_equal(view->units[0].pc, 0x08000210);
    assert_int_equal(view->units[0].ratio, 768);
    assert_int_equal(view->units[0].bound, 4);
    assert_int_equal(hotspot_least(&view->units[0]), 764);
    assert_int_equal(view->units[1].pc, 0x2000FFFE);
    assert_int_equal(view->units[1].ratio, 255);
    assert_int_equal(view->units[1].bound, 256);
    assert_int_equal(hotspot_least(&view->units[1]), 0);
    assert_true(capture_has_hotspots(target->capture));
}

static void test_no_rows(void **state)
{
    struct target *target = *state;
    struct part part = make(1, 0, 0);

    part.bytes[18] = 0;
    give_part(target, part); /* 5,000 samples, and no row has one */
    bytes_put32(part.bytes, 2);
    bytes_put32(part.bytes + 4, 0);
    give_part(target, part);
    expect_refused(target, 1, 1);
    assert_int_equal(target->capture->hotspots.last.head.sequence, 2);
    assert_int_equal(target->capture->hotspots.last.head.used, 0);
}

static void test_parts_in_any_order(void **state)
{
    struct target *target = *state;

    give_part(target, make(1, 20, 10));
    give_part(target, make(1, 0, 7));
    give_part(target, make(1, 7, 13));
    expect(target, 1, 0);
    for (uint32_t i = 0; i < 30; i++) {
        const struct wire_hotspot *unit =
                &target->capture->hotspots.last.units[i];

        assert_int_equal(unit->pc, 0x08000000 + 256 * i + 4);
        assert_int_equal(unit->ratio, 48 - i);
    }
}

static void test_parts_that_overlap(void **state)
{
    struct target *target = *state;

    give_part(target, make(1, 0, 20));
    give_part(target, make(1, 0, 20));
    give_part(target, make(1, 10, 20));
    give_part(target, make(1, 20, 10));
    expect(target, 1, 0);
}

static void test_missing_part(void **state)
{
    struct target *target = *state;

    give_view(target, 1);
    give_part(target, make(2, 0, 20));
    give_part(target, make(3, 0, 20));
    give_part(target, make(3, 20, 9)); /* all but one row */
    expect(target, 1, 2);
    assert_int_equal(target->capture->hotspots.last.head.sequence, 1);
    assert_true(capture_is_incomplete(target->capture));
}

/* Frames of two views that changed places: none of them gets whole again. */
static void test_interleaved_views(void **state)
{
    struct target *target = *state;

    give_part(target, make(1, 0, 20));
    give_part(target, make(2, 0, 20));
    give_part(target, make(1, 20, 10));
    give_part(target, make(2, 20, 10));
    expect(target, 0, 4);
}

/* Who joins in the middle of a view has lost nothing. */
static void test_joining_within_a_view(void **state)
{
    struct target *target = *state;

    give_part(target, make(1, 20, 10));
    give_view(target, 2);
    expect(target, 1, 0);
    assert_false(capture_is_incomplete(target->capture));
}

static void test_ending_within_a_view(void **state)
{
    struct target *target = *state;

    give_view(target, 1);
    give_part(target, make(2, 0, 20));
    expect(target, 1, 1);
}

static void test_heads_that_differ(void **state)
{
    struct target *target = *state;

    for (size_t at = 4; at < 19; at++) {
        struct part other = make(9, 20, 10);

        give_part(target, make(9, 0, 20));
        other.bytes[at] ^= at == 18 ? 1 : 2; /* still within limits */
        if (at == 18)
            other.bytes[at] = 31;
        give_part(target, other);
        give_part(target, make(9, 20, 10)); /* too late */
        give_view(target, 10);
    }
    expect_refused(target, 15, 15);
}

static void test_rows_that_differ(void **state)
{
    static const size_t changed[] = {0, 4, 6}; /* pc, ratio, bound */
    struct target *target = *state;
    uint64_t refused = 0;

    for (size_t i = 0; i < sizeof changed / sizeof changed[0]; i++) {
        uint32_t sequence = 1 + (uint32_t)i;
        struct part other = make(sequence, 20, 10);

        give_part(target, make(sequence, 0, 20));
        give_part(target, make(sequence, 20, 10));
        other.bytes[20 + changed[i]] ^= 2;
        give_part(target, other);
        expect_refused(target, 0, ++refused);
    }
}

/* Each part is sound by itself. */
static void test_sums_that_pass_the_whole(void **state)
{
    struct target *target = *state;
    struct part parts[2] = {make(1, 0, 20), make(1, 20, 10)};

    bytes_put16(parts[0].bytes + 24, 48 + 1024 - 1005);
    give_part(target, parts[0]);
    give_part(target, parts[1]);
    bytes_put16(parts[0].bytes + 24, 48 + 1024 - 1005 + 1);
    for (size_t i = 0; i < 2; i++) {
        bytes_put32(parts[i].bytes, 2);
        give_part(target, parts[i]);
    }
    /* 48 + 47 + ... + 19 is 1005. */
    expect_refused(target, 1, 1);
    assert_int_equal(target->capture->hotspots.last.head.sequence, 1);
}

/* Of 30 rows less than 30 is rounded away: 1024 - 30 is too little. */
static void test_sums_below_the_whole(void **state)
{
    struct target *target = *state;
    struct part parts[2] = {make(1, 0, 20), make(1, 20, 10)};

    /* The last of ten rows: 1005 gets 995, then 994. */
    bytes_put16(parts[1].bytes + 96, 19 - 10);
    give_part(target, parts[0]);
    give_part(target, parts[1]);
    bytes_put16(parts[1].bytes + 96, 19 - 11);
    for (size_t i = 0; i < 2; i++) {
        bytes_put32(parts[i].bytes, 2);
        give_part(target, parts[i]);
    }
    expect_refused(target, 1, 1);
    assert_int_equal(target->capture->hotspots.last.head.sequence, 1);
}

/* Row 20, the first of a part, has as much as row 19, and one more. */
static void test_row_above_the_one_before(void **state)
{
    struct target *target = *state;

    for (uint32_t more = 1; more < 3; more++) {
        struct part part = make(more, 20, 10);

        bytes_put16(part.bytes + 24, (uint16_t)(28 + more));
        give_part(target, make(more, 0, 20));
        give_part(target, part);
    }
    expect_refused(target, 1, 1);
    assert_int_equal(target->capture->hotspots.last.head.sequence, 1);
}

static void test_rows_without_samples(void **state)
{
    struct target *target = *state;

    /* A number that has wrapped may be less than that of the rows. */
    for (uint32_t samples = 0; samples < 2; samples++) {
        struct part parts[2] = {make(samples, 0, 20), make(samples, 20, 10)};

        for (size_t i = 0; i < 2; i++) {
            bytes_put32(parts[i].bytes + 4, samples);
            give_part(target, parts[i]);
        }
    }
    expect_refused(target, 1, 1);
    assert_int_equal(target->capture->hotspots.last.head.sequence, 1);
}

static void test_block_that_comes_twice(void **state)
{
    struct target *target = *state;
    struct part part = make(1, 20, 10);

    give_part(target, make(1, 0, 20));
    bytes_put32(part.bytes + 20, 0x080000FE); /* block of row 0 */
    give_part(target, part);
    expect_refused(target, 0, 1);
}

/* The sequence begins anew, at the same number even. */
static void test_restart_in_between(void **state)
{
    struct target *target = *state;

    give_start(target);
    give_time(target, 0);
    give_view(target, 1);
    give_time(target, 1500000);
    give_view(target, 2);
    give_part(target, make(3, 0, 20));
    target->seq = 0;
    give_start(target);
    give_part(target, make(3, 20, 10));
    expect(target, 2, 2);
    assert_int_equal(target->capture->hotspots.last.segment, 1);
    assert_true(target->capture->hotspots.last.has_before);
    assert_int_equal(target->capture->hotspots.last.before, 1500000);
    assert_false(target->capture->hotspots.last.has_behind);
    assert_int_equal(capture_totals(target->capture)->segments, 2);
}

static void test_last_of_the_last_segment(void **state)
{
    struct target *target = *state;

    give_start(target);
    give_time(target, 0);
    give_view(target, 8);
    target->seq = 0;
    give_start(target);
    give_view(target, 1);
    expect(target, 2, 0);
    assert_int_equal(target->capture->hotspots.last.segment, 2);
    assert_int_equal(target->capture->hotspots.last.head.sequence, 1);
    assert_false(target->capture->hotspots.last.has_before);
}

static void test_hostile_values(void **state)
{
    static const struct {
        const char *what;
        uint8_t rows;
        size_t at;
        uint8_t bytes[4];
        size_t count;
    } cases[] = {
            {"grain 1 << 3", 20, 16, {3}, 1},
            {"grain 1 << 17", 20, 16, {17}, 1},
            {"grain 1 << 255", 20, 16, {255}, 1},
            {"no units", 0, 17, {0, 0, 0}, 3},
            {"more in use than there are", 20, 18, {33}, 1},
            {"first row behind the last", 0, 19, {31}, 1},
            {"rows behind the last", 20, 19, {11}, 1},
            {"first row 255", 20, 19, {255}, 1},
            {"odd pc", 20, 20, {1}, 1},
            {"ratio above the whole", 1, 24, {1, 4}, 2},
            {"ratio 65535", 1, 24, {255, 255}, 2},
            {"bound above the whole", 20, 26, {1, 4}, 2},
            {"sum above the whole", 2, 32, {0xD9, 3}, 2}, /* 985 + 48 */
    };
    struct target *target = *state;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct part part = make(1, 0, cases[i].rows);

        memcpy(part.bytes + cases[i].at, cases[i].bytes, cases[i].count);
        if (give(target, MCUPROF_WIRE_HOTSPOTS, part.bytes, part.size)
            != MCUPROF_E_FORMAT)
            fail_msg("taken: %s", cases[i].what);
    }
    expect(target, 0, 0);
    assert_int_equal(target->capture->decoder.stats.bad_hotspots,
                     sizeof cases / sizeof cases[0]);
    assert_true(capture_has_hotspots(target->capture));
}

/* The payload is in memory of exactly its size: reading on is seen. */
static void test_every_size(void **state)
{
    struct target *target = *state;
    struct part whole = make(1, 0, 27);
    size_t taken = 0;

    for (size_t size = 0; size <= MCUPROF_WIRE_PAYLOAD_MAX; size++) {
        uint8_t *payload = malloc(size + 1);

        assert_non_null(payload);
        memcpy(payload + 1, whole.bytes, size);
        taken += give(target, MCUPROF_WIRE_HOTSPOTS, payload + 1, size) == 0;
        free(payload);
    }
    assert_int_equal(taken, 28); /* 0 to 27 rows */
    expect(target, 0, 1);
}

static void test_most_rows(void **state)
{
    struct target *target = *state;

    for (uint8_t first = 0; first < 255; first = (uint8_t)(first + 15)) {
        struct part part = make(1, first, 15);

        part.bytes[17] = 255;
        part.bytes[18] = 255;
        for (size_t i = 0; i < 15; i++)
            bytes_put16(part.bytes + 20 + 8 * i + 4, 4);
        give_part(target, part);
    }
    expect(target, 1, 0);
    assert_int_equal(target->capture->hotspots.last.units[254].pc,
                     0x08000000 + 256 * 254 + 4);
}

/* Numbers of 4,000 frames of noise; only what is sound may be kept. */
static void test_noise(void **state)
{
    struct target *target = *state;
    uint64_t dice = 1;

    for (unsigned round = 0; round < 4000; round++) {
        struct part part = make(round / 3, (uint8_t)(round % 3 * 10), 10);

        for (unsigned i = 0; i < 1 + round % 4; i++) {
            dice = dice * 6364136223846793005u + 1442695040888963407u;
            part.bytes[(dice >> 33) % part.size] ^= (uint8_t)(dice >> 56);
        }
        (void)give(target, MCUPROF_WIRE_HOTSPOTS, part.bytes, part.size);
        if (target->capture->hotspots.complete > 0) {
            const struct hotspot_view *view = &target->capture->hotspots.last;
            unsigned sum = 0;

            assert_in_range(view->head.used, 0, view->head.capacity);
            for (size_t i = 0; i < view->head.used; i++) {
                sum += view->units[i].ratio;
                assert_int_equal(view->units[i].pc & 1, 0);
                assert_in_range(view->units[i].bound, 0, 1024);
            }
            assert_in_range(sum, 0, 1024);
        }
    }
    assert_true(target->capture->decoder.stats.bad_hotspots > 100);
}

static void test_facts(void **state)
{
    struct target *target = *state;
    struct hotspot_facts facts;

    give_start(target);
    give_time(target, 2000000);
    give_view(target, 1);
    give_time(target, 2500000);
    give_time(target, 3000000);
    expect(target, 1, 0);
    facts = hotspot_facts(target->capture);
    assert_float_equal(facts.sum, 1005.0 / 1024, 1e-12);
    /* Bounds are 0 0 1 1 2 2 ... 14 14, 210 together. */
    assert_float_equal(facts.least, (1005.0 - 210) / 1024, 1e-12);
    assert_float_equal(facts.outside, 0.0, 0.0);
    assert_float_equal(facts.earliest.value, 2.0, 1e-9);
    assert_float_equal(facts.latest.value, 2.5, 1e-9);
    assert_float_equal(facts.half_life.value, 8.192, 1e-9);
    /* Of the last row, with 19, it takes no more than that has. */
    target->capture->hotspots.last.units[29].bound = 25;
    facts = hotspot_facts(target->capture);
    assert_float_equal(facts.least, (1005.0 - 210 + 14 - 19) / 1024, 1e-12);
    target->capture->hotspots.last.head.capacity = 30;
    facts = hotspot_facts(target->capture);
    assert_float_equal(facts.outside, 20.0 / 1024, 1e-12); /* 19 and a rest */
    target->capture->hotspots.last.head.capacity = 200;
    target->capture->hotspots.last.head.used = 200;
    facts = hotspot_facts(target->capture);
    assert_in_range(facts.outside * 1e6, 0, 5000); /* 1/200 */
}

/* The sums themselves, where one sample of EVERY is not ignored. */
static double effective_by_sums(uint32_t half_life, uint32_t count,
                                uint32_t every)
{
    double step = half_life > 0 ? pow(0.5, 1.0 / half_life) : 1.0;
    double weight = 1.0;
    double sum = 0.0;
    double squares = 0.0;

    for (uint32_t i = 0; i < count * every; i++) {
        if (i % every == 0) {
            sum += weight;
            squares += weight * weight;
        }
        weight *= step;
    }
    return squares > 0.0 ? sum * sum / squares : 0.0;
}

static void test_effective_samples(void **state)
{
    static const uint32_t half_lives[] = {0, 16, 1000, 8192};
    static const uint32_t counts[] = {0, 1, 100, 30000};

    (void)state;
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 4; k++)
            for (uint32_t every = 1; every < 4; every++) {
                struct hotspot_view view = {
                        .head = {.half_life = half_lives[i],
                                 .samples = counts[k],
                                 .ignored = counts[k] * (every - 1)}};
                double truth =
                        effective_by_sums(half_lives[i], counts[k], every);

                /* They are spread evenly, but not within a pattern. */
                assert_true(fabs(hotspot_view_effective_samples(&view) - truth)
                            <= (every == 1 ? 1e-9 : 0.01) * truth);
            }
}

#define TEST(function)                                                         \
    cmocka_unit_test_setup_teardown(function, frames_set_up, frames_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
            TEST(test_by_hand),
            TEST(test_no_rows),
            TEST(test_parts_in_any_order),
            TEST(test_parts_that_overlap),
            TEST(test_missing_part),
            TEST(test_interleaved_views),
            TEST(test_joining_within_a_view),
            TEST(test_ending_within_a_view),
            TEST(test_heads_that_differ),
            TEST(test_rows_that_differ),
            TEST(test_sums_that_pass_the_whole),
            TEST(test_sums_below_the_whole),
            TEST(test_row_above_the_one_before),
            TEST(test_rows_without_samples),
            TEST(test_block_that_comes_twice),
            TEST(test_restart_in_between),
            TEST(test_last_of_the_last_segment),
            TEST(test_hostile_values),
            TEST(test_every_size),
            TEST(test_most_rows),
            TEST(test_noise),
            TEST(test_facts),
            TEST(test_effective_samples),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
