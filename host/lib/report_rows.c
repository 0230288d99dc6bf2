/* SPDX-License-Identifier: MIT */
#include "report_rows.h"

#include <stdlib.h>
#include <string.h>

/* Contexts: 0 thread, exception numbers, from here on tasks. */
#define TASK_FIRST 512

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

struct row *report_add_row(struct rows *rows, const char *name,
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
            .key = name,
            .samples = samples,
            .sampled = true,
    };
    rows->count++;
    return row;
}

/* A row of FUNCTION, whichever of its two meanings that has. */
struct row *report_add_function(struct rows *rows,
                                const struct symbol_function *function,
                                uint64_t samples)
{
    struct row *row = report_add_row(rows, function->name, "function", samples);

    if (row == NULL)
        return NULL;
    row->linkage = function->linkage;
    row->module = function->module;
    row->source = function;
    row->ordinary = true;
    return row;
}

static void locate(struct row *row, const struct symbol_function *function)
{
    row->located = true;
    row->address = function->start;
    row->size = function->size;
}

static void add_place_rows(struct report_builder *builder,
                           const uint64_t places[PLACE_COUNT])
{
    for (size_t i = 0; i < PLACE_COUNT; i++)
        if (places[i] > 0)
            (void)report_add_row(&builder->rows,
                                 symbols_place_name((enum place)i),
                                 symbols_place_kind((enum place)i), places[i]);
}

static void add_physical(struct report_builder *builder)
{
    const struct symbols *symbols = builder->symbols;
    bool clones = builder->options->clones;
    const struct symbol_function *functions =
            clones ? symbols->functions : symbols->wholes;
    size_t count = clones ? symbols->function_count : symbols->whole_count;
    uint64_t *weights = calloc(count + 1, sizeof *weights);

    if (weights == NULL) {
        builder->rows.failed = true;
        return;
    }
    for (size_t i = 0; i < symbols->location_count; i++) {
        const struct location *location = &symbols->locations[i];

        if (location->place == PLACE_FUNCTION)
            weights[clones ? location->function
                           : symbols->functions[location->function].whole] +=
                    location->weight;
    }
    for (size_t i = 0; i < count; i++) {
        struct row *row = weights[i] == 0 ? NULL
                                          : report_add_function(&builder->rows,
                                                                &functions[i],
                                                                weights[i]);

        if (row != NULL)
            locate(row, &functions[i]);
    }
    free(weights);
}

/* A function of the source, and the whole one in memory that all of its
   samples are from, if that is one and it was not inlined. */
struct share {
    uint64_t weight;
    size_t owner;
    bool is_spread;
};

static void add_to_share(struct share *share, size_t owner, uint64_t weight,
                         bool is_inlined)
{
    if (is_inlined || (share->weight > 0 && share->owner != owner))
        share->is_spread = true;
    share->owner = owner;
    share->weight += weight;
}

static void add_innermost(struct report_builder *builder)
{
    const struct symbols *symbols = builder->symbols;
    struct share *shares = calloc(symbols->source_count + 1, sizeof *shares);

    if (shares == NULL) {
        builder->rows.failed = true;
        return;
    }
    for (size_t i = 0; i < symbols->location_count; i++) {
        const struct location *location = &symbols->locations[i];
        const struct symbol_frame *frame = symbols_innermost(symbols, location);

        if (location->place == PLACE_FUNCTION && frame != NULL)
            add_to_share(&shares[frame->source],
                         symbols->functions[location->function].whole,
                         location->weight, frame->is_inlined);
    }
    for (size_t i = 0; i < symbols->source_count; i++) {
        struct row *row = shares[i].weight == 0
                                  ? NULL
                                  : report_add_function(&builder->rows,
                                                        &symbols->sources[i],
                                                        shares[i].weight);

        if (row != NULL && !shares[i].is_spread)
            locate(row, &symbols->wholes[shares[i].owner]);
    }
    free(shares);
}

void report_add_functions(struct report_builder *builder)
{
    const struct symbols *symbols = builder->symbols;
    uint64_t places[PLACE_COUNT] = {0};

    if (builder->options->inlined)
        add_innermost(builder);
    else
        add_physical(builder);
    for (size_t i = 0; i < symbols->location_count; i++)
        places[symbols->locations[i].place] += symbols->locations[i].weight;
    places[PLACE_FUNCTION] = 0;
    add_place_rows(builder, places);
}

