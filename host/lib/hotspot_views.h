/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_HOTSPOT_VIEWS_H
#define MCUPROF_HOST_HOTSPOT_VIEWS_H

/*
 * Views of the hot-spot table, put together from their parts (docs/wire.md,
 * HOTSPOTS). A view counts if all of its rows came, its parts agree, and no
 * block is in it twice; the last one of these is kept, the others are counted.
 */

#include "decode.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hotspot_view {
    struct wire_hotspots head; /* of its first part; the units are below */
    struct wire_hotspot units[UINT8_MAX];
    unsigned segment; /* of the capture, from 1 on */
    /* The TIMEs before and behind it in the segment, in ticks. */
    bool has_before;
    bool has_behind;
    uint64_t before;
    uint64_t behind;
};

/* All zero is none. LAST is valid if COMPLETE is not 0. */
struct hotspot_views {
    struct hotspot_view last;
    uint64_t complete;
    uint64_t incomplete; /* rows are missing */
    uint64_t refused;    /* parts do not agree, or the rows cannot be true */

    /* The last TIME. */
    unsigned time_segment; /* 0: none */
    uint64_t ticks;

    /* The view whose parts are coming. */
    bool open;
    bool agrees;
    unsigned rows;
    bool has_row[UINT8_MAX];
    struct hotspot_view view;
};

/**
 * Take PART, which came in SEGMENT. A part of another view or segment closes
 * the view before it.
 */
void hotspot_views_part(struct hotspot_views *views,
                        const struct wire_hotspots *part, unsigned segment);

/** A TIME of TICKS came in SEGMENT. */
void hotspot_views_time(struct hotspot_views *views, unsigned segment,
                        uint64_t ticks);

/** No more parts will come of the view that is open. */
void hotspot_views_close(struct hotspot_views *views);

/** What the true share of UNIT is at least, in 1/1024. */
unsigned hotspot_least(const struct wire_hotspot *unit);

/**
 * How many samples of equal weight say as much as the weighted ones of VIEW:
 * the square of their sum by the sum of their squares. The ignored ones are
 * taken to be spread evenly among them.
 * source: Kish, Survey Sampling (1965), 8.2
 */
double hotspot_view_effective_samples(const struct hotspot_view *view);

#ifdef __cplusplus
}
#endif

#endif
