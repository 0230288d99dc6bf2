/* SPDX-License-Identifier: MIT */
#include "modules.h"

#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Boot loaders, a kernel, an application and a coprocessor's code, twice. */
enum {
    MODULES_MAX = 16
};

/* Code of two modules at one address, both ends included. */
struct overlap {
    size_t earlier; /* the module whose names count */
    size_t later;
    uint32_t start;
    uint32_t last;
};

struct modules {
    struct module items[MODULES_MAX];
    char *paths[MODULES_MAX];
    char *arguments[MODULES_MAX]; /* with the address, if any */
    size_t count;
    struct overlap largest; /* of the overlaps, and of equals the first */
    size_t overlap_count;
};

struct modules *modules_new(void)
{
    return calloc(1, sizeof(struct modules));
}

static void close_module(struct modules *modules, size_t number)
{
    lines_free(modules->items[number].lines);
    image_free(modules->items[number].image);
    free(modules->paths[number]);
    free(modules->arguments[number]);
}

void modules_free(struct modules *modules)
{
    if (modules == NULL)
        return;
    for (size_t i = 0; i < modules->count; i++)
        close_module(modules, i);
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
    char *at = strrchr(path, '@');

    *is_moved = false;
    if (at == NULL || access(path, F_OK) == 0)
        return 0;
    if (!text_to_address(at + 1, address))
        return error_set(error, MCUPROF_E_USAGE,
                         "write it as fw.elf@0x20001000",
                         "'%s' is not an address", at + 1);
    *at = '\0';
    *is_moved = true;
    return 0;
}

static int refuse_memory(struct error *error)
{
    return error_set(error, MCUPROF_E_NOMEM, "close other programs", "%s",
                     error_message(MCUPROF_E_NOMEM));
}

/*
 * Move MODULE so that its code lands at ADDRESS.
 * errors: MCUPROF_E_USAGE
 */
static int move(struct module *module, uint32_t address, struct error *error)
{
    uint32_t bias = address - image_lowest(module->image);
    uint32_t start = 0, last = 0;

    if (bias % 2 != 0)
        return error_set(error, MCUPROF_E_USAGE,
                         "give the address it was loaded to",
                         "code cannot be at 0x%08" PRIx32 ", which is not even",
                         address);
    if (image_next_code(module->image, image_lowest(module->image), &start,
                        &last)
        && last + bias < address)
        return error_set(error, MCUPROF_E_USAGE,
                         "give the address it was loaded to",
                         "at 0x%08" PRIx32 " %s would pass the end of memory",
                         address, module->path);
    module->bias = bias;
    return 0;
}

/* The last PARTS parts of PATH. */
static const char *tail(const char *path, unsigned parts)
{
    const char *at = path + strlen(path);

    while (at > path && (at[-1] != '/' || --parts > 0))
        at--;
    return at;
}

/* The argument where one file was given for several addresses. */
static const char *full_name(const struct modules *modules, size_t number)
{
    for (size_t i = 0; i < modules->count; i++)
        if (i != number
            && strcmp(modules->paths[i], modules->paths[number]) == 0)
            return modules->arguments[number];
    return modules->paths[number];
}

static bool is_unique(const struct modules *modules, size_t number,
                      unsigned parts)
{
    const char *name = tail(full_name(modules, number), parts);

    for (size_t i = 0; i < modules->count; i++)
        if (i != number
            && strcmp(tail(full_name(modules, i), parts), name) == 0)
            return false;
    return true;
}

/* As many parts of the path as it takes to tell them apart. */
static void name_modules(struct modules *modules)
{
    for (size_t i = 0; i < modules->count; i++) {
        const char *full = full_name(modules, i);
        unsigned parts = 1;

        while (!is_unique(modules, i, parts) && tail(full, parts) > full)
            parts++;
        modules->items[i].name = tail(full, parts);
    }
}

/*
 * The first overlap of code of A and B that ends at FROM or behind it; all are
 * addresses in A's ELF.
 */
static bool next_overlap(const struct module *a, const struct module *b,
                         uint32_t from, uint32_t *start, uint32_t *last)
{
    uint32_t shift = a->bias - b->bias;
    uint32_t b_start, b_last;

    while (image_next_code(a->image, from, start, last)) {
        if (*start < from)
            *start = from;
        if (image_next_code(b->image, *start + shift, &b_start, &b_last)
            && b_start <= *last + shift) {
            if (b_start > *start + shift)
                *start = b_start - shift;
            if (b_last < *last + shift)
                *last = b_last - shift;
            return true;
        }
        if (*last == UINT32_MAX)
            break;
        from = *last + 1;
    }
    return false;
}

