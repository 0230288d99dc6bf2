/* SPDX-License-Identifier: MIT */
#include "report.h"

#include "confidence.h"
#include "units.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN_SHOWN 3

/* Contexts: 0 thread, exception numbers, from here on tasks. */
#define TASK_FIRST 512

/* A line of any report, before it becomes cells. */
struct row {
    const char *name; /* as data; lives in the symbols */
    const char *kind;
    uint32_t address; /* of the function or the sample; number of a context */
    uint32_t size;
    uint32_t offset;
    const char *place; /* said behind the name, or NULL */
    uint64_t samples;
    bool ordinary; /* counts in the limit */
    bool sampled;  /* has a confidence interval */
    bool located;  /* address is valid */
    bool twin;     /* another row has the same name */
};

struct rows {
    struct row *items;
    size_t count;
    size_t room;
    bool failed; /* out of memory; sticky, checked once */
};

static bool grow(struct rows *rows)
{
    size_t room = rows->room == 0 ? 64 : 2 * rows->room;
    struct row *grown = realloc(rows->items, room * sizeof *grown);

    if (grown == NULL)
        return false;
    rows->items = grown;
    rows->room = room;
    return true;
}

static struct row *add_row(struct rows *rows, const char *name,
                           const char *kind, uint64_t samples)
{
    struct row *row;

    if (rows->count == rows->room && !grow(rows)) {
        rows->failed = true;
        return NULL;
    }
    row = &rows->items[rows->count];
    *row = (struct row){
            .name = name,
            .kind = kind,
            .samples = samples,
            .sampled = true,
    };
    rows->count++;
    return row;
}

/* What belongs to one build of a report. */
struct builder {
    const struct report_options *options;
    const struct report_model *model;
    struct rows rows;
    uint64_t whole; /* samples and missed periods */
};

static void add_function_rows(struct builder *builder)
{
    const struct symbols *symbols = builder->model->symbols;
    uint64_t places[PLACE_COUNT] = {0};
    uint64_t *weights = calloc(symbols->function_count + 1, sizeof *weights);

    if (weights == NULL) {
        builder->rows.failed = true;
        return;
    }
    for (size_t i = 0; i < symbols->location_count; i++) {
        const struct location *location = &symbols->locations[i];

        if (location->place == PLACE_FUNCTION)
            weights[location->function] += location->weight;
        else
            places[location->place] += location->weight;
    }
    for (size_t i = 0; i < symbols->function_count; i++) {
        const struct symbol_function *function = &symbols->functions[i];
        struct row *row = weights[i] == 0
                                  ? NULL
                                  : add_row(&builder->rows, function->name,
                                            "function", weights[i]);

        if (row == NULL)
            continue;
        row->ordinary = true;
        row->located = true;
        row->address = function->start;
        row->size = function->size;
    }
    for (size_t i = 0; i < PLACE_COUNT; i++)
        if (places[i] > 0)
            (void)add_row(&builder->rows, symbols_place_name((enum place)i),
                          symbols_place_kind((enum place)i), places[i]);
    free(weights);
}

static const char *context_kind(uint32_t id)
{
    if (id == 0)
        return "thread";
    return id < TASK_FIRST ? "exception" : "task";
}

static void add_context_row(struct builder *builder, uint16_t id,
                            uint64_t samples)
{
    struct row *row = add_row(&builder->rows,
                              symbols_context(builder->model->symbols, id),
                              context_kind(id), samples);

    if (row == NULL)
        return;
    row->ordinary = true;
    row->located = true;
    row->address = id;
}

/* Idle is a state of its own here, whatever context the core slept in. */
static void add_context_rows(struct builder *builder)
{
    const struct profile *profile = builder->model->profile;
    uint64_t *weights = calloc(UINT16_MAX + 1, sizeof *weights);
    uint64_t idle = 0;

    if (weights == NULL) {
        builder->rows.failed = true;
        return;
    }
    for (size_t i = 0; i < profile_count(profile); i++) {
        struct profile_entry entry = profile_get(profile, i);
        const struct location *location =
                symbols_get(builder->model->symbols, entry.frames[0]);

        if (location != NULL && location->place == PLACE_IDLE)
            idle += entry.weight;
        else
            weights[entry.context] += entry.weight;
    }
    for (uint32_t id = 0; id <= UINT16_MAX; id++)
        if (weights[id] > 0)
            add_context_row(builder, (uint16_t)id, weights[id]);
    if (idle > 0)
        (void)add_row(&builder->rows, symbols_place_name(PLACE_IDLE),
                      symbols_place_kind(PLACE_IDLE), idle);
    free(weights);
}

