/* SPDX-License-Identifier: MIT */
#include "verdict.h"

#include "facts.h"

#include <math.h>
#include <string.h>

#define TICK_TOLERANCE 0.02
#define RATE_TOLERANCE 0.05
/* Below this the interval of the share is so wide that anything passes. */
#define SAMPLES_MIN 40

static uint64_t samples_in(const struct symbols *symbols,
                           const struct modules_place *function)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < symbols->location_count; i++) {
        const struct location *location = &symbols->locations[i];

        if (location->address - function->start < function->size)
            sum += location->weight;
    }
    return sum;
}

static enum verdict judge_capture(struct selftest_verdict *verdict, bool lost)
{
    uint64_t both = verdict->three + verdict->one;

    /* 99.9 %: one honest board in a thousand is told that it is wrong. */
    verdict->share = confidence_wilson(verdict->three, both, CONFIDENCE_99_9);
    if (both < SAMPLES_MIN)
        return VERDICT_OPEN;
    /* A full ring drops what comes last in a turn: the shorter loop. */
    if (lost)
        return VERDICT_OPEN;
    return verdict->share.low <= 0.75 && verdict->share.high >= 0.75
                   ? VERDICT_RIGHT
                   : VERDICT_WRONG;
}

static enum verdict judge_clock(struct selftest_verdict *verdict,
                                const struct capture *capture)
{
    const struct wire_selftest *selftest = &capture->selftest;
    struct fact rate = facts_rate(capture);
    struct fact nominal = facts_nominal_rate(capture);

    if (selftest->one_ticks == 0)
        return VERDICT_OPEN;
    verdict->tick_ratio =
            (double)selftest->three_ticks / (double)selftest->one_ticks;
    if (rate.known && nominal.known
        && facts_rate_basis(capture) == RATE_MEASURED)
        verdict->rate_ratio = rate.value / nominal.value;
    if (fabs(verdict->tick_ratio / 3.0 - 1.0) > TICK_TOLERANCE
        || (verdict->rate_ratio > 0.0
            && fabs(verdict->rate_ratio - 1.0) > RATE_TOLERANCE))
        return VERDICT_WRONG;
    return VERDICT_RIGHT;
}

struct selftest_verdict verdict_selftest(const struct capture *capture,
                                         struct modules *modules,
                                         const struct symbols *symbols)
{
    struct selftest_verdict verdict = {0};
    struct modules_place three;
    struct modules_place one;
    bool named;

    verdict.clock = judge_clock(&verdict, capture);
    if (modules == NULL || symbols == NULL
        || modules_find(modules, capture->selftest.three, &three) < 0
        || modules_find(modules, capture->selftest.one, &one) < 0)
        return verdict;
    named = three.kind == IMAGE_FUNCTION && one.kind == IMAGE_FUNCTION
            && three.start != one.start;
    verdict.names = named ? VERDICT_RIGHT : VERDICT_WRONG;
    if (!named)
        return verdict;
    verdict.three = samples_in(symbols, &three);
    verdict.one = samples_in(symbols, &one);
    verdict.capture = judge_capture(
            &verdict,
            capture_totals(capture)->samples.lost_target > 0
                    || capture_totals(capture)->samples.lost_line > 0);
    return verdict;
}

const char *verdict_word(enum verdict verdict)
{
    static const char *const words[] = {
            [VERDICT_OPEN] = "open",
            [VERDICT_RIGHT] = "right",
            [VERDICT_WRONG] = "WRONG",
    };

    return words[verdict];
}
