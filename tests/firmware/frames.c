/* SPDX-License-Identifier: MIT */
/*
 * Interrupts code at a known instruction with a known stack pointer, in every
 * combination of stack, alignment, FPU use and context that the core has, and
 * looks at what the entry made of the frame. A line for each:
 *
 *     STACK ALIGNMENT FPU CONTEXT pc P sp S body B frame XPSR9 FPUFRAME PSP
 *
 * P, S, B: the recorded PC and context, the computed stack pointer and the
 * stack of the user's body are right. The rest says which frame it was.
 */
#include "board.h"
#include "mcuprof_internal.h"

#define ICSR 0xE000ED04u
#define PENDSVSET (1u << 28)
#define PENDSTSET (1u << 26)
#define REGISTER(address) (*(volatile uint32_t *)(address))

uint32_t frames_interrupt(uint32_t icsr_bit, uint32_t misalign);
void frames_look(const uint32_t *frame, uint32_t exc_return);
void frames_exercise(void);
void SysTick_Handler(void);
void SVC_Handler(void);
extern const char frames_point[];

static uint64_t task_stack[64];

/* What is being tried. */
static const char *stack_name;
static uint32_t misalign;
static int with_fpu;

/* What the handlers saw. */
static const uint32_t *seen_frame;
static uint32_t seen_sp, seen_return, seen_xpsr;
static unsigned body_stack;
static unsigned failures;

/*
 * Ends with the interrupt before frames_point. ARMv6-M has no other way to
 * move SP by 4.
 *
 * returns: SP at frames_point
 */
__attribute__((naked, noinline)) uint32_t
frames_interrupt(uint32_t icsr_bit __attribute__((unused)),
                 uint32_t by __attribute__((unused)))
{
    __asm__ volatile(".syntax unified\n\t"
                     "push {r4, lr}\n\t"
                     "mov r4, sp\n\t"
                     "mov r3, sp\n\t"
                     "subs r3, r3, r1\n\t"
                     "ldr r2, =0xE000ED04\n\t"
                     "cpsid i\n\t"
                     "mov sp, r3\n\t"
                     "str r0, [r2]\n\t"
                     "dsb\n\t"
                     "cpsie i\n\t"
                     ".global frames_point\n"
                     "frames_point:\n\t"
                     "mov r0, sp\n\t"
                     "mov sp, r4\n\t"
                     "pop {r4, pc}\n\t"
                     ".ltorg\n");
}

/* 64-bit arguments lie at 0 mod 8, so printing one shows the stack's. */
__attribute__((noinline)) static void print_wide(unsigned before,
                                                 unsigned long long value)
{
    board_print("body %u %llx %u\n", before, value, 7u);
}

static void body(void)
{
    uint32_t sp;

    __asm__ volatile("mov %0, sp" : "=r"(sp));
    body_stack = sp % 8u;
    print_wide(5, 0x0123456789ABCDEFULL);
}

MCUPROF_SAMPLE_HANDLER_THEN(PendSV_Handler, body);

/* The same entry, for what is not recorded yet: the stack pointer. */
__attribute__((naked)) void SysTick_Handler(void)
{
    __asm__ volatile(MCUPROF_ENTRY_FRAME
                     "push {r3, lr}\n\t"
                     "bl frames_look\n\t"
                     "pop {r3, pc}\n" MCUPROF_ENTRY_TARGET(mcuprofi_sample));
}

__attribute__((used)) void frames_look(const uint32_t *frame,
                                       uint32_t exc_return)
{
    seen_frame = frame;
    seen_return = exc_return;
    seen_xpsr = frame[MCUPROFI_FRAME_XPSR];
    seen_sp = mcuprofi_frame_sp(frame, exc_return);
}

#ifdef __ARM_FEATURE_MVE
#define FPU_INSTRUCTION "vmov.i32 q0, #0"
#else
#define FPU_INSTRUCTION "vmov s0, r0"
#endif

