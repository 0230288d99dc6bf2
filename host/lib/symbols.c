/* SPDX-License-Identifier: MIT */
#include "symbols.h"

#include <stdlib.h>

static void free_functions(struct symbol_function *functions, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(functions[i].name);
        free(functions[i].linkage);
    }
    free(functions);
}

void symbols_free(struct symbols *symbols)
{
    if (symbols == NULL)
        return;
    free_functions(symbols->functions, symbols->function_count);
    free_functions(symbols->wholes, symbols->whole_count);
    free_functions(symbols->sources, symbols->source_count);
    for (size_t i = 0; i < symbols->file_count; i++)
        free(symbols->files[i]);
    for (size_t i = 0; i < symbols->context_count; i++)
        free(symbols->contexts[i].name);
    free(symbols->files);
    free(symbols->frames);
    free(symbols->locations);
    free(symbols->contexts);
    free(symbols);
}

static int compare_location(const void *key, const void *item)
{
    uint32_t address = *(const uint32_t *)key;
    const struct location *location = item;

    return (address > location->address) - (address < location->address);
}

const struct location *symbols_get(const struct symbols *symbols,
                                   uint32_t address)
{
    return bsearch(&address, symbols->locations, symbols->location_count,
                   sizeof *symbols->locations, compare_location);
}

const struct symbol_frame *symbols_innermost(const struct symbols *symbols,
                                             const struct location *location)
{
    return location->frame_count > 0 ? &symbols->frames[location->first_frame]
                                     : NULL;
}

static int compare_context(const void *key, const void *item)
{
    const struct symbol_context *context = item;

    return (int)*(const uint16_t *)key - (int)context->id;
}

const char *symbols_context(const struct symbols *symbols, uint16_t id)
{
    const struct symbol_context *context =
            bsearch(&id, symbols->contexts, symbols->context_count,
                    sizeof *context, compare_context);

    return context != NULL ? context->name : "";
}

static const struct {
    const char *name;
    const char *kind;
} places[PLACE_COUNT] = {
        [PLACE_FUNCTION] = {NULL, "function"},
        [PLACE_IDLE] = {"[idle]", "idle"},
        [PLACE_UNKNOWN] = {"[unknown]", "unknown"},
        [PLACE_SECURE] = {"[secure]", "secure"},
        [PLACE_NON_SECURE] = {"[non-secure]", "non_secure"},
};

const char *symbols_place_name(enum place place)
{
    return places[place].name;
}

const char *symbols_place_kind(enum place place)
{
    return places[place].kind;
}
