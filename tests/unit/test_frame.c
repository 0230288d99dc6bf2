/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "frame.h"

/*
 * Encoded by tests/tools/mprof.py, which follows docs/wire.md with Python's
 * own zlib: type 03, seq 1234, payload 00 11 00 00 FF.
 */
static const uint8_t known[] = {0x00, 0x04, 0x03, 0x34, 0x12, 0x02, 0x11, 0x01,
                                0x06, 0xFF, 0x2C, 0x25, 0x38, 0x3C, 0x00};
static const uint8_t known_payload[] = {0x00, 0x11, 0x00, 0x00, 0xFF};

struct seen {
    unsigned frames;
    struct frame last;
    uint8_t payload[MCUPROF_WIRE_PAYLOAD_MAX];
    int answer;
};

static int remember(void *context, const struct frame *frame)
{
    struct seen *seen = context;

    seen->frames++;
    seen->last = *frame;
    memcpy(seen->payload, frame->payload, frame->size);
    return seen->answer;
}

/* Every byte is in exactly one count. */
static void check_counts(const struct frame_stats *stats)
{
    assert_int_equal(stats->bytes, stats->delimiters + stats->frame_bytes
                                           + stats->text_bytes
                                           + stats->damaged_bytes);
}

static void test_known_frame(void **unused)
{
    const struct frame frame = {.type = 0x03,
                                .seq = 0x1234,
                                .size = sizeof known_payload,
                                .payload = known_payload};
    uint8_t encoded[MCUPROF_WIRE_FRAME_MAX];
    struct seen seen = {0};
    struct deframer deframer;

    (void)unused;
    assert_int_equal(frame_encode(encoded, &frame), sizeof known);
    assert_memory_equal(encoded, known, sizeof known);
    deframer_init(&deframer, remember, &seen);
    assert_int_equal(deframer_feed(&deframer, known, sizeof known), 0);
    assert_int_equal(seen.frames, 1);
    assert_int_equal(seen.last.type, 0x03);
    assert_int_equal(seen.last.seq, 0x1234);
    assert_int_equal(seen.last.size, sizeof known_payload);
    assert_memory_equal(seen.payload, known_payload, sizeof known_payload);
    check_counts(&deframer.stats);
}

static void test_sizes(void **unused)
{
    uint8_t payload[MCUPROF_WIRE_PAYLOAD_MAX + 1];
    uint8_t encoded[MCUPROF_WIRE_FRAME_MAX];
    struct frame frame = {.type = 0x10, .payload = payload};

    (void)unused;
    for (size_t zeros = 0; zeros < 2; zeros++)
        for (size_t size = 0; size <= MCUPROF_WIRE_PAYLOAD_MAX; size++) {
            struct seen seen = {0};
            struct deframer deframer;
            size_t length;

            memset(payload, zeros != 0 ? 0 : 0xA5, sizeof payload);
            frame.size = size;
            length = frame_encode(encoded, &frame);
            assert_in_range(length, size + 8, MCUPROF_WIRE_FRAME_MAX);
            deframer_init(&deframer, remember, &seen);
            assert_int_equal(deframer_feed(&deframer, encoded, length), 0);
            assert_int_equal(seen.frames, 1);
            assert_int_equal(seen.last.size, size);
            assert_memory_equal(seen.payload, payload, size);
        }
    frame.size = MCUPROF_WIRE_PAYLOAD_MAX + 1;
    assert_int_equal(frame_encode(encoded, &frame), 0);
}

/* Case 24: greeting, half a frame, text on the same line, rubbish. */
static const uint8_t noisy[] =
        "SEGGER J-Link\r\n\0"
        "\x02\x11\x01\x06\xFF\x2C\x25\x38\x3C\0" /* the end of a frame */
        "\0\x04\x03\x34\x12\x02\x11\x01\x06\xFF\x2C\x25\x38\x3C\0"
        "printf: hello\n"
        "\0\x04\x03\x34\x12\x02\x11\x01\x06\xFF\x2C\x25\x38\x3C\0"
        "\xFF\xFE\x80\0bye\n";

static void check_noisy(const struct deframer *deframer,
                        const struct seen *seen)
{
    assert_int_equal(seen->frames, 2);
    assert_int_equal(deframer->stats.frames, 2);
    assert_int_equal(deframer->stats.text_bytes, 15 + 14 + 4);
    assert_int_equal(deframer->stats.damaged_bytes, 9 + 3);
    assert_int_equal(deframer->stats.damaged_stretches, 2);
    assert_int_equal(deframer->stats.bytes, sizeof noisy - 1);
    check_counts(&deframer->stats);
}

