/* SPDX-License-Identifier: MIT */
#include "target_rig.h"

#include <zlib.h>

static uint32_t seed = 12345;

static uint32_t next_random(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}

/* The first of all tests: nothing has been initialised yet. */
static void test_interrupts_before_init(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < 3; i++) {
        rig_interrupt(0x1000, 0);
        mcuprof_sample_put(0x2000, 0);
    }
    assert_int_equal(mcuprof_poll(), MCUPROF_ESTATE);
    assert_int_equal(mcuprofi_stream_produced(), 0);
}

static void start_default(void)
{
    struct mcuprof_config config = rig_config();
    rig_reset(MCUPROF_CLOCK_DWT);
    assert_int_equal(mcuprof_init(&config), 0);
    assert_int_equal(mcuprof_start(), 0);
}

static uint8_t seen_payload[MCUPROF_WIRE_PAYLOAD_MAX];
static struct frame seen;

static int keep_frame(void *context, const struct frame *frame)
{
    (void)context;
    seen = *frame;
    memcpy(seen_payload, frame->payload, frame->size);
    return 0;
}

/* Every payload length, with few and with many zeros, through two decoders. */
static void test_frame_round_trip(void **unused)
{
    (void)unused;
    for (size_t size = 0; size <= MCUPROF_WIRE_PAYLOAD_MAX; size++) {
        uint8_t raw[MCUPROF_WIRE_RAW_MAX] = {0x42, 0x34, 0x12};
        uint8_t frame[MCUPROF_WIRE_FRAME_MAX];
        struct deframer deframer;
        for (size_t i = 0; i < size; i++) {
            uint32_t any = next_random();
            raw[3 + i] = (uint8_t)(any % (size % 3 + 1) == 0 ? 0 : any >> 4);
        }
        size_t length = 3 + size;
        memcpy(frame + 2, raw, length);
        size_t total = mcuprofi_frame_finish(frame, length);
        assert_int_equal(total, length + 4 + 3);
        assert_null(memchr(frame + 1, 0, total - 2));
        assert_int_equal(frame[0], 0);
        assert_int_equal(frame[total - 1], 0);
        deframer_init(&deframer, keep_frame, NULL);
        assert_int_equal(deframer_feed(&deframer, frame, total), 0);
        assert_int_equal(deframer.stats.frames, 1);
        assert_int_equal(seen.type, 0x42);
        assert_int_equal(seen.seq, 0x1234);
        assert_int_equal(seen.size, size);
        assert_memory_equal(seen_payload, raw + 3, size);
    }
}

static void test_crc_is_zlibs(void **unused)
{
    (void)unused;
    uint8_t bytes[300];
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (uint8_t)next_random();
    }
    for (size_t n = 0; n <= sizeof(bytes); n += 7) {
        assert_int_equal(mcuprofi_crc32(0, bytes, n), crc32(0, bytes, (uInt)n));
    }
}

static void test_hello(void **unused)
{
    (void)unused;
    start_default();
    rig_drain();
    rig_decode();
    const struct wire_hello *hello = &rig_received.hello;
    assert_int_equal(rig_received.starts, 1);
    assert_int_equal(hello->version, MCUPROF_WIRE_VERSION);
    assert_int_equal(hello->clock_hz, RIG_HZ);
    assert_int_equal(hello->period, RIG_PERIOD);
    assert_int_equal(hello->clock_source, MCUPROF_CLOCK_DWT);
    assert_int_equal(hello->clock_reason, MCUPROF_REASON_ADVANCES);
    assert_int_equal(hello->cpuid, 0x410FC241u);
    assert_int_equal(hello->vectors, 0x08000000u);
    assert_int_equal(hello->sampler_exception, 15);
    assert_int_equal(1u << hello->ring_log2, MCUPROF_SAMPLE_RING);
    assert_true(hello->sampler_flags & MCUPROF_SAMPLER_JITTER);
    assert_true(hello->running);
    assert_true(rig_received.times >= 1);
}

