/* SPDX-License-Identifier: MIT */
#include "report.h"

#include "confidence.h"
#include "report_calls.h"
#include "report_paths.h"
#include "report_rows.h"
#include "units.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN_SHOWN 3
#define OTHERS_SHOWN 2

enum cell {
    CELL_SHARE,
    CELL_LEAST, /* of a block's share */
    CELL_MARGIN,
    CELL_LOW,
    CELL_HIGH,
    CELL_SAMPLES,
    CELL_BLOCK, /* for the eye */
    CELL_BLOCK_START,
    CELL_BLOCK_LAST,
    CELL_ADDRESS,
    CELL_START, /* of a function, as data only */
    CELL_SIZE,
    CELL_OFFSET,
    CELL_ID,
    CELL_KIND,
    CELL_FILE, /* as data only */
    CELL_LINE,
    CELL_SPOT, /* file:line for the eye */
    CELL_PATH, /* the file alone, for the eye */
    CELL_FUNCTION,
    CELL_LABEL, /* the function for the eye */
    CELL_LINKAGE,
    CELL_MODULE,
    CELL_FRAMES,
    CELL_CONTEXT,
    CELL_OTHERS_SHORT, /* functions in the block, for the eye */
    CELL_OTHERS_LIST,
    CELL_OTHERS,
    /* Of the function table. */
    CELL_ENTRY,
    CELL_CALLS,
    CELL_OPEN,
    CELL_TIME, /* as many as there are times, in the unit asked for */
    CELL_TIME_LAST = CELL_TIME + REPORT_TIMES - 1,
    CELL_TICKS, /* the same in cycles */
    CELL_TICKS_LAST = CELL_TICKS + REPORT_TIMES - 1,
    CELL_IN_CONTEXT,
    CELL_IN_ID,
    CELL_TRACED, /* calls that were recorded one by one */
    CELL_WORST_AT,
    CELL_WORST_PATH,
    CELL_END
};

#define TIMES(first)                                                           \
    (first), (first) + 1, (first) + 2, (first) + 3, (first) + 4, (first) + 5,  \
            (first) + 6, (first) + 7, (first) + 8

static const struct table_column columns[CELL_END] = {
        [CELL_SHARE] = {"share_percent", "share", TABLE_PERCENT,
                        TABLE_EVERYWHERE},
        [CELL_LEAST] = {"least_percent", "at least", TABLE_PERCENT,
                        TABLE_EVERYWHERE},
        [CELL_MARGIN] = {"margin_percent", "+/-", TABLE_PERCENT, TABLE_IN_TEXT},
        [CELL_LOW] = {"low_percent", "low", TABLE_PERCENT, TABLE_IN_DATA},
        [CELL_HIGH] = {"high_percent", "high", TABLE_PERCENT, TABLE_IN_DATA},
        [CELL_SAMPLES] = {"samples", "samples", TABLE_COUNT, TABLE_EVERYWHERE},
        [CELL_BLOCK] = {"block", "block", TABLE_TEXT, TABLE_IN_TEXT},
        [CELL_BLOCK_START] = {"block_start", "from", TABLE_ADDRESS,
                              TABLE_IN_DATA},
        [CELL_BLOCK_LAST] = {"block_last", "to", TABLE_ADDRESS, TABLE_IN_DATA},
        [CELL_ADDRESS] = {"address", "address", TABLE_ADDRESS,
                          TABLE_EVERYWHERE},
        [CELL_START] = {"address", "address", TABLE_ADDRESS, TABLE_IN_DATA},
        [CELL_SIZE] = {"size", "size", TABLE_COUNT, TABLE_IN_DATA},
        [CELL_OFFSET] = {"offset", "offset", TABLE_COUNT, TABLE_IN_DATA},
        [CELL_ID] = {"id", "number", TABLE_COUNT, TABLE_IN_DATA},
        [CELL_KIND] = {"kind", "kind", TABLE_TEXT, TABLE_IN_DATA},
        [CELL_FILE] = {"file", "file", TABLE_TEXT, TABLE_IN_DATA},
        [CELL_LINE] = {"line", "line", TABLE_COUNT, TABLE_IN_DATA},
        [CELL_SPOT] = {"spot", "file:line", TABLE_TEXT, TABLE_IN_TEXT},
        [CELL_PATH] = {"path", "file", TABLE_TEXT, TABLE_IN_TEXT},
        [CELL_FUNCTION] = {"function", "function", TABLE_TEXT, TABLE_IN_DATA},
        [CELL_LABEL] = {"label", "function", TABLE_TEXT, TABLE_IN_TEXT},
        [CELL_LINKAGE] = {"linkage", "linkage", TABLE_TEXT, TABLE_IN_DATA},
        [CELL_MODULE] = {"module", "module", TABLE_TEXT, TABLE_IN_DATA},
        [CELL_FRAMES] = {"frames", "frames", TABLE_JSON, TABLE_IN_JSON},
        [CELL_CONTEXT] = {"context", "context", TABLE_TEXT, TABLE_EVERYWHERE},
        [CELL_OTHERS_SHORT] = {"others", "others in the block", TABLE_TEXT,
                               TABLE_IN_TEXT},
        [CELL_OTHERS_LIST] = {"others", "others", TABLE_TEXT, TABLE_IN_CSV},
        [CELL_OTHERS] = {"others", "others", TABLE_JSON, TABLE_IN_JSON},
        [CELL_ENTRY] = {"address", "address", TABLE_ADDRESS, TABLE_EVERYWHERE},
        [CELL_CALLS] = {"calls", "calls", TABLE_COUNT, TABLE_EVERYWHERE},
        [CELL_OPEN] = {"open", "open", TABLE_COUNT, TABLE_IN_DATA},
        [CELL_IN_CONTEXT] = {"context", "context", TABLE_TEXT,
                             TABLE_EVERYWHERE},
        [CELL_IN_ID] = {"context_id", "number", TABLE_COUNT, TABLE_IN_DATA},
        [CELL_TRACED] = {"traced_calls", "traced", TABLE_COUNT, TABLE_IN_DATA},
        [CELL_WORST_AT] = {"worst_at_us", "worst at", TABLE_DECIMAL,
                           TABLE_IN_DATA},
        [CELL_WORST_PATH] = {"worst_path", "worst path", TABLE_TEXT,
                             TABLE_IN_DATA},
};

