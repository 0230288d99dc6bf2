/* SPDX-License-Identifier: MIT */
/*
 * Three tasks under a small preemptive kernel, whose calls are streamed: a
 * timer has PendSV switch them in turn, wherever they are. Which one runs is
 * told to the truth plugin by a store to a marker, and to the ring by
 * mcuprof_context_set(), or by MCUPROF_CONTEXT_ID() (calls_tasks_pull.h).
 *
 * In between the third task is deleted wherever it is, and another one gets its
 * number. Where switches are MISSED the ring is not told of one in that many;
 * of a task that neither leaves nor is found on the way into a hook, so that it
 * is known whose record is whose.
 */
#include "calls_tasks.h"

#include "board.h"
#include "mcuprof.h"

#define SWITCHES 1200u

#ifndef MISSED
#define MISSED 0
#endif

enum {
    TASKS = 3,
    STACK_WORDS = 192,
    CONTEXT_WORDS = 16, /* R4 to R11, and the frame of an exception */
    FRAME_LR = 13,
    FRAME_PC = 14,
    FRAME_XPSR = 15,
    /* Markers of tasks, then of the one that is born again, then of tasks that
       nobody announced. */
    REBORN = 3,
    UNTOLD = 4
};

#define ICSR (*(volatile uint32_t *)0xE000ED04u)
#define ICSR_PENDSVSET (1u << 28)
#define SHPR3 (*(volatile uint32_t *)0xE000ED20u)
#define SHPR3_PENDSV_LAST (0xFFu << 16)
#define XPSR_T (1u << 24)

void PendSV_Handler(void);
uint32_t *tasks_switch(uint32_t *saved);

volatile uint32_t tasks_current;
volatile uint8_t tasks_calm;
volatile uint32_t tasks_markers[UNTOLD + TASKS];

static uint32_t stacks[TASKS][STACK_WORDS] __attribute__((aligned(8)));
static uint32_t *saved[TASKS];
static volatile unsigned running, stays, switches, ended;
static volatile uint8_t is_reborn, ends;
static uint8_t calm[TASKS], is_untold;

static void task_send(void);
static void task_steady(void);
static void task_deep(void);
static void task_reborn(void);

static void make_task(unsigned task, void (*entry)(void))
{
    uint32_t *frame = &stacks[task][STACK_WORDS - CONTEXT_WORDS];

    frame[FRAME_LR] = 0xFFFFFFFFu;
    frame[FRAME_PC] = (uint32_t)entry & ~1u;
    frame[FRAME_XPSR] = XPSR_T;
    saved[task] = frame;
}

/* In turn; the one that sends has the more time. */
static unsigned next_task(void)
{
    return running == 0 && ++stays % 4u != 0 ? 0 : (running + 1u) % TASKS;
}

__attribute__((used)) uint32_t *tasks_switch(uint32_t *sp)
{
    static unsigned told;
    unsigned task, marker;

    switches++;
    if (is_untold && !tasks_calm) {
        return sp;
    }
    task = marker = next_task();
    is_untold = MISSED && ++told > MISSED && tasks_calm && calm[task];
    if (is_untold) {
        told = 0;
        marker = UNTOLD + task;
    } else if (task == 2 && is_reborn) {
        marker = REBORN;
    }
    calm[running] = tasks_calm;
    saved[running] = sp;
    running = task;
    tasks_calm = calm[task];
    tasks_markers[marker] = 1;
    tasks_current = MCUPROF_CONTEXT_TASK_FIRST + task;
#ifndef MCUPROF_CONTEXT_ID
    if (!is_untold) {
        mcuprof_context_set(tasks_current);
    }
#endif
    return saved[task];
}

__attribute__((naked)) void PendSV_Handler(void)
{
    __asm volatile(".syntax unified        \n"
                   "    mrs   r0, psp      \n"
                   "    subs  r0, #32      \n"
                   "    stmia r0!, {r4-r7} \n"
                   "    mov   r4, r8       \n"
                   "    mov   r5, r9       \n"
                   "    mov   r6, r10      \n"
                   "    mov   r7, r11      \n"
                   "    stmia r0!, {r4-r7} \n"
                   "    subs  r0, #32      \n"
                   "    push  {r3, lr}     \n"
                   "    bl    tasks_switch \n"
                   "    adds  r0, #16      \n"
                   "    ldmia r0!, {r4-r7} \n"
                   "    mov   r8, r4       \n"
                   "    mov   r9, r5       \n"
                   "    mov   r10, r6      \n"
                   "    mov   r11, r7      \n"
                   "    msr   psp, r0      \n"
                   "    subs  r0, #32      \n"
                   "    ldmia r0!, {r4-r7} \n"
                   "    pop   {r3, pc}     \n");
}

