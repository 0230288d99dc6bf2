/* SPDX-License-Identifier: MIT */
/*
 * Snapshots of the function table from their parts, as docs/wire.md draws
 * them: what counts, what replaces what, what is summed up, and that nothing
 * that contradicts itself is ever shown.
 */
#include "frames_rig.h"

#include <string.h>

#include "bytes.h"

#define RAW 1
#define MOMENTS 2
#define RUNNING 4

struct part {
    uint8_t bytes[300];
    size_t size;
};

static int give_part(struct target *target, const struct part *part)
{
    return give(target, 0x08, part->bytes, part->size);
}

/* A head: of ROWS rows in all, those from FIRST on follow. */
static uint8_t head_period = 1;

static struct part head(uint32_t sequence, uint64_t ticks, uint16_t rows,
                        uint16_t first)
{
    struct part part = {.size = 22};

    bytes_put32(part.bytes, sequence);
    bytes_put64(part.bytes + 4, ticks);
    bytes_put16(part.bytes + 12, rows);
    bytes_put16(part.bytes + 14, first);
    part.bytes[16] = RUNNING;
    part.bytes[17] = head_period;
    bytes_put16(part.bytes + 18, 10);
    bytes_put16(part.bytes + 20, 64);
    return part;
}

static void put(struct part *part, uint64_t number)
{
    for (; number >= 128; number >>= 7)
        part->bytes[part->size++] = (uint8_t)(number & 127) | 128;
    part->bytes[part->size++] = (uint8_t)number;
}

static void put_row(struct part *part, uint8_t kind, size_t count,
                    const uint64_t *numbers)
{
    part->bytes[part->size++] = kind;
    for (size_t i = 0; i < count; i++)
        put(part, numbers[i]);
}

#define PUT(part, kind, ...)                                                   \
    put_row((part), (kind),                                                    \
            sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t),        \
            (const uint64_t[]){__VA_ARGS__})

/* function, context, calls, open, self, total, min, max */
#define PUT_FUNCTION(part, ...) PUT(part, 0, __VA_ARGS__)
#define PUT_COUNTS(part) PUT(part, 3, 5, 1, 2, 3, 4, 6, 7)

/* Two functions, one in two contexts, all with SCALE times the calls. */
static void give_snapshot(struct target *target, uint32_t sequence,
                          uint64_t scale)
{
    struct part part = head(sequence, 1000 * scale, 6, 0);

    PUT_FUNCTION(&part, 0x200, 0, 3 * scale, 1, 100 * scale, 150 * scale, 20,
                 40);
    PUT_FUNCTION(&part, 0x100, 15, 2 * scale, 0, 60 * scale, 60 * scale, 25,
                 35);
    PUT_FUNCTION(&part, 0x100, 0, 5 * scale, 0, 50 * scale, 50 * scale, 9, 11);
    assert_int_equal(give_part(target, &part), 0);
    part = head(sequence, 1000 * scale, 6, 3);
    PUT(&part, 1, 0, 680 * scale);
    PUT(&part, 2, 0, 1 * scale, 2 * scale);
    PUT_COUNTS(&part);
    assert_int_equal(give_part(target, &part), 0);
}

static void give_hello(struct target *target, uint32_t boot, bool start)
{
    uint8_t hello[60] = {1, start ? 1 : 0, 1, 1, 32};

    bytes_put32(hello + 12, boot);
    bytes_put32(hello + 16, 1000000);
    hello[46] = 8;
    assert_int_equal(give(target, 0x01, hello, sizeof hello), 0);
}

static void give_time(struct target *target, uint64_t ticks)
{
    uint8_t payload[16] = {0};

    bytes_put64(payload, ticks);
    assert_int_equal(give(target, 0x03, payload, sizeof payload), 0);
}

static const struct function_table *ended(struct target *target)
{
    assert_int_equal(capture_end(target->capture), 0);
    return &target->capture->functions;
}

static void expect_counts(const struct function_table *table, uint64_t complete,
                          uint64_t incomplete, uint64_t refused)
{
    assert_int_equal(table->complete, complete);
    assert_int_equal(table->incomplete, incomplete);
    assert_int_equal(table->refused, refused);
}

