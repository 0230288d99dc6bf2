/* SPDX-License-Identifier: MIT */
/*
 * Functions of the shapes that compilers treat differently: small ones that are
 * inlined, into each other, too; loops, switches, recursion, tail calls, calls
 * through pointers, results in memory, rare ways that are moved apart, many
 * ways out, floats, code in RAM, an interrupt. Some are never called.
 */
#include "select_truth.h"

#include <stdarg.h>
#include <stddef.h>

#define APART __attribute__((noinline))
#define IN_RAM __attribute__((noinline, section(".ramfunc")))

struct pair {
    uint32_t a, b, c;
};

uint32_t mix(uint32_t sum, uint32_t value);
uint32_t twice(uint32_t sum, uint32_t value);
uint32_t never(uint32_t sum);
void PendSV_Handler(void);

static uint32_t in_interrupt;

static uint32_t turn(uint32_t value, unsigned by)
{
    return value << (by & 31u) | value >> ((32u - by) & 31u);
}

uint32_t mix(uint32_t sum, uint32_t value)
{
    return turn(sum ^ value * 0x9E3779B1u, 7);
}

uint32_t twice(uint32_t sum, uint32_t value)
{
    return mix(mix(sum, value), value >> 5);
}

uint32_t never(uint32_t sum)
{
    return twice(sum, 9) + 1;
}

static uint16_t crc_step(uint16_t crc, uint8_t byte)
{
    for (int bit = 0; bit < 8; bit++) {
        unsigned carry = (byte ^ crc) & 1u;
        byte >>= 1;
        crc = (uint16_t)(crc >> 1 ^ (carry ? 0xA001u : 0u));
    }
    return crc;
}

static APART uint16_t crc_of(const uint8_t *bytes, unsigned count)
{
    uint16_t crc = 0xFFFF;
    for (unsigned i = 0; i < count; i++) {
        crc = crc_step(crc, bytes[i]);
    }
    return crc;
}

static APART uint32_t fib(uint32_t n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static uint32_t is_odd(uint32_t n);

static APART uint32_t is_even(uint32_t n)
{
    return n == 0 ? 1 : is_odd(n - 1);
}

static APART uint32_t is_odd(uint32_t n)
{
    return n == 0 ? 0 : is_even(n - 1);
}

static APART uint32_t choose(uint32_t what, uint32_t sum)
{
    switch (what) {
    case 0:
        return mix(sum, 1);
    case 1:
        sum += 7;
        break;
    case 2:
        return fib(5);
    case 3:
        sum = twice(sum, 3);
        /* fall through */
    case 4:
        sum ^= 0x55u;
        break;
    case 5:
        if (sum & 1u) {
            return sum >> 1;
        }
        sum = mix(sum, what);
        break;
    case 6:
        return is_even(sum & 7u);
    default:
        return 0;
    }
    return sum + what;
}

static struct pair make_pair(uint32_t sum)
{
    struct pair made = {sum, mix(sum, 2), 3};

    return made;
}

static APART struct pair swap(struct pair given)
{
    struct pair swapped = {given.b, given.a, given.c + 1u};

    return swapped;
}

static APART uint64_t wide(uint64_t a, uint32_t b, uint64_t c)
{
    return a * b + (c >> 3);
}

static APART uint32_t sum_of(unsigned count, ...)
{
    uint32_t sum = 0;
    va_list list;
    va_start(list, count);
    while (count-- > 0) {
        sum = mix(sum, va_arg(list, unsigned));
    }
    va_end(list);
    return sum;
}

/* Its rare end has been moved elsewhere, at -O2. */
static APART uint32_t guarded(uint32_t sum, uint32_t limit)
{
    if (__builtin_expect(limit > 100u, 0)) {
        for (uint32_t i = 0; i < limit; i += 50u) {
            sum = twice(sum, i);
        }
        if (sum == 1u) {
            return choose(limit & 7u, sum);
        }
        return sum ^ limit;
    }
    return sum + limit;
}

static APART float smooth(float old, float now, float part)
{
    return old + (now - old) * part;
}

static float square(float x)
{
    return x * x;
}

static APART uint32_t floats(uint32_t sum)
{
    float value = (float)(sum & 0xFFu);
    for (int i = 0; i < 3; i++) {
        value = smooth(value, square((float)i), 0.25f);
    }
    return (uint32_t)(value * 16.0f);
}

static IN_RAM uint32_t in_ram(uint32_t sum)
{
    return mix(sum, 5) + fib(3);
}

static int rising(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

    return (left > right) - (left < right);
}

static int falling(const void *a, const void *b)
{
    return -rising(a, b);
}

typedef int (*order)(const void *, const void *);

static void exchange(uint32_t *a, uint32_t *b)
{
    uint32_t kept = *a;
    *a = *b;
    *b = kept;
}

static APART void sort(uint32_t *values, unsigned count, order compare)
{
    for (unsigned i = 1; i < count; i++) {
        for (unsigned k = i; k > 0; k--) {
            if (compare(&values[k - 1], &values[k]) <= 0) {
                break;
            }
            exchange(&values[k - 1], &values[k]);
        }
    }
}

static APART uint32_t sorted(uint32_t sum)
{
    static order const orders[] = {rising, falling};
    uint32_t values[7];
    for (unsigned i = 0; i < 7; i++) {
        values[i] = mix(sum, i) & 0xFFFu;
    }
    sort(values, 7, orders[sum & 1u]);
    return crc_of((const uint8_t *)values, sizeof values);
}

/* Three ways out, one of them in the middle of a loop in a loop. */
static APART uint32_t search(const uint8_t *text, uint8_t wanted)
{
    if (text == NULL) {
        return 0;
    }
    for (uint32_t i = 0; i < 4; i++) {
        for (uint32_t k = 0; k < 4; k++) {
            if (text[4 * i + k] == wanted) {
                return turn(i * 10 + k, k);
            }
        }
    }
    return 99;
}

static APART void note(uint32_t value)
{
    in_interrupt = mix(in_interrupt, value);
}

void PendSV_Handler(void)
{
    note(in_interrupt & 0xFFu);
    in_interrupt = twice(in_interrupt, 17);
}

uint32_t select_round(uint32_t sum)
{
    static const uint8_t text[16] = "0123456789abcde";
    for (uint32_t what = 0; what < 8; what++) {
        sum = mix(sum, choose(what, sum));
        if (what == 3) {
            select_pend();
        }
    }
    struct pair pair = swap(make_pair(sum));
    sum = mix(sum, pair.a ^ pair.b ^ pair.c);
    sum = mix(sum, (uint32_t)wide(sum, 77u, sum));
    sum = mix(sum, sum_of(4, sum, 1u, 2u, 3u));
    sum = mix(sum, guarded(sum, sum & 0x7Fu) + guarded(sum, 333u));
    sum = mix(sum, floats(sum) + in_ram(sum));
    sum = mix(sum, sorted(sum) + sorted(sum + 1u)); /* in both orders */
    sum = mix(sum, search(text, 'b') + search(NULL, 0) + search(text, 'z'));
    return twice(sum, in_interrupt);
}