static void add_address_rows(struct builder *builder)
{
    const struct symbols *symbols = builder->model->symbols;

    for (size_t i = 0; i < symbols->location_count; i++) {
        const struct location *location = &symbols->locations[i];
        const char *place = symbols_place_name(location->place);
        bool named = location->function != SYMBOLS_NONE;
        const struct symbol_function *function =
                named ? &symbols->functions[location->function] : NULL;
        struct row *row =
                add_row(&builder->rows, named ? function->name : place,
                        symbols_place_kind(location->place), location->weight);

        if (row == NULL)
            return;
        row->ordinary = true;
        row->located = true;
        row->address = location->address;
        if (named) {
            row->offset = location->address - function->start;
            row->place = place;
        }
    }
}

static void add_not_sampled(struct builder *builder)
{
    uint64_t missed = builder->model->missed;
    struct row *row = missed == 0 ? NULL
                                  : add_row(&builder->rows, "[not sampled]",
                                            "not_sampled", missed);

    if (row != NULL)
        row->sampled = false;
}

static int compare_names(const void *a, const void *b)
{
    const struct row *left = a;
    const struct row *right = b;
    int order = strcmp(left->name, right->name);

    if (order != 0)
        return order;
    return (left->address > right->address) - (left->address < right->address);
}

static int compare_addresses(const void *a, const void *b)
{
    const struct row *left = a;
    const struct row *right = b;

    if (left->located != right->located)
        return left->located ? -1 : 1;
    if (left->address != right->address)
        return left->address > right->address ? 1 : -1;
    return strcmp(left->name, right->name);
}

static int compare_samples(const void *a, const void *b)
{
    const struct row *left = a;
    const struct row *right = b;

    if (left->samples != right->samples)
        return left->samples < right->samples ? 1 : -1;
    return compare_names(a, b);
}

static int (*const comparers[REPORT_SORT_COUNT])(const void *, const void *) = {
        [REPORT_SORT_SAMPLES] = compare_samples,
        [REPORT_SORT_NAME] = compare_names,
        [REPORT_SORT_ADDRESS] = compare_addresses,
};

/* The array of no rows is NULL, which qsort() does not allow. */
static void sort(struct rows *rows, int (*compare)(const void *, const void *))
{
    if (rows->count > 1)
        qsort(rows->items, rows->count, sizeof *rows->items, compare);
}

/*
 * Two static functions of one name must not look like one function twice.
 * The rows are sorted by name.
 */
static void tell_apart(struct rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        struct row *row = &rows->items[i];
        row->twin =
                (i > 0 && strcmp(row->name, row[-1].name) == 0)
                || (i + 1 < rows->count && strcmp(row->name, row[1].name) == 0);
    }
}

enum cell {
    CELL_SHARE,
    CELL_MARGIN,
    CELL_LOW,
    CELL_HIGH,
    CELL_SAMPLES,
    CELL_ADDRESS,
    CELL_PLACE, /* the address as data only */
    CELL_SIZE,
    CELL_OFFSET,
    CELL_ID,
    CELL_KIND,
    CELL_FUNCTION,
    CELL_LABEL,
    CELL_CONTEXT,
    CELL_END
};

