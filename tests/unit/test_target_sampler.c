/* SPDX-License-Identifier: MIT */
#include "target_rig.h"

static void start(const struct mcuprof_config *config)
{
    assert_int_equal(mcuprof_init(config), 0);
    assert_int_equal(mcuprof_start(), 0);
}

static void start_default(uint8_t clock_source)
{
    struct mcuprof_config config = rig_config();
    rig_reset(clock_source);
    start(&config);
}

static const struct wire_sample *sample(size_t i)
{
    assert_true(i < rig_received.sample_count);
    return &rig_received.samples[i];
}

static void test_context_comes_from_the_frame(void **unused)
{
    (void)unused;
    start_default(MCUPROF_CLOCK_DWT);
    rig_tick(0, 0x1000, 0x01000000u);
    rig_tick(0, 0x1002, 0x01000000u | 15u);
    mcuprof_context_set(512);
    rig_tick(0, 0x1004, 0x61000000u);
    rig_tick(0, 0x1006, 0x6100012Cu); /* all nine bits: 300 */
    mcuprof_context_set(70000);
    rig_tick(0, 0x1008, 0x01000000u);
    mcuprof_context_set(65534);
    rig_tick(0, 0x100A, 0x01000000u);
    mcuprof_context_set(511); /* an exception number is no task */
    rig_tick(0, 0x100C, 0x01000000u);
    mcuprof_sample_put(0x100Fu, 42);
    (void)mcuprof_stop();
    rig_drain();
    rig_decode();
    static const uint16_t contexts[] = {0, 15, 512, 300, 0, 65534, 0, 42};
    assert_int_equal(rig_received.sample_count, 8);
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(sample(i)->context, contexts[i]);
        assert_int_equal(sample(i)->pc, 0x1000u + 2u * i);
    }
}

static void test_lateness_and_longest(void **unused)
{
    (void)unused;
    start_default(MCUPROF_CLOCK_DWT);
    rig_tick(7, 0x1000, 0);
    rig_tick(3, 0x1002, 0);
    rig_tick(901, 0x1004, 0);
    rig_tick(900, 0x1006, 0);
    (void)mcuprof_stop();
    rig_drain();
    rig_decode();
    static const uint16_t late[] = {7, 3, 901, 900};
    assert_int_equal(rig_received.sample_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(sample(i)->lateness
                                 << rig_received.hello.lateness_shift,
                         late[i]);
    }
    assert_int_equal(rig_received.time.longest, 901);
    assert_int_equal(rig_received.time.longest_pc, 0x1004);
    assert_int_equal(rig_received.time.missed, 0);
}

/*
 * An interrupt earlier than thought moves the deadline to itself: from then on
 * a sample on time is on time, and the slow path is not taken again.
 */
static void test_early_interrupt_is_the_new_deadline(void **unused)
{
    (void)unused;
    start_default(MCUPROF_CLOCK_DWT);
    uint32_t early = 30;
    for (uint32_t i = 0; i < 10; i++) {
        mcuprof_port_host.counter = mcuprofi_sampler.deadline - early;
        /* The slow path would be seen to measure again, at another time. */
        uint32_t entry = mcuprof_port_host.counter;
        uint32_t running = mcuprofi_sampler.interval;
        rig_interrupt(0x1000, 0);
        assert_int_equal(mcuprofi_sampler.deadline, entry + running);
        early = 0;
        mcuprofi_sampler.tail = mcuprofi_sampler.head;
        if (i > 0) {
            assert_true(mcuprofi_sampler.threshold > 0);
        }
    }
}

/* Ten periods masked: one sample comes, ten were missed, the next is on time.
 */
