/* SPDX-License-Identifier: MIT */
#include "print_advise.h"

#include "json_text.h"
#include "print_table.h"
#include "units.h"

#include <stdlib.h>

#define SCHEMA_VERSION 1
#define ROWS_SHOWN 20
#define SAME 0.005 /* two slowdowns that are printed as one */

enum column {
    COLUMN_FUNCTION,
    COLUMN_ADDRESS,
    COLUMN_CALLS,
    COLUMN_OWN,
    COLUMN_INLINED,
    COLUMN_EITHER,
    COLUMN_OWN_SITES,
    COLUMN_COPIES,
    COLUMN_HOOKS,
    COLUMN_TIME,
    COLUMN_HOOK_TICKS,
    COLUMN_SELF_TICKS,
    COLUMN_EXTRA_OWN,
    COLUMN_EXTRA_INLINED,
    COLUMN_ADVICE,
    COLUMN_SLOWDOWN,
    COLUMN_TOLD,
    COLUMNS
};

static const struct table_column columns[COLUMNS] = {
        {"function", "function", TABLE_TEXT, TABLE_EVERYWHERE},
        {"address", "address", TABLE_ADDRESS, TABLE_IN_DATA},
        {"calls", "calls", TABLE_COUNT, TABLE_EVERYWHERE},
        {"own_calls", "own", TABLE_COUNT, TABLE_IN_DATA},
        {"inlined_calls", "inlined", TABLE_COUNT, TABLE_EVERYWHERE},
        {"either_calls", "either", TABLE_COUNT, TABLE_EVERYWHERE},
        {"own_sites", "own sites", TABLE_COUNT, TABLE_IN_DATA},
        {"copies", "copies", TABLE_COUNT, TABLE_EVERYWHERE},
        {"hooks_percent", "hooks %", TABLE_PERCENT, TABLE_EVERYWHERE},
        {"self_percent", "self %", TABLE_PERCENT, TABLE_EVERYWHERE},
        {"hooks_ticks", "hooks ticks", TABLE_COUNT, TABLE_IN_DATA},
        {"self_ticks", "self ticks", TABLE_COUNT, TABLE_IN_DATA},
        {"own_instructions", "left own", TABLE_DECIMAL, TABLE_IN_DATA},
        {"copy_instructions", "left inlined", TABLE_DECIMAL, TABLE_IN_DATA},
        {"advice", "advice", TABLE_TEXT, TABLE_EVERYWHERE},
        {"slowdown_without", "then", TABLE_DECIMAL, TABLE_EVERYWHERE},
        {"told_percent", "told %", TABLE_PERCENT, TABLE_EVERYWHERE},
};

void print_advise_name(const struct advise_session *session,
                       const struct advise_function *function,
                       char out[DEMANGLE_MAX])
{
    demangle((enum demangle)session->settings->demangle, function->name, out);
}

static const char *advice(const struct advise_function *function)
{
    if (function->drops_own)
        return "drop";
    return function->drops_inlined ? "drop inlined" : "keep";
}

static uint64_t calls_of(const struct advise_function *function)
{
    return function->own + function->inlined + function->either;
}

/* What is advised to drop first, and what costs most. */
static int compare_rows(const void *left, const void *right)
{
    const struct advise_function *a = left, *b = right;

    if (a->drops_own != b->drops_own)
        return a->drops_own ? -1 : 1;
    if (a->drops_inlined != b->drops_inlined)
        return a->drops_inlined ? -1 : 1;
    if (calls_of(a) != calls_of(b))
        return calls_of(a) > calls_of(b) ? -1 : 1;
    if (a->self != b->self)
        return a->self > b->self ? -1 : 1;
    return (a->subject > b->subject) - (a->subject < b->subject);
}

/* The functions in the order of rows, to be freed. */
static struct advise_function *order(const struct advise_session *session)
{
    const struct advise *advise = session->advise;
    struct advise_function *rows = malloc((advise->count + 1) * sizeof *rows);

    if (rows == NULL)
        return NULL;
    for (size_t i = 0; i < advise->count; i++)
        rows[i] = advise->functions[i];
    /* Without calls it is time alone. */
    if (advise->count > 0 && !session->measure.input.is_sampled)
        qsort(rows, advise->count, sizeof *rows, compare_rows);
    return rows;
}

