/* SPDX-License-Identifier: MIT */
/*
 * The function table as text: found in any log, and taken only if every word
 * of it is as it was printed. The table below was made by
 * tests/tools/mfunctions.py, with Python's CRC-32.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capture.h"

static const char *const lines[] = {
        "mcuprof functions 1 snapshot=3 period=1 ticks=250000000 hz=25000000 "
        "rows=6 slots=64 pair=118 compensated running",
        "mcuprof   function context calls open      self     total       avg "
        "   min    max share",
        "mcuprof 0x00000a14       0  1234    0 123456789 123456789    100046 "
        "  9961 181490 49.38",
        "mcuprof 0x00000b20       0     1    1 100000000 223456789 223456789 "
        "     0      0 40.00",
        "mcuprof 0x00000a14      15   250    0  26000000  26000000    104000 "
        "104000 104000 10.40",
        "mcuprof    outside       0                11000                     "
        "               0.00",
        "mcuprof    no_slot       0     7           5000                     "
        "               0.00",
        "mcuprof context 512 sensor task",
        "mcuprof counts hooks=351155 unwound=0 unmatched=0 deep=0 no_slot=7 "
        "no_context=0 tries=0",
        "mcuprof sum=250000000 of 250000000 self=249472789 hooks=527211",
        "mcuprof hello 010201012000000031c22f41a751000040787d0100000000000000"
        "0000000000c4a201004d3c2b1a000000007600080000000000000000000000"
        "0000",
        "mcuprof end rows=6 crc=1648614f",
};

#define LINES (sizeof lines / sizeof lines[0])

static struct capture *capture;

static void feed(const char *text)
{
    assert_int_equal(capture_feed(capture, (const uint8_t *)text, strlen(text)),
                     0);
}

static void feed_lines(size_t from, size_t to, const char *before,
                       const char *behind)
{
    for (size_t i = from; i < to; i++) {
        feed(before);
        feed(lines[i]);
        feed(behind);
    }
}

static void feed_table(void)
{
    feed_lines(0, LINES, "", "\n");
}

static void expect(uint64_t complete, uint64_t incomplete)
{
    const struct function_table *table = &capture->functions;

    assert_int_equal(capture_end(capture), 0);
    assert_int_equal(table->complete, complete);
    assert_int_equal(table->printed, complete);
    assert_int_equal(table->incomplete, incomplete);
    assert_int_equal(table->refused, 0);
}

/* What the lines above say. */
static void expect_the_table(uint64_t incomplete)
{
    const struct function_snapshot *whole = &capture->functions.whole;
    const struct function_counts *rows;

    expect(1, incomplete);
    assert_int_equal(whole->sequence, 3);
    assert_int_equal(whole->ticks, 250000000);
    assert_int_equal(whole->capacity, 64);
    assert_int_equal(whole->pair, 118);
    assert_int_equal(whole->flags, MCUPROF_FUNCTIONS_RUNNING);
    assert_int_equal(whole->pairs, 118 * (1234 + 1 + 250 + 7));
    assert_int_equal(whole->counts.hooks, 351155);
    assert_int_equal(whole->counts.no_slot, 7);
    assert_int_equal(whole->count, 5);
    rows = whole->rows;
    assert_int_equal(rows[0].function, 0xa14);
    assert_int_equal(rows[0].context, 0);
    assert_int_equal(rows[0].calls, 1234);
    assert_int_equal(rows[0].self, 123456789);
    assert_int_equal(rows[0].min, 9961);
    assert_int_equal(rows[0].max, 181490);
    assert_int_equal(rows[1].context, 15);
    assert_int_equal(rows[1].total, 26000000);
    assert_int_equal(rows[2].function, 0xb20);
    assert_int_equal(rows[2].open, 1);
    assert_int_equal(rows[3].kind, MCUPROF_FUNCTIONS_ROW_OUTSIDE);
    assert_int_equal(rows[3].self, 11000);
    assert_int_equal(rows[4].kind, MCUPROF_FUNCTIONS_ROW_NO_SLOT);
    assert_int_equal(rows[4].calls, 7);
    assert_int_equal(function_table_sums(whole).all, 250000000);
}

