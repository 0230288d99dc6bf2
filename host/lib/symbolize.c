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

/* Longer names than any linker makes in earnest are cut. */
#define NAME_MAX_BYTES 1024

/* A name must not move the cursor, begin a line or colour what follows. */
static void clean_name(char *name)
{
    for (char *at = name; *at != '\0'; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7F)
            *at = '?';
}

static int add_function(struct symbols *symbols,
                        const struct image_symbol *symbol)
{
    struct symbol_function *function =
            &symbols->functions[symbols->function_count];
    size_t length = strnlen(symbol->name, NAME_MAX_BYTES);
    size_t size = length + strlen(symbol->suffix) + 1;

    function->name = malloc(size);
    if (function->name == NULL)
        return MCUPROF_E_NOMEM;
    (void)snprintf(function->name, size, "%.*s%s", (int)length, symbol->name,
                   symbol->suffix);
    clean_name(function->name);
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

void symbolize_address(const struct image *image, uint32_t address, char *out,
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
    if (capture->has_hello
        && image_context_name(image, capture->hello.vectors, id, out, size)
                   == 0)
        return;
    (void)snprintf(out, size, "exception %u", id);
}

void symbolize_context(const struct capture *capture, const struct image *image,
                       uint16_t id, char *out, size_t size)
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

static int add_context(struct symbols *symbols, uint16_t id, const char *name)
{
    struct symbol_context *context = &symbols->contexts[symbols->context_count];
    size_t size = strlen(name) + 1;

    context->id = id;
    context->name = malloc(size);
    if (context->name == NULL)
        return MCUPROF_E_NOMEM;
    memcpy(context->name, name, size);
    symbols->context_count++;
    return 0;
}

static int name_contexts(struct symbols *symbols, const struct capture *capture,
                         const struct image *image)
{
    const struct profile *profile = capture->profile;
    uint8_t seen[(UINT16_MAX + 1) / 8] = {0};
    char name[SYMBOLIZE_CONTEXT_MAX];
    int error = 0;

    for (size_t i = 0; i < profile_count(profile); i++) {
        uint16_t id = profile_get(profile, i).context;

        symbols->context_count += (seen[id / 8] >> id % 8 & 1) == 0;
        seen[id / 8] |= (uint8_t)(1 << id % 8);
    }
    symbols->contexts =
            calloc(symbols->context_count + 1, sizeof *symbols->contexts);
    symbols->context_count = 0;
    if (symbols->contexts == NULL)
        return MCUPROF_E_NOMEM;
    for (uint32_t id = 0; id <= UINT16_MAX && error == 0; id++) {
        if ((seen[id / 8] >> id % 8 & 1) == 0)
            continue;
        symbolize_context(capture, image, (uint16_t)id, name, sizeof name);
        error = add_context(symbols, (uint16_t)id, name);
    }
    return error;
}

static int name_locations(struct symbols *symbols, const struct image *image)
{
    int error = 0;

    for (size_t i = 0; i < symbols->location_count && error == 0; i++)
        error = resolve(symbols, &symbols->locations[i], image);
    return error;
}

int symbolize(struct symbols **out, const struct capture *capture,
              const struct image *image)
{
    struct symbols *symbols = calloc(1, sizeof *symbols);
    size_t room = profile_count(capture->profile) + 1;
    int error = MCUPROF_E_NOMEM;

    if (symbols == NULL)
        return error;
    symbols->locations = calloc(room, sizeof *symbols->locations);
    symbols->functions = calloc(room, sizeof *symbols->functions);
    if (symbols->locations != NULL && symbols->functions != NULL) {
        collect(symbols, capture->profile);
        error = name_locations(symbols, image);
    }
    if (error == 0)
        error = name_contexts(symbols, capture, image);
    if (error < 0) {
        symbols_free(symbols);
        return error;
    }
    *out = symbols;
    return 0;
}
