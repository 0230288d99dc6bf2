/* SPDX-License-Identifier: MIT */
#ifndef PROJECT_H
#define PROJECT_H

/*
 * What a project has beside mcuprof: its own functions, and the registers of
 * its chip as vendors' headers (CMSIS) name them. Enough to compile the README.
 */
#include <stdint.h>

struct usart {
    volatile uint32_t SR, DR, BRR, CR1;
};
#define USART2 ((struct usart *)0x40004400u)
#define USART_CR1_TXEIE 0x80u

struct scb {
    const volatile uint32_t CPUID;
    volatile uint32_t ICSR, VTOR, AIRCR;
};
#define SCB ((struct scb *)0xE000ED00u)

static inline void board_setup(void)
{
}
static inline void application(void)
{
}
static inline void settings_are_wrong(void)
{
}
static inline void HAL_IncTick(void)
{
}

#endif