static void test_a_log_is_a_capture(void **state)
{
    (void)state;
    feed("boot: ok\r\n");
    feed_table();
    feed("bye\n");
    expect_the_table(0);
    assert_true(capture->has_hello);
    assert_int_equal(capture->hello.clock_hz, 25000000);
    assert_int_equal(capture->hello.cpuid, 0x412fc231);
    assert_int_equal(capture->identity_count, 1);
    assert_int_equal(capture->identities[0].length, 0x1a2c4);
    assert_string_equal(capture_context(capture, 512)->name, "sensor task");
    assert_int_equal(capture_check(capture, "log", NULL), 0);
    assert_true(capture_is_unsampled(capture));
}

static void test_cr_lf_and_time_stamps(void **state)
{
    (void)state;
    feed_lines(0, LINES, "[00:00:12.345] <inf> app: ", "\r\n");
    expect_the_table(0);
    assert_string_equal(capture_context(capture, 512)->name, "sensor task");
}

static void test_lines_of_others_in_between(void **state)
{
    (void)state;
    feed_lines(0, LINES, "temperature 21.5, mcuprofx 0x00000a14 1\n", "\n");
    expect_the_table(0);
}

/* A sentence about the table is none. */
static void test_a_sentence_about_it(void **state)
{
    (void)state;
    feed("mcuprof functions started\nmcuprof end of story\n");
    expect(0, 0);
}

static void test_the_last_line_without_its_end(void **state)
{
    (void)state;
    feed_lines(0, LINES - 1, "", "\n");
    feed(lines[LINES - 1]);
    expect_the_table(0);
}

static void test_byte_by_byte(void **state)
{
    (void)state;
    for (size_t i = 0; i < LINES; i++) {
        for (const char *at = lines[i]; *at != '\0'; at++)
            assert_int_equal(capture_feed(capture, (const uint8_t *)at, 1), 0);
        feed("\n");
    }
    expect_the_table(0);
}

/* Whoever copies a table out of a terminal may lose its padding. */
static void test_padding_is_nobodys_business(void **state)
{
    (void)state;
    for (size_t i = 0; i < LINES; i++) {
        bool space = false;

        for (const char *at = lines[i]; *at != '\0'; at++) {
            if (*at != ' ' || !space)
                feed((const char[]){*at == ' ' ? '\t' : *at, '\0'});
            space = *at == ' ';
        }
        feed("   \n");
    }
    expect_the_table(0);
}

/* Frames between pieces of a line are no part of it. */
static void test_frames_in_mid_line(void **state)
{
    const struct frame build = {.type = MCUPROF_WIRE_BUILD,
                                .size = 3,
                                .payload = (const uint8_t *)"abc"};
    uint8_t frame[MCUPROF_WIRE_FRAME_MAX];
    size_t size = frame_encode(frame, &build);

    (void)state;
    for (size_t i = 0; i < LINES; i++) {
        feed((const char[]){lines[i][0], '\0'});
        assert_int_equal(capture_feed(capture, frame, size), 0);
        feed(lines[i] + 1);
        feed("\n");
    }
    expect_the_table(0);
    assert_int_equal(capture->decoder.stats.by_type[MCUPROF_WIRE_BUILD], 1);
    /* They know better who sends. */
    assert_false(capture->has_hello);
    assert_int_equal(capture->identity_count, 1);
}

static void test_two_tables(void **state)
{
    (void)state;
    feed_table();
    feed_table();
    expect(2, 0);
    assert_int_equal(capture->functions.periods, 1);
    assert_int_equal(capture->functions.whole.ticks, 250000000);
}

static void test_each_line_is_needed(void **state)
{
    (void)state;
    for (size_t i = 0; i < LINES; i++) {
        feed_lines(0, i, "", "\n");
        feed_lines(i + 1, LINES, "", "\n");
        if (i + 1 == LINES)
            feed("the end is missing\n");
    }
    expect(0, LINES);
}

static void test_a_line_twice(void **state)
{
    (void)state;
    for (size_t i = 1; i + 1 < LINES; i++) {
        feed_lines(0, i, "", "\n");
        feed_lines(i - 1, LINES, "", "\n");
    }
    /* A first line twice is another table. */
    expect(1, LINES - 2);
}

