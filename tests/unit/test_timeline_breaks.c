/* SPDX-License-Identifier: MIT */
/*
 * Where the clock changed its rate, where recording was off, where the chip was
 * reset. All expected times are worked out by hand from the records above them.
 */
#include "timeline_rig.h"

#define MHZ 1000000u

static struct rig *rig_at(uint8_t mode, uint32_t hz)
{
    struct rig *rig = rig_new(24, mode);

    rig->hello.clock_hz = hz;
    rig_hello(rig);
    return rig;
}

static void say_rate(struct rig *rig, uint32_t hz)
{
    rig->hello.clock_hz = hz;
    rig_send(rig);
    rig_hello(rig);
}

/* HELLO says the last rate; the change, and what was before, are in the ring.
 */
static void test_ring_with_its_change(void **unused)
{
    struct rig *rig = rig_at(FLIGHT, 4 * MHZ);

    (void)unused;
    rig_play(rig, "0@0 >m@0 clock@100 =2000000 =1000000 >a@200 clock@300 "
                  "=4000000 =2000000 <a@500");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 0>m@0 clock(2000000)@100 0>a@200 "
                        "clock(4000000)@300 0<a@500:300/300 "
                        "0<m@500:500/200!o end(1)@500 ");
    /* 100 us at 1 MHz, 200 ticks at 2 MHz, 200 at 4 MHz. */
    assert_int_equal(rig->result.wall.ps, UINT64_C(250000000));
    assert_int_equal(rig->result.counts.stray_values, 0);
    assert_int_equal(rig->result.counts.rates_unsure, 0);
    assert_true(rig->result.rate_changed);
    rig_free(rig);
}

/* The change was overwritten: HELLO's rate is that of all. Of a change that was
   cut in two its values are left, which are nobody's. */
static void test_ring_without_its_change(void **unused)
{
    struct rig *rig = rig_at(FLIGHT, 4 * MHZ);

    (void)unused;
    rig_play(rig, "=4000000 =1000000 0@1000 >m@1000 <m@1400");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 0>m@0 0<m@400:400/400 end(1)@400 ");
    assert_int_equal(rig->result.wall.ps, UINT64_C(100000000));
    assert_int_equal(rig->result.counts.stray_values, 2);
    assert_false(rig->result.rate_changed);
    rig_free(rig);
}

/* Firmware that says the new rate alone. One that says none says nothing. */
static void test_change_with_one_value(void **unused)
{
    struct rig *rig = rig_at(FLIGHT, MHZ);

    (void)unused;
    rig_play(rig, "0@0 >m@0 clock@100 =4000000 <m@500 clock@600 >x@600");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 0>m@0 clock(4000000)@100 0<m@500:500/500 "
                        "0>x@600 0<x@600:0/0!o end(1)@600 ");
    /* 100 us, 400 + 100 ticks at 4 MHz. */
    assert_int_equal(rig->result.wall.ps, UINT64_C(225000000));
    assert_int_equal(rig->result.counts.stray_values, 1);
    rig_free(rig);
}

/* HELLO is ahead of the record of a change: it alone changes nothing, nor do
   two of them; and between a record and its values one may come. */
static void test_hello_is_ahead(void **unused)
{
    struct rig *rig = rig_at(STREAM, MHZ);

    (void)unused;
    rig_play(rig, "0@0 >m@0");
    say_rate(rig, 4 * MHZ);
    rig_hello(rig);
    rig_play(rig, ">a@50 <a@60 clock@100");
    say_rate(rig, 8 * MHZ);
    rig_play(rig, "=4000000 =1000000 <m@300 clock@400 =8000000 =4000000");
    rig_time(rig, 400, 400);
    rig_play(rig, ">a@500");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 0>m@0 0>a@50 0<a@60:10/10 "
                        "clock(4000000)@100 0<m@300:300/290 clock(8000000)@400 "
                        "0>a@500 0<a@500:0/0!o end(1)@500 ");
    assert_int_equal(rig->result.counts.stray_values, 0);
    assert_int_equal(rig->result.counts.rates_unsure, 0);
    rig_free(rig);
}

