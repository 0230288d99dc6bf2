/* SPDX-License-Identifier: MIT */
#include "print_hotspots.h"

#include "hotspot_facts.h"
#include "units.h"

#include <inttypes.h>

static void print_denominator(FILE *stream, const struct wire_hotspots *head,
                              const struct hotspot_facts *facts)
{
    char samples[UNITS_MAX];
    char ignored[UNITS_MAX] = "none";

    if (head->ignored > 0)
        units_count(ignored, head->ignored);
    if (head->samples == 0)
        (void)fprintf(stream, "  no samples in the table (%s ignored)\n",
                      ignored);
    else
        (void)fprintf(stream,
                      "  shares in %% of %s sample%s (%s ignored, not among "
                      "them); chance adds +/- %.2f (95 %%)\n",
                      units_count(samples, head->samples),
                      head->samples == 1 ? "" : "s", ignored,
                      100.0 * facts->margin);
}

static void print_half_life(FILE *stream, const struct wire_hotspots *head,
                            const struct hotspot_facts *facts)
{
    char samples[UNITS_MAX];
    char time[UNITS_MAX];

    if (head->half_life == 0)
        (void)fprintf(stream, "  all samples weigh the same, old ones too\n");
    else if (facts->half_life.known)
        (void)fprintf(stream,
                      "  a sample weighs half after %s more, about %s\n",
                      units_count(samples, head->half_life),
                      units_seconds(time, facts->half_life.value));
    else
        (void)fprintf(stream, "  a sample weighs half after %s more\n",
                      units_count(samples, head->half_life));
}

/* What the columns bound, and what the rows leave out. */
static void print_bounds(FILE *stream, const struct wire_hotspots *head,
                         const struct hotspot_facts *facts)
{
    (void)fprintf(stream,
                  "  a block's true share is between `at least` and `share` + "
                  "0.1 (they are rounded down)\n"
                  "  all rows together: %.2f %%, at least %.2f %%; ",
                  100.0 * facts->sum, 100.0 * facts->least);
    if (facts->outside <= 0.0)
        (void)fprintf(stream, "no other block was sampled\n");
    else
        (void)fprintf(stream,
                      "all above %.2f %% (1/%u) are there, no other has "
                      "more than %.2f %%\n",
                      100.0 / head->capacity, head->capacity,
                      100.0 * facts->outside);
}

/* Of a moment between two readings of the clock the later one is nearer: the
   firmware sends a view in front of a TIME. */
static void print_age(FILE *stream, const struct hotspot_facts *facts)
{
    char late[UNITS_MAX];
    char more[UNITS_MAX];

    if (facts->latest.known && facts->earliest.known)
        (void)fprintf(stream,
                      ": as it was %s after mcuprof_init(), or up to %s before",
                      units_seconds(late, facts->latest.value),
                      units_seconds(more, facts->latest.value
                                                  - facts->earliest.value));
    else if (facts->latest.known)
        (void)fprintf(stream, ": as it was %s after mcuprof_init(), or before",
                      units_seconds(late, facts->latest.value));
    else if (facts->earliest.known)
        (void)fprintf(stream, ": as it was later than %s after mcuprof_init()",
                      units_seconds(late, facts->earliest.value));
}

static void print_moment(FILE *stream, const struct capture *capture,
                         const struct hotspot_facts *facts)
{
    const struct hotspot_views *views = &capture->hotspots;
    unsigned segments = capture_totals(capture)->segments;
    char count[UNITS_MAX];

    (void)fprintf(stream, "  the last of %s view%s",
                  units_count(count, views->complete),
                  views->complete == 1 ? "" : "s");
    print_age(stream, facts);
    if (segments > 1)
        (void)fprintf(stream, ", in segment %u of %u", views->last.segment,
                      segments);
    (void)fprintf(stream, "\n");
}

void print_hotspots_notes(FILE *stream, const struct capture *capture)
{
    const struct wire_hotspots *head = &capture->hotspots.last.head;
    struct hotspot_facts facts = hotspot_facts(capture);

    (void)fprintf(stream,
                  "  a block is %lu bytes, named by one address in it; others "
                  "in it may have part of its time\n",
                  1ul << head->grain_log2);
    print_denominator(stream, head, &facts);
    if (head->samples > 0) {
        print_half_life(stream, head, &facts);
        print_bounds(stream, head, &facts);
    }
    print_moment(stream, capture, &facts);
}

static json_t *seconds_json(struct fact seconds)
{
    return seconds.known ? json_real(seconds.value) : json_null();
}

json_t *print_hotspots_json(const struct capture *capture)
{
    const struct hotspot_views *views = &capture->hotspots;
    const struct wire_hotspots *head = &views->last.head;
    struct hotspot_facts facts = hotspot_facts(capture);

    return json_pack(
            "{s:I, s:I, s:i, s:i, s:o, s:o, s:I, s:I, s:I, s:o, s:o,"
            " s:i, s:i, s:f, s:f, s:f, s:f}",
            "views", (json_int_t)views->complete, "sequence",
            (json_int_t)head->sequence, "segment", (int)views->last.segment,
            "segments", (int)capture_totals(capture)->segments,
            "earliest_seconds", seconds_json(facts.earliest), "latest_seconds",
            seconds_json(facts.latest), "samples", (json_int_t)head->samples,
            "ignored", (json_int_t)head->ignored, "block_bytes",
            (json_int_t)1 << head->grain_log2, "half_life_samples",
            head->half_life > 0 ? json_integer(head->half_life) : json_null(),
            "half_life_seconds", seconds_json(facts.half_life), "units",
            head->capacity, "units_used", head->used, "sum_percent",
            100.0 * facts.sum, "sum_least_percent", 100.0 * facts.least,
            "outside_most_percent", 100.0 * facts.outside, "margin_percent",
            100.0 * facts.margin);
}
