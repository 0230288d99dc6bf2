/* SPDX-License-Identifier: MIT */
#include "symbolize.h"

#include "symbolize_names.h"
#include "text.h"

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

void symbolize_address(struct modules *modules, enum demangle style,
                       uint32_t address, char *out, size_t size)
{
    struct modules_place place;
    char name[DEMANGLE_MAX];

    if (modules_find(modules, address, &place) < 0
        || place.kind != IMAGE_FUNCTION) {
        (void)snprintf(out, size, "[unknown]");
        return;
    }
    demangle(style, place.name, name);
    if (address - place.start < 2)
        (void)snprintf(out, size, "%s%s", name, place.suffix);
    else
        (void)snprintf(out, size, "%s%s+0x%" PRIx32, name, place.suffix,
                       (address & ~1u) - place.start);
}

static int add_context(struct symbols *symbols, uint16_t id, const char *name)
{
    struct symbol_context *context = &symbols->contexts[symbols->context_count];

    context->id = id;
    context->name = text_copy(name);
    if (context->name == NULL)
        return MCUPROF_E_NOMEM;
    symbols->context_count++;
    return 0;
}

static int name_contexts(struct symbols *symbols, const struct capture *capture,
                         const struct modules *modules)
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
        symbolize_context(capture, modules, (uint16_t)id, name, sizeof name);
        error = add_context(symbols, (uint16_t)id, name);
    }
    return error;
}

static int name_locations(struct symbols *symbols, struct modules *modules,
                          const struct symbolize_options *options)
{
    struct symbolize_names names;
    int error = 0;

    symbolize_names_init(&names, symbols, modules, options);
    for (size_t i = 0; i < symbols->location_count && error == 0; i++)
        error = symbolize_names_location(&names, modules,
                                         &symbols->locations[i]);
    symbolize_names_deinit(&names);
    return error;
}

int symbolize(struct symbols **out, const struct capture *capture,
              struct modules *modules, const struct symbolize_options *options)
{
    struct symbols *symbols = calloc(1, sizeof *symbols);
    size_t room = profile_count(capture->profile) + 1;
    int error = MCUPROF_E_NOMEM;

    if (symbols == NULL)
        return error;
    symbols->locations = calloc(room, sizeof *symbols->locations);
    if (symbols->locations != NULL) {
        collect(symbols, capture->profile);
        error = name_locations(symbols, modules, options);
    }
    if (error == 0)
        error = name_contexts(symbols, capture, modules);
    if (error < 0) {
        symbols_free(symbols);
        return error;
    }
    *out = symbols;
    return 0;
}
