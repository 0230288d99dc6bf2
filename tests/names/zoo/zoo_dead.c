/* SPDX-License-Identifier: MIT */
#include "zoo.h"
#include "zoo_inline.h"

/*
 * Most of this is not called. Where the linker discards it and flash begins at
 * 0, its debug info lies over the firmware; what is alive keeps it there.
 */

static NOINLINE uint32_t dead_leaf(uint32_t value)
{
    zoo_port[0] = value;
    return zoo_rotate(value, 1);
}

#define DEAD_ROUND(n)                                                          \
    do {                                                                       \
        seed = zoo_round(seed, zoo_port[n]);                                   \
        zoo_port[n] = dead_leaf(seed + n);                                     \
    } while (0)

uint32_t zoo_dead(uint32_t seed)
{
    DEAD_ROUND(1);
    DEAD_ROUND(2);
    DEAD_ROUND(3);
    DEAD_ROUND(4);
    seed += zoo_rotate(seed, 7);
    DEAD_ROUND(5);
    DEAD_ROUND(6);
    DEAD_ROUND(7);
    DEAD_ROUND(8);
    seed += zoo_rotate(seed, 9);
    DEAD_ROUND(9);
    DEAD_ROUND(10);
    DEAD_ROUND(11);
    DEAD_ROUND(12);
    seed += zoo_rotate(seed, 11);
    DEAD_ROUND(13);
    DEAD_ROUND(14);
    DEAD_ROUND(15);
    return seed;
}

uint32_t zoo_dead_again(uint32_t seed)
{
    for (unsigned i = 0; i < 4; i++) {
        DEAD_ROUND(3);
        seed ^= zoo_mix(seed, &seed, 1);
        DEAD_ROUND(8);
    }
    return zoo_dead(seed);
}

uint32_t zoo_alive(uint32_t seed)
{
    return zoo_rotate(seed, 17) + zoo_port[15];
}