static const struct table_column columns[CELL_END] = {
        [CELL_SHARE] = {"share_percent", "share", TABLE_PERCENT,
                        TABLE_EVERYWHERE},
        [CELL_MARGIN] = {"margin_percent", "+/-", TABLE_PERCENT, TABLE_IN_TEXT},
        [CELL_LOW] = {"low_percent", "low", TABLE_PERCENT, TABLE_IN_DATA},
        [CELL_HIGH] = {"high_percent", "high", TABLE_PERCENT, TABLE_IN_DATA},
        [CELL_SAMPLES] = {"samples", "samples", TABLE_COUNT, TABLE_EVERYWHERE},
        [CELL_ADDRESS] = {"address", "address", TABLE_ADDRESS,
                          TABLE_EVERYWHERE},
        [CELL_PLACE] = {"address", "address", TABLE_ADDRESS, TABLE_IN_DATA},
        [CELL_SIZE] = {"size", "size", TABLE_COUNT, TABLE_IN_DATA},
        [CELL_OFFSET] = {"offset", "offset", TABLE_COUNT, TABLE_IN_DATA},
        [CELL_ID] = {"id", "number", TABLE_COUNT, TABLE_IN_DATA},
        [CELL_KIND] = {"kind", "kind", TABLE_TEXT, TABLE_IN_DATA},
        [CELL_FUNCTION] = {"function", "function", TABLE_TEXT, TABLE_IN_DATA},
        [CELL_LABEL] = {"label", "function", TABLE_TEXT, TABLE_IN_TEXT},
        [CELL_CONTEXT] = {"context", "context", TABLE_TEXT, TABLE_EVERYWHERE},
};

static const struct view {
    void (*add_rows)(struct builder *builder);
    const char *noun; /* what the limit leaves out */
    enum cell cells[REPORT_COLUMNS_MAX];
} views[REPORT_BY_COUNT] = {
        [REPORT_BY_FUNCTION] = {add_function_rows,
                                "functions",
                                {CELL_SHARE, CELL_MARGIN, CELL_LOW, CELL_HIGH,
                                 CELL_SAMPLES, CELL_PLACE, CELL_SIZE, CELL_KIND,
                                 CELL_FUNCTION, CELL_LABEL, CELL_END}},
        [REPORT_BY_CONTEXT] = {add_context_rows,
                               "contexts",
                               {CELL_SHARE, CELL_MARGIN, CELL_LOW, CELL_HIGH,
                                CELL_SAMPLES, CELL_ID, CELL_KIND, CELL_CONTEXT,
                                CELL_END}},
        [REPORT_BY_ADDRESS] = {add_address_rows,
                               "addresses",
                               {CELL_SHARE, CELL_MARGIN, CELL_LOW, CELL_HIGH,
                                CELL_SAMPLES, CELL_ADDRESS, CELL_OFFSET,
                                CELL_KIND, CELL_FUNCTION, CELL_LABEL,
                                CELL_END}},
};

/* "name", "name+0x12 [idle]" or, of twins, "name @0x00001234". */
static int set_label(struct table_cell *cell, const struct row *row)
{
    char label[1024];
    char detail[20] = "";

    if (row->offset != 0)
        (void)snprintf(detail, sizeof detail, "+0x%" PRIx32, row->offset);
    else if (row->twin && row->located)
        (void)snprintf(detail, sizeof detail, " @0x%08" PRIx32, row->address);
    (void)snprintf(label, sizeof label, "%s%s%s%s", row->name, detail,
                   row->place != NULL ? " " : "",
                   row->place != NULL ? row->place : "");
    return table_set_text(cell, label);
}

static int set_share(struct table_cell *cell, enum cell what,
                     const struct row *row, uint64_t whole)
{
    struct interval interval =
            confidence_wilson(row->samples, whole, CONFIDENCE_95);

    if (what == CELL_SHARE)
        table_set_number(cell, whole == 0 ? 0.0
                                          : 100.0 * (double)row->samples
                                                    / (double)whole);
    else if (!row->sampled)
        return 0;
    else if (what == CELL_MARGIN)
        table_set_number(cell, 50.0 * (interval.high - interval.low));
    else
        table_set_number(
                cell,
                100.0 * (what == CELL_LOW ? interval.low : interval.high));
    return 0;
}

static int set_cell(struct table_cell *cell, enum cell what,
                    const struct row *row, uint64_t whole)
{
    bool in_function = row->located && strcmp(row->name, "[unknown]") != 0;

    switch (what) {
    case CELL_SAMPLES:
        table_set_count(cell, row->samples);
        return 0;
    case CELL_ADDRESS:
    case CELL_PLACE:
    case CELL_ID:
        if (row->located)
            table_set_count(cell, row->address);
        return 0;
    case CELL_SIZE:
        if (row->located)
            table_set_count(cell, row->size);
        return 0;
    case CELL_OFFSET:
        if (in_function)
            table_set_count(cell, row->offset);
        return 0;
    case CELL_KIND:
        return table_set_text(cell, row->kind);
    case CELL_FUNCTION:
    case CELL_CONTEXT:
        return table_set_text(cell, row->name);
    case CELL_LABEL:
        return set_label(cell, row);
    default:
        return set_share(cell, what, row, whole);
    }
}

