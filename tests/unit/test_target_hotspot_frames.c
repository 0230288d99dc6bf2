/* SPDX-License-Identifier: MIT */
/*
 * The hot-spot table's view on the wire, where it takes three frames: whole at
 * the end, whatever was under way, and never of two moments.
 *
 * variant: three MCUPROF_HOTSPOTS=1 MCUPROF_HOTSPOT_UNITS=64
 */

/* cmocka needs these first, in this order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "mcuprof_port_host.h"
#include "mcuprof_stream.h"

#define FRAMES_MAX 4096u

/* Frames in the order in which they came, without what COBS puts in. */
struct frame {
    size_t size;
    uint8_t raw[MCUPROF_WIRE_RAW_MAX];
};

static struct frame frames[FRAMES_MAX];
static size_t frame_count;
static int line_is_full;
static uint32_t random_state;

static uint32_t get32(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16
           | (uint32_t)p[3] << 24;
}

static const uint8_t *payload(size_t i)
{
    return frames[i].raw + MCUPROF_WIRE_HEAD_SIZE;
}

/* A line that takes a frame whole, and no more after a view's first part. */
static size_t take_frame(const uint8_t *data, size_t size)
{
    if (line_is_full) {
        return 0;
    }
    struct frame *frame = &frames[frame_count++];
    assert_true(frame_count < FRAMES_MAX);
    assert_int_equal(data[0], 0);
    assert_int_equal(data[size - 1], 0);
    for (size_t i = 1; i < size - 1;) {
        size_t code = data[i];
        for (size_t j = 1; j < code; j++) {
            frame->raw[frame->size++] = data[i + j];
        }
        i += code;
        frame->raw[frame->size++] = 0;
    }
    frame->size--; /* what the last code stands for */
    line_is_full =
            frame->raw[0] == MCUPROF_WIRE_HOTSPOTS
            && frame->raw[MCUPROF_WIRE_HEAD_SIZE + MCUPROF_HOTSPOTS_FIRST] == 0;
    return size;
}

/* A sample in one of 120 blocks, more than there are units. */
static void put(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    mcuprof_port_host.counter = mcuprofi_sampler.deadline;
    mcuprof_sample_put(0x08000000u + (random_state >> 16) % 120u * 256u, 0);
}

/* Until the first of three parts is sent, and then to another view. */
static void stop_between_parts(void)
{
    static const uint8_t code[64];
    struct mcuprof_config config = {0};
    config.write = take_frame;
    config.core_hz = 25000000u;
    config.rate_hz = 10000u;
    mcuprof_port_host.source = MCUPROF_CLOCK_DWT;
    mcuprof_port_host.code = code;
    mcuprof_port_host.code_length = sizeof(code);
    memset(frames, 0, sizeof(frames));
    frame_count = 0;
    random_state = 1;
    assert_int_equal(mcuprof_init(&config), 0);
    assert_int_equal(mcuprof_start(), 0);
    line_is_full = 0;
    while (!line_is_full) {
        put();
        (void)mcuprof_poll();
    }
    uint32_t sequence = mcuprof_hotspots_view.sequence;
    while (mcuprof_hotspots_view.sequence == sequence) {
        put();
    }
    line_is_full = 0;
}

static void send_all(void)
{
    for (unsigned i = 0; i < 100000; i++) {
        if (mcuprof_poll() == 0) {
            return;
        }
        line_is_full = 0;
    }
    fail_msg("mcuprof_poll() never ends");
}

/*
 * Frames of one view from `i` on follow each other and are all of it. returns:
 * how many, 0 if some are missing
 */
static size_t whole_view(size_t i)
{
    size_t first = i;
    unsigned rows = 0;
    unsigned used = payload(i)[MCUPROF_HOTSPOTS_USED];
    for (; i < frame_count && frames[i].raw[0] == MCUPROF_WIRE_HOTSPOTS; i++) {
        if (payload(i)[MCUPROF_HOTSPOTS_FIRST] != rows
            || memcmp(payload(i), payload(first), MCUPROF_HOTSPOTS_FIRST)
                       != 0) {
            return 0;
        }
        rows += (unsigned)(frames[i].size - MCUPROF_WIRE_HEAD_SIZE
                           - MCUPROF_WIRE_CRC_SIZE - MCUPROF_HOTSPOTS_UNITS)
                / MCUPROF_HOTSPOT_SIZE;
        if (rows == used) {
            return i + 1u - first;
        }
    }
    return 0;
}

