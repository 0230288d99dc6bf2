/* SPDX-License-Identifier: MIT */
#include "report_calls.h"

#include "intern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum time_number {
    TIME_SELF,
    TIME_TOTAL,
    TIME_AVERAGE,
    TIME_MIN,
    TIME_MAX,
    TIME_P50, /* from here on of single calls */
    TIME_P95,
    TIME_P99,
    TIME_WORST
};

static const struct {
    const char *ticks_key;
    const char *keys[REPORT_UNIT_COUNT];
    const char *headers[REPORT_UNIT_COUNT];
} times[REPORT_TIMES] = {
        [TIME_SELF] = {"self_ticks",
                       {NULL, "self", "self_us", "self_ms", "self_s"},
                       {NULL, "self", "self us", "self ms", "self s"}},
        [TIME_TOTAL] = {"total_ticks",
                        {NULL, "total", "total_us", "total_ms", "total_s"},
                        {NULL, "total", "total us", "total ms", "total s"}},
        [TIME_AVERAGE] = {"average_ticks",
                          {NULL, "average", "average_us", "average_ms",
                           "average_s"},
                          {NULL, "average", "average us", "average ms",
                           "average s"}},
        [TIME_MIN] = {"min_ticks",
                      {NULL, "min", "min_us", "min_ms", "min_s"},
                      {NULL, "min", "min us", "min ms", "min s"}},
        [TIME_MAX] = {"max_ticks",
                      {NULL, "max", "max_us", "max_ms", "max_s"},
                      {NULL, "max", "max us", "max ms", "max s"}},
        [TIME_P50] = {"p50_ticks",
                      {NULL, "p50", "p50_us", "p50_ms", "p50_s"},
                      {NULL, "p50", "p50 us", "p50 ms", "p50 s"}},
        [TIME_P95] = {"p95_ticks",
                      {NULL, "p95", "p95_us", "p95_ms", "p95_s"},
                      {NULL, "p95", "p95 us", "p95 ms", "p95 s"}},
        [TIME_P99] = {"p99_ticks",
                      {NULL, "p99", "p99_us", "p99_ms", "p99_s"},
                      {NULL, "p99", "p99 us", "p99 ms", "p99 s"}},
        [TIME_WORST] = {"worst_ticks",
                        {NULL, "worst", "worst_us", "worst_ms", "worst_s"},
                        {NULL, "worst", "worst us", "worst ms", "worst s"}},
};

static const double per_second[REPORT_UNIT_COUNT] = {
        [REPORT_UNIT_US] = 1e6,
        [REPORT_UNIT_MS] = 1e3,
        [REPORT_UNIT_S] = 1.0,
};

/* Where a time is shown; percentiles where there are any. */
static unsigned where_of(unsigned number, const struct report_builder *builder)
{
    if (number >= TIME_P50 && !builder->model->functions->has_times)
        return 0;
    return number == TIME_WORST ? TABLE_IN_DATA : TABLE_EVERYWHERE;
}

static enum report_unit unit_of(unsigned number,
                                const struct report_scale *scale)
{
    return number <= TIME_TOTAL ? scale->sums : scale->calls;
}

struct table_column report_time_column(unsigned number,
                                       const struct report_builder *builder)
{
    enum report_unit unit = unit_of(number, &builder->scale);
    unsigned where = where_of(number, builder);

    return (struct table_column){times[number].keys[unit],
                                 times[number].headers[unit], TABLE_DECIMAL,
                                 unit == REPORT_UNIT_CYCLES ? 0 : where};
}

struct table_column report_ticks_column(unsigned number,
                                        const struct report_builder *builder)
{
    unsigned where = where_of(number, builder);

    if (unit_of(number, &builder->scale) != REPORT_UNIT_CYCLES)
        where &= TABLE_IN_DATA;
    return (struct table_column){times[number].ticks_key,
                                 times[number].headers[REPORT_UNIT_CYCLES],
                                 TABLE_COUNT, where};
}

