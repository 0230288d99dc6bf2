/* SPDX-License-Identifier: MIT */
#include "symbolize.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_address(const void *a, const void *b)
{
    const struct location *left = a;
    const struct location *right = b;

    return (left->address > right->address) - (left->address < right->address);
}

/* One location an address, whatever the contexts it was seen in. */
static void collect(struct symbols *symbols, const struct profile *profile)
{
    struct location *locations = symbols->locations;
    size_t count = profile_count(profile);
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        struct profile_entry entry = profile_get(profile, i);

        locations[i].address = entry.frames[0];
        locations[i].weight = entry.weight;
        locations[i].function = SYMBOLS_NONE;
    }
    qsort(locations, count, sizeof *locations, by_address);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && locations[kept - 1].address == locations[i].address)
            locations[kept - 1].weight += locations[i].weight;
        else
            locations[kept++] = locations[i];
    }
    symbols->location_count = kept;
}

static int add_function(struct symbols *symbols,
                        const struct image_symbol *symbol)
{
    struct symbol_function *function =
            &symbols->functions[symbols->function_count];
    size_t size = strlen(symbol->name) + strlen(symbol->suffix) + 1;

    function->name = malloc(size);
    if (function->name == NULL)
        return MCUPROF_E_NOMEM;
    (void)snprintf(function->name, size, "%s%s", symbol->name, symbol->suffix);
    function->start = symbol->start;
    function->size = symbol->size;
    symbols->function_count++;
    return 0;
}

/*
 * Locations ascend, so the function of a location is the last one or a new
 * one, unless a symbol lies inside of another: then the search goes back.
 */
static int number_function(struct symbols *symbols, struct location *location,
                           const struct image_symbol *symbol)
{
    size_t number = symbols->function_count;
    int error = 0;

    while (number > 0 && symbols->functions[number - 1].start > symbol->start)
        number--;
    if (number > 0 && symbols->functions[number - 1].start == symbol->start) {
        location->function = number - 1;
        return 0;
    }
    error = add_function(symbols, symbol);
    location->function = symbols->function_count - 1;
    return error;
}

static int resolve(struct symbols *symbols, struct location *location,
                   const struct image *image)
{
    struct image_symbol symbol = {0};
    bool found = image_find(image, location->address, &symbol) == 0
                 && symbol.kind == IMAGE_FUNCTION;

    if (location->address == MCUPROF_PC_SECURE)
        location->place = PLACE_SECURE;
    else if (location->address == MCUPROF_PC_NON_SECURE)
        location->place = PLACE_NON_SECURE;
    else if (image_is_idle(image, location->address))
        location->place = PLACE_IDLE;
    else
        location->place = found ? PLACE_FUNCTION : PLACE_UNKNOWN;
    return found ? number_function(symbols, location, &symbol) : 0;
}

int symbols_new(struct symbols **out, const struct profile *profile,
                const struct image *image)
{
    struct symbols *symbols = calloc(1, sizeof *symbols);
    size_t room = profile_count(profile) + 1;
    int error = 0;

    if (symbols == NULL)
        return MCUPROF_E_NOMEM;
    symbols->locations = calloc(room, sizeof *symbols->locations);
    symbols->functions = calloc(room, sizeof *symbols->functions);
    if (symbols->locations == NULL || symbols->functions == NULL) {
        symbols_free(symbols);
        return MCUPROF_E_NOMEM;
    }
    collect(symbols, profile);
    for (size_t i = 0; i < symbols->location_count && error == 0; i++)
        error = resolve(symbols, &symbols->locations[i], image);
    if (error < 0) {
        symbols_free(symbols);
        return error;
    }
    *out = symbols;
    return 0;
}

void symbols_free(struct symbols *symbols)
{
    if (symbols == NULL)
        return;
    for (size_t i = 0; i < symbols->function_count; i++)
        free(symbols->functions[i].name);
    free(symbols->functions);
    free(symbols->locations);
    free(symbols);
}

const struct location *symbols_get(const struct symbols *symbols,
                                   uint32_t address)
{
    const struct location wanted = {.address = address};

    return bsearch(&wanted, symbols->locations, symbols->location_count,
                   sizeof wanted, by_address);
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

void symbols_describe(const struct image *image, uint32_t address, char *out,
                      size_t size)
{
    struct image_symbol symbol = {0};

    if (image_find(image, address, &symbol) < 0
        || symbol.kind != IMAGE_FUNCTION)
        (void)snprintf(out, size, "[unknown]");
    else if (address - symbol.start < 2)
        (void)snprintf(out, size, "%s%s", symbol.name, symbol.suffix);
    else
        (void)snprintf(out, size, "%s%s+0x%" PRIx32, symbol.name, symbol.suffix,
                       (address & ~1u) - symbol.start);
}

static void exception_name(const struct capture *capture,
                           const struct image *image, uint16_t id, char *out,
                           size_t size)
{
    if (image != NULL && capture->has_hello
        && image_context_name(image, capture->hello.vectors, id, out, size)
                   == 0)
        return;
    (void)snprintf(out, size, "exception %u", id);
}

void symbols_context_name(const struct capture *capture,
                          const struct image *image, uint16_t id, char *out,
                          size_t size)
{
    const struct wire_context *known = capture_context(capture, id);

    if (known != NULL && known->named && id == MCUPROF_CONTEXT_THREAD)
        (void)snprintf(out, size, "%s", known->name);
    else if (known != NULL && known->named)
        (void)snprintf(out, size, "%s (%u)", known->name, id);
    else if (id == MCUPROF_CONTEXT_THREAD)
        (void)snprintf(out, size, "thread");
    else if (id >= MCUPROF_CONTEXT_TASK_FIRST)
        (void)snprintf(out, size, "task %u", id);
    else
        exception_name(capture, image, id, out, size);
}