/* What becomes of it without those of the first ROWS, up to each. */
static struct advise_outcome *predict_each(const struct advise *advise,
                                           const struct advise_function *rows)
{
    struct advise copy = *advise;
    struct advise_outcome *out = calloc(advise->count + 1, sizeof *out);

    copy.functions = malloc((advise->count + 1) * sizeof *copy.functions);
    if (out == NULL || copy.functions == NULL) {
        free(out);
        free(copy.functions);
        return NULL;
    }
    for (size_t i = 0; i < copy.count; i++) {
        copy.functions[i] = rows[i];
        copy.functions[i].drops_own = false;
    }
    advise_drop_inlined(&copy);
    for (size_t i = 0; i < copy.count; i++) {
        copy.functions[i].drops_own = true;
        out[i] = advise_predict(&copy);
    }
    free(copy.functions);
    return out;
}

static void fill_costs(const struct advise_session *session,
                       const struct advise_function *function,
                       struct table_cell *cells)
{
    const struct advise_input *input = &session->measure.input;
    double cost = (double)calls_of(function) * input->pair;

    table_set_count(&cells[COLUMN_CALLS], calls_of(function));
    table_set_count(&cells[COLUMN_OWN], function->own);
    table_set_count(&cells[COLUMN_INLINED], function->inlined);
    table_set_count(&cells[COLUMN_EITHER], function->either);
    table_set_count(&cells[COLUMN_SELF_TICKS], function->self);
    if (function->own_sites > 0)
        table_set_number(&cells[COLUMN_EXTRA_OWN], function->extra_own);
    if (function->copies > 0)
        table_set_number(&cells[COLUMN_EXTRA_INLINED], function->extra_inlined);
    if (input->pair <= 0)
        return;
    table_set_count(&cells[COLUMN_HOOK_TICKS], (uint64_t)(cost + 0.5));
    if (input->wall > 0)
        table_set_number(&cells[COLUMN_HOOKS], 100 * cost / input->wall);
}

static int fill_row(const struct advise_session *session,
                    const struct advise_function *function,
                    const struct advise_outcome *outcome, struct table *table)
{
    const struct advise_input *input = &session->measure.input;
    struct table_cell *cells = table_add(table, function->drops_own);
    char name[DEMANGLE_MAX];
    int result;

    if (cells == NULL)
        return MCUPROF_E_NOMEM;
    print_advise_name(session, function, name);
    result = table_set_text(&cells[COLUMN_FUNCTION], name);
    table_set_count(&cells[COLUMN_ADDRESS],
                    session->sites->subjects[function->subject].start);
    table_set_count(&cells[COLUMN_OWN_SITES], function->own_sites);
    table_set_count(&cells[COLUMN_COPIES], function->copies);
    if (session->advise->self > 0)
        table_set_number(&cells[COLUMN_TIME],
                         100 * (double)function->self
                                 / (double)session->advise->self);
    if (!input->is_sampled)
        fill_costs(session, function, cells);
    if (result == 0 && !input->is_sampled)
        result = table_set_text(&cells[COLUMN_ADVICE], advice(function));
    if (session->advise->can_predict) {
        table_set_number(&cells[COLUMN_SLOWDOWN], outcome->most);
        table_set_number(&cells[COLUMN_TOLD], 100 * outcome->told);
    }
    return result;
}

/* Few rows are for people; without calls a function has nothing to say. */
static size_t row_limit(const struct advise_session *session)
{
    uint64_t limit = session->settings->limit;

    if (limit == LIMIT_UNSET)
        limit = session->settings->format == FORMAT_TABLE ? ROWS_SHOWN : 0;
    return limit == 0 || limit > session->advise->count ? session->advise->count
                                                        : (size_t)limit;
}

static int fill(const struct advise_session *session, struct table *table)
{
    struct advise_function *rows = order(session);
    struct advise_outcome *outcomes =
            rows != NULL ? predict_each(session->advise, rows) : NULL;
    size_t limit = row_limit(session);
    int result = outcomes == NULL ? MCUPROF_E_NOMEM : 0;

    for (size_t i = 0; i < limit && result == 0; i++)
        result = fill_row(session, &rows[i], &outcomes[i], table);
    free(rows);
    free(outcomes);
    return result;
}