/* Over the code, without vector word 7; by zlib. */
static void test_identity_crc(void **unused)
{
    (void)unused;
    start_default();
    rig_drain();
    rig_decode();
    uLong crc = crc32(0, rig_code, 28);
    crc = crc32(crc, rig_code + 32, sizeof(rig_code) - 32);
    const struct wire_identity *identity = &rig_received.hello.identity;
    uint8_t expected[8] = {(uint8_t)crc, (uint8_t)(crc >> 8),
                           (uint8_t)(crc >> 16), (uint8_t)(crc >> 24)};
    assert_true(identity->valid);
    assert_false(identity->partial);
    assert_false(identity->build_id);
    assert_int_equal(identity->start, 0x08000000u);
    assert_int_equal(identity->length, sizeof(rig_code));
    assert_memory_equal(identity->value, expected, 8);
}

static void test_identity_build_id(void **unused)
{
    (void)unused;
    static const uint8_t note[] = {4,  0,  0,  0,   20,  0,   0,  0,    3,
                                   0,  0,  0,  'G', 'N', 'U', 0,  0x5A, 1,
                                   2,  3,  4,  5,   6,   7,   8,  9,    10,
                                   11, 12, 13, 14,  15,  16,  17, 18,   19};
    struct mcuprof_config config = rig_config();
    rig_reset(MCUPROF_CLOCK_DWT);
    mcuprof_port_host.build_id = note;
    assert_int_equal(mcuprof_init(&config), 0);
    assert_int_equal(mcuprof_start(), 0);
    rig_drain();
    rig_decode();
    const struct wire_identity *identity = &rig_received.hello.identity;
    assert_true(identity->valid && identity->build_id);
    assert_int_equal(identity->length, 20);
    assert_memory_equal(identity->value, note + 16, 8);
}

/*
 * A line of any pace, interrupts in storms: what was recorded comes out in
 * order, and produced = received + lost at every TIME.
 */
static void test_conservation(void **unused)
{
    (void)unused;
    static uint32_t accepted[RIG_KEPT];
    size_t count = 0;
    uint32_t put = 0;
    start_default();
    for (unsigned i = 0; i < 1800; i++) {
        uint32_t burst = next_random() % 64u;
        burst = next_random() % 50u == 0 ? 400u : burst;
        for (uint32_t k = 0; k < burst; k++) {
            uint32_t pc = (next_random() << 8 ^ next_random()) & ~1u;
            uint32_t lost = mcuprofi_sampler.lost;
            rig_tick(next_random() % 30u, pc, next_random() % 3u == 0 ? 15 : 0);
            put++;
            if (mcuprofi_sampler.lost == lost && count < RIG_KEPT) {
                accepted[count++] = pc;
            }
        }
        rig_line_room = next_random() % 700u;
        (void)mcuprof_poll();
    }
    (void)mcuprof_stop();
    rig_drain();
    rig_decode();
    assert_true(mcuprofi_sampler.lost > 0);
    assert_true(rig_received.times > 3);
    assert_int_equal(rig_received.time.produced, put);
    assert_int_equal(rig_received.time.lost, mcuprofi_sampler.lost);
    assert_int_equal(rig_received.sample_count, count);
    assert_int_equal(rig_received.time.produced - rig_received.time.lost,
                     rig_received.samples_at_time);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(rig_received.samples[i].pc, accepted[i]);
    }
    assert_int_equal(rig_decoder.ledger.totals.samples.lost_line, 0);
    assert_int_equal(rig_decoder.ledger.totals.samples.lost_target,
                     mcuprofi_sampler.lost);
}

/* At each TIME, its samples and no others have come before. */
static size_t checkpoint_samples;

static int count_samples(void *context, const struct wire_sample *samples,
                         size_t count)
{
    (void)context;
    (void)samples;
    checkpoint_samples += count;
    return 0;
}

