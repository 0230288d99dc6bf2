/* SPDX-License-Identifier: MIT */
/*
 * Conservation under damage. The capture is made by tests/tools/mprof.py
 * ("rough": losses, text in between, several HELLOs). Whatever happens to its
 * bytes, no stack gets more samples than it truly had, and at a TIME that
 * arrives last, received + lost + made before joining = produced.
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

/* Counted by mprof.py's own decoder. */
#define TRUE_SAMPLES 492
#define TRUE_PRODUCED 516
#define TRUE_LOST 24
/* The frame that `record` writes in front: the line cannot move it. */
#define HOST_SIZE 37

struct bytes {
    uint8_t *data;
    size_t size;
};

struct rig {
    struct bytes whole;
    struct capture *truth;
};

static struct rig rig;

static struct capture *decode(struct bytes bytes)
{
    struct capture *capture = capture_new();

    assert_non_null(capture);
    assert_int_equal(capture_feed(capture, bytes.data, bytes.size), 0);
    assert_int_equal(capture_end(capture), 0);
    return capture;
}

static uint64_t true_weight(struct profile_entry wanted)
{
    for (size_t i = 0; i < profile_count(rig.truth->profile); i++) {
        struct profile_entry entry = profile_get(rig.truth->profile, i);

        if (entry.context == wanted.context
            && entry.frames[0] == wanted.frames[0])
            return entry.weight;
    }
    return 0;
}

static void check_samples(const struct capture *capture)
{
    for (size_t i = 0; i < profile_count(capture->profile); i++) {
        struct profile_entry entry = profile_get(capture->profile, i);

        assert_in_range(entry.weight, 1, true_weight(entry));
    }
}

/* The sums of the last boot that was seen; damage makes no restarts. */
static void check_sums(const struct capture *capture)
{
    const struct ledger_totals *totals = capture_totals(capture);
    const struct frame_stats *stats = &capture->deframer.stats;
    uint64_t produced = capture->decoder.ledger.boot.samples.produced;

    assert_in_range(totals->boots, 0, 1);
    assert_int_equal(totals->samples.received, profile_total(capture->profile));
    assert_int_equal(stats->bytes, stats->delimiters + stats->frame_bytes
                                           + stats->text_bytes
                                           + stats->damaged_bytes);
    if (totals->samples.times == 0 || totals->samples.after_time > 0)
        return;
    assert_int_equal(totals->samples.received + totals->samples.lost_line
                             + totals->samples.lost_target
                             + totals->samples.skipped,
                     produced);
    assert_in_range(totals->samples.lost_target, 0, TRUE_LOST);
    assert_in_range(produced, 0, TRUE_PRODUCED);
}

static void check_damaged(struct bytes bytes)
{
    struct capture *capture = decode(bytes);

    check_samples(capture);
    check_sums(capture);
    capture_free(capture);
}

static struct bytes copy_of_whole(void)
{
    struct bytes copy = {.data = malloc(2 * rig.whole.size),
                         .size = rig.whole.size};

    assert_non_null(copy.data);
    memcpy(copy.data, rig.whole.data, rig.whole.size);
    return copy;
}

static void test_undamaged(void **unused)
{
    const struct ledger_totals *totals = capture_totals(rig.truth);

    (void)unused;
    assert_int_equal(totals->samples.received, TRUE_SAMPLES);
    assert_int_equal(totals->samples.lost_target, TRUE_LOST);
    assert_int_equal(totals->samples.lost_line, 0);
    assert_int_equal(totals->samples.produced, TRUE_PRODUCED);
    assert_int_equal(totals->frames_lost, 0);
    assert_int_equal(totals->segments, 1);
    assert_int_equal(rig.truth->deframer.stats.damaged_bytes, 0);
    assert_int_equal(rig.truth->deframer.stats.text_bytes, 3 * 18);
    assert_false(rig.truth->cut);
    check_sums(rig.truth);
}

static void test_cut_at_any_byte(void **unused)
{
    struct bytes bytes = rig.whole;

    (void)unused;
    for (bytes.size = 0; bytes.size < rig.whole.size; bytes.size++)
        check_damaged(bytes);
}

static void test_joined_at_any_byte(void **unused)
{
    struct bytes bytes = rig.whole;

    (void)unused;
    for (; bytes.size > 0; bytes.data++, bytes.size--)
        check_damaged(bytes);
}

