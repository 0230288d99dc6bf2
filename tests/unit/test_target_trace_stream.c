/* SPDX-License-Identifier: MIT */
/*
 * The call ring in the stream, read by the host's decoder: every event that was
 * made came, in order and in its context, or was counted as lost.
 *
 * variant: 16 MCUPROF_TRACE=1 MCUPROF_TRACE_RING=16
 * variant: 37 MCUPROF_TRACE=1 MCUPROF_TRACE_RING=37
 * variant: kept MCUPROF_TRACE=1 MCUPROF_TRACE_RING=80 MCUPROF_TRACE_KEEP=1
 * variant: 1024 MCUPROF_TRACE=1 MCUPROF_TRACE_RING=1024
 */
#include "trace_machine.h"

#include "decode.h"
#include "frame.h"

#define LINE_SIZE (8u << 20)

static uint8_t line[LINE_SIZE];
static size_t line_size;
static uint32_t line_chance; /* in 1024, that it takes what it is given */
static uint32_t poll_chance;
static int line_is_blocked;

static size_t line_write(const uint8_t *data, size_t size)
{
    if (line_is_blocked) {
        return 0;
    }
    if (machine_random(1024) >= line_chance) {
        size = machine_random((uint32_t)size + 1u);
    }
    assert_true(line_size + size <= LINE_SIZE);
    memcpy(line + line_size, data, size);
    line_size += size;
    return size;
}

static void poll_by_chance(void)
{
    if (machine_random(1024) < poll_chance) {
        assert_true(mcuprof_poll() >= 0);
    }
}

/* What the decoder gave. */
static struct {
    uint32_t index; /* of the next record */
    uint32_t last;  /* time of the last */
    int has_last;
    unsigned context;
    uint32_t next_of[MACHINE_ACTORS];
    uint32_t events;
    uint32_t missing;
    uint32_t told; /* by LOST records */
    uint32_t spans;
    uint32_t contexts;
    uint32_t times;
    struct wire_time time;
    struct wire_hello hello;
    uint32_t starts;
    uint32_t torn; /* reserved and never written */
} got;

/* What is missing was told before; not so of what gave up. */
static int is_told_before;

static void check_event(uint32_t word)
{
    unsigned actor = (word >> 28) - 1u;
    assert_true(actor < MACHINE_ACTORS);
    uint32_t n = 2u * ((word & 0xFFFFFFCu) >> 2) + ((word & 1u) == 0);
    assert_int_equal(got.context, machine_context(actor));
    assert_true(n >= got.next_of[actor]);
    got.missing += n - got.next_of[actor];
    assert_true(!is_told_before || got.missing <= got.told);
    got.next_of[actor] = n + 1u;
    got.events++;
}

static void check_record(const struct wire_trace *record)
{
    uint32_t top = record->word >> 24;
    assert_int_not_equal(record->word, 0);
    if (top == MCUPROF_TRACE_NEVER) {
        got.torn++;
        return;
    }
    if (top == MCUPROF_TRACE_VALUE) {
        got.spans++;
        return;
    }
    if (got.has_last) {
        assert_true(record->time - got.last < 0x1000000u);
    }
    got.has_last = 1;
    got.last = record->time;
    if (top == MCUPROF_TRACE_CONTEXT) {
        assert_int_equal(record->word >> 16, 0xF000u);
        got.context = record->word & 0xFFFFu;
        got.contexts++;
    } else if (top == MCUPROF_TRACE_LOST) {
        got.told += record->word & MCUPROF_TRACE_ARGUMENT;
    } else if (top != MCUPROF_TRACE_GONE) {
        check_event(record->word);
    }
}

static int on_trace(void *context, const struct wire_trace_part *part)
{
    (void)context;
    assert_int_equal(part->first, got.index);
    if (got.index > 0) {
        assert_int_equal(part->context, got.context);
    }
    for (size_t i = 0; i < part->count; i++) {
        check_record(&part->records[i]);
    }
    got.index += (uint32_t)part->count;
    return 0;
}