static int fill(struct table *table, const struct view *view,
                const struct row *row, uint64_t whole)
{
    struct table_cell *cells = table_add(table, row->name[0] == '[');
    int error = cells == NULL ? MCUPROF_E_NOMEM : 0;

    for (size_t i = 0; i < table->column_count && error == 0; i++)
        error = set_cell(&cells[i], view->cells[i], row, whole);
    return error;
}

static void say_more(struct report *report, const struct view *view,
                     size_t left_out, uint64_t samples, uint64_t whole)
{
    if (left_out > 0)
        (void)snprintf(report->more, sizeof report->more,
                       "%zu more %s, %.2f %% together (-n 0 shows all)",
                       left_out, view->noun,
                       100.0 * (double)samples / (double)whole);
}

static int fill_all(struct report *report, const struct builder *builder)
{
    const struct view *view = &views[builder->options->by];
    size_t ordinary = 0;
    uint64_t left_out = 0;

    for (size_t i = 0; i < builder->rows.count; i++) {
        const struct row *row = &builder->rows.items[i];
        int error;

        ordinary += row->ordinary;
        if (row->ordinary && builder->options->limit != 0
            && ordinary > builder->options->limit) {
            left_out += row->samples;
            continue;
        }
        error = fill(&report->table, view, row, builder->whole);
        if (error < 0)
            return error;
    }
    if (builder->options->limit != 0 && ordinary > builder->options->limit)
        say_more(report, view, ordinary - builder->options->limit, left_out,
                 builder->whole);
    return 0;
}

/* The most frequent addresses that have no name, for whoever wants to look. */
static void say_unknown(struct report *report, const struct symbols *symbols)
{
    const struct location *top[UNKNOWN_SHOWN] = {NULL};
    size_t count = 0;
    size_t used;

    for (size_t i = 0; i < symbols->location_count; i++) {
        const struct location *next = &symbols->locations[i];

        if (next->place != PLACE_UNKNOWN)
            continue;
        count++;
        for (size_t k = 0; k < UNKNOWN_SHOWN && next != NULL; k++)
            if (top[k] == NULL || next->weight > top[k]->weight) {
                const struct location *moved = top[k];

                top[k] = next;
                next = moved;
            }
    }
    if (count == 0)
        return;
    (void)snprintf(report->unknown, sizeof report->unknown,
                   "[unknown] is %zu address%s:", count,
                   count == 1 ? "" : "es");
    for (size_t k = 0; k < UNKNOWN_SHOWN && top[k] != NULL; k++) {
        char number[UNITS_MAX];

        used = strlen(report->unknown);
        (void)snprintf(report->unknown + used, sizeof report->unknown - used,
                       "%s 0x%08" PRIx32 " (%s)", k == 0 ? "" : ",",
                       top[k]->address, units_count(number, top[k]->weight));
    }
    used = strlen(report->unknown);
    if (count > UNKNOWN_SHOWN)
        (void)snprintf(report->unknown + used, sizeof report->unknown - used,
                       " ...");
}

int report_init(struct report *report, const struct report_options *options,
                const struct report_model *model)
{
    const struct view *view = &views[options->by];
    struct builder builder = {
            .options = options,
            .model = model,
            .whole = profile_total(model->profile) + model->missed,
    };
    int error = MCUPROF_E_NOMEM;
    size_t count = 0;

    memset(report, 0, sizeof *report);
    while (view->cells[count] != CELL_END) {
        report->columns[count] = columns[view->cells[count]];
        count++;
    }
    table_init(&report->table, report->columns, count);
    view->add_rows(&builder);
    add_not_sampled(&builder);
    if (!builder.rows.failed) {
        sort(&builder.rows, compare_names);
        if (options->by == REPORT_BY_FUNCTION)
            tell_apart(&builder.rows);
        sort(&builder.rows, comparers[options->sort]);
        error = fill_all(report, &builder);
        say_unknown(report, model->symbols);
    }
    free(builder.rows.items);
    if (error < 0)
        report_deinit(report);
    return error;
}

void report_deinit(struct report *report)
{
    table_deinit(&report->table);
}
