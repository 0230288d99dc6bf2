/* SPDX-License-Identifier: MIT */
/*
 * Calls per context and how they are mended. All expected times are worked out
 * by hand from the records above them.
 */
#include "timeline_rig.h"

static void test_nothing(void **unused)
{
    struct rig *rig = rig_new(32, FLIGHT);

    (void)unused;
    assert_string_equal(rig_replay(rig), "");
    assert_false(timeline_has_records(rig->timeline));
    rig_free(rig);
}

/* An interrupt in the middle: its time is in nobody else's self or total. */
static void test_interrupt(void **unused)
{
    struct rig *rig = rig_new(32, FLIGHT);

    (void)unused;
    rig_play(rig, "0@1000 >m@1000 >c@1100 15@1150 >s@1150 >t@1160 <t@1190 "
                  "<s@1200 0@1300 <c@1300 <m@1400");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 0>m@0 0>c@100 15>s@150 15>t@160 "
                        "15<t@190:30/30 15<s@200:50/20 0~15@150+50 "
                        "0<c@300:150/150 0<m@400:350/200 end(1)@400 ");
    assert_int_equal(rig->result.wall.ticks, 400);
    assert_int_equal(rig->result.share_count, 2);
    assert_int_equal(rig->result.shares[0].self.ticks, 350);
    assert_int_equal(rig->result.shares[1].self.ticks, 50);
    assert_int_equal(rig->result.shares[1].outside.ticks, 0);
    rig_free(rig);
}

/* One function in thread and interrupt, preempted inside of itself, and two
   interrupts nested. */
static void test_same_function_preempted(void **unused)
{
    struct rig *rig = rig_new(32, FLIGHT);

    (void)unused;
    rig_play(rig,
             "0@0 >f@0 16@10 >f@10 17@30 >f@30 <f@60 16@70 <f@70 0@100 <f@100");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 0>f@0 16>f@10 17>f@30 17<f@60:30/30 "
                        "16~17@30+30 16<f@70:30/30 0~16@10+60 0<f@100:40/40 "
                        "end(1)@100 ");
    rig_free(rig);
}

/* fib(3), recursion through an interrupt: 5 + 1 calls; self sums to wall. */
static void test_recursion(void **unused)
{
    struct rig *rig = rig_new(32, FLIGHT);

    (void)unused;
    rig_play(rig, "0@0 >f@0 >f@1 >f@3 <f@6 >f@7 15@8 >f@8 <f@10 0@12 <f@12 "
                  "<f@13 >f@14 <f@19 <f@20");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 0>f@0 0>f@1 0>f@3 0<f@6:3/3 0>f@7 15>f@8 "
                        "15<f@10:2/2 0~15@8+2 0<f@12:3/3 0<f@13:10/4 0>f@14 "
                        "0<f@19:5/5 0<f@20:18/3 end(1)@20 ");
    assert_int_equal(rig->result.counts.calls, 6);
    assert_int_equal(rig->result.wall.ticks, 20);
    assert_int_equal(rig->result.shares[0].self.ticks, 18);
    rig_free(rig);
}

/* 11 enters, 2 exits; the second jump is no deeper than the first. */
static void test_longjmp(void **unused)
{
    struct rig *rig = rig_new(32, FLIGHT);
    const char *text;

    (void)unused;
    rig_play(rig, "0@0 >m@0");
    for (uint32_t base = 0; base <= 100; base += 100) {
        enter(rig, base + 10, 's'); /* calls setjmp */
        enter(rig, base + 20, 'a');
        enter(rig, base + 30, 'b');
        enter(rig, base + 40, 'c');
        enter(rig, base + 50, 'd'); /* calls longjmp */
        leave(rig, base + 60, 's');
    }
    text = rig_replay(rig);
    assert_string_equal(
            text,
            "begin(1) 0>m@0 "
            "0>s@10 0>a@20 0>b@30 0>c@40 0>d@50 0<d@60:10/10!u 0<c@60:20/10!u "
            "0<b@60:30/10!u 0<a@60:40/10!u 0<s@60:50/10 "
            "0>s@110 0>a@120 0>b@130 0>c@140 0>d@150 0<d@160:10/10!u "
            "0<c@160:20/10!u 0<b@160:30/10!u 0<a@160:40/10!u 0<s@160:50/10 "
            "0<m@160:160/60!o end(1)@160 ");
    assert_int_equal(rig->result.counts.unwound, 8);
    assert_int_equal(rig->result.counts.open, 1);
    rig_free(rig);
}