static int on_time(void *context, const struct wire_time *time)
{
    (void)context;
    /* Those of before the start came before all records. */
    if (!time->has_trace) {
        assert_int_equal(got.index, 0);
        return 0;
    }
    assert_int_equal(time->trace.produced - time->trace.lost, got.index);
    got.time = *time;
    got.times++;
    return 0;
}

static int on_hello(void *context, const struct wire_hello *hello)
{
    (void)context;
    got.hello = *hello;
    got.starts += hello->start;
    return 0;
}

static void decode(void)
{
    static const struct decode_handler handler = {
            .trace = on_trace, .time = on_time, .hello = on_hello};
    struct decoder decoder;
    struct deframer deframer;
    memset(&got, 0, sizeof(got));
    assert_int_equal(decoder_init(&decoder, &handler), 0);
    deframer_init(&deframer, decoder_frame, &decoder);
    assert_int_equal(deframer_feed(&deframer, line, line_size), 0);
    assert_int_equal(deframer_end(&deframer), 0);
    assert_int_equal(deframer.stats.damaged_bytes, 0);
    decoder_deinit(&decoder);
}

static void start(void)
{
    static const struct mcuprof_trace_config config = {
            .mode = MCUPROF_TRACE_MODE_STREAM};
    struct mcuprof_config base = {0};
    mcuprof_port_host.between = NULL;
    line_chance = 1024;
    (void)mcuprof_trace_stop();
    while (mcuprof_poll() > 0) {
        line_size = 0;
    }
    line_size = 0;
    base.write = line_write;
    base.core_hz = MACHINE_HZ;
    assert_int_equal(mcuprof_init(&base), 0);
    mcuprof_trace_release();
    assert_int_equal(mcuprof_trace_start(&config), 0);
    mcuprof_port_host.between = machine_between;
}

static void drain(void)
{
    mcuprof_port_host.between = NULL;
    line_chance = 1024;
    assert_int_equal(mcuprof_trace_stop(), 0);
    while (mcuprof_poll() > 0) {
    }
}

static void check_accounts(void)
{
    uint32_t issued = 0;
    assert_int_equal(got.torn, 0);
    for (unsigned actor = 0; actor < MACHINE_ACTORS; actor++) {
        issued += machine.issued[actor];
        got.missing += machine.issued[actor] - got.next_of[actor];
    }
    assert_int_equal(got.events + got.missing, issued);
    assert_int_equal(got.missing, got.time.trace.lost);
    assert_int_equal(got.told, got.time.trace.lost);
    assert_int_equal(got.time.trace.produced, got.index + got.time.trace.lost);
    assert_int_equal(got.hello.trace_mode, MCUPROF_TRACE_MODE_STREAM);
    assert_true(got.hello.engines & MCUPROF_ENGINE_TRACE);
    assert_int_equal(got.starts, 1);
}

struct load {
    struct machine_chances chances;
    uint32_t poll_chance;
    uint32_t line_chance;
};

static const struct load loads[] = {
        {{0, 0, 0}, 1024, 1024},  {{40, 0, 0}, 300, 1024},
        {{60, 30, 1}, 300, 1000}, {{60, 30, 0}, 100, 900},
        {{60, 30, 1}, 20, 100},   {{250, 5, 1}, 200, 1024},
};

static void test_storm(void **unused)
{
    (void)unused;
    uint32_t lost = 0;
    for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
        for (uint32_t seed = 1; seed < 30; seed++) {
            machine_reset(&loads[i].chances, seed);
            start();
            poll_chance = loads[i].poll_chance;
            line_chance = loads[i].line_chance;
            machine.main_step = poll_by_chance;
            machine_run(3000);
            drain();
            decode();
            check_accounts();
            lost += got.missing;
            assert_true(i > 0 || got.missing == 0);
        }
    }
    /* It has been seen that there was something to be seen. */
    assert_true(lost > 100);
}

