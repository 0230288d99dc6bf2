/* SPDX-License-Identifier: MIT */
/*
 * From reset to main(), and the way out of the emulator: 0 if main() returns
 * 0, and 9 if it does not return, which SysTick watches over.
 */
#include <stdint.h>

#ifndef QUIET
#define QUIET __attribute__((no_instrument_function))
#endif

extern uint32_t stack_top, __bss_start__, __bss_end__;

int main(void);
void Reset_Handler(void);
void SystemInit(void);
void PendSV_Handler(void);
void SysTick_Handler(void);
void Fault_Handler(void);
void leave(uint32_t status);
void clear(uint32_t *from, const uint32_t *end);

static void prepare_clock(void)
{
    *(volatile uint32_t *)0xE000E014 = 0xFFFFFF; /* SYST_RVR */
    *(volatile uint32_t *)0xE000E018 = 0;
}

void SystemInit(void)
{
    prepare_clock();
    *(volatile uint32_t *)0xE000ED20 = 0xC00000; /* SHPR3: PendSV waits */
    *(volatile uint32_t *)0xE000E010 = 7; /* SYST_CSR: core clock, interrupt */
}

/* Semihosting's SYS_EXIT_EXTENDED. */
QUIET void leave(uint32_t status)
{
    const uint32_t block[] = {0x20026, status};
    register uint32_t operation __asm("r0") = 0x20;
    register const uint32_t *argument __asm("r1") = block;

    __asm volatile("bkpt 0xAB" : : "r"(operation), "r"(argument) : "memory");
    for (;;)
        continue;
}

QUIET void clear(uint32_t *from, const uint32_t *end)
{
    while (from < end)
        *from++ = 0;
}

BOOT void Reset_Handler(void)
{
    SystemInit();
    clear(&__bss_start__, &__bss_end__);
    leave((uint32_t)main());
}

QUIET void SysTick_Handler(void)
{
    leave(9);
}

QUIET void Fault_Handler(void)
{
    leave(8);
}

__attribute__((section(".vectors"),
               used)) static const void *const vectors[] = {
        &stack_top,
        (const void *)Reset_Handler,
        (const void *)Fault_Handler,
        (const void *)Fault_Handler,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        (const void *)Fault_Handler,
        0,
        0,
        (const void *)PendSV_Handler,
        (const void *)SysTick_Handler,
};
