/* SPDX-License-Identifier: MIT */
/*
 * What tests/names/hostile.bats damages: small, so that chance hits what
 * matters, with each kind of entry that names and lines are read from.
 */
#include <stdint.h>

struct channel {
    volatile uint32_t level;
    uint16_t limits[4];
};

static struct channel channels[3];
static const uint16_t table[] = {3, 1, 4, 1, 5, 9, 2, 6};

static inline __attribute__((always_inline)) uint32_t clip(uint32_t value,
                                                           uint32_t most)
{
    return value > most ? most : value;
}

static inline __attribute__((always_inline)) uint32_t
scale(const struct channel *channel, uint32_t value)
{
    uint32_t sum = 0;

    for (unsigned i = 0; i < 4; i++) {
        uint32_t part = value * channel->limits[i];

        sum += clip(part, table[i]);
    }
    return sum;
}

static __attribute__((noinline)) uint32_t filter(struct channel *channel,
                                                 uint32_t value)
{
    channel->level = scale(channel, value);
    if (value & 1) {
        uint32_t level = channel->level;

        value = clip(level, 1000) + scale(channel + 1, level);
    }
    return value;
}

uint32_t drain(unsigned which)
{
    switch (which) {
    case 0:
        return filter(&channels[0], 17);
    case 1:
        return scale(&channels[1], 4711);
    case 2:
        return filter(&channels[1], 23) + clip(channels[0].level, 5);
    default:
        return table[which & 7];
    }
}

uint32_t unused(uint32_t value)
{
    return scale(&channels[2], value) + 3;
}

void start(void)
{
    for (unsigned turn = 0;; turn++)
        channels[2].level += drain(turn);
}