static void test_missed_periods(void **unused)
{
    (void)unused;
    start_default(MCUPROF_CLOCK_DWT);
    rig_tick(5, 0x1000, 0);
    /* The timer goes on alone with what it has loaded. */
    uint32_t running = mcuprofi_sampler.interval;
    uint32_t due = mcuprofi_sampler.deadline;
    uint32_t late = 10u * RIG_PERIOD + 100u;
    rig_tick(late, 0x1002, 0);
    uint32_t next = mcuprofi_sampler.deadline;
    assert_int_equal((next - due) % running, 0);
    assert_true(next - due > late && next - due <= late + running);
    rig_tick(6, 0x1004, 0);
    (void)mcuprof_stop();
    rig_drain();
    rig_decode();
    /* What the deadline moved by, in nominal periods; the rest is kept. */
    assert_int_equal(rig_received.time.missed,
                     late / running * running / RIG_PERIOD);
    assert_int_equal(mcuprofi_sampler.missed_rest,
                     late / running * running % RIG_PERIOD);
    assert_in_range(rig_received.time.missed, 9, 10);
    assert_int_equal(rig_received.time.longest, late);
    assert_int_equal(rig_received.time.longest_pc, 0x1002);
    assert_int_equal(sample(2)->lateness, 6);
    assert_int_equal(rig_received.time.produced, 3);
}

/*
 * The timer wraps just when the interrupt that pended for ten of them is
 * entered: that wrap counts there, but has pended it again.
 */
static void test_missed_period_pends_again(void **unused)
{
    (void)unused;
    start_default(MCUPROF_CLOCK_DWT);
    rig_tick(5, 0x1000, 0);
    uint32_t late = 10u * mcuprofi_sampler.interval + 2u;
    rig_tick(late, 0x1002, 0);
    uint32_t due = mcuprofi_sampler.deadline;
    mcuprof_port_host.counter += 130u;
    rig_interrupt(0x1002, 0);
    assert_int_equal(mcuprofi_sampler.deadline, due);
    /* The next is one again, on time; of another that is early the phase counts
     * as ever. */
    rig_tick(6, 0x1004, 0);
    rig_tick(0u - 100u, 0x1006, 0);
    rig_tick(7, 0x1008, 0);
    (void)mcuprof_stop();
    rig_drain();
    rig_decode();
    assert_int_equal(rig_received.time.produced, 5);
    assert_int_equal(rig_received.time.longest, late);
    assert_int_equal(sample(2)->lateness, 6);
    assert_int_equal(sample(3)->lateness, 0);
    assert_int_equal(sample(4)->lateness, 7);
}

/* SysTick: what is written to its reload register counts from a wrap on. */
struct timer_model {
    uint32_t wrap;    /* time of the last one */
    uint32_t running; /* interval since then */
    uint32_t load;
    int pending;
};

static void timer_run(struct timer_model *timer, uint32_t until)
{
    while ((int32_t)(until - (timer->wrap + timer->running)) >= 0) {
        timer->wrap += timer->running;
        timer->running = timer->load;
        timer->pending = 1;
    }
}

/* The handler reads the clock first and writes the reload 30 ticks later. */
static void timer_interrupt(struct timer_model *timer, uint32_t now)
{
    mcuprof_port_host.counter = now;
    timer->pending = 0;
    rig_interrupt(0x1000, 0);
    timer_run(timer, now + 30u);
    timer->load = mcuprof_port_host.systick_reload + 1u;
}

/*
 * A timeline with masked stretches of any length, many of which end just when
 * the timer wraps: deadlines stay those of the timer, and samples and missed
 * periods together are the time that went by.
 */
static void test_timeline_with_masked_stretches(void **unused)
{
    (void)unused;
    static const uint32_t masked[] = {2500, 3000, 6250, 800, 40000};
    for (size_t m = 0; m < sizeof(masked) / sizeof(masked[0]); m++) {
        start_default(MCUPROF_CLOCK_DWT);
        uint32_t begin = mcuprof_port_host.counter;
        uint32_t first = mcuprof_port_host.systick_reload + 1u;
        struct timer_model timer = {begin, first, first, 0};
        uint32_t now = begin;
        uint32_t samples = 0;
        for (uint32_t i = 0; now - begin < 20000u * RIG_PERIOD; i++) {
            uint32_t head = mcuprofi_sampler.head;
            uint32_t free =
                    timer.pending ? now + 60u : timer.wrap + timer.running;
            /* Every other time a stretch begins. */
            now = free + (i % 2u == 0 ? masked[m] : 9u);
            timer_run(&timer, now);
            timer_interrupt(&timer, now);
            if (mcuprofi_sampler.head != head) {
                samples++;
                uint32_t next =
                        timer.pending ? timer.wrap : timer.wrap + timer.running;
                assert_int_equal(mcuprofi_sampler.deadline, next);
            }
            mcuprofi_sampler.tail = mcuprofi_sampler.head;
        }
        uint32_t periods = (now - begin) / RIG_PERIOD;
        /* 15,000 jittered intervals: deviation 36. A biased count: 400. */
        assert_in_range(samples + mcuprofi_sampler.missed, periods - 150u,
                        periods + 150u);
    }
}

