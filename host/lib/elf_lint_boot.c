/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code_registers.h"
#include "elf_lint_parts.h"

/*
 * What runs because the core starts it: the code from reset to main(), and
 * the handlers of the vector table.
 */

enum {
    EXCEPTION_RESET = 1,
    EXCEPTION_IRQ0 = 16,
    EXCEPTION_MAX = 511,
    DEPTH_MAX = 64 /* of calls before main() */
};

void lint_find_vectors(struct lint_search *search)
{
    search->has_vectors = image_find_vectors(search->image, &search->vectors);
}

/* The function that exception NUMBER enters; false behind the table's end. */
static bool next_vector(const struct lint_search *search, unsigned number,
                        size_t *function)
{
    struct image_symbol table;
    uint32_t handler;

    *function = CODE_NONE;
    if (image_read_word(search->image, search->vectors + 4 * number, &handler)
        < 0)
        return false;
    if (image_find(search->image, search->vectors, &table) == 0
        && table.kind == IMAGE_DATA && table.size > 0
        && search->vectors + 4 * number - table.start >= table.size)
        return false;
    if (image_is_handler(search->image, handler))
        *function = code_map_find(search->code, handler);
    else if (number >= EXCEPTION_IRQ0 && handler != 0)
        return false;
    return true;
}

/* From reset to where RAM is ready, in the order of the code. */
struct boot {
    struct lint_search *search;
    bool *seen; /* functions */
    bool *told; /* subjects of hooks */
    bool is_ready;
    uint32_t bss_start;
    uint32_t bss_end;
    bool has_bss;
    const char *reset;
};

static bool find_symbol(const struct image *image, const char *const *names,
                        uint32_t *out)
{
    for (; *names != NULL; names++)
        if (image_symbol_address(image, *names, out) == 0)
            return true;
    return false;
}

static bool find_bss(const struct image *image, uint32_t *start, uint32_t *end)
{
    static const char *const starts[] = {
            "__bss_start__", "_sbss", "__bss_start", "__bss_begin",
            "_bss_start",    "_bss",  "__START_BSS", NULL};
    static const char *const ends[] = {"__bss_end__", "_ebss",    "__bss_end",
                                       "_bss_end__",  "_bss_end", "__END_BSS",
                                       NULL};

    return find_symbol(image, starts, start) && find_symbol(image, ends, end);
}

/*
 * Behind which address of FUNCTION .bss is empty: it makes both limits, to
 * clear what is between by a loop or a call. One alone may be a variable's
 * address. 0 if it does not.
 */
static uint32_t find_clearing(const struct boot *boot, size_t function)
{
    const struct code_function *code = &boot->search->code->functions[function];
    struct code_registers registers = {.image = boot->search->image};
    uint32_t start = 0, end = 0, value;
    struct thumb thumb;

    for (uint32_t at = 0; boot->has_bss && at < code->size; at += thumb.size) {
        if (!code_map_at(boot->search->code, code->start + at, &thumb))
            break;
        code_registers_step(&registers, &thumb);
        if (thumb.make == THUMB_UNKNOWN
            || !code_registers_get(&registers, thumb.made, &value))
            continue;
        if (value == boot->bss_start)
            start = thumb.address;
        if (value == boot->bss_end)
            end = thumb.address;
    }
    if (start == 0 || end == 0)
        return 0;
    return start > end ? start : end;
}

/* Whom the hooks in FUNCTION are for, up to LAST: it and what is inlined. */
static int tell_early(struct boot *boot, size_t function, uint32_t last)
{
    const struct code_function *at = &boot->search->code->functions[function];
    const struct hook_sites *sites = boot->search->sites;
    int result = 0;

    for (size_t i = hook_sites_from(sites, at->start);
         result == 0 && i < sites->count
         && sites->items[i].address - at->start < at->size
         && sites->items[i].address <= last;
         i++) {
        const struct hook_site *site = &sites->items[i];

        if (site->function != function || boot->told[site->subject])
            continue;
        boot->told[site->subject] = true;
        result = lint_add_subject(boot->search, LINT_EARLY, site->subject, 0,
                                  "before %s, from %.60s",
                                  boot->has_bss ? ".bss is cleared" : "main()",
                                  boot->reset);
    }
    return result;
}

/* A function that is gone through, up to one of its branches. */
struct visit {
    size_t function;
    size_t next;       /* of its branches */
    uint32_t clearing; /* as find_clearing() says */
};

/* Begin with FUNCTION, if it is the first time. */
static int enter(struct boot *boot, size_t function, struct visit *stack,
                 size_t *depth)
{
    const struct code_function *at = &boot->search->code->functions[function];
    uint32_t clearing;

    if (strcmp(at->name, "main") == 0)
        boot->is_ready = true;
    if (boot->is_ready || boot->seen[function] || *depth == DEPTH_MAX)
        return 0;
    boot->seen[function] = true;
    clearing = find_clearing(boot, function);
    stack[(*depth)++] =
            (struct visit){.function = function, .clearing = clearing};
    if (!boot->search->is_hooked[function])
        return 0;
    return tell_early(boot, function, clearing != 0 ? clearing : UINT32_MAX);
}

