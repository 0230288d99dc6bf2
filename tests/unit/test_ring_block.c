/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bytes.h"
#include "capture.h"
#include "ram_rig.h"
#include "ring_block.h"

#include <zlib.h>

/* A target's RAM with a block at its begin and a ring of 8 behind it. */
#define RING (RAM + 136)
#define RECORDS 8u
#define NAMES (RING + 8 * RECORDS)
#define TEXTS (NAMES + 2 * 8)
#define SIZE 256u

struct rig {
    uint8_t ram[SIZE];
    size_t size; /* of what can be read */
    struct memory memory;
    struct capture *capture;
    struct decode_handler follower;
    struct wire_trace records[64];
    size_t count;
    uint16_t context; /* of the first part with records */
    bool begun;
    uint32_t first; /* of the first part */
    uint32_t next;  /* behind the last */
};

static int read_ram(void *context, uint32_t address, uint8_t *out, size_t size,
                    struct error *error)
{
    const struct rig *rig = context;

    (void)error;
    return ram_read(rig->ram, rig->size, address, out, size);
}

static int keep_part(void *context, const struct wire_trace_part *part)
{
    struct rig *rig = context;

    if (!rig->begun)
        rig->first = part->first;
    else
        assert_int_equal(part->first, rig->next);
    if (rig->count == 0)
        rig->context = part->context;
    rig->begun = true;
    assert_in_range(rig->count + part->count, 0, 64);
    memcpy(rig->records + rig->count, part->records,
           part->count * sizeof *part->records);
    rig->count += part->count;
    rig->next = part->first + (uint32_t)part->count;
    return 0;
}

static void put(struct rig *rig, size_t offset, uint32_t value)
{
    bytes_put32(rig->ram + offset, value);
}

static void put_slot(struct rig *rig, uint32_t index, uint32_t time,
                     uint32_t word)
{
    put(rig, RING - RAM + 8 * index, time);
    put(rig, RING - RAM + 8 * index + 4, word);
}

static void seal(struct rig *rig)
{
    uLong sum = crc32(0, rig->ram + 16, 16);

    put(rig, 128, (uint32_t)crc32(sum, rig->ram + 48, 4));
}

static int set_up(void **state)
{
    struct rig *rig = calloc(1, sizeof *rig);

    if (rig == NULL)
        return -1;
    rig->size = SIZE;
    rig->memory = (struct memory){
            .context = rig, .read = read_ram, .name = "the RAM"};
    put(rig, 0, UINT32_MAX);
    put(rig, 4, RING + 8 * RECORDS);
    put(rig, 8, RING);
    put(rig, 16, 0x4352544D);
    put(rig, 20, 132u << 16 | 1);
    put(rig, 24, RING);
    put(rig, 28, RECORDS);
    rig->ram[40] = MCUPROF_TRACE_STATE_RUNNING;
    rig->ram[68] = 1;      /* HELLO: version */
    rig->ram[68 + 4] = 32; /* its clock */
    seal(rig);
    *state = rig;
    return 0;
}

static int tear_down(void **state)
{
    struct rig *rig = *state;

    capture_free(rig->capture);
    free(rig);
    return 0;
}

/* Through the block, the frames and the decoder, whatever it says. */
static void take_any(struct rig *rig)
{
    struct ring_block block;
    uint8_t *frames = NULL;
    size_t size = 0;

    capture_free(rig->capture);
    rig->capture = capture_new();
    rig->begun = false;
    rig->count = 0;
    rig->follower = (struct decode_handler){.context = rig, .trace = keep_part};
    assert_non_null(rig->capture);
    capture_follow(rig->capture, &rig->follower);
    assert_int_equal(ring_block_read(&block, &rig->memory, RAM, NULL, NULL), 0);
    assert_int_equal(ring_block_frames(&block, 0, 0, &frames, &size), 0);
    ring_block_deinit(&block);
    assert_int_equal(capture_feed(rig->capture, frames, size), 0);
    assert_int_equal(capture_end(rig->capture), 0);
    free(frames);
    assert_int_equal(rig->capture->deframer.stats.damaged_bytes, 0);
    assert_int_equal(capture_totals(rig->capture)->frames_lost, 0);
}

