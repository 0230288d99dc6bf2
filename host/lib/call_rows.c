/* SPDX-License-Identifier: MIT */
#include "call_rows.h"

#include "room.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PS_PER_US 1e6
#define LEVELS_SHOWN 40

enum column {
    COLUMN_PERCENT,
    COLUMN_TOTAL, /* these two in text alone */
    COLUMN_SELF,
    COLUMN_CALLS,
    COLUMN_KIND,
    COLUMN_CONTEXT,
    COLUMN_CONTEXT_ID,
    COLUMN_DEPTH,
    COLUMN_ADDRESS,
    COLUMN_TOTAL_CYCLES,
    COLUMN_SELF_CYCLES,
    COLUMN_TOTAL_RAW_CYCLES,
    COLUMN_SELF_RAW_CYCLES,
    COLUMN_TOTAL_US,
    COLUMN_SELF_US,
    COLUMN_MENDED,
    COLUMN_ID,
    COLUMN_PARENT,
    COLUMN_FUNCTION,
    COLUMN_TREE,
    COLUMN_COUNT
};

static const struct table_column all_columns[COLUMN_COUNT] = {
        [COLUMN_PERCENT] = {"percent", "%", TABLE_PERCENT, TABLE_EVERYWHERE},
        [COLUMN_TOTAL] = {"", "total us", TABLE_DECIMAL, TABLE_IN_TEXT},
        [COLUMN_SELF] = {"", "self us", TABLE_DECIMAL, TABLE_IN_TEXT},
        [COLUMN_CALLS] = {"calls", "calls", TABLE_COUNT, TABLE_EVERYWHERE},
        [COLUMN_KIND] = {"kind", "", TABLE_TEXT, TABLE_IN_DATA},
        [COLUMN_CONTEXT] = {"context", "", TABLE_TEXT, TABLE_IN_DATA},
        [COLUMN_CONTEXT_ID] = {"context_id", "", TABLE_COUNT, TABLE_IN_DATA},
        [COLUMN_DEPTH] = {"depth", "", TABLE_COUNT, TABLE_IN_DATA},
        [COLUMN_ADDRESS] = {"address", "", TABLE_ADDRESS, TABLE_IN_DATA},
        [COLUMN_TOTAL_CYCLES] = {"total_cycles", "", TABLE_COUNT,
                                 TABLE_IN_DATA},
        [COLUMN_SELF_CYCLES] = {"self_cycles", "", TABLE_COUNT, TABLE_IN_DATA},
        [COLUMN_TOTAL_RAW_CYCLES] = {"total_raw_cycles", "", TABLE_COUNT,
                                     TABLE_IN_DATA},
        [COLUMN_SELF_RAW_CYCLES] = {"self_raw_cycles", "", TABLE_COUNT,
                                    TABLE_IN_DATA},
        [COLUMN_TOTAL_US] = {"total_us", "", TABLE_DECIMAL, TABLE_IN_DATA},
        [COLUMN_SELF_US] = {"self_us", "", TABLE_DECIMAL, TABLE_IN_DATA},
        [COLUMN_MENDED] = {"mended", "", TABLE_COUNT, TABLE_IN_DATA},
        [COLUMN_ID] = {"id", "", TABLE_COUNT, TABLE_IN_DATA},
        [COLUMN_PARENT] = {"parent", "", TABLE_COUNT, TABLE_IN_DATA},
        [COLUMN_FUNCTION] = {"function", "", TABLE_TEXT, TABLE_IN_DATA},
        [COLUMN_TREE] = {"", "function", TABLE_TEXT, TABLE_IN_TEXT},
};

/* What a row says of time. */
struct row_times {
    struct timeline_span total;
    struct timeline_span self;
    struct timeline_span total_raw;
    struct timeline_span self_raw;
};

struct builder {
    struct call_rows *rows;
    const struct call_rows_options *options;
    const struct call_rows_model *model;
    struct timeline_span *totals; /* by node: of its row */
    size_t *waiting;              /* nodes, the next one last */
    size_t count;
    size_t room;
};

struct timeline_span call_rows_without(struct timeline_span span,
                                       struct timeline_span cost)
{
    return (struct timeline_span){
            span.ticks > cost.ticks ? span.ticks - cost.ticks : 0,
            span.ps > cost.ps ? span.ps - cost.ps : 0};
}

