/* SPDX-License-Identifier: MIT */
/*
 * The function table in a storm of interrupts: rounds, after each of which
 * calls must be what the functions themselves have counted, and all times
 * together the time that went by.
 */
#include "functions_storm.h"

#include "board.h"
#include "mcuprof.h"
#include "mcuprof_functions_parts.h"
#include "mcuprof_functions_view.h"
#if MCUPROF_TRACE
#include "mcuprof_ring.h"
#endif

/* So that the table has another address. */
#ifdef STORM_PAD
volatile uint8_t storm_pad[STORM_PAD];
#endif

static unsigned errors;
static unsigned calls;
static uint64_t off;

static size_t nowhere(const uint8_t *data, size_t size)
{
    (void)data;
    return size;
}

static void wrong(const char *what, uint32_t a, uint32_t b)
{
    if (errors++ < 5) {
        board_print("%s: %u, %u\n", what, (unsigned)a, (unsigned)b);
    }
}

static const struct mcuprof_function *row_of(uint32_t function,
                                             uint32_t context)
{
    static const struct mcuprof_function none;
    const struct mcuprof_function *row = mcuprof_functions_view;
    for (; row->function != NULL; row++) {
        if (((uint32_t)row->function | 1u) == function
            && row->context == context) {
            return row;
        }
    }
    return &none;
}

static void check_row(const struct mcuprof_function *row, uint32_t want)
{
    calls += want;
    if (row->calls != want || row->open != 0) {
        wrong("calls", (uint32_t)row->calls, want);
    }
    if (row->self > row->total || row->min > row->max
        || row->total > row->max * row->calls) {
        wrong("times", (uint32_t)row->self, (uint32_t)row->total);
    }
}

static void check_sum(uint64_t ticks)
{
    const struct mcuprofi_functions_moment *m = &mcuprofi_functions_moment;
    uint64_t all = m->self + m->hooks + m->calls * m->pair;
    uint64_t apart = all > ticks ? all - ticks : ticks - all;
    off += apart;
    if (apart > 100u) {
        wrong("sum", (uint32_t)all, (uint32_t)ticks);
    }
    if (m->unwound + m->unmatched + m->deep + m->no_slot + m->no_context != 0) {
        wrong("lost", m->unwound, m->unmatched);
    }
}

static void check(void)
{
    if (mcuprof_functions_snapshot() < 0) {
        wrong("snapshot", 0, 0);
    }
    for (uint32_t c = 0; c < STORM_CONTEXTS; c++) {
        for (uint32_t f = 0; f < STORM_FUNCTIONS; f++) {
            check_row(row_of((uint32_t)storm_functions[f], c),
                      storm_calls[c][f]);
            storm_calls[c][f] = 0;
        }
    }
    check_sum(mcuprofi_functions_moment.ticks);
}

static void storm(uint32_t raw, uint32_t work)
{
    struct mcuprof_functions_config config = {.raw = (uint8_t)raw};
#if MCUPROF_TRACE
    /* The ring beside it, full after its first lap. */
    if (mcuprof_trace_start(NULL) != 0) {
        wrong("trace", 0, 0);
    }
#endif
    if (mcuprof_functions_start(&config) != 0) {
        wrong("start", 0, 0);
        return;
    }
    if (mcuprofi_functions_is_slow()) {
        wrong("slow", mcuprof_functions.head.slow, 0);
    }
    /* A slow hook's time is later than a fast one's. */
    if (!raw && mcuprof_functions.head.slow == 0
        && (mcuprof_functions.enter_late == 0
            || mcuprof_functions.exit_late == 0)) {
        wrong("late", mcuprof_functions.enter_late,
              mcuprof_functions.exit_late);
    }
    storm_runs = 1;
#ifdef BOARD_COUNTER
    board_systick_priority(1);
    ((volatile uint32_t *)0xE000E010u)[1] = 1201;
    ((volatile uint32_t *)0xE000E010u)[0] = 7;
#endif
    board_timer_start(0, 2411);
    board_timer_start(1, 1639);
    while (work-- > 0) {
        storm_work(work);
        if (work % 64u == 0) {
            (void)mcuprof_poll();
        }
    }
    storm_runs = 0;
    board_timer_stop(0);
    board_timer_stop(1);
#ifdef BOARD_COUNTER
    ((volatile uint32_t *)0xE000E010u)[0] = 0;
#endif
    (void)mcuprof_functions_stop();
#if MCUPROF_TRACE
    (void)mcuprof_trace_stop();
    if (mcuprof_trace.block.laps == 0 || mcuprof_trace.block.lost != 0) {
        wrong("ring", mcuprof_trace.block.laps, mcuprof_trace.block.lost);
    }
#endif
    check();
}

int main(void)
{
    static const struct mcuprof_config config = {
            .core_hz = BOARD_CLOCK_HZ,
#ifdef BOARD_COUNTER
            .clock = (const volatile uint32_t *)BOARD_COUNTER,
            .clock_hz = BOARD_COUNTER_HZ,
#endif
            .write = nowhere,
    };
    board_irq_priority(BOARD_TIMER0_IRQ, 3);
    board_irq_priority(BOARD_TIMER0_IRQ + 1, 2);
    if (mcuprof_init(&config) != 0) {
        return 1;
    }
#ifdef STORM_PAD
    storm_pad[0] = 1;
#endif
    for (unsigned round = 0; round < ROUNDS; round++) {
        storm(round % 2u, 1000u + round);
    }
    board_print("errors %u arrivals %u calls %u off %u\n", errors,
                (unsigned)storm_arrivals, calls, (unsigned)off);
    return errors != 0;
}
