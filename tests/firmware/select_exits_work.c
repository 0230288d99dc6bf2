/* SPDX-License-Identifier: MIT */
/*
 * Bodies inlined into the cases of a switch, so that compilers merge their
 * exits, around calls of what comes back in ways that do not look like it: a
 * jump to the exit hook, code that runs on into the next function, libgcc's
 * subtraction that does so, an abort() of our own (-fno-builtin-abort).
 */
#include "select_truth.h"

#define APART __attribute__((noinline))
#define INLINED static inline __attribute__((always_inline))

void abort(void);

static volatile uint32_t tallied, aborted;
static volatile float ratio;
static volatile double exact;

static APART void tally(uint32_t value)
{
    tallied = tallied * 5u + value;
}

APART void abort(void)
{
    aborted = aborted + 1u;
}

INLINED void by_work(uint32_t value)
{
    tallied = tallied ^ value;
}

INLINED void by_jump(uint32_t value)
{
    tally(value + 1u);
}

INLINED void by_two_jumps(uint32_t value)
{
    tally(value >> 3);
    tally(value);
}

INLINED void by_fall(uint32_t value)
{
    tallied = select_falls(value);
}

INLINED void by_float(uint32_t value)
{
    ratio = (float)(value & 0xFFFu) - ratio;
}

INLINED void by_double(uint32_t value)
{
    exact = (double)(value & 0xFFFu) - exact;
}

INLINED void by_abort(uint32_t value)
{
    tallied = value;
    abort();
}

/* Each case with the same end. */
static APART void by_case(uint32_t what, uint32_t value)
{
    switch (what) {
    case 0:
        by_work(value);
        break;
    case 1:
        by_jump(value);
        break;
    case 2:
        by_two_jumps(value);
        break;
    case 3:
        by_fall(value);
        break;
    case 4:
        by_float(value);
        break;
    case 5:
        by_double(value);
        break;
    case 6:
        by_abort(value);
        break;
    default:
        break;
    }
}

static APART void by_jump_or_work(uint32_t what, uint32_t value)
{
    if (what & 1u) {
        by_jump(value);
    } else {
        by_work(value);
    }
}

static APART void by_fall_or_work(uint32_t what, uint32_t value)
{
    if (what & 1u) {
        by_fall(value);
    } else {
        by_work(value);
    }
}

static APART void by_float_or_work(uint32_t what, uint32_t value)
{
    if (what & 1u) {
        by_float(value);
        by_double(value);
    } else {
        by_work(value);
    }
}

static APART void by_abort_or_work(uint32_t what, uint32_t value)
{
    if (what & 1u) {
        by_abort(value);
    } else {
        by_work(value);
    }
}

uint32_t select_exits(uint32_t sum)
{
    for (uint32_t what = 0; what < 8; what++) {
        by_case(what, sum + what);
        by_jump_or_work(what, sum);
        by_fall_or_work(what, sum);
        by_float_or_work(what, sum);
        by_abort_or_work(what, sum);
    }
    return sum ^ tallied ^ aborted << 24 ^ (uint32_t)(int32_t)ratio << 12
           ^ (uint32_t)(int32_t)exact;
}
