/* SPDX-License-Identifier: MIT */

#include "board.h"
#include "mcuprof.h"

/*
 * The hot-spot table with nothing else, as a user with a debugger has it. Only
 * its size counts here.
 */

MCUPROF_SAMPLE_HANDLER(SysTick_Handler);

int main(void)
{
    static const struct mcuprof_config config = {.core_hz = BOARD_CLOCK_HZ};

    if (mcuprof_init(&config) < 0 || mcuprof_start() < 0) {
        return 1;
    }
    for (;;) {
    }
}