/* Uniform from half to one and a half periods: mean, bounds and quartiles. */
static void test_jitter(void **unused)
{
    (void)unused;
    start_default(MCUPROF_CLOCK_DWT);
    assert_true(rig_received.hello.sampler_flags == 0);
    uint64_t sum = 0;
    unsigned quarter[4] = {0};
    const unsigned n = 20000;
    for (unsigned i = 0; i < n; i++) {
        rig_tick(0, 0x1000, 0);
        uint32_t interval = mcuprof_port_host.systick_reload + 1u;
        assert_true(interval >= RIG_PERIOD / 2u);
        assert_true(interval < RIG_PERIOD + RIG_PERIOD / 2u);
        sum += interval;
        quarter[(interval - RIG_PERIOD / 2u) * 4u / RIG_PERIOD]++;
        mcuprofi_sampler.tail = mcuprofi_sampler.head;
    }
    assert_in_range(sum / n, RIG_PERIOD * 99u / 100u, RIG_PERIOD * 101u / 100u);
    for (unsigned i = 0; i < 4; i++) {
        /* 5000 expected, deviation 61: five of them. */
        assert_in_range(quarter[i], 4695, 5305);
    }
}

/* Somebody else's tick: fixed, and its phase is learned from the ticks. */
static void test_shared_tick(void **unused)
{
    (void)unused;
    struct mcuprof_config config = rig_config();
    config.timer = &mcuprof_timer_systick_shared;
    rig_reset(MCUPROF_CLOCK_DWT);
    mcuprof_port_host.systick_running = 1;
    mcuprof_port_host.systick_reload = 24999;
    /* Its rate is 1 kHz: said rightly, or not at all. */
    config.rate_hz = 100;
    assert_int_equal(mcuprof_init(&config), MCUPROF_ERATE);
    config.rate_hz = 1000;
    assert_int_equal(mcuprof_init(&config), 0);
    config.rate_hz = 0;
    mcuprof_port_host.systick_running = 0;
    assert_int_equal(mcuprof_init(&config), MCUPROF_ERATE);
    mcuprof_port_host.systick_running = 1;
    mcuprof_port_host.counter = 777777u - 11000u;
    start(&config);
    for (uint32_t i = 0; i < 5; i++) {
        static const uint32_t late[5] = {4, 9, 0, 0, 11};
        mcuprof_port_host.counter = 777777u + 25000u * i + late[i];
        rig_interrupt(0x1000, 0);
    }
    (void)mcuprof_stop();
    rig_drain();
    rig_decode();
    assert_int_equal(rig_received.hello.period, 25000);
    assert_int_equal(rig_received.hello.sampler_flags & MCUPROF_SAMPLER_JITTER,
                     0);
    assert_int_equal(rig_received.time.missed, 0);
    assert_int_equal(rig_received.sample_count, 5);
    /* From the earliest tick on, lateness is against that. */
    assert_int_equal(sample(2)->lateness, 0);
    assert_int_equal(sample(3)->lateness, 0);
    assert_int_equal(sample(4)->lateness, 11);
    /* The owner's SysTick was not touched. */
    assert_int_equal(mcuprof_port_host.systick_reload, 24999);
    assert_int_equal(mcuprof_port_host.systick_running, 1);
}

/* A timer that nobody told us the rate of. */
static void test_rate_of_others(void **unused)
{
    (void)unused;
    static const struct mcuprof_timer others = {.hz = 1000000};
    struct mcuprof_config config = rig_config();
    rig_reset(MCUPROF_CLOCK_NONE);
    config.timer = &others;
    config.core_hz = others.hz;
    config.rate_hz = 0;
    assert_int_equal(mcuprof_init(&config), MCUPROF_ERATE);
    config.rate_hz = 1000;
    assert_int_equal(mcuprof_init(&config), 0);
}