static size_t last_of(uint8_t type, size_t before)
{
    while (before > 0 && frames[before - 1].raw[0] != type) {
        before--;
    }
    assert_true(before > 0);
    return before - 1;
}

static void check_rows(size_t i)
{
    const struct mcuprof_hotspots_view *view = &mcuprof_hotspots_view;
    for (unsigned row = 0; row < MCUPROF_HOTSPOT_UNITS; row++) {
        unsigned first = payload(i)[MCUPROF_HOTSPOTS_FIRST];
        if (row - first == 27u) {
            i++;
            first = row;
        }
        const uint8_t *unit = payload(i) + MCUPROF_HOTSPOTS_UNITS
                              + (size_t)(row - first) * MCUPROF_HOTSPOT_SIZE;
        assert_int_equal(get32(unit), (uintptr_t)view->units[row].pc);
        assert_int_equal(get32(unit + MCUPROF_HOTSPOT_RATIO),
                         view->units[row].ratio
                                 | (uint32_t)view->units[row].bound << 16);
    }
}

static void test_last_view_is_whole_and_before_the_last_time(void **unused)
{
    (void)unused;
    stop_between_parts();
    assert_int_equal(mcuprof_stop(), 0);
    send_all();
    size_t time = last_of(MCUPROF_WIRE_TIME, frame_count);
    size_t view = last_of(MCUPROF_WIRE_HOTSPOTS, time) - 2u;
    assert_int_equal(whole_view(view), 3);
    assert_int_equal(get32(payload(view) + MCUPROF_HOTSPOTS_SEQUENCE),
                     mcuprof_hotspots_view.sequence / 2u);
    assert_int_equal(get32(payload(view) + MCUPROF_HOTSPOTS_SAMPLES),
                     get32(payload(time) + MCUPROF_TIME_ENTRIES
                           + MCUPROF_TIME_ENTRY_PRODUCED));
    assert_int_equal(payload(view)[MCUPROF_HOTSPOTS_CAPACITY], 64);
    assert_int_equal(payload(view)[MCUPROF_HOTSPOTS_GRAIN_LOG2], 8);
    check_rows(view);
}

/*
 * The third part of an old view does not come (the second was made already),
 * nor a new view before its time.
 */
static void test_old_view_is_given_up(void **unused)
{
    (void)unused;
    stop_between_parts();
    size_t begun = frame_count - 1u;
    send_all();
    assert_int_equal(frames[begun + 1u].raw[0], MCUPROF_WIRE_HOTSPOTS);
    for (size_t i = begun + 2u; i < frame_count; i++) {
        assert_int_not_equal(frames[i].raw[0], MCUPROF_WIRE_HOTSPOTS);
    }
    assert_int_equal(whole_view(begun), 0);
    /* A second later there is a whole one. */
    for (unsigned i = 0; i < 11000; i++) {
        put();
        send_all();
    }
    size_t last = last_of(MCUPROF_WIRE_HOTSPOTS, frame_count);
    assert_true(last > begun + 3u);
    assert_int_equal(whole_view(last - 2u), 3);
    (void)mcuprof_stop();
    send_all();
}

/* What was given up leaves no gap. */
static void test_frames_are_numbered_in_turn(void **unused)
{
    (void)unused;
    stop_between_parts();
    (void)mcuprof_stop();
    send_all();
    for (size_t i = 0; i < frame_count; i++) {
        assert_int_equal(frames[i].raw[1] | frames[i].raw[2] << 8, i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_last_view_is_whole_and_before_the_last_time),
            cmocka_unit_test(test_old_view_is_given_up),
            cmocka_unit_test(test_frames_are_numbered_in_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
