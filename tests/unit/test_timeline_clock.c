/* SPDX-License-Identifier: MIT */
/*
 * Times of 64 bits out of clocks of 24 and 32. All expected times are worked
 * out by hand; a 24-bit clock wraps at 0x1000000 = 16,777,216.
 */
#include "timeline_rig.h"

#define WRAP UINT64_C(16777216)

/* A wrap within a function, a wrap in a silence: nothing to be told. */
static void test_wrap(void **unused)
{
    struct rig *rig = rig_new(24, FLIGHT);

    (void)unused;
    rig_play(rig, "0@0xFFFFF0 >m@0xFFFFF0 <m@0x10 >n@0x20 <n@0xF00000");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 0>m@0 0<m@32:32/32 0>n@48 "
                        "0<n@15728656:15728608/15728608 end(1)@15728656 ");
    assert_int_equal(rig->result.counts.anchors, 0);
    rig_free(rig);
}

/* TIMEs each quarter wrap: a silence of 2.5 wraps within a function is known,
   and nothing is marked. The clock counts down. */
static void test_time_tells(void **unused)
{
    struct rig *rig = rig_new(24 | 0x80, STREAM);
    uint64_t ticks = 5 * WRAP + 100;

    (void)unused;
    /* As the register has it: the complement. */
    rig_time(rig, ticks, ~(uint32_t)ticks & 0xFFFFFF);
    /* As the decoder counts it: upwards. */
    rig_play(rig, "0@200 >m@200");
    for (int i = 1; i <= 10; i++)
        rig_time(rig, ticks + (uint64_t)i * WRAP / 4,
                 ~(uint32_t)(ticks + (uint64_t)i * WRAP / 4) & 0xFFFFFF);
    /* 10 quarters are 2.5 wraps; the reading is 0x800000 + 100 + 50. */
    leave(rig, 0x800000 + 150, 'm');
    assert_string_equal(rig_replay(rig),
                        "begin(1) 0>m@83886280 "
                        "0<m@125829270:41942990/41942990 end(1)@125829270 ");
    assert_int_equal(rig->result.counts.wraps, 0);
    assert_int_equal(rig->result.counts.anchors, 11);
    assert_int_equal(rig->result.counts.disagreed, 0);
    assert_true(rig->result.from_init);
    rig_free(rig);
}

/* TIMEs were lost, and records came between: three wraps are somewhere. They
   are marked and lost, not given to anybody. */
static void test_hidden_wraps(void **unused)
{
    struct rig *rig = rig_new(24, STREAM);

    (void)unused;
    rig_time(rig, 0, 0);
    rig_play(rig, "0@100 >m@100 >a@200 <a@300");
    rig_time(rig, 3 * WRAP + 400, 400);
    rig_play(rig, "<m@500");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 0>m@100 0>a@200 0<a@300:100/100 "
                        "wrap(3)@300+50331648 0<m@50332148:400/300 "
                        "end(1)@50332148 ");
    assert_int_equal(rig->result.counts.wraps, 3);
    assert_int_equal(rig->result.lost.ticks, 3 * WRAP);
    rig_free(rig);
}

/* TIMEs were lost while nothing was called: it is known where the wraps are. */
static void test_silent_wraps(void **unused)
{
    struct rig *rig = rig_new(24, STREAM);

    (void)unused;
    rig_play(rig, "0@100 >m@100");
    rig_time(rig, 1000, 200);
    rig_time(rig, 3 * WRAP + 1100, 300);
    rig_play(rig, "<m@500");
    /* 200 is 1000 there: 100 is 900, and 0 here. */
    assert_string_equal(rig_replay(rig),
                        "begin(1) 0>m@0 0<m@50332048:50332048/50332048 "
                        "end(1)@50332048 ");
    assert_int_equal(rig->result.counts.wraps, 0);
    rig_free(rig);
}

/* SYNC records in a ring that stays in RAM: two wraps between two of them with
   nothing else; one between two with a call. */