static void note_overlap(struct modules *modules, struct overlap overlap)
{
    const struct overlap *largest = &modules->largest;

    if (modules->overlap_count++ == 0
        || overlap.last - overlap.start > largest->last - largest->start)
        modules->largest = overlap;
}

/*
 * Note where two modules have code; what adjoins is one overlap. RAM of a boot
 * loader and of its application is the same, and may be.
 */
static void compare_modules(struct modules *modules, size_t earlier,
                            size_t later)
{
    const struct module *a = &modules->items[earlier];
    const struct module *b = &modules->items[later];
    uint32_t start, last, next_start = 0, next_last = 0;
    bool has_more = next_overlap(a, b, 0, &start, &last);

    while (has_more) {
        has_more = last != UINT32_MAX
                   && next_overlap(a, b, last + 1, &next_start, &next_last);
        if (!has_more || next_start != last + 1) {
            note_overlap(modules, (struct overlap){.earlier = earlier,
                                                   .later = later,
                                                   .start = start + a->bias,
                                                   .last = last + a->bias});
            start = next_start;
        }
        last = next_last;
    }
}

/* Fill the module behind the last one, to be given to close_module. */
static int fill_module(struct modules *modules, const char *argument,
                       struct error *error)
{
    struct module *module = &modules->items[modules->count];
    char *path = strdup(argument);
    bool is_moved = false;
    uint32_t address = 0;
    int result;

    *module = (struct module){.path = path};
    modules->paths[modules->count] = path;
    modules->arguments[modules->count] = strdup(argument);
    if (path == NULL || modules->arguments[modules->count] == NULL)
        return refuse_memory(error);
    result = split(path, &is_moved, &address, error);
    if (result == 0)
        result = image_open(&module->image, path, error);
    if (result == 0 && lines_open(&module->lines, module->image) < 0)
        result = refuse_memory(error);
    if (result == 0 && is_moved)
        result = move(module, address, error);
    return result;
}

static bool is_given(const struct modules *modules, const char *argument)
{
    for (size_t i = 0; i < modules->count; i++)
        if (strcmp(modules->arguments[i], argument) == 0)
            return true;
    return false;
}

int modules_add(struct modules *modules, const char *argument,
                struct error *error)
{
    int result;

    if (modules->count == MODULES_MAX)
        return error_set(error, MCUPROF_E_USAGE, "leave some out",
                         "more than %d ELFs", (int)MODULES_MAX);
    if (is_given(modules, argument))
        return error_set(error, MCUPROF_E_USAGE, "leave one out",
                         "%s is given twice", argument);
    result = fill_module(modules, argument, error);
    if (result < 0) {
        close_module(modules, modules->count);
        return result;
    }
    modules->count++;
    name_modules(modules);
    for (size_t i = 0; i + 1 < modules->count; i++)
        compare_modules(modules, i, modules->count - 1);
    return 0;
}

/* How sure a module's claim to an address is. */
enum claim {
    CLAIM_NONE,
    CLAIM_LOAD_IMAGE,
    CLAIM_DATA,
    CLAIM_CODE
};

static enum claim judge_claim(const struct module *module, uint32_t address)
{
    const struct image *image = module->image;
    struct image_symbol symbol;
    uint32_t target = 0;

    address -= module->bias;
    if (image_is_code(image, address))
        return CLAIM_CODE;
    if (!image_has_address(image, address))
        return image_load_target(image, address, &target) ? CLAIM_LOAD_IMAGE
                                                          : CLAIM_NONE;
    /* A RAM function may be in a section that says it is data. */
    return image_find(image, address, &symbol) == 0
                           && symbol.kind == IMAGE_FUNCTION
                   ? CLAIM_CODE
                   : CLAIM_DATA;
}

/* Returns the count if none has it. */
static size_t find_module(const struct modules *modules, uint32_t address)
{
    size_t best = modules->count;
    enum claim best_claim = CLAIM_NONE;

    for (size_t i = 0; i < modules->count && best_claim < CLAIM_CODE; i++) {
        enum claim claim = judge_claim(&modules->items[i], address);

        if (claim > best_claim) {
            best_claim = claim;
            best = i;
        }
    }
    return best;
}

