/* SPDX-License-Identifier: MIT */
#ifndef HOTSPOTS_ORACLE_H
#define HOTSPOTS_ORACLE_H

/*
 * Exact weights, for every address there is, of a stream of samples under
 * forward decay: what the hot-spot table's few units are held against.
 *
 * Twice: with the weights that the engine says it gave (fixed point, so that
 * bounds can be checked to the unit), and by the definition, where a sample
 * weighs 2^(1/H) times what the one before it weighed (floating point).
 *
 * An address is a cell: block * ORACLE_PCS + which of the block's addresses.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "mcuprof_config.h"

#define ORACLE_BLOCKS 1024u
#define ORACLE_PCS 4u
#define ORACLE_CELLS (ORACLE_BLOCKS * ORACLE_PCS)
#define ORACLE_IGNORED 0xFFFFu

/* Bits behind the point, and halvings that wait to be done to all cells. */
#define ORACLE_POINT 20u
#define ORACLE_PENDING_MAX 8u

/* A unit of weight in fixed point. */
#define ORACLE_ONE (UINT64_C(1) << ORACLE_POINT)

struct oracle {
    uint32_t samples;
    uint32_t ignored;
    unsigned pending;
    uint64_t cells[ORACLE_CELLS]; /* times 2^pending */
    uint64_t blocks[ORACLE_BLOCKS];
    uint64_t total;
    double defined[ORACLE_BLOCKS]; /* by the definition */
    double defined_total;
    double defined_weight; /* of the next sample */
    uint8_t executed[ORACLE_CELLS];
};

/* The first two blocks are where the address space begins and ends. */
static inline uint32_t oracle_address(unsigned cell)
{
    static const uint32_t offsets[ORACLE_PCS] = {
            0,
            MCUPROF_HOTSPOT_GRAIN / 2u - 2u,
            MCUPROF_HOTSPOT_GRAIN / 2u,
            MCUPROF_HOTSPOT_GRAIN - 2u,
    };
    uint32_t block = cell / ORACLE_PCS;
    uint32_t base = block == 0   ? 0
                    : block == 1 ? 0u - MCUPROF_HOTSPOT_GRAIN
                                 : 0x08000000u + block * MCUPROF_HOTSPOT_GRAIN;
    return base + offsets[cell % ORACLE_PCS];
}

/* returns: ORACLE_CELLS if it is none of ours */
static inline unsigned oracle_cell(uint32_t address)
{
    uint32_t tag = address / MCUPROF_HOTSPOT_GRAIN;
    uint32_t first = 0x08000000u / MCUPROF_HOTSPOT_GRAIN;
    uint32_t block = tag == 0 ? 0 : tag - first;
    if (tag == 0xFFFFFFFFu / MCUPROF_HOTSPOT_GRAIN) {
        block = 1;
    }
    for (unsigned i = 0; i < ORACLE_PCS && block < ORACLE_BLOCKS; i++) {
        if (oracle_address(block * ORACLE_PCS + i) == address) {
            return block * ORACLE_PCS + i;
        }
    }
    return ORACLE_CELLS;
}

static inline void oracle_reset(struct oracle *oracle)
{
    memset(oracle, 0, sizeof(*oracle));
    oracle->defined_weight = 1;
}

/* Rounds down: a cell is at most what it should be, less by 2 at most. */
static inline void oracle_settle(struct oracle *oracle)
{
    for (unsigned i = 0; i < ORACLE_CELLS; i++) {
        oracle->cells[i] >>= oracle->pending;
    }
    for (unsigned i = 0; i < ORACLE_BLOCKS; i++) {
        oracle->blocks[i] >>= oracle->pending;
    }
    oracle->total >>= oracle->pending;
    oracle->pending = 0;
}

/* From here on the engine's weights are half of what they were. */
static inline void oracle_halve(struct oracle *oracle)
{
    if (++oracle->pending == ORACLE_PENDING_MAX) {
        oracle_settle(oracle);
    }
}

/* Ignored samples age the others as any do. */
static inline void oracle_age(struct oracle *oracle)
{
#if MCUPROF_HOTSPOT_HALF_LIFE != 0
    oracle->defined_weight *= exp2(1.0 / MCUPROF_HOTSPOT_HALF_LIFE);
#endif
    if (oracle->defined_weight > 1e100) {
        for (unsigned i = 0; i < ORACLE_BLOCKS; i++) {
            oracle->defined[i] *= 1e-100;
        }
        oracle->defined_total *= 1e-100;
        oracle->defined_weight *= 1e-100;
    }
}

/* A sample that the engine gave `weight`. */
static inline void oracle_add(struct oracle *oracle, unsigned cell,
                              uint32_t weight)
{
    uint64_t fixed = (uint64_t)weight << (ORACLE_POINT + oracle->pending);
    if (cell == ORACLE_IGNORED) {
        oracle->ignored++;
    } else {
        oracle->samples++;
        oracle->cells[cell] += fixed;
        oracle->blocks[cell / ORACLE_PCS] += fixed;
        oracle->total += fixed;
        oracle->executed[cell] = 1;
        oracle->defined[cell / ORACLE_PCS] += oracle->defined_weight;
        oracle->defined_total += oracle->defined_weight;
    }
    oracle_age(oracle);
}

static inline uint64_t oracle_of_cell(const struct oracle *oracle,
                                      unsigned cell)
{
    return oracle->cells[cell] >> oracle->pending;
}

static inline uint64_t oracle_of_block(const struct oracle *oracle,
                                       unsigned block)
{
    return oracle->blocks[block] >> oracle->pending;
}

static inline uint64_t oracle_total(const struct oracle *oracle)
{
    return oracle->total >> oracle->pending;
}

#endif
