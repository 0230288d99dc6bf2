/* SPDX-License-Identifier: MIT */
#include "zoo.h"
#include "zoo_inline.h"

/*
 * Start-up, weak handlers of one default, a helper whose name another file
 * has too, and code that runs from RAM.
 */

typedef void handler(void);

void Reset_Handler(void);
void Default_Handler(void);
void SysTick_Handler(void);
void UART0_Handler(void) __attribute__((weak, alias("Default_Handler")));
void UART1_Handler(void) __attribute__((weak, alias("Default_Handler")));

volatile uint32_t zoo_port[16] = {1, 2, 3};

__attribute__((section(".vectors"), used)) static handler *const vectors[18] = {
        [0] = (handler *)0x20004000, [1] = Reset_Handler,
        [2] = Default_Handler,       [3] = Default_Handler,
        [15] = SysTick_Handler,      [16] = UART0_Handler,
        [17] = UART1_Handler,
};

static NOINLINE void helper(uint32_t value)
{
    zoo_port[0] = zoo_rotate(value, 3);
    zoo_port[1] = zoo_round(value, zoo_port[0]);
}

void Default_Handler(void)
{
    for (;;)
        zoo_port[2]++;
}

void SysTick_Handler(void)
{
    zoo_port[3]++;
    helper(zoo_port[3]);
}

/* Too far from flash for a branch: there is a veneer in each direction. */
__attribute__((section(".ramfunc"), noinline)) void zoo_hot(void)
{
    zoo_port[4] = zoo_round(zoo_port[4], 17);
    if (zoo_port[4] & 1)
        helper(zoo_port[4]);
    zoo_port[5]++;
}

/* Called by nobody: what the linker throws away. */
void zoo_unused_start(void)
{
    uint32_t words[2] = {zoo_port[0], zoo_port[1]};

    zoo_port[6] = zoo_mix(words[0], words, 2);
    helper(zoo_port[6]);
}

static uint32_t sum_items(const struct zoo_item *item)
{
    uint32_t sum = 0;

    for (; item != 0; item = item->next)
        sum += zoo_step(sum, item->key) + zoo_clones(item, item->value);
    return sum;
}

int main(void)
{
    struct zoo_item items[3] = {
            {&items[1], zoo_port[0], 3},
            {&items[2], zoo_port[1], 2},
            {0, zoo_port[2], 1},
    };
    uint32_t words[4] = {zoo_port[0], 1, zoo_port[1], 0};

    zoo_port[7] = sum_items(zoo_sort(items));
    zoo_port[8] = zoo_digest(words, 4);
    zoo_port[9] = zoo_shapes(zoo_port[8]);
    zoo_port[10] = asm_sized(zoo_port[9]);
    zoo_port[11] = asm_typed(3);
    zoo_port[12] = zoo_divide(zoo_port[10], zoo_port[11]);
    zoo_port[13] = zoo_alive(zoo_port[12]);
    zoo_hot();
    helper(zoo_mix(1, words, 2));
    return 0;
}

void Reset_Handler(void)
{
    main();
    for (;;)
        continue;
}