static int check_time(void *context, const struct wire_time *time)
{
    unsigned *times = context;
    (*times)++;
    assert_int_equal(time->produced - time->lost, checkpoint_samples);
    return 0;
}

static void test_time_is_a_checkpoint(void **unused)
{
    (void)unused;
    unsigned times = 0;
    struct decode_handler handler = {
            .context = &times, .time = check_time, .samples = count_samples};
    struct deframer deframer;
    struct decoder decoder;
    start_default();
    for (unsigned i = 0; i < 60000; i++) {
        rig_tick(0, next_random() & ~1u, 0);
        rig_line_room = 11;
        (void)mcuprof_poll();
    }
    (void)mcuprof_stop();
    rig_drain();
    checkpoint_samples = 0;
    assert_int_equal(decoder_init(&decoder, &handler), 0);
    deframer_init(&deframer, decoder_frame, &decoder);
    assert_int_equal(deframer_feed(&deframer, rig_line, rig_line_size), 0);
    decoder_deinit(&decoder);
    /* Six seconds of sampling, one TIME a second, and start and stop. */
    assert_in_range(times, 5, 9);
}

/* 2^32 ticks are 171 s; time goes on, whatever the counter's start. */
static void test_time_across_wraps(void **unused)
{
    (void)unused;
    rig_reset(MCUPROF_CLOCK_DWT);
    mcuprof_port_host.counter = 0xFFFFFF00u;
    struct mcuprof_config config = rig_config();
    assert_int_equal(mcuprof_init(&config), 0);
    assert_int_equal(mcuprof_start(), 0);
    rig_drain();
    for (unsigned i = 0; i < 40; i++) {
        mcuprof_port_host.counter += 1000000000u; /* 40 s */
        rig_drain();
    }
    (void)mcuprof_stop();
    rig_drain();
    rig_decode();
    assert_int_equal(rig_received.time.ticks - rig_received.first_time.ticks,
                     40000000000ull);
}

static void test_stop_and_start_again(void **unused)
{
    (void)unused;
    start_default();
    assert_int_equal(mcuprof_start(), MCUPROF_ESTATE);
    rig_tick(0, 0x1000, 0);
    /* A stop before the first poll keeps the times of both ends. */
    mcuprof_port_host.counter += RIG_HZ;
    assert_int_equal(mcuprof_stop(), 0);
    assert_int_equal(mcuprof_stop(), MCUPROF_ESTATE);
    assert_int_equal(mcuprof_start(), MCUPROF_EBUSY);
    rig_drain();
    mcuprof_port_host.counter += 10u * RIG_HZ; /* does not count */
    assert_int_equal(mcuprof_start(), 0);
    rig_tick(0, 0x1002, 0);
    mcuprof_port_host.counter += RIG_HZ;
    assert_int_equal(mcuprof_stop(), 0);
    rig_drain();
    rig_decode();
    assert_int_equal(rig_received.starts, 2);
    assert_int_equal(rig_received.sample_count, 2);
    assert_int_equal(rig_decoder.ledger.totals.segments, 2);
    assert_in_range(rig_decoder.ledger.totals.ticks, 2u * RIG_HZ,
                    2u * RIG_HZ + 2u * RIG_PERIOD);
    assert_int_equal(rig_decoder.ledger.totals.samples.lost_line, 0);
}

