/* SPDX-License-Identifier: MIT */
#include "load.h"

#include "find_elf.h"
#include "identity.h"
#include "source_ram.h"
#include "units.h"

#include <stdio.h>
#include <string.h>

static bool find_symbol(const struct modules *modules, const char *name,
                        uint32_t *address)
{
    for (size_t i = 0; i < modules_count(modules); i++) {
        const struct module *module = modules_get(modules, i);

        if (image_symbol_address(module->image, name, address) < 0)
            continue;
        *address += module->bias;
        return true;
    }
    return false;
}

/* What was flashed, as a memory. */
static int read_flashed(void *context, uint32_t address, uint8_t *out,
                        size_t size, struct error *error)
{
    const struct modules *modules = context;

    (void)error;
    for (size_t i = 0; i < modules_count(modules); i++) {
        const struct module *module = modules_get(modules, i);

        if (image_read(module->image, address - module->bias, out, size) == 0)
            return 0;
    }
    return MCUPROF_E_NOT_FOUND;
}

#define NEEDS_ELF                                                              \
    "name the ELF that ran with -e, not stripped; build it with "              \
    "MCUPROF_FUNCTIONS 1 for the function table, MCUPROF_TRACE 1 for the "     \
    "call ring, with mcuprof_ram.c for a stream in RAM"

#define SYMBOLS                                                                \
    FUNCTION_BLOCK_SYMBOL ", " RING_BLOCK_SYMBOL " or " SOURCE_RAM_SYMBOL

static int find_addresses(struct source_addresses *out,
                          const struct found_elf *found, struct error *error)
{
    out->has_trace =
            find_symbol(found->modules, RING_BLOCK_SYMBOL, &out->trace);
    out->has_functions =
            find_symbol(found->modules, FUNCTION_BLOCK_SYMBOL, &out->functions);
    out->has_ram = find_symbol(found->modules, SOURCE_RAM_SYMBOL, &out->ram);
    if (source_addresses_any(out))
        return 0;
    return error_set(error, MCUPROF_E_NOT_FOUND, NEEDS_ELF,
                     "%s has no symbol " SYMBOLS, found->path);
}

static void say_halted(const struct source *source, const char *spec)
{
    char time[UNITS_MAX];

    if (source_halted_us(source) > 0)
        (void)fprintf(stderr, "%s: the target was halted for %s\n", spec,
                      units_seconds(time, source_halted_us(source) / 1e6));
}

/* Open SPEC with what FOUND says of the firmware. */
static int open_with(struct source **out, const char *spec,
                     const struct source_addresses *addresses,
                     struct found_elf *found, struct error *error)
{
    const struct memory flashed = {
            .context = found->modules, .read = read_flashed, .name = "the ELF"};
    struct source_addresses all = *addresses;
    int result;

    all.image = &flashed;
    result = source_open(out, spec, &all, error);
    if (result == 0)
        say_halted(*out, spec);
    return result;
}

/* The ELFs of a directory, tried one after another. */
struct search {
    const char *spec;
    struct source *source; /* of the last one that opened, NULL: none */
    struct source_addresses at;
    bool is_known; /* the identity that it has: */
    struct wire_identity identity;
    struct error error; /* of the last one that did not open */
};

static bool is_same_place(const struct source_addresses *a,
                          const struct source_addresses *b)
{
    return a->has_trace == b->has_trace && a->trace == b->trace
           && a->has_ram == b->has_ram && a->ram == b->ram
           && a->has_functions == b->has_functions
           && a->functions == b->functions;
}

/* Which firmware SOURCE is of; it can be read again then. */
static int identify(struct search *search)
{
    struct capture *capture = capture_new();
    int result;

    if (capture == NULL)
        return error_set(&search->error, MCUPROF_E_NOMEM, "", "out of memory");
    result =
            capture_read(capture, search->source, search->spec, &search->error);
    search->is_known = result == 0 && capture->identity_count > 0;
    if (search->is_known)
        search->identity = capture->identities[0];
    capture_free(capture);
    source_rewind(search->source);
    return result;
}

static bool is_elsewhere(int result)
{
    return result == MCUPROF_E_NOT_FOUND || result == MCUPROF_E_NO_DATA
           || result == MCUPROF_E_FORMAT || result == MCUPROF_E_TRUNCATED
           || result == MCUPROF_E_IO;
}

static bool is_of(const struct search *search, const struct found_elf *found)
{
    char have[IDENTITY_TEXT_MAX];
    enum identity_verdict verdict = identity_check(
            modules_get(found->modules, 0)->image, &search->identity, have);

    return verdict == IDENTITY_MATCH || verdict == IDENTITY_PARTIAL;
}

/* 1 if it is the one. */
static int try_elf(void *context, struct found_elf *found)
{
    struct search *search = context;
    struct source_addresses at = {0};
    struct source *source = NULL;
    bool is_it = search->is_known && is_of(search, found);
    int result;

    if ((search->is_known && !is_it) || find_addresses(&at, found, NULL) < 0
        || (!search->is_known && is_same_place(&at, &search->at)))
        return 0;
    search->at = at;
    result = open_with(&source, search->spec, &at, found, &search->error);
    if (result < 0)
        return is_elsewhere(result) ? 0 : result;
    source_close(search->source);
    search->source = source;
    if (is_it)
        return 1;
    result = identify(search);
    if (result < 0)
        return result;
    /* Where nothing tells whose it is the first will do: nobody names it. */
    return !search->is_known || is_of(search, found);
}

/*
 * Which of the ELFs in DIRECTORY ran is said by the memory, and where in memory
 * by the ELF: try each place, then take the ELF that matches what is there.
 */
static int search_directory(struct source **out, const char *spec,
                            const char *directory, struct error *error)
{
    struct search search = {.spec = spec};
    int result = find_elf_each(directory, try_elf, &search);

    *out = search.source;
    if (result >= 0 && search.source != NULL)
        return 0;
    source_close(search.source);
    if (search.error.code == 0)
        return error_set(error, MCUPROF_E_NOT_FOUND, NEEDS_ELF,
                         "no ELF in %s has a symbol " SYMBOLS, directory);
    *error = search.error;
    return error->code;
}

int load_source(struct source **out, const char *spec,
                const struct words *given, struct error *error)
{
    struct source_addresses addresses = {0};
    struct found_elf found = {0};
    int result;

    if (!source_needs_addresses(spec))
        return source_open(out, spec, &addresses, error);
    if (given->count == 1 && find_elf_is_directory(given->items[0]))
        return search_directory(out, spec, given->items[0], error);
    result = find_elf(&found, given, NULL, error);
    if (result == 0)
        result = find_addresses(&addresses, &found, error);
    if (result == 0)
        result = open_with(out, spec, &addresses, &found, error);
    modules_free(found.modules);
    return result;
}

int load_into(struct capture *capture, const char *spec,
              const struct words *given, struct error *error)
{
    struct source *source = NULL;
    int result = load_source(&source, spec, given, error);

    if (result < 0)
        return result;
    result = capture_read(capture, source,
                          strcmp(spec, "-") == 0 ? "standard input" : spec,
                          error);
    source_close(source);
    return result;
}

int load_capture(struct capture **out, const char *spec,
                 const struct words *given, struct error *error)
{
    struct capture *capture = capture_new();
    int result;

    if (capture == NULL)
        return error_set(error, MCUPROF_E_NOMEM, "", "out of memory");
    result = load_into(capture, spec, given, error);
    if (result < 0) {
        capture_free(capture);
        return result;
    }
    *out = capture;
    return 0;
}
