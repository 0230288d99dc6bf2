/* SPDX-License-Identifier: MIT */
/*
 * 256 functions, looked for one by one, with interrupts masked all the while.
 * A function has one start, so recursion and interrupts that call it are one
 * call; times have 32 bits.
 */
#include "bench_published.h"

#include <stddef.h>

enum {
    FUNCTIONS = 256
};

struct function {
    uint32_t address;
    uint32_t calls;
    uint32_t total;
    uint32_t longest;
    uint32_t start;
    uint32_t open;
};

static struct function functions[FUNCTIONS];
static uint32_t known;
static const volatile uint32_t *volatile published_clock;

void bench_published_start(const volatile uint32_t *clock)
{
    published_clock = clock;
}

static inline uint32_t mask(void)
{
    uint32_t was;
    __asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(was)::"memory");
    return was;
}

static inline void unmask(uint32_t was)
{
    __asm__ volatile("msr primask, %0" ::"r"(was) : "memory");
}

/* NULL: there is no room. */
static inline struct function *find(uint32_t address)
{
    for (uint32_t i = 0; i < known; i++) {
        if (functions[i].address == address) {
            return &functions[i];
        }
    }
    if (known == FUNCTIONS) {
        return NULL;
    }
    functions[known].address = address;
    return &functions[known++];
}

void __cyg_profile_func_enter(void *function, void *call_site)
{
    (void)call_site;
    if (published_clock == NULL) {
        return;
    }
    uint32_t was = mask();
    struct function *found = find((uint32_t)function);
    if (found != NULL && found->open++ == 0) {
        found->start = *published_clock;
    }
    unmask(was);
}

void __cyg_profile_func_exit(void *function, void *call_site)
{
    (void)call_site;
    if (published_clock == NULL) {
        return;
    }
    uint32_t was = mask();
    struct function *found = find((uint32_t)function);
    if (found != NULL && found->open > 0 && --found->open == 0) {
        uint32_t took = *published_clock - found->start;
        found->calls++;
        found->total += took;
        found->longest = took > found->longest ? took : found->longest;
    }
    unmask(was);
}