/* Go through what RESET reaches, until RAM is ready. */
static int run_boot(struct boot *boot, size_t reset)
{
    const struct code_map *code = boot->search->code;
    struct visit stack[DEPTH_MAX] = {{0}};
    size_t depth = 0;
    int result = enter(boot, reset, stack, &depth);

    while (result == 0 && depth > 0 && !boot->is_ready) {
        struct visit *visit = &stack[depth - 1];
        const struct code_branch *branch;
        size_t target;

        if (visit->next == code->functions[visit->function].branches) {
            boot->is_ready = visit->clearing != 0;
            depth--;
            continue;
        }
        branch = code_map_branch(code, visit->function, visit->next++);
        target = code_map_find(code, branch->target);
        if (visit->clearing != 0 && branch->address > visit->clearing)
            boot->is_ready = true;
        else if (target != CODE_NONE
                 && !hook_sites_is_hook(boot->search->sites, branch->target))
            result = enter(boot, target, stack, &depth);
    }
    return result;
}

int lint_check_early(struct lint_search *search)
{
    struct boot boot = {.search = search, .reset = "the entry point"};
    size_t reset = CODE_NONE;
    int result = 0;

    if (search->has_vectors)
        (void)next_vector(search, EXCEPTION_RESET, &reset);
    if (reset == CODE_NONE)
        reset = code_map_find(search->code, image_entry(search->image));
    if (reset == CODE_NONE || search->sites->count == 0)
        return 0;
    boot.reset = search->code->functions[reset].name;
    boot.seen = calloc(search->code->function_count, 1);
    boot.told = calloc(search->sites->subject_count + 1, 1);
    boot.has_bss = find_bss(search->image, &boot.bss_start, &boot.bss_end);
    result = boot.seen == NULL || boot.told == NULL ? MCUPROF_E_NOMEM
                                                    : run_boot(&boot, reset);
    free(boot.seen);
    free(boot.told);
    return result;
}

/* A section's name alone says little: it may be between the limits. */
int lint_check_kept(struct lint_search *search)
{
    const struct image *image = search->image;
    const char *section;
    uint32_t ring, start, end, word;

    if (image_symbol_address(image, "mcuprof_trace_keep", &ring) < 0)
        return 0;
    section = image_section(image, ring);
    if (strncmp(section, ".bss", 4) == 0
        || (find_bss(image, &start, &end) && ring >= start && ring < end))
        return lint_add(search, LINT_NOT_KEPT,
                        "at 0x%08x in %.60s, which is cleared before main()",
                        ring, section);
    if (image_read_word(image, ring, &word) == 0)
        return lint_add(search, LINT_NOT_KEPT,
                        "at 0x%08x in %.60s, which has contents (PROGBITS): "
                        "who loads the firmware overwrites it",
                        ring, section);
    return 0;
}

/* Whether FUNCTION goes into the sampler, as MCUPROF_SAMPLE_HANDLER does. */
static bool is_sampler(const struct lint_search *search, size_t function)
{
    static const char *const ways[] = {
            "mcuprofi_sample", "mcuprofi_sampler_take", "mcuprof_sample_put"};
    const struct code_map *code = search->code;

    for (size_t i = 0; i < code->functions[function].branches; i++) {
        size_t target =
                code_map_find(code, code_map_branch(code, function, i)->target);

        for (size_t k = 0;
             target != CODE_NONE && k < sizeof ways / sizeof ways[0]; k++)
            if (strcmp(code->functions[target].name, ways[k]) == 0)
                return true;
    }
    return false;
}

static size_t count_enters(const struct lint_search *search, size_t function)
{
    const struct code_map *code = search->code;
    size_t count = 0;

    for (size_t i = 0; i < code->functions[function].branches; i++)
        count += search->sites->has_enter
                 && code_map_branch(code, function, i)->target
                            == search->sites->enter;
    return count;
}

int lint_check_handlers(struct lint_search *search)
{
    bool *seen = calloc(search->code->function_count + 1, 1);
    char context[80];
    size_t function;
    int result = seen == NULL ? MCUPROF_E_NOMEM : 0;

    for (unsigned n = EXCEPTION_RESET + 1;
         result == 0 && search->has_vectors && n <= EXCEPTION_MAX
         && next_vector(search, n, &function);
         n++) {
        size_t enters;

        if (function == CODE_NONE || seen[function]
            || !search->is_hooked[function] || search->is_naked[function])
            continue;
        seen[function] = true;
        if (image_context_name(search->image, search->vectors, n, context,
                               sizeof context)
            < 0)
            break;
        enters = count_enters(search, function);
        result = lint_add_function(
                search,
                is_sampler(search, function) ? LINT_SAMPLER : LINT_HANDLER,
                function, enters, "%s: %zu pair%s of hooks in its code",
                context, enters, enters == 1 ? "" : "s");
    }
    free(seen);
    return result;
}
