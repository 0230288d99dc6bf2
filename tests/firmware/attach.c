/* SPDX-License-Identifier: MIT */
/*
 * A small RTOS whose tick is hooked while it runs: SysTick belongs to it, at
 * a priority of its own; each tick switches between two tasks by PendSV. The
 * second task, and an SVC in it, and main() before the tasks, are interrupted
 * in a loop that holds a value in every register. The tick checks what it
 * finds on entry: SP, EXC_RETURN, r4-r11 and all of the frame. Prints
 *
 *     PHASE ticks T checked C wrong W priority P
 *     seen PC CONTEXT                            of each tick while attached
 *
 * With RAM_TABLE the system has its vectors in RAM, and the tick only there.
 */
#include "board.h"
#include "mcuprof.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define SYSTICK ((volatile uint32_t *)0xE000E010u)
#define ICSR REGISTER(0xE000ED04u)
#define PENDSVSET (1u << 28)
#define VTOR REGISTER(0xE000ED08u)
#define SHPR2 REGISTER(0xE000ED1Cu)
#define SHPR3 REGISTER(0xE000ED20u)

#define RATE 1000u
#define PHASE_TICKS 60u
#define COUNTER_PER_TICK (BOARD_COUNTER_HZ / RATE)

#ifdef __ARM_FP
#define WITH_FPU 1
#else
#define WITH_FPU 0
#endif

/* EXC_RETURN of what was interrupted (secure, where there are two states). */
#define FROM_HANDLER 0xFFFFFFF1u
#define FROM_MAIN 0xFFFFFFF9u
#define FROM_TASK 0xFFFFFFFDu
#define FROM_FPU_TASK 0xFFFFFFEDu

struct entry {
    uint32_t sp;
    uint32_t lr;
    uint32_t r4_to_r11[8];
};

/* What a register holds in the loop: r10 EXC_RETURN, r11 SP, others this. */
#define PATTERN(number) (0x5A000000u + 0x010101u * (number))

void attach_tick(void);
void attach_main(void);
uint32_t *attach_switch(uint32_t *sp);
void attach_hold(uint32_t held[13], uint32_t rounds, uint32_t exc_return);
void SysTick_Handler(void);
void PendSV_Handler(void);
void SVC_Handler(void);
extern const char attach_loop[], attach_loop_end[];

struct entry attach_entry;

static volatile uint32_t ticks, checked, wrong, recorded;
static struct {
    uint32_t pc;
    uint32_t context;
} seen[3 * PHASE_TICKS];
static volatile int recording;
static uint32_t handler_stack; /* MSP while only tasks run */
static volatile int tasks_run;
static unsigned task;
static uint32_t *task_sp[2];
static uint64_t stacks[2][128];

/* --- the system's tick ------------------------------------------------- */

/* Notes what the hardware gave it. */
__attribute__((naked, used)) static void tick_handler(void)
{
    __asm__ volatile(".syntax unified\n\t"
                     "ldr r2, =attach_entry\n\t"
                     "mov r0, sp\n\t"
                     "mov r1, lr\n\t"
                     "stmia r2!, {r0, r1, r4, r5, r6, r7}\n\t"
                     "mov r0, r8\n\t"
                     "mov r1, r9\n\t"
                     "stmia r2!, {r0, r1}\n\t"
                     "mov r0, r10\n\t"
                     "mov r1, r11\n\t"
                     "stmia r2!, {r0, r1}\n\t"
                     "push {r3, lr}\n\t"
                     "bl attach_tick\n\t"
                     "pop {r3, pc}\n\t"
                     ".ltorg\n");
}

#ifndef RAM_TABLE
void SysTick_Handler(void) __attribute__((alias("tick_handler")));
#endif

static uint32_t psp_get(void)
{
    uint32_t psp;

    __asm__ volatile("mrs %0, psp" : "=r"(psp));
    return psp;
}