static void test_noise_in_pieces(void **unused)
{
    (void)unused;
    for (size_t piece = 1; piece < sizeof noisy; piece++) {
        struct seen seen = {0};
        struct deframer deframer;

        deframer_init(&deframer, remember, &seen);
        for (size_t at = 0; at < sizeof noisy - 1; at += piece) {
            size_t rest = sizeof noisy - 1 - at;

            assert_int_equal(deframer_feed(&deframer, noisy + at,
                                           rest < piece ? rest : piece),
                             0);
        }
        assert_true(deframer_unfinished(&deframer));
        assert_int_equal(deframer_end(&deframer), 0);
        check_noisy(&deframer, &seen);
    }
}

/* A line that never sends a delimiter must not fill memory. */
static void test_endless_stretch(void **unused)
{
    uint8_t block[1000];
    struct seen seen = {0};
    struct deframer deframer;

    (void)unused;
    memset(block, 0x81, sizeof block);
    deframer_init(&deframer, remember, &seen);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(deframer_feed(&deframer, block, sizeof block), 0);
    assert_int_equal(deframer_feed(&deframer, known, sizeof known), 0);
    assert_int_equal(seen.frames, 1);
    assert_int_equal(deframer.stats.damaged_bytes, 1000000);
    assert_int_equal(deframer.stats.damaged_stretches, 1);
    memset(block, 'x', sizeof block);
    assert_int_equal(deframer_feed(&deframer, block, sizeof block), 0);
    assert_int_equal(deframer_end(&deframer), 0);
    assert_int_equal(deframer.stats.text_bytes, 1000);
    check_counts(&deframer.stats);
}

/* The last delimiter may be what a cut took away. */
static void test_missing_last_delimiter(void **unused)
{
    struct seen seen = {0};
    struct deframer deframer;

    (void)unused;
    deframer_init(&deframer, remember, &seen);
    assert_int_equal(deframer_feed(&deframer, known, sizeof known - 1), 0);
    assert_int_equal(seen.frames, 0);
    assert_int_equal(deframer_end(&deframer), 0);
    assert_int_equal(seen.frames, 1);
    check_counts(&deframer.stats);
}

/* CRC-32 finds every change of one byte. */
static void test_any_byte_changed(void **unused)
{
    (void)unused;
    for (size_t i = 1; i < sizeof known - 1; i++)
        for (unsigned change = 1; change < 256; change++) {
            uint8_t bytes[sizeof known];
            struct seen seen = {0};
            struct deframer deframer;

            memcpy(bytes, known, sizeof known);
            bytes[i] ^= (uint8_t)change;
            deframer_init(&deframer, remember, &seen);
            assert_int_equal(deframer_feed(&deframer, bytes, sizeof bytes), 0);
            assert_int_equal(deframer_end(&deframer), 0);
            assert_int_equal(seen.frames, 0);
            assert_true(deframer.stats.damaged_bytes + deframer.stats.text_bytes
                        > 0);
            check_counts(&deframer.stats);
        }
}

static void test_handler_answers(void **unused)
{
    struct seen seen = {.answer = MCUPROF_E_FORMAT};
    struct deframer deframer;

    (void)unused;
    deframer_init(&deframer, remember, &seen);
    assert_int_equal(deframer_feed(&deframer, known, sizeof known), 0);
    assert_int_equal(deframer.stats.frames, 0);
    assert_int_equal(deframer.stats.damaged_bytes, sizeof known - 2);
    seen.answer = MCUPROF_E_VERSION;
    assert_int_equal(deframer_feed(&deframer, known, sizeof known),
                     MCUPROF_E_VERSION);
}

/* What a firmware prints: colours, a degree sign; not half a character. */
static void test_text_of_all_kinds(void **unused)
{
    static const struct {
        const char *stretch;
        bool text;
    } cases[] = {
            {"\x1b[32minfo\x1b[0m 23 \xc2\xb0"
             "C\r\n",
             true},
            {"\xe2\x82\xac \xf0\x9f\x99\x82\n", true},
            {"half \xe2\x82", false},
            {"\x80 stray", false},
            {"latin \xe9 1", false},
            {"\x01", false},
            {"\xff", false},
    };

    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t size = strlen(cases[i].stretch) + 1;
        const uint8_t *bytes = (const uint8_t *)cases[i].stretch;

        for (size_t cut = 0; cut < size; cut++) {
            struct deframer deframer;

            deframer_init(&deframer, NULL, NULL);
            assert_int_equal(deframer_feed(&deframer, bytes, cut), 0);
            assert_int_equal(deframer_feed(&deframer, bytes + cut, size - cut),
                             0);
            assert_int_equal(deframer.stats.text_bytes,
                             cases[i].text ? size - 1 : 0);
            assert_int_equal(deframer.stats.damaged_bytes,
                             cases[i].text ? 0 : size - 1);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_text_of_all_kinds),
            cmocka_unit_test(test_known_frame),
            cmocka_unit_test(test_sizes),
            cmocka_unit_test(test_noise_in_pieces),
            cmocka_unit_test(test_endless_stretch),
            cmocka_unit_test(test_missing_last_delimiter),
            cmocka_unit_test(test_any_byte_changed),
            cmocka_unit_test(test_handler_answers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
