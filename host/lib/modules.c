/* SPDX-License-Identifier: MIT */
#include "modules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Boot loaders, a kernel, an application and a coprocessor's code, twice. */
enum {
    MODULES_MAX = 16
};

struct modules {
    struct module items[MODULES_MAX];
    char *paths[MODULES_MAX];
    size_t count;
};

struct modules *modules_new(void)
{
    return calloc(1, sizeof(struct modules));
}

void modules_free(struct modules *modules)
{
    if (modules == NULL)
        return;
    for (size_t i = 0; i < modules->count; i++) {
        lines_free(modules->items[i].lines);
        image_free(modules->items[i].image);
        free(modules->paths[i]);
    }
    free(modules);
}

size_t modules_count(const struct modules *modules)
{
    return modules->count;
}

const struct module *modules_get(const struct modules *modules, size_t index)
{
    return &modules->items[index];
}

/*
 * Split "path@0x20001000"; a file of the whole name is no address.
 * errors: MCUPROF_E_USAGE
 */
static int split(char *path, bool *is_moved, uint32_t *address,
                 struct error *error)
{
    char *at = strrchr(path, '@'), *end = NULL;
    unsigned long long value;

    *is_moved = false;
    if (at == NULL || access(path, F_OK) == 0)
        return 0;
    errno = 0;
    value = strtoull(at + 1, &end, 16);
    if (errno != 0 || end == at + 1 || *end != '\0' || value > UINT32_MAX
        || at[1] == '-' || at[1] == '+' || at[1] == ' ')
        return error_set(error, MCUPROF_E_USAGE,
                         "write it as fw.elf@0x20001000",
                         "'%s' is not an address", at + 1);
    *at = '\0';
    *is_moved = true;
    *address = (uint32_t)value;
    return 0;
}

static int refuse_memory(struct error *error)
{
    return error_set(error, MCUPROF_E_NOMEM, "close other programs", "%s",
                     error_message(MCUPROF_E_NOMEM));
}

static int open_module(struct module *module, const char *path,
                       struct error *error)
{
    const char *slash = strrchr(path, '/');
    int result = image_open(&module->image, path, error);

    if (result < 0)
        return result;
    module->path = path;
    module->name = slash != NULL ? slash + 1 : path;
    if (lines_open(&module->lines, module->image) == 0)
        return 0;
    image_free(module->image);
    return refuse_memory(error);
}

int modules_add(struct modules *modules, const char *argument,
                struct error *error)
{
    struct module *module = &modules->items[modules->count];
    bool is_moved = false;
    uint32_t address = 0;
    char *path;
    int result;

    if (modules->count == MODULES_MAX)
        return error_set(error, MCUPROF_E_USAGE, "leave some out",
                         "more than %d ELFs", (int)MODULES_MAX);
    path = strdup(argument);
    if (path == NULL)
        return refuse_memory(error);
    result = split(path, &is_moved, &address, error);
    if (result == 0)
        result = open_module(module, path, error);
    if (result < 0) {
        free(path);
        return result;
    }
    if (is_moved)
        module->bias = address - image_lowest(module->image);
    modules->paths[modules->count++] = path;
    return 0;
}

static bool has_address(const struct module *module, uint32_t address)
{
    return image_section(module->image, address - module->bias)[0] != '\0';
}

/* Where the debug info's function and the symbol are one and the same. */
static bool is_same_function(const struct image_symbol *symbol,
                             const struct lines_frame *physical)
{
    return (strncmp(symbol->name, physical->linkage, symbol->base_size) == 0
            && physical->linkage[symbol->base_size] == '\0')
           || (strncmp(symbol->name, physical->name, symbol->base_size) == 0
               && physical->name[symbol->base_size] == '\0');
}

static void set_symbol(struct modules_place *out, size_t number,
                       const struct image_symbol *symbol)
{
    uint32_t bias = out->module->bias;

    out->kind = symbol->kind;
    out->name = symbol->name;
    out->base_size = symbol->base_size;
    out->suffix = symbol->suffix;
    out->start = symbol->start + bias;
    out->size = symbol->size;
    out->group = (uint64_t)number << 32 | (symbol->base_start + bias);
}

/* The last frame of LINES is a function; see the rule at modules_find. */
static void set_function(struct modules_place *out,
                         const struct image_symbol *symbol,
                         const struct lines_place *lines)
{
    const struct lines_frame *physical = &lines->frames[lines->frame_count - 1];

    /* Pointers are even or aligned: no module number looks like one. */
    out->group = (uint64_t)(uintptr_t)physical->origin | UINT64_C(1) << 63;
    if (symbol->kind == IMAGE_FUNCTION && is_same_function(symbol, physical))
        return;
    if (symbol->suffix[0] != '\0')
        return;
    out->kind = IMAGE_FUNCTION;
    out->name =
            physical->linkage[0] != '\0' ? physical->linkage : physical->name;
    out->base_size = strlen(out->name);
    out->suffix = "";
    out->start = lines->start + out->module->bias;
    out->size = lines->end - lines->start;
}

int modules_find(struct modules *modules, uint32_t address,
                 struct modules_place *out)
{
    struct image_symbol symbol;
    struct lines_place lines;
    size_t number = 0;
    int result;

    *out = (struct modules_place){.section = "",
                                  .name = "[unknown]",
                                  .base_size = strlen("[unknown]"),
                                  .suffix = "",
                                  .start = address & ~1U};
    while (number < modules->count
           && !has_address(&modules->items[number], address))
        number++;
    if (number == modules->count)
        return 0;
    out->module = &modules->items[number];
    address -= out->module->bias;
    out->section = image_section(out->module->image, address);
    result = image_find(out->module->image, address, &symbol);
    /* Without symbols the debug info may still know. */
    if (result < 0 && result != MCUPROF_E_NO_SYMBOLS)
        return result;
    set_symbol(out, number, &symbol);
    if (symbol.kind == IMAGE_DATA)
        return 0;
    result = lines_find(out->module->lines, address, &lines);
    if (result < 0)
        return result;
    out->frames = lines.frames;
    out->frame_count = lines.frame_count;
    if (lines.frame_count > 0
        && lines.frames[lines.frame_count - 1].origin != NULL)
        set_function(out, &symbol, &lines);
    return 0;
}

bool modules_problem(const struct modules *modules, size_t index,
                     struct error *out)
{
    size_t seen = 0;

    for (size_t i = 0; i < modules->count; i++) {
        const struct module *module = &modules->items[i];
        struct error error;

        if (!image_problem(module->image, &error)
            && !lines_problem(module->lines, &error))
            continue;
        if (seen++ == index) {
            *out = error;
            return true;
        }
    }
    return false;
}