/* Of the loop: every register, and where both stacks are. */
static int is_as_by_hardware(const struct entry *e, const uint32_t *frame)
{
    int on_task_stack = (e->lr >> 2 & 1u) != 0;
    uint32_t size = (e->lr >> 4 & 1u) != 0 ? 0x20u : 0x68u;
    uint32_t before =
            (uint32_t)(uintptr_t)frame + size + (frame[7] >> 9 & 1u) * 4u;
    int right = e->lr == e->r4_to_r11[6] && before == e->r4_to_r11[7];

    right &= e->sp % 8u == 0;
    right &= !on_task_stack || e->sp == handler_stack;
    for (unsigned i = 4; i <= 9; i++) {
        right &= e->r4_to_r11[i - 4] == PATTERN(i);
    }
    for (unsigned i = 1; i <= 3; i++) {
        right &= frame[i] == PATTERN(i);
    }
    return right && frame[4] == PATTERN(12u) && frame[5] == PATTERN(14u);
}

__attribute__((used)) void attach_tick(void)
{
    const struct entry *e = &attach_entry;
    const uint32_t *frame =
            (const uint32_t *)(uintptr_t)((e->lr >> 2 & 1u) != 0 ? psp_get()
                                                                 : e->sp);
    uint32_t pc = frame[6];
    uint32_t exception = frame[7] & 0x1FFu;

    ticks++;
    if (pc >= (uint32_t)(uintptr_t)attach_loop
        && pc < (uint32_t)(uintptr_t)attach_loop_end) {
        checked++;
        wrong += !is_as_by_hardware(e, frame);
    }
    if (recording && recorded < sizeof(seen) / sizeof(seen[0])) {
        seen[recorded].pc = pc;
        seen[recorded].context = exception != 0 ? exception
                                 : tasks_run    ? 512u + task
                                                : 0;
        recorded++;
    }
    if (tasks_run) {
        ICSR = PENDSVSET;
    }
}

/* --- what it interrupts ------------------------------------------------- */

/* Counts `rounds` down with all registers known; tells what they were then. */
__attribute__((naked, noinline)) void
attach_hold(uint32_t held[13] __attribute__((unused)),
            uint32_t rounds __attribute__((unused)),
            uint32_t exc_return __attribute__((unused)))
{
    __asm__ volatile(".syntax unified\n\t"
                     "push {r4-r7, lr}\n\t"
                     "mov r4, r8\n\t"
                     "mov r5, r9\n\t"
                     "mov r6, r10\n\t"
                     "mov r7, r11\n\t"
                     "push {r4-r7}\n\t"
                     "push {r0}\n\t"
                     "mov r10, r2\n\t"
                     "mov r11, sp\n\t"
                     "mov r0, r1\n\t"
                     "ldr r7, =0x5A080808\n\t"
                     "mov r8, r7\n\t"
                     "ldr r7, =0x5A090909\n\t"
                     "mov r9, r7\n\t"
                     "ldr r7, =0x5A0C0C0C\n\t"
                     "mov r12, r7\n\t"
                     "ldr r7, =0x5A0E0E0E\n\t"
                     "mov lr, r7\n\t"
                     "ldr r1, =0x5A010101\n\t"
                     "ldr r2, =0x5A020202\n\t"
                     "ldr r3, =0x5A030303\n\t"
                     "ldr r4, =0x5A040404\n\t"
                     "ldr r5, =0x5A050505\n\t"
                     "ldr r6, =0x5A060606\n\t"
                     "ldr r7, =0x5A070707\n"
                     ".global attach_loop\n"
                     ".global attach_loop_end\n"
                     "attach_loop:\n\t"
                     "subs r0, r0, #1\n\t"
                     "bne attach_loop\n"
                     "attach_loop_end:\n\t"
                     "ldr r0, [sp]\n\t"
                     "stmia r0!, {r1-r7}\n\t"
                     "mov r1, r8\n\t"
                     "mov r2, r9\n\t"
                     "mov r3, r10\n\t"
                     "mov r4, r11\n\t"
                     "mov r5, r12\n\t"
                     "mov r6, lr\n\t"
                     "stmia r0!, {r1-r6}\n\t"
                     "add sp, #4\n\t"
                     "pop {r4-r7}\n\t"
                     "mov r8, r4\n\t"
                     "mov r9, r5\n\t"
                     "mov r10, r6\n\t"
                     "mov r11, r7\n\t"
                     "pop {r4-r7, pc}\n\t"
                     ".ltorg\n");
}

