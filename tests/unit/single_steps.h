/* SPDX-License-Identifier: MIT */
#ifndef SINGLE_STEPS_H
#define SINGLE_STEPS_H

/*
 * Something that comes between any two instructions of a piece of code, as an
 * interrupt would: the code is run step by step, and for each STRIDE-th step
 * there is a child process in which it comes just there, once, or, if it is to
 * come again and again, none. For x86-64 under Linux; elsewhere there are no
 * steps, and tests of this skip.
 *
 *     steps_begin(&(struct steps_plan){.intrude = what, .stride = 1});
 *     code();
 *     steps_end(is_right());       in a child: its end
 *     assert_int_equal(steps.wrong, 0);
 */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

struct steps_plan {
    void (*intrude)(void);
    unsigned stride;
    int again; /* in this process, at each of them */
};

static struct {
    struct steps_plan plan;
    volatile int is_on;
    int is_child;
    unsigned count;
    unsigned children;
    unsigned wrong; /* children that found something wrong */
    unsigned first_wrong;
} steps;

#if defined(__x86_64__) && defined(__linux__)

#define STEPS_WORK 1
#define STEPS_TRAP_FLAG 0x100

static inline void steps_stop_in(void *context)
{
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~STEPS_TRAP_FLAG;
}

static void steps_on_trap(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    if (!steps.is_on) {
        steps_stop_in(context);
        return;
    }
    if (++steps.count % steps.plan.stride != 0) {
        return;
    }
    if (steps.plan.again) {
        steps.plan.intrude();
        return;
    }
    pid_t child = fork();
    if (child == 0) {
        steps.is_child = 1;
        steps.is_on = 0;
        steps_stop_in(context);
        steps.plan.intrude();
        return;
    }
    int status = -1;
    steps.children++;
    (void)waitpid(child, &status, 0);
    if (status != 0) {
        steps.first_wrong =
                steps.wrong++ == 0 ? steps.count : steps.first_wrong;
    }
}

static inline void steps_begin(const struct steps_plan *plan)
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    memset(&steps, 0, sizeof(steps));
    steps.plan = *plan;
    action.sa_sigaction = steps_on_trap;
    action.sa_flags = SA_SIGINFO;
    (void)sigaction(SIGTRAP, &action, NULL);
    steps.is_on = 1;
    /* Past what the compiler may keep below the stack pointer. */
    __asm volatile("lea -128(%%rsp), %%rsp\n\t"
                   "pushfq\n\t"
                   "orq $0x100, (%%rsp)\n\t"
                   "popfq\n\t"
                   "lea 128(%%rsp), %%rsp"
                   :
                   :
                   : "memory", "cc");
}

#else

#define STEPS_WORK 0

static inline void steps_begin(const struct steps_plan *plan)
{
    memset(&steps, 0, sizeof(steps));
    steps.plan = *plan;
}

#endif

static inline void steps_end(int is_right)
{
    steps.is_on = 0;
    if (steps.is_child) {
        _exit(is_right ? 0 : 1);
    }
}

#endif
