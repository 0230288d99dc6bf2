/* SPDX-License-Identifier: MIT */
/*
 * RTT as a host sees it that is slow, wrong or malicious; and the adapter over
 * another's RTT, of which there is a model here.
 */
/* cmocka needs these first, in this order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "mcuprof_rtt.h"
#include "mcuprof_rtt_adapter.h"

static uint8_t written_next;
static uint8_t expected_next;

static size_t put(size_t size)
{
    uint8_t bytes[4096];

    assert_in_range(size, 0, sizeof bytes);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(written_next + i);
    size_t taken = mcuprof_rtt_write(bytes, size);
    assert_true(taken <= size);
    written_next = (uint8_t)(written_next + taken);
    return taken;
}

/* The host takes up to `size` bytes. */
static size_t host_take(size_t size)
{
    struct mcuprof_rtt_channel *up = &mcuprof_rtt.up;
    uint32_t read = up->read;
    size_t taken = 0;

    for (; taken < size && read != up->write; taken++) {
        assert_int_equal(up->bytes[read], expected_next);
        expected_next++;
        read = (read + 1u) % up->length;
    }
    up->read = read;
    return taken;
}

static int begin(void **unused)
{
    (void)unused;
    written_next = 0;
    expected_next = 0;
    mcuprof_rtt_init();
    return 0;
}

static void test_up_takes_what_fits(void **unused)
{
    (void)unused;
    assert_int_equal(put(MCUPROF_RTT_UP_SIZE + 5u), MCUPROF_RTT_UP_SIZE - 1u);
    assert_int_equal(put(1), 0);
    assert_int_equal(host_take(1), 1);
    assert_int_equal(put(2), 1);
    assert_int_equal(put(1), 0);
    assert_int_equal(host_take(SIZE_MAX), MCUPROF_RTT_UP_SIZE - 1u);
    assert_int_equal(host_take(1), 0);
}

static void test_up_keeps_the_order(void **unused)
{
    size_t waiting = 0;

    (void)unused;
    for (unsigned i = 0; i < 3000; i++) {
        waiting += put(i * 7919u % 400u);
        waiting -= host_take(i * 104729u % 350u);
    }
    assert_int_equal(host_take(SIZE_MAX), waiting);
}

static void test_down(void **unused)
{
    struct mcuprof_rtt_channel *down = &mcuprof_rtt.down;
    uint8_t bytes[MCUPROF_RTT_DOWN_SIZE + 10];
    size_t waiting = 0;

    (void)unused;
    assert_int_equal(mcuprof_rtt_read(bytes, sizeof bytes), 0);
    for (unsigned i = 0; i < 3000; i++) {
        size_t sent = i * 7919u % (down->length - waiting);
        uint32_t write = down->write;
        for (size_t k = 0; k < sent; k++) {
            down->bytes[write] = written_next++;
            write = (write + 1u) % down->length;
        }
        down->write = write;
        waiting += sent;
        size_t wanted = i * 104729u % sizeof bytes;
        size_t taken = mcuprof_rtt_read(bytes, wanted);
        assert_int_equal(taken, wanted < waiting ? wanted : waiting);
        for (size_t k = 0; k < taken; k++)
            assert_int_equal(bytes[k], expected_next++);
        waiting -= taken;
    }
}

static void test_init_is_a_new_generation(void **unused)
{
    uint32_t before = mcuprof_rtt.generation;

    (void)unused;
    (void)put(100);
    mcuprof_rtt.up.read = 77;
    mcuprof_rtt_init();
    assert_int_not_equal(mcuprof_rtt.generation, before);
    assert_int_equal(mcuprof_rtt.up.write, 0);
    assert_int_equal(mcuprof_rtt.up.read, 0);
    /* No byte of the old generation can be read in the new one. */
    for (size_t i = 0; i < MCUPROF_RTT_UP_SIZE; i++)
        assert_int_equal(mcuprof_rtt.up.bytes[i], 0);
}

/* By it a probe knows the block, whatever was there before. */
static void test_init_writes_the_id(void **unused)
{
    static const char id[MCUPROF_RTT_ID_SIZE] = "SEGGER RTT";

    (void)unused;
    for (size_t i = 0; i < sizeof id; i++)
        mcuprof_rtt.id[i] = 0xA5;
    mcuprof_rtt_init();
    for (size_t i = 0; i < sizeof id; i++)
        assert_int_equal(mcuprof_rtt.id[i], id[i]);
}

/* What only the host or a fault can have written there. */
static const uint32_t nonsense[] = {
        MCUPROF_RTT_UP_SIZE, MCUPROF_RTT_UP_SIZE + 1u, 0x7FFFFFFFu, 0x80000000u,
        0xFFFFFFFFu,
};

enum {
    NONSENSE = sizeof nonsense / sizeof nonsense[0]
};

/* Nothing but the bytes of the up-channel and its write offset may change. */
static void write_and_compare(void)
{
    uint8_t bytes[2 * MCUPROF_RTT_UP_SIZE];
    struct mcuprof_rtt before = mcuprof_rtt;
    struct mcuprof_rtt after;

    memset(bytes, 0x5A, sizeof bytes);
    size_t taken = mcuprof_rtt_write(bytes, sizeof bytes);
    assert_in_range(taken, 0, MCUPROF_RTT_UP_SIZE - 1u);
    after = mcuprof_rtt;
    memcpy(after.up_bytes, before.up_bytes, sizeof after.up_bytes);
    after.up.write = before.up.write;
    assert_memory_equal(&after, &before, sizeof after);
}

