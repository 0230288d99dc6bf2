/* SPDX-License-Identifier: MIT */
#include "symbolize_functions.h"

#include "call_names.h"
#include "symbolize_names.h"

#include <stdio.h>
#include <stdlib.h>

/* Rows ascend by function: equal ones stand together. */
static void add_location(struct symbols *symbols,
                         const struct function_counts *row)
{
    size_t count = symbols->location_count;
    struct location *last = count > 0 ? &symbols->locations[count - 1] : NULL;

    if (last != NULL && last->address == row->function) {
        last->weight = function_counts_sum(last->weight, row->self);
        return;
    }
    symbols->locations[symbols->location_count++] = (struct location){
            .address = row->function,
            .function = SYMBOLS_NONE,
            .weight = row->self,
    };
}

static int name_all(struct symbols *symbols, const struct capture *capture,
                    struct modules *modules,
                    const struct symbolize_options *options)
{
    const struct function_snapshot *table = &capture->functions.whole;
    struct context_set contexts = {{0}};
    struct symbolize_names names;
    int error = 0;

    for (size_t i = 0; i < table->count; i++) {
        context_set_put(&contexts, table->rows[i].context);
        if (table->rows[i].kind == FUNCTION_COUNTED)
            add_location(symbols, &table->rows[i]);
    }
    symbolize_names_init(&names, symbols, modules, options);
    for (size_t i = 0; i < symbols->location_count && error == 0; i++)
        error = symbolize_names_location(&names, modules,
                                         &symbols->locations[i]);
    symbolize_names_deinit(&names);
    return error < 0 ? error
                     : symbolize_names_contexts(symbols, capture, modules,
                                                &contexts);
}

static int name_symbols(struct named_functions *functions,
                        const struct capture *capture, struct modules *modules,
                        const struct symbolize_options *options)
{
    functions->symbols = calloc(1, sizeof *functions->symbols);
    if (functions->symbols == NULL)
        return MCUPROF_E_NOMEM;
    functions->symbols->locations =
            calloc(functions->count + 1, sizeof *functions->symbols->locations);
    return functions->symbols->locations == NULL
                   ? MCUPROF_E_NOMEM
                   : name_all(functions->symbols, capture, modules, options);
}

static int copy_times(struct named_functions *functions,
                      const struct call_times *calls)
{
    size_t count = call_times_count(calls);

    functions->has_times = true;
    functions->times = calloc(count + 1, sizeof *functions->times);
    if (functions->times == NULL)
        return MCUPROF_E_NOMEM;
    for (size_t i = 0; i < count; i++) {
        struct call_time time = call_times_get(calls, i);

        functions->times[functions->time_count++] = (struct named_time){
                time.function, time.context, time.ticks, time.calls};
    }
    return 0;
}

/* "main;work;leaf", to be freed; NULL without memory. */
static char *name_path(const struct call_worst *call, struct call_names *names)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    bool failed = out == NULL;

    for (size_t i = 0; i < call->depth && !failed; i++) {
        const char *name = call_names_function(names, call->path[i]);

        failed = name == NULL
                 || fprintf(out, "%s%s", i > 0 ? ";" : "", name) < 0;
    }
    if (out != NULL && fclose(out) != 0)
        failed = true;
    if (!failed)
        return text;
    free(text);
    return NULL;
}

static int name_longest(struct named_functions *functions,
                        const struct call_times *calls,
                        struct call_names *names)
{
    size_t count = call_times_worst_count(calls);

    functions->longest = calloc(count + 1, sizeof *functions->longest);
    if (functions->longest == NULL || names == NULL)
        return MCUPROF_E_NOMEM;
    for (size_t i = 0; i < count; i++) {
        const struct call_worst *call = call_times_worst(calls, i);
        char *path = name_path(call, names);

        if (path == NULL)
            return MCUPROF_E_NOMEM;
        functions->longest[functions->longest_count++] = (struct named_longest){
                call->function, call->context, call->ticks, call->at.ps, path};
    }
    return 0;
}

static int name_calls(struct named_functions *functions,
                      const struct capture *capture, struct modules *modules,
                      const struct call_times *calls,
                      const struct symbolize_options *options)
{
    struct call_names *names;
    int error = copy_times(functions, calls);

    if (error < 0)
        return error;
    names = call_names_new(capture, modules, options->demangle);
    error = name_longest(functions, calls, names);
    call_names_free(names);
    return error;
}

int symbolize_functions(struct named_functions **out,
                        const struct capture *capture, struct modules *modules,
                        const struct call_times *calls,
                        const struct symbolize_options *options)
{
    const struct function_snapshot *table = &capture->functions.whole;
    struct named_functions *functions = calloc(1, sizeof *functions);
    int error;

    if (functions == NULL)
        return MCUPROF_E_NOMEM;
    functions->rows = table->rows;
    functions->count = table->count;
    functions->hooks = function_counts_sum(table->counts.hooks, table->pairs);
    functions->whole = table->ticks;
    error = name_symbols(functions, capture, modules, options);
    if (error == 0 && calls != NULL)
        error = name_calls(functions, capture, modules, calls, options);
    if (error < 0) {
        named_functions_free(functions);
        return error;
    }
    *out = functions;
    return 0;
}
