/* SPDX-License-Identifier: MIT */

#include "board.h"
#include "mcuprof.h"

/*
 * Everything that makes it hard to tell from the order of execution which
 * context an instruction belongs to: nested and tail-chained exceptions, an
 * exception on every kind of instruction, handlers that are called like
 * functions, recursion and conditional returns inside of a handler. ATTACHED 1:
 * the less urgent timer's handler is sampled in.
 */

#define ICSR (*(volatile uint32_t *)0xE000ED04u)
#define ICSR_PENDSVSET (1u << 28)

static volatile unsigned switches;
static volatile unsigned sum;

void SVC_Handler(void);
void PendSV_Handler(void);
void TIMER0_Handler(void);
void TIMER1_Handler(void);

static __attribute__((noinline)) unsigned fibonacci(unsigned n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

/* Two returns, one of them conditional where the core can do that. */
#if __ARM_ARCH_ISA_THUMB >= 2
#define RETURN_IF_LOWER_OR_SAME "it ls\n\tbxls lr\n"
#else
#define RETURN_IF_LOWER_OR_SAME "bhi 1f\n\tbx lr\n1:\n"
#endif

__attribute__((naked, noinline)) static unsigned clamp(unsigned value
                                                       __attribute__((unused)))
{
    __asm__ volatile(".syntax unified\n\t"
                     "cmp r0, #9\n\t" RETURN_IF_LOWER_OR_SAME
                     "\tmovs r0, #9\n\t"
                     "bx lr\n");
}

void SVC_Handler(void)
{
    sum += fibonacci(3);
}

void PendSV_Handler(void)
{
    switches++;
    if (switches % 2) {
        TIMER1_Handler(); /* a handler as a function */
    }
    sum += clamp(switches);
}

/* The less urgent one: TIMER1 interrupts it, PendSV follows it. */
void TIMER0_Handler(void)
{
    board_timer_clear(0);
    sum += fibonacci(6);
    ICSR = ICSR_PENDSVSET;
}

void TIMER1_Handler(void)
{
    board_timer_clear(1);
    sum += clamp(sum);
}

#if ATTACHED

/* Nothing is sent: what counts here is how the handler is come to. */
static void attach(void)
{
    static const struct mcuprof_timer timer = {.hz = BOARD_CLOCK_HZ};
    static const struct mcuprof_config config = {
            .write = board_uart_write,
            .core_hz = BOARD_CLOCK_HZ,
            .rate_hz = BOARD_CLOCK_HZ / 1009u,
            .timer = &timer,
    };

    if (mcuprof_init(&config) != 0
        || mcuprof_sample_attach((int)BOARD_TIMER0_IRQ) != 0
        || mcuprof_start() != 0) {
        board_exit(1);
    }
}

#else

static void attach(void)
{
}

#endif

int main(void)
{
    attach();
    board_irq_priority(BOARD_TIMER0_IRQ, 2);
    board_irq_priority(BOARD_TIMER0_IRQ + 1, 1);
    *(volatile uint32_t *)0xE000ED20u |= 3u << 22; /* PendSV: the least */
    /* Two periods without a common factor meet the code everywhere. */
    board_timer_start(0, 1009);
    board_timer_start(1, 397);
    for (unsigned i = 0; i < 300; i++) {
        __asm__ volatile("svc #0");
        sum += clamp(i) + fibonacci(i % 8);
        TIMER1_Handler();
    }
    board_print("switches %u sum %u\n", switches, sum);
    return 0;
}
