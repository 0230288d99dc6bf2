/* SPDX-License-Identifier: MIT */

#include "board.h"
#include "vectors.h"

/* Vector table and the way from reset to main(), the same for all boards. */

typedef void handler(void);

extern uint32_t _sidata[], _sdata[], _edata[], _sbss[], _ebss[], _estack[];

int main(void);
void Reset_Handler(void);
void Default_Handler(void);

#define DECLARE(name)                                                          \
    void name##_Handler(void) __attribute__((weak, alias("Default_Handler")));
CORE_EXCEPTIONS(DECLARE, )
BOARD_INTERRUPTS(DECLARE, )

struct vectors {
    uint32_t *stack;
    handler *handlers[16 - 1 + 32];
};

extern const struct vectors board_vectors;

#define ENTRY(name) name##_Handler,
#define NO_ENTRY 0,
const struct vectors board_vectors
        __attribute__((section(".vectors"), used)) = {
                _estack,
                {Reset_Handler, CORE_EXCEPTIONS(ENTRY, NO_ENTRY)
                                        BOARD_INTERRUPTS(ENTRY, NO_ENTRY)},
};

/* An exception that nobody handles ends the run with its number. */
void Default_Handler(void)
{
    uint32_t exception;

    __asm__ volatile("mrs %0, ipsr" : "=r"(exception));
    board_exit(100 + (int)exception);
}

static void fpu_enable(void)
{
#ifdef __ARM_FP
    /* CPACR: full access to coprocessors 10 and 11. */
    *(volatile uint32_t *)0xE000ED88u |= 0xFu << 20;
    __asm__ volatile("dsb\n\tisb" ::: "memory");
#endif
}

void Reset_Handler(void)
{
    const uint32_t *from = _sidata;

    fpu_enable();
    for (uint32_t *to = _sdata; to < _edata; to++) {
        *to = *from++;
    }
    for (uint32_t *to = _sbss; to < _ebss; to++) {
        *to = 0;
    }
    board_init();
    board_exit(main());
}
