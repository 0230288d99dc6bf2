/* SPDX-License-Identifier: MIT */
#include "hotspot_facts.h"

#include "confidence.h"

#include <math.h>

/* Half of the interval of a share of one half: no other is as wide. */
static double widest_margin(const struct hotspot_view *view)
{
    double count = hotspot_view_effective_samples(view);
    struct interval interval = confidence_wilson(
            (uint64_t)(count / 2), 2 * (uint64_t)(count / 2), CONFIDENCE_95);

    return (interval.high - interval.low) / 2;
}

static struct fact half_life(const struct capture *capture,
                             const struct hotspot_view *view)
{
    struct fact rate = facts_rate(capture);

    if (!rate.known || rate.value <= 0.0)
        rate = facts_nominal_rate(capture);
    if (view->head.half_life == 0 || !rate.known)
        return (struct fact){.known = false};
    return (struct fact){.known = true,
                         .value = view->head.half_life / rate.value};
}

struct hotspot_facts hotspot_facts(const struct capture *capture)
{
    const struct hotspot_view *view = &capture->hotspots.last;
    struct hotspot_facts facts = {
            .margin = widest_margin(view),
            .half_life = half_life(capture, view),
    };
    unsigned sum = 0;
    unsigned least = 0;

    for (size_t i = 0; i < view->head.used; i++) {
        const struct wire_hotspot *unit = &view->units[i];

        sum += unit->ratio;
        least += hotspot_least(unit);
        /* Ratios are rounded down. */
        facts.outside = (unit->ratio + 1.0) / MCUPROF_HOTSPOT_WHOLE;
    }
    facts.sum = (double)sum / MCUPROF_HOTSPOT_WHOLE;
    facts.least = (double)least / MCUPROF_HOTSPOT_WHOLE;
    if (view->head.used < view->head.capacity)
        facts.outside = 0.0;
    else
        facts.outside = fmin(facts.outside, 1.0 / view->head.capacity);
    if (view->has_before)
        facts.earliest = facts_seconds(capture, view->before);
    if (view->has_behind)
        facts.latest = facts_seconds(capture, view->behind);
    return facts;
}