/* Who joins a stream, or starts sending late, gets a HELLO with the rate that
   is to come. */
static void test_first_hello_is_ahead(void **unused)
{
    struct rig *rig = rig_new(24, STREAM);

    (void)unused;
    rig->hello.start = true;
    rig->hello.clock_hz = 4 * MHZ;
    rig_hello(rig);
    rig_play(rig, "0@0 >m@0 clock@100 =4000000 =1000000 <m@300");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 0>m@0 clock(4000000)@100 0<m@300:300/300 "
                        "end(1)@300 ");
    assert_int_equal(rig->result.wall.ps, UINT64_C(150000000));
    assert_int_equal(rig->result.counts.rates_unsure, 0);
    rig_free(rig);
}

/* The record of the change was in the gap: a HELLO says so, and by the TIME
   behind it the record has not come. */
static void test_change_in_a_gap(void **unused)
{
    struct rig *rig = rig_at(STREAM, MHZ);

    (void)unused;
    rig_play(rig, "0@0 >m@0 lost(7)@100 =200 0@300 >a@300");
    say_rate(rig, 4 * MHZ);
    rig_play(rig, "<a@500");
    rig_time(rig, 500, 500);
    rig_play(rig, "<m@700");
    assert_string_equal(
            rig_replay(rig),
            "begin(1) 0>m@0 gap(7)@100+200!? clock(4000000)@100+200#1!? "
            "0>a@300 0<a@500:200/200 0<m@700:500/300 end(1)@700 ");
    /* 100 us, and 400 ticks at 4 MHz. */
    assert_int_equal(rig->result.shares[0].self.ps, UINT64_C(200000000));
    assert_int_equal(rig->result.counts.rates_unsure, 1);
    assert_true(timeline_is_incomplete(&rig->result.counts));
    rig_free(rig);
}

/* In one of two gaps; a HELLO of the old rate between them rules one out. */
static void test_change_in_one_of_two_gaps(void **unused)
{
    for (int is_told = 0; is_told < 2; is_told++) {
        struct rig *rig = rig_at(STREAM, MHZ);

        (void)unused;
        rig_play(rig, "0@0 >m@0 lost(7)@100 =100 >a@200");
        if (is_told)
            say_rate(rig, MHZ);
        rig_play(rig, "lost(7)@300 =300 <a@400");
        say_rate(rig, 4 * MHZ);
        rig_time(rig, 400, 400);
        rig_play(rig, "<m@500");
        assert_string_equal(rig_replay(rig),
                            is_told ? "begin(1) 0>m@0 gap(7)@100+100!? 0>a@200 "
                                      "gap(7)@300+100!? "
                                      "clock(4000000)@300+100#1!? "
                                      "0<a@400:100/100 0<m@500:300/200 "
                                      "end(1)@500 "
                                    : "begin(1) 0>m@0 gap(7)@100+100!? "
                                      "clock(4000000)@100+100#2!? "
                                      "0>a@200 gap(7)@300+100!? "
                                      "0<a@400:100/100 0<m@500:300/200 "
                                      "end(1)@500 ");
        rig_free(rig);
    }
}

/* The record found no room, and that comes with the next one, behind the TIME.
 */
static void test_change_in_a_gap_to_come(void **unused)
{
    struct rig *rig = rig_at(STREAM, MHZ);

    (void)unused;
    rig_play(rig, "0@0 >m@0");
    say_rate(rig, 4 * MHZ);
    rig_time(rig, 50, 50);
    rig_play(rig, "lost(7)@100 =200 <m@300");
    assert_string_equal(
            rig_replay(rig),
            "begin(1) 0>m@0 gap(7)@100+200 clock(4000000)@100+200#1!? "
            "0<m@300:100/100 end(1)@300 ");
    assert_int_equal(rig->result.counts.rates_unsure, 1);
    rig_free(rig);
}