static void test_sync(void **unused)
{
    struct rig *rig = rig_new(24, FLIGHT);

    (void)unused;
    rig_play(rig, "0@10 >m@10 sync(0xFFFFFF)@20 sync(1)@30 >a@40 <a@50 "
                  "sync(2)@60 <m@70");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 0>m@0 0>a@33554462 0<a@33554472:10/10 "
                        "wrap(1)@33554482+16777216 "
                        "0<m@50331708:33554492/33554482 end(1)@50331708 ");
    assert_int_equal(rig->result.counts.wraps, 1);
    assert_int_equal(rig->result.counts.disagreed, 0);
    rig_free(rig);
}

/* A SYNC behind a long silence is sooner, by its bits, than the record before
   it, which is not stale for that. */
static void test_sync_after_silence(void **unused)
{
    struct rig *rig = rig_new(24, FLIGHT);

    (void)unused;
    rig_play(rig, "0@0 sync@0 >m@0xE00000 sync(1)@0x100000 <m@0x200000");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 0>m@14680064 "
                        "0<m@18874368:4194304/4194304 end(1)@18874368 ");
    assert_int_equal(rig->result.counts.stale, 0);
    rig_free(rig);
}

/* What cannot be is refused, counted, and does not move the time. */
static void test_nonsense(void **unused)
{
    struct rig *rig = rig_new(24, STREAM);

    (void)unused;
    rig_time(rig, 1000, 1000);
    rig_play(rig, "0@1100 >m@1100");
    rig_time(rig, 500, 1200);        /* backwards */
    rig_time(rig, UINT64_MAX, 1200); /* after the end of the world */
    rig_time(rig, 2000, 1300);       /* not this clock's */
    rig_play(rig, "sync(5)@1400 sync(4)@1500 <m@1600");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 0>m@1100 0<m@1600:500/500 end(1)@1600 ");
    assert_int_equal(rig->result.counts.wraps, 0);
    assert_int_equal(rig->result.counts.disagreed, 4);
    rig_free(rig);
}

/* A record comes in between the two readings that make a TIME. */
static void test_time_is_interrupted(void **unused)
{
    struct rig *rig = rig_new(24, STREAM);

    (void)unused;
    rig_time(rig, 1000, 1000);
    rig_play(rig, "15@1100 >s@1100 <s@1190");
    rig_time(rig, 1180, 1180);
    rig_play(rig, ">s@1300 <s@1310");
    rig_time(rig, 1400, 1400);
    assert_string_equal(rig_replay(rig),
                        "begin(1) 15>s@1100 15<s@1190:90/90 15>s@1300 "
                        "15<s@1310:10/10 end(1)@1310 ");
    assert_int_equal(rig->result.counts.disagreed, 0);
    assert_int_equal(rig->result.counts.wraps, 0);
    rig_free(rig);
}

/* A record came in so early that its time is before the TIME's, by a quarter of
   a wrap at most; what is earlier still is of the next wrap. */
static void test_record_of_before_a_time(void **unused)
{
    for (uint32_t early = 0; early < 2; early++) {
        struct rig *rig = rig_new(24, STREAM);

        (void)unused;
        rig_time(rig, 0, 0);
        rig_play(rig, "0@100 >m@100");
        rig_time(rig, WRAP / 4 + 200, WRAP / 4 + 200);
        leave(rig, 200 - early, 'm');
        assert_string_equal(rig_replay(rig),
                            early ? "begin(1) 0>m@100 "
                                    "0<m@16777415:16777315/16777315 "
                                    "end(1)@16777415 "
                                  : "begin(1) 0>m@100 0<m@200:100/100 "
                                    "end(1)@200 ");
        assert_int_equal(rig->result.counts.wraps, 0);
        rig_free(rig);
    }
}