static const struct view {
    void (*add_rows)(struct report_builder *builder);
    const char *noun; /* what the limit leaves out */
    enum cell cells[REPORT_COLUMNS_MAX];
} views[REPORT_BY_COUNT] = {
        [REPORT_BY_FUNCTION] = {report_add_functions,
                                "functions",
                                {CELL_SHARE, CELL_MARGIN, CELL_LOW, CELL_HIGH,
                                 CELL_SAMPLES, CELL_START, CELL_SIZE, CELL_KIND,
                                 CELL_FUNCTION, CELL_LABEL, CELL_LINKAGE,
                                 CELL_MODULE, CELL_END}},
        [REPORT_BY_LINE] = {report_add_lines,
                            "lines",
                            {CELL_SHARE, CELL_MARGIN, CELL_LOW, CELL_HIGH,
                             CELL_SAMPLES, CELL_FILE, CELL_LINE, CELL_SPOT,
                             CELL_KIND, CELL_FUNCTION, CELL_LABEL, CELL_LINKAGE,
                             CELL_MODULE, CELL_END}},
        [REPORT_BY_FILE] = {report_add_files,
                            "files",
                            {CELL_SHARE, CELL_MARGIN, CELL_LOW, CELL_HIGH,
                             CELL_SAMPLES, CELL_FILE, CELL_PATH, CELL_KIND,
                             CELL_END}},
        [REPORT_BY_CONTEXT] = {report_add_contexts,
                               "contexts",
                               {CELL_SHARE, CELL_MARGIN, CELL_LOW, CELL_HIGH,
                                CELL_SAMPLES, CELL_ID, CELL_KIND, CELL_CONTEXT,
                                CELL_END}},
        [REPORT_BY_ADDRESS] = {report_add_addresses,
                               "addresses",
                               {CELL_SHARE, CELL_MARGIN, CELL_LOW, CELL_HIGH,
                                CELL_SAMPLES, CELL_ADDRESS, CELL_OFFSET,
                                CELL_KIND, CELL_FILE, CELL_LINE, CELL_SPOT,
                                CELL_FUNCTION, CELL_LABEL, CELL_LINKAGE,
                                CELL_MODULE, CELL_FRAMES, CELL_END}},
        [REPORT_BY_HOTSPOTS] =
                {report_add_hotspots,
                 "blocks",
                 {CELL_SHARE,        CELL_LEAST,       CELL_BLOCK,
                  CELL_BLOCK_START,  CELL_BLOCK_LAST,  CELL_START,
                  CELL_OFFSET,       CELL_KIND,        CELL_FILE,
                  CELL_LINE,         CELL_SPOT,        CELL_FUNCTION,
                  CELL_LABEL,        CELL_LINKAGE,     CELL_MODULE,
                  CELL_OTHERS_SHORT, CELL_OTHERS_LIST, CELL_FRAMES,
                  CELL_OTHERS,       CELL_END}},
        [REPORT_BY_CALLS] = {report_add_calls,
                             "functions",
                             {CELL_ENTRY,       CELL_CALLS,        CELL_OPEN,
                              TIMES(CELL_TIME), TIMES(CELL_TICKS), CELL_TRACED,
                              CELL_WORST_AT,    CELL_WORST_PATH,   CELL_SHARE,
                              CELL_IN_CONTEXT,  CELL_IN_ID,        CELL_SIZE,
                              CELL_KIND,        CELL_FILE,         CELL_LINE,
                              CELL_SPOT,        CELL_FUNCTION,     CELL_LABEL,
                              CELL_LINKAGE,     CELL_MODULE,       CELL_END}},
};