/* No gap was told: from the next record on, and unsure. */
static void test_change_without_a_gap(void **unused)
{
    struct rig *rig = rig_at(STREAM, MHZ);

    (void)unused;
    rig_play(rig, "0@0 >m@0");
    say_rate(rig, 4 * MHZ);
    rig_time(rig, 100, 100);
    rig_play(rig, ">a@200 <a@600");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 0>m@0 clock(4000000)@200+0#0!? 0>a@200 "
                        "0<a@600:400/400 0<m@600:600/200!o end(1)@600 ");
    assert_int_equal(rig->result.shares[0].self.ps, UINT64_C(300000000));
    assert_int_equal(rig->result.counts.rates_unsure, 1);
    assert_true(timeline_is_incomplete(&rig->result.counts));
    rig_free(rig);
}

/* A later change says what was before it: one of the gap is missing. */
static void test_change_told_by_the_next(void **unused)
{
    struct rig *rig = rig_new(24, STREAM);

    (void)unused;
    rig->hello.start = true;
    rig->hello.clock_hz = MHZ;
    rig_hello(rig);
    rig_play(rig, "0@0 >m@0 lost(7)@100 =100 <m@200 clock@300 =8000000 "
                  "=4000000 >a@400");
    assert_string_equal(
            rig_replay(rig),
            "begin(1) 0>m@0 gap(7)@100+100!? clock(4000000)@100+100#1!? "
            "0<m@200:100/100 clock(8000000)@300 0>a@400 0<a@400:0/0!o "
            "end(1)@400 ");
    assert_int_equal(rig->result.counts.rates_unsure, 1);
    rig_free(rig);
}

/* The same where no gap is, since a change within the ring. */
static void test_change_told_without_a_gap(void **unused)
{
    struct rig *rig = rig_at(FLIGHT, 8 * MHZ);

    (void)unused;
    rig_play(rig, "0@0 clock@100 =2000000 =1000000 clock@300 =8000000 =4000000 "
                  ">a@700");
    assert_string_equal(rig_replay(rig),
                        "begin(1) clock(2000000)@100 clock(4000000)@300+0#0!? "
                        "clock(8000000)@300 0>a@700 0<a@700:0/0!o end(1)@700 ");
    /* 100 us, 100 us, 50 us. */
    assert_int_equal(rig->result.wall.ps, UINT64_C(250000000));
    assert_int_equal(rig->result.counts.rates_unsure, 1);
    rig_free(rig);
}

/* Recording was off from some time after 150 until 1000: what was open is
   closed where that was seen, and nothing in between is anybody's. */
static void test_pause(void **unused)
{
    struct rig *rig = rig_new(32, FLIGHT);

    (void)unused;
    /* The context's record is in front of the cut's. */
    rig_play(rig, "0@0 >m@0 >a@100 15@120 >s@120 <s@150 15@1000 cut@1000 "
                  ">s@1000 <s@1020 0@1050 <a@1050 >b@1060 <b@1070 <m@1100");
    assert_string_equal(
            rig_replay(rig),
            "begin(1) 0>m@0 0>a@100 15>s@120 15<s@150:30/30 0~15@120+30 "
            "0<a@150:20/20!p 0<m@150:120/100!p off@150+850!? "
            "0>m@1000!b 0>a@1000!b 15>s@1000 15<s@1020:20/20 0~15@1000+20 "
            "0<a@1050:30/30!b 0>b@1060 0<b@1070:10/10 0<m@1100:80/40!b "
            "end(1)@1100 ");
    assert_int_equal(rig->result.counts.pauses, 1);
    assert_int_equal(rig->result.counts.left_off, 2);
    assert_int_equal(rig->result.counts.entered_before, 2);
    assert_int_equal(rig->result.off.ticks, 850);
    assert_int_equal(rig->result.lost.ticks, 0);
    assert_true(rig->result.is_off_unsure);
    assert_true(timeline_is_incomplete(&rig->result.counts));
    rig_free(rig);
}

/* Between the two records time goes by: it is no pause any more. In a ring that
   has been written before, neither is of a lap before. */
