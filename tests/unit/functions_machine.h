/* SPDX-License-Identifier: MIT */
#ifndef FUNCTIONS_MACHINE_H
#define FUNCTIONS_MACHINE_H

/*
 * A core for the function table on the host port: three tasks, three priorities
 * of interrupts, a clock by hand, and a program of chance in each: calls,
 * inlined calls, recursion, returns, longjmp(). Wherever the table may be
 * interrupted in a section, chance decides what comes: nothing, an interrupt,
 * a switch to another task that was left in the middle of anything.
 *
 * Beside it an oracle, which knows no hooks: each actor has a time of its own
 * that runs while it does, and a stack of what it has called.
 */

/* cmocka needs these first, in this order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "mcuprof_functions_parts.h"
#include "mcuprof_port_host.h"
#include "mcuprof_stream.h"

#define MACHINE_TASKS 3u
#define MACHINE_ISRS 3u
#define MACHINE_ACTORS (MACHINE_TASKS + MACHINE_ISRS)
#define MACHINE_STACK (256u * 1024u)
#define MACHINE_HZ 1000000u
#define MACHINE_FUNCTIONS 40u
#define MACHINE_DEEPEST 256u
#define MACHINE_SP 0x20008000u

struct machine_chances {
    unsigned interrupt; /* in 1024, at every step and in every section */
    unsigned change;    /* that tasks switch */
    unsigned jump;      /* that a call is left by longjmp() */
    unsigned functions; /* of the program */
    unsigned depth;     /* it goes no deeper */
    uint32_t longest;   /* ticks of a step */
};

/* A call as the oracle has it. */
struct machine_call {
    unsigned function;
    uint32_t sp;
    uint32_t lr;
    uint64_t start;
    uint64_t children;
    int recursive;
};

struct machine_row {
    uint64_t calls;
    uint64_t self;
    uint64_t total;
    uint64_t min;
    uint64_t max;
    uint64_t completed;
};

struct machine_actor {
    uint64_t time;
    uint64_t inside; /* in any function */
    struct machine_call calls[MACHINE_DEEPEST];
    unsigned depth;
    unsigned excess;
    uint64_t deep;
    uint64_t unwound;
    struct machine_row rows[MACHINE_FUNCTIONS];
};

static struct {
    struct machine_chances chances;
    ucontext_t tasks[MACHINE_TASKS];
    ucontext_t outside;
    unsigned task;
    unsigned runs; /* actor whose time it is */
    uint32_t random;
    uint32_t left;
    unsigned hooks; /* in work, of the actors that are interrupted */
    int switches;
    uint32_t hook_ticks; /* of each step in a section */
    uint64_t wall;
    struct machine_actor actors[MACHINE_ACTORS];
} machine;

/* Of a clock of the user's, 0: the port's. */
static uint8_t machine_clock_bits;

static char machine_stacks[MACHINE_TASKS][MACHINE_STACK];

static inline uint32_t machine_random(uint32_t below)
{
    machine.random = machine.random * 1664525u + 1013904223u;
    return (machine.random >> 8) % below;
}

static inline unsigned machine_context(unsigned actor)
{
    return actor >= MACHINE_TASKS ? 16u + actor - MACHINE_TASKS
                                  : MCUPROF_CONTEXT_TASK_FIRST + actor;
}

static inline uint32_t machine_function(unsigned function)
{
    return 0x08000101u + function * 36u;
}

/* Time goes by in whatever runs. */
static inline void machine_elapse(uint32_t ticks)
{
    mcuprof_port_host.counter += ticks;
    machine.wall += ticks;
    machine.actors[machine.runs].time += ticks;
}

/* The oracle. */

static inline void oracle_close(struct machine_actor *a)
{
    struct machine_call *call = &a->calls[--a->depth];
    struct machine_row *row = &a->rows[call->function];
    uint64_t age = a->time - call->start;
    row->calls++;
    row->self += age - call->children;
    row->total += call->recursive ? 0 : age;
    row->min = row->completed == 0 || age < row->min ? age : row->min;
    row->max = age > row->max ? age : row->max;
    row->completed++;
    if (a->depth > 0) {
        a->calls[a->depth - 1].children += age;
    } else {
        a->inside += age;
    }
}

static inline void oracle_enter(struct machine_actor *a, unsigned function,
                                uint32_t sp, uint32_t lr)
{
    if (a->depth == MCUPROF_FUNCTIONS_DEPTH) {
        a->rows[function].calls++;
        a->excess++;
        a->deep++;
        return;
    }
    struct machine_call *call = &a->calls[a->depth];
    memset(call, 0, sizeof(*call));
    call->function = function;
    call->sp = sp;
    call->lr = lr;
    call->start = a->time;
    for (unsigned i = 0; i < a->depth; i++) {
        call->recursive |= a->calls[i].function == function;
    }
    a->depth++;
}

