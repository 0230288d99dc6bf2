/* SPDX-License-Identifier: MIT */
#include "symbolize.h"

#include "symbolize_names.h"

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

static int name_contexts(struct symbols *symbols, const struct capture *capture,
                         const struct modules *modules)
{
    const struct profile *profile = capture->profile;
    struct context_set seen = {{0}};

    for (size_t i = 0; i < profile_count(profile); i++)
        context_set_put(&seen, profile_get(profile, i).context);
    return symbolize_names_contexts(symbols, capture, modules, &seen);
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
