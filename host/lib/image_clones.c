/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "image_parts.h"

/*
 * Compilers copy and split functions, and name the results after the source:
 * `foo.constprop.0`, `foo.part.0.cold`. Which `foo`, if there are several
 * static ones, only the file they are in tells.
 */

struct suffix {
    const char *word;
    bool is_clone; /* else a static function got a name that is unique */
};

static const struct suffix suffixes[] = {
        {"constprop", true}, {"isra", true},       {"part", true},
        {"cold", true},      {"localalias", true}, {"specialized", true},
        {"lto_priv", false}, {"llvm", false},
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/*
 * The last suffix of NAME, which has *SIZE bytes: ".word" or ".word.0".
 * returns it with SIZE at its dot, or NULL
 */
static const struct suffix *last_suffix(const char *name, size_t *size)
{
    size_t end = *size, dot;

    while (end > 0 && is_digit(name[end - 1]))
        end--;
    if (end < *size && end > 0 && name[end - 1] == '.')
        end--;
    else
        end = *size;
    dot = end;
    while (dot > 0 && name[dot - 1] != '.')
        dot--;
    if (dot < 2)
        return NULL;
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        const char *word = suffixes[i].word;

        if (end - dot != strlen(word)
            || strncmp(name + dot, word, end - dot) != 0)
            continue;
        *size = dot - 1;
        return &suffixes[i];
    }
    return NULL;
}

/* Returns the bytes before all suffixes, PARENT_SIZE those before a clone's. */
static uint32_t measure(const char *name, uint32_t *parent_size)
{
    size_t size = strnlen(name, IMAGE_NAME_COMPARED);
    const struct suffix *suffix;

    *parent_size = (uint32_t)size;
    /* Of a longer name the end is not seen. */
    while (size < IMAGE_NAME_COMPARED
           && (suffix = last_suffix(name, &size)) != NULL)
        if (suffix->is_clone)
            *parent_size = (uint32_t)size;
    return (uint32_t)size;
}

uint32_t image_base_size(const char *name)
{
    uint32_t parent_size;

    return measure(name, &parent_size);
}

static int compare_u32(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int compare_names(const char *a, uint32_t a_size, const char *b,
                         uint32_t b_size)
{
    int order = a == b ? 0 : strncmp(a, b, a_size < b_size ? a_size : b_size);

    return order != 0 ? order : compare_u32(a_size, b_size);
}

static int by_start(const void *left, const void *right)
{
    const struct image_function *a = left, *b = right;
    int order = compare_u32(a->start, b->start);

    return order != 0 ? order
                      : compare_names(a->name, a->base_size, b->name,
                                      b->base_size);
}

/* FNV-1a of the end: C++ names begin alike for long, and are many. */
static uint32_t hash(const char *name, uint32_t size)
{
    uint32_t sum = 2166136261U;

    for (uint32_t i = size > 64 ? size - 64 : 0; i < size; i++)
        sum = (sum ^ (unsigned char)name[i]) * 16777619U;
    return sum;
}

static int compare_parents(const struct image_function *a,
                           const struct image_function *b)
{
    int order = compare_u32(a->parent_hash, b->parent_hash);

    return order != 0 ? order
                      : compare_names(a->name, a->parent_size, b->name,
                                      b->parent_size);
}

/* By parent's name, then scope: the parent itself, then its clones. */
static int by_family(const void *left, const void *right)
{
    const struct image_function *a = left, *b = right;
    int order = compare_parents(a, b);

    if (order == 0)
        order = compare_u32(a->scope, b->scope);
    if (order == 0)
        order = a->is_clone - b->is_clone;
    if (order == 0)
        order = strncmp(a->name, b->name, IMAGE_NAME_COMPARED);
    return order != 0 ? order : compare_u32(a->start, b->start);
}

enum parents {
    NONE,
    ONE,
    SEVERAL
};

/* COUNT functions with one parent's name and one scope, in that order. */
struct household {
    const struct image_function *members;
    size_t count;
    size_t parent_count;
    enum parents parents;
    uint32_t start; /* of the one parent */
};

static struct household find_household(const struct image_function *members,
                                       size_t room)
{
    struct household house = {.members = members};

    for (; house.count < room; house.count++) {
        const struct image_function *member = &members[house.count];

        if (compare_parents(member, members) != 0
            || member->scope != members->scope)
            break;
        if (member->is_clone)
            continue;
        house.parent_count++;
        if (house.parents == NONE) {
            house.parents = ONE;
            house.start = member->start;
        } else if (house.start != member->start) {
            house.parents = SEVERAL;
        }
    }
    return house;
}

/*
 * Nothing but clones is left: they share the lowest start, unless one name
 * comes twice, as then they are of several functions.
 */
static bool has_first_clone(const struct household *house, uint32_t *start)
{
    *start = house->members[0].start;
    for (size_t i = 1; i < house->count; i++) {
        const struct image_function *a = &house->members[i - 1];
        const struct image_function *b = &house->members[i];

        if (a->start != b->start
            && strncmp(a->name, b->name, IMAGE_NAME_COMPARED) == 0)
            return false;
        if (b->start < *start)
            *start = b->start;
    }
    return true;
}

/* Names are sorted by start, and no two share one. */
static void set_base(struct image *image, const struct image_function *clone,
                     uint32_t start)
{
    size_t low = 0, high = image->name_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (image->names[middle].start < clone->start)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < image->name_count && image->names[low].name == clone->name)
        image->names[low].base_start = start;
}