/* Bit 2 of CONTROL (FPCA) says whether the next frame holds FPU registers. */
#ifdef __ARM_FP
static void fpu_use(int use)
{
    uint32_t control;

    __asm__ volatile("mrs %0, control" : "=r"(control));
    control &= ~4u;
    __asm__ volatile("msr control, %0\n\tisb" ::"r"(control));
    if (use) {
        __asm__ volatile(FPU_INSTRUCTION ::: "s0", "s1", "s2", "s3");
    }
}
#else
static void fpu_use(int use)
{
    (void)use;
}
#endif

/* Secure code that keeps s16-s31 from the other state: FPCCR.TS. */
static void fpu_stack_all(void)
{
#if defined(__ARM_FEATURE_CMSE) && __ARM_FEATURE_CMSE == 3
    REGISTER(0xE000EF34u) |= 1u << 26;
#endif
}

static int record_is_right(unsigned context)
{
    const struct mcuprofi_sampler *s = &mcuprofi_sampler;
    const struct mcuprofi_record *last =
            &s->ring[(s->head - 1u) & MCUPROFI_RING_MASK];

    return last->pc == (uint32_t)(uintptr_t)frames_point
           && last->context == context;
}

/* In the current context, on the current stack. */
void frames_exercise(void)
{
    unsigned context = mcuprof_port_exception();
    uint32_t sp;
    int pc_right, sp_right;

    fpu_use(with_fpu);
    sp = frames_interrupt(PENDSTSET, misalign);
    sp_right = sp == seen_sp && sp % 8u == misalign
               && seen_frame[MCUPROFI_FRAME_PC]
                          == (uint32_t)(uintptr_t)frames_point;
    fpu_use(with_fpu);
    frames_interrupt(PENDSVSET, misalign);
    pc_right = record_is_right(context);
    board_print("%s %lu %s %u pc %d sp %d body %d frame %d %d %d\n", stack_name,
                misalign, with_fpu ? "fpu" : "-", context, pc_right, sp_right,
                body_stack == 0, (int)(seen_xpsr >> 9 & 1u),
                !(seen_return >> 4 & 1u), (int)(seen_return >> 2 & 1u));
    failures += (unsigned)(!pc_right + !sp_right + (body_stack != 0));
}

void SVC_Handler(void)
{
    frames_exercise();
}

/* Thread mode on the process stack, then on the main stack again. */
static void on_task_stack(void)
{
    uint32_t top = (uint32_t)(uintptr_t)(task_stack + sizeof(task_stack) / 8u);

    __asm__ volatile(".syntax unified\n\t"
                     "msr psp, %0\n\t"
                     "movs r0, #2\n\t"
                     "msr control, r0\n\t"
                     "isb\n\t"
                     "bl frames_exercise\n\t"
                     "movs r0, #0\n\t"
                     "msr control, r0\n\t"
                     "isb\n"
                     :
                     : "l"(top)
                     : "r0", "r1", "r2", "r3", "r12", "lr", "memory", "cc");
}

static void all_stacks(void)
{
    stack_name = "msp";
    frames_exercise();
    __asm__ volatile("svc #0" ::: "memory");
    stack_name = "psp";
    on_task_stack();
}

/* Nothing runs by itself: the test pends the sampling interrupt. */
static const struct mcuprof_timer by_hand = {.hz = BOARD_CLOCK_HZ};

static const struct mcuprof_config config = {
        .write = board_uart_write,
        .core_hz = BOARD_CLOCK_HZ,
        .rate_hz = 1000,
        .timer = &by_hand,
};

int main(void)
{
    REGISTER(0xE000ED1Cu) = 3u << 30; /* SHPR2: SVC the least urgent */
    /* CCR.STKALIGN: frames begin at 0 mod 8 (always so in ARMv6-M). */
    REGISTER(0xE000ED14u) |= 1u << 9;
    fpu_stack_all();
    if (mcuprof_init(&config) < 0 || mcuprof_start() < 0) {
        return 1;
    }
    for (misalign = 0; misalign <= 4; misalign += 4) {
        with_fpu = 0;
        all_stacks();
    }
#ifdef __ARM_FP
    for (misalign = 0; misalign <= 4; misalign += 4) {
        with_fpu = 1;
        all_stacks();
    }
#endif
    return failures == 0 ? 0 : 2;
}