/* The ring wrapped: enters are missing at the start, leaves at the end. */
static void test_cut_at_both_ends(void **unused)
{
    struct rig *rig = rig_new(32, FLIGHT);

    (void)unused;
    rig->context = 15;
    rig_play(rig, "<t@100 <s@110 0@130 >x@130 <x@140 <c@150 >d@160 <d@170 "
                  "<m@180 >n@190 >o@200");
    assert_string_equal(
            rig_replay(rig),
            "begin(1) 0>m@0!b 0>c@0!b 15>s@0!b 15>t@0!b 15<t@0:0/0!b "
            "15<s@10:10/10!b 0~15@0+10 0>x@30 0<x@40:10/10 0<c@50:40/30!b "
            "0>d@60 0<d@70:10/10 0<m@80:70/20!b 0>n@90 0>o@100 0<o@100:0/0!o "
            "0<n@100:10/10!o end(1)@100 ");
    assert_int_equal(rig->result.counts.entered_before, 4);
    assert_int_equal(rig->result.counts.open, 2);
    rig_free(rig);
}

/* A ring that had wrapped begins in a context that is not known: the first one
   to leave what is open there is it. */
static void test_unknown_context(void **unused)
{
    struct rig *rig = rig_new(32, FLIGHT);

    (void)unused;
    rig->context = 0xFFFF;
    rig_play(rig, "<z@100 >a@110 >b@120 15@130 >s@130 <s@140 0@150 >c@150 "
                  "<c@160 <b@170 <a@180");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 0>z@0!b 0<z@0:0/0!b 0>a@10 0>b@20 15>s@30 "
                        "15<s@40:10/10 0~15@30+10 0>c@50 0<c@60:10/10 "
                        "0<b@70:40/30 0<a@80:60/20 end(1)@80 ");
    assert_int_equal(rig->result.counts.ended, 0);
    rig_free(rig);
}

/* The same of an interrupt that another had interrupted. */
static void test_unknown_interrupt(void **unused)
{
    struct rig *rig = rig_new(32, FLIGHT);

    (void)unused;
    rig->context = 0xFFFF;
    rig_play(rig,
             ">a@110 16@130 >s@130 <s@140 15@150 <a@150 <h@160 512@170 <m@180");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 512>m@0!b 15>h@0!b 15>a@0 16>s@20 "
                        "16<s@30:10/10 15~16@20+10 15<a@40:30/30 "
                        "15<h@50:40/10!b 512~15@0+50 512<m@70:20/20!b "
                        "end(1)@70 ");
    rig_free(rig);
}

/* Nothing tells whose it was: it is nobody's, and not open at the end. */
static void test_unknown_for_ever(void **unused)
{
    struct rig *rig = rig_new(32, FLIGHT);

    (void)unused;
    rig->context = 0xFFFF;
    rig_play(rig, ">a@110 0@130 <z@130 >b@130 >a@140 <a@150");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 0>z@0!b 65535>a@0 0~65535@0+20 "
                        "0<z@20:0/0!b 0>b@20 0>a@30 0<a@40:10/10 "
                        "0<b@40:20/10!o 65535<a@40:20/20!e end(1)@40 ");
    assert_int_equal(rig->result.counts.open, 1);
    rig_free(rig);
}

/* Tasks are switched within instrumented functions; stacks do not mix. */
static void test_tasks(void **unused)
{
    struct rig *rig = rig_new(32, FLIGHT);

    (void)unused;
    rig_play(rig, "512@0 >a@0 >b@10 513@20 >a@25 >c@30 512@50 <b@60 513@70 "
                  "<c@80 <a@90 512@100 <a@110");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 512>a@0 512>b@10 513>a@25 513>c@30 "
                        "512~513@20+30 512<b@60:20/20 513~512@50+20 "
                        "513<c@80:30/30 513<a@90:45/15 512~513@70+30 "
                        "512<a@110:50/30 end(1)@110 ");
    /* From 20 to 25, and from 90 to 100. */
    assert_int_equal(rig->result.shares[1].outside.ticks, 15);
    rig_free(rig);
}