static bool get_call(const struct row_calls *calls, unsigned number,
                     uint64_t *ticks)
{
    if (calls->count == 0)
        return false;
    *ticks = number == TIME_WORST ? calls->longest->ticks
                                  : calls->percentiles[number - TIME_P50];
    return true;
}

static bool get_ticks(const struct row *row, unsigned number, uint64_t *ticks)
{
    const struct function_counts *counts = &row->counts;
    bool is_function = counts->kind == FUNCTION_COUNTED;

    if (!row->timed || (number != TIME_SELF && !is_function))
        return false;
    if (number >= TIME_P50)
        return get_call(&row->calls, number, ticks);
    switch ((enum time_number)number) {
    case TIME_SELF:
        *ticks = counts->self;
        return true;
    case TIME_TOTAL:
        *ticks = counts->total;
        return true;
    case TIME_AVERAGE:
        if (counts->calls > 0)
            *ticks = report_average(row);
        return counts->calls > 0;
    case TIME_MIN:
        *ticks = counts->min;
        return counts->calls > counts->open;
    default:
        *ticks = counts->max;
        return counts->calls > counts->open;
    }
}

double report_time(uint64_t ticks, enum report_unit unit, double hz)
{
    return unit == REPORT_UNIT_CYCLES ? (double)ticks
                                      : (double)ticks / hz * per_second[unit];
}

void report_set_time(struct table_cell *cell, const struct row *row,
                     unsigned number, const struct report_scale *scale)
{
    uint64_t ticks;

    if (get_ticks(row, number, &ticks))
        table_set_number(cell,
                         report_time(ticks, unit_of(number, scale), scale->hz));
}

void report_set_ticks(struct table_cell *cell, const struct row *row,
                      unsigned number)
{
    uint64_t ticks;

    if (get_ticks(row, number, &ticks))
        table_set_count(cell, ticks);
}

/* The unit in which SECONDS, the greatest of many, read best. */
static enum report_unit fit(double seconds)
{
    if (seconds >= 10.0)
        return REPORT_UNIT_S;
    return seconds >= 10e-3 ? REPORT_UNIT_MS : REPORT_UNIT_US;
}

struct report_scale report_choose_scale(const struct report_builder *builder)
{
    const struct report_options *options = builder->options;
    struct report_scale scale = {options->unit, options->unit, 1.0};
    uint64_t sums = 0;
    uint64_t calls = 0;

    if (options->unit == REPORT_UNIT_CYCLES || options->clock_hz == 0) {
        scale.sums = scale.calls = REPORT_UNIT_CYCLES;
        return scale;
    }
    scale.hz = options->clock_hz;
    if (options->unit != REPORT_UNIT_AUTO)
        return scale;
    for (size_t i = 0; i < builder->rows.count; i++) {
        const struct function_counts *counts = &builder->rows.items[i].counts;

        sums = counts->self > sums ? counts->self : sums;
        sums = counts->total > sums ? counts->total : sums;
        calls = counts->max > calls ? counts->max : calls;
    }
    scale.sums = fit((double)sums / scale.hz);
    scale.calls = fit((double)calls / scale.hz);
    return scale;
}

/* Of which function a row is, and of which context if those are apart. */
struct key {
    size_t function; /* in the symbols; an address that none has is apart */
    uint32_t address;
    uint16_t context;
    uint16_t zero;
};

static struct key key_of(const struct report_builder *builder,
                         const struct location *location, uint16_t context)
{
    const struct report_options *options = builder->options;
    struct key key;

    memset(&key, 0, sizeof key);
    key.function = location->function;
    if (location->function == SYMBOLS_NONE)
        key.address = location->address;
    else if (!options->clones)
        key.function = builder->symbols->functions[location->function].whole;
    key.context = options->contexts ? context : 0;
    return key;
}

