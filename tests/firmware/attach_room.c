/* SPDX-License-Identifier: MIT */
/*
 * What attaching says where MCUPROF_VECTORS is too small, or just enough, for
 * the chip. Prints
 *
 *     attach A detach D moved M
 */
#include "board.h"
#include "mcuprof.h"

#define VTOR (*(volatile uint32_t *)0xE000ED08u)

void SysTick_Handler(void);

void SysTick_Handler(void)
{
}

static const struct mcuprof_config config = {
        .write = board_uart_write,
        .core_hz = BOARD_CLOCK_HZ,
        .rate_hz = 1000,
        .timer = &mcuprof_timer_systick_shared,
};

int main(void)
{
    uint32_t vtor = VTOR;

    if (mcuprof_init(&config) != 0) {
        return 1;
    }
    int attached = mcuprof_sample_attach(-1);
    int moved = VTOR != vtor;
    int detached = mcuprof_sample_detach();
    board_print("attach %d detach %d moved %d\n", attached, detached, moved);
    return VTOR == vtor ? 0 : 2;
}