static const struct function_counts *row(const struct function_table *table,
                                         uint8_t kind, uint32_t function,
                                         uint16_t context)
{
    for (size_t i = 0; i < table->whole.count; i++) {
        const struct function_counts *found = &table->whole.rows[i];

        if (found->kind == kind && found->function == function
            && found->context == context)
            return found;
    }
    fail_msg("no such row");
    return NULL;
}

static void expect_row(const struct function_counts *row,
                       const uint64_t *numbers)
{
    assert_int_equal(row->calls, numbers[0]);
    assert_int_equal(row->open, numbers[1]);
    assert_int_equal(row->self, numbers[2]);
    assert_int_equal(row->total, numbers[3]);
    assert_int_equal(row->min, numbers[4]);
    assert_int_equal(row->max, numbers[5]);
}

#define EXPECT_ROW(row, ...) expect_row((row), (const uint64_t[]){__VA_ARGS__})

static void test_two_parts_are_one(void **state)
{
    const struct function_table *table;

    give_snapshot(*state, 7, 1);
    table = ended(*state);
    expect_counts(table, 1, 0, 0);
    assert_int_equal(table->whole.sequence, 7);
    assert_int_equal(table->whole.ticks, 1000);
    assert_int_equal(table->whole.capacity, 64);
    assert_int_equal(table->whole.pair, 10);
    assert_int_equal(table->whole.count, 5);
    EXPECT_ROW(row(table, 0, 0x100, 0), 5, 0, 50, 50, 9, 11);
    EXPECT_ROW(row(table, 0, 0x100, 15), 2, 0, 60, 60, 25, 35);
    EXPECT_ROW(row(table, 0, 0x200, 0), 3, 1, 100, 150, 20, 40);
    EXPECT_ROW(row(table, 1, 0, 0), 0, 0, 680, 0, 0, 0);
    EXPECT_ROW(row(table, 2, 0, 0), 1, 0, 2, 0, 0, 0);
    assert_int_equal(table->whole.counts.hooks, 5);
    assert_int_equal(table->whole.counts.unwound, 1);
    assert_int_equal(table->whole.counts.unmatched, 2);
    assert_int_equal(table->whole.counts.deep, 3);
    assert_int_equal(table->whole.counts.no_slot, 4);
    assert_int_equal(table->whole.counts.no_context, 6);
    assert_int_equal(table->whole.counts.tries, 7);
}

static void test_sums(void **state)
{
    const struct function_table *table;
    struct function_sums sums;

    give_snapshot(*state, 1, 1);
    table = ended(*state);
    sums = function_table_sums(&table->whole);
    assert_int_equal(sums.self, 210);
    assert_int_equal(sums.outside, 680);
    assert_int_equal(sums.no_slot, 2);
    assert_int_equal(sums.hooks, 5 + 11 * 10);
    assert_int_equal(sums.all, 1007);
    assert_int_equal(sums.wall, 1000);
    assert_int_equal(sums.open, 1);
    assert_true(function_table_apart(&sums) > 0.699);
    assert_true(function_table_apart(&sums) < 0.701);
    assert_false(function_table_adds_up(&sums));
    sums.all = 995;
    assert_true(function_table_adds_up(&sums));
}

static void test_the_last_one_replaces(void **state)
{
    const struct function_table *table;

    give_snapshot(*state, 1, 1);
    give_snapshot(*state, 2, 3);
    table = ended(*state);
    expect_counts(table, 2, 0, 0);
    assert_int_equal(table->periods, 1);
    assert_int_equal(table->whole.ticks, 3000);
    EXPECT_ROW(row(table, 0, 0x200, 0), 9, 1, 300, 450, 20, 40);
}

/* A reset between two snapshots: what was before it counts as well. */
static void test_periods_are_summed(void **state)
{
    const struct function_table *table;

    give_snapshot(*state, 1, 3);
    give_snapshot(*state, 2, 2);
    table = ended(*state);
    assert_int_equal(table->periods, 2);
    assert_int_equal(table->whole.ticks, 5000);
    EXPECT_ROW(row(table, 0, 0x200, 0), 15, 2, 500, 750, 20, 40);
    assert_int_equal(table->whole.counts.unwound, 2);
    assert_int_equal(table->whole.pairs, 5 * 110);
}

