/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_NAMED_BLOCKS_H
#define MCUPROF_HOST_NAMED_BLOCKS_H

/*
 * The blocks of a hot-spot table, as the faces see them: plain data, filled by
 * symbolize_blocks.h from one view and the ELFs.
 */

#include "symbols.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A function that has code in a block. */
struct block_function {
    size_t function; /* in the symbols */
    uint32_t start;
    uint32_t bytes; /* in the block */
};

struct named_block {
    uint32_t start;
    uint32_t last;
    unsigned share;  /* of the whole; truly not more, */
    unsigned least;  /* and not less than this */
    size_t location; /* in the symbols: the address that stands for it */
    size_t first;    /* of its others, those with most of the block first; */
    size_t count;    /* that address's function is none of them */
};

struct named_blocks {
    struct symbols *symbols;
    unsigned whole;             /* that shares are of */
    struct named_block *blocks; /* hottest first */
    size_t count;
    struct block_function *others;
    size_t other_count;
    size_t other_room;
};

/** Free BLOCKS and their symbols; NULL is allowed. */
void named_blocks_free(struct named_blocks *blocks);

#ifdef __cplusplus
}
#endif

#endif
