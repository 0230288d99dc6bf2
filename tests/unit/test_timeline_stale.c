/* SPDX-License-Identifier: MIT */
/*
 * Records of a ring that were reserved and not written: their slots hold what
 * they did a lap before.
 */
#include "timeline_rig.h"

/* Records that were reserved and not written: an empty one, and of an earlier
   lap an event's, an interrupt's context's and the last. */
static void put_unwritten(struct rig *rig)
{
    rig->context = 0;
    rig_play(rig, ">m@5000 <m@5010");
    put(rig, 0, 0);
    rig_play(rig,
             ">z@4100 "                 /* of the thread, interrupted there */
             "15@5020 >s@5020 <y@4110 " /* of an interrupt, interrupted there */
             "17@5030 >t@5030 <t@5035 >x@4990");
}

static void test_torn_and_stale(void **unused)
{
    struct rig *rig = rig_new(32, FLIGHT);

    (void)unused;
    rig_ring(rig, 16, 40);
    put_unwritten(rig);
    assert_string_equal(rig_replay(rig),
                        "begin(1) 0>m@0 0<m@10:10/10 15>s@20 17>t@30 "
                        "17<t@35:5/5 15~17@30+5 15<s@35:10/10!o end(1)@35 ");
    assert_int_equal(rig->result.counts.torn, 1);
    assert_int_equal(rig->result.counts.stale, 3);
    rig_free(rig);
}

/* In the first lap, in a stream and without a ring none can be. */
static void test_nothing_is_stale(void **unused)
{
    static const struct {
        uint8_t mode;
        uint32_t records;
    } rings[] = {{FLIGHT, 51}, {STREAM, 16}, {FLIGHT, 0}};

    (void)unused;
    for (size_t i = 0; i < 3; i++) {
        struct rig *rig = rig_new(32, rings[i].mode);

        if (rings[i].records > 0)
            rig_ring(rig, rings[i].records, 40);
        put_unwritten(rig);
        (void)rig_replay(rig);
        assert_int_equal(rig->result.counts.stale, 0);
        assert_int_equal(rig->result.counts.calls, 5);
        /* Three of a wrap less some. */
        assert_int_equal(rig->result.wall.ticks, 3 * (UINT64_C(1) << 32) - 10);
        rig_free(rig);
    }
}

/* The first slot that a lap has used before is the ring's first one again. */
static void test_stale_from_the_second_lap_on(void **unused)
{
    for (uint32_t records = 42; records <= 43; records++) {
        struct rig *rig = rig_new(32, FLIGHT);

        (void)unused;
        rig_ring(rig, records, 40);
        rig->context = 0;
        /* z is number 42. */
        rig_play(rig, ">m@5000 <m@5010 >z@4100 15@5020 >s@5020");
        (void)rig_replay(rig);
        assert_int_equal(rig->result.counts.stale, records == 42);
        rig_free(rig);
    }
}

/* What was interrupted has not run since: here it does, and both silences are
   times. */
static void test_interrupted_goes_on(void **unused)
{
    struct rig *rig = rig_new(32, FLIGHT);

    (void)unused;
    rig_ring(rig, 16, 40);
    rig->context = 0;
    rig_play(rig, ">m@0 >a@0x80000000 15@0x10 >s@0x10 <s@0x20 0@0x30 <a@0x30");
    assert_string_equal(
            rig_replay(rig),
            "begin(1) 0>m@0 0>a@2147483648 15>s@4294967312 "
            "15<s@4294967328:16/16 0~15@4294967312+16 "
            "0<a@4294967344:2147483680/2147483680 "
            "0<m@4294967344:4294967328/2147483648!o end(1)@4294967344 ");
    assert_int_equal(rig->result.counts.stale, 0);
    rig_free(rig);
}

/* Long silences are no stale records, nor are those between two. */
static void test_silence(void **unused)
{
    struct rig *rig = rig_new(32, FLIGHT);

    (void)unused;
    rig_ring(rig, 16, 40);
    rig->context = 0;
    rig_play(rig, ">m@0x10000000 >a@0xF0000000 <a@0xF0000010 <m@0x8000000 "
                  ">b@0x88000000 <b@0x88000005 >c@0x8000010 <c@0x88000010 "
                  ">d@0x8000020");
    assert_string_equal(rig_replay(rig),
                        "begin(1) 0>m@0 0>a@3758096384 "
                        "0<a@3758096400:16/16 "
                        "0<m@4160749568:4160749568/4160749552 "
                        "0>b@6308233216 0<b@6308233221:5/5 "
                        "0>c@8455716880 "
                        "0<c@10603200528:2147483648/2147483648 "
                        "0>d@12750684192 0<d@12750684192:0/0!o "
                        "end(1)@12750684192 ");
    assert_int_equal(rig->result.counts.stale, 0);
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_torn_and_stale),
            cmocka_unit_test(test_nothing_is_stale),
            cmocka_unit_test(test_stale_from_the_second_lap_on),
            cmocka_unit_test(test_interrupted_goes_on),
            cmocka_unit_test(test_silence),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