/* Where LOCATION's function is declared, else where it begins. */
static void set_file(struct row *row, const struct symbols *symbols,
                     const struct location *location)
{
    const struct symbol_frame *frame;
    const struct symbol_function *source = NULL;

    if (location->frame_count == 0)
        return;
    frame = &symbols->frames[location->first_frame + location->frame_count - 1];
    if (frame->source != SYMBOLS_NONE)
        source = &symbols->sources[frame->source];
    if (source != NULL && source->file != SYMBOLS_NONE && source->line != 0) {
        row->file = symbols->files[source->file];
        row->line = source->line;
    } else if (frame->file != SYMBOLS_NONE) {
        row->file = symbols->files[frame->file];
        row->line = frame->line;
    }
}

static struct row *add_row(struct report_builder *builder,
                           const struct location *location, struct key key)
{
    const struct symbols *symbols = builder->symbols;
    const struct symbol_function *function =
            key.function == SYMBOLS_NONE ? NULL
            : builder->options->clones   ? &symbols->functions[key.function]
                                         : &symbols->wholes[key.function];
    struct row *row =
            function != NULL
                    ? report_add_function(&builder->rows, function, 0)
                    : report_add_row(&builder->rows,
                                     symbols_place_name(PLACE_UNKNOWN),
                                     symbols_place_kind(PLACE_UNKNOWN), 0);

    if (row == NULL)
        return NULL;
    row->ordinary = true;
    row->timed = true;
    row->located = true;
    row->address = function != NULL ? function->start : location->address;
    row->size = function != NULL ? function->size : 0;
    set_file(row, symbols, location);
    return row;
}

static bool add_counts(struct report_builder *builder, struct intern *keys,
                       const struct function_counts *counts)
{
    const struct location *location =
            symbols_get(builder->symbols, counts->function);
    struct key key = key_of(builder, location, counts->context);
    size_t number;
    bool is_new;
    struct row *row;

    if (intern_put(keys, &key, sizeof key, &number, &is_new) < 0)
        return false;
    row = is_new ? add_row(builder, location, key)
                 : &builder->rows.items[number];
    if (row == NULL)
        return false;
    function_counts_add(&row->counts, counts);
    row->samples = row->counts.self;
    if (builder->options->contexts) {
        row->counts.context = counts->context;
        row->context = symbols_context(builder->symbols, counts->context);
    }
    return true;
}

/* "[outside] SysTick (15)"; of "[no slot]" all contexts are one row, unless
   they are apart. */
static void add_special(struct report_builder *builder, const char *name,
                        const char *kind, const struct function_counts *counts)
{
    bool apart = builder->options->contexts;
    bool is_outside = counts->kind == FUNCTION_OUTSIDE;
    struct rows *rows = &builder->rows;
    struct row *row = NULL;

    if (!is_outside && !apart && rows->count > 0
        && rows->items[rows->count - 1].counts.kind == counts->kind)
        row = &rows->items[rows->count - 1];
    else
        row = report_add_row(rows, name, kind, 0);
    if (row == NULL)
        return;
    row->timed = true;
    row->counts.kind = counts->kind;
    function_counts_add(&row->counts, counts);
    row->samples = row->counts.self;
    if (!apart && !is_outside)
        return;
    row->counts.context = counts->context;
    row->context = symbols_context(builder->symbols, counts->context);
    row->place = apart ? NULL : row->context;
}

/* The calls of one row that took as long. */
struct measured {
    size_t row;
    uint64_t ticks;
    uint64_t calls;
};

static int compare_measured(const void *a, const void *b)
{
    const struct measured *left = a;
    const struct measured *right = b;

    if (left->row != right->row)
        return left->row < right->row ? -1 : 1;
    return (left->ticks > right->ticks) - (left->ticks < right->ticks);
}

/* The row of FUNCTION in CONTEXT; COUNT if there is none. */
static size_t find_row(const struct report_builder *builder,
                       struct intern *keys, uint32_t function, uint16_t context,
                       size_t count)
{
    const struct location *location = symbols_get(builder->symbols, function);
    struct key key;
    size_t number;
    bool is_new;

    if (location == NULL)
        return count;
    key = key_of(builder, location, context);
    if (intern_put(keys, &key, sizeof key, &number, &is_new) < 0)
        return count;
    return number < count ? number : count;
}