static const struct lines_frame *physical_frame(const struct lines_place *lines)
{
    const struct lines_frame *last;

    if (lines->frame_count == 0)
        return NULL;
    last = &lines->frames[lines->frame_count - 1];
    return last->name[0] != '\0' || last->linkage[0] != '\0' ? last : NULL;
}

/* The linker's name, as far as the debug info knows it. */
static const char *linker_name(const struct lines_frame *frame)
{
    return frame->linkage[0] != '\0' ? frame->linkage : frame->name;
}

/*
 * gcc gives constructors' and destructors' clones the linkage name of none of
 * them: C4 and D4 where the symbols have C1, C2, D0, D1, D2.
 */
static bool is_same_text(const char *symbol, const char *name, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        bool is_kind = i > 0 && (name[i - 1] == 'C' || name[i - 1] == 'D')
                       && name[i] == '4' && symbol[i] >= '0'
                       && symbol[i] <= '5';

        if (symbol[i] != name[i] && !is_kind)
            return false;
    }
    return true;
}

/*
 * Whether SYMBOL has NAME, or one that a compiler made of it: with any suffix
 * where the function begins, elsewhere with a clone's or part's.
 */
static bool has_name(const struct image_symbol *symbol, const char *name,
                     bool at_begin)
{
    size_t size = strlen(name);

    if (size == 0 || !is_same_text(symbol->name, name, size))
        return false;
    return symbol->name[size] == '\0' || symbol->base_size == size
           || (at_begin && symbol->name[size] == '.');
}

/*
 * Whether SYMBOL, at the begin of FRAME, is its mangled name: where DWARF
 * gives none (a lambda's, or of a template over one), unless the function has
 * a symbol of its plain name there.
 */
static bool is_mangled(const struct image *image,
                       const struct image_symbol *symbol,
                       const struct lines_frame *frame)
{
    return frame->linkage[0] == '\0' && symbol->name[0] == '_'
           && (symbol->name[1] == 'Z' || symbol->name[1] == 'R')
           && !image_has_function(image, frame->name, symbol->start);
}

/* Whether SYMBOL is the function FRAME, which begins at START. */
static bool is_function(const struct image *image,
                        const struct image_symbol *symbol,
                        const struct lines_frame *frame, uint32_t start)
{
    bool at_begin = symbol->start == start;

    return symbol->kind == IMAGE_FUNCTION
           && (has_name(symbol, frame->linkage, at_begin)
               || has_name(symbol, frame->name, at_begin)
               || (at_begin && is_mangled(image, symbol, frame)));
}

/*
 * Whether A, a clone whose name before the suffix has BASE_SIZE bytes, is one
 * of B. Assemblers give each symbol a function, of the symbol's name: then the
 * debug info knows no more than that.
 */
static bool is_clone_of(const struct lines_frame *a, size_t base_size,
                        const struct lines_frame *b)
{
    const char *name = linker_name(a);

    return a->origin == b->origin || strlen(name) > base_size
           || (strcmp(name, linker_name(b)) == 0
               && a->declared_line == b->declared_line
               && strcmp(a->declared_file, b->declared_file) == 0);
}

/* Pointers are even or aligned: no module number looks like one. */
static uint64_t group_of_origin(const void *origin)
{
    return (uint64_t)(uintptr_t)origin | UINT64_C(1) << 63;
}

/*
 * A function, its clones and parts have the start of the function in common.
 * Symbols alone cannot tell a static function whose clones are all that is
 * left from a global one of its name; the debug info can.
 */
static int set_group(struct modules_place *out, size_t number,
                     const struct image_symbol *symbol,
                     const struct lines_frame *frame)
{
    const struct lines_frame *base_frame;
    struct lines_place base;
    int result;

    out->group = (uint64_t)number << 32 | symbol->base_start;
    if (symbol->base_start == symbol->start)
        return 0;
    result = lines_find(out->module->lines, symbol->base_start, &base);
    base_frame = physical_frame(&base);
    if (result == 0 && base_frame != NULL
        && !is_clone_of(frame, symbol->base_size, base_frame))
        out->group = group_of_origin(frame->origin);
    return result;
}

static void set_symbol(struct modules_place *out,
                       const struct image_symbol *symbol)
{
    out->kind = symbol->kind;
    out->name = symbol->name;
    out->base_size = symbol->base_size;
    out->suffix = symbol->suffix;
    out->start = symbol->start + out->module->bias;
    out->size = symbol->size;
}