/* Three calls of 4,608,005,017 cycles together, more than 32 bits. */
static void test_long_calls(void **unused)
{
    struct rig *rig = rig_new(32, STREAM);
    const uint64_t ends[3] = {1000000000, 4000000000, 4608005017};
    uint64_t now = 0;
    uint64_t sum = 0;

    (void)unused;
    rig_time(rig, 0, 0);
    for (int i = 0; i < 3; i++) {
        runs(rig, (uint32_t)now, 0);
        enter(rig, (uint32_t)now, 'm');
        for (; now < ends[i]; now += 500000000)
            rig_time(rig, now, (uint32_t)now);
        now = ends[i];
        leave(rig, (uint32_t)now, 'm');
    }
    (void)rig_replay(rig);
    sum = rig->result.shares[0].self.ticks;
    assert_int_equal(sum, 4608005017);
    assert_int_equal(rig->result.counts.calls, 3);
    assert_int_equal(rig->result.wall.ticks, 4608005017);
    rig_free(rig);
}

/* A loss is noted late: its time is before that of the record in front of it.
 */
static void test_late_loss(void **unused)
{
    struct rig *rig = rig_new(24, FLIGHT);

    (void)unused;
    rig_play(rig, "0@1000 >m@1000 >a@1010 lost(2)@1005 =1015 <a@1020 <m@1030");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 0>m@0 0>a@10 gap(2)@10+10!? 0<a@20:0/0 "
                        "0<m@30:20/20 end(1)@30 ");
    rig_free(rig);
}

/* What a call lasts where the rate changes: seconds are summed by pieces. */
static int check_pieces(void *context, const struct timeline_event *event)
{
    unsigned *seen = context;

    if (event->kind != TIMELINE_LEAVE)
        return 0;
    /* 100 ticks at 1 MHz and 200 at 4 MHz: 100 us and 50 us. */
    assert_int_equal(event->span.ticks, 300);
    assert_int_equal(event->span.ps, UINT64_C(150000000));
    assert_int_equal(event->at.ps, UINT64_C(150000000));
    ++*seen;
    return 0;
}

static void test_rate_changes(void **unused)
{
    struct rig *rig = rig_new(24, FLIGHT);
    unsigned seen = 0;

    (void)unused;
    rig->hello.clock_hz = 1000000;
    rig_hello(rig);
    rig_play(rig, "0@0 >m@0 clock@100 =4000000 <m@300");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 0>m@0 clock(4000000)@100 0<m@300:300/300 "
                        "end(1)@300 ");
    assert_true(rig->result.rate_changed);
    assert_int_equal(rig->result.wall.ps, UINT64_C(150000000));
    timeline_result_deinit(&rig->result);
    assert_int_equal(
            timeline_replay(rig->timeline, check_pieces, &seen, &rig->result),
            0);
    assert_int_equal(seen, 1);
    rig_free(rig);
}

/* 1/3 us a tick: no rounding adds up. */
static void test_rounding(void **unused)
{
    struct rig *rig = rig_new(32, FLIGHT);

    (void)unused;
    rig->hello.clock_hz = 3000000;
    rig_hello(rig);
    rig_play(rig, "0@0 >m@0");
    for (uint32_t i = 0; i < 1000; i++) {
        enter(rig, 3 * i + 1, 'a');
        leave(rig, 3 * i + 2, 'a');
    }
    rig_play(rig, "<m@3000");
    (void)rig_replay(rig);
    assert_int_equal(rig->result.wall.ps, UINT64_C(1000000000));
    assert_int_equal(rig->result.shares[0].self.ps, UINT64_C(1000000000));
    rig_free(rig);
    /* A tick is 333,333 and a third of a picosecond. */
    rig = rig_new(32, FLIGHT);
    rig->hello.clock_hz = 3000000;
    rig_hello(rig);
    rig_play(rig, "0@0 >m@0 <m@1");
    (void)rig_replay(rig);
    assert_int_equal(rig->result.wall.ps, 333333);
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_wrap),
            cmocka_unit_test(test_time_tells),
            cmocka_unit_test(test_hidden_wraps),
            cmocka_unit_test(test_silent_wraps),
            cmocka_unit_test(test_sync),
            cmocka_unit_test(test_sync_after_silence),
            cmocka_unit_test(test_nonsense),
            cmocka_unit_test(test_time_is_interrupted),
            cmocka_unit_test(test_record_of_before_a_time),
            cmocka_unit_test(test_long_calls),
            cmocka_unit_test(test_late_loss),
            cmocka_unit_test(test_rate_changes),
            cmocka_unit_test(test_rounding),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