static void test_cut_behind_its_context(void **unused)
{
    struct rig *rig = rig_new(24, FLIGHT);

    (void)unused;
    rig_play(rig, "0@0 >m@0 <m@100 22@1000 cut@1007 0@1050 >m@1050 <m@1150");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 0>m@0 0<m@100:100/100 off@100+900!? "
                        "0>m@1050 0<m@1150:100/100 end(1)@1150 ");
    assert_int_equal(rig->result.counts.stale, 0);
    assert_int_equal(rig->result.off.ticks, 900);
    rig_free(rig);
}

/* An interrupt that was under way is not when recording goes on. */
static void test_pause_in_an_interrupt(void **unused)
{
    struct rig *rig = rig_new(32, FLIGHT);

    (void)unused;
    /* Or behind it. */
    rig_play(rig, "0@0 >m@0 15@10 >s@10 >t@20 cut@100 0@100 >x@110 <x@130");
    assert_string_equal(
            rig_replay(rig),
            "begin(1) 0>m@0 15>s@10 15>t@20 15<t@20:0/0!p 15<s@20:10/10!p "
            "0<m@20:10/10!p off@20+80!? 0>x@110 0<x@130:20/20 end(1)@130 ");
    /* 10 before the first call. */
    assert_int_equal(rig->result.shares[0].outside.ticks, 10);
    rig_free(rig);
}

/* A task was deleted and another has its number: what it left in the pause
   cannot be told from what it had entered before. */
static void test_pause_makes_contexts_unknown(void **unused)
{
    struct rig *rig = rig_new(32, FLIGHT);

    (void)unused;
    rig_play(rig, "512@0 >m@0 <m@5 gone(512)@10 cut@50 <a@60");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 512>m@0 512<m@5:5/5 512-@10 off@10+40!? "
                        "512>a@50!b 512<a@60:10/10!b end(1)@60 ");
    assert_int_equal(rig->result.counts.stray_leaves, 0);
    rig_free(rig);
}

/* In front of all that is left there is no pause, with or without its context;
   at the end there is. */
static void test_pause_at_the_ends(void **unused)
{
    for (int has_context = 0; has_context < 2; has_context++) {
        struct rig *rig = rig_new(32, FLIGHT);

        (void)unused;
        rig->context = 7;
        if (has_context)
            rig_play(rig, "0@100");
        rig_play(rig, "cut@100 0@100 >m@100 cut@200");
        assert_string_equal(rig_replay(rig),
                            "begin(1) 0>m@0 0<m@0:0/0!p off@0+100!? "
                            "end(1)@100 ");
        assert_int_equal(rig->result.counts.pauses, 1);
        assert_true(timeline_is_incomplete(&rig->result.counts));
        rig_free(rig);
    }
}

/* A pause and a gap in a row are two. */
static void test_pause_and_gap(void **unused)
{
    struct rig *rig = rig_new(32, STREAM);

    (void)unused;
    rig_play(rig, "0@0 >m@0 cut@100 lost(7)@150 =180 <m@200");
    assert_string_equal(
            rig_replay(rig),
            "begin(1) 0>m@0 0<m@0:0/0!p off@0+100!? gap(7)@150+50!? "
            "0>m@200!b 0<m@200:0/0!b end(1)@200 ");
    assert_int_equal(rig->result.off.ticks, 100);
    assert_int_equal(rig->result.lost.ticks, 50);
    rig_free(rig);
}

/* Two gaps with nothing between them are two. */
static void test_gap_upon_gap(void **unused)
{
    struct rig *rig = rig_new(32, STREAM);

    (void)unused;
    rig_play(rig, "0@0 >m@0 lost(7)@100 =120");
    rig_send(rig);
    rig_play(rig, ">a@130");
    rig_drop(rig);
    rig_play(rig, "<m@200");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 0>m@0 gap(7)@100+20!? gap(1)@120+80!l? "
                        "0<m@200:100/100 end(1)@200 ");
    assert_int_equal(rig->result.lost.ticks, 100);
    rig_free(rig);
}

/* Where all bits of the clock are told on both sides, a pause is as long as it
   seems to be; where they say that wraps are missing, it need not be. */