/* The switch is told from within a handler that has hooks and goes on. */
static void test_switch_in_handler(void **unused)
{
    struct rig *rig = rig_new(32, FLIGHT);

    (void)unused;
    rig_play(rig, "512@0 >a@0 14@10 >p@10 513@15 " /* mcuprof_context_set() */
                  "14@18 <p@18 513@30 >b@30 <b@40");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 512>a@0 14>p@10 14<p@18:8/8 513>b@30 "
                        "513<b@40:10/10 512<a@40:10/10!o end(1)@40 ");
    assert_int_equal(rig->result.counts.ended, 0);
    assert_int_equal(rig->result.shares[2].outside.ticks, 12);
    rig_free(rig);
}

/* A switch that nobody told: leaves of another task's calls are left out, and
   the next record of a context sets all right. */
static void test_missed_switch(void **unused)
{
    struct rig *rig = rig_new(32, FLIGHT);

    (void)unused;
    rig_play(rig,
             "513@0 >x@0 512@10 >a@10 <x@20 " /* of 513, under 512's name */
             ">y@30 512@40 <a@50 >b@60 <b@70");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 513>x@0 512>a@10 512>y@30 512<y@50:20/20!u "
                        "512<a@50:40/20 512>b@60 512<b@70:10/10 "
                        "513<x@70:10/10!o end(1)@70 ");
    assert_int_equal(rig->result.counts.stray_leaves, 1);
    rig_free(rig);
}

/* A task is deleted with open calls; its number comes again, and what it leaves
   then was not entered. */
static void test_deleted_task(void **unused)
{
    struct rig *rig = rig_new(32, FLIGHT);

    (void)unused;
    rig_play(rig, "512@0 >a@0 >b@10 513@20 >k@20 gone(512)@30 <k@40 512@50 "
                  "<z@50 >c@60 <c@70");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 512>a@0 512>b@10 513>k@20 512<b@30:10/10!d "
                        "512<a@30:20/10!d 512-@30 513<k@40:20/20 512>c@60 "
                        "512<c@70:10/10 end(1)@70 ");
    assert_int_equal(rig->result.counts.left_gone, 2);
    assert_int_equal(rig->result.counts.stray_leaves, 1);
    rig_free(rig);
}

/* No leave comes of an interrupt's calls: they end when the thread goes on. */
static void test_interrupt_without_leave(void **unused)
{
    struct rig *rig = rig_new(32, FLIGHT);

    (void)unused;
    rig_play(rig, "0@0 >m@0 15@10 >s@10 16@20 >u@20 0@50 <m@50 15@60 <s@60");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 0>m@0 15>s@10 16>u@20 16<u@50:30/30!e "
                        "15<s@50:10/10!e 0~15@10+40 0<m@50:10/10 end(1)@60 ");
    assert_int_equal(rig->result.counts.ended, 2);
    assert_int_equal(rig->result.counts.stray_leaves, 1);
    rig_free(rig);
}

/* A mark is the thread's, too: at it the interrupt has ended, and what that
   leaves later had not been entered before. */
static void test_mark_ends_interrupts(void **unused)
{
    struct rig *rig = rig_new(32, FLIGHT);

    (void)unused;
    rig_play(rig, "15@0 >s@0 0@10 mark(1)@10 =2 16@20 <u@20 <s@25 0@30 >m@30");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 15>s@0 15<s@10:10/10!e 0*1=2@10 0>m@30 "
                        "0<m@30:0/0!o end(1)@30 ");
    assert_int_equal(rig->result.counts.stray_leaves, 2);
    assert_int_equal(rig->result.counts.entered_before, 0);
    rig_free(rig);
}