/* The least time that PERCENT of all calls, at least, do not exceed: the
   nearest rank (Hyndman and Fan, The American Statistician 50(4), 1996). */
static uint64_t percentile(const struct measured *first, uint64_t calls,
                           unsigned percent)
{
    uint64_t rank = calls / 100 * percent + (calls % 100 * percent + 99) / 100;

    while (rank > first->calls) {
        rank -= first->calls;
        first++;
    }
    return first->ticks;
}

static void rank_calls(struct row_calls *calls, const struct measured *first,
                       uint64_t count)
{
    static const unsigned percents[ROW_PERCENTILES] = {50, 95, 99};

    calls->count = count;
    for (size_t i = 0; i < ROW_PERCENTILES; i++)
        calls->percentiles[i] = percentile(first, count, percents[i]);
}

static void rank_all(struct rows *rows, const struct measured *measured,
                     size_t count)
{
    size_t end;

    for (size_t first = 0; first < count; first = end) {
        uint64_t calls = 0;

        for (end = first;
             end < count && measured[end].row == measured[first].row; end++)
            calls += measured[end].calls;
        rank_calls(&rows->items[measured[first].row].calls, &measured[first],
                   calls);
    }
}

/* Of single calls in the first COUNT rows, by KEYS. */
static void add_percentiles(struct report_builder *builder, struct intern *keys,
                            size_t count)
{
    const struct named_functions *table = builder->model->functions;
    struct measured *measured = calloc(table->time_count + 1, sizeof *measured);
    size_t kept = 0;

    builder->rows.failed |= measured == NULL;
    for (size_t i = 0; i < table->time_count && measured != NULL; i++) {
        const struct named_time *time = &table->times[i];
        size_t row =
                find_row(builder, keys, time->function, time->context, count);

        if (row < count)
            measured[kept++] = (struct measured){row, time->ticks, time->calls};
    }
    if (kept > 1)
        qsort(measured, kept, sizeof *measured, compare_measured);
    if (kept > 0)
        rank_all(&builder->rows, measured, kept);
    free(measured);
}

static void add_longest(struct report_builder *builder, struct intern *keys,
                        size_t count)
{
    const struct named_functions *table = builder->model->functions;

    for (size_t i = 0; i < table->longest_count; i++) {
        const struct named_longest *call = &table->longest[i];
        size_t row =
                find_row(builder, keys, call->function, call->context, count);
        struct row_calls *into =
                row < count ? &builder->rows.items[row].calls : NULL;

        if (into != NULL
            && (into->longest == NULL || call->ticks > into->longest->ticks))
            into->longest = call;
    }
}

static void add_hooks(struct report_builder *builder)
{
    uint64_t hooks = builder->model->functions->hooks;
    struct row *row = hooks == 0 ? NULL
                                 : report_add_row(&builder->rows, "[hooks]",
                                                  "hooks", hooks);

    if (row == NULL)
        return;
    row->timed = true;
    row->counts.kind = FUNCTION_OUTSIDE;
    row->counts.self = hooks;
}

void report_add_calls(struct report_builder *builder)
{
    const struct named_functions *table = builder->model->functions;
    struct intern keys = {0};
    size_t functions = 0;

    for (size_t i = 0; i < table->count && !builder->rows.failed; i++) {
        const struct function_counts *counts = &table->rows[i];

        if (counts->kind == FUNCTION_COUNTED) {
            builder->rows.failed |= !add_counts(builder, &keys, counts);
            functions = builder->rows.count;
        } else if (counts->kind == FUNCTION_OUTSIDE)
            add_special(builder, "[outside]", "outside", counts);
        else
            add_special(builder, "[no slot]", "no_slot", counts);
    }
    if (table->has_times && !builder->rows.failed) {
        add_percentiles(builder, &keys, functions);
        add_longest(builder, &keys, functions);
    }
    add_hooks(builder);
    intern_deinit(&keys);
}