static void test_pause_between_syncs(void **unused)
{
    for (uint32_t wraps = 0; wraps < 2; wraps++) {
        struct rig *rig = rig_new(24, FLIGHT);

        (void)unused;
        rig_play(rig, "0@0 sync(5)@0 >m@10 cut@100 >a@110 <a@120");
        special(rig, 200, 0xF4, 5 + wraps);
        rig_play(rig, "<m@210");
        assert_string_equal(
                rig_replay(rig),
                wraps == 0
                        ? "begin(1) 0>m@10 0<m@10:0/0!p off@10+90 0>m@100!b "
                          "0>a@110 0<a@120:10/10 0<m@210:110/100!b end(1)@210 "
                        : "begin(1) 0>m@10 0<m@10:0/0!p off@10+90!? 0>m@100!b "
                          "0>a@110 0<a@120:10/10 wrap(1)@200+16777216 "
                          "0<m@16777426:110/100!b end(1)@16777426 ");
        assert_int_equal(rig->result.is_off_unsure, wraps > 0);
        rig_free(rig);
    }
}

/* The same by TIMEs. */
static void test_pause_between_times(void **unused)
{
    struct rig *rig = rig_new(24, STREAM);

    (void)unused;
    rig_time(rig, 0, 0);
    rig_play(rig, "0@0 >m@10 cut@100 >a@110 <a@120");
    rig_time(rig, 200, 200);
    assert_string_equal(rig_replay(rig),
                        "begin(1) 0>m@10 0<m@10:0/0!p off@10+90 0>a@110 "
                        "0<a@120:10/10 end(1)@120 ");
    rig_free(rig);
}

/* An exception's calls in the context that was not known end with it. */
static void test_pause_in_an_unknown_context(void **unused)
{
    struct rig *rig = rig_new(32, FLIGHT);

    (void)unused;
    rig->context = WIRE_CONTEXT_UNKNOWN;
    rig_play(rig, ">m@0 cut@100 0@100 <m@150");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 65535>m@0 65535<m@0:0/0!p off@0+100!? "
                        "0>m@100!b 0<m@150:50/50!b end(1)@150 ");
    rig_free(rig);
}

/* The rate may have changed while nothing was recorded; HELLO may say so before
   the pause is over. */
static void test_rate_changes_before_the_cut(void **unused)
{
    struct rig *rig = rig_at(STREAM, MHZ);

    (void)unused;
    rig_play(rig, "0@0 >m@0 <m@100");
    say_rate(rig, 4 * MHZ);
    rig_time(rig, 150, 150);
    rig_play(rig, "cut@200 >a@300");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 0>m@0 0<m@100:100/100 off@100+100!? "
                        "clock(4000000)@100+100#1!? 0>a@300 0<a@300:0/0!o "
                        "end(1)@300 ");
    rig_free(rig);
}

static void test_rate_changes_in_a_pause(void **unused)
{
    struct rig *rig = rig_at(STREAM, MHZ);

    (void)unused;
    rig_play(rig, "0@0 >m@0 <m@100 cut@200 >a@300");
    say_rate(rig, 4 * MHZ);
    rig_play(rig, "<a@700");
    rig_time(rig, 700, 700);
    assert_string_equal(rig_replay(rig),
                        "begin(1) 0>m@0 0<m@100:100/100 off@100+100!? "
                        "clock(4000000)@100+100#1!? 0>a@300 0<a@700:400/400 "
                        "end(1)@700 ");
    /* 100 us and 400 ticks at 4 MHz. */
    assert_int_equal(rig->result.shares[0].self.ps, UINT64_C(200000000));
    rig_free(rig);
}

static void tell_ring(struct rig *rig, uint8_t state, bool kept)
{
    const struct wire_ring ring = {.state = state,
                                   .kept = kept,
                                   .mode = rig->hello.trace_mode,
                                   .records = 16};

    rig_send(rig);
    assert_int_equal(timeline_ring(rig->timeline, &ring), 0);
    rig->first = 40;
}

/* 24 bits: a quarter is 400000h ticks. The ring goes to E00000h, and what runs
   after the reset begins at 80h. */
