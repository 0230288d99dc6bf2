/* SPDX-License-Identifier: MIT */
#include "print_functions.h"

#include "units.h"

#include <string.h>

static const char *const unit_names[] = {
        [REPORT_UNIT_CYCLES] = "cycles",
        [REPORT_UNIT_US] = "us",
        [REPORT_UNIT_MS] = "ms",
        [REPORT_UNIT_S] = "s",
};

/* "1,234.568", in cycles "1,234" */
static const char *number(char out[UNITS_MAX], const struct report *report,
                          uint64_t ticks)
{
    if (report->unit == REPORT_UNIT_CYCLES)
        return units_count(out, ticks);
    return units_thousandths(out, report_time(ticks, report->unit, report->hz));
}

/* The check of everything: all time is somewhere, and only once. */
static void print_sums(FILE *stream, const struct function_snapshot *whole,
                       const struct report *report)
{
    struct function_sums sums = function_table_sums(whole);
    double apart = function_table_apart(&sums);
    char self[UNITS_MAX];
    char outside[UNITS_MAX];
    char no_slot[UNITS_MAX];
    char hooks[UNITS_MAX];
    char all[UNITS_MAX];
    char wall[UNITS_MAX];

    (void)fprintf(stream, "  self %s + outside %s",
                  number(self, report, sums.self),
                  number(outside, report, sums.outside));
    if (sums.no_slot > 0)
        (void)fprintf(stream, " + no slot %s",
                      number(no_slot, report, sums.no_slot));
    (void)fprintf(
            stream, " + hooks %s = %s of %s %s by the clock: %.2f %%%s\n",
            number(hooks, report, sums.hooks), number(all, report, sums.all),
            number(wall, report, sums.wall), unit_names[report->unit], apart,
            function_table_adds_up(&sums) ? " apart" : ": DOES NOT ADD UP");
}

static void print_hooks(FILE *stream, const struct function_table *table)
{
    const struct function_snapshot *whole = &table->whole;
    char count[UNITS_MAX];

    if (table->mixed)
        (void)fprintf(stream, "  part of it with what the hooks of calls took, "
                              "part without\n");
    else if ((whole->flags & MCUPROF_FUNCTIONS_RAW) != 0)
        (void)fprintf(stream, "  times as they were measured (raw), with what "
                              "the hooks of calls took\n");
    else
        (void)fprintf(stream,
                      "  times without what the hooks of calls took "
                      "(compensated): %u cycles a call, %s off their usual "
                      "way\n",
                      whole->pair, units_count(count, whole->counts.hooks));
    (void)fprintf(stream, "  an interrupt's or another task's time is in none "
                          "of what it interrupted; that of\n  recursive calls "
                          "is once in total; average is total / calls, rounded "
                          "down\n");
}

static void print_moment(FILE *stream, const struct function_table *table,
                         const struct report *report)
{
    char snapshots[UNITS_MAX];
    char periods[UNITS_MAX];
    char wall[UNITS_MAX];

    (void)fprintf(stream, "  the last of %s snapshot%s",
                  units_count(snapshots, table->complete),
                  table->complete == 1 ? "" : "s");
    if (table->periods > 1)
        (void)fprintf(stream,
                      ", and the last before each of %s starts or resets "
                      "between them",
                      units_count(periods, table->periods - 1));
    (void)fprintf(stream, ": %s %s from %s\n",
                  number(wall, report, table->whole.ticks),
                  unit_names[report->unit],
                  table->periods > 1 ? "the starts or resets on"
                                     : "its start or reset on");
}

/* The cell in ROW of the column KEY; NULL if there is none, or it is empty. */
static const struct table_cell *find(const struct table *table, size_t row,
                                     const char *key)
{
    for (size_t k = 0; k < table->column_count; k++)
        if (table->columns[k].where != 0
            && strcmp(table->columns[k].key, key) == 0
            && table_get(table, row, k)->set)
            return table_get(table, row, k);
    return NULL;
}

/* "181.490 us at 1,234,567.000 us: main;work in thread, of 17 calls" */
static void print_longest(FILE *stream, const struct report *report, size_t row)
{
    const struct table_cell *path = find(&report->table, row, "worst_path");
    const struct table_cell *ticks = find(&report->table, row, "worst_ticks");
    const struct table_cell *at = find(&report->table, row, "worst_at_us");
    const struct table_cell *calls = find(&report->table, row, "traced_calls");
    const struct table_cell *context = find(&report->table, row, "context");
    char time[UNITS_MAX];
    char moment[UNITS_MAX] = "";
    char count[UNITS_MAX];

    if (path == NULL || ticks == NULL || calls == NULL)
        return;
    if (at != NULL)
        units_thousandths(moment, at->number);
    (void)fprintf(stream, "    %s %s%s%s%s: %s%s%s, of %s call%s\n",
                  number(time, report, ticks->count), unit_names[report->unit],
                  at != NULL ? " at " : "", moment, at != NULL ? " us" : "",
                  path->text, context != NULL ? " in " : "",
                  context != NULL ? context->text : "",
                  units_count(count, calls->count),
                  calls->count == 1 ? "" : "s");
}

/* Of the calls that the ring has, one by one. */
static void print_calls(FILE *stream, const struct named_functions *named,
                        const struct report *report)
{
    char count[UNITS_MAX];
    uint64_t calls = 0;
    bool any = false;

    for (size_t i = 0; i < named->time_count; i++)
        calls += named->times[i].calls;

    for (size_t i = 0; i < report->table.row_count && !any; i++)
        any = find(&report->table, i, "worst_path") != NULL;
    if (!any)
        return;
    (void)fprintf(
            stream,
            "  p50, p95 and p99 are of the last %s finished call%s, as the "
            "call ring has them; all else is\n  of every call, so that "
            "min and max need not lie around them; the longest in the "
            "ring:\n",
            units_count(count, calls), calls == 1 ? "" : "s");
    for (size_t i = 0; i < report->table.row_count; i++)
        print_longest(stream, report, i);
}

void print_functions_notes(FILE *stream, const struct function_table *table,
                           const struct named_functions *named,
                           const struct report *report)
{
    print_sums(stream, &table->whole, report);
    print_hooks(stream, table);
    print_moment(stream, table, report);
    print_calls(stream, named, report);
}

json_t *print_functions_json(const struct function_table *table)
{
    const struct function_snapshot *whole = &table->whole;
    struct function_sums sums = function_table_sums(whole);
    bool raw = (whole->flags & MCUPROF_FUNCTIONS_RAW) != 0;

    return json_pack(
            "{s:I, s:I, s:I, s:b, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f}",
            "snapshots", (json_int_t)table->complete, "sequence",
            (json_int_t)whole->sequence, "periods", (json_int_t)table->periods,
            "compensated", !raw, "mixed", table->mixed, "pair_ticks",
            (json_int_t)whole->pair, "self_ticks", (json_int_t)sums.self,
            "outside_ticks", (json_int_t)sums.outside, "no_slot_ticks",
            (json_int_t)sums.no_slot, "hooks_ticks", (json_int_t)sums.hooks,
            "sum_ticks", (json_int_t)sums.all, "wall_ticks",
            (json_int_t)sums.wall, "apart_percent",
            function_table_apart(&sums));
}