static void print_range(FILE *stream, const struct advise_outcome *outcome)
{
    if (outcome->most - outcome->least > SAME)
        (void)fprintf(stream, "%.2f to ", outcome->least);
    (void)fprintf(stream, "%.2f", outcome->most);
}

static void print_change(FILE *stream, const char *prefix,
                         const struct advise_session *session)
{
    const struct advise *advise = session->advise;
    const struct advise_outcome outcome = advise_predict(advise);

    (void)fprintf(stream, "%sestimate: ", prefix);
    print_range(stream, &advise->now);
    (void)fprintf(stream, " times the time without hooks now, ");
    print_range(stream, &outcome);
    (void)fprintf(stream, " after what is advised\n");
    (void)fprintf(stream,
                  "%stold then: %.1f %% of the functions' time for the one "
                  "whose code it is, %.1f %% for that of the source, inlined "
                  "ones apart\n",
                  prefix, 100 * outcome.told, 100 * outcome.source);
    if (session->budget > 0 && !session->is_reached)
        (void)fprintf(stream,
                      "%s--budget %g cannot be reached: what stays of hooks "
                      "that are dropped takes more; this is within 1 %% of the "
                      "best\n",
                      prefix, session->budget);
}

/* Of whose time a part may be the profiler's own. */
static void print_sender(FILE *stream, const char *prefix,
                         const struct advise_session *session)
{
    const struct advise *advise = session->advise;
    char name[DEMANGLE_MAX], unsure[UNITS_MAX];

    if (advise->sender == NULL || advise->unsure <= 0)
        return;
    demangle((enum demangle)session->settings->demangle, advise->sender, name);
    (void)fprintf(stream,
                  "%s%s calls mcuprof_poll() or the like: how much of %s ticks "
                  "is the profiler's own is not known; call it from a function "
                  "without hooks, or when recording is over\n",
                  prefix, name, units_count(unsure, (uint64_t)advise->unsure));
}

void print_advise_outcome(FILE *stream, const char *prefix,
                          const struct advise_session *session)
{
    if (!session->measure.input.is_sampled)
        print_sender(stream, prefix, session);
    if (session->advise->can_predict)
        print_change(stream, prefix, session);
    else if (!session->measure.input.is_sampled)
        (void)fprintf(stream,
                      "%sno prediction: what a pair of hooks costs is not "
                      "known, or may be more than the whole time\n",
                      prefix);
}

static void print_outside(FILE *stream, const struct advise_session *session)
{
    double outside = session->measure.outside;
    char ticks[UNITS_MAX];

    if (outside > 0)
        (void)fprintf(stream,
                      "  left out: %s ticks outside of calls, %.1f %% of the "
                      "time measured: what the profiler sends is there\n",
                      units_count(ticks, (uint64_t)outside),
                      100 * outside / (outside + session->measure.input.wall));
}

static void print_base(FILE *stream, const struct advise_session *session)
{
    const struct advise *advise = session->advise;
    const struct advise_input *input = &session->measure.input;
    double hooks = input->pairs * advise->hooks;
    char wall[UNITS_MAX], pairs[UNITS_MAX], around[UNITS_MAX], left[UNITS_MAX];

    (void)fprintf(
            stream,
            "  its base: %s ticks in calls by %s; less %s pairs of hooks, %.1f "
            "ticks each as measured (%.1f with what was around them); "
            "less %s for what is around them here, counted in the code "
            "at %.2f ticks an instruction: %s\n",
            units_count(wall, (uint64_t)input->wall),
            advise_session_source(session),
            units_count(pairs, (uint64_t)(input->pairs + 0.5)), advise->hooks,
            input->pair,
            units_count(around,
                        (uint64_t)(input->wall - hooks - advise->without)),
            advise->unit, units_count(left, (uint64_t)advise->without));
    print_outside(stream, session);
    (void)fprintf(stream,
                  "  a pair is measured in whole ticks: half a tick is %.1f %% "
                  "in the time without hooks\n",
                  50 * input->pairs / (advise->without - advise->unsure));
    (void)fprintf(stream,
                  "  rather too low: what hooks keep the compiler from doing "
                  "is not counted\n"
                  "  then, told %%: without its hooks, those of all above it, "
                  "and all inlined ones\n");
}

