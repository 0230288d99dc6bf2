/* SPDX-License-Identifier: MIT */
#include "symbolize_functions.h"

#include "symbolize_names.h"

#include <stdlib.h>

/* Rows ascend by function: equal ones stand together. */
static void add_location(struct symbols *symbols,
                         const struct wire_function *row)
{
    size_t count = symbols->location_count;
    struct location *last = count > 0 ? &symbols->locations[count - 1] : NULL;

    if (last != NULL && last->address == row->function) {
        last->weight = function_table_add(last->weight, row->self);
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
        if (table->rows[i].kind == MCUPROF_FUNCTIONS_ROW_FUNCTION)
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

int symbolize_functions(struct symbols **out, const struct capture *capture,
                        struct modules *modules,
                        const struct symbolize_options *options)
{
    struct symbols *symbols = calloc(1, sizeof *symbols);
    int error = MCUPROF_E_NOMEM;

    if (symbols == NULL)
        return error;
    symbols->locations = calloc(capture->functions.whole.count + 1,
                                sizeof *symbols->locations);
    if (symbols->locations != NULL)
        error = name_all(symbols, capture, modules, options);
    if (error < 0) {
        symbols_free(symbols);
        return error;
    }
    *out = symbols;
    return 0;
}
