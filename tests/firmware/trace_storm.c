/* SPDX-License-Identifier: MIT */
/*
 * The hooks in a storm of interrupts: rounds of a one-shot, or of a flight
 * recorder that has wrapped, each of which must be whole: times in order,
 * every function in its context, calls that nest.
 */
#include "trace_storm.h"

#include "board.h"
#include "mcuprof.h"
#include "mcuprof_ring.h"
#include "mcuprof_stream.h"

#define RECORDS MCUPROF_TRACE_RING
#define DEPTH 8u
#define CONTEXTS 64u

static unsigned errors;
static unsigned events;
static unsigned switches;

static void wrong(const char *what, uint32_t at)
{
    if (errors++ < 5) {
        board_print("%s at %u\n", what, (unsigned)at);
    }
}

static const struct mcuprofi_slot *slot_at(uint32_t i)
{
    uint32_t head = (mcuprof_trace.block.head - MCUPROFI_RING_BEGIN) / 8u;
    uint32_t first = mcuprof_trace.block.laps != 0 ? head : 0;
    return &mcuprof_trace.slots[(first + i) % RECORDS];
}

static uint32_t stacks[CONTEXTS][DEPTH];
static uint32_t depths[CONTEXTS];
/* Who was seen to call a function first owns it. */
static uint32_t owners[32][2];

static int owns(uint32_t function, uint32_t context)
{
    for (unsigned i = 0; i < 32; i++) {
        if (owners[i][0] == 0) {
            owners[i][0] = function;
            owners[i][1] = context;
        }
        if (owners[i][0] == function) {
            return owners[i][1] == context;
        }
    }
    return 0;
}

/* Balanced, but for what was open when the ring began. */
static void check_call(uint32_t word, uint32_t context, uint32_t at)
{
    uint32_t function = word & ~1u;
    uint32_t depth = depths[context];
    events++;
    if (!owns(function, context)) {
        wrong("another's context", at);
    }
    if (word & 1u) {
        if (depth < DEPTH) {
            stacks[context][depth] = function;
        }
        depths[context]++;
    } else if (depth > 0) {
        if (stacks[context][depth - 1u] != function) {
            wrong("no nesting", at);
        }
        depths[context]--;
    }
}

static void check_ring(void)
{
    uint32_t count =
            mcuprof_trace.block.laps != 0
                    ? RECORDS
                    : (mcuprof_trace.block.head - MCUPROFI_RING_BEGIN) / 8u;
    uint32_t context = CONTEXTS;
    for (unsigned i = 0; i < CONTEXTS; i++) {
        depths[i] = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t word = slot_at(i)->word;
        if (i > 0) {
            uint32_t ticks = slot_at(i)->time - slot_at(i - 1u)->time;
            if (mcuprofi_stream.clock.flip) {
                ticks = 0u - ticks;
            }
            if ((ticks & mcuprofi_stream.clock.mask) > 100000u) {
                wrong("time goes back", i);
            }
        }
        if (word == 0) {
            wrong("no record", i);
        } else if (word >> 24 == MCUPROF_TRACE_CONTEXT) {
            context = word & 0xFFFFu;
            switches++;
        } else if (context < CONTEXTS) {
            check_call(word, context, i);
        }
    }
}

static void storm(uint8_t mode, uint32_t work)
{
    struct mcuprof_trace_config config = {.mode = mode};
    if (mcuprof_trace_start(&config) != 0) {
        wrong("start", 0);
        return;
    }
    storm_runs = 1;
    board_timer_start(0, 2411);
    board_timer_start(1, 1639);
    while (work-- > 0) {
        storm_work(work);
    }
    storm_runs = 0;
    board_timer_stop(0);
    board_timer_stop(1);
    (void)mcuprof_trace_stop();
    if (mcuprof_trace.block.lost != 0) {
        wrong("lost", mcuprof_trace.block.lost);
    }
    check_ring();
}

int main(void)
{
    static const struct mcuprof_config config = {
            .core_hz = BOARD_CLOCK_HZ,
#ifdef BOARD_COUNTER
            .clock = (const volatile uint32_t *)BOARD_COUNTER,
            .clock_hz = BOARD_COUNTER_HZ,
#endif
            .write = board_uart_write,
    };
    board_irq_priority(BOARD_TIMER0_IRQ, 3);
    board_irq_priority(BOARD_TIMER0_IRQ + 1, 2);
    if (mcuprof_init(&config) != 0) {
        return 1;
    }
#ifdef BOARD_COUNTER
    board_systick_priority(1);
    ((volatile uint32_t *)0xE000E010u)[1] = 1201;
    ((volatile uint32_t *)0xE000E010u)[0] = 7;
#endif
    for (unsigned round = 0; round < ROUNDS; round++) {
        storm(MCUPROF_TRACE_MODE_ONE_SHOT, RECORDS / 4u);
        storm(MCUPROF_TRACE_MODE_FLIGHT, RECORDS / 3u + round);
    }
    board_print("errors %u arrivals %u switches %u events %u\n", errors,
                (unsigned)storm_arrivals, switches, events);
    return errors != 0;
}