/* Overflow, in the calm: what was lost is one run, and has its time. */
static uint32_t span_first, span_last, span_count, spans_seen;

static int on_span(void *context, const struct wire_trace_part *part)
{
    (void)context;
    for (size_t i = 0; i + 1 < part->count; i++) {
        if (part->records[i].word >> 24 == MCUPROF_TRACE_LOST) {
            span_first = part->records[i].time;
            span_count = part->records[i].word & MCUPROF_TRACE_ARGUMENT;
            span_last = part->records[i + 1].time;
            spans_seen++;
        }
    }
    return 0;
}

static void test_span(void **unused)
{
    (void)unused;
    static const struct machine_chances calm = {0, 0, 0};
    static const struct decode_handler handler = {.trace = on_span};
    struct decoder decoder;
    struct deframer deframer;
    machine_reset(&calm, 1);
    start();
    mcuprof_port_host.between = NULL;
    /* The first event of a context has its record before it. */
    for (uint32_t i = 0; i < MCUPROF_TRACE_RING - 2u; i++) {
        mcuprof_port_host.counter = 5000u + i;
        machine_event();
    }
    for (uint32_t i = 0; i < 7; i++) {
        mcuprof_port_host.counter = 10000u + 100u * i;
        machine_event();
    }
    drain();
    spans_seen = 0;
    assert_int_equal(decoder_init(&decoder, &handler), 0);
    deframer_init(&deframer, decoder_frame, &decoder);
    assert_int_equal(deframer_feed(&deframer, line, line_size), 0);
    assert_int_equal(deframer_end(&deframer), 0);
    decoder_deinit(&decoder);
    assert_int_equal(spans_seen, 1);
    assert_int_equal(span_count, 7);
    assert_int_equal(span_first, 10000);
    assert_int_equal(span_last, 10600);
}

static void events(uint32_t count)
{
    while (count-- > 0) {
        mcuprof_port_host.counter++;
        machine_event();
    }
}

#if MCUPROF_TRACE_KEEP

/* What came of the ring that was kept. */
static struct {
    struct wire_ring ring;
    uint32_t boot_ids[8];
    unsigned hellos;
    unsigned rings;
    uint32_t words[MCUPROF_TRACE_RING];
    uint32_t times[MCUPROF_TRACE_RING];
    uint32_t count;
    uint32_t first;
    uint32_t gaps;
    uint32_t next;
    unsigned context;
} old;

static int on_old_hello(void *context, const struct wire_hello *hello)
{
    (void)context;
    assert_true(old.hellos < 8);
    old.boot_ids[old.hellos++] = hello->boot_id;
    return 0;
}

static int on_old_ring(void *context, const struct wire_ring *ring)
{
    (void)context;
    old.ring = *ring;
    old.rings++;
    return 0;
}

static int on_old_trace(void *context, const struct wire_trace_part *part)
{
    (void)context;
    if (old.count == 0) {
        old.first = part->first;
        old.context = part->context;
    } else {
        old.gaps += part->first - old.next;
    }
    for (size_t i = 0; i < part->count; i++) {
        assert_true(old.count < MCUPROF_TRACE_RING);
        old.words[old.count] = part->records[i].word;
        old.times[old.count++] = part->records[i].time;
    }
    old.next = part->first + (uint32_t)part->count;
    return 0;
}