/* An interrupt that ended while another ran is not away when it comes again. */
static void test_interrupt_comes_again(void **unused)
{
    struct rig *rig = rig_new(32, FLIGHT);

    (void)unused;
    rig_play(rig,
             "0@0 >m@0 15@10 >s@10 16@20 >u@20 0@30 >a@30 15@40 >s@40 <s@50");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 0>m@0 15>s@10 16>u@20 16<u@30:10/10!e "
                        "15<s@30:10/10!e 0~15@10+20 0>a@30 15>s@40 "
                        "15<s@50:10/10 0~15@40+10 0<a@50:10/10!o "
                        "0<m@50:20/10!o end(1)@50 ");
    rig_free(rig);
}

/* 200 calls deep: the innermost has 1 of 400, each other 2. */
static void test_deep(void **unused)
{
    struct rig *rig = rig_new(32, FLIGHT);

    (void)unused;
    rig_play(rig, "0@0");
    for (uint32_t i = 0; i < 200; i++)
        enter(rig, i, 'r');
    for (uint32_t i = 0; i < 200; i++)
        leave(rig, 200 + i, 'r');
    (void)rig_replay(rig);
    assert_non_null(strstr(rig->text, " 0<r@200:1/1 0<r@201:3/2 "));
    assert_non_null(strstr(rig->text, " 0<r@399:399/2 end(1)@399 "));
    assert_int_equal(rig->result.counts.calls, 200);
    rig_free(rig);
}

/* Beyond what is followed all is closed, marked and counted; the rest is right.
   65,535 open calls are kept. */
static void test_too_deep(void **unused)
{
    struct rig *rig = rig_new(32, STREAM);

    (void)unused;
    rig_play(rig, "0@0");
    for (uint32_t i = 0; i < 65535; i++) {
        rig_play(rig, ">r@0");
        if (rig->count == RIG_RECORDS)
            rig_send(rig);
    }
    rig_play(rig, ">a@10 <a@30");
    rig_send(rig);
    assert_int_equal(timeline_end(rig->timeline), 0);
    assert_int_equal(timeline_replay(rig->timeline, NULL, NULL, &rig->result),
                     0);
    assert_int_equal(rig->result.counts.too_deep, 65535);
    assert_int_equal(rig->result.counts.calls, 65536);
    assert_int_equal(rig->result.counts.open, 0);
    rig_free(rig);
}

/* What is open at a gap stays open if its leave comes later, and with it what
   it was called from; else it was left in the gap. */
static void test_gap(void **unused)
{
    struct rig *rig = rig_new(32, STREAM);

    (void)unused;
    rig_time(rig, 1000, 1000);
    rig_play(rig, "0@1000 >m@1000 >a@1010 >b@1020 >c@1030 lost(7)@1040 =1060 "
                  ">d@1100 <d@1110 <a@1120 <m@1130");
    assert_string_equal(
            rig_replay(rig),
            "begin(1) 0>m@1000 0>a@1010 0>b@1020 0>c@1030 0<c@1040:10/10!g "
            "0<b@1040:20/10!g gap(7)@1040+60 0>d@1100 0<d@1110:10/10 "
            "0<a@1120:50/20 0<m@1130:70/20 end(1)@1130 ");
    assert_int_equal(rig->result.lost.ticks, 60);
    assert_int_equal(rig->result.counts.left_in_gap, 2);
    assert_int_equal(rig->result.counts.lost_target, 7);
    assert_int_equal(rig->result.counts.gaps_target, 1);
    rig_free(rig);
}

/* Entered in a gap: m and a were left in it, x and y entered. */
static void test_entered_in_gap(void **unused)
{
    struct rig *rig = rig_new(32, STREAM);

    (void)unused;
    rig_time(rig, 0, 0);
    rig_play(rig, "0@0 >m@0 >a@10");
    rig_send(rig);
    rig_play(rig, "<a@20 <m@20 >x@20 >y@20");
    rig_drop(rig);
    rig_play(rig, ">d@50 <d@60 <y@70 <x@80");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 0>m@0 0>a@10 0<a@10:0/0!g 0<m@10:10/10!g "
                        "gap(4)@10+40!l 0>x@50!b 0>y@50!b 0>d@50 0<d@60:10/10 "
                        "0<y@70:20/10!b 0<x@80:30/10!b end(1)@80 ");
    assert_int_equal(rig->result.counts.lost_line, 4);
    assert_int_equal(rig->result.counts.gaps_line, 1);
    rig_free(rig);
}

