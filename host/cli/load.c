/* SPDX-License-Identifier: MIT */
#include "load.h"

#include "find_elf.h"
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

static int find_addresses(struct source_addresses *out,
                          const struct found_elf *found, struct error *error)
{
    out->has_trace =
            find_symbol(found->modules, RING_BLOCK_SYMBOL, &out->trace);
    out->has_ram = find_symbol(found->modules, SOURCE_RAM_SYMBOL, &out->ram);
    if (out->has_trace || out->has_ram)
        return 0;
    return error_set(error, MCUPROF_E_NOT_FOUND,
                     "name the ELF that ran with -e, not stripped; build it "
                     "with MCUPROF_TRACE 1 for the call ring, with "
                     "mcuprof_ram.c for a stream in RAM",
                     "%s has no symbol " RING_BLOCK_SYMBOL
                     " and no " SOURCE_RAM_SYMBOL,
                     found->path);
}

static void say_halted(const struct source *source, const char *spec)
{
    char time[UNITS_MAX];

    if (source_halted_us(source) > 0)
        (void)fprintf(stderr, "%s: the target was halted for %s\n", spec,
                      units_seconds(time, source_halted_us(source) / 1e6));
}

int load_source(struct source **out, const char *spec,
                const struct words *given, struct error *error)
{
    struct source_addresses addresses = {0};
    struct found_elf found = {0};
    struct memory flashed = {.read = read_flashed, .name = "the ELF"};
    int result = 0;

    if (source_needs_addresses(spec)) {
        result = find_elf(&found, given, NULL, error);
        if (result == 0)
            result = find_addresses(&addresses, &found, error);
        flashed.context = found.modules;
        addresses.image = &flashed;
    }
    if (result == 0)
        result = source_open(out, spec, &addresses, error);
    modules_free(found.modules);
    if (result == 0)
        say_halted(*out, spec);
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