static const char *context_kind(uint32_t id)
{
    if (id == 0)
        return "thread";
    return id < TASK_FIRST ? "exception" : "task";
}

static void add_context_row(struct report_builder *builder, uint16_t id,
                            uint64_t samples)
{
    struct row *row = report_add_row(&builder->rows,
                                     symbols_context(builder->symbols, id),
                                     context_kind(id), samples);

    if (row == NULL)
        return;
    row->ordinary = true;
    row->located = true;
    row->address = id;
}

/* Idle is a state of its own here, whatever context the core slept in. */
void report_add_contexts(struct report_builder *builder)
{
    const struct profile *profile = builder->model->profile;
    uint64_t *weights = calloc(UINT16_MAX + 1, sizeof *weights);
    uint64_t places[PLACE_COUNT] = {0};

    if (weights == NULL) {
        builder->rows.failed = true;
        return;
    }
    for (size_t i = 0; i < profile_count(profile); i++) {
        struct profile_entry entry = profile_get(profile, i);
        const struct location *location =
                symbols_get(builder->symbols, entry.frames[0]);

        if (location != NULL && location->place == PLACE_IDLE)
            places[PLACE_IDLE] += entry.weight;
        else
            weights[entry.context] += entry.weight;
    }
    for (uint32_t id = 0; id <= UINT16_MAX; id++)
        if (weights[id] > 0)
            add_context_row(builder, (uint16_t)id, weights[id]);
    add_place_rows(builder, places);
    free(weights);
}

static void set_file(struct row *row, const struct symbols *symbols,
                     const struct symbol_frame *frame)
{
    if (frame == NULL || frame->file == SYMBOLS_NONE)
        return;
    row->file = symbols->files[frame->file];
    row->line = frame->line;
}

static struct row *add_location_row(struct report_builder *builder,
                                    const struct location *location)
{
    const struct symbols *symbols = builder->symbols;
    const char *place = symbols_place_name(location->place);
    bool named = location->function != SYMBOLS_NONE;
    const struct symbol_function *function =
            named ? &symbols->functions[location->function] : NULL;
    struct row *row =
            named ? report_add_function(&builder->rows, function,
                                        location->weight)
                  : report_add_row(&builder->rows, place, "", location->weight);

    if (row == NULL)
        return NULL;
    row->kind = symbols_place_kind(location->place);
    row->ordinary = true;
    row->located = true;
    row->address = location->address;
    row->location = location;
    set_file(row, symbols, symbols_innermost(symbols, location));
    if (named) {
        row->offset = location->address - function->start;
        row->place = place;
    }
    return row;
}

void report_add_addresses(struct report_builder *builder)
{
    for (size_t i = 0; i < builder->symbols->location_count; i++)
        (void)add_location_row(builder, &builder->symbols->locations[i]);
}

void report_add_hotspots(struct report_builder *builder)
{
    const struct named_blocks *blocks = builder->model->blocks;

    for (size_t i = 0; i < blocks->count; i++) {
        const struct named_block *block = &blocks->blocks[i];
        struct row *row = add_location_row(
                builder, &builder->symbols->locations[block->location]);

        if (row == NULL)
            return;
        row->block = block;
        row->samples = block->share;
    }
}

/* NULL is less than any text. */
static int compare_texts(const char *a, const char *b)
{
    if (a == NULL || b == NULL)
        return (a != NULL) - (b != NULL);
    return strcmp(a, b);
}

/* Samples by line and, where that is not known, by function. Of lines, those
   of a boot loader are not those of the application. */
struct spot {
    size_t file;
    uint32_t line;
    const char *module; /* NULL if unknown */
    size_t source;
    uint64_t weight;
};

static int compare_spots(const void *a, const void *b)
{
    const struct spot *left = a;
    const struct spot *right = b;
    int order;

    if (left->file != right->file)
        return left->file < right->file ? -1 : 1;
    if (left->line != right->line)
        return left->line < right->line ? -1 : 1;
    order = compare_texts(left->module, right->module);
    if (order != 0)
        return order;
    return (left->source > right->source) - (left->source < right->source);
}

static bool is_one_row(const struct spot *a, const struct spot *b)
{
    return a->file == b->file && a->line == b->line
           && compare_texts(a->module, b->module) == 0
           && (a->file != SYMBOLS_NONE || a->source == b->source);
}

