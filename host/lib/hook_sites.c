/* SPDX-License-Identifier: MIT */
#include "hook_sites.h"

#include "room.h"

#include <stdlib.h>
#include <string.h>

/* What the debug info calls a function whose address r0 held. */
struct origin {
    const void *origin;
    size_t function;
};

struct finder {
    struct hook_sites *sites;
    const struct code_map *code;
    struct lines *lines;
    size_t room, subject_room;
    struct origin *origins; /* ascending */
    size_t origin_count;
    size_t *by_function;      /* subject of each, CODE_NONE until it has one */
    size_t strays;            /* subjects without a function */
    bool are_instrumented[2]; /* the hooks themselves: enter, exit */
};

/* More than real firmware has; the rest counts to where it is. */
enum {
    STRAYS_MAX = 500,
    STRUCTOR_NAME = 1024 /* longer ones are looked up as they are */
};

bool hook_sites_is_hook(const struct hook_sites *sites, uint32_t address)
{
    return (sites->has_enter && address == sites->enter)
           || (sites->has_exit && address == sites->exit);
}

size_t hook_sites_from(const struct hook_sites *sites, uint32_t address)
{
    size_t low = 0, high = sites->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (sites->items[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/*
 * An exit hook may go on in the enter hook: the compiler did not put that
 * there. What it instruments calls both.
 */
static bool is_instrumented(const struct finder *finder, uint32_t hook)
{
    const struct hook_sites *sites = finder->sites;
    const struct code_map *code = finder->code;
    size_t function = code_map_find(code, hook);
    bool calls_enter = false, calls_exit = false;

    if (function == CODE_NONE)
        return false;
    for (size_t i = 0; i < code->functions[function].branches; i++) {
        uint32_t target = code_map_branch(code, function, i)->target;

        calls_enter |= target == sites->enter;
        calls_exit |= target == sites->exit;
    }
    return calls_enter && calls_exit;
}

/* The library's measurements of its own cost call them by hand. */
static bool is_own_measurement(const char *name)
{
    static const char *const names[] = {"mcuprofi_trace_pair",
                                        "mcuprofi_functions_four_pairs",
                                        "mcuprofi_functions_few_pairs",
                                        "mcuprofi_functions_many_pairs",
                                        "mcuprofi_functions_halves",
                                        "mcuprofi_functions_few_halves",
                                        "mcuprofi_functions_many_halves",
                                        "mcuprofi_functions_measure_again",
                                        "mcuprofi_functions_measure"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t size = strlen(names[i]);

        /* With a clone's suffix or without. */
        if (strncmp(name, names[i], size) == 0
            && (name[size] == '\0' || name[size] == '.'))
            return true;
    }
    return false;
}

static bool is_site(const struct finder *finder,
                    const struct code_branch *branch)
{
    const struct hook_sites *sites = finder->sites;
    const struct code_function *function =
            &finder->code->functions[branch->function];

    if (!hook_sites_is_hook(sites, branch->target) || branch->is_veneer
        || function->suffix[0] != '\0' || is_own_measurement(function->name))
        return false;
    return !hook_sites_is_hook(sites, function->start)
           || finder->are_instrumented[function->start != sites->enter];
}

static bool is_same_stray(const struct hook_subject *subject,
                          const struct hook_subject *other)
{
    return subject->function == CODE_NONE && subject->frame != NULL
           && (subject->frame->origin == other->frame->origin
               || (subject->frame->declared_line == other->frame->declared_line
                   && strcmp(subject->name, other->name) == 0));
}

/* The function that r0 tells the hook at BRANCH; CODE_NONE if unknown. */
static size_t find_told(const struct finder *finder,
                        const struct code_branch *branch)
{
    const struct code_map *code = finder->code;
    uint32_t start = branch->argument & ~1U;
    size_t function =
            branch->has_argument ? code_map_find(code, start) : CODE_NONE;

    return function != CODE_NONE && code->functions[function].start == start
                   ? function
                   : CODE_NONE;
}

/*
 * Whether two mangled names are of one constructor or destructor: DWARF has one
 * name for all of its kinds (C4), the linker one for each (C1, C2).
 */
static bool is_same_structor(const char *a, const char *b)
{
    size_t i = 1;

    if (a[0] != '_' || b[0] != '_')
        return false;
    for (; a[i] != '\0' && b[i] != '\0'; i++)
        if (a[i] != b[i]
            && (a[i - 1] != b[i - 1] || (a[i - 1] != 'C' && a[i - 1] != 'D')
                || a[i] < '0' || a[i] > '5' || b[i] < '0' || b[i] > '5'))
            return false;
    return a[i] == b[i];
}

static int compare_origins(const void *left, const void *right)
{
    const struct origin *a = left, *b = right;
    uintptr_t at_a = (uintptr_t)a->origin, at_b = (uintptr_t)b->origin;

    if (at_a != at_b)
        return at_a < at_b ? -1 : 1;
    return (a->function > b->function) - (a->function < b->function);
}

/* Whether the debug info has SITE in the function in memory TOLD, by name, or
   as nothing was inlined there; clang's may name the caller. */
static bool is_witnessed(const struct code_map *code,
                         const struct hook_site *site, size_t told)
{
    const char *name = lines_frame_name(site->frame);

    return image_has_function(code->image, name, code->functions[told].start)
           || is_same_structor(code->functions[told].name, name)
           || (told == site->function && site->frame_count == 1);
}

/* Where both witnesses agree. */
static int learn_origins(struct finder *finder)
{
    const struct hook_sites *sites = finder->sites;
    const struct code_map *code = finder->code;

    finder->origins = malloc((sites->count + 1) * sizeof *finder->origins);
    if (finder->origins == NULL)
        return MCUPROF_E_NOMEM;
    for (size_t i = 0; i < sites->count; i++) {
        const struct hook_site *site = &sites->items[i];
        size_t told = find_told(finder, &code->branches[site->branch]);

        if (told != CODE_NONE && site->frame != NULL
            && is_witnessed(code, site, told))
            finder->origins[finder->origin_count++] =
                    (struct origin){site->frame->origin, told};
    }
    qsort(finder->origins, finder->origin_count, sizeof *finder->origins,
          compare_origins);
    return 0;
}

static size_t find_by_origin(const struct finder *finder, const void *origin)
{
    size_t low = 0, high = finder->origin_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if ((uintptr_t)finder->origins[middle].origin < (uintptr_t)origin)
            low = middle + 1;
        else
            high = middle;
    }
    return low < finder->origin_count && finder->origins[low].origin == origin
                   ? finder->origins[low].function
                   : CODE_NONE;
}

/* The one function of NAME. */
static size_t find_named(const struct finder *finder, const char *name)
{
    const struct image *image = finder->code->image;
    uint32_t start;

    return image_symbol_count(image, name) == 1
                           && image_symbol_address(image, name, &start) == 0
                   ? code_map_find(finder->code, start)
                   : CODE_NONE;
}

/* A constructor or destructor of any kind, LINKAGE being the name of all. */
static size_t find_structor(const struct finder *finder, const char *linkage)
{
    char name[STRUCTOR_NAME];
    size_t size = strlen(linkage), found = CODE_NONE;

    if (size >= sizeof name || linkage[0] != '_')
        return CODE_NONE;
    memcpy(name, linkage, size + 1);
    for (size_t i = size; i >= 3 && found == CODE_NONE; i--) {
        char *kind = &name[i - 2]; /* of "C4E" or "D4E" */

        if (kind[0] != '4' || kind[1] != 'E'
            || (kind[-1] != 'C' && kind[-1] != 'D'))
            continue;
        for (char digit = '0'; digit <= '2' && found == CODE_NONE; digit++) {
            kind[0] = digit;
            found = find_named(finder, name);
        }
        kind[0] = '4';
    }
    return found;
}

/* The function that the debug info has the site in, as far as it has code. */
static size_t find_by_frame(const struct finder *finder,
                            const struct lines_frame *frame)
{
    size_t function = find_by_origin(finder, frame->origin);

    if (function == CODE_NONE)
        function = find_named(finder, lines_frame_name(frame));
    return function == CODE_NONE ? find_structor(finder, frame->linkage)
                                 : function;
}

/* Whom a site is for: r0 says it, else the debug info, else where it is. */
static struct hook_subject describe(const struct finder *finder,
                                    const struct hook_site *site)
{
    const struct code_map *code = finder->code;
    const struct lines_frame *frame = site->frame;
    struct hook_subject subject = {
            .name = "",
            .function = find_told(finder, &code->branches[site->branch]),
            .frame = frame};

    if (subject.function == CODE_NONE && !site->is_inlined)
        subject.function = site->function;
    if (subject.function == CODE_NONE) {
        subject.function = find_by_frame(finder, frame);
        subject.name = lines_frame_name(frame);
    }
    if (subject.function == CODE_NONE && finder->strays >= STRAYS_MAX)
        subject.function = site->function;
    if (subject.function != CODE_NONE) {
        subject.name = code->functions[subject.function].name;
        subject.start = code->functions[subject.function].start;
    }
    return subject;
}

/* The number of a subject that is there already; CODE_NONE if there is none. */
static size_t find_subject(const struct finder *finder,
                           const struct hook_subject *wanted)
{
    const struct hook_sites *sites = finder->sites;

    if (wanted->function != CODE_NONE)
        return finder->by_function[wanted->function];
    for (size_t i = 0; i < sites->subject_count; i++)
        if (is_same_stray(&sites->subjects[i], wanted))
            return i;
    return CODE_NONE;
}

static int note_subject(struct finder *finder,
                        const struct hook_subject *wanted, size_t *out)
{
    struct hook_sites *sites = finder->sites;
    struct hook_subject *subjects;

    *out = find_subject(finder, wanted);
    if (*out != CODE_NONE)
        return 0;
    subjects = room_reserve(sites->subjects, sites->subject_count,
                            &finder->subject_room, sizeof *subjects);
    if (subjects == NULL)
        return MCUPROF_E_NOMEM;
    sites->subjects = subjects;
    *out = sites->subject_count++;
    subjects[*out] = *wanted;
    if (wanted->function != CODE_NONE)
        finder->by_function[wanted->function] = *out;
    else
        finder->strays++;
    return 0;
}

/* A clone's hooks are told the function that it is a clone of. */
static bool is_clone(const struct finder *finder,
                     const struct hook_subject *subject, size_t function)
{
    struct image_symbol symbol;

    return image_find(finder->code->image,
                      finder->code->functions[function].start, &symbol)
                   == 0
           && symbol.base_start == subject->start;
}

bool hook_sites_agree_function(const struct code_map *code,
                               const struct hook_site *site, size_t function)
{
    const char *name = lines_frame_name(site->frame);

    return site->framed == function
           || (!site->frame->is_inlined && site->function == function)
           || strcmp(code->functions[function].name, name) == 0
           || is_same_structor(code->functions[function].name, name)
           || image_has_function(code->image, name,
                                 code->functions[function].start)
           || image_has_mangled(code->image, site->frame->name,
                                code->functions[function].start);
}

bool hook_sites_agree(const struct hook_sites *sites,
                      const struct code_map *code, const struct hook_site *site,
                      size_t subject)
{
    const struct hook_subject *of = &sites->subjects[subject];

    if (of->function != CODE_NONE)
        return hook_sites_agree_function(code, site, of->function);
    return strcmp(of->name, lines_frame_name(site->frame)) == 0;
}

static int add_site(struct finder *finder, size_t index)
{
    struct hook_sites *sites = finder->sites;
    const struct code_branch *branch = &finder->code->branches[index];
    struct hook_site site = {.address = branch->address,
                             .size = branch->size,
                             .is_exit = branch->target != sites->enter,
                             .is_jump = !branch->is_call,
                             .function = branch->function,
                             .branch = index};
    struct hook_site *items = room_reserve(sites->items, sites->count,
                                           &finder->room, sizeof *items);
    struct lines_place place;

    if (items == NULL)
        return MCUPROF_E_NOMEM;
    sites->items = items;
    if (lines_find(finder->lines, branch->address, &place) < 0)
        return MCUPROF_E_NOMEM;
    if (place.frame_count > 0 && place.frames[0].origin != NULL) {
        site.frame = &place.frames[0];
        site.frame_count = place.frame_count;
        site.is_inlined = site.frame->is_inlined;
    }
    items[sites->count++] = site;
    return 0;
}

static int name_site(struct finder *finder, struct hook_site *site)
{
    struct hook_sites *sites = finder->sites;
    struct hook_subject subject = describe(finder, site);
    size_t told = find_told(finder, &finder->code->branches[site->branch]);

    site->is_told = told != CODE_NONE;
    site->framed = site->frame == NULL ? CODE_NONE
                                       : find_by_frame(finder, site->frame);
    if (note_subject(finder, &subject, &site->subject) < 0)
        return MCUPROF_E_NOMEM;
    if (subject.function != CODE_NONE)
        site->is_inlined = subject.function != site->function
                           && !is_clone(finder, &subject, site->function);
    if (!site->is_exit && site->is_inlined)
        sites->subjects[site->subject].inlined++;
    else if (!site->is_exit)
        sites->subjects[site->subject].own++;
    return 0;
}

static int find_all(struct finder *finder)
{
    struct hook_sites *sites = finder->sites;
    const struct code_map *code = finder->code;
    int result = 0;

    finder->by_function =
            malloc((code->function_count + 1) * sizeof *finder->by_function);
    if (finder->by_function == NULL)
        return MCUPROF_E_NOMEM;
    for (size_t i = 0; i < code->function_count; i++)
        finder->by_function[i] = CODE_NONE;
    finder->are_instrumented[0] = is_instrumented(finder, sites->enter);
    finder->are_instrumented[1] = is_instrumented(finder, sites->exit);
    for (size_t i = 0; i < code->branch_count && result == 0; i++)
        if (is_site(finder, &code->branches[i]))
            result = add_site(finder, i);
    if (result == 0)
        result = learn_origins(finder);
    for (size_t i = 0; i < sites->count && result == 0; i++)
        result = name_site(finder, &sites->items[i]);
    return result;
}

int hook_sites_find(struct hook_sites **out, const struct code_map *code,
                    struct lines *lines)
{
    struct hook_sites *sites = calloc(1, sizeof *sites);
    struct finder finder = {.sites = sites, .code = code, .lines = lines};
    int result = 0;

    *out = sites;
    if (sites == NULL)
        return MCUPROF_E_NOMEM;
    sites->has_enter =
            image_symbol_address(code->image, HOOK_ENTER, &sites->enter) == 0;
    sites->has_exit =
            image_symbol_address(code->image, HOOK_EXIT, &sites->exit) == 0;
    /* A linker script may define them, of a ROM say, with the bit. */
    sites->enter &= ~1U;
    sites->exit &= ~1U;
    if (sites->has_enter || sites->has_exit)
        result = find_all(&finder);
    free(finder.by_function);
    free(finder.origins);
    if (result < 0) {
        hook_sites_free(sites);
        *out = NULL;
    }
    return result;
}

void hook_sites_free(struct hook_sites *sites)
{
    if (sites == NULL)
        return;
    free(sites->items);
    free(sites->subjects);
    free(sites);
}