double call_rows_number(struct timeline_span span, bool in_us)
{
    return in_us ? (double)span.ps / PS_PER_US : (double)span.ticks;
}

static void add(struct timeline_span *sum, struct timeline_span span)
{
    sum->ticks += span.ticks;
    sum->ps += span.ps;
}

static struct timeline_span self_of(const struct call_rows_options *options,
                                    const struct call_node *node)
{
    return options->raw ? node->self
                        : call_rows_without(node->self, node->self_cost);
}

/* All self on a path and below it: a node is newer than the one above it. */
static int add_totals(struct builder *builder)
{
    const struct call_tree *tree = builder->model->tree;
    size_t count = call_tree_count(tree);

    builder->totals = calloc(count + 1, sizeof *builder->totals);
    if (builder->totals == NULL)
        return MCUPROF_E_NOMEM;
    for (size_t i = count; i > 0; i--) {
        const struct call_node *node = call_tree_get(tree, i - 1);

        add(&builder->totals[i - 1], self_of(builder->options, node));
        if (node->parent != CALL_TREE_NONE)
            add(&builder->totals[node->parent], builder->totals[i - 1]);
    }
    return 0;
}

static bool is_shown(const struct builder *builder, uint16_t context)
{
    const struct call_rows_options *options = builder->options;

    for (size_t i = 0; i < options->context_count; i++)
        if (call_names_is_context(builder->model->names, context,
                                  options->contexts[i]))
            return true;
    return options->context_count == 0;
}

static void set_times(const struct builder *builder, struct table_cell *cells,
                      const struct row_times *times)
{
    double wall = (double)builder->model->result->wall.ticks;

    if (wall > 0)
        table_set_number(&cells[COLUMN_PERCENT],
                         100.0 * (double)times->total.ticks / wall);
    table_set_count(&cells[COLUMN_TOTAL], times->total.ticks);
    table_set_number(&cells[COLUMN_TOTAL],
                     call_rows_number(times->total, true));
    table_set_count(&cells[COLUMN_SELF], times->self.ticks);
    table_set_number(&cells[COLUMN_SELF], call_rows_number(times->self, true));
    table_set_count(&cells[COLUMN_TOTAL_CYCLES], times->total.ticks);
    table_set_count(&cells[COLUMN_SELF_CYCLES], times->self.ticks);
    table_set_count(&cells[COLUMN_TOTAL_RAW_CYCLES], times->total_raw.ticks);
    table_set_count(&cells[COLUMN_SELF_RAW_CYCLES], times->self_raw.ticks);
    if (builder->model->result->clock_hz == 0)
        return;
    table_set_number(&cells[COLUMN_TOTAL_US],
                     call_rows_number(times->total, true));
    table_set_number(&cells[COLUMN_SELF_US],
                     call_rows_number(times->self, true));
}

/* A row that is no function: all but its cells for calls and addresses. */
static struct table_cell *add_special(struct builder *builder, const char *kind,
                                      const char *text,
                                      struct timeline_span span)
{
    const struct row_times times = {
            .total = span, .self = span, .total_raw = span, .self_raw = span};
    struct table_cell *cells = table_add(&builder->rows->table, true);

    if (cells == NULL || table_set_text(&cells[COLUMN_KIND], kind) < 0
        || table_set_text(&cells[COLUMN_TREE], text) < 0)
        return NULL;
    set_times(builder, cells, &times);
    return cells;
}

static int set_context(const struct builder *builder, struct table_cell *cells,
                       uint16_t context)
{
    const char *name = call_names_context(builder->model->names, context);

    table_set_count(&cells[COLUMN_CONTEXT_ID], context);
    return name == NULL ? MCUPROF_E_NOMEM
                        : table_set_text(&cells[COLUMN_CONTEXT], name);
}

/* Deep recursion would fill the screen, and the memory. */
static int set_indented(struct table_cell *cell, size_t levels,
                        const char *name)
{
    char text[2 * LEVELS_SHOWN + 40 + DEMANGLE_MAX];
    int spaces = 2 * (int)(levels < LEVELS_SHOWN ? levels : LEVELS_SHOWN);

    if (levels < LEVELS_SHOWN)
        (void)snprintf(text, sizeof text, "%*s%s", spaces, "", name);
    else
        (void)snprintf(text, sizeof text, "%*s[%zu] %s", spaces, "", levels,
                       name);
    return table_set_text(cell, text);
}