/* Over two gaps: the leave of k, after the second, shows that m was open in
   both; of l nothing is known after the first. */
static void test_two_gaps(void **unused)
{
    struct rig *rig = rig_new(32, STREAM);

    (void)unused;
    rig_time(rig, 0, 0);
    rig_play(rig, "0@0 >m@0 >k@10 >l@20");
    rig_send(rig);
    put(rig, 25, 0);
    rig_drop(rig);
    rig_play(rig, ">x@30 <x@40");
    rig_send(rig);
    put(rig, 45, 0);
    rig_drop(rig);
    rig_play(rig, "<k@50 >y@60 <y@70");
    assert_string_equal(
            rig_replay(rig),
            "begin(1) 0>m@0 0>k@10 0>l@20 0<l@20:0/0!g gap(1)@20+10!l 0>x@30 "
            "0<x@40:10/10 gap(1)@40+10!l 0<k@50:20/10 0>y@60 0<y@70:10/10 "
            "0<m@70:50/20!o end(1)@70 ");
    rig_free(rig);
}

/* An interrupt was under way at the end of a gap; what had been left since is
   no more, and what was called from it was in it. */
static void test_gap_within_interrupt(void **unused)
{
    struct rig *rig = rig_new(32, STREAM);

    (void)unused;
    rig_time(rig, 0, 0);
    rig_play(rig, "0@0 >m@0 >b@10");
    rig_send(rig);
    rig_play(rig, "15@20 >s@20");
    rig_drop(rig);
    rig_play(rig, "<s@30 0@40 <b@50 <d@60 <m@70");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 0>m@0 0>b@10 gap(2)@10+20!l 15>s@30!b "
                        "15<s@30:0/0!b 0~15@30+0 0<b@50:20/20 0<m@70:50/30 "
                        "end(1)@70 ");
    assert_int_equal(rig->result.counts.stray_leaves, 1);
    rig_free(rig);
}

/* The context at the first record behind a gap is that of its frame. */
static void test_gap_hides_switch(void **unused)
{
    struct rig *rig = rig_new(32, STREAM);

    (void)unused;
    rig_play(rig, "512@0 >a@0");
    rig_send(rig);
    rig_play(rig, "513@10");
    rig_drop(rig);
    rig_play(rig, ">b@20 <b@30");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 512>a@0 512<a@0:0/0!g gap(1)@0+20!l? "
                        "513>b@20 513<b@30:10/10 end(1)@30 ");
    rig_free(rig);
}

static void test_marks(void **unused)
{
    struct rig *rig = rig_new(32, FLIGHT);

    (void)unused;
    rig_play(rig, "0@0 mark(3)@0 =77 >m@10 mark(0xFFFFFF)@20 =0xFFFFFFFF "
                  "mark(4)@25 " /* its value is missing */
                  "<m@30 =5"    /* of nothing */
    );
    special(rig, 35, 0xF9, 1);
    rig_play(rig, ">n@40");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 0*3=77@0 0>m@10 0*16777215=4294967295@20 "
                        "0*4=0@25 0<m@30:20/20 0>n@40 0<n@40:0/0!o "
                        "end(1)@40 ");
    assert_int_equal(rig->result.counts.marks, 3);
    assert_int_equal(rig->result.counts.stray_values, 2);
    assert_int_equal(rig->result.counts.unknown, 1);
    rig_free(rig);
}

/* Two boots: what is open in the first ends there. */
static void test_boots(void **unused)
{
    struct rig *rig = rig_new(32, STREAM);

    (void)unused;
    rig_play(rig, "0@500 >m@500 >a@600");
    rig_send(rig);
    assert_int_equal(timeline_restart(rig->timeline), 0);
    rig_hello(rig);
    rig->first = 0;
    rig_time(rig, 10, 10);
    rig_play(rig, "0@20 <n@30");
    assert_string_equal(
            rig_replay(rig),
            "begin(1) 0>m@0 0>a@100 0<a@100:0/0!o 0<m@100:100/100!o "
            "end(1)@100 begin(2) 0>n@20!b 0<n@30:10/10!b "
            "end(2)@30 ");
    assert_int_equal(rig->result.counts.boots, 2);
    assert_int_equal(rig->result.wall.ticks, 110);
    assert_false(rig->result.from_init);
    rig_free(rig);
}

