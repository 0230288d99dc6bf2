/* SPDX-License-Identifier: MIT */
/*
 * A project with nothing in it: a vector table, the way to main(), and an
 * application of five loops whose times are 16 : 8 : 4 : 2 : 1. main() and the
 * sampling handler are the README's.
 */
#include "mcuprof.h"

#define ENOUGH_SAMPLES 1024u

extern uint32_t _sidata[], _sdata[], _edata[], _sbss[], _ebss[], _estack[];

int main(void);
void Reset_Handler(void);
void SysTick_Handler(void);
void board_setup(void);
void application(void);
void settings_are_wrong(void);
void halt(void);
void enough(void);

/*
 * A block of the hot-spot table each, and a counter each, or the compiler would
 * make one function of all.
 */
#define LOOP(name)                                                             \
    static volatile unsigned count_of_##name;                                  \
    static __attribute__((noinline, aligned(256))) void name(unsigned rounds)  \
    {                                                                          \
        for (unsigned i = 0; i < rounds; i++) {                                \
            count_of_##name++;                                                 \
        }                                                                      \
    }
LOOP(sixteen)
LOOP(eight)
LOOP(four)
LOOP(two)
LOOP(one)

/* Where the test halts. */
__attribute__((noinline)) void enough(void)
{
    __asm volatile("");
}

void application(void)
{
    if (mcuprof_hotspots_view.samples >= ENOUGH_SAMPLES) {
        enough();
    }
    /* Not in the order of their times. */
    two(200);
    sixteen(1600);
    one(100);
    eight(800);
    four(400);
}

void board_setup(void)
{
}

void halt(void)
{
    for (;;) {
    }
}

void settings_are_wrong(void)
{
    halt();
}

void Reset_Handler(void)
{
    const uint32_t *from = _sidata;
    for (uint32_t *to = _sdata; to < _edata; to++) {
        *to = *from++;
    }
    for (uint32_t *to = _sbss; to < _ebss; to++) {
        *to = 0;
    }
    (void)main();
    halt();
}

struct vectors {
    uint32_t *stack;
    void (*handlers[15])(void);
};

extern const struct vectors vectors;
const struct vectors vectors __attribute__((section(".vectors"), used)) = {
        _estack,
        {Reset_Handler, halt, halt, halt, halt, halt, halt, halt, halt, halt,
         halt, halt, halt, halt, SysTick_Handler},
};