static void test_names_and_unseen_contexts(void **unused)
{
    (void)unused;
    start_default();
    mcuprof_port_host.enabled[11] = 1;
    mcuprof_port_host.priority[11] = 0x40;
    mcuprof_port_host.enabled[20] = 1; /* as urgent as the sampler */
    mcuprof_port_host.priority[20] = 0;
    mcuprof_port_host.enabled[21] = 1;
    mcuprof_port_host.priority[21] = 0x80;
    mcuprof_port_host.priority[22] = 0; /* not enabled */
    assert_int_equal(mcuprof_context_name(512, "control"), 0);
    assert_int_equal(
            mcuprof_context_name(513,
                                 "a name that is longer than thirty-two bytes"),
            0);
    assert_int_equal(mcuprof_context_name(512, "regulator"), 0);
    assert_int_equal(mcuprof_context_name(70000, "x"), MCUPROF_EINVAL);
    rig_drain();
    rig_decode();
    /* They go out again after each HELLO. */
    assert_int_equal(rig_received.context_count, 3 * rig_received.hellos);
    assert_int_equal(rig_received.contexts[0].id, 512);
    assert_string_equal(rig_received.contexts[0].name, "regulator");
    assert_string_equal(rig_received.contexts[1].name,
                        "a name that is longer than thirt");
    assert_int_equal(rig_received.contexts[2].id, 20);
    assert_true(rig_received.contexts[2].unseen);
    assert_false(rig_received.contexts[2].named);
}

static void test_full_table_of_names(void **unused)
{
    (void)unused;
    start_default();
    for (unsigned i = 0; i < MCUPROF_CONTEXTS; i++) {
        assert_int_equal(mcuprof_context_name(600 + i, "thirty-two bytes of a "
                                                       "long name"),
                         0);
    }
    assert_int_equal(mcuprof_context_name(900, "one"), MCUPROF_ENOSPACE);
    assert_int_equal(mcuprof_context_name(900, NULL), 0);
    assert_int_equal(mcuprof_context_name(603, NULL), 0);
    assert_int_equal(mcuprof_context_name(900, "one"), 0);
    rig_drain();
    rig_decode();
    assert_int_equal(rig_received.context_count,
                     MCUPROF_CONTEXTS * rig_received.hellos);
}

static void test_wrong_settings(void **unused)
{
    (void)unused;
    struct mcuprof_config config = rig_config();
    rig_reset(MCUPROF_CLOCK_DWT);
    assert_int_equal(mcuprof_init(NULL), MCUPROF_EINVAL);
    config.write = NULL;
    assert_int_equal(mcuprof_init(&config), MCUPROF_EWRITE);
    config = rig_config();
    config.core_hz = 0;
    assert_int_equal(mcuprof_init(&config), MCUPROF_ECOREHZ);
    config = rig_config();
    config.rate_hz = RIG_HZ; /* one tick */
    assert_int_equal(mcuprof_init(&config), MCUPROF_ETIMER);
    config.rate_hz = 1; /* 25 million ticks: more than 24 bits */
    assert_int_equal(mcuprof_init(&config), MCUPROF_ETIMER);
    config.rate_hz = 1000; /* 25,000 ticks: too much for 16 bits */
    config.clock = &mcuprof_port_host.counter;
    config.clock_bits = 16;
    assert_int_equal(mcuprof_init(&config), MCUPROF_ETIMER);
    config = rig_config();
    config.clock = &mcuprof_port_host.counter;
    config.clock_hz = 1000000;
    assert_int_equal(mcuprof_init(&config), MCUPROF_ECLOCK);
    assert_int_equal(mcuprof_start(), MCUPROF_ESTATE);
    assert_int_equal(mcuprof_poll(), MCUPROF_ESTATE);
    assert_string_equal(mcuprof_error_text(MCUPROF_EINVAL),
                        "an argument or setting is out of range");
    assert_string_equal(mcuprof_error_text(MCUPROF_ETABLE),
                        "no room for the chip's vector table: raise "
                        "MCUPROF_VECTORS");
    assert_string_equal(mcuprof_error_text(MCUPROF_ETABLE - 1), "");
    assert_string_equal(mcuprof_error_text(0), "");
    assert_string_equal(mcuprof_error_text(-1000), "");
    assert_string_equal(mcuprof_error_text(5), "");
}