static int add_function(struct builder *builder, size_t number)
{
    const struct call_node *node = call_tree_get(builder->model->tree, number);
    const struct row_times times = {.total = builder->totals[number],
                                    .self = self_of(builder->options, node),
                                    .total_raw = node->total,
                                    .self_raw = node->self};
    const char *name =
            call_names_function(builder->model->names, node->function);
    struct table_cell *cells = table_add(&builder->rows->table, false);
    int error;

    if (cells == NULL || name == NULL)
        return MCUPROF_E_NOMEM;
    set_times(builder, cells, &times);
    error = set_context(builder, cells, node->context);
    table_set_count(&cells[COLUMN_ID], number);
    if (node->parent != CALL_TREE_NONE)
        table_set_count(&cells[COLUMN_PARENT], node->parent);
    table_set_count(&cells[COLUMN_CALLS], node->calls);
    table_set_count(&cells[COLUMN_DEPTH], node->depth);
    table_set_count(&cells[COLUMN_ADDRESS], node->function);
    table_set_count(&cells[COLUMN_MENDED], node->mended);
    if (error == 0)
        error = table_set_text(&cells[COLUMN_KIND], "function");
    if (error == 0)
        error = table_set_text(&cells[COLUMN_FUNCTION], name);
    return error < 0 ? error
                     : set_indented(&cells[COLUMN_TREE], node->depth + 1, name);
}

static int wait(struct builder *builder, size_t node)
{
    size_t *grown = room_reserve(builder->waiting, builder->count,
                                 &builder->room, sizeof *grown);

    if (grown == NULL)
        return MCUPROF_E_NOMEM;
    builder->waiting = grown;
    grown[builder->count++] = node;
    return 0;
}

struct ranked {
    uint64_t ticks;
    uint32_t function;
    size_t node;
};

/* The least first: the last one is taken first. */
static int by_total(const void *a, const void *b)
{
    const struct ranked *left = a;
    const struct ranked *right = b;

    if (left->ticks != right->ticks)
        return (left->ticks > right->ticks) - (left->ticks < right->ticks);
    return (left->function < right->function)
           - (left->function > right->function);
}

/* Let the nodes from START of the waiting on wait in the order of their time.
 */
static int rank(struct builder *builder, size_t start)
{
    size_t count = builder->count - start;
    struct ranked *ranked = malloc((count + 1) * sizeof *ranked);

    if (ranked == NULL)
        return MCUPROF_E_NOMEM;
    for (size_t i = 0; i < count; i++) {
        size_t number = builder->waiting[start + i];
        const struct call_node *node =
                call_tree_get(builder->model->tree, number);

        ranked[i] = (struct ranked){
                .ticks = node->total.ticks,
                .function = node->function,
                .node = number,
        };
    }
    qsort(ranked, count, sizeof *ranked, by_total);
    for (size_t i = 0; i < count; i++)
        builder->waiting[start + i] = ranked[i].node;
    free(ranked);
    return 0;
}

static int wait_children(struct builder *builder, const struct call_node *node)
{
    size_t start = builder->count;
    int error = 0;

    if (builder->options->depth > 0
        && node->depth + 1 >= builder->options->depth)
        return 0;
    for (size_t child = node->child; child != CALL_TREE_NONE && error == 0;) {
        error = wait(builder, child);
        child = call_tree_get(builder->model->tree, child)->next;
    }
    return error < 0 ? error : rank(builder, start);
}

static int add_functions(struct builder *builder, uint16_t context)
{
    const struct call_tree *tree = builder->model->tree;
    int error = 0;

    for (size_t i = 0; i < call_tree_count(tree) && error == 0; i++) {
        const struct call_node *node = call_tree_get(tree, i);

        if (node->context == context && node->parent == CALL_TREE_NONE)
            error = wait(builder, i);
    }
    if (error == 0)
        error = rank(builder, 0);
    while (builder->count > 0 && error == 0) {
        size_t number = builder->waiting[--builder->count];

        error = add_function(builder, number);
        if (error == 0)
            error = wait_children(builder, call_tree_get(tree, number));
    }
    return error;
}