/* At 10 kHz: SysTick is free, or somebody's, or ours from before. */
static void test_systick_that_ticks_already(void **unused)
{
    static const struct {
        int error;
        int running; /* on the core clock */
        int enabled;
        uint32_t period;
    } cases[] = {
            {MCUPROF_EOWNER, 1, 1, RIG_HZ / 1000u},
            {MCUPROF_EOWNER, 1, 1, RIG_HZ / 100u},
            {MCUPROF_EOWNER, 0, 1, RIG_HZ / 1000u},
            {0, 1, 0, RIG_HZ / 1000u},          /* just counts */
            {MCUPROF_EOWNER, 1, 1, RIG_PERIOD}, /* at the very rate, too */
            {0, 1, 1, RIG_PERIOD - 37u},        /* jitter */
    };
    (void)unused;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct mcuprof_config config = rig_config();
        rig_reset(MCUPROF_CLOCK_DWT);
        mcuprof_port_host.systick_running = cases[i].running;
        mcuprof_port_host.systick_reload = cases[i].period - 1u;
        mcuprof_port_host.enabled[15] = (uint8_t)cases[i].enabled;
        assert_int_equal(mcuprof_init(&config), cases[i].error);
    }
}

/* No other clock: lateness is SysTick's count, time the sum of intervals. */
static void test_systick_is_all_there_is(void **unused)
{
    (void)unused;
    start_default(MCUPROF_CLOCK_SYSTICK_SAMPLER);
    uint64_t begin = mcuprofi_stream_ticks();
    uint64_t sum = RIG_PERIOD;
    for (uint32_t i = 0; i < 100; i++) {
        uint32_t running = mcuprofi_sampler.interval;
        mcuprof_port_host.systick_count = running - 1u - 13u;
        rig_interrupt(0x1000, 0);
        if (i < 99) {
            sum += running;
        }
    }
    /* A third of the running interval has gone by. */
    uint64_t rest =
            mcuprofi_sampler.deadline - ((uint32_t)begin + (uint32_t)sum);
    mcuprof_port_host.systick_count = 100;
    assert_int_equal(mcuprofi_stream_ticks() - begin, sum + rest - 100u);
    /* The counter has wrapped, the interrupt has not run. */
    mcuprof_port_host.systick_pending = 1;
    mcuprof_port_host.systick_count = mcuprofi_sampler.interval - 50u;
    assert_int_equal(mcuprofi_stream_ticks() - begin, sum + rest + 50u);
    mcuprof_port_host.systick_pending = 0;
    (void)mcuprof_stop();
    rig_drain();
    rig_decode();
    assert_int_equal(sample(50)->lateness, 13);
    assert_int_equal(rig_received.time.missed, 0);
    assert_true(rig_received.hello.sampler_flags
                & MCUPROF_SAMPLER_MISSED_UNKNOWN);
    assert_int_equal(rig_received.hello.sampler_cost, 0);
}

/* Masked past a wrap: the count belongs to the next interval already. */
static void test_systick_wraps_before_it_is_read(void **unused)
{
    (void)unused;
    start_default(MCUPROF_CLOCK_SYSTICK_SAMPLER);
    for (uint32_t i = 0; i < 50; i++) {
        uint32_t due = mcuprofi_sampler.deadline;
        uint32_t running = mcuprofi_sampler.interval;
        mcuprof_port_host.systick_count = running + 500u;
        rig_interrupt(0x1000, 0);
        assert_int_equal(mcuprofi_sampler.deadline - due, running);
    }
    (void)mcuprof_stop();
    rig_drain();
    rig_decode();
    assert_true(rig_received.time.longest < RIG_PERIOD);
}

static void test_no_clock_at_all(void **unused)
{
    (void)unused;
    start_default(MCUPROF_CLOCK_NONE);
    for (uint32_t i = 0; i < 1000; i++) {
        rig_interrupt(0x1000, 0);
        mcuprofi_sampler.tail = mcuprofi_sampler.head;
    }
    uint64_t ticks = mcuprofi_stream_ticks();
    assert_in_range(ticks, 980u * RIG_PERIOD, 1020u * RIG_PERIOD);
    (void)mcuprof_stop();
    assert_int_equal(mcuprofi_stream_ticks(), ticks);
}