static void take(struct rig *rig)
{
    take_any(rig);
    assert_int_equal(capture_totals(rig->capture)->boots, 1);
    assert_int_equal(capture_totals(rig->capture)->trace.lost_line, 0);
}

/* Oldest first, and how many there were before. */
static void assert_taken(struct rig *rig, uint64_t first, size_t count,
                         const uint32_t times[])
{
    take(rig);
    assert_int_equal(rig->first, (uint32_t)first);
    assert_int_equal(rig->count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(rig->records[i].time, times[i]);
    assert_int_equal(capture_totals(rig->capture)->trace.skipped, first);
    assert_int_equal(capture_totals(rig->capture)->trace.received, count);
}

/* Times 101, 102 ... in the slots from INDEX on; the first is a context's. */
static void fill(struct rig *rig, uint32_t index, uint32_t count, uint32_t time)
{
    for (uint32_t i = 0; i < count; i++)
        put_slot(rig, (index + i) % RECORDS, time + i, 0x08000001 + 16 * i);
}

static void test_not_wrapped(void **state)
{
    struct rig *rig = *state;

    assert_taken(rig, 0, 0, NULL);
    fill(rig, 0, 3, 101);
    put(rig, 8, RING + 24);
    assert_taken(rig, 0, 3, (uint32_t[]){101, 102, 103});
    /* Full, and not begun again. */
    fill(rig, 0, 8, 101);
    put(rig, 8, RING + 64);
    assert_taken(rig, 0, 8,
                 (uint32_t[]){101, 102, 103, 104, 105, 106, 107, 108});
}

static void test_wrapped(void **state)
{
    struct rig *rig = *state;

    fill(rig, 3, 8, 101);
    put(rig, 8, RING + 24);
    put(rig, 32, 5);
    assert_taken(rig, 35, 8,
                 (uint32_t[]){101, 102, 103, 104, 105, 106, 107, 108});
    /* More than 2^32 were made. */
    put(rig, 32, 0x20000001);
    assert_taken(rig, UINT64_C(0x100000003), 8,
                 (uint32_t[]){101, 102, 103, 104, 105, 106, 107, 108});
    put(rig, 32, UINT32_MAX);
    assert_taken(rig, UINT64_C(0x7FFFFFFF3), 8,
                 (uint32_t[]){101, 102, 103, 104, 105, 106, 107, 108});
}

/*
 * The head stands in the new lap, whose first slot is the old one's: either the
 * lap was not counted yet, or it was. What docs/wire.md says of the first case
 * counts for both, but where the slot's time is written.
 */
static void test_first_slot_unwritten(void **state)
{
    struct rig *rig = *state;

    /* The ring's first lap is not over: nothing is stale. */
    put_slot(rig, 1, 102, 0x08000001);
    put(rig, 8, RING + 16);
    assert_taken(rig, 0, 2, (uint32_t[]){0, 102});
    assert_int_equal(rig->records[0].word, 0);
    /* Times 100 to 107, and the head behind the first slot. */
    fill(rig, 0, 8, 100);
    put(rig, 8, RING + 8);
    assert_taken(rig, 1, 8,
                 (uint32_t[]){101, 102, 103, 104, 105, 106, 107, 100});
    /* An interrupt has gone on meanwhile. */
    put_slot(rig, 1, 108, 0x08000001);
    put_slot(rig, 2, 109, 0x08000001);
    put(rig, 8, RING + 24);
    assert_taken(rig, 3, 8,
                 (uint32_t[]){103, 104, 105, 106, 107, 100, 108, 109});
    /* Over the clock's wrap, downwards. */
    rig->ram[68 + 4] = 24 | MCUPROF_CLOCK_DOWN;
    for (uint32_t i = 0; i < 8; i++)
        put_slot(rig, i, (3 - i) & 0xFFFFFF, 0x08000001);
    put(rig, 8, RING + 8);
    put(rig, 32, 2);
    assert_taken(
            rig, 17, 8,
            (uint32_t[]){0xFFFFFD, 0xFFFFFE, 0xFFFFFF, 0, 1, 2, 3, 0xFFFFFC});
}

/* Four are reserved at once, at most: what is older behind those is no lap. */
static void test_reserved_at_once(void **state)
{
    struct rig *rig = *state;

    fill(rig, 0, 8, 100);
    put(rig, 32, 1);
    put(rig, 8, RING + 8 * 4);
    take(rig);
    assert_int_equal(rig->first, 12);
    put(rig, 8, RING + 8 * 5);
    take(rig);
    assert_int_equal(rig->first, 5);
    /* One of an interrupt behind four. */
    put_slot(rig, 4, 108, 0x08000001);
    take(rig);
    assert_int_equal(rig->first, 13);
    put_slot(rig, 4, 104, 0x08000001);
    put_slot(rig, 5, 108, 0x08000001);
    put(rig, 8, RING + 8 * 6);
    take(rig);
    assert_int_equal(rig->first, 6);
}

/* A silence of more than half of the clock's width is none of that. */
static void test_long_silence(void **state)
{
    struct rig *rig = *state;

    fill(rig, 3, 5, 101);
    fill(rig, 0, 6, 0xF0000000);
    put(rig, 8, RING + 48);
    put(rig, 32, 1);
    take(rig);
    assert_int_equal(rig->first, 6);
}

static void test_values_have_no_time(void **state)
{
    struct rig *rig = *state;

    fill(rig, 0, 8, 101);
    /* The oldest is a value whose mark is gone. */
    put_slot(rig, 2, 0xDEADBEEF, 0xF1000000);
    put_slot(rig, 7, 0x00000001, 0xF1000000);
    put_slot(rig, 0, 109, 0xF0010200);
    put_slot(rig, 1, 110, 0x08000001);
    put(rig, 8, RING + 16);
    put(rig, 32, 1);
    assert_taken(rig, 2, 8,
                 (uint32_t[]){0xDEADBEEF, 104, 105, 106, 107, 1, 109, 110});
    /* A lap begins with a record of its context, which had run before, too. */
    assert_int_equal(rig->context, 0x200);
    assert_int_equal(rig->records[6].word, 0xF0000200);
    /* Or, an interrupt began it: whose the records before are nothing tells. */
    put_slot(rig, 0, 109, 0xF0000010);
    take(rig);
    assert_int_equal(rig->context, WIRE_CONTEXT_UNKNOWN);
    put_slot(rig, 0, 109, 0xF0010200);
    put_slot(rig, 4, 105, 0xF000000F);
    take(rig);
    assert_int_equal(rig->context, WIRE_CONTEXT_UNKNOWN);
}

static void test_losses(void **state)
{
    struct rig *rig = *state;

    fill(rig, 0, 3, 101);
    put(rig, 8, RING + 24);
    put(rig, 36, 77);
    take(rig);
    assert_int_equal(capture_totals(rig->capture)->trace.lost_target, 77);
    assert_int_equal(capture_totals(rig->capture)->trace.produced, 80);
    /* All were lost. */
    put(rig, 8, RING);
    take(rig);
    assert_int_equal(capture_totals(rig->capture)->trace.lost_target, 77);
    assert_int_equal(capture_totals(rig->capture)->trace.received, 0);
}

static void test_sent_ones_are_left_out(void **state)
{
    struct rig *rig = *state;

    rig->ram[41] = MCUPROF_TRACE_MODE_STREAM;
    fill(rig, 4, 8, 101);
    put(rig, 8, RING + 32);
    put(rig, 32, 1);
    for (uint32_t i = 4; i < 7; i++)
        put(rig, RING - RAM + 8 * i + 4, 0);
    assert_taken(rig, 7, 5, (uint32_t[]){104, 105, 106, 107, 108});
}

/* A HELLO that says that sampling begins is no new boot in a dump. */
static void test_numbers(void **state)
{
    struct rig *rig = *state;
    struct ring_block block;
    uint8_t *frames = NULL;
    size_t size = 0;

    fill(rig, 3, 8, 101);
    put(rig, 8, RING + 24);
    put(rig, 32, 5);
    rig->ram[69] = MCUPROF_HELLO_START;
    for (uint32_t next = 0; next < 12; next++) {
        capture_free(rig->capture);
        rig->capture = capture_new();
        assert_non_null(rig->capture);
        assert_int_equal(ring_block_read(&block, &rig->memory, RAM, NULL, NULL),
                         0);
        assert_int_equal(
                ring_block_frames(&block, 0, (uint16_t)next, &frames, &size),
                0);
        ring_block_deinit(&block);
        assert_int_equal(capture_feed(rig->capture, frames, size), 0);
        free(frames);
        assert_int_equal(rig->capture->decoder.ledger.boot.next_seq, next);
        assert_int_equal(capture_totals(rig->capture)->boots, 1);
        assert_int_equal(capture_totals(rig->capture)->trace.skipped, 35);
        assert_int_equal(capture_totals(rig->capture)->trace.lost_line, 0);
    }
}

static void test_names(void **state)
{
    struct rig *rig = *state;
    const struct wire_context *context;

    bytes_put16(rig->ram + 42, 2);
    put(rig, 44, NAMES);
    put(rig, NAMES - RAM, TEXTS);
    bytes_put16(rig->ram + (NAMES - RAM) + 4, 512);
    /* The second has none. */
    memcpy(rig->ram + (TEXTS - RAM), "ok", 3);
    take(rig);
    assert_int_equal(rig->capture->context_count, 1);
    context = capture_context(rig->capture, 512);
    assert_string_equal(context->name, "ok");
    /* As long as the wire takes, to the end of what can be read. */
    memset(rig->ram + (TEXTS - RAM), 'x', SIZE - (TEXTS - RAM));
    take(rig);
    context = capture_context(rig->capture, 512);
    assert_int_equal(strlen(context->name), 32);
    /* No end. */
    rig->size = TEXTS - RAM + 20;
    take(rig);
    assert_int_equal(rig->capture->context_count, 0);
    put(rig, NAMES - RAM, 0xFFFFFFF0);
    take(rig);
    assert_int_equal(rig->capture->context_count, 0);
}

static int read_most(void *context, uint32_t address, uint8_t *out, size_t size,
                     struct error *error)
{
    const struct rig *rig = context;

    if (address + size > RAM + rig->size)
        return error_set(error, MCUPROF_E_IO, "", "a refusal");
    return read_ram(context, address, out, size, error);
}

/* However it is that one cannot be read: the ring comes, and a count. */
static void test_names_unread(void **state)
{
    struct rig *rig = *state;

    bytes_put16(rig->ram + 42, 2);
    put(rig, 44, NAMES);
    put(rig, NAMES - RAM, TEXTS);
    put(rig, NAMES - RAM + 8, 0xFFFFFFF0);
    memcpy(rig->ram + (TEXTS - RAM), "ok", 3);
    take(rig);
    assert_int_equal(rig->capture->trace.ring.unnamed, 1);
    assert_int_equal(rig->capture->context_count, 1);
    rig->memory.read = read_most;
    take(rig);
    assert_int_equal(rig->capture->trace.ring.unnamed, 1);
    assert_int_equal(rig->capture->context_count, 1);
    rig->size = TEXTS - RAM;
    take(rig);
    assert_int_equal(rig->capture->trace.ring.unnamed, 2);
    rig->size = TEXTS - RAM - 1;
    take(rig);
    assert_int_equal(rig->capture->trace.ring.unnamed,
                     MCUPROF_RING_UNNAMED_ALL);
    assert_int_equal(rig->capture->context_count, 0);
    /* The text of a name in front of one that is not there. */
    rig->size = SIZE;
    put(rig, NAMES - RAM, 0xFFFFFFF0);
    put(rig, NAMES - RAM + 8, TEXTS);
    bytes_put16(rig->ram + (NAMES - RAM) + 8 + 4, 513);
    take(rig);
    assert_string_equal(capture_context(rig->capture, 513)->name, "ok");
    assert_null(capture_context(rig->capture, 512));
}

static void assert_refused(struct rig *rig, int code, const char *cause)
{
    struct ring_block block;
    struct error error = {0};

    assert_int_equal(ring_block_read(&block, &rig->memory, RAM, NULL, &error),
                     code);
    assert_non_null(strstr(error.cause, cause));
    assert_null(block.slots);
}

/* What the checksum says is right, and is not. */
static void test_damage_under_a_checksum(void **state)
{
    static const struct {
        size_t offset;
        uint32_t value;
        const char *cause;
    } words[] = {
            {20, 100u << 16 | 1, "a head of 100 bytes"},
            {20, 131u << 16 | 1, "a head of 131 bytes"},
            {20, 132u << 16, "version 0"},
            {24, RING + 1, "no ring of 8 records is at"},
            {24, RING + 2, "no ring of 8 records is at"},
            {24, 0xFFFFFFFC, "no ring of 8 records is at"},
            {28, 0, "room for 0 records"},
            {28, 65537, "room for 65537 records"},
            {4, RING + 8 * RECORDS + 8, "its head or its limit"},
            {8, RING + 8 * RECORDS + 8, "its head or its limit"},
            {8, RING + 4, "its head or its limit"},
            {8, RING - 8, "its head or its limit"},
            {40, MCUPROF_TRACE_STATE_FAULT + 1, "state 7"},
            {40, 0x87, "state 135"},
            {40, 3u << 8, "mode 3"},
            {68, 0, "format version 0"},
    };
    struct rig *rig = *state;
    uint8_t good[SIZE];

    memcpy(good, rig->ram, SIZE);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        memcpy(rig->ram, good, SIZE);
        put(rig, words[i].offset, words[i].value);
        seal(rig);
        assert_refused(rig, MCUPROF_E_FORMAT, words[i].cause);
    }
    /* A head that is longer is of a newer firmware, and fine. */
    memcpy(rig->ram, good, SIZE);
    put(rig, 20, 136u << 16 | 1);
    seal(rig);
    take(rig);
    rig->ram[40] = 0x80 | MCUPROF_TRACE_STATE_FAULT;
    rig->ram[41] = MCUPROF_TRACE_MODE_STREAM;
    take(rig);
}

