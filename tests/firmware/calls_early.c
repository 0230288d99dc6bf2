/* SPDX-License-Identifier: MIT */
/*
 * A reset handler with hooks, and what it calls before there is .data and .bss:
 * this vector table lies in front of the board's.
 */
#include "calls_early.h"
#include "board.h"

extern uint32_t _sidata[], _sdata[], _edata[], _sbss[], _ebss[], _estack[];

int main(void);
void early_reset(void);
void early_clock(void);
void early_copy(void);
void early_clear(void);
static void early_fault(void);

const struct early_vectors early_vectors
        __attribute__((section(".vectors"), used)) = {
                _estack,
                {early_reset, early_fault, early_fault, early_fault,
                 early_fault, early_fault},
};

__attribute__((no_instrument_function)) static void early_fault(void)
{
    board_exit(99);
}

__attribute__((noinline)) void early_clock(void)
{
    __asm volatile("nop");
}

__attribute__((noinline)) void early_copy(void)
{
    const uint32_t *from = _sidata;

    for (uint32_t *to = _sdata; to < _edata; to++) {
        *to = *from++;
    }
}

__attribute__((noinline)) void early_clear(void)
{
    for (uint32_t *to = _sbss; to < _ebss; to++) {
        *to = 0;
    }
}

void early_reset(void)
{
    early_clock();
    early_copy();
    early_clear();
    board_init();
    board_exit(main());
}