/* The spots of all locations that are code, sorted; the rest in PLACES. */
static struct spot *collect_spots(struct report_builder *builder, bool lines,
                                  uint64_t places[PLACE_COUNT], size_t *count)
{
    const struct symbols *symbols = builder->symbols;
    struct spot *spots = calloc(symbols->location_count + 1, sizeof *spots);

    *count = 0;
    builder->rows.failed |= spots == NULL;
    for (size_t i = 0; i < symbols->location_count && spots != NULL; i++) {
        const struct location *location = &symbols->locations[i];
        const struct symbol_frame *frame = symbols_innermost(symbols, location);
        bool is_code = location->place == PLACE_FUNCTION
                       || location->place == PLACE_UNKNOWN;
        bool is_known = frame != NULL && frame->file != SYMBOLS_NONE
                        && (!lines || frame->line != 0);

        if (!is_code || frame == NULL
            || (frame->source == SYMBOLS_NONE && !is_known)) {
            places[location->place] += location->weight;
            continue;
        }
        spots[(*count)++] = (struct spot){
                .file = is_known ? frame->file : SYMBOLS_NONE,
                .line = is_known && lines ? frame->line : 0,
                .module = lines && frame->source != SYMBOLS_NONE
                                  ? symbols->sources[frame->source].module
                                  : NULL,
                .source = lines ? frame->source : 0,
                .weight = location->weight,
        };
    }
    if (*count > 1)
        qsort(spots, *count, sizeof *spots, compare_spots);
    return spots;
}

/* Sum up the spots from FIRST on that are one row; OUT is the heaviest of its
   functions with the weight of all. Returns the next row's first. */
static size_t sum_spots(const struct spot *spots, size_t count, size_t first,
                        struct spot *out)
{
    uint64_t whole = 0;
    uint64_t heaviest = 0;
    uint64_t own = 0;
    size_t i = first;

    *out = spots[first];
    for (; i < count && is_one_row(&spots[i], &spots[first]); i++) {
        if (i == first || spots[i].source != spots[i - 1].source)
            own = 0;
        own += spots[i].weight;
        whole += spots[i].weight;
        if (own > heaviest) {
            heaviest = own;
            *out = spots[i];
        }
    }
    out->weight = whole;
    return i;
}

static void add_line_row(struct report_builder *builder,
                         const struct spot *spot)
{
    const struct symbols *symbols = builder->symbols;
    struct row *row =
            spot->source == SYMBOLS_NONE
                    ? report_add_row(&builder->rows,
                                     symbols_place_name(PLACE_UNKNOWN),
                                     "unknown", spot->weight)
                    : report_add_function(&builder->rows,
                                          &symbols->sources[spot->source],
                                          spot->weight);

    if (row == NULL)
        return;
    row->ordinary = true;
    if (spot->file == SYMBOLS_NONE) {
        row->key = "[no line]";
        row->kind = "no_line";
        return;
    }
    row->file = symbols->files[spot->file];
    row->line = spot->line;
    row->key = row->file;
}

static void add_file_row(struct report_builder *builder,
                         const struct spot *spot)
{
    struct row *row;

    if (spot->file == SYMBOLS_NONE) {
        (void)report_add_row(&builder->rows, "[no file]", "no_file",
                             spot->weight);
        return;
    }
    row = report_add_row(&builder->rows, builder->symbols->files[spot->file],
                         "file", spot->weight);
    if (row == NULL)
        return;
    row->ordinary = true;
    row->file = row->name;
}

/* A row for each line or, without LINES, for each file. */
static void add_spot_rows(struct report_builder *builder, bool lines)
{
    uint64_t places[PLACE_COUNT] = {0};
    size_t count;
    struct spot *spots = collect_spots(builder, lines, places, &count);

    for (size_t i = 0; i < count;) {
        struct spot row;

        i = sum_spots(spots, count, i, &row);
        if (lines)
            add_line_row(builder, &row);
        else
            add_file_row(builder, &row);
    }
    add_place_rows(builder, places);
    free(spots);
}

void report_add_lines(struct report_builder *builder)
{
    add_spot_rows(builder, true);
}

void report_add_files(struct report_builder *builder)
{
    add_spot_rows(builder, false);
}

void report_add_not_sampled(struct report_builder *builder)
{
    uint64_t missed = builder->model->missed;
    struct row *row = missed == 0
                              ? NULL
                              : report_add_row(&builder->rows, "[not sampled]",
                                               "not_sampled", missed);

    if (row != NULL)
        row->sampled = false;
}