/* The interrupt does not wait for the line, however long it is dead. */
static void test_dead_line(void **unused)
{
    (void)unused;
    start_default();
    rig_line_room = 0;
    for (unsigned i = 0; i < 2910; i++) {
        rig_tick(0, 0x1000u + 2u * i, 0);
        (void)mcuprof_poll();
    }
    (void)mcuprof_stop();
    rig_drain();
    rig_decode();
    assert_int_equal(rig_received.time.produced, 2910);
    assert_int_equal(rig_received.sample_count + rig_received.time.lost, 2910);
    assert_true(rig_received.sample_count >= MCUPROF_SAMPLE_RING - 1);
}

/*
 * A SysTick that its owner starts a second after mcuprof_start(), at a rate
 * that is not what was said of it: `reload` counts, by either kind of clock.
 *
 * returns: how many HELLOs it took until that was known
 */
static unsigned run_late_shared(uint8_t clock, uint32_t reload)
{
    struct mcuprof_config config = rig_config();
    struct mcuprof_port_host *host = &mcuprof_port_host;
    config.timer = &mcuprof_timer_systick_shared;
    rig_reset(clock);
    assert_int_equal(mcuprof_init(&config), 0);
    assert_int_equal(mcuprof_start(), 0);
    rig_drain();
    host->counter += RIG_HZ;
    rig_drain();
    host->systick_reload = reload;
    host->systick_running = 1;
    host->systick_count = reload - 9u;
    rig_drain();
    for (unsigned i = 0; i < 200; i++) {
        host->counter += reload + 1u;
        host->systick_count = reload;
        rig_interrupt(0x1000, 0);
        host->systick_count = reload / 3u;
        rig_drain();
    }
    /* A HELLO says so at once. */
    rig_decode();
    assert_int_equal(rig_received.hello.period, reload + 1u);
    unsigned hellos = rig_received.hellos;
    memset(&rig_received, 0, sizeof(rig_received));
    (void)mcuprof_stop();
    rig_drain();
    rig_decode();
    return hellos;
}

static void test_shared_tick_that_comes_late(void **unused)
{
    static const uint8_t clocks[] = {MCUPROF_CLOCK_DWT,
                                     MCUPROF_CLOCK_SYSTICK_SHARED};
    static const uint32_t reloads[] = {RIG_PERIOD - 1u, 10u * RIG_PERIOD - 1u,
                                       RIG_PERIOD / 5u - 1u};
    unsigned right[2] = {0};
    (void)unused;
    for (size_t i = 0; i < 6; i++) {
        uint32_t period = reloads[i / 2u] + 1u;
        unsigned hellos = run_late_shared(clocks[i % 2u], period - 1u);
        /* One more, but for the rate that was said. */
        right[i % 2u] = i < 2 ? hellos : right[i % 2u];
        assert_int_equal(hellos, right[i % 2u] + (i >= 2));
        assert_int_equal(rig_received.hello.period, period);
        assert_int_equal(rig_received.time.produced, 200);
        assert_int_equal(rig_received.time.missed, 0);
        assert_int_equal(rig_received.time.longest, 0);
        uint64_t took = rig_received.time.ticks - rig_received.first_time.ticks;
        took -= i % 2u == 0 ? RIG_HZ : 0; /* SysTick stood still then */
        assert_in_range(took, 200u * period, 201u * period);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_interrupts_before_init),
            cmocka_unit_test(test_frame_round_trip),
            cmocka_unit_test(test_crc_is_zlibs),
            cmocka_unit_test(test_hello),
            cmocka_unit_test(test_identity_crc),
            cmocka_unit_test(test_identity_build_id),
            cmocka_unit_test(test_conservation),
            cmocka_unit_test(test_time_is_a_checkpoint),
            cmocka_unit_test(test_time_across_wraps),
            cmocka_unit_test(test_stop_and_start_again),
            cmocka_unit_test(test_names_and_unseen_contexts),
            cmocka_unit_test(test_full_table_of_names),
            cmocka_unit_test(test_wrong_settings),
            cmocka_unit_test(test_dead_line),
            cmocka_unit_test(test_shared_tick_that_comes_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