/* Of a boot before: its HELLO and its records, then this boot's HELLO again. */
static void test_kept(void **unused)
{
    (void)unused;
    static const struct machine_chances calm = {0, 0, 0};
    static const struct decode_handler handler = {
            .hello = on_old_hello, .ring = on_old_ring, .trace = on_old_trace};
    for (uint32_t events_made = 5; events_made < 4u * MCUPROF_TRACE_RING;
         events_made += 13) {
        struct mcuprof_config base = {0};
        struct decoder decoder;
        struct deframer deframer;
        machine_reset(&calm, events_made);
        line_chance = 1024;
        while (mcuprof_poll() > 0) {
        }
        line_size = 0;
        mcuprof_trace.block.magic = 0;
        mcuprof_port_host.between = NULL;
        base.write = line_write;
        base.core_hz = MACHINE_HZ;
        base.boot_id = 0x1111;
        assert_int_equal(mcuprof_init(&base), 0);
        assert_int_equal(mcuprof_trace_start(NULL), 0);
        events(events_made);
        uint32_t frame[8] = {0, 0, 0, 0, 0, 0xAAAA, 0xBBBB, 0x01000003};
        mcuprof_port_host.fault = 0x82;
        mcuprofi_fault(frame, 0xFFFFFFF9u);
        uint32_t lap = (uint32_t)mcuprof_trace.block.laps;
        uint32_t head =
                (uint32_t)((mcuprof_trace.block.head - MCUPROFI_RING_BEGIN)
                           / 8u);
        uint32_t made = lap * MCUPROF_TRACE_RING + head;
        uint32_t held = lap != 0 ? MCUPROF_TRACE_RING : head;
        /* One that nobody completed. */
        uint32_t hole = (made - 2u) % MCUPROF_TRACE_RING;
        mcuprof_trace.slots[hole].word = 0;
        base.boot_id = 0x2222;
        while (mcuprof_poll() > 0) {
        }
        line_size = 0;
        assert_int_equal(mcuprof_init(&base), 0);
        assert_true(mcuprof_trace_kept());
        assert_int_equal(mcuprof_trace_send_kept(), 0);
        while (mcuprof_poll() > 0) {
        }
        memset(&old, 0, sizeof(old));
        assert_int_equal(decoder_init(&decoder, &handler), 0);
        deframer_init(&deframer, decoder_frame, &decoder);
        assert_int_equal(deframer_feed(&deframer, line, line_size), 0);
        assert_int_equal(deframer_end(&deframer), 0);
        assert_int_equal(deframer.stats.damaged_bytes, 0);
        decoder_deinit(&decoder);
        assert_int_equal(old.boot_ids[0], 0x1111);
        assert_int_equal(old.boot_ids[old.hellos - 1u], 0x2222);
        assert_int_equal(old.rings, 1);
        assert_int_equal(old.ring.state, MCUPROF_TRACE_STATE_FAULT);
        assert_true(old.ring.kept);
        assert_int_equal(old.ring.fault, 0x82);
        assert_int_equal(old.first, made - held);
        assert_int_equal(old.count, held - 1u);
        assert_int_equal(old.gaps, 1);
        assert_int_equal(old.context, lap != 0 ? 0xFFFF : 0);
        for (uint32_t i = 0, n = made - held; n < made; n++) {
            uint32_t slot = n % MCUPROF_TRACE_RING;
            if (slot != hole) {
                uint32_t word = mcuprof_trace.slots[slot].word;
                word -= word >> 16 == 0xF001u ? 0x10000u : 0;
                assert_int_equal(old.words[i], word);
                assert_int_equal(old.times[i], mcuprof_trace.slots[slot].time);
                i++;
            }
        }
        mcuprof_trace_release();
    }
}

#endif

/* From every place on there is room for all records but one. */
static void test_every_place(void **unused)
{
    (void)unused;
    static const struct machine_chances calm = {0, 0, 0};
    uint32_t room = MCUPROF_TRACE_RING - 1u;
    machine_reset(&calm, 1);
    start();
    mcuprof_port_host.between = NULL;
    for (uint32_t i = 0; i < 2048u; i++) {
        uint32_t before = (uint32_t)mcuprof_trace.block.lost;
        mcuprofi_word head;
        events(1);
        mcuprof_port_host.counter += MACHINE_HZ;
        while (mcuprof_poll() > 0) {
        }
        head = mcuprof_trace.block.head;
        events(room + 5u);
        /* What begins anew begins with a context's record. */
        uint32_t more = head + room * 8u >= MCUPROFI_RING_END ? 1u : 0;
        assert_in_range(mcuprof_trace.block.lost - before, 5u, 5u + more);
        mcuprof_port_host.counter += MACHINE_HZ;
        while (mcuprof_poll() > 0) {
        }
    }
    drain();
    decode();
    check_accounts();
}

