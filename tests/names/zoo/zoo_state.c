/* SPDX-License-Identifier: MIT */
#include "zoo.h"
#include "zoo_inline.h"

/*
 * A switch that becomes a jump table, tables and strings that the linker
 * script puts into .text, and functions that compilers clone and split.
 */

static const uint16_t step_table[8] = {0x4770, 0xBF00, 0xB500, 0xBD00,
                                       0x2001, 0x4770, 0xBF30, 0xE7FE};

const char *zoo_message;

static NOINLINE uint32_t leave(uint32_t state)
{
    return state ^ step_table[state & 7];
}

uint32_t zoo_step(uint32_t state, uint32_t event)
{
    switch (event) {
    case 0:
        zoo_port[0] = state;
        return leave(state);
    case 1:
        zoo_port[1] += state;
        return state + 3;
    case 2:
        zoo_message = "stopped by the operator";
        return leave(state + 1);
    case 3:
        zoo_port[3] = zoo_rotate(state, 9);
        break;
    case 4:
        zoo_port[4] -= state;
        return zoo_round(state, event);
    case 5:
        zoo_message = "out of range";
        zoo_port[5] = ~state;
        return 5;
    case 6:
        zoo_port[6] = state / 10;
        return leave(state ^ 0x55);
    case 7:
        zoo_port[7] |= state;
        return zoo_port[8];
    default:
        zoo_port[9] = event;
        break;
    }
    return state - 1;
}

__attribute__((cold, noinline)) static void complain(const char *text)
{
    zoo_message = text;
    zoo_port[10]++;
}

/* Reads one member of what it gets: .isra. */
static NOINLINE uint32_t weigh(const struct zoo_item *item)
{
    uint32_t weight = zoo_port[11];

    while (weight > item->key)
        weight -= item->key / 2 + 1;
    return weight * 3;
}

/* Its mode is the same in all calls: .constprop. */
static NOINLINE uint32_t scale(uint32_t value, int mode, uint32_t limit)
{
    if (mode == 3)
        value = value * 3 + zoo_port[12];
    else if (mode == 4)
        value = zoo_rotate(value, 4);
    while (value > limit)
        value -= limit / 3 + 1;
    return value;
}

/* Cheap in the front, the rest apart: .part. */
static uint32_t refine(const struct zoo_item *item, uint32_t rounds)
{
    if (item->next == 0)
        return 0;
    for (uint32_t i = 0; i < rounds; i++) {
        zoo_port[13] = zoo_round(item->key, i);
        zoo_port[14] += zoo_rotate(item->value, 3);
        if (zoo_port[13] == zoo_port[14])
            zoo_port[15] = i;
        zoo_port[i & 7] ^= zoo_round(zoo_port[15], rounds);
    }
    return zoo_port[14] + rounds;
}

/* Never likely: .cold. */
uint32_t zoo_clones(const struct zoo_item *item, uint32_t mode)
{
    uint32_t sum = weigh(item) + weigh(item->next ? item->next : item);

    if (mode > 0x1000) {
        complain("mode");
        sum ^= mode;
        zoo_port[15] = sum * 7;
    }
    sum += scale(sum, 3, 1000) + scale(mode, 3, 77);
    sum += refine(item, mode);
    if (sum > 50)
        sum += refine(item, 3);
    if (item->next != 0)
        sum ^= refine(item->next, sum);
    return sum;
}

/* Called by nobody. */
uint32_t zoo_unused_state(uint32_t state)
{
    return leave(zoo_rotate(state, 11)) + scale(state, 3, 5);
}