static inline void oracle_exit(struct machine_actor *a)
{
    if (a->excess > 0) {
        a->excess--;
    } else {
        oracle_close(a);
    }
}

/* Calls of the program that were left by longjmp(): all of it at once. */
static inline void oracle_jump(struct machine_actor *a, unsigned depth)
{
    a->excess = 0;
    while (a->depth > depth) {
        oracle_close(a);
        a->unwound++;
    }
}

/* The program. */

struct machine_program {
    struct machine_call stack[MACHINE_DEEPEST];
    unsigned depth;
};

static struct machine_program machine_programs[MACHINE_ACTORS];

static inline uint32_t machine_sp(const struct machine_program *p)
{
    return p->depth > 0 ? p->stack[p->depth - 1].sp : MACHINE_SP;
}

static inline void machine_hook_enter(unsigned actor,
                                      const struct machine_call *call)
{
    oracle_enter(&machine.actors[actor], call->function, call->sp, call->lr);
    machine.hooks++;
    mcuprofi_functions_enter(machine_function(call->function), call->sp,
                             call->lr);
    machine.hooks--;
}

static inline void machine_call(unsigned actor)
{
    struct machine_program *p = &machine_programs[actor];
    struct machine_call call;
    memset(&call, 0, sizeof(call));
    call.function = machine_random(machine.chances.functions);
    call.sp = machine_sp(p);
    call.lr = 0x08000000u + call.function * 36u + 8u;
    if (p->depth == 0 || machine_random(4) != 0) {
        call.sp -= 16u;
    } else {
        /* Inlined: in each place of its own. */
        call.lr += 0x100000u + p->depth * 0x1000u;
    }
    p->stack[p->depth++] = call;
    machine_hook_enter(actor, &call);
}

static inline void machine_return(unsigned actor)
{
    struct machine_program *p = &machine_programs[actor];
    struct machine_call *call = &p->stack[--p->depth];
    oracle_exit(&machine.actors[actor]);
    machine.hooks++;
    mcuprofi_functions_exit(machine_function(call->function), call->sp);
    machine.hooks--;
}

/*
 * Back to a call that is still open, which calls the same function as before
 * again. An inlined one could not be told from one that is still open.
 */
static inline void machine_jump(unsigned actor)
{
    struct machine_program *p = &machine_programs[actor];
    unsigned most = p->depth < MCUPROF_FUNCTIONS_DEPTH
                            ? p->depth
                            : MCUPROF_FUNCTIONS_DEPTH;
    if (most < 3) {
        return;
    }
    unsigned to = 1u + machine_random(most - 1u);
    struct machine_call again = p->stack[to];
    if (again.sp == p->stack[to - 1].sp
        || (to + 1 < p->depth && p->stack[to + 1].sp == again.sp)) {
        return;
    }
    p->depth = to;
    oracle_jump(&machine.actors[actor], to);
    p->stack[p->depth++] = again;
    machine_hook_enter(actor, &again);
}

static inline void machine_act(unsigned actor)
{
    const struct machine_program *p = &machine_programs[actor];
    uint32_t what = machine_random(1024);
    if (what < machine.chances.jump) {
        machine_jump(actor);
    } else if (p->depth == 0
               || (what % 2u == 0 && p->depth < machine.chances.depth)) {
        machine_call(actor);
    } else {
        machine_return(actor);
    }
}

static inline void machine_interrupt(unsigned isr)
{
    unsigned before = mcuprof_port_host.exception;
    unsigned was = machine.runs;
    unsigned actor = MACHINE_TASKS + isr;
    mcuprof_port_host.exception = 16u + isr;
    mcuprof_port_host.is_exclusive = 0;
    /* What it does before its first event is the other's; in no hook. */
    if (machine.hooks == 0) {
        machine_elapse(machine_random(3));
    }
    if (machine_random(4) != 0) {
        uint32_t steps = machine_random(12);
        machine.runs = actor;
        do {
            machine_act(actor);
            if (machine_programs[actor].depth > 0) {
                machine_elapse(machine_random(machine.chances.longest));
            }
        } while (steps-- > 0);
        while (machine_programs[actor].depth > 0) {
            machine_return(actor);
        }
        machine.runs = was;
    }
    if (machine.hooks == 0) {
        machine_elapse(machine_random(3));
    }
    mcuprof_port_host.exception = before;
    mcuprof_port_host.is_exclusive = 0;
}

/*
 * The kernel's hook. What an interrupt without events takes in the middle of it
 * may be either task's, so that there it takes nothing.
 */