static void test_before_hello(void **unused)
{
    struct rig *rig = rig_new(32, STREAM);
    struct timeline *timeline = timeline_new();
    const struct wire_trace records[3] = {{1, 0x101}, {2, 0x100}, {3, 0x101}};
    const struct wire_trace_part part = {.count = 3, .records = records};

    (void)unused;
    assert_non_null(timeline);
    assert_int_equal(timeline_trace(timeline, &part), 0);
    assert_true(timeline_has_records(timeline));
    timeline_free(rig->timeline);
    rig->timeline = timeline;
    assert_string_equal(rig_replay(rig), "");
    assert_int_equal(rig->result.counts.before_hello, 3);
    assert_true(timeline_is_incomplete(&rig->result.counts));
    rig_free(rig);
}

/*
 * A pair of hooks costs 12, 5 of it between its records. m calls a, which
 * calls b twice: of m 5 + 7 are hooks, all below it 3 * 12; of a 5 + 2 * 7.
 */
static int check_costs(void *context, const struct timeline_event *event)
{
    static const struct {
        char function;
        uint64_t self;
        uint64_t span;
    } rows[] = {{'b', 5, 5}, {'a', 5 + 14, 5 + 24}, {'m', 5 + 7, 5 + 36}};
    unsigned *seen = context;

    if (event->kind != TIMELINE_LEAVE)
        return 0;
    for (size_t i = 0; i < 3; i++)
        if (rows[i].function == (char)(event->function >> 4)) {
            assert_int_equal(event->self_cost.ticks, rows[i].self);
            assert_int_equal(event->span_cost.ticks, rows[i].span);
            /* At 2 MHz a tick is 500,000 ps. */
            assert_int_equal(event->span_cost.ps, rows[i].span * 500000);
            ++*seen;
        }
    return 0;
}

static void test_costs(void **unused)
{
    struct rig *rig = rig_new(32, STREAM);
    unsigned seen = 0;

    (void)unused;
    rig->hello.clock_hz = 2000000;
    rig_hello(rig);
    rig_play(rig, "0@0 >m@0 >a@10 >b@30 <b@50 >b@60");
    rig_send(rig);
    /* Measured when recording starts; HELLO says it later. */
    rig->hello.hook_cost = 12;
    rig->hello.hook_inner = 5;
    rig_hello(rig);
    rig_play(rig, "<b@80 <a@90 <m@100");
    (void)rig_replay(rig);
    timeline_result_deinit(&rig->result);
    assert_int_equal(
            timeline_replay(rig->timeline, check_costs, &seen, &rig->result),
            0);
    assert_int_equal(seen, 4);
    assert_int_equal(rig->result.hook_cost, 12);
    rig_free(rig);
}

struct cost {
    char function;
    uint64_t self, self_cost, span, span_cost;
};

static int expect_cost(void *context, const struct timeline_event *event)
{
    const struct cost **next = context;

    if (event->kind != TIMELINE_LEAVE)
        return 0;
    assert_int_equal((char)(event->function >> 4), (*next)->function);
    assert_int_equal(event->self.ticks, (*next)->self);
    assert_int_equal(event->self_cost.ticks, (*next)->self_cost);
    assert_int_equal(event->span.ticks, (*next)->span);
    assert_int_equal(event->span_cost.ticks, (*next)->span_cost);
    ++*next;
    return 0;
}

/* b took less than its 5, so that no more than 2 are taken from those above it;
   of what is open the inner part is still to come. */