/* Whatever is in RAM: a word of cause and remedy, or frames that decode. */
static void test_random_damage(void **state)
{
    struct rig *rig = *state;
    uint8_t good[SIZE];
    uint32_t seed = 77;
    unsigned taken = 0;

    fill(rig, 3, 8, 101);
    put(rig, 8, RING + 24);
    bytes_put16(rig->ram + 42, 2);
    put(rig, 44, NAMES);
    memcpy(good, rig->ram, SIZE);
    for (unsigned round = 0; round < 4000; round++) {
        struct error error = {0};
        struct ring_block block;

        memcpy(rig->ram, good, SIZE);
        for (unsigned i = 0; i <= round % 4; i++)
            rig->ram[next_random(&seed) % (round % 2 == 0 ? 132 : SIZE)] =
                    (uint8_t)next_random(&seed);
        if (round % 3 != 0)
            seal(rig);
        rig->size = round % 5 == 0 ? next_random(&seed) % SIZE : SIZE;
        if (ring_block_read(&block, &rig->memory, RAM, NULL, &error) < 0) {
            assert_true(error.cause[0] != '\0' && error.remedy[0] != '\0');
            continue;
        }
        ring_block_deinit(&block);
        if (rig->ram[68] == 1)
            take_any(rig);
        taken++;
    }
    assert_in_range(taken, 500, 3500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(test_not_wrapped, set_up,
                                            tear_down),
            cmocka_unit_test_setup_teardown(test_wrapped, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_first_slot_unwritten, set_up,
                                            tear_down),
            cmocka_unit_test_setup_teardown(test_reserved_at_once, set_up,
                                            tear_down),
            cmocka_unit_test_setup_teardown(test_long_silence, set_up,
                                            tear_down),
            cmocka_unit_test_setup_teardown(test_values_have_no_time, set_up,
                                            tear_down),
            cmocka_unit_test_setup_teardown(test_losses, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_sent_ones_are_left_out, set_up,
                                            tear_down),
            cmocka_unit_test_setup_teardown(test_numbers, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_names, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_names_unread, set_up,
                                            tear_down),
            cmocka_unit_test_setup_teardown(test_damage_under_a_checksum,
                                            set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_random_damage, set_up,
                                            tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
