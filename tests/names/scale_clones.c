/* SPDX-License-Identifier: MIT */
#include <stdint.h>

/* At -O3 gcc makes of scale() a clone for mode 3, and keeps it for others. */

volatile uint32_t clones_port[8];

void Reset_Handler(void);
uint32_t scale(uint32_t value, int mode, uint32_t limit);

__attribute__((noinline)) uint32_t scale(uint32_t value, int mode,
                                         uint32_t limit)
{
    if (mode == 3)
        value = value * 3 + clones_port[0];
    else if (mode == 4)
        value = value << 4 ^ clones_port[1];
    else
        clones_port[2] = value;
    while (value > limit)
        value -= limit / 3 + 1;
    return value;
}

void Reset_Handler(void)
{
    for (;;) {
        clones_port[3] = scale(clones_port[4], 3, clones_port[7]);
        clones_port[5] = scale(clones_port[6], 3, clones_port[6]);
        clones_port[6] = scale(clones_port[5], 3, clones_port[5]);
    }
}