/* The FPU is in use from here on, if there is one: FPU frames. */
static void fpu_put(uint32_t value)
{
#ifdef __ARM_FP
    __asm__ volatile("vmov s0, %0\n\tvmov s15, %0" ::"r"(value) : "s0", "s15");
#else
    (void)value;
#endif
}

/* What the compiler vectorised has used it, too: CONTROL.FPCA. */
static void fpu_release(void)
{
#ifdef __ARM_FP
    uint32_t control;

    __asm__ volatile("mrs %0, control" : "=r"(control));
    __asm__ volatile("msr control, %0\n\tisb" ::"r"(control & ~4u) : "memory");
#endif
}

/* Some part of a tick, never the same; what is restored must be what was held.
 */
static void hold(uint32_t exc_return)
{
    static volatile uint32_t chance;
    uint32_t rounds = BOARD_CLOCK_HZ / RATE / 32u;
    uint32_t held[13];
    uint32_t canary[2] = {PATTERN(20u), PATTERN(21u)};

    chance = chance * 1664525u + 1013904223u;
    rounds += (chance >> 16) % (3u * rounds);
    __asm__ volatile("" : "+m"(canary));
    if (exc_return != FROM_FPU_TASK) {
        fpu_release();
    }
    attach_hold(held, rounds, exc_return);
    __asm__ volatile("" : "+m"(canary));
    for (unsigned i = 0; i < 13; i++) {
        if (i != 9 && i != 10) {
            wrong += held[i] != PATTERN(i < 12 ? i + 1u : 14u);
        }
    }
    wrong += held[9] != exc_return;
    wrong += canary[0] != PATTERN(20u) || canary[1] != PATTERN(21u);
}

static void fpu_check(uint32_t value)
{
#ifdef __ARM_FP
    uint32_t s0, s15;

    __asm__ volatile("vmov %0, s0\n\tvmov %1, s15" : "=r"(s0), "=r"(s15));
    wrong += s0 != value || s15 != value;
#else
    (void)value;
#endif
}

static void hold_in_task(void)
{
    uint32_t value = ticks;

    fpu_put(value);
    hold(WITH_FPU ? FROM_FPU_TASK : FROM_TASK);
    fpu_check(value);
}

void SVC_Handler(void)
{
    hold(FROM_HANDLER);
}

/* The second task never uses the FPU. */
static void other_task(void)
{
    for (;;) {
        hold(FROM_TASK);
        __asm__ volatile("svc #0" ::: "memory");
    }
}

/* --- the system's switch ------------------------------------------------ */

__attribute__((naked)) void PendSV_Handler(void)
{
    __asm__ volatile(".syntax unified\n\t"
                     "mrs r0, psp\n\t"
                     "subs r0, r0, #36\n\t"
                     "mov r1, r0\n\t"
                     "stmia r1!, {r4-r7}\n\t"
                     "mov r4, r8\n\t"
                     "mov r5, r9\n\t"
                     "mov r6, r10\n\t"
                     "mov r7, r11\n\t"
                     "stmia r1!, {r4-r7}\n\t"
                     "mov r4, lr\n\t"
                     "str r4, [r1]\n\t"
                     "bl attach_switch\n\t"
                     "mov r1, r0\n\t"
                     "adds r1, r1, #16\n\t"
                     "ldmia r1!, {r4-r7}\n\t"
                     "mov r8, r4\n\t"
                     "mov r9, r5\n\t"
                     "mov r10, r6\n\t"
                     "mov r11, r7\n\t"
                     "ldr r2, [r1]\n\t"
                     "ldmia r0!, {r4-r7}\n\t"
                     "adds r0, r0, #20\n\t"
                     "msr psp, r0\n\t"
                     "bx r2\n");
}

