/* SPDX-License-Identifier: MIT */
#include "functions_views.h"

#include "board.h"

#include <setjmp.h>

/* Compiled with hooks, as all here. */
void TIMER0_Handler(void);
void TIMER1_Handler(void);
void views_leaf(uint32_t ticks);
void views_branch(unsigned depth);
void views_jump(void);

static jmp_buf place;

__attribute__((noinline)) void views_leaf(uint32_t ticks)
{
    views_pass(ticks);
}

__attribute__((noinline)) void views_branch(unsigned depth)
{
    views_pass(3);
    if (depth > 0) {
        views_branch(depth - 1);
    }
    views_leaf(depth);
}

__attribute__((noinline)) void views_jump(void)
{
    views_pass(17);
    longjmp(place, 1);
}

void TIMER1_Handler(void)
{
    views_leaf(29);
}

void TIMER0_Handler(void)
{
    views_pass(7);
    views_pend(1);
    views_leaf(5);
}

/* More than there are slots for. */
#define FUNCTION(name)                                                         \
    void views_##name(void);                                                   \
    __attribute__((noinline)) void views_##name(void)                          \
    {                                                                          \
        views_pass(11);                                                        \
        views_leaf(2);                                                         \
    }
#define FOUR(name)                                                             \
    FUNCTION(name##0) FUNCTION(name##1) FUNCTION(name##2) FUNCTION(name##3)
#define CALL(name)                                                             \
    views_##name##0();                                                         \
    views_##name##1();                                                         \
    views_##name##2();                                                         \
    views_##name##3();

FOUR(a)
FOUR(b)
FOUR(c)

static void call_all(void)
{
    CALL(a)
    CALL(b)
    CALL(c)
}

void views_round(unsigned round)
{
    views_branch(round % 12u);
    views_pend(0);
    views_leaf(round);
    if (setjmp(place) == 0) {
        views_jump();
    }
    if (round % 8u == 7u) {
        call_all();
    }
}

void views_descend(unsigned depth, unsigned ends)
{
    views_pass(1000);
    if (depth > 0) {
        views_leaf(depth);
        views_descend(depth - 1, ends);
    } else if (ends) {
        views_end();
    }
    views_pass(1);
}
