/* SPDX-License-Identifier: MIT */
/*
 * What a pair of hooks costs on this chip: functions as the compiler makes
 * them of empty ones, with and without hooks.
 */
#include "mcuprof_ring.h"
#include "mcuprof_stream.h"

#if MCUPROF_ENABLED && MCUPROF_TRACE

#define COST_ROUNDS 8u
#define COST_PAIRS 4u

struct mcuprofi_trace_cost mcuprofi_trace_costs;

static void *mcuprofi_own_address(void)
{
    /* As an odd number, which no pointer to a function need be elsewhere. */
    return (void *)((uintptr_t)&mcuprofi_trace_measure | 1u);
}

MCUPROF_KEEP void mcuprofi_trace_empty(void)
{
    mcuprofi_barrier();
}

MCUPROF_KEEP void mcuprofi_trace_pair(void)
{
    __cyg_profile_func_enter(mcuprofi_own_address(), MCUPROFI_CALL_SITE);
    __cyg_profile_func_exit(mcuprofi_own_address(), MCUPROFI_CALL_SITE);
}

/* Ticks that a clock counted up between two readings. */
static uint32_t mcuprofi_ticks_between(uint32_t begin, uint32_t end)
{
    const struct mcuprofi_clock *clock = &mcuprofi_stream.clock;
    return ((end ^ clock->flip) - (begin ^ clock->flip)) & clock->mask;
}

static uint32_t mcuprofi_ticks_of(void (*function)(void))
{
    uint32_t begin = mcuprofi_trace_clock();
    for (uint32_t i = 0; i < COST_PAIRS; i++) {
        function();
    }
    return mcuprofi_ticks_between(begin, mcuprofi_trace_clock());
}

/* Ticks between the records of each pair that lies from here on. */
static uint32_t mcuprofi_inner_ticks(const struct mcuprofi_slot *slot)
{
    uint32_t ticks = 0;
    for (uint32_t i = 0; i < COST_PAIRS; i++) {
        ticks += mcuprofi_ticks_between(slot[2u * i].time,
                                        slot[2u * i + 1u].time);
    }
    return ticks;
}

static uint16_t mcuprofi_ticks_of_one(uint32_t ticks)
{
    uint32_t one = (ticks + COST_PAIRS / 2u) / COST_PAIRS;
    return (uint16_t)(one < 0xFFFFu ? one : 0xFFFFu);
}

void mcuprofi_trace_measure(void)
{
    struct mcuprofi_block *b = &mcuprof_trace.block;
    uint32_t total = 0xFFFFFFFFu;
    uint32_t inner = 0xFFFFFFFFu;
    uint32_t closed = 0xFFFFFFFFu;
    for (uint32_t i = 0; i < COST_ROUNDS; i++) {
        mcuprofi_trace_reset(MCUPROF_TRACE_MODE_ONE_SHOT);
        uint32_t empty = mcuprofi_ticks_of(mcuprofi_trace_empty);
        if (MCUPROF_FUNCTIONS) {
            uint32_t without = mcuprofi_ticks_of(mcuprofi_trace_pair);
            without = without > empty ? without - empty : 0;
            closed = without < closed ? without : closed;
        }
        mcuprof_control.gate = &mcuprof_control;
        /* The context's record, and its level. */
        mcuprofi_trace_pair();
        mcuprofi_word head = b->head;
        uint32_t with = mcuprofi_ticks_of(mcuprofi_trace_pair);
        mcuprof_control.gate = NULL;
        /* An interrupt's records among them: it took its time, too. */
        if (b->head != head + MCUPROFI_SLOTS(2u * COST_PAIRS)) {
            continue;
        }
        uint32_t gap = mcuprofi_inner_ticks((const struct mcuprofi_slot *)head);
        with = with > empty ? with - empty : 0;
        total = with < total ? with : total;
        inner = gap < inner ? gap : inner;
    }
    mcuprofi_trace_costs.total =
            total != 0xFFFFFFFFu ? mcuprofi_ticks_of_one(total) : 0;
    mcuprofi_trace_costs.inner =
            inner != 0xFFFFFFFFu ? mcuprofi_ticks_of_one(inner) : 0;
    if (MCUPROF_FUNCTIONS) {
        mcuprofi_trace_costs.closed = mcuprofi_ticks_of_one(closed);
        mcuprofi_trace_costs.measured = 1;
    }
}

#endif