__attribute__((used)) uint32_t *attach_switch(uint32_t *sp)
{
    task_sp[task] = sp;
    task ^= 1u;
    mcuprof_context_set(512u + task);
    return task_sp[task];
}

/* As PendSV would have left a task that is about to begin. */
static void task_prepare(unsigned which, void (*entry)(void))
{
    uint32_t *top = (uint32_t *)(void *)(stacks[which] + 128);

    top[-1] = 1u << 24;
    top[-2] = (uint32_t)(uintptr_t)entry & ~1u;
    top[-9] = FROM_TASK;
    task_sp[which] = top - 17;
}

/* Thread mode on the process stack; MSP is the handlers' from here on. */
static void tasks_begin(void (*entry)(void))
{
    uint32_t top = (uint32_t)(uintptr_t)(stacks[0] + 128);

    __asm__ volatile("mov %0, sp" : "=r"(handler_stack));
    tasks_run = 1;
    __asm__ volatile(".syntax unified\n\t"
                     "msr psp, %0\n\t"
                     "movs r0, #2\n\t"
                     "msr control, r0\n\t"
                     "isb\n\t"
                     "bx %1\n"
                     :
                     : "h"(top), "h"(entry)
                     : "r0", "memory");
    __builtin_unreachable();
}

/* --- the test ------------------------------------------------------------ */

static const struct mcuprof_config config = {
        .write = board_uart_write,
        .core_hz = BOARD_CLOCK_HZ,
        .timer = &mcuprof_timer_systick_shared,
#if defined(BOARD_COUNTER) && BOARD_COUNTER_HZ == BOARD_CLOCK_HZ
        .clock = (const volatile uint32_t *)BOARD_COUNTER,
#endif
};

static unsigned failures;

static void expect(const char *what, int is, int should)
{
    if (is != should) {
        failures++;
        board_print("%s: %d, not %d\n", what, is, should);
    }
}

static void hold_here(void)
{
    if (tasks_run) {
        hold_in_task();
    } else {
        hold(FROM_MAIN);
    }
}

static void phase(const char *name)
{
    uint32_t first = ticks;
    uint32_t checked_before = checked, wrong_before = wrong;

    while (ticks - first < PHASE_TICKS) {
        hold_here();
    }
    board_print("%s ticks %lu checked %lu wrong %lu priority %lx\n", name,
                ticks - first, checked - checked_before, wrong - wrong_before,
                SHPR3 >> 24);
}

static void poll_all(void)
{
    while (mcuprof_poll() > 0) {
    }
}

/* The hot-spot table, where it is all there is, against what the tick saw. */
#if MCUPROF_HOTSPOTS
static void table_check(uint32_t first)
{
    expect("table", (int)mcuprof_hotspots_view.samples,
           (int)(recorded - first));
    for (unsigned u = 0; u < MCUPROF_HOTSPOT_UNITS; u++) {
        uint32_t block = (uint32_t)(uintptr_t)mcuprof_hotspots[u].pc
                         / MCUPROF_HOTSPOT_GRAIN;
        int count = 0;

        for (uint32_t i = first; i < recorded; i++) {
            count += seen[i].pc / MCUPROF_HOTSPOT_GRAIN == block;
        }
        if (mcuprof_hotspots[u].weight != 0) {
            expect("weight", (int)mcuprof_hotspots[u].weight, count);
        }
    }
}
#else
static void table_check(uint32_t first)
{
    (void)first;
}
#endif

