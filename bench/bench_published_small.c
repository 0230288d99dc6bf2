/* SPDX-License-Identifier: MIT */
/*
 * 64 functions, looked for one by one, and a stack of 32 calls. One stack for
 * all contexts, which an interrupt can tear; calls that are deeper are in no
 * figure; recursion has its time once for each level.
 */
#include "bench_published.h"

#include <stddef.h>

enum {
    FUNCTIONS = 64,
    DEPTH = 32
};

struct function {
    uint32_t address;
    uint32_t calls;
    uint64_t total;
};

struct call {
    uint32_t address;
    uint32_t start;
};

static struct function functions[FUNCTIONS];
static struct call calls[DEPTH];
static volatile uint32_t depth;
static const volatile uint32_t *volatile published_clock;

void bench_published_start(const volatile uint32_t *clock)
{
    published_clock = clock;
}

void __cyg_profile_func_enter(void *function, void *call_site)
{
    (void)call_site;
    if (published_clock == NULL) {
        return;
    }
    if (depth < DEPTH) {
        calls[depth].address = (uint32_t)function;
        calls[depth].start = *published_clock;
    }
    depth++;
}

static inline void book(uint32_t address, uint32_t took)
{
    for (uint32_t i = 0; i < FUNCTIONS; i++) {
        if (functions[i].address == 0) {
            functions[i].address = address;
        }
        if (functions[i].address == address) {
            functions[i].calls++;
            functions[i].total += took;
            return;
        }
    }
}

void __cyg_profile_func_exit(void *function, void *call_site)
{
    (void)function;
    (void)call_site;
    if (published_clock == NULL || depth == 0) {
        return;
    }
    uint32_t now = *published_clock;
    if (--depth < DEPTH) {
        book(calls[depth].address, now - calls[depth].start);
    }
}