/* All that a context had of the time. */
static struct timeline_span time_of(const struct builder *builder,
                                    const struct timeline_share *share)
{
    struct timeline_span sum = share->outside;

    for (size_t i = 0; i < call_tree_count(builder->model->tree); i++) {
        const struct call_node *node = call_tree_get(builder->model->tree, i);

        if (node->context == share->context)
            add(&sum, self_of(builder->options, node));
    }
    return sum;
}

static int add_context(struct builder *builder,
                       const struct timeline_share *share)
{
    const char *name =
            call_names_context(builder->model->names, share->context);
    struct table_cell *cells;
    int error;

    if (name == NULL)
        return MCUPROF_E_NOMEM;
    cells = add_special(builder, "context", name, time_of(builder, share));
    if (cells == NULL || set_context(builder, cells, share->context) < 0)
        return MCUPROF_E_NOMEM;
    /* What it did itself is in the rows below. */
    cells[COLUMN_SELF].set = false;
    cells[COLUMN_SELF_CYCLES].set = false;
    cells[COLUMN_SELF_RAW_CYCLES].set = false;
    cells[COLUMN_SELF_US].set = false;
    cells[COLUMN_TOTAL_RAW_CYCLES].set = false;
    table_set_count(&cells[COLUMN_CALLS], share->calls);
    error = add_functions(builder, share->context);
    if (error < 0 || share->outside.ticks == 0)
        return error;
    cells = add_special(builder, "outside", "  [outside of calls]",
                        share->outside);
    return cells == NULL ? MCUPROF_E_NOMEM
                         : set_context(builder, cells, share->context);
}

static void sum_up(struct call_rows *rows,
                   const struct call_rows_options *options,
                   const struct call_rows_model *model)
{
    struct call_rows_sums *sums = &rows->sums;

    for (size_t i = 0; i < call_tree_count(model->tree); i++) {
        const struct call_node *node = call_tree_get(model->tree, i);
        struct timeline_span self = self_of(options, node);

        add(&sums->self, self);
        add(&sums->hooks, call_rows_without(node->self, self));
        sums->below_zero +=
                !options->raw && node->self_cost.ticks > node->self.ticks;
    }
    for (size_t i = 0; i < model->result->share_count; i++)
        add(&sums->outside, model->result->shares[i].outside);
    sums->lost = model->result->lost;
    sums->off = model->result->off;
    sums->wall = model->result->wall;
}

static int fill(struct builder *builder)
{
    const struct timeline_result *result = builder->model->result;
    const struct call_rows_sums *sums = &builder->rows->sums;
    int error = 0;

    for (size_t i = 0; i < result->share_count && error == 0; i++)
        if (is_shown(builder, result->shares[i].context))
            error = add_context(builder, &result->shares[i]);
    if (error == 0 && sums->hooks.ticks > 0
        && add_special(builder, "hooks", "[hooks of calls]", sums->hooks)
                   == NULL)
        error = MCUPROF_E_NOMEM;
    if (error == 0 && sums->lost.ticks > 0
        && add_special(builder, "lost", "[lost]", sums->lost) == NULL)
        error = MCUPROF_E_NOMEM;
    if (error == 0 && sums->off.ticks > 0
        && add_special(builder, "off", "[recording was off]", sums->off)
                   == NULL)
        error = MCUPROF_E_NOMEM;
    return error;
}

int call_rows_init(struct call_rows *rows,
                   const struct call_rows_options *options,
                   const struct call_rows_model *model)
{
    struct builder builder = {.rows = rows, .options = options, .model = model};
    int error;

    memset(rows, 0, sizeof *rows);
    memcpy(rows->columns, all_columns, sizeof all_columns);
    if (!options->in_us) {
        rows->columns[COLUMN_TOTAL].header = "total cycles";
        rows->columns[COLUMN_TOTAL].type = TABLE_COUNT;
        rows->columns[COLUMN_SELF].header = "self cycles";
        rows->columns[COLUMN_SELF].type = TABLE_COUNT;
    }
    table_init(&rows->table, rows->columns, COLUMN_COUNT);
    sum_up(rows, options, model);
    error = add_totals(&builder);
    if (error == 0)
        error = fill(&builder);
    free(builder.waiting);
    free(builder.totals);
    if (error < 0)
        call_rows_deinit(rows);
    return error;
}

void call_rows_deinit(struct call_rows *rows)
{
    table_deinit(&rows->table);
}