/* Attached and not running, running, and the errors of each state. */
static void attached(uint32_t vtor)
{
    uint32_t first = recorded;

    expect("attach", mcuprof_sample_attach(-1), 0);
    expect("moved", VTOR != vtor, 1);
    expect("attach again", mcuprof_sample_attach(-1), MCUPROF_ESTATE);
    /* The table is ours; the identity must still be the image's. */
    expect("init again", mcuprof_init(&config), 0);
    mcuprof_context_set(tasks_run ? 512u : 0);
    phase("idle");
    recording = 1;
    expect("start", mcuprof_start(), 0);
    phase("attached");
    expect("attach, running", mcuprof_sample_attach(-1), MCUPROF_ESTATE);
    expect("detach, running", mcuprof_sample_detach(), MCUPROF_ESTATE);
    expect("stop", mcuprof_stop(), 0);
    recording = 0;
    table_check(first);
    poll_all();
    expect("detach", mcuprof_sample_detach(), 0);
    expect("restored", VTOR == vtor, 1);
    expect("detach again", mcuprof_sample_detach(), MCUPROF_ESTATE);
}

static void whole_life(void)
{
    uint32_t vtor = VTOR;

    phase("before");
    expect("init", mcuprof_init(&config), 0);
    attached(vtor);
    expect("start, detached", mcuprof_start(), 0);
    phase("after");
    expect("stop, detached", mcuprof_stop(), 0);
    table_check(recorded);
    poll_all();
}

static void system_begin(void)
{
#ifdef RAM_TABLE
    static uint32_t table[256] __attribute__((aligned(1024)));
    const volatile uint32_t *flash = (const volatile uint32_t *)VTOR;

    for (unsigned i = 0; i < MCUPROF_VECTORS; i++) {
        table[i] = flash[i];
    }
    table[15] = (uint32_t)(uintptr_t)&tick_handler;
    VTOR = (uint32_t)(uintptr_t)table;
    __asm__ volatile("dsb\n\tisb" ::: "memory");
#endif
    SHPR2 |= 3u << 30; /* SVC and PendSV: the least urgent */
    SHPR3 |= 3u << 22;
    board_systick_priority(1);
    SYSTICK[1] = BOARD_CLOCK_HZ / RATE - 1u;
    SYSTICK[2] = 0;
    SYSTICK[0] = 7;
}

static void errors(void)
{
    static const struct mcuprof_timer others = {.exception = 16};
    struct mcuprof_config its_config = config;

    expect("attach before init", mcuprof_sample_attach(-1), MCUPROF_ESTATE);
    expect("detach before init", mcuprof_sample_detach(), MCUPROF_ESTATE);
    its_config.rate_hz = RATE; /* the tick does not run yet */
    expect("init", mcuprof_init(&its_config), 0);
    expect("attach SVC", mcuprof_sample_attach(-5), MCUPROF_EINVAL);
    expect("attach 512", mcuprof_sample_attach(512), MCUPROF_EINVAL);
    expect("detach", mcuprof_sample_detach(), MCUPROF_ESTATE);
    its_config.timer = &others;
    expect("init, IRQ 0", mcuprof_init(&its_config), 0);
    expect("attach SysTick", mcuprof_sample_attach(-1), MCUPROF_EOWNER);
    its_config.timer = NULL;
    expect("init, SysTick", mcuprof_init(&its_config), 0);
    expect("attach our own", mcuprof_sample_attach(-1), MCUPROF_EOWNER);
}

static uint32_t began;

static void in_task(void)
{
    uint32_t per_tick = COUNTER_PER_TICK;
    uint32_t counted, elapsed;

    whole_life();
    SYSTICK[0] = 0;
    elapsed = board_counter() - began;
    counted = ticks;
    for (uint32_t i = 0; i < recorded; i++) {
        board_print("seen %lx %lu\n", seen[i].pc, seen[i].context);
    }
    /* None lost, none twice. */
    board_print("ticks %lu of %lu\n", counted, elapsed / per_tick);
    expect("ticks", counted == elapsed / per_tick, 1);
    expect("wrong", (int)wrong, 0);
    board_exit(failures == 0 ? 0 : 2);
}

int main(void)
{
    errors();
    began = board_counter();
    system_begin();
    whole_life();
    task_prepare(1, other_task);
    tasks_begin(in_task);
}
