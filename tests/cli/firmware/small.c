/* SPDX-License-Identifier: MIT */
/*
 * A firmware that never runs: the tests of the command line need its symbols,
 * its vector table and its bytes.
 */
#ifndef VARIANT
#define VARIANT 1
#endif

extern unsigned stack_top;
volatile unsigned counter;

void Reset_Handler(void);
void SysTick_Handler(void);
void UART0_Handler(void);
void Default_Handler(void);
void work(void);
void other(void);
void mcuprof_selftest_three(void);
void mcuprof_selftest_one(void);
void mcuprof_poll(void);
void a_function_with_a_name_that_no_terminal_of_ordinary_width_can_show_in_full_on_one_line(
        void);

#define BUSY                                                                   \
    do {                                                                       \
        counter += VARIANT;                                                    \
        counter ^= 0x55;                                                       \
        counter *= 3;                                                          \
    } while (0)

void work(void)
{
    BUSY;
}

void other(void)
{
    BUSY;
    BUSY;
}

void mcuprof_selftest_three(void)
{
    BUSY;
}

void mcuprof_selftest_one(void)
{
    BUSY;
}

void mcuprof_poll(void)
{
    BUSY;
}

void a_function_with_a_name_that_no_terminal_of_ordinary_width_can_show_in_full_on_one_line(
        void)
{
    BUSY;
}

void SysTick_Handler(void)
{
    BUSY;
}

void UART0_Handler(void)
{
    BUSY;
}

void Default_Handler(void)
{
    for (;;)
        continue;
}

void Reset_Handler(void)
{
    for (;;) {
        work();
        other();
        __asm__ volatile(".global sleep_here\nsleep_here:\n\twfi");
    }
}

typedef void (*vector)(void);
__attribute__((section(".vectors"), used)) static const vector vectors[] = {
        (vector)&stack_top,
        Reset_Handler,
        Default_Handler,
        Default_Handler,
        Default_Handler,
        Default_Handler,
        Default_Handler,
        0,
        0,
        0,
        0,
        Default_Handler,
        Default_Handler,
        0,
        Default_Handler,
        SysTick_Handler,
        UART0_Handler,
        Default_Handler};
