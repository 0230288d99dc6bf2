/* SPDX-License-Identifier: MIT */
#include "hotspot_views.h"

#include <math.h>
#include <string.h>

static bool same_head(const struct wire_hotspots *a,
                      const struct wire_hotspots *b)
{
    return a->sequence == b->sequence && a->samples == b->samples
           && a->ignored == b->ignored && a->half_life == b->half_life
           && a->grain_log2 == b->grain_log2 && a->capacity == b->capacity
           && a->used == b->used;
}

static bool same_unit(const struct wire_hotspot *a,
                      const struct wire_hotspot *b)
{
    return a->pc == b->pc && a->ratio == b->ratio && a->bound == b->bound;
}

static bool comes_again(const struct hotspot_view *view, size_t row)
{
    uint32_t block = view->units[row].pc >> view->head.grain_log2;

    for (size_t i = 0; i < row; i++)
        if (view->units[i].pc >> view->head.grain_log2 == block)
            return true;
    return false;
}

/*
 * Each block is there once, the hottest first, and together they have the
 * whole: of each less than one was rounded away.
 *
 * A sample takes a row, and no row gets empty again: there are rows if, and
 * only if, there were samples. Their number wraps. A view made exactly there,
 * at one number of 2^32, is refused as well; the next one counts again. For
 * the same reason rows are not limited by samples.
 */
static bool is_sound(const struct hotspot_view *view)
{
    const struct wire_hotspot *units = view->units;
    unsigned used = view->head.used;
    unsigned sum = 0;

    if (used == 0 || view->head.samples == 0)
        return used == view->head.samples;
    for (size_t i = 0; i < used; i++) {
        if (comes_again(view, i)
            || (i > 0 && units[i].ratio > units[i - 1].ratio))
            return false;
        sum += units[i].ratio;
    }
    return sum <= MCUPROF_HOTSPOT_WHOLE && sum + used > MCUPROF_HOTSPOT_WHOLE;
}

/* Of a view that began before the capture did, nothing is lost. */
static bool is_rest(const struct hotspot_views *views)
{
    return !views->has_row[0] && views->complete == 0 && views->incomplete == 0
           && views->refused == 0;
}

void hotspot_views_close(struct hotspot_views *views)
{
    if (!views->open)
        return;
    views->open = false;
    if (views->agrees && views->rows < views->view.head.used) {
        views->incomplete += !is_rest(views);
    } else if (views->agrees && is_sound(&views->view)) {
        views->last = views->view;
        views->complete++;
    } else {
        views->refused++;
    }
}

static void begin(struct hotspot_views *views, const struct wire_hotspots *part,
                  unsigned segment)
{
    hotspot_views_close(views);
    views->open = true;
    views->agrees = true;
    views->rows = 0;
    memset(views->has_row, 0, sizeof views->has_row);
    views->view.head = *part;
    views->view.segment = segment;
    views->view.has_behind = false;
    views->view.has_before = views->time_segment == segment;
    views->view.before = views->ticks;
}

void hotspot_views_time(struct hotspot_views *views, unsigned segment,
                        uint64_t ticks)
{
    views->time_segment = segment;
    views->ticks = ticks;
    if (!views->open || views->view.segment != segment
        || views->view.has_behind)
        return;
    views->view.has_behind = true;
    views->view.behind = ticks;
}

void hotspot_views_part(struct hotspot_views *views,
                        const struct wire_hotspots *part, unsigned segment)
{
    struct hotspot_view *view = &views->view;

    if (!views->open || view->segment != segment
        || view->head.sequence != part->sequence)
        begin(views, part, segment);
    views->agrees = views->agrees && same_head(&view->head, part);
    if (!views->agrees)
        return;
    for (size_t i = 0; i < part->count; i++) {
        size_t row = (size_t)part->first + i;

        if (views->has_row[row]
            && !same_unit(&view->units[row], &part->units[i]))
            views->agrees = false;
        views->rows += !views->has_row[row];
        views->has_row[row] = true;
        view->units[row] = part->units[i];
    }
}

unsigned hotspot_least(const struct wire_hotspot *unit)
{
    /* Ours never is; the wire does not forbid it. */
    if (unit->bound > unit->ratio)
        return 0;
    return (unsigned)unit->ratio - unit->bound;
}

double hotspot_view_effective_samples(const struct hotspot_view *view)
{
    double samples = view->head.samples;
    double all = samples + view->head.ignored;
    double kept;
    double first;

    if (view->head.half_life == 0 || all <= 0.0)
        return samples;
    /* What a sample weighs by the one after it, and the first by the last. */
    kept = exp2(-1.0 / view->head.half_life);
    first = exp2(-all / view->head.half_life);
    return samples / all * (1 + kept) / (1 - kept) * (1 - first) / (1 + first);
}