/* The only change that nobody sees is between words. */
static void test_each_character_counts(void **state)
{
    uint64_t changed = 0;

    (void)state;
    for (size_t i = 0; i < LINES; i++)
        for (size_t k = 0; lines[i][k] != '\0'; k++) {
            char line[300];

            (void)snprintf(line, sizeof line, "%s", lines[i]);
            if (line[k] == ' ')
                continue;
            line[k] = (char)(line[k] ^ 1);
            feed_lines(0, i, "", "\n");
            feed(line);
            feed("\n");
            feed_lines(i + 1, LINES, "", "\n");
            changed++;
        }
    assert_int_equal(capture_end(capture), 0);
    assert_int_equal(capture->functions.complete, 0);
    assert_int_equal(capture->functions.incomplete, changed);
    assert_true(changed > 600);
}

/* Cut anywhere, by a reset, say: what follows is a table of its own. */
static void test_cut_anywhere(void **state)
{
    char text[2048] = "";
    size_t whole = 0;
    size_t cuts = 0;

    (void)state;
    for (size_t i = 0; i < LINES; i++)
        whole += (size_t)snprintf(text + whole, sizeof text - whole, "%s\n",
                                  lines[i]);
    for (size_t size = 30; size + 1 < whole; size += 7, cuts++) {
        assert_int_equal(capture_feed(capture, (const uint8_t *)text, size), 0);
        feed("\nrestart\n");
    }
    feed_table();
    expect_the_table(cuts);
}

static void test_endless_lines_are_nobodys(void **state)
{
    (void)state;
    feed_lines(0, 3, "", "\n");
    for (int i = 0; i < 2000; i++)
        feed("mcuprof ");
    feed("\n");
    feed_lines(3, LINES, "", "\n");
    expect_the_table(0);
}

/* All WORDS, parted by one space, with a right CRC behind them
   (ITU-T V.42, bit by bit). */
static void feed_made(const char *words)
{
    uint32_t crc = UINT32_MAX;
    char end[16];

    for (const char *at = words; *at != '\0'; at++) {
        crc ^= (uint8_t)(*at == '\n' ? ' ' : *at);
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xEDB88320u : 0);
    }
    (void)snprintf(end, sizeof end, "crc=%08x\n", ~crc);
    feed(words);
    feed(end);
}

#define FIRST                                                                  \
    "mcuprof functions 1 snapshot=3 period=1 ticks=90 hz=0 rows=2 slots=4 "
#define COUNTS                                                                 \
    "mcuprof counts hooks=1 unwound=0 unmatched=0 deep=0 no_slot=0 "           \
    "no_context=0 tries=0\n"
#define ROW "mcuprof 0x00000a14 0 2 0 9 9 4 3 6\n"
#define END "mcuprof end rows=2 "

static void test_made_here(void **state)
{
    (void)state;
    feed_made(FIRST "pair=3 compensated\n" ROW COUNTS END);
    expect(1, 0);
    assert_int_equal(capture->functions.whole.rows[0].calls, 2);
}

static void test_readers_skip_what_is_new(void **state)
{
    (void)state;
    feed_made(FIRST "new=7 pair=3 compensated newer\n"
                    "mcuprof news 12\n"
                    "mcuprof 0x00000a14 0 2 0 9 9 4 3 6 10.00 77\n"
                    "mcuprof counts hooks=1 news=3 unwound=0 unmatched=0 "
                    "deep=0 no_slot=0 no_context=0 tries=0\n" END);
    expect(1, 0);
}