/* A narrow counter that runs down: the slow path for each sample. */
static void test_narrow_clock(void **unused)
{
    (void)unused;
    static volatile uint32_t counter = 0xFFFF;
    struct mcuprof_config config = rig_config();
    config.clock = &counter;
    config.clock_bits = 16 | MCUPROF_CLOCK_DOWN;
    rig_reset(MCUPROF_CLOCK_DWT);
    start(&config);
    for (uint32_t i = 0; i < 100; i++) {
        uint32_t due = mcuprofi_sampler.deadline + 21u;
        counter = ~due & 0xFFFFu;
        rig_interrupt(0x1000, 0);
        rig_drain();
    }
    uint32_t late = 3u * RIG_PERIOD + 9u;
    uint32_t running = mcuprofi_sampler.interval;
    counter = ~(mcuprofi_sampler.deadline + late) & 0xFFFFu;
    rig_interrupt(0x1002, 0);
    (void)mcuprof_stop();
    rig_drain();
    rig_decode();
    assert_int_equal(sample(99)->lateness, 21);
    assert_int_equal(rig_received.time.missed,
                     late / running * running / RIG_PERIOD);
    assert_true(rig_received.hello.sampler_flags
                & MCUPROF_SAMPLER_MISSED_UNKNOWN);
    assert_int_equal(rig_received.time.longest, late);
    assert_int_equal(rig_received.hello.clock_bits, 16 | MCUPROF_CLOCK_DOWN);
    assert_in_range(rig_received.time.ticks - rig_received.first_time.ticks,
                    95u * RIG_PERIOD, 110u * RIG_PERIOD);
}

/* A handler that goes on after a stop must not leave anything. */
static void test_stopped_takes_nothing(void **unused)
{
    (void)unused;
    start_default(MCUPROF_CLOCK_DWT);
    rig_tick(0, 0x1000, 0);
    (void)mcuprof_stop();
    uint32_t head = mcuprofi_sampler.head;
    rig_tick(0, 0x1002, 0);
    mcuprof_sample_put(0x1004, 0);
    assert_int_equal(mcuprofi_sampler.head, head);
    rig_drain();
    rig_decode();
    assert_int_equal(rig_received.sample_count, 1);
    assert_int_equal(rig_received.time.produced, 1);
    assert_int_equal(rig_received.time.lost, 0);
}

/*
 * Where the stack pointer was before the exception.
 * Expected: ARMv7-M ARM B1.5.7, figure B1-3.
 */
static void test_stack_pointer(void **unused)
{
    (void)unused;
    static const struct {
        uint32_t exc_return;
        uint32_t xpsr;
        uint32_t size;
    } cases[] = {
            {0xFFFFFFF9u, 0x01000000u, 0x20}, {0xFFFFFFF9u, 0x01000200u, 0x24},
            {0xFFFFFFFDu, 0x01000000u, 0x20}, {0xFFFFFFE9u, 0x01000000u, 0x68},
            {0xFFFFFFEDu, 0x01000200u, 0x6C},
    };
    uint32_t frame[8] = {0};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        frame[MCUPROFI_FRAME_XPSR] = cases[i].xpsr;
        uint32_t sp = mcuprofi_frame_sp(frame, cases[i].exc_return);
        assert_int_equal(sp - (uint32_t)(uintptr_t)frame, cases[i].size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_context_comes_from_the_frame),
            cmocka_unit_test(test_lateness_and_longest),
            cmocka_unit_test(test_early_interrupt_is_the_new_deadline),
            cmocka_unit_test(test_missed_periods),
            cmocka_unit_test(test_missed_period_pends_again),
            cmocka_unit_test(test_timeline_with_masked_stretches),
            cmocka_unit_test(test_jitter),
            cmocka_unit_test(test_shared_tick),
            cmocka_unit_test(test_rate_of_others),
            cmocka_unit_test(test_systick_that_ticks_already),
            cmocka_unit_test(test_systick_is_all_there_is),
            cmocka_unit_test(test_systick_wraps_before_it_is_read),
            cmocka_unit_test(test_no_clock_at_all),
            cmocka_unit_test(test_narrow_clock),
            cmocka_unit_test(test_stopped_takes_nothing),
            cmocka_unit_test(test_stack_pointer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
