/* SPDX-License-Identifier: MIT */
/* Work in which much is inlined, with a switch and calls that do not return. */
#include <stdint.h>

#define NOINLINE __attribute__((noinline))
#ifndef FAST
#define FAST
#endif

volatile uint32_t select_sink;
int main(void);
uint32_t crc_step(uint32_t crc, uint32_t value);
uint32_t crc_all(const uint8_t *bytes, uint32_t size);
uint32_t choose(uint32_t which);
uint32_t walk(uint32_t depth);
void give_up(void);
void note(uint32_t value);
uint32_t other_file(uint32_t value);

static inline uint32_t mix(uint32_t value)
{
    return value ^ value << 3 ^ select_sink;
}

static inline uint32_t twice(uint32_t value)
{
    return mix(value) + mix(value + 1);
}

NOINLINE uint32_t crc_step(uint32_t crc, uint32_t value)
{
    for (unsigned i = 0; i < 8; i++)
        crc = (crc & 1) != 0 ? crc >> 1 ^ 0xA001 ^ value : mix(crc >> 1);
    return crc;
}

FAST NOINLINE uint32_t crc_all(const uint8_t *bytes, uint32_t size)
{
    uint32_t crc = 1;

    if (size == 0)
        return 0;
    while (size-- > 0)
        crc = crc_step(crc, *bytes++);
    return twice(crc);
}

NOINLINE void give_up(void)
{
    for (;;)
        select_sink++;
}

NOINLINE uint32_t choose(uint32_t which)
{
    switch (which) {
    case 0:
        return mix(1);
    case 1:
        return twice(2);
    case 2:
        return crc_step(3, 4);
    case 3:
        select_sink = twice(which);
        return select_sink + 2;
    case 4:
        return other_file(which);
    case 5:
        give_up();
        return 0;
    case 6:
        return mix(select_sink) * 3;
    default:
        return which;
    }
}

NOINLINE void note(uint32_t value)
{
    select_sink = value;
}

NOINLINE uint32_t walk(uint32_t depth)
{
    if (depth == 0)
        return choose(select_sink & 3);
    return walk(depth - 1) + twice(depth);
}

int main(void)
{
    static const uint8_t bytes[] = {1, 2, 3, 4, 5};
    uint32_t sum = crc_all(bytes, sizeof bytes);

    for (uint32_t i = 0; i < 5; i++)
        sum += choose(i) + walk(i);
    note(sum);
    return 0;
}