static void test_up_distrusts_offsets(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < NONSENSE; i++) {
        mcuprof_rtt.up.write = 5;
        mcuprof_rtt.up.read = nonsense[i];
        write_and_compare();
        assert_int_equal(put(10), 0);
        mcuprof_rtt.up.write = nonsense[i];
        mcuprof_rtt.up.read = 5;
        write_and_compare();
        assert_int_equal(put(10), 0);
    }
    /* It goes on when the host comes to its senses. */
    mcuprof_rtt.up.write = 5;
    mcuprof_rtt.up.read = 5;
    assert_int_equal(put(10), 10);
    /* Wrong, but within: never beyond the buffer, whatever it is. */
    for (uint32_t read = 0; read < MCUPROF_RTT_UP_SIZE; read++) {
        mcuprof_rtt.up.write = (read * 7919u) % MCUPROF_RTT_UP_SIZE;
        mcuprof_rtt.up.read = read;
        write_and_compare();
    }
}

static void test_down_distrusts_offsets(void **unused)
{
    uint8_t bytes[4096];

    (void)unused;
    for (unsigned i = 0; i < NONSENSE; i++) {
        mcuprof_rtt.down.read = 3;
        mcuprof_rtt.down.write = nonsense[i];
        assert_int_equal(mcuprof_rtt_read(bytes, sizeof bytes), 0);
        assert_int_equal(mcuprof_rtt.down.read, 3);
        mcuprof_rtt.down.read = nonsense[i];
        mcuprof_rtt.down.write = 3;
        assert_int_equal(mcuprof_rtt_read(bytes, sizeof bytes), 0);
    }
    mcuprof_rtt.down.write = MCUPROF_RTT_DOWN_SIZE;
    mcuprof_rtt.down.read = 0;
    assert_int_equal(mcuprof_rtt_read(bytes, sizeof bytes), 0);
    mcuprof_rtt.down.write = 2;
    assert_int_equal(mcuprof_rtt_read(bytes, sizeof bytes), 2);
}

/* Somebody else's RTT, as its manual describes the modes (UM08001, RTT). */

enum mode {
    SKIP, /* all or nothing */
    TRIM  /* what fits */
};

#define OTHER_SIZE 4096u

static struct {
    enum mode mode;
    size_t room; /* of the channel, now */
    uint8_t bytes[OTHER_SIZE];
    size_t count;
    unsigned calls;
    unsigned longest; /* piece handed over */
} other;

unsigned SEGGER_RTT_Write(unsigned BufferIndex, const void *pBuffer,
                          unsigned NumBytes)
{
    size_t stored = NumBytes;

    assert_int_equal(BufferIndex, 3);
    assert_true(NumBytes > 0);
    other.calls++;
    other.longest = NumBytes > other.longest ? NumBytes : other.longest;
    if (stored > other.room)
        stored = other.mode == SKIP ? 0 : other.room;
    assert_true(other.count + stored <= OTHER_SIZE);
    memcpy(other.bytes + other.count, pBuffer, stored);
    other.count += stored;
    other.room -= stored;
    return (unsigned)stored;
}

MCUPROF_RTT_ADAPTER(other_write, 3);

/* In either mode exactly what fits is taken, in few calls. */
static void test_adapter_fills_the_channel(void **unused)
{
    uint8_t frame[250];

    (void)unused;
    for (size_t i = 0; i < sizeof frame; i++)
        frame[i] = (uint8_t)(i + 1u);
    for (unsigned mode = SKIP; mode <= TRIM; mode++) {
        for (size_t room = 0; room <= 300; room++) {
            for (size_t size = 0; size <= sizeof frame; size += 25) {
                memset(&other, 0, sizeof other);
                other.mode = (enum mode)mode;
                other.room = room;
                size_t expected = size < room ? size : room;
                assert_int_equal(other_write(frame, size), expected);
                assert_int_equal(other.count, expected);
                assert_memory_equal(other.bytes, frame, expected);
                assert_true(other.longest <= MCUPROF_RTT_ADAPTER_PIECE);
                assert_true(other.calls <= sizeof frame / 32u + 12u);
            }
        }
    }
}

/* A channel of 8 bytes, all or nothing: a frame of 250 gets through. */
static void test_adapter_through_a_short_channel(void **unused)
{
    uint8_t frame[250];
    size_t sent = 0;

    (void)unused;
    for (size_t i = 0; i < sizeof frame; i++)
        frame[i] = (uint8_t)(i * 3u);
    memset(&other, 0, sizeof other);
    for (unsigned turn = 0; turn < 100 && sent < sizeof frame; turn++) {
        other.room = 7;
        size_t taken = other_write(frame + sent, sizeof frame - sent);
        assert_true(taken > 0);
        sent += taken;
    }
    assert_int_equal(sent, sizeof frame);
    assert_memory_equal(other.bytes, frame, sizeof frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup(test_up_takes_what_fits, begin),
            cmocka_unit_test_setup(test_up_keeps_the_order, begin),
            cmocka_unit_test_setup(test_down, begin),
            cmocka_unit_test_setup(test_init_is_a_new_generation, begin),
            cmocka_unit_test_setup(test_init_writes_the_id, begin),
            cmocka_unit_test_setup(test_up_distrusts_offsets, begin),
            cmocka_unit_test_setup(test_down_distrusts_offsets, begin),
            cmocka_unit_test(test_adapter_fills_the_channel),
            cmocka_unit_test(test_adapter_through_a_short_channel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