/*
 * An event that finds no room, in an interrupt at each moment of a poll, and
 * another soon after it, from which the first is seen to be missing.
 */
static unsigned moments_left;
static unsigned moments_after;

static void event_at_moment(void)
{
    if (mcuprof_port_host.exception == 0 && moments_left > 0
        && --moments_left == 0) {
        mcuprof_port_host.exception = 16;
        mcuprof_port_host.is_exclusive = 0;
        mcuprof_port_host.counter++;
        machine_event();
        mcuprof_port_host.exception = 0;
        moments_left = moments_after;
        moments_after = 0;
    }
}

static void test_lost_meanwhile(void **unused)
{
    (void)unused;
    static const struct machine_chances calm = {0, 0, 0};
    is_told_before = 1;
    for (unsigned moment = 1; moment < 30u * 8u; moment++) {
        machine_reset(&calm, 1);
        start();
        mcuprof_port_host.between = NULL;
        /* Full to the last record, with a context's. */
        events(MCUPROF_TRACE_RING - 2u);
        moments_left = moment / 8u + 1u;
        moments_after = moment % 8u;
        mcuprof_port_host.between = event_at_moment;
        for (unsigned i = 0; i < MCUPROF_TRACE_RING; i++) {
            assert_true(mcuprof_poll() >= 0);
        }
        mcuprof_port_host.between = NULL;
        events(3);
        drain();
        decode();
        check_accounts();
    }
    is_told_before = 0;
}

/*
 * A task that was deleted in the middle of a hook never writes the slot that
 * it took: one record is lost, and the stream goes on.
 */
static void test_abandoned(void **unused)
{
    (void)unused;
    static const struct machine_chances calm = {0, 0, 0};
    for (uint32_t more = 0; more < 4u * MCUPROF_TRACE_RING; more += 7u) {
        machine_reset(&calm, 1);
        start();
        mcuprof_port_host.between = NULL;
        events(5);
        assert_true(mcuprof_poll() >= 0);
        events(1);
        struct mcuprofi_slot *slot =
                (struct mcuprofi_slot *)mcuprof_trace.block.head;
        slot[-1].word = 0;
        mcuprof_context_delete(600);
        for (uint32_t i = 0; i < more; i++) {
            events(1);
            mcuprof_port_host.counter += MACHINE_HZ / 100u;
            assert_true(mcuprof_poll() >= 0);
        }
        drain();
        decode();
        assert_int_equal(got.torn, 1);
        assert_int_equal(got.time.trace.lost, 0);
        assert_int_equal(got.time.trace.produced, got.index);
        assert_int_equal(got.missing, more > 0 ? 1 : 0);
        assert_int_equal(got.events, machine.issued[0] - 1u);
    }
}

/* Records that belong together are lost together, and count each. */
static void test_lost_pairs(void **unused)
{
    (void)unused;
    static const struct machine_chances calm = {0, 0, 0};
    machine_reset(&calm, 1);
    start();
    mcuprof_port_host.between = NULL;
    events(MCUPROF_TRACE_RING + 3u);
    mcuprofi_word lost = mcuprof_trace.block.lost;
    mcuprof_mark(1, 2);
    assert_int_equal(mcuprof_trace.block.lost - lost, 2);
    mcuprof_clock_changed(MACHINE_HZ + 1u);
    assert_int_equal(mcuprof_trace.block.lost - lost, 5);
    mcuprof_context_delete(600);
    assert_int_equal(mcuprof_trace.block.lost - lost, 6);
}

