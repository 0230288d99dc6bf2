/* SPDX-License-Identifier: MIT */

#include "board.h"

#include <stdarg.h>

/* What every Cortex-M has alike: NVIC, printing, the way out. */

#define NVIC_ISER ((volatile uint32_t *)0xE000E100u)
#define NVIC_ICER ((volatile uint32_t *)0xE000E180u)
/* ARMv6-M allows only whole words here. */
#define NVIC_IPR ((volatile uint32_t *)0xE000E400u)
#define SHPR3 ((volatile uint32_t *)0xE000ED20u)

enum {
    SYS_EXIT_EXTENDED = 0x20,
    ADP_STOPPED_APPLICATION_EXIT = 0x20026
};

static void byte_lane_set(volatile uint32_t *word, unsigned lane,
                          unsigned level)
{
    unsigned shift = 8u * lane;

    *word = (*word & ~(0xFFu << shift)) | (level << 6 << shift);
}

void board_irq_priority(unsigned irq, unsigned level)
{
    byte_lane_set(&NVIC_IPR[irq / 4], irq % 4, level);
}

void board_systick_priority(unsigned level)
{
    byte_lane_set(SHPR3, 3, level);
}

void board_irq_enable(unsigned irq)
{
    NVIC_ISER[irq / 32] = 1u << irq % 32;
}

void board_irq_disable(unsigned irq)
{
    NVIC_ICER[irq / 32] = 1u << irq % 32;
    __asm__ volatile("dsb\n\tisb" ::: "memory");
}

static void put(char character)
{
    uint8_t byte = (uint8_t)character;

    while (board_uart_write(&byte, 1) == 0) {
    }
}

static void put_string(const char *string)
{
    while (*string) {
        put(*string++);
    }
}

static void put_decimal(uint32_t value)
{
    char digits[10];
    unsigned count = 0;

    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    while (count > 0) {
        put(digits[--count]);
    }
}

static void put_hex(uint32_t value)
{
    for (int shift = 28; shift >= 0; shift -= 4) {
        put("0123456789abcdef"[value >> shift & 0xF]);
    }
}

static void put_signed(int32_t value)
{
    if (value < 0) {
        put('-');
    }
    put_decimal(value < 0 ? 0u - (uint32_t)value : (uint32_t)value);
}

static void put_argument(char conversion, va_list *arguments)
{
    switch (conversion) {
    case 's':
        put_string(va_arg(*arguments, const char *));
        break;
    case 'd':
        put_signed(va_arg(*arguments, int));
        break;
    case 'u':
        put_decimal(va_arg(*arguments, unsigned));
        break;
    case 'x':
        put_hex(va_arg(*arguments, unsigned));
        break;
    default:
        put(conversion);
        break;
    }
}

static void put_wide(va_list *arguments)
{
    uint64_t value = va_arg(*arguments, unsigned long long);

    put_hex((uint32_t)(value >> 32));
    put_hex((uint32_t)value);
}

void board_print(const char *format, ...)
{
    va_list arguments;
    unsigned longs;

    va_start(arguments, format);
    for (; *format; format++) {
        if (*format != '%') {
            put(*format);
            continue;
        }
        for (longs = 0; *++format == 'l'; longs++) {
        }
        if (longs == 2) {
            put_wide(&arguments);
        } else {
            /* int and long are the same 32 bits */
            put_argument(*format, &arguments);
        }
    }
    va_end(arguments);
}

void board_exit(int code)
{
    volatile uint32_t block[2] = {ADP_STOPPED_APPLICATION_EXIT, (uint32_t)code};
    register uint32_t operation __asm__("r0") = SYS_EXIT_EXTENDED;
    register volatile uint32_t *argument __asm__("r1") = block;

    for (;;) {
        __asm__ volatile("bkpt 0xab"
                         : "+r"(operation)
                         : "r"(argument)
                         : "memory");
    }
}
