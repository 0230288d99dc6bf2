/* SPDX-License-Identifier: MIT */
#include "symbolize_names.h"

#include "text.h"

#include <stdio.h>
#include <stdlib.h>

/* The module whose vector table was in use, or the first one. */
static const struct module *find_vectors(const struct capture *capture,
                                         const struct modules *modules)
{
    for (size_t i = 0; i < modules_count(modules); i++) {
        const struct module *module = modules_get(modules, i);
        uint32_t address = capture->hello.vectors - module->bias;

        if (image_section(module->image, address)[0] != '\0')
            return module;
    }
    return modules_get(modules, 0);
}

static bool has_vectors(const struct capture *capture,
                        const struct modules *modules)
{
    return capture->has_hello && modules != NULL && modules_count(modules) > 0;
}

static int name_exception(const struct capture *capture,
                          const struct modules *modules, uint16_t id, char *out,
                          size_t size)
{
    const struct module *module = NULL;

    if (!capture->has_hello)
        return MCUPROF_E_NOT_FOUND;
    if (has_vectors(capture, modules))
        module = find_vectors(capture, modules);
    return image_context_name(module != NULL ? module->image : NULL,
                              capture->hello.vectors
                                      - (module != NULL ? module->bias : 0),
                              id, out, size);
}

void symbolize_context(const struct capture *capture,
                       const struct modules *modules, uint16_t id, char *out,
                       size_t size)
{
    const struct wire_context *known = capture_context(capture, id);
    char name[SYMBOLIZE_CONTEXT_MAX];

    if (id == WIRE_CONTEXT_UNKNOWN)
        (void)snprintf(name, sizeof name, "[context not known]");
    else if (known != NULL && known->named && id == MCUPROF_CONTEXT_THREAD)
        (void)snprintf(name, sizeof name, "%s", known->name);
    else if (known != NULL && known->named)
        (void)snprintf(name, sizeof name, "%s (%u)", known->name, id);
    else if (id == MCUPROF_CONTEXT_THREAD)
        (void)snprintf(name, sizeof name, "thread");
    else if (id >= MCUPROF_CONTEXT_TASK_FIRST)
        (void)snprintf(name, sizeof name, "task %u", id);
    else if (name_exception(capture, modules, id, name, sizeof name) < 0)
        (void)snprintf(name, sizeof name, "exception %u", id);
    text_clean(out, size, name);
}

bool symbolize_has_handler(const struct capture *capture,
                           const struct modules *modules, uint16_t id)
{
    const struct module *module;

    if (!has_vectors(capture, modules))
        return true;
    module = find_vectors(capture, modules);
    return image_has_handler(module->image,
                             capture->hello.vectors - module->bias, id);
}

void context_set_put(struct context_set *set, uint16_t id)
{
    set->bits[id / 8] |= (uint8_t)(1 << id % 8);
}

static bool has(const struct context_set *set, uint32_t id)
{
    return (set->bits[id / 8] >> id % 8 & 1) != 0;
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

int symbolize_names_contexts(struct symbols *symbols,
                             const struct capture *capture,
                             const struct modules *modules,
                             const struct context_set *set)
{
    char name[SYMBOLIZE_CONTEXT_MAX];
    size_t count = 0;
    int error = 0;

    for (uint32_t id = 0; id <= UINT16_MAX; id++)
        count += has(set, id);
    symbols->contexts = calloc(count + 1, sizeof *symbols->contexts);
    if (symbols->contexts == NULL)
        return MCUPROF_E_NOMEM;
    for (uint32_t id = 0; id <= UINT16_MAX && error == 0; id++) {
        if (!has(set, id))
            continue;
        symbolize_context(capture, modules, (uint16_t)id, name, sizeof name);
        error = add_context(symbols, (uint16_t)id, name);
    }
    return error;
}