static int compare_names(const void *a, const void *b)
{
    const struct row *left = a;
    const struct row *right = b;
    int order = strcmp(left->key, right->key);

    if (order != 0)
        return order;
    if (left->line != right->line)
        return left->line > right->line ? 1 : -1;
    order = strcmp(left->name, right->name);
    if (order != 0)
        return order;
    order = compare_texts(left->module, right->module);
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
    return compare_names(a, b);
}

static int compare_samples(const void *a, const void *b)
{
    const struct row *left = a;
    const struct row *right = b;

    if (left->samples != right->samples)
        return left->samples < right->samples ? 1 : -1;
    /* The target's order of its blocks is finer than their ratios. */
    if (left->block != right->block)
        return left->block > right->block ? 1 : -1;
    return compare_names(a, b);
}

uint64_t report_average(const struct row *row)
{
    return row->counts.total / row->counts.calls;
}

/* What a row is sorted by; what has none is last. */
static uint64_t measure(const struct row *row, enum report_sort sort)
{
    const struct function_counts *counts = &row->counts;
    bool left = function_counts_has_left(counts);

    switch (sort) {
    case REPORT_SORT_CALLS:
        return counts->calls;
    case REPORT_SORT_TOTAL:
        return counts->total;
    case REPORT_SORT_AVERAGE:
        return counts->calls > 0 ? report_average(row) : 0;
    case REPORT_SORT_MIN:
        return left ? counts->min : 0;
    case REPORT_SORT_MAX:
        return left ? counts->max : 0;
    default:
        return row->samples;
    }
}

static int compare_measures(const void *a, const void *b, enum report_sort sort)
{
    uint64_t left = measure(a, sort);
    uint64_t right = measure(b, sort);

    if (left != right)
        return left < right ? 1 : -1;
    return compare_samples(a, b);
}

static int compare_calls(const void *a, const void *b)
{
    return compare_measures(a, b, REPORT_SORT_CALLS);
}

static int compare_totals(const void *a, const void *b)
{
    return compare_measures(a, b, REPORT_SORT_TOTAL);
}

static int compare_averages(const void *a, const void *b)
{
    return compare_measures(a, b, REPORT_SORT_AVERAGE);
}

static int compare_least(const void *a, const void *b)
{
    return compare_measures(a, b, REPORT_SORT_MIN);
}

static int compare_greatest(const void *a, const void *b)
{
    return compare_measures(a, b, REPORT_SORT_MAX);
}

static int (*const comparers[REPORT_SORT_COUNT])(const void *, const void *) = {
        [REPORT_SORT_SAMPLES] = compare_samples,
        [REPORT_SORT_NAME] = compare_names,
        [REPORT_SORT_ADDRESS] = compare_addresses,
        [REPORT_SORT_SELF] = compare_samples,
        [REPORT_SORT_SHARE] = compare_samples,
        [REPORT_SORT_CALLS] = compare_calls,
        [REPORT_SORT_TOTAL] = compare_totals,
        [REPORT_SORT_AVERAGE] = compare_averages,
        [REPORT_SORT_MIN] = compare_least,
        [REPORT_SORT_MAX] = compare_greatest,
};

void report_sort(struct rows *rows, enum report_sort sort)
{
    /* The array of no rows is NULL, which qsort() does not allow. */
    if (rows->count > 1)
        qsort(rows->items, rows->count, sizeof *rows->items, comparers[sort]);
}

/* By function, whatever the rows are about. */
static int compare_functions(const void *a, const void *b)
{
    const struct row *left = a;
    const struct row *right = b;
    int order = strcmp(left->name, right->name);

    return order != 0 ? order : compare_texts(left->module, right->module);
}

/*
 * Two static functions of one name must not look like one function twice, nor
 * those of a boot loader like the application's.
 */
void report_tell_apart(struct rows *rows)
{
    size_t end;

    if (rows->count > 1)
        qsort(rows->items, rows->count, sizeof *rows->items, compare_functions);
    for (size_t first = 0; first < rows->count; first = end) {
        struct row *items = rows->items;

        for (end = first + 1;
             end < rows->count
             && strcmp(items[end].name, items[first].name) == 0;
             end++)
            if (compare_texts(items[end].module, items[end - 1].module) == 0)
                items[end].twin = items[end - 1].twin = true;
        for (size_t i = first; i < end; i++)
            items[i].strange =
                    compare_texts(items[first].module, items[end - 1].module)
                    != 0;
    }
}
