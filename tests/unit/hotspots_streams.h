/* SPDX-License-Identifier: MIT */
#ifndef HOTSPOTS_STREAMS_H
#define HOTSPOTS_STREAMS_H

/*
 * Streams of samples, as cells of the oracle, that are hard on a table of few
 * units, each in another way.
 */
#include "hotspots_oracle.h"
#include "mcuprof.h"

#define STREAM_UNITS MCUPROF_HOTSPOT_UNITS

struct stream_state {
    uint32_t random;
    uint32_t count; /* samples so far */
    const struct oracle *oracle;
};

struct stream {
    const char *name;
    unsigned (*next)(struct stream_state *state);
};

/* xorshift32 of Marsaglia, JSS 8(14), 2003. */
static inline uint32_t stream_random(struct stream_state *state)
{
    uint32_t x = state->random;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    state->random = x;
    return x;
}

static inline uint32_t stream_below(struct stream_state *state, uint32_t limit)
{
    return (uint32_t)(((uint64_t)stream_random(state) * limit) >> 32);
}

/* Any address of a block: none has a majority. */
static inline unsigned stream_any_pc(struct stream_state *state, unsigned block)
{
    return block * ORACLE_PCS + stream_below(state, ORACLE_PCS);
}

/* One address of a block with a share of 6/10, by chance. */
static inline unsigned stream_major_pc(struct stream_state *state,
                                       unsigned block)
{
    unsigned which = block % ORACLE_PCS;
    if (stream_below(state, 10) >= 6) {
        which = (which + 1u + stream_below(state, ORACLE_PCS - 1u))
                % ORACLE_PCS;
    }
    return block * ORACLE_PCS + which;
}

static inline unsigned stream_one_block(struct stream_state *state)
{
    return stream_major_pc(state, 7);
}

/* The empty unit's address is one that is executed, too. */
static inline unsigned stream_two_blocks(struct stream_state *state)
{
    return stream_any_pc(state, state->count % 2u);
}

/* Fewer blocks than units: the table is exact. */
static inline unsigned stream_few(struct stream_state *state)
{
    return stream_major_pc(state, stream_below(state, STREAM_UNITS - 1u));
}

static inline unsigned stream_uniform(struct stream_state *state)
{
    return stream_any_pc(state, stream_below(state, ORACLE_BLOCKS));
}

/*
 * Zipf's law with exponent 1, by rejection from a piecewise constant hat: the
 * octave [2^k, 2^(k+1)) of ranks weighs at most as much as any other.
 */
static inline unsigned stream_zipf_block(struct stream_state *state)
{
    for (;;) {
        uint32_t first = 1u << stream_below(state, 10);
        uint32_t rank = first + stream_below(state, first);
        if (stream_below(state, rank) < first && rank < ORACLE_BLOCKS) {
            return rank;
        }
    }
}

static inline unsigned stream_zipf(struct stream_state *state)
{
    /* Neighbours in rank are no neighbours in memory. */
    unsigned block = stream_zipf_block(state) * 389u % ORACLE_BLOCKS;
    return stream_major_pc(state, block);
}

/* The ranks change places now and then. */
static inline unsigned stream_phases(struct stream_state *state)
{
    unsigned phase = state->count / 20000u;
    unsigned block = stream_zipf_block(state) + 311u * phase;
    return stream_major_pc(state, block % ORACLE_BLOCKS);
}

/* A loop: always the same sequence, of uneven parts. */
static inline unsigned stream_periodic(struct stream_state *state)
{
    unsigned at = state->count % 97u;
    return (at * at % 31u) * ORACLE_PCS + at % 3u;
}

/* One block more than there are units, in turn. */
static inline unsigned stream_cyclic(struct stream_state *state)
{
    return stream_any_pc(state, state->count % (STREAM_UNITS + 1u));
}

static inline int stream_is_shown(unsigned block)
{
    uint32_t tag = oracle_address(block * ORACLE_PCS) / MCUPROF_HOTSPOT_GRAIN;
    for (unsigned i = 0; i < STREAM_UNITS; i++) {
        uint32_t pc = (uint32_t)(uintptr_t)mcuprof_hotspots[i].pc;
        if (mcuprof_hotspots[i].weight != 0
            && pc / MCUPROF_HOTSPOT_GRAIN == tag) {
            return 1;
        }
    }
    return 0;
}

/* Who reads the table: hits the greatest block that is not in it. */
static inline unsigned stream_adverse(struct stream_state *state)
{
    unsigned worst = 0;
    uint64_t greatest = 0;
    unsigned among = STREAM_UNITS * 3u / 2u;
    for (unsigned block = 0; block < among; block++) {
        uint64_t weight = oracle_of_block(state->oracle, block);
        if (weight >= greatest && !stream_is_shown(block)) {
            greatest = weight;
            worst = block;
        }
    }
    return stream_any_pc(state, worst);
}

/* Each second sample is of a block never seen, or long ago; one block stays. */
static inline unsigned stream_churn(struct stream_state *state)
{
    uint32_t n = state->count;
    if (n % STREAM_UNITS == 0) {
        return stream_major_pc(state, 5);
    }
    return stream_any_pc(state, 16u + n % (ORACLE_BLOCKS - 16u));
}

static const struct stream streams[] = {
        {"two blocks", stream_two_blocks}, {"few blocks", stream_few},
        {"uniform", stream_uniform},       {"Zipf", stream_zipf},
        {"phases", stream_phases},         {"periodic", stream_periodic},
        {"cyclic", stream_cyclic},         {"adverse", stream_adverse},
        {"churn", stream_churn},
};

#endif