static inline void machine_tell(unsigned to)
{
    machine.hooks++;
    mcuprof_port_host.exception = 14;
    mcuprof_context_set(MCUPROF_CONTEXT_TASK_FIRST + to);
    mcuprof_port_host.exception = 0;
    machine.hooks--;
    machine.task = to;
    machine.runs = to;
}

static inline void machine_switch(unsigned to)
{
    unsigned from = machine.task;
    if (to == from) {
        return;
    }
    machine_tell(to);
    (void)swapcontext(&machine.tasks[from], &machine.tasks[to]);
    mcuprof_port_host.is_exclusive = 0;
}

/* PendSV's number is the least urgent: what it interrupts is a task. */
static void machine_between(void)
{
    unsigned exception = mcuprof_port_host.exception;
    unsigned next = exception >= 16u ? exception - 16u + 1u : 0;
    if (next < MACHINE_ISRS
        && machine_random(1024) < machine.chances.interrupt) {
        machine_interrupt(next + machine_random(MACHINE_ISRS - next));
    }
    if (exception == 0 && machine.switches
        && machine_random(1024) < machine.chances.change) {
        machine_switch(machine_random(MACHINE_TASKS));
    }
}

/* In a section of a hook. */
static void machine_in_section(void)
{
    mcuprof_port_host.counter += machine.hook_ticks;
    machine.wall += machine.hook_ticks;
    machine_between();
}

/* Between two events of a task, where no hook is. */
static inline void machine_pause(void)
{
    machine_elapse(machine_random(machine.chances.longest));
    machine_between();
}

static void machine_task(void)
{
    while (machine.left > 0) {
        machine.left--;
        machine_pause();
        machine_act(machine.task);
    }
    machine.switches = 0;
    while (machine_programs[machine.task].depth > 0) {
        machine_return(machine.task);
    }
    (void)swapcontext(&machine.tasks[machine.task], &machine.outside);
}

/* Where bytes go; NULL: nowhere. */
static size_t (*machine_sink)(const uint8_t *data, size_t size);

static inline size_t machine_write(const uint8_t *data, size_t size)
{
    return machine_sink != NULL ? machine_sink(data, size) : size;
}

static inline void machine_reset(const struct machine_chances *chances,
                                 uint32_t seed)
{
    struct mcuprof_config base = {0};
    (void)mcuprof_functions_stop();
    while (mcuprof_poll() == 1) {
    }
    memset(&mcuprof_port_host, 0, sizeof(mcuprof_port_host));
    memset(&machine, 0, sizeof(machine));
    memset(machine_programs, 0, sizeof(machine_programs));
    machine.chances = *chances;
    machine.random = seed;
    mcuprof_port_host.source = MCUPROF_CLOCK_DWT;
    mcuprof_port_host.reason = MCUPROF_REASON_ADVANCES;
    mcuprof_port_host.counter = seed * 0x10000001u;
    mcuprof_port_host.code = (const uint8_t *)machine_stacks;
    mcuprof_port_host.code_start = 0x08000000u;
    mcuprof_port_host.code_length = 64;
    if (machine_clock_bits != 0) {
        base.clock = &mcuprof_port_host.counter;
        base.clock_hz = MACHINE_HZ;
        base.clock_bits = machine_clock_bits;
    }
    base.write = machine_write;
    base.core_hz = MACHINE_HZ;
    assert_int_equal(mcuprof_init(&base), 0);
    mcuprof_context_set(MCUPROF_CONTEXT_TASK_FIRST);
}

/* From here on hooks are interrupted. */
static inline void machine_begin(void)
{
    mcuprof_port_host.between = machine_in_section;
}

/* Alone, for compilers take getcontext() for something that returns twice. */
__attribute__((noinline)) static void machine_begin_task(unsigned i)
{
    assert_int_equal(getcontext(&machine.tasks[i]), 0);
    machine.tasks[i].uc_stack.ss_sp = machine_stacks[i];
    machine.tasks[i].uc_stack.ss_size = MACHINE_STACK;
    makecontext(&machine.tasks[i], machine_task, 0);
}

/* Runs so many steps; every task is outside of any function then. */
static inline void machine_run(uint32_t steps)
{
    machine.left = steps;
    for (unsigned i = 0; i < MACHINE_TASKS; i++) {
        machine_begin_task(i);
    }
    machine.switches = 1;
    uint32_t ended = 0;
    while (ended != (1u << MACHINE_TASKS) - 1u) {
        (void)swapcontext(&machine.outside, &machine.tasks[machine.task]);
        ended |= 1u << machine.task;
        for (unsigned i = 0; i < MACHINE_TASKS; i++) {
            if ((ended & 1u << i) == 0) {
                machine_tell(i);
                break;
            }
        }
    }
}

#endif
