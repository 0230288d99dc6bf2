/* SPDX-License-Identifier: MIT */
#include "symbols.h"

#include <stdlib.h>

void symbols_free(struct symbols *symbols)
{
    if (symbols == NULL)
        return;
    for (size_t i = 0; i < symbols->function_count; i++)
        free(symbols->functions[i].name);
    for (size_t i = 0; i < symbols->context_count; i++)
        free(symbols->contexts[i].name);
    free(symbols->functions);
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