/* What select will keep all the same. */
static void print_stuck(FILE *stream, const struct advise *advise)
{
    size_t count = 0;

    for (size_t i = 0; i < advise->count; i++)
        count += advise->functions[i].stuck_own > 0
                 || advise->functions[i].stuck_inlined > 0;
    if (count > 0)
        (void)fprintf(stream,
                      "  functions of which some hooks cannot be taken out, "
                      "which counts: %zu; `mcuprof select --list` says why\n",
                      count);
}

static void print_samples(FILE *stream, const struct advise_session *session)
{
    const struct advise *advise = session->advise;
    double all = session->measure.input.wall;
    char samples[UNITS_MAX];

    (void)fprintf(stream,
                  "  of %s samples %.1f %% are in the two hooks themselves, "
                  "without what they call; samples count no calls: nothing is "
                  "predicted\n",
                  units_count(samples, (uint64_t)all),
                  all > 0 ? 100 * (double)advise->hook_self / all : 0.0);
}

static void print_notes(struct output *output,
                        const struct advise_session *session)
{
    FILE *stream = output->stream;
    size_t shown = row_limit(session);

    (void)fprintf(
            stream, "\n  self %% of the time of all functions with hooks%s\n",
            session->measure.input.pair > 0 ? ", hooks % of all time in calls"
                                            : "");
    if (shown < session->advise->count)
        (void)fprintf(stream, "  and %zu functions more: -n 0 shows all\n",
                      session->advise->count - shown);
    print_advise_outcome(stream, "  ", session);
    if (session->advise->can_predict)
        print_base(stream, session);
    print_stuck(stream, session->advise);
    if (session->is_selected)
        (void)fprintf(stream, "  the ELF is selected: what that left of hooks "
                              "counts as time without hooks\n");
    if (session->measure.input.is_sampled)
        print_samples(stream, session);
    if (session->capture->trace.selects
        && session->measure.source == ADVISE_TRACE)
        (void)fprintf(stream,
                      "  not every call was recorded (a depth, filters): what "
                      "the hooks of the others cost counts as time without "
                      "hooks\n");
}

static json_t *real_or_null(bool is_known, double number)
{
    return is_known ? json_real(number) : json_null();
}

static int print_as_json(struct output *output,
                         const struct advise_session *session,
                         const struct table *table)
{
    const struct advise *advise = session->advise;
    const struct advise_input *input = &session->measure.input;
    const struct advise_outcome outcome = advise_predict(advise);
    bool known = advise->can_predict;
    json_t *document = json_pack(
            "{s:s, s:i, s:o, s:o, s:s, s:f, s:f, s:o, s:o, s:o, s:o, s:o, s:o,"
            " s:o, s:o, s:o, s:o, s:o, s:o, s:I}",
            "schema", "mcuprof-advise", "schema_version", SCHEMA_VERSION,
            "capture", json_text(session->name), "elf",
            json_text(session->module->path), "source",
            advise_session_source(session), "wall", input->wall, "outside",
            session->measure.outside, "pairs",
            real_or_null(!input->is_sampled, input->pairs), "pair_ticks",
            real_or_null(input->pair > 0, input->pair), "ticks_without",
            real_or_null(known, advise->without), "ticks_unsure",
            real_or_null(!input->is_sampled, advise->unsure), "slowdown",
            real_or_null(known, advise->now.most), "slowdown_least",
            real_or_null(known, advise->now.least), "slowdown_after",
            real_or_null(known, outcome.most), "slowdown_after_least",
            real_or_null(known, outcome.least), "told_percent",
            real_or_null(!input->is_sampled, 100 * outcome.told),
            "told_of_source_percent",
            real_or_null(!input->is_sampled, 100 * outcome.source), "budget",
            real_or_null(session->budget > 0, session->budget), "reached",
            session->budget > 0 ? json_boolean(session->is_reached)
                                : json_null(),
            "hook_samples", (json_int_t)advise->hook_self);

    return print_json(output, document, table);
}

int print_advise(struct output *output, struct advise_session *session)
{
    struct table table;
    int result;

    table_init(&table, columns, COLUMNS);
    result = fill(session, &table);
    if (result == 0)
        switch (session->settings->format) {
        case FORMAT_CSV:
            print_csv(output, &table);
            print_advise_outcome(stderr, "", session);
            break;
        case FORMAT_JSON:
            result = print_as_json(output, session, &table);
            break;
        default:
            print_text(output, &table);
            print_notes(output, session);
            break;
        }
    table_deinit(&table);
    return result;
}