/* Right by its CRC, and yet no table. */
static void test_tables_that_cannot_be(void **state)
{
    static const char *const tables[] = {
            /* Neither raw nor compensated, both, raw with a pair. */
            FIRST "pair=3\n" ROW COUNTS END,
            FIRST "pair=0 raw compensated\n" ROW COUNTS END,
            FIRST "pair=3 raw\n" ROW COUNTS END,
            /* Of another version, without a word, a number too great. */
            "mcuprof functions 2 snapshot=3 period=1 ticks=90 hz=0 rows=2 "
            "slots=4 "
            "pair=3 compensated\n" ROW COUNTS END,
            FIRST "compensated\n" ROW COUNTS END,
            FIRST "pair=65536 compensated\n" ROW COUNTS END,
            FIRST "pair=18446744073709551619 compensated\n" ROW COUNTS END,
            /* Counts missing, twice, or one of them. */
            FIRST "pair=3 compensated\n" ROW ROW END,
            FIRST "pair=3 compensated\n" COUNTS COUNTS END,
            FIRST "pair=3 compensated\n" ROW
                  "mcuprof counts hooks=1 unwound=0 unmatched=0 deep=0 "
                  "no_slot=0 no_context=0\n" END,
            /* Rows: more open than calls, min above max, a context too many,
               a negative time, a time missing, an odd address, one of nine
               digits, great letters. */
            FIRST "pair=3 compensated\n"
                  "mcuprof 0x00000a14 0 2 3 9 9 4 3 6\n" COUNTS END,
            FIRST "pair=3 compensated\n"
                  "mcuprof 0x00000a14 0 2 0 9 9 4 7 6\n" COUNTS END,
            FIRST "pair=3 compensated\n"
                  "mcuprof 0x00000a14 65536 2 0 9 9 4 3 6\n" COUNTS END,
            FIRST "pair=3 compensated\n"
                  "mcuprof 0x00000a14 0 2 0 -9 9 4 3 6\n" COUNTS END,
            FIRST "pair=3 compensated\n"
                  "mcuprof 0x00000a14 0 2 0 9 9 4 3\n" COUNTS END,
            FIRST "pair=3 compensated\n"
                  "mcuprof 0x00000a15 0 2 0 9 9 4 3 6\n" COUNTS END,
            FIRST "pair=3 compensated\n"
                  "mcuprof 0x000000a14 0 2 0 9 9 4 3 6\n" COUNTS END,
            FIRST "pair=3 compensated\n"
                  "mcuprof 0x00000A14 0 2 0 9 9 4 3 6\n" COUNTS END,
            /* Rows that are more or less than was said, at either end. */
            FIRST "pair=3 compensated\n" ROW ROW COUNTS END,
            FIRST "pair=3 compensated\n" COUNTS END,
            FIRST "pair=3 compensated\n" ROW COUNTS "mcuprof end rows=3 ",
            /* A HELLO that is none. */
            FIRST "pair=3 compensated\n" ROW COUNTS "mcuprof hello 01020\n" END,
            FIRST "pair=3 compensated\n" ROW COUNTS "mcuprof hello 0102\n" END,
            FIRST "pair=3 compensated\n" ROW COUNTS "mcuprof context x y\n" END,
    };

    (void)state;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        feed_made(tables[i]);
    expect(0, sizeof tables / sizeof tables[0]);
}

/* A function twice is for the table to refuse. */
static void test_what_the_table_refuses(void **state)
{
    (void)state;
    feed_made("mcuprof functions 1 snapshot=3 period=1 ticks=90 hz=0 rows=3 "
              "slots=4 "
              "pair=3 compensated\n" ROW ROW COUNTS "mcuprof end rows=3 ");
    assert_int_equal(capture_end(capture), 0);
    assert_int_equal(capture->functions.refused, 1);
    assert_int_equal(capture->functions.printed, 0);
}

static int setup(void **state)
{
    (void)state;
    capture = capture_new();
    return capture == NULL;
}

static int teardown(void **state)
{
    (void)state;
    capture_free(capture);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
            TEST(test_a_log_is_a_capture),
            TEST(test_cr_lf_and_time_stamps),
            TEST(test_lines_of_others_in_between),
            TEST(test_a_sentence_about_it),
            TEST(test_the_last_line_without_its_end),
            TEST(test_byte_by_byte),
            TEST(test_padding_is_nobodys_business),
            TEST(test_frames_in_mid_line),
            TEST(test_two_tables),
            TEST(test_each_line_is_needed),
            TEST(test_a_line_twice),
            TEST(test_each_character_counts),
            TEST(test_cut_anywhere),
            TEST(test_endless_lines_are_nobodys),
            TEST(test_made_here),
            TEST(test_readers_skip_what_is_new),
            TEST(test_tables_that_cannot_be),
            TEST(test_what_the_table_refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