static const char *play_reset(struct rig *rig, uint32_t again)
{
    rig_play(rig, "0@0xDFFF00 >m@0xDFFF00 15@0xDFFF80 >s@0xDFFF80 >b@0xE00000");
    enter(rig, again, 'i');
    leave(rig, again + 0x10, 'i');
    return rig_replay(rig);
}

/* Hooks of the next boot wrote behind the ring. */
static void test_reset(void **unused)
{
    static const uint8_t states[] = {MCUPROF_TRACE_STATE_ARMED,
                                     MCUPROF_TRACE_STATE_RUNNING,
                                     MCUPROF_TRACE_STATE_TRIGGERED};

    (void)unused;
    for (size_t i = 0; i < sizeof states; i++) {
        struct rig *rig = rig_new(24, FLIGHT);

        tell_ring(rig, states[i], true);
        /* A whole wrap less 200000h - a quarter. */
        assert_string_equal(
                play_reset(rig, 0x200000),
                "begin(1) 0>m@0 15>s@128 15>b@256 15<b@256:0/0!o "
                "15<s@256:128/128!o 0<m@256:128/128!o end(1)@256 begin(2)!r "
                "15>i@0 15<i@16:16/16 end(2)@16 ");
        assert_int_equal(rig->result.wall.ticks, 256 + 16);
        assert_int_equal(rig->result.counts.boots, 2);
        assert_int_equal(rig->result.counts.resets, 1);
        assert_int_equal(rig->result.counts.stale, 0);
        assert_true(timeline_is_incomplete(&rig->result.counts));
        rig_free(rig);
    }
}

/* Less than a quarter of the clock's range is a time. */
static void test_no_reset(void **unused)
{
    static const struct {
        uint8_t state;
        bool kept;
        uint32_t again;
    } cases[] = {
            {MCUPROF_TRACE_STATE_RUNNING, true, 0x1FFFFF},
            {MCUPROF_TRACE_STATE_RUNNING, false, 0x200000},
            {MCUPROF_TRACE_STATE_FAULT, true, 0x200000},
            {MCUPROF_TRACE_STATE_FROZEN, true, 0x200000},
            {MCUPROF_TRACE_STATE_FULL, true, 0x200000},
            {MCUPROF_TRACE_STATE_OFF, true, 0x200000},
    };

    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig *rig = rig_new(24, FLIGHT);

        tell_ring(rig, cases[i].state, cases[i].kept);
        (void)play_reset(rig, cases[i].again);
        assert_int_equal(rig->result.counts.boots, 1);
        assert_int_equal(rig->result.counts.resets, 0);
        assert_int_equal(rig->result.wall.ticks,
                         0x100 + 0x200000 + cases[i].again + 0x10);
        rig_free(rig);
    }
}

/* The last record is just before the first one's time: of an earlier lap
   elsewhere, but not where the clock began anew. */
static void test_reset_at_the_end(void **unused)
{
    for (int kept = 0; kept < 2; kept++) {
        struct rig *rig = rig_new(32, FLIGHT);

        (void)unused;
        tell_ring(rig, MCUPROF_TRACE_STATE_RUNNING, kept != 0);
        rig_play(rig, "0@5000 >m@5000 <m@9000 >i@100");
        assert_string_equal(rig_replay(rig),
                            kept ? "begin(1) 0>m@0 0<m@4000:4000/4000 "
                                   "end(1)@4000 begin(2)!r 0>i@0 0<i@0:0/0!o "
                                   "end(2)@0 "
                                 : "begin(1) 0>m@0 0<m@4000:4000/4000 "
                                   "end(1)@4000 ");
        assert_int_equal(rig->result.counts.stale, !kept);
        rig_free(rig);
    }
}

/* A loss that is noted late is no step of the clock. */
static void test_no_reset_at_a_loss(void **unused)
{
    struct rig *rig = rig_new(24, STREAM);

    (void)unused;
    tell_ring(rig, MCUPROF_TRACE_STATE_RUNNING, true);
    rig_play(rig, "0@100 >m@100 lost(7)@90 =95 <m@200");
    assert_string_equal(
            rig_replay(rig),
            "begin(1) 0>m@0 gap(7)@0+100!? 0<m@100:0/0 end(1)@100 ");
    assert_int_equal(rig->result.counts.resets, 0);
    rig_free(rig);
}