/* Counts may all be greater than before, and yet of another period. */
static void test_periods_have_numbers(void **state)
{
    const struct function_table *table;

    head_period = 255;
    give_snapshot(*state, 1, 1);
    head_period = 0;
    give_snapshot(*state, 2, 2);
    give_snapshot(*state, 3, 3);
    head_period = 4;
    give_snapshot(*state, 4, 4);
    head_period = 1;
    table = ended(*state);
    assert_int_equal(table->periods, 3);
    assert_int_equal(table->unseen, 3);
    assert_int_equal(table->whole.ticks, 8000);
    EXPECT_ROW(row(table, 0, 0x200, 0), 3 * 8, 3, 800, 1200, 20, 40);
}

/* More time went by, but a function has fewer calls: a reset came between. */
static void test_fewer_calls_are_another_period(void **state)
{
    struct target *target = *state;
    struct part part = head(2, 9000, 6, 0);
    const struct function_table *table;

    give_snapshot(target, 1, 1);
    /* All other rows are as they were, and none is gone. */
    PUT_FUNCTION(&part, 0x200, 0, 3, 1, 100, 150, 20, 40);
    PUT_FUNCTION(&part, 0x100, 15, 2, 0, 60, 60, 25, 35);
    PUT_FUNCTION(&part, 0x100, 0, 4, 0, 40, 40, 4, 20);
    PUT(&part, 1, 0, 680);
    PUT(&part, 2, 0, 1, 2);
    PUT_COUNTS(&part);
    assert_int_equal(give_part(target, &part), 0);
    table = ended(target);
    assert_int_equal(table->periods, 2);
    assert_int_equal(table->whole.ticks, 10000);
    EXPECT_ROW(row(table, 0, 0x100, 0), 9, 0, 90, 90, 4, 20);
    EXPECT_ROW(row(table, 0, 0x100, 15), 4, 0, 120, 120, 25, 35);
}

/* All have as many calls as before, but one function has no row. */
static void test_a_row_less_is_another_period(void **state)
{
    struct target *target = *state;
    struct part part = head(2, 9000, 5, 0);
    const struct function_table *table;

    give_snapshot(target, 1, 1);
    PUT_FUNCTION(&part, 0x200, 0, 3, 1, 100, 150, 20, 40);
    PUT_FUNCTION(&part, 0x100, 0, 5, 0, 50, 50, 9, 11);
    PUT(&part, 1, 0, 680);
    PUT(&part, 2, 0, 1, 2);
    PUT_COUNTS(&part);
    assert_int_equal(give_part(target, &part), 0);
    table = ended(target);
    assert_int_equal(table->periods, 2);
    EXPECT_ROW(row(table, 0, 0x100, 0), 10, 0, 100, 100, 9, 11);
    EXPECT_ROW(row(table, 0, 0x100, 15), 2, 0, 60, 60, 25, 35);
}

/* min and max of calls that were left; an open one says nothing of them. */
static void test_least_of_none(void **state)
{
    struct target *target = *state;
    const struct function_table *table;
    struct part part = head(1, 5000, 2, 0);

    PUT_FUNCTION(&part, 0x100, 0, 1, 1, 40, 40, 0, 0);
    PUT_COUNTS(&part);
    assert_int_equal(give_part(target, &part), 0);
    give_snapshot(target, 2, 1);
    table = ended(target);
    assert_int_equal(table->periods, 2);
    EXPECT_ROW(row(table, 0, 0x100, 0), 6, 1, 90, 90, 9, 11);
}

/* Sampling that starts again is no start of the table. */
static void test_another_segment_is_no_period(void **state)
{
    struct target *target = *state;
    const struct function_table *table;

    give_hello(target, 5, true);
    give_snapshot(target, 1, 1);
    give_hello(target, 5, true);
    give_snapshot(target, 2, 2);
    table = ended(target);
    assert_int_equal(table->periods, 1);
    assert_int_equal(table->whole.ticks, 2000);
}

static void test_another_boot_is_a_period(void **state)
{
    struct target *target = *state;
    const struct function_table *table;

    give_hello(target, 5, true);
    give_snapshot(target, 1, 1);
    give_hello(target, 6, true);
    give_snapshot(target, 1, 2);
    table = ended(target);
    assert_int_equal(table->periods, 2);
    assert_int_equal(table->whole.ticks, 3000);
}