/*
 * ADDRESS is in a function, FRAME, that LINES know and its symbol does not:
 * without symbols, or at a label within it.
 */
static int set_debug_function(struct modules_place *out, size_t number,
                              uint32_t address, const struct lines_place *lines,
                              const struct lines_frame *frame)
{
    const struct image *image = out->module->image;
    struct image_symbol symbol;
    bool begins = image_find(image, lines->start, &symbol) == 0
                  && symbol.kind == IMAGE_FUNCTION
                  && symbol.start == lines->start;

    out->kind = IMAGE_FUNCTION;
    out->name = linker_name(frame);
    out->base_size = strlen(out->name);
    out->suffix = "";
    if (begins && is_function(image, &symbol, frame, lines->start)) {
        out->name = symbol.name;
        out->base_size = symbol.base_size;
    }
    /* A part that lies before its function has no better start. */
    if (lines->start <= address) {
        out->start = lines->start + out->module->bias;
        out->size = lines->end > lines->start ? lines->end - lines->start : 0;
    } else {
        out->start = address + out->module->bias;
        out->size = 0;
    }
    out->group = group_of_origin(frame->origin);
    return begins ? set_group(out, number, &symbol, frame) : 0;
}

/* OUT is that of an unknown address; ADDRESS is one of the module's ELF. */
static int find_in_module(struct modules_place *out, size_t number,
                          uint32_t address)
{
    const struct module *module = out->module;
    uint32_t section_address = address;
    const struct lines_frame *frame;
    struct image_symbol symbol;
    struct lines_place lines;
    int result;

    (void)image_load_target(module->image, address, &section_address);
    out->section = image_section(module->image, section_address);
    result = image_find(module->image, address, &symbol);
    /* Without symbols the debug info may still know. */
    if (result < 0 && result != MCUPROF_E_NO_SYMBOLS)
        return result;
    set_symbol(out, &symbol);
    out->group = (uint64_t)number << 32 | symbol.base_start;
    if (symbol.kind == IMAGE_DATA || symbol.suffix[0] != '\0'
        || image_is_overlay(module->image, address & ~1U))
        return 0;
    result = lines_find(module->lines, address, &lines);
    if (result < 0)
        return result;
    out->frames = lines.frames;
    out->frame_count = lines.frame_count;
    frame = physical_frame(&lines);
    if (frame == NULL)
        return 0;
    if (!is_function(module->image, &symbol, frame, lines.start))
        return set_debug_function(out, number, address & ~1U, &lines, frame);
    return set_group(out, number, &symbol, frame);
}

int modules_find(struct modules *modules, uint32_t address,
                 struct modules_place *out)
{
    size_t number = find_module(modules, address);

    *out = (struct modules_place){.section = "",
                                  .name = "[unknown]",
                                  .base_size = strlen("[unknown]"),
                                  .suffix = "",
                                  .start = address & ~1U};
    if (number == modules->count)
        return 0;
    out->module = &modules->items[number];
    return find_in_module(out, number, address - out->module->bias);
}

static void describe_overlaps(const struct modules *modules, struct error *out)
{
    const struct overlap *largest = &modules->largest;
    const char *earlier = modules->items[largest->earlier].name;
    size_t others = modules->overlap_count - 1;
    char more[48] = "";

    if (others > 0)
        (void)snprintf(more, sizeof more, " (and %zu more overlap%s)", others,
                       others == 1 ? "" : "s");
    (void)error_set(out, MCUPROF_E_USAGE,
                    "name first the ELF whose names count there, or give the "
                    "addresses they were loaded to",
                    "%s and %s both have code at 0x%08" PRIx32 "-0x%08" PRIx32
                    ": names there are those of %s%s",
                    earlier, modules->items[largest->later].name,
                    largest->start, largest->last, earlier, more);
}

bool modules_problem(const struct modules *modules, size_t index,
                     struct error *out)
{
    struct error error;
    size_t seen = 0;

    for (size_t i = 0; i < 2 * modules->count; i++) {
        const struct module *module = &modules->items[i / 2];
        bool has_problem = i % 2 == 0 ? image_problem(module->image, &error)
                                      : lines_problem(module->lines, &error);

        if (!has_problem || seen++ < index)
            continue;
        *out = error;
        return true;
    }
    if (modules->overlap_count == 0 || seen != index)
        return false;
    describe_overlaps(modules, out);
    return true;
}