/* What comes behind a kept ring is no part of it, and has its own silences. */
static void test_after_a_kept_ring(void **unused)
{
    struct rig *rig = rig_new(24, STREAM);

    (void)unused;
    tell_ring(rig, MCUPROF_TRACE_STATE_RUNNING, true);
    rig_play(rig, "0@0 >m@0");
    rig_send(rig);
    assert_int_equal(timeline_restart(rig->timeline), 0);
    rig_hello(rig);
    rig_play(rig, "0@0 >a@0 <a@0x800000");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 0>m@0 0<m@0:0/0!o end(1)@0 begin(2) 0>a@0 "
                        "0<a@8388608:8388608/8388608 end(2)@8388608 ");
    assert_int_equal(rig->result.counts.resets, 0);
    rig_free(rig);
}

/* The boot that sends it has not measured hooks yet. */
static void test_costs_of_a_kept_ring(void **unused)
{
    struct rig *rig = rig_new(24, FLIGHT);

    (void)unused;
    rig->hello.hook_cost = 39;
    rig->hello.hook_inner = 19;
    rig_hello(rig);
    rig_ring(rig, 8, 0);
    rig_play(rig, "0@0 >a@10 <a@129");
    rig_send(rig);
    rig->hello.hook_cost = 0;
    rig->hello.hook_inner = 0;
    rig_hello(rig);
    assert_string_equal(rig_replay(rig),
                        "begin(1) 0>a@10 0<a@129:119/119 end(1)@129 ");
    assert_int_equal(rig->result.hook_cost, 39);
    rig_free(rig);
}

/* A switch to what is none: it is not the context before that goes on. */
static void test_switch_to_nothing(void **unused)
{
    struct rig *rig = rig_new(24, STREAM);

    (void)unused;
    rig_play(rig, "512@0 >a@10 0x20200@20 >b@30 <b@40 512@50 <a@60");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 512>a@10 65535>b@30 65535<b@40:10/10 "
                        "512~65535@20+30 512<a@60:20/20 end(1)@60 ");
    assert_int_equal(rig->result.counts.unknown, 1);
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_ring_with_its_change),
            cmocka_unit_test(test_ring_without_its_change),
            cmocka_unit_test(test_change_with_one_value),
            cmocka_unit_test(test_hello_is_ahead),
            cmocka_unit_test(test_first_hello_is_ahead),
            cmocka_unit_test(test_change_in_a_gap),
            cmocka_unit_test(test_change_in_one_of_two_gaps),
            cmocka_unit_test(test_change_in_a_gap_to_come),
            cmocka_unit_test(test_change_without_a_gap),
            cmocka_unit_test(test_change_told_by_the_next),
            cmocka_unit_test(test_change_told_without_a_gap),
            cmocka_unit_test(test_pause),
            cmocka_unit_test(test_cut_behind_its_context),
            cmocka_unit_test(test_pause_in_an_interrupt),
            cmocka_unit_test(test_pause_in_an_unknown_context),
            cmocka_unit_test(test_pause_makes_contexts_unknown),
            cmocka_unit_test(test_pause_at_the_ends),
            cmocka_unit_test(test_pause_and_gap),
            cmocka_unit_test(test_gap_upon_gap),
            cmocka_unit_test(test_pause_between_syncs),
            cmocka_unit_test(test_pause_between_times),
            cmocka_unit_test(test_rate_changes_in_a_pause),
            cmocka_unit_test(test_rate_changes_before_the_cut),
            cmocka_unit_test(test_reset),
            cmocka_unit_test(test_no_reset),
            cmocka_unit_test(test_no_reset_at_a_loss),
            cmocka_unit_test(test_reset_at_the_end),
            cmocka_unit_test(test_after_a_kept_ring),
            cmocka_unit_test(test_costs_of_a_kept_ring),
            cmocka_unit_test(test_switch_to_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
