/* SPDX-License-Identifier: MIT */
/*
 * What hooks cost: rounds of the work between bench_begin() and bench_end(),
 * with the hooks that HOOKS says.
 */
#include "bench.h"
#include "bench_published.h"
#include "bench_trace_work.h"
#include "board.h"
#include "mcuprof.h"

#define NONE 0
#define EMPTY 1
#define COUNTING 2
#define PUBLISHED 3
#define RING 4
#define TABLE 5
#define PUBLISHED_TABLE 6
#define PUBLISHED_SMALL 7

/* Of the work. */
#ifndef ROUNDS
#define ROUNDS 20
#endif

/* A core without a counter beside it reads SysTick. */
#ifdef BOARD_COUNTER
#define CLOCK BOARD_COUNTER
#else
#define CLOCK 0xE000E018u
#endif

#if HOOKS == EMPTY
void __cyg_profile_func_enter(void *function, void *call_site)
{
    (void)function;
    (void)call_site;
}

void __cyg_profile_func_exit(void *function, void *call_site)
{
    (void)function;
    (void)call_site;
}
#elif HOOKS == COUNTING
static volatile uint32_t events;

void __cyg_profile_func_enter(void *function, void *call_site)
{
    (void)function;
    (void)call_site;
    events++;
}

void __cyg_profile_func_exit(void *function, void *call_site)
{
    (void)function;
    (void)call_site;
    events++;
}
#elif HOOKS == PUBLISHED
/*
 * A ring in the style of the published ones: 12 bytes a record, the context by
 * IPSR, a flag that switches it, and a head that an interrupt can tear.
 */
enum {
    RECORDS = BENCH_RECORDS
};

struct record {
    uint32_t function;
    uint32_t cycles;
    uint32_t context;
};

static struct record ring[RECORDS];
static volatile uint32_t head;
static volatile uint32_t enabled;

static inline void put(uint32_t function)
{
    uint32_t context;

    if (!enabled) {
        return;
    }
    struct record *record = &ring[head];

    head = (head + 1) % RECORDS;
    __asm__ volatile("mrs %0, ipsr" : "=r"(context));
    record->function = function;
    record->cycles = *(volatile uint32_t *)CLOCK;
    record->context = context;
}

void __cyg_profile_func_enter(void *function, void *call_site)
{
    (void)call_site;
    put((uint32_t)function);
}

void __cyg_profile_func_exit(void *function, void *call_site)
{
    (void)call_site;
    put((uint32_t)function & ~1u);
}
#endif

#if HOOKS == RING
#define START mcuprof_trace_start
#else
#define START mcuprof_functions_start
#endif

#if HOOKS == RING || HOOKS == TABLE
static int trace(void)
{
    static const struct mcuprof_config config = {
            .core_hz = BOARD_CLOCK_HZ,
#ifdef BOARD_COUNTER
            .clock = (const volatile uint32_t *)BOARD_COUNTER,
            .clock_hz = BOARD_COUNTER_HZ,
#endif
    };

    return mcuprof_init(&config) == 0 && START(NULL) == 0;
}
#else
static int trace(void)
{
#if HOOKS == PUBLISHED
    enabled = 1;
#elif HOOKS == PUBLISHED_TABLE || HOOKS == PUBLISHED_SMALL
    bench_published_start((const volatile uint32_t *)CLOCK);
#endif
    return 1;
}
#endif

int main(void)
{
    uint16_t sum = 1;

    if (!trace()) {
        return 1;
    }
    bench_begin();
    for (int round = 0; round < ROUNDS; round++) {
        sum = bench_trace_work(sum);
    }
    bench_end();
    /* Of all variants the same, or the hooks did harm. */
    board_print("sum %u\n", sum);
    return 0;
}