static void test_a_lost_part_is_counted(void **state)
{
    struct target *target = *state;
    struct part part = head(2, 2000, 6, 3);
    const struct function_table *table;

    give_snapshot(target, 1, 1);
    PUT(&part, 1, 0, 680);
    PUT(&part, 2, 0, 1, 2);
    PUT_COUNTS(&part);
    assert_int_equal(give_part(target, &part), 0);
    table = ended(target);
    expect_counts(table, 1, 1, 0);
    assert_int_equal(table->whole.ticks, 1000);
    assert_true(capture_is_incomplete(target->capture));
}

static void test_a_lost_end_is_counted(void **state)
{
    struct target *target = *state;
    struct part part = head(2, 2000, 2, 0);
    const struct function_table *table;

    PUT_FUNCTION(&part, 0x100, 0, 3, 0, 9, 9, 3, 3);
    assert_int_equal(give_part(target, &part), 0);
    give_snapshot(target, 3, 1);
    table = ended(target);
    expect_counts(table, 1, 1, 0);
    assert_int_equal(table->whole.ticks, 1000);
}

/* Whoever joins in the middle of a snapshot has lost nothing. */
static void test_a_rest_in_front_is_no_loss(void **state)
{
    struct target *target = *state;
    struct part part = head(2, 2000, 6, 5);

    PUT_COUNTS(&part);
    assert_int_equal(give_part(target, &part), 0);
    /* 400 and 500, and 10 pairs of hooks. */
    part = head(3, 1000, 3, 0);
    PUT_FUNCTION(&part, 0x100, 0, 10, 0, 400, 400, 9, 90);
    PUT(&part, 1, 0, 500);
    PUT(&part, 3, 0, 0, 0, 0, 0, 0, 0);
    assert_int_equal(give_part(target, &part), 0);
    expect_counts(ended(target), 1, 0, 0);
    assert_false(capture_is_incomplete(target->capture));
}

static void test_parts_that_disagree(void **state)
{
    static const struct {
        size_t at;
        uint8_t value;
    } changes[] = {{4, 1}, {12, 7}, {16, 0}, {18, 11}, {20, 65}};
    struct target *target = *state;

    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        struct part first = head(9 + (uint32_t)i, 2000, 3, 0);
        struct part second = head(9 + (uint32_t)i, 2000, 3, 1);

        PUT_FUNCTION(&first, 0x100, 0, 3, 0, 9, 9, 3, 3);
        assert_int_equal(give_part(target, &first), 0);
        second.bytes[changes[i].at] = changes[i].value;
        PUT_FUNCTION(&second, 0x200, 0, 3, 0, 9, 9, 3, 3);
        assert_int_equal(give_part(target, &second), 0);
    }
    expect_counts(ended(target), 0, 0, 5);
}

static void test_one_function_twice(void **state)
{
    struct target *target = *state;
    struct part part = head(1, 2000, 3, 0);

    PUT_FUNCTION(&part, 0x100, 0, 3, 0, 9, 9, 3, 3);
    PUT_FUNCTION(&part, 0x100, 0, 2, 0, 9, 9, 3, 3);
    PUT_COUNTS(&part);
    assert_int_equal(give_part(target, &part), 0);
    expect_counts(ended(target), 0, 0, 1);
}

static void test_more_functions_than_slots(void **state)
{
    struct target *target = *state;
    struct part part = head(1, 2000, 3, 0);

    part.bytes[20] = 1;
    PUT_FUNCTION(&part, 0x100, 0, 3, 0, 9, 9, 3, 3);
    PUT_FUNCTION(&part, 0x200, 0, 2, 0, 9, 9, 3, 3);
    PUT_COUNTS(&part);
    assert_int_equal(give_part(target, &part), 0);
    expect_counts(ended(target), 0, 0, 1);
}