static void test_costs_beyond_what_was_measured(void **unused)
{
    static const struct cost expected[] = {
            {'b', 2, 5, 2, 2},
            {'d', 9, 5, 9, 5},
            {'a', 18, 14, 29, 14 + 2 + 5},
            {'m', 101, 7, 130, 7 + 21},
    };
    struct rig *rig = rig_new(32, STREAM);
    const struct cost *next = expected;

    (void)unused;
    rig->hello.hook_cost = 12;
    rig->hello.hook_inner = 5;
    rig_hello(rig);
    rig_play(rig, "0@0 >m@0 >a@101 >b@111 <b@113 >d@116 <d@125 sync@130");
    (void)rig_replay(rig);
    timeline_result_deinit(&rig->result);
    assert_int_equal(
            timeline_replay(rig->timeline, expect_cost, &next, &rig->result),
            0);
    assert_ptr_equal(next, expected + 4);
    rig_free(rig);
}

/* A recording longer than what is kept in memory. */
static void test_long(void **unused)
{
    struct rig *rig = rig_new(32, STREAM);
    const uint32_t count = 200000;

    (void)unused;
    rig_play(rig, "0@0 >m@0 >k@0");
    for (uint32_t i = 0; i < count; i++) {
        enter(rig, 10 * i + 1, 'a');
        leave(rig, 10 * i + 4, 'a');
        if (rig->count > RIG_RECORDS - 10)
            rig_send(rig);
    }
    rig_send(rig);
    put(rig, 0, 0);
    rig_drop(rig);
    leave(rig, 10 * count, 'm');
    rig_send(rig);
    assert_int_equal(timeline_end(rig->timeline), 0);
    assert_int_equal(timeline_replay(rig->timeline, NULL, NULL, &rig->result),
                     0);
    assert_int_equal(rig->result.counts.calls, count + 2);
    assert_int_equal(rig->result.counts.left_in_gap, 1);
    assert_int_equal(rig->result.wall.ticks, 10 * count);
    /* From the last leave to the end. */
    assert_int_equal(rig->result.lost.ticks, 6);
    rig_free(rig);
}

static int stop(void *context, const struct timeline_event *event)
{
    int *left = context;

    (void)event;
    return (*left)-- > 0 ? 0 : -77;
}

static void test_sink_stops(void **unused)
{
    struct rig *rig = rig_new(32, STREAM);

    (void)unused;
    rig_play(rig, "0@0 >m@0 <m@10");
    (void)rig_replay(rig);
    for (int i = 0; i < 4; i++) {
        int left = i;

        timeline_result_deinit(&rig->result);
        assert_int_equal(
                timeline_replay(rig->timeline, stop, &left, &rig->result), -77);
    }
    timeline_result_deinit(&rig->result);
    (void)rig_replay(rig);
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_nothing),
            cmocka_unit_test(test_interrupt),
            cmocka_unit_test(test_same_function_preempted),
            cmocka_unit_test(test_recursion),
            cmocka_unit_test(test_longjmp),
            cmocka_unit_test(test_cut_at_both_ends),
            cmocka_unit_test(test_unknown_context),
            cmocka_unit_test(test_unknown_interrupt),
            cmocka_unit_test(test_unknown_for_ever),
            cmocka_unit_test(test_tasks),
            cmocka_unit_test(test_switch_in_handler),
            cmocka_unit_test(test_missed_switch),
            cmocka_unit_test(test_deleted_task),
            cmocka_unit_test(test_interrupt_without_leave),
            cmocka_unit_test(test_mark_ends_interrupts),
            cmocka_unit_test(test_interrupt_comes_again),
            cmocka_unit_test(test_deep),
            cmocka_unit_test(test_too_deep),
            cmocka_unit_test(test_gap),
            cmocka_unit_test(test_entered_in_gap),
            cmocka_unit_test(test_two_gaps),
            cmocka_unit_test(test_gap_within_interrupt),
            cmocka_unit_test(test_gap_hides_switch),
            cmocka_unit_test(test_marks),
            cmocka_unit_test(test_boots),
            cmocka_unit_test(test_before_hello),
            cmocka_unit_test(test_costs),
            cmocka_unit_test(test_costs_beyond_what_was_measured),
            cmocka_unit_test(test_long),
            cmocka_unit_test(test_sink_stops),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
