/* SPDX-License-Identifier: MIT */
#include "code_map.h"

#include "code_registers.h"
#include "room.h"

#include <stdlib.h>
#include <string.h>

enum {
    VENEER_LENGTH = 6, /* instructions, of the longest one */
    VENEER_SIZE = 20,
    VENEER_CHAIN = 4
};

struct builder {
    struct code_map *map;
    size_t function_room, branch_room, constant_room;
    uint32_t *targets; /* of branches; ascending for the second pass */
    size_t target_count, target_room;
    size_t target;     /* the first one not passed yet */
    uint32_t *veneers; /* that branches go through */
    size_t veneer_count, veneer_room;
};

static int compare_functions(const void *left, const void *right)
{
    const struct code_function *a = left, *b = right;

    return (a->start > b->start) - (a->start < b->start);
}

static int compare_addresses(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

size_t code_map_find(const struct code_map *map, uint32_t address)
{
    const struct code_function *found;
    struct code_function key = {.start = address & ~1U};
    struct image_symbol symbol;

    if (image_find(map->image, address, &symbol) == 0
        && symbol.kind == IMAGE_FUNCTION)
        key.start = symbol.start;
    if (map->function_count == 0)
        return CODE_NONE;
    found = bsearch(&key, map->functions, map->function_count,
                    sizeof *map->functions, compare_functions);
    return found == NULL ? CODE_NONE : (size_t)(found - map->functions);
}

const struct code_branch *code_map_branch(const struct code_map *map,
                                          size_t function, size_t index)
{
    return &map->branches[map->by_function[map->functions[function].first
                                           + index]];
}

bool code_map_at(const struct code_map *map, uint32_t address,
                 struct thumb *out)
{
    uint8_t bytes[4];
    size_t size = sizeof bytes;

    if (image_read(map->image, address, bytes, size) != 0)
        size = 2;
    if (size == 2 && image_read(map->image, address, bytes, size) != 0)
        return false;
    thumb_decode(out, address, bytes, size);
    return true;
}

bool code_map_is_moved(const struct code_map *map, size_t part, size_t whole)
{
    const char *of = map->functions[whole].name;
    const char *name = map->functions[part].name;
    size_t size = strlen(of);

    return size > 0 && strncmp(name, of, size) == 0
           && strncmp(name + size, ".cold", 5) == 0
           && (name[size + 5] == '\0' || name[size + 5] == '.');
}

/* What a veneer saves around its work. */
static bool is_veneers(const struct thumb *thumb)
{
    return thumb->make != THUMB_UNKNOWN || thumb->flow == THUMB_JUMP
           || ((thumb->reads | thumb->writes) & ~3U) == 0
           || thumb->is_restoring;
}

/*
 * One step through a veneer: a few instructions that make an address and go
 * there. False if TARGET is no veneer.
 */
static bool follow(const struct code_map *map, uint32_t *target)
{
    struct code_registers registers = {.image = map->image};
    uint32_t address = *target, value;
    struct image_symbol symbol;
    struct thumb thumb;
    bool is_named = image_find(map->image, *target, &symbol) == 0
                    && symbol.kind == IMAGE_FUNCTION && symbol.start == *target;

    /* A short function is none, whatever it does. */
    if (is_named && symbol.suffix[0] == '\0')
        return false;
    for (unsigned i = 0; i < VENEER_LENGTH; i++) {
        if (!code_map_at(map, address, &thumb) || !is_veneers(&thumb)
            || thumb.flow == THUMB_CALL || thumb.flow == THUMB_BRANCH)
            break;
        if (thumb.flow == THUMB_JUMP
            && code_registers_target(&registers, &thumb, &value)) {
            *target = value;
            return true;
        }
        if (thumb.flow != THUMB_NEXT)
            break;
        code_registers_step(&registers, &thumb);
        address += thumb.size;
    }
    /* One of another shape has its name. */
    return is_named
           && image_symbol_address(map->image, symbol.name, target) == 0;
}

uint32_t code_map_resolve(const struct code_map *map, uint32_t target)
{
    for (unsigned i = 0; i < VENEER_CHAIN; i++)
        if (!follow(map, &target))
            break;
    return target;
}

/* The last function, if the stretch is another piece of it, or a new one. */
static struct code_function *begin_function(struct builder *builder,
                                            const struct image_stretch *stretch)
{
    struct code_map *map = builder->map;
    struct code_function *functions, new = {.name = "", .suffix = ""};
    struct image_symbol symbol;
    uint32_t end = stretch->start + stretch->size;

    new.start = stretch->start;
    if (image_find(map->image, stretch->start, &symbol) == 0
        && symbol.kind == IMAGE_FUNCTION) {
        new.name = symbol.name;
        new.suffix = symbol.suffix;
        new.start = symbol.start;
    }
    new.size = end - new.start;
    functions = room_reserve(map->functions, map->function_count,
                             &builder->function_room, sizeof *functions);
    if (functions == NULL)
        return NULL;
    map->functions = functions;
    functions[map->function_count] = new;
    return &functions[map->function_count++];
}

static int add_address(uint32_t **list, size_t *count, size_t *room,
                       uint32_t address)
{
    uint32_t *grown = room_reserve(*list, *count, room, sizeof *grown);

    if (grown == NULL)
        return MCUPROF_E_NOMEM;
    *list = grown;
    grown[(*count)++] = address;
    return 0;
}

static void count_sets(struct code_function *function,
                       const struct thumb *thumb)
{
    for (unsigned i = 0; i < 8 && !thumb->is_restoring; i++)
        if ((thumb->writes >> (4 + i) & 1) != 0 && function->sets[i] < 2)
            function->sets[i]++;
}

/* Functions, and where branches lead. */
static int survey(struct builder *builder, const struct image_stretch *stretch)
{
    struct code_function *function = begin_function(builder, stretch);
    struct thumb thumb;

    if (function == NULL)
        return MCUPROF_E_NOMEM;
    for (uint32_t at = 0; stretch->size - at >= 2; at += thumb.size) {
        thumb_decode(&thumb, stretch->start + at, stretch->bytes + at,
                     stretch->size - at);
        function->instructions++;
        count_sets(function, &thumb);
        if (!thumb.has_target || thumb.flow == THUMB_CALL)
            continue;
        if (thumb.target <= thumb.address && thumb.target >= function->start)
            function->has_loop = true;
        if (add_address(&builder->targets, &builder->target_count,
                        &builder->target_room, thumb.target)
            < 0)
            return MCUPROF_E_NOMEM;
    }
    return 0;
}

/* Make one of a function's pieces, and put all in order. */
static void merge_functions(struct code_map *map)
{
    size_t kept = 0;

    if (map->function_count == 0)
        return;
    qsort(map->functions, map->function_count, sizeof *map->functions,
          compare_functions);
    for (size_t i = 1; i < map->function_count; i++) {
        struct code_function *into = &map->functions[kept];
        const struct code_function *piece = &map->functions[i];

        if (piece->start != into->start) {
            map->functions[++kept] = *piece;
            continue;
        }
        into->instructions += piece->instructions;
        into->has_loop |= piece->has_loop;
        if (piece->size > into->size)
            into->size = piece->size;
        for (size_t k = 0; k < sizeof into->sets; k++)
            into->sets[k] = (uint8_t)(into->sets[k] + piece->sets[k] > 1
                                              ? 2
                                              : into->sets[k] + piece->sets[k]);
    }
    map->function_count = kept + 1;
}

static int add_branch(struct builder *builder, size_t function,
                      const struct code_registers *registers,
                      const struct thumb *thumb)
{
    struct code_map *map = builder->map;
    const struct code_function *from = &map->functions[function];
    struct code_branch *branches;
    uint32_t direct;
    struct code_branch new = {.address = thumb->address,
                              .function = function,
                              .size = thumb->size,
                              .is_call = thumb->flow == THUMB_CALL,
                              .is_indirect = !thumb->has_target};

    if (!code_registers_target(registers, thumb, &new.target))
        return 0;
    if (!new.is_call &&new.target > from->start &&new.target - from->start
        < from->size)
        return 0;
    direct = new.target;
    new.target = code_map_resolve(map, direct);
    if (new.target != direct
        && add_address(&builder->veneers, &builder->veneer_count,
                       &builder->veneer_room, direct)
                   < 0)
        return MCUPROF_E_NOMEM;
    new.has_argument = code_registers_get(registers, 0, &new.argument);
    branches = room_reserve(map->branches, map->branch_count,
                            &builder->branch_room, sizeof *branches);
    if (branches == NULL)
        return MCUPROF_E_NOMEM;
    map->branches = branches;
    branches[map->branch_count++] = new;
    return 0;
}

static bool is_function(const struct code_map *map, uint32_t value)
{
    struct image_symbol symbol;

    return value % 2 == 1 && image_find(map->image, value, &symbol) == 0
           && symbol.kind == IMAGE_FUNCTION && symbol.start == value - 1;
}

static int add_constant(struct builder *builder, size_t function,
                        const struct code_registers *registers,
                        const struct thumb *thumb)
{
    struct code_map *map = builder->map;
    struct code_constant *constants;
    uint32_t value;

    if ((thumb->make != THUMB_LITERAL && thumb->make != THUMB_TOP)
        || !code_registers_get(registers, thumb->made, &value)
        || !is_function(map, value))
        return 0;
    constants = room_reserve(map->constants, map->constant_count,
                             &builder->constant_room, sizeof *constants);
    if (constants == NULL)
        return MCUPROF_E_NOMEM;
    map->constants = constants;
    constants[map->constant_count++] =
            (struct code_constant){.address = thumb->address,
                                   .value = value - 1,
                                   .function = function};
    return 0;
}

static bool is_join(struct builder *builder, uint32_t address)
{
    while (builder->target < builder->target_count
           && builder->targets[builder->target] < address)
        builder->target++;
    return builder->target < builder->target_count
           && builder->targets[builder->target] == address;
}

/* Branches and constants. */
static int read_stretch(struct builder *builder,
                        const struct image_stretch *stretch,
                        struct code_registers *registers)
{
    struct code_map *map = builder->map;
    size_t function = code_map_find(map, stretch->start);
    struct thumb thumb;
    int result = 0;

    if (function == CODE_NONE)
        return 0;
    code_registers_begin(registers, function, map->functions[function].sets);
    for (uint32_t at = 0; result == 0 && stretch->size - at >= 2;
         at += thumb.size) {
        thumb_decode(&thumb, stretch->start + at, stretch->bytes + at,
                     stretch->size - at);
        if (is_join(builder, thumb.address))
            code_registers_join(registers);
        if (thumb.flow != THUMB_NEXT && thumb.flow != THUMB_STOP)
            result = add_branch(builder, function, registers, &thumb);
        code_registers_step(registers, &thumb);
        if (result == 0)
            result = add_constant(builder, function, registers, &thumb);
    }
    /* What follows are literals or another function. */
    code_registers_join(registers);
    return result;
}

/* A counting sort. */
static int sort_branches(struct code_map *map)
{
    size_t sum = 0;
    size_t *sorted = malloc((map->branch_count + 1) * sizeof *sorted);

    if (sorted == NULL)
        return MCUPROF_E_NOMEM;
    for (size_t i = 0; i < map->branch_count; i++)
        map->functions[map->branches[i].function].branches++;
    for (size_t i = 0; i < map->function_count; i++) {
        map->functions[i].first = sum;
        sum += map->functions[i].branches;
        map->functions[i].branches = 0;
    }
    for (size_t i = 0; i < map->branch_count; i++) {
        struct code_function *from = &map->functions[map->branches[i].function];

        sorted[from->first + from->branches++] = i;
    }
    map->by_function = sorted;
    return 0;
}

/* The first branch of MAP at ADDRESS or behind it, an index. */
static size_t find_branch(const struct code_map *map, uint32_t address)
{
    size_t low = 0, high = map->branch_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (map->branches[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What a veneer does at its end is what the branch to it was about. */
static void mark_veneers(const struct builder *builder)
{
    struct code_map *map = builder->map;

    for (size_t i = 0; i < builder->veneer_count; i++) {
        size_t index = find_branch(map, builder->veneers[i]);

        if (index < map->branch_count
            && map->branches[index].address - builder->veneers[i] < VENEER_SIZE
            && !map->branches[index].is_call)
            map->branches[index].is_veneer = true;
    }
}

static int build(struct builder *builder)
{
    const struct image *image = builder->map->image;
    struct code_registers registers = {.image = image};
    struct image_stretch stretch = {0};

    while (image_stretch_next(image, &stretch))
        if (survey(builder, &stretch) < 0)
            return MCUPROF_E_NOMEM;
    merge_functions(builder->map);
    if (builder->target_count > 0)
        qsort(builder->targets, builder->target_count, sizeof(uint32_t),
              compare_addresses);
    stretch = (struct image_stretch){0};
    while (image_stretch_next(image, &stretch))
        if (read_stretch(builder, &stretch, &registers) < 0)
            return MCUPROF_E_NOMEM;
    mark_veneers(builder);
    return 0;
}

int code_map_new(struct code_map **out, const struct image *image)
{
    struct builder builder = {.map = calloc(1, sizeof *builder.map)};
    int result = MCUPROF_E_NOMEM;

    if (builder.map != NULL) {
        builder.map->image = image;
        result = build(&builder);
    }
    if (result == 0)
        result = sort_branches(builder.map);
    free(builder.targets);
    free(builder.veneers);
    if (result < 0) {
        code_map_free(builder.map);
        builder.map = NULL;
    }
    *out = builder.map;
    return result;
}

void code_map_free(struct code_map *map)
{
    if (map == NULL)
        return;
    free(map->functions);
    free(map->branches);
    free(map->by_function);
    free(map->constants);
    free(map);
}