/* Sums that no number holds are nobody's. */
static void test_sums_that_overflow(void **state)
{
    struct target *target = *state;
    struct part part = head(1, 2000, 3, 0);

    PUT_FUNCTION(&part, 0x100, 0, 1, 0, INT64_MAX - 5, 9, 3, 3);
    PUT_FUNCTION(&part, 0x200, 0, 1, 0, 6, 9, 3, 3);
    PUT_COUNTS(&part);
    assert_int_equal(give_part(target, &part), 0);
    part = head(2, 2000, 2, 0);
    PUT_FUNCTION(&part, 0x100, 0, INT64_MAX / 10, 0, 6, 9, 3, 3);
    PUT_COUNTS(&part);
    assert_int_equal(give_part(target, &part), 0);
    expect_counts(ended(target), 0, 0, 2);
}

static void expect_damaged(struct target *target, const struct part *part)
{
    uint64_t before = target->capture->decoder.stats.bad_functions;

    assert_int_equal(give_part(target, part), MCUPROF_E_FORMAT);
    assert_int_equal(target->capture->decoder.stats.bad_functions, before + 1);
}

/* Each one contradicts itself in one thing. */
static void test_damaged_rows(void **state)
{
    static const uint64_t rows[][8] = {
            {0x101, 0, 3, 0, 9, 9, 3, 3},         /* odd address */
            {0x100000000, 0, 3, 0, 9, 9, 3, 3},   /* none of 32 bits */
            {0x100, 65536, 3, 0, 9, 9, 3, 3},     /* no such context */
            {0x100, 0, 3, 4, 9, 9, 0, 0},         /* more open than calls */
            {0x100, 0, 3, 0, 9, 9, 4, 3},         /* min above max */
            {0x100, 0, 3, 3, 9, 9, 0, 3},         /* a max of no call */
            {0x100, 0, 3, 0, UINT64_MAX, 9, 3, 3} /* no time */
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct part part = head(1, 2000, 2, 0);

        put_row(&part, 0, 8, rows[i]);
        PUT_COUNTS(&part);
        expect_damaged(*state, &part);
    }
    expect_counts(ended(*state), 0, 0, 0);
}

static void test_damaged_parts(void **state)
{
    struct part part = head(1, 2000, 2, 0);

    /* Cut anywhere but between rows. */
    PUT_FUNCTION(&part, 0x100, 0, 3, 0, 9, 9, 3, 3);
    for (size_t size = 0; size < part.size; size++) {
        struct part cut = part;

        cut.size = size;
        if (size != 22)
            expect_damaged(*state, &cut);
    }
    /* Rows behind the counts, more rows than there are, none of a kind, a
       last row that is no counts, counts that are not the last. */
    PUT_COUNTS(&part);
    PUT_COUNTS(&part);
    expect_damaged(*state, &part);
    part = head(1, 2000, 1, 0);
    PUT_FUNCTION(&part, 0x100, 0, 3, 0, 9, 9, 3, 3);
    PUT_FUNCTION(&part, 0x200, 0, 3, 0, 9, 9, 3, 3);
    expect_damaged(*state, &part);
    part = head(1, 2000, 1, 0);
    PUT_FUNCTION(&part, 0x100, 0, 3, 0, 9, 9, 3, 3);
    expect_damaged(*state, &part);
    part = head(1, 2000, 9, 0);
    PUT(&part, 4, 1, 2);
    expect_damaged(*state, &part);
    part = head(1, 2000, 9, 0);
    PUT_COUNTS(&part);
    expect_damaged(*state, &part);
    /* Raw, and yet something was taken out. */
    part = head(1, 2000, 1, 0);
    part.bytes[16] = RAW;
    PUT_COUNTS(&part);
    expect_damaged(*state, &part);
    part.bytes[18] = 0;
    assert_int_equal(give_part(*state, &part), 0);
}

/* 72 rows of three bytes fill a frame. */
static void test_a_full_frame(void **state)
{
    struct part part = head(1, 2000, 73, 0);
    struct part last = head(1, 2000, 73, 72);

    for (uint16_t i = 0; i < 72; i++)
        PUT(&part, 1, i % 128, i);
    assert_int_equal(part.size, 238);
    assert_int_equal(give_part(*state, &part), 0);
    PUT_COUNTS(&last);
    assert_int_equal(give_part(*state, &last), 0);
    expect_counts(ended(*state), 1, 0, 0);
}

