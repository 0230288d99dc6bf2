/* SPDX-License-Identifier: MIT */
#ifndef TRACE_MACHINE_H
#define TRACE_MACHINE_H

/*
 * A core for the call ring on the host port: three tasks, three priorities of
 * interrupts, a clock by hand. Wherever the ring may be interrupted in a
 * section (and at every step of the load besides) chance decides what comes:
 * nothing, an interrupt, a switch to another task that was left in the middle
 * of anything. Every event is an address that says who made it and which of his
 * it is, so that its context, its order and its loss can be told from it alone.
 */

/* cmocka needs these first, in this order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "mcuprof_port_host.h"
#include "mcuprof_ring.h"
#include "mcuprof_stream.h"

#define MACHINE_TASKS 3u
#define MACHINE_ISRS 3u
#define MACHINE_ACTORS (MACHINE_TASKS + MACHINE_ISRS)
#define MACHINE_STACK (256u * 1024u)
#define MACHINE_HZ 1000000u

/* Chances in 1024 that a step is interrupted, or that tasks switch. */
struct machine_chances {
    unsigned interrupt;
    unsigned change;
    int tells; /* the switch, by mcuprof_context_set() */
};

static struct {
    struct machine_chances chances;
    ucontext_t tasks[MACHINE_TASKS];
    ucontext_t outside;
    unsigned task;
    uint32_t random;
    uint32_t issued[MACHINE_ACTORS]; /* events of each */
    uint32_t left;                   /* steps of the load */
    int switches;                    /* all tasks are there to switch to */
    void (*main_step)(void);         /* of the first task, besides */
} machine;

static char machine_stacks[MACHINE_TASKS][MACHINE_STACK];

static inline uint32_t machine_random(uint32_t below)
{
    machine.random = machine.random * 1664525u + 1013904223u;
    return (machine.random >> 8) % below;
}

static inline unsigned machine_context(unsigned actor)
{
    if (actor >= MACHINE_TASKS) {
        return 16u + actor - MACHINE_TASKS;
    }
    return machine.chances.tells ? MCUPROF_CONTEXT_TASK_FIRST + actor : 0;
}

static inline unsigned machine_actor(void)
{
    unsigned exception = mcuprof_port_host.exception;
    return exception != 0 ? exception - 16u + MACHINE_TASKS : machine.task;
}

/* The n-th event's function, which fits below the special words. */
static inline uint32_t machine_function(unsigned actor, uint32_t n)
{
    return 0x10000000u * (actor + 1u) | (n & 0x3FFFFFFu) << 2;
}

static inline void machine_event(void)
{
    unsigned actor = machine_actor();
    uint32_t n = machine.issued[actor]++;
    void *function = (void *)(uintptr_t)machine_function(actor, n / 2u);
    if (n % 2u == 0) {
        __cyg_profile_func_enter(function, NULL);
    } else {
        __cyg_profile_func_exit(function, NULL);
    }
}

static void machine_between(void);

static inline void machine_interrupt(unsigned isr)
{
    unsigned before = mcuprof_port_host.exception;
    mcuprof_port_host.exception = 16u + isr;
    mcuprof_port_host.is_exclusive = 0;
    for (uint32_t i = machine_random(4); i > 0; i--) {
        machine_event();
        machine_between();
    }
    mcuprof_port_host.exception = before;
    mcuprof_port_host.is_exclusive = 0;
}

static inline void machine_tell(unsigned task)
{
    if (machine.chances.tells) {
        mcuprof_port_host.exception = 14;
        mcuprof_context_set(MCUPROF_CONTEXT_TASK_FIRST + task);
        mcuprof_port_host.exception = 0;
    }
}

static inline void machine_switch(unsigned to)
{
    unsigned from = machine.task;
    if (to == from) {
        return;
    }
    machine.task = to;
    machine_tell(to);
    (void)swapcontext(&machine.tasks[from], &machine.tasks[to]);
    mcuprof_port_host.is_exclusive = 0;
}

/* PendSV's number is the least urgent: what it interrupts is a task. */
static void machine_between(void)
{
    unsigned exception = mcuprof_port_host.exception;
    unsigned next = exception >= 16u ? exception - 16u + 1u : 0;
    mcuprof_port_host.counter += 1u + machine_random(4);
    if (exception == 14u) {
        next = 0;
    }
    if (next < MACHINE_ISRS
        && machine_random(1024) < machine.chances.interrupt) {
        machine_interrupt(next + machine_random(MACHINE_ISRS - next));
    }
    if (exception == 0 && machine.switches
        && machine_random(1024) < machine.chances.change) {
        machine_switch(machine_random(MACHINE_TASKS));
    }
}

static void machine_task(void)
{
    while (machine.left > 0) {
        machine.left--;
        machine_between();
        machine_event();
        if (machine.task == 0 && machine.main_step != NULL) {
            machine.main_step();
        }
    }
    /* From here on each runs to its end. */
    machine.switches = 0;
    (void)swapcontext(&machine.tasks[machine.task], &machine.outside);
}

static inline void machine_reset(const struct machine_chances *chances,
                                 uint32_t seed)
{
    memset(&mcuprof_port_host, 0, sizeof(mcuprof_port_host));
    memset(&machine, 0, sizeof(machine));
    machine.chances = *chances;
    machine.random = seed;
    mcuprof_port_host.source = MCUPROF_CLOCK_DWT;
    mcuprof_port_host.reason = MCUPROF_REASON_ADVANCES;
    mcuprof_port_host.counter = seed;
    mcuprof_port_host.code = (const uint8_t *)machine_stacks;
    mcuprof_port_host.code_start = 0x08000000u;
    mcuprof_port_host.code_length = 64;
    mcuprof_port_host.between = machine_between;
}

/* Alone, for compilers take getcontext() for something that returns twice. */
__attribute__((noinline)) static void machine_begin_task(unsigned i)
{
    assert_int_equal(getcontext(&machine.tasks[i]), 0);
    machine.tasks[i].uc_stack.ss_sp = machine_stacks[i];
    machine.tasks[i].uc_stack.ss_size = MACHINE_STACK;
    makecontext(&machine.tasks[i], machine_task, 0);
}

/* Runs so many steps; every task is outside of the library then. */
static inline void machine_run(uint32_t steps)
{
    machine.left = steps;
    for (unsigned i = 0; i < MACHINE_TASKS; i++) {
        machine_begin_task(i);
    }
    machine.switches = 1;
    /* Whoever runs when the steps are used up ends; the others follow. */
    uint32_t ended = 0;
    machine_tell(machine.task);
    while (ended != (1u << MACHINE_TASKS) - 1u) {
        (void)swapcontext(&machine.outside, &machine.tasks[machine.task]);
        ended |= 1u << machine.task;
        for (unsigned i = 0; i < MACHINE_TASKS; i++) {
            if ((ended & 1u << i) == 0) {
                machine.task = i;
                machine_tell(i);
                break;
            }
        }
    }
}

#endif