static void test_any_byte_flipped(void **unused)
{
    static const uint8_t changes[] = {0xFF, 0x01, 0x80};
    struct bytes bytes = copy_of_whole();

    (void)unused;
    for (size_t i = 0; i < bytes.size; i++) {
        uint8_t good = bytes.data[i];

        for (size_t k = 0; k < sizeof changes; k++) {
            bytes.data[i] = good ^ changes[k];
            check_damaged(bytes);
        }
        bytes.data[i] = 0;
        check_damaged(bytes);
        bytes.data[i] = good;
    }
    free(bytes.data);
}

static void test_any_byte_dropped(void **unused)
{
    struct bytes bytes = copy_of_whole();

    (void)unused;
    bytes.size--;
    for (size_t i = 0; i < bytes.size; i++) {
        check_damaged(bytes);
        /* Now the next one is missing. */
        bytes.data[i] = rig.whole.data[i];
    }
    free(bytes.data);
}

/* Numbers for the next two tests: Knuth's MMIX generator. */
static uint64_t dice_state = 1;

static size_t dice(size_t sides)
{
    dice_state = dice_state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(dice_state >> 33) % sides;
}

static void test_chunk_repeated(void **unused)
{
    struct bytes bytes = copy_of_whole();

    (void)unused;
    for (int round = 0; round < 4000; round++) {
        size_t from = dice(rig.whole.size);
        size_t size = 1 + dice(rig.whole.size - from);
        size_t to = from + size + dice(rig.whole.size - from - size + 1);

        memcpy(bytes.data, rig.whole.data, to);
        memcpy(bytes.data + to, rig.whole.data + from, size);
        memcpy(bytes.data + to + size, rig.whole.data + to,
               rig.whole.size - to);
        bytes.size = rig.whole.size + size;
        check_damaged(bytes);
    }
    free(bytes.data);
}

static size_t lesser(size_t a, size_t b)
{
    return a < b ? a : b;
}

/*
 * Neighbouring chunks, short ones, behind the HELLO that begins the boot: where
 * that comes late, or a frame much too late, they speak of another boot.
 */
static void test_chunks_swapped(void **unused)
{
    struct bytes bytes = copy_of_whole();

    (void)unused;
    for (int round = 0; round < 4000; round++) {
        size_t begin = HOST_SIZE + MCUPROF_WIRE_FRAME_MAX;
        size_t first = begin + dice(rig.whole.size - begin);
        size_t left = dice(lesser(300, rig.whole.size - first));
        size_t right = dice(lesser(300, rig.whole.size - first - left));
        uint8_t *at = bytes.data + first;

        memcpy(bytes.data, rig.whole.data, rig.whole.size);
        memcpy(at, rig.whole.data + first + left, right);
        memcpy(at + right, rig.whole.data + first, left);
        check_damaged(bytes);
    }
    free(bytes.data);
}

static void test_storm(void **unused)
{
    struct bytes bytes = copy_of_whole();

    (void)unused;
    for (int round = 0; round < 4000; round++) {
        size_t count = 1 + dice(20);

        memcpy(bytes.data, rig.whole.data, rig.whole.size);
        bytes.size = rig.whole.size;
        for (size_t i = 0; i < count; i++) {
            size_t at = dice(bytes.size);

            bytes.data[at] = (uint8_t)dice(256);
            if (dice(3) == 0) {
                bytes.size--;
                memmove(bytes.data + at, bytes.data + at + 1, bytes.size - at);
            }
        }
        check_damaged(bytes);
    }
    free(bytes.data);
}

static int set_up(void **unused)
{
    FILE *file = fopen(TEST_SOURCE_DIR "/fixtures/rough.wire", "rb");

    (void)unused;
    rig.whole.data = malloc(65536);
    if (file == NULL || rig.whole.data == NULL)
        return -1;
    rig.whole.size = fread(rig.whole.data, 1, 65536, file);
    (void)fclose(file);
    rig.truth = decode(rig.whole);
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    capture_free(rig.truth);
    free(rig.whole.data);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_undamaged),
            cmocka_unit_test(test_cut_at_any_byte),
            cmocka_unit_test(test_joined_at_any_byte),
            cmocka_unit_test(test_any_byte_flipped),
            cmocka_unit_test(test_any_byte_dropped),
            cmocka_unit_test(test_chunk_repeated),
            cmocka_unit_test(test_chunks_swapped),
            cmocka_unit_test(test_storm),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
