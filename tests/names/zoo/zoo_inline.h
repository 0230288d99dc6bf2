/* SPDX-License-Identifier: MIT */
#ifndef ZOO_INLINE_H
#define ZOO_INLINE_H

/*
 * Inlined over three levels, in more than one unit and more than once in one.
 */

#include <stdint.h>

static inline uint32_t zoo_rotate(uint32_t value, unsigned count)
{
    return value << count | value >> (32 - count);
}

static inline uint32_t zoo_round(uint32_t state, uint32_t word)
{
    word *= 0xCC9E2D51u;
    state ^= zoo_rotate(word, 15) * 0x1B873593u;
    return zoo_rotate(state, 13) * 5 + 0xE6546B64u;
}

static inline uint32_t zoo_mix(uint32_t state, const uint32_t *words,
                               unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (words[i] == 0)
            continue;
        state = zoo_round(state, words[i]);
    }
    return state;
}

#endif
