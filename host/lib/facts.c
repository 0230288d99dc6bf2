/* SPDX-License-Identifier: MIT */
#include "facts.h"

#include <inttypes.h>
#include <stdio.h>

static struct fact known(double value)
{
    return (struct fact){.known = true, .value = value};
}

static struct fact unknown(void)
{
    return (struct fact){.known = false};
}

struct fact facts_seconds(const struct capture *capture, uint64_t ticks)
{
    if (!capture->has_hello || capture->hello.clock_hz == 0
        || capture->hello.clock_source == MCUPROF_CLOCK_NONE)
        return unknown();
    return known((double)ticks / capture->hello.clock_hz);
}

struct fact facts_clock_seconds(const struct capture *capture)
{
    if (capture_totals(capture)->ticks == 0)
        return unknown();
    return facts_seconds(capture, capture_totals(capture)->ticks);
}

struct fact facts_second_seconds(const struct capture *capture)
{
    const struct ledger_totals *totals = capture_totals(capture);

    if (!capture->has_hello || capture->hello.second_hz == 0
        || totals->second == 0)
        return unknown();
    return known((double)totals->second / capture->hello.second_hz);
}

/* Two clocks of their own differ by some ppm, and by a tick at either end. */
#define CLOCKS_AGREE 1.005

struct fact facts_stopped_seconds(const struct capture *capture)
{
    struct fact clock = facts_clock_seconds(capture);
    struct fact second = facts_second_seconds(capture);

    if (!clock.known || !second.known)
        return unknown();
    if (second.value <= clock.value * CLOCKS_AGREE)
        return known(0.0);
    return known(second.value - clock.value);
}

struct fact facts_wall_seconds(const struct capture *capture)
{
    struct fact stopped = facts_stopped_seconds(capture);

    return stopped.known && stopped.value > 0.0 ? facts_second_seconds(capture)
                                                : facts_clock_seconds(capture);
}

struct fact facts_traced_seconds(const struct capture *capture)
{
    if (capture_totals(capture)->traced == 0)
        return unknown();
    return facts_seconds(capture, capture_totals(capture)->traced);
}

struct fact facts_rate(const struct capture *capture)
{
    const struct ledger_totals *totals = capture_totals(capture);
    struct fact seconds = facts_clock_seconds(capture);

    if (!seconds.known || seconds.value <= 0.0)
        return unknown();
    return known((double)(totals->timed_produced + totals->timed_missed)
                 / seconds.value);
}

enum rate_basis facts_rate_basis(const struct capture *capture)
{
    switch (capture->hello.clock_source) {
    case MCUPROF_CLOCK_SYSTICK_SAMPLER:
        return RATE_PROGRAMMED;
    case MCUPROF_CLOCK_SYSTICK_SHARED:
        return RATE_ASSUMED;
    default:
        return RATE_MEASURED;
    }
}

struct fact facts_nominal_rate(const struct capture *capture)
{
    if (!capture->has_hello || capture->hello.period == 0
        || capture->hello.clock_hz == 0)
        return unknown();
    return known((double)capture->hello.clock_hz / capture->hello.period);
}

struct fact facts_sampler_cost(const struct capture *capture)
{
    if (!capture->has_hello
        || (capture->hello.sampler_flags & MCUPROF_SAMPLER_COST_UNKNOWN) != 0)
        return unknown();
    return known(capture->hello.sampler_cost);
}

struct fact facts_sampler_share(const struct capture *capture)
{
    const struct ledger_totals *totals = capture_totals(capture);
    struct fact cost = facts_sampler_cost(capture);

    if (!cost.known || totals->ticks == 0)
        return unknown();
    return known((double)totals->timed_produced * cost.value
                 / (double)totals->ticks);
}

#define ENOUGH_PERIODS 100

bool facts_clock_wrapped(const struct capture *capture)
{
    const struct ledger_totals *totals = capture_totals(capture);
    uint64_t periods = totals->timed_produced + totals->timed_missed;

    if (!capture->has_hello || capture->hello.period == 0
        || capture->settings_changed || periods < ENOUGH_PERIODS)
        return false;
    return (double)periods * capture->hello.period
           > 1.25 * (double)totals->ticks;
}

/* Jitter alone moves the mean of 100 periods by 3 %. */
#define RATE_TOLERANCE 0.1

bool facts_rate_differs(const struct capture *capture)
{
    const struct ledger_totals *totals = capture_totals(capture);
    struct fact rate = facts_rate(capture);
    struct fact nominal = facts_nominal_rate(capture);
    uint64_t periods = totals->timed_produced + totals->timed_missed;

    if (!rate.known || !nominal.known || periods < ENOUGH_PERIODS)
        return false;
    return rate.value > (1.0 + RATE_TOLERANCE) * nominal.value
           || rate.value < (1.0 - RATE_TOLERANCE) * nominal.value;
}

const char *facts_clock_name(uint8_t source)
{
    static const char *const names[] = {
            [MCUPROF_CLOCK_NONE] = "none",
            [MCUPROF_CLOCK_DWT] = "DWT cycle counter",
            [MCUPROF_CLOCK_USER] = "the user's counter",
            [MCUPROF_CLOCK_SYSTICK] = "SysTick",
            [MCUPROF_CLOCK_SYSTICK_SAMPLER] = "SysTick, which also samples",
            [MCUPROF_CLOCK_SYSTICK_SHARED] = "SysTick, owned by another",
    };

    return source < sizeof names / sizeof names[0] ? names[source]
                                                   : "of an unknown kind";
}

const char *facts_clock_reason(uint8_t reason)
{
    static const char *const reasons[] = {
            [MCUPROF_REASON_CONFIGURED] = "it was configured",
            [MCUPROF_REASON_ADVANCES] = "it was seen to advance",
            [MCUPROF_REASON_NO_DWT] = "this core has no DWT",
            [MCUPROF_REASON_NO_TRCENA] = "TRCENA does not hold, so no DWT",
            [MCUPROF_REASON_STANDS_STILL] = "the DWT's CYCCNT stands still",
            [MCUPROF_REASON_NO_CLOCK] = "there is nothing to count with",
    };

    return reason < sizeof reasons / sizeof reasons[0]
                   ? reasons[reason]
                   : "for a reason this version does not know";
}

/* Part numbers: the Technical Reference Manuals, "CPUID Base Register". */
static const struct {
    uint16_t part;
    const char *name;
} cores[] = {
        {0xC20, "Cortex-M0"},  {0xC60, "Cortex-M0+"}, {0xC21, "Cortex-M1"},
        {0xC23, "Cortex-M3"},  {0xC24, "Cortex-M4"},  {0xC27, "Cortex-M7"},
        {0xD20, "Cortex-M23"}, {0xD21, "Cortex-M33"}, {0xD31, "Cortex-M35P"},
        {0xD22, "Cortex-M55"}, {0xD23, "Cortex-M85"}, {0xD24, "Cortex-M52"},
};

#define IMPLEMENTER_ARM 0x41

void facts_core(uint32_t cpuid, char *out, size_t size)
{
    uint32_t part = cpuid >> 4 & 0xFFF;

    for (size_t i = 0; i < sizeof cores / sizeof cores[0]; i++)
        if (cpuid >> 24 == IMPLEMENTER_ARM && cores[i].part == part) {
            (void)snprintf(out, size, "%s r%" PRIu32 "p%" PRIu32, cores[i].name,
                           cpuid >> 20 & 0xF, cpuid & 0xF);
            return;
        }
    (void)snprintf(out, size, "a core with CPUID 0x%08" PRIx32, cpuid);
}