/*
 * After an event the next is fast again, as far as there is room: before poll
 * comes and after it, wherever it leaves its place, and in the lap behind.
 */
static void test_limit(void **unused)
{
    (void)unused;
    static const struct machine_chances calm = {0, 0, 0};
    const struct mcuprofi_block *b = &mcuprof_trace.block;
    uint32_t fast = 0;
    machine_reset(&calm, 1);
    start();
    mcuprof_port_host.between = NULL;
    for (uint32_t i = 0; i < 2048u; i++) {
        mcuprofi_word stop = mcuprof_trace.stop;
        events(1);
        mcuprofi_word end = b->head > stop ? mcuprof_trace.end : stop;
        assert_int_equal(b->limit, end);
        fast += b->head < b->limit;
        if (i % 5u == 0) {
            mcuprof_port_host.counter += MACHINE_HZ;
            line_is_blocked = i % 3u == 0;
            assert_true(mcuprof_poll() >= 0);
        }
    }
    line_is_blocked = 0;
    assert_true(fast > 100u);
}

/* Sampling and the ring are started without a poll between. */
static void test_beside_samples(void **unused)
{
    (void)unused;
    static const struct machine_chances calm = {0, 0, 0};
    static const struct mcuprof_trace_config config = {
            .mode = MCUPROF_TRACE_MODE_STREAM};
    machine_reset(&calm, 1);
    start();
    mcuprof_port_host.between = NULL;
    assert_int_equal(mcuprof_trace_stop(), 0);
    while (mcuprof_poll() > 0) {
    }
    line_size = 0;
    assert_int_equal(mcuprof_init(&(struct mcuprof_config){
                             .write = line_write, .core_hz = MACHINE_HZ}),
                     0);
    assert_int_equal(mcuprof_start(), 0);
    assert_int_equal(mcuprof_trace_start(&config), 0);
    for (uint32_t i = 0; i < 3u * MCUPROF_TRACE_RING; i++) {
        events(1);
        assert_true(mcuprof_poll() >= 0);
    }
    assert_int_equal(mcuprof_stop(), 0);
    drain();
    decode();
    check_accounts();
    assert_int_equal(got.missing, 0);
}

/* Begun again while all waits for the line: what was not sent is lost. */
static void test_restart(void **unused)
{
    (void)unused;
    static const struct machine_chances calm = {0, 0, 0};
    static const struct mcuprof_trace_config config = {
            .mode = MCUPROF_TRACE_MODE_STREAM};
    machine_reset(&calm, 1);
    start();
    mcuprof_port_host.between = NULL;
    line_is_blocked = 1;
    for (uint32_t i = 0; i < 3; i++) {
        events(4);
        mcuprof_port_host.counter += 2u * MACHINE_HZ;
        assert_true(mcuprof_poll() >= 0);
    }
    assert_int_equal(mcuprof_trace_stop(), 0);
    assert_int_equal(mcuprof_trace_start(&config), 0);
    line_is_blocked = 0;
    events(9);
    drain();
    decode();
    uint32_t missing = got.missing;
    assert_true(missing <= 12);
    assert_int_equal(got.events + missing, 12 + 9);
    assert_int_equal(got.time.trace.produced, got.index + got.time.trace.lost);
    assert_in_range(got.time.trace.lost, missing, missing + 1u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_storm),
        cmocka_unit_test(test_span),
        cmocka_unit_test(test_every_place),
        cmocka_unit_test(test_lost_meanwhile),
        cmocka_unit_test(test_abandoned),
        cmocka_unit_test(test_lost_pairs),
        cmocka_unit_test(test_limit),
#if MCUPROF_TRACE_KEEP
        cmocka_unit_test(test_kept),
#endif
        cmocka_unit_test(test_beside_samples),
        cmocka_unit_test(test_restart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