static void test_flags(void **state)
{
    struct target *target = *state;
    struct part part = head(1, 2000, 1, 0);
    const struct function_table *table;

    part.bytes[16] = RAW | MOMENTS;
    part.bytes[18] = 0;
    PUT_COUNTS(&part);
    assert_int_equal(give_part(target, &part), 0);
    give_snapshot(target, 2, 2);
    table = ended(target);
    assert_true(table->mixed);
    assert_int_equal(table->whole.flags, MOMENTS | RUNNING);
}

/* What TIMEs leave room for between two snapshots. */
static void test_the_clock(void **state)
{
    struct target *target = *state;
    const struct function_clock *clock;

    give_hello(target, 5, true);
    give_time(target, 10000);
    give_snapshot(target, 1, 1);
    give_time(target, 11000);
    give_time(target, 13500);
    give_snapshot(target, 2, 4);
    give_time(target, 14200);
    give_time(target, 19000);
    clock = &ended(target)->clock;
    assert_true(clock->known);
    assert_int_equal(clock->ticks, 3000);
    assert_int_equal(clock->least, 2500);
    assert_int_equal(clock->most, 4200);
}

static void test_no_clock_of_another_boot(void **state)
{
    struct target *target = *state;

    give_hello(target, 5, true);
    give_time(target, 10000);
    give_snapshot(target, 1, 1);
    give_time(target, 11000);
    give_snapshot(target, 2, 4);
    give_hello(target, 6, true);
    give_time(target, 100);
    assert_false(ended(target)->clock.known);
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

/* Whatever comes in frames with a right CRC: what is shown is a table. */
static void test_random_parts(void **state)
{
    struct target *target = *state;
    const struct function_table *table;
    uint32_t seed = 1;

    for (int i = 0; i < 30000; i++) {
        struct part part = head(next_random(&seed) % 3, 1000, 3, 0);
        uint32_t changes = next_random(&seed) % 4;

        PUT_FUNCTION(&part, 0x200, 0, 300, 1, 100000, 150, 20, 40);
        if (next_random(&seed) % 2 == 0)
            PUT(&part, 1, 0, UINT64_C(1) << next_random(&seed) % 64);
        else
            PUT(&part, 2, 0, UINT64_C(1) << next_random(&seed) % 64, 2);
        PUT_COUNTS(&part);
        for (; changes > 0; changes--)
            part.bytes[next_random(&seed) % part.size] =
                    (uint8_t)next_random(&seed);
        if (next_random(&seed) % 4 == 0)
            part.size = next_random(&seed) % part.size;
        (void)give_part(target, &part);
    }
    table = ended(target);
    assert_true(table->complete > 1000);
    assert_true(table->refused > 10);
    assert_true(table->incomplete > 100);
    assert_true(target->capture->decoder.stats.bad_functions > 1000);
    assert_true(function_table_sums(&table->whole).all <= INT64_MAX);
    for (size_t i = 0; i < table->whole.count; i++) {
        const struct function_counts *counts = &table->whole.rows[i];

        assert_true(counts->kind <= 2 && counts->function % 2 == 0);
        assert_true(counts->open <= counts->calls);
        assert_true(counts->min <= counts->max);
        assert_true(counts->self <= INT64_MAX && counts->total <= INT64_MAX);
    }
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, frames_set_up, frames_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
            TEST(test_two_parts_are_one),
            TEST(test_sums),
            TEST(test_the_last_one_replaces),
            TEST(test_periods_are_summed),
            TEST(test_periods_have_numbers),
            TEST(test_fewer_calls_are_another_period),
            TEST(test_a_row_less_is_another_period),
            TEST(test_least_of_none),
            TEST(test_another_segment_is_no_period),
            TEST(test_another_boot_is_a_period),
            TEST(test_a_lost_part_is_counted),
            TEST(test_a_lost_end_is_counted),
            TEST(test_a_rest_in_front_is_no_loss),
            TEST(test_parts_that_disagree),
            TEST(test_one_function_twice),
            TEST(test_more_functions_than_slots),
            TEST(test_sums_that_overflow),
            TEST(test_damaged_rows),
            TEST(test_damaged_parts),
            TEST(test_a_full_frame),
            TEST(test_flags),
            TEST(test_the_clock),
            TEST(test_no_clock_of_another_boot),
            TEST(test_random_parts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
