/* SPDX-License-Identifier: MIT */
#include "symbolize_blocks.h"

#include "room.h"
#include "symbolize_names.h"

#include <stdlib.h>
#include <string.h>

/* What naming the blocks of one view needs. */
struct naming {
    struct named_blocks *blocks;
    struct symbolize_names names;
    struct modules *modules;
};

/* The functions of one block, as far as it was searched. */
struct search {
    struct named_block *block;
    size_t own;                /* function of its address, or SYMBOLS_NONE */
    struct modules_place seen; /* the last function */
    size_t other;              /* that SEEN is; SYMBOLS_NONE for OWN */
};

static bool is_same_place(const struct modules_place *a,
                          const struct modules_place *b)
{
    return a->module == b->module && a->group == b->group && a->name == b->name
           && a->suffix == b->suffix;
}

/* A part that lies before its function has several begins: it goes by name. */
static bool is_same_function(const struct symbols *symbols, size_t a, size_t b)
{
    if (a == SYMBOLS_NONE || b == SYMBOLS_NONE)
        return false;
    return symbols->functions[a].whole == symbols->functions[b].whole
           && strcmp(symbols->functions[a].name, symbols->functions[b].name)
                      == 0;
}

/* Find or add FUNCTION among the block's others. */
static int put_other(struct named_blocks *blocks, struct search *search,
                     size_t function)
{
    struct named_block *block = search->block;
    struct block_function *grown;

    for (size_t i = 0; i < block->count; i++) {
        search->other = block->first + i;
        if (is_same_function(blocks->symbols,
                             blocks->others[search->other].function, function))
            return 0;
    }
    grown = room_reserve(blocks->others, blocks->other_count,
                         &blocks->other_room, sizeof *grown);
    if (grown == NULL)
        return MCUPROF_E_NOMEM;
    blocks->others = grown;
    search->other = blocks->other_count++;
    grown[search->other] = (struct block_function){
            .function = function,
            .start = blocks->symbols->functions[function].start,
    };
    block->count++;
    return 0;
}

static int begin_function(struct naming *naming, struct search *search,
                          const struct modules_place *place)
{
    size_t function;
    int error = symbolize_names_function(&naming->names, place, &function);

    if (error < 0)
        return error;
    search->seen = *place;
    search->other = SYMBOLS_NONE;
    return is_same_function(naming->blocks->symbols, function, search->own)
                   ? 0
                   : put_other(naming->blocks, search, function);
}

static int add_halfword(struct naming *naming, struct search *search,
                        uint32_t address)
{
    struct modules_place place;
    int error = modules_find(naming->modules, address, &place);

    if (error < 0 || place.kind != IMAGE_FUNCTION)
        return error;
    if (!is_same_place(&place, &search->seen))
        error = begin_function(naming, search, &place);
    if (error == 0 && search->other != SYMBOLS_NONE)
        naming->blocks->others[search->other].bytes += 2;
    return error;
}

static int compare_others(const void *a, const void *b)
{
    const struct block_function *left = a;
    const struct block_function *right = b;

    if (left->bytes != right->bytes)
        return left->bytes < right->bytes ? 1 : -1;
    return (left->start > right->start) - (left->start < right->start);
}

static int find_others(struct naming *naming, struct named_block *block)
{
    struct named_blocks *blocks = naming->blocks;
    struct search search = {
            .block = block,
            .own = blocks->symbols->locations[block->location].function,
            .other = SYMBOLS_NONE,
    };
    int error = 0;

    block->first = blocks->other_count;
    for (uint32_t i = 0; i <= block->last - block->start && error == 0; i += 2)
        error = add_halfword(naming, &search, block->start + i);
    if (error == 0 && block->count > 1)
        qsort(blocks->others + block->first, block->count,
              sizeof *blocks->others, compare_others);
    return error;
}

static int compare_addresses(const void *a, const void *b)
{
    const struct location *left = a;
    const struct location *right = b;

    return (left->address > right->address) - (left->address < right->address);
}

static int name_locations(struct naming *naming,
                          const struct hotspot_view *view)
{
    struct symbols *symbols = naming->blocks->symbols;
    int error = 0;

    for (size_t i = 0; i < view->head.used; i++)
        symbols->locations[i] = (struct location){
                .address = view->units[i].pc,
                .function = SYMBOLS_NONE,
                .weight = view->units[i].ratio,
        };
    symbols->location_count = view->head.used;
    qsort(symbols->locations, symbols->location_count,
          sizeof *symbols->locations, compare_addresses);
    for (size_t i = 0; i < symbols->location_count && error == 0; i++)
        error = symbolize_names_location(&naming->names, naming->modules,
                                         &symbols->locations[i]);
    return error;
}

static int name_blocks(struct naming *naming, const struct hotspot_view *view)
{
    struct named_blocks *blocks = naming->blocks;
    uint32_t mask = (UINT32_C(1) << view->head.grain_log2) - 1;
    int error = name_locations(naming, view);

    /* The view's order is finer than its ratios. */
    for (size_t i = 0; i < view->head.used && error == 0; i++) {
        uint32_t pc = view->units[i].pc;

        blocks->blocks[i] = (struct named_block){
                .start = pc & ~mask,
                .last = pc | mask,
                .share = view->units[i].ratio,
                .least = hotspot_least(&view->units[i]),
                .location = (size_t)(symbols_get(blocks->symbols, pc)
                                     - blocks->symbols->locations),
        };
        blocks->count++;
        error = find_others(naming, &blocks->blocks[i]);
    }
    return error;
}

int symbolize_blocks(struct named_blocks **out, const struct hotspot_view *view,
                     struct modules *modules,
                     const struct symbolize_options *options)
{
    struct naming naming = {.modules = modules};
    struct named_blocks *blocks = calloc(1, sizeof *blocks);
    int error = MCUPROF_E_NOMEM;

    if (blocks == NULL)
        return error;
    naming.blocks = blocks;
    blocks->whole = MCUPROF_HOTSPOT_WHOLE;
    blocks->symbols = calloc(1, sizeof *blocks->symbols);
    blocks->blocks = calloc(view->head.used + 1u, sizeof *blocks->blocks);
    if (blocks->symbols != NULL)
        blocks->symbols->locations = calloc(view->head.used + 1u,
                                            sizeof *blocks->symbols->locations);
    if (blocks->blocks != NULL && blocks->symbols != NULL
        && blocks->symbols->locations != NULL) {
        symbolize_names_init(&naming.names, blocks->symbols, modules, options);
        error = name_blocks(&naming, view);
        symbolize_names_deinit(&naming.names);
    }
    if (error < 0) {
        named_blocks_free(blocks);
        return error;
    }
    *out = blocks;
    return 0;
}
