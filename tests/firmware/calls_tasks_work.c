/* SPDX-License-Identifier: MIT */

#include "calls_tasks.h"

#include "board.h"
#include "mcuprof.h"

static volatile unsigned worked;

void tasks_leaf(unsigned n);
void tasks_branch(unsigned n);
void tasks_climb(unsigned levels);

void tasks_leaf(unsigned n)
{
    tasks_calm = 1;
    for (n *= 8u; n > 0; n--) {
        worked++;
    }
    tasks_calm = 0;
}

void tasks_branch(unsigned n)
{
    tasks_leaf(n % 7u * 8u);
    tasks_leaf(n % 5u * 16u);
}

void tasks_climb(unsigned levels)
{
    tasks_leaf(30);
    if (levels > 0) {
        tasks_climb(levels - 1u);
        tasks_leaf(10);
    }
}

void tasks_steady_round(unsigned n)
{
    tasks_branch(n);
    tasks_leaf(20);
    tasks_branch(n + 1u);
}

void tasks_deep_round(unsigned n)
{
    tasks_climb(n % 4u + 2u);
    tasks_branch(n);
}

/* A switch may come in the middle of it, too. */
void tasks_send(void)
{
    for (unsigned i = 0; i < 8 && mcuprof_poll() > 0; i++) {
    }
}

void TIMER0_Handler(void)
{
    board_timer_clear(0);
    tasks_yield();
}

void TIMER1_Handler(void)
{
    uint8_t was_calm = tasks_calm;

    board_timer_clear(1);
    tasks_leaf(5);
    tasks_calm = was_calm;
}