/* GLOBAL is the household of the same name in scope 0, or without parent. */
static void settle(struct image *image, const struct household *house,
                   const struct household *global)
{
    uint32_t start = house->start;

    if (house->parent_count == house->count || house->parents == SEVERAL)
        return;
    if (house->parents == NONE && global->parents == ONE)
        start = global->start;
    else if (house->parents == NONE
             && (global->parents == SEVERAL || !has_first_clone(house, &start)))
        return;
    for (size_t i = house->parent_count; i < house->count; i++)
        set_base(image, &house->members[i], start);
}

static int settle_all(struct image *image)
{
    size_t count = image->function_count;
    struct image_function *members = calloc(count + 1, sizeof *members);
    struct household global = {0};
    struct household house;

    if (members == NULL)
        return MCUPROF_E_NOMEM;
    memcpy(members, image->functions, count * sizeof *members);
    qsort(members, count, sizeof *members, by_family);
    for (size_t i = 0; i < count; i += house.count) {
        house = find_household(&members[i], count - i);
        if (global.count == 0
            || compare_parents(global.members, &members[i]) != 0)
            global = (struct household){0};
        if (members[i].scope == 0)
            global = house;
        settle(image, &house, &global);
    }
    free(members);
    return 0;
}

int image_clones_index(struct image *image)
{
    bool has_clones = false;

    for (size_t i = 0; i < image->function_count; i++) {
        struct image_function *function = &image->functions[i];

        function->base_size = measure(function->name, &function->parent_size);
        function->is_clone = function->parent_size
                             < strnlen(function->name, IMAGE_NAME_COMPARED);
        function->parent_hash = hash(function->name, function->parent_size);
        has_clones |= function->is_clone;
    }
    if (image->function_count > 0)
        qsort(image->functions, image->function_count, sizeof *image->functions,
              by_start);
    return has_clones ? settle_all(image) : 0;
}

/* Of clones of NAME at one start so many are looked at. */
enum {
    CLONES_MAX = 64
};

bool image_has_function(const struct image *image, const char *name,
                        uint32_t address)
{
    struct image_function wanted = {.name = name, .start = address & ~1U};
    size_t low = 0, high = image->function_count;
    uint32_t parent_size;

    wanted.base_size = measure(name, &parent_size);
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (by_start(&image->functions[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low; i < image->function_count && i - low < CLONES_MAX;
         i++) {
        const struct image_function *found = &image->functions[i];

        if (by_start(found, &wanted) != 0)
            break;
        if (name[wanted.base_size] == '\0'
            || strncmp(found->name, name, IMAGE_NAME_COMPARED) == 0)
            return true;
    }
    return false;
}