void tasks_yield(void)
{
    ICSR = ICSR_PENDSVSET;
}

/* A task that is in the middle of a call, most likely. */
static void delete_the_third(void)
{
    board_irqs_off();
    mcuprof_context_delete(MCUPROF_CONTEXT_TASK_FIRST + 2);
    is_reborn = 1;
    calm[2] = 0;
    make_task(2, task_reborn);
    board_irqs_on();
}

/* The call ring in a stream, or the function table. */
static int start(void)
{
#if MCUPROF_FUNCTIONS
    static const struct mcuprof_functions_config how = {.raw = 1,
                                                        .every_ms = UINT32_MAX};

    return mcuprof_functions_start(&how);
#else
    static const struct mcuprof_trace_config how = {
            .mode = MCUPROF_TRACE_MODE_STREAM};

    return mcuprof_trace_start(&how);
#endif
}

static void stop(void)
{
#if MCUPROF_FUNCTIONS
    (void)mcuprof_functions_stop();
#else
    (void)mcuprof_trace_stop();
#endif
}

static void end(void)
{
    ends = 1;
    while (ended < TASKS - 1) {
        tasks_send();
    }
    board_timer_stop(0);
    board_timer_stop(1);
    stop();
    while (mcuprof_poll() > 0) {
    }
    board_print("calls: %u switches\n", switches);
    board_exit(0);
}

static void task_send(void)
{
    while (switches < SWITCHES) {
        tasks_send();
        if (!MISSED && !is_reborn && switches > SWITCHES / 2u) {
            delete_the_third();
        }
    }
    end();
}

static void rest(void)
{
    board_irqs_off();
    ended++;
    board_irqs_on();
    for (;;) {
        tasks_yield();
    }
}

static void task_steady(void)
{
    for (unsigned n = 0; !ends; n++) {
        tasks_steady_round(n);
    }
    rest();
}

static void task_deep(void)
{
    for (unsigned n = 0; !ends; n++) {
        tasks_deep_round(n);
    }
    rest();
}

static void task_reborn(void)
{
    for (unsigned n = 0; !ends; n++) {
        tasks_steady_round(n);
        tasks_deep_round(n);
    }
    rest();
}

/* Thread mode goes on as the first task, on a stack of its own. */
static void begin(uint32_t *stack)
{
    __asm volatile(".syntax unified        \n"
                   "    msr   psp, %0      \n"
                   "    movs  r0, #2       \n"
                   "    msr   control, r0  \n"
                   "    isb                \n"
                   "    bx    %1           \n"
                   :
                   : "r"(stack), "r"(task_send)
                   : "r0", "memory");
}

static const struct mcuprof_config config = {
        .write = board_uart_write,
        .core_hz = BOARD_CLOCK_HZ,
#ifdef BOARD_COUNTER
        .clock = (const volatile uint32_t *)BOARD_COUNTER,
        .clock_hz = BOARD_COUNTER_HZ,
#endif
};

int main(void)
{
    if (mcuprof_init(&config) != 0
        || mcuprof_context_name(513, "steady") != 0) {
        return 1;
    }
    /* The firmware's identity is made here, and does not keep the sender. */
    for (unsigned i = 0; i < 1000; i++) {
        (void)mcuprof_poll();
    }
    if (start() != 0) {
        return 1;
    }
    make_task(1, task_steady);
    make_task(2, task_deep);
    tasks_markers[0] = 1;
    tasks_current = MCUPROF_CONTEXT_TASK_FIRST;
    mcuprof_context_set(MCUPROF_CONTEXT_TASK_FIRST);
    SHPR3 = SHPR3 | SHPR3_PENDSV_LAST;
    board_irq_priority(BOARD_TIMER0_IRQ, 2);
    board_irq_priority(BOARD_TIMER0_IRQ + 1, 1);
    board_timer_start(0, 3001);
    board_timer_start(1, 4409);
    begin(&stacks[0][STACK_WORDS]);
    return 2;
}