/* What the cells of one report are made from. */
struct filling {
    struct report *report;
    const struct report_builder *builder;
    const struct view *view;
    size_t below; /* bytes of each path that the text leaves out */
};

static const char *last_part(const char *path)
{
    for (const char *at = path; *at != '\0'; at++)
        if (*at == '/' || *at == '\\')
            path = at + 1;
    return path;
}

/* What tells a row from others of its name: " @0x00001234", or where the
   function is declared if its code is in several places. */
static void say_twin(char *out, size_t size, const struct filling *filling,
                     const struct row *row)
{
    const struct symbols *symbols = filling->builder->symbols;

    if (row->located)
        (void)snprintf(out, size, " @0x%08" PRIx32, row->address);
    else if (row->source != NULL && row->source->file != SYMBOLS_NONE)
        (void)snprintf(out, size, " (%s:%" PRIu32 ")",
                       last_part(symbols->files[row->source->file]),
                       row->source->line);
}

/* "name", "name+0x12 [idle]", "name (boot.elf)" or "name @0x00001234". */
static int set_label(struct table_cell *cell, const struct filling *filling,
                     const struct row *row)
{
    char label[2048];
    char detail[300] = "";
    char module[300] = "";

    if (row->offset != 0)
        (void)snprintf(detail, sizeof detail, "+0x%" PRIx32, row->offset);
    else if (row->twin && filling->builder->options->by == REPORT_BY_FUNCTION)
        say_twin(detail, sizeof detail, filling, row);
    if (row->strange && row->module != NULL)
        (void)snprintf(module, sizeof module, " (%s)", row->module);
    (void)snprintf(label, sizeof label, "%s%s%s%s%s", row->name, detail, module,
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

/* A path for the eye: what all have in common is said once, below. */
static int set_path(struct table_cell *cell, const struct filling *filling,
                    const struct row *row, bool with_line)
{
    char text[4200];

    if (row->file == NULL && with_line)
        return strcmp(row->kind, "no_line") == 0
                       ? table_set_text(cell, row->key)
                       : 0;
    if (row->file == NULL)
        return table_set_text(cell, row->name);
    if (with_line && row->line != 0)
        (void)snprintf(text, sizeof text, "%s:%" PRIu32,
                       row->file + filling->below, row->line);
    else
        (void)snprintf(text, sizeof text, "%s", row->file + filling->below);
    return table_set_text(cell, text);
}

/* The functions in ROW's block but its own: "memcpy, strlen and 3 more". All
   of them with LIMIT 0. */
static int set_others(struct table_cell *cell, const struct filling *filling,
                      const struct row *row, size_t limit)
{
    const struct named_blocks *blocks = filling->builder->model->blocks;
    size_t count = row->block->count;
    char *text = NULL;
    size_t size = 0;
    FILE *out;
    int error;

    if (count == 0)
        return 0;
    out = open_memstream(&text, &size);
    if (out == NULL)
        return MCUPROF_E_NOMEM;
    for (size_t i = 0; i < count && (limit == 0 || i < limit); i++)
        (void)fprintf(out, "%s%s",
                      i == 0       ? ""
                      : limit == 0 ? "; "
                                   : ", ",
                      blocks->symbols
                              ->functions[blocks->others[row->block->first + i]
                                                  .function]
                              .name);
    if (limit != 0 && count > limit)
        (void)fprintf(out, " and %zu more", count - limit);
    error = fclose(out) != 0 ? MCUPROF_E_NOMEM : table_set_text(cell, text);
    free(text);
    return error;
}

/* Other security states have two addresses, and no code at them. */
static bool has_block(const struct row *row)
{
    return row->location->place != PLACE_SECURE
           && row->location->place != PLACE_NON_SECURE;
}

static int set_block(struct table_cell *cell, enum cell what,
                     const struct row *row)
{
    char text[40];

    if (!has_block(row))
        return 0;
    if (what == CELL_BLOCK_START)
        table_set_count(cell, row->block->start);
    if (what == CELL_BLOCK_LAST)
        table_set_count(cell, row->block->last);
    if (what != CELL_BLOCK)
        return 0;
    (void)snprintf(text, sizeof text, "0x%08" PRIx32 "-0x%08" PRIx32,
                   row->block->start, row->block->last);
    return table_set_text(cell, text);
}

static int set_optional(struct table_cell *cell, const char *text)
{
    return text == NULL ? 0 : table_set_text(cell, text);
}

static int set_text(struct table_cell *cell, enum cell what,
                    const struct filling *filling, const struct row *row)
{
    switch (what) {
    case CELL_KIND:
        return table_set_text(cell, row->kind);
    case CELL_FUNCTION:
    case CELL_CONTEXT:
        return table_set_text(cell, row->name);
    case CELL_LABEL:
        return set_label(cell, filling, row);
    case CELL_LINKAGE:
        return set_optional(cell, row->linkage);
    case CELL_MODULE:
        return set_optional(cell, row->module);
    case CELL_FILE:
        return set_optional(cell, row->file);
    case CELL_SPOT:
    case CELL_PATH:
        return set_path(cell, filling, row, what == CELL_SPOT);
    case CELL_BLOCK:
    case CELL_BLOCK_START:
    case CELL_BLOCK_LAST:
        return set_block(cell, what, row);
    case CELL_OTHERS_SHORT:
        return set_others(cell, filling, row, OTHERS_SHOWN);
    case CELL_OTHERS_LIST:
        return set_others(cell, filling, row, 0);
    default:
        return set_share(cell, what, row, filling->builder->whole);
    }
}

static int set_count(struct table_cell *cell, enum cell what,
                     const struct row *row)
{
    bool calls = row->counts.kind != FUNCTION_OUTSIDE;
    bool function = row->counts.kind == FUNCTION_COUNTED;

    if (what == CELL_IN_CONTEXT)
        return set_optional(cell, row->context);
    if (what == CELL_TRACED && row->calls.count > 0)
        table_set_count(cell, row->calls.count);
    else if (what == CELL_IN_ID && row->context != NULL)
        table_set_count(cell, row->counts.context);
    else if (what == CELL_ENTRY && row->located)
        table_set_count(cell, row->address);
    else if (what == CELL_CALLS && row->timed && calls)
        table_set_count(cell, row->counts.calls);
    else if (what == CELL_OPEN && row->timed && function)
        table_set_count(cell, row->counts.open);
    return 0;
}

static int set_cell(struct table_cell *cell, enum cell what,
                    const struct filling *filling, const struct row *row)
{
    switch (what) {
    case CELL_SAMPLES:
        table_set_count(cell, row->samples);
        return 0;
    case CELL_ADDRESS:
    case CELL_START:
    case CELL_ID:
        if (row->located)
            table_set_count(cell, row->address);
        return 0;
    case CELL_SIZE:
        if (row->located)
            table_set_count(cell, row->size);
        return 0;
    case CELL_OFFSET:
        if (row->source != NULL)
            table_set_count(cell, row->offset);
        return 0;
    case CELL_LEAST:
        table_set_number(cell, 100.0 * row->block->least
                                       / (double)filling->builder->whole);
        return 0;
    case CELL_OTHERS:
        table_set_count(cell,
                        (uint64_t)(row->block
                                   - filling->builder->model->blocks->blocks));
        return 0;
    case CELL_FRAMES:
        if (row->location != NULL)
            table_set_count(cell,
                            (uint64_t)(row->location
                                       - filling->builder->symbols->locations));
        return 0;
    case CELL_LINE:
        if (row->line != 0)
            table_set_count(cell, row->line);
        return 0;
    case CELL_ENTRY:
    case CELL_CALLS:
    case CELL_OPEN:
    case CELL_IN_ID:
    case CELL_IN_CONTEXT:
    case CELL_TRACED:
        return set_count(cell, what, row);
    case CELL_WORST_AT:
        if (row->calls.count > 0 && row->calls.longest->at_ps > 0)
            table_set_number(cell, (double)row->calls.longest->at_ps / 1e6);
        return 0;
    case CELL_WORST_PATH:
        return row->calls.count == 0
                       ? 0
                       : table_set_text(cell, row->calls.longest->path);
    default:
        break;
    }
    if (what >= CELL_TIME && what <= CELL_TIME_LAST)
        report_set_time(cell, row, what - CELL_TIME, &filling->builder->scale);
    else if (what >= CELL_TICKS && what <= CELL_TICKS_LAST)
        report_set_ticks(cell, row, what - CELL_TICKS);
    else
        return set_text(cell, what, filling, row);
    return 0;
}

static int fill(struct filling *filling, const struct row *row)
{
    struct table *table = &filling->report->table;
    struct table_cell *cells = table_add(table, row->name[0] == '[');
    int error = cells == NULL ? MCUPROF_E_NOMEM : 0;

    for (size_t i = 0; i < table->column_count && error == 0; i++)
        error = set_cell(&cells[i], filling->view->cells[i], filling, row);
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

static int fill_all(struct filling *filling)
{
    const struct report_builder *builder = filling->builder;
    size_t limit = builder->options->limit;
    size_t ordinary = 0;
    uint64_t left_out = 0;

    for (size_t i = 0; i < builder->rows.count; i++) {
        const struct row *row = &builder->rows.items[i];
        int error;

        ordinary += row->ordinary;
        if (row->ordinary && limit != 0 && ordinary > limit) {
            left_out += row->samples;
            continue;
        }
        error = fill(filling, row);
        if (error < 0)
            return error;
    }
    if (limit != 0 && ordinary > limit)
        say_more(filling->report, filling->view, ordinary - limit, left_out,
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

static struct table_column choose_column(const struct report_builder *builder,
                                         enum cell what)
{
    struct table_column column = columns[what];

    if (what >= CELL_TIME && what <= CELL_TIME_LAST)
        return report_time_column(what - CELL_TIME, builder);
    if (what >= CELL_TICKS && what <= CELL_TICKS_LAST)
        return report_ticks_column(what - CELL_TICKS, builder);
    /* Without debug info a column of paths would be empty. */
    if (what == CELL_SPOT && !builder->symbols->has_lines)
        column.where = 0;
    if (what >= CELL_TRACED && !builder->model->functions->has_times)
        column.where = 0;
    if (what == CELL_IN_CONTEXT && !builder->options->contexts)
        column.where &= TABLE_IN_DATA;
    return column;
}

static size_t choose_columns(struct report *report,
                             const struct report_builder *builder)
{
    const struct view *view = &views[builder->options->by];
    size_t count = 0;

    for (; view->cells[count] != CELL_END; count++)
        report->columns[count] = choose_column(builder, view->cells[count]);
    return count;
}

static void choose_expansion(struct table *table,
                             const struct report_builder *builder)
{
    const struct named_blocks *blocks = builder->model->blocks;

    table->expand = blocks != NULL ? report_expand_block : report_expand_frames;
    table->context = builder->symbols;
    if (blocks != NULL)
        table->context = blocks;
}

static int fill_report(struct report *report,
                       const struct report_builder *builder)
{
    struct filling filling = {
            .report = report,
            .builder = builder,
            .view = &views[builder->options->by],
    };

    table_init(&report->table, report->columns,
               choose_columns(report, builder));
    choose_expansion(&report->table, builder);
    report->unit = builder->scale.sums;
    report->hz = builder->scale.hz;
    filling.below = report_common_directory(&builder->rows);
    report->directory = report_directory_name(&builder->rows, filling.below);
    return report->directory == NULL ? MCUPROF_E_NOMEM : fill_all(&filling);
}

static void choose_whole(struct report_builder *builder)
{
    const struct report_model *model = builder->model;

    if (model->blocks != NULL) {
        builder->symbols = model->blocks->symbols;
        builder->whole = model->blocks->whole;
    } else if (model->functions != NULL) {
        builder->symbols = model->functions->symbols;
        builder->whole = model->functions->whole;
    } else {
        builder->symbols = model->symbols;
        builder->whole = profile_total(model->profile) + model->missed;
    }
}

int report_init(struct report *report, const struct report_options *options,
                const struct report_model *model)
{
    const struct view *view = &views[options->by];
    struct report_builder builder = {
            .options = options,
            .model = model,
    };
    int error = MCUPROF_E_NOMEM;

    memset(report, 0, sizeof *report);
    choose_whole(&builder);
    view->add_rows(&builder);
    builder.scale = report_choose_scale(&builder);
    report_add_not_sampled(&builder);
    if (!builder.rows.failed) {
        report_tell_apart(&builder.rows);
        report_sort(&builder.rows, options->sort);
        error = fill_report(report, &builder);
        if (model->blocks == NULL && model->functions == NULL)
            say_unknown(report, builder.symbols);
    }
    free(builder.rows.items);
    if (error < 0)
        report_deinit(report);
    return error;
}

void report_deinit(struct report *report)
{
    table_deinit(&report->table);
    free(report->directory);
    report->directory = NULL;
}
