/* SPDX-License-Identifier: MIT */
/*
 * Hooks before .data and .bss, after power-on and after two warm resets, the
 * first one out of a ring that is frozen, the second one out of one that
 * records. What was kept is looked at word by word.
 */
#include "calls_early.h"

#include "board.h"
#include "mcuprof.h"
#include "mcuprof_ring.h"

#define AIRCR (*(volatile uint32_t *)0xE000ED0Cu)
#define AIRCR_RESET 0x05FA0004u
#define MAGIC 0x5EED1234u

enum {
    RING_WORDS = sizeof(mcuprof_trace) / 4,
    VECTOR_WORDS = sizeof(early_vectors) / 4,
    BEGIN_WORDS = 4 /* context, limit, head, clock */
};

static struct {
    uint32_t magic;
    uint32_t boot;
    uint32_t vectors[VECTOR_WORDS];
    uint32_t ring[RING_WORDS];
} before __attribute__((section(".noinit")));

static const struct mcuprof_config config = {
        .core_hz = BOARD_CLOCK_HZ,
        .clock = (const volatile uint32_t *)BOARD_COUNTER,
        .clock_hz = BOARD_COUNTER_HZ,
        .write = board_uart_write,
};

static void copy(uint32_t *to, const void *from, unsigned words)
{
    const volatile uint32_t *word = from;

    while (words-- > 0) {
        *to++ = *word++;
    }
}

static unsigned differences(const uint32_t *a, const void *b, unsigned words)
{
    const volatile uint32_t *word = b;
    unsigned count = 0;

    while (words-- > 0) {
        count += *a++ != *word++;
    }
    return count;
}

static void reset(void)
{
    before.boot++;
    copy(before.ring, (const void *)&mcuprof_trace, RING_WORDS);
    AIRCR = AIRCR_RESET;
    for (;;) {
    }
}

static uint32_t records(void)
{
    return (uint32_t)(mcuprof_trace.block.head - MCUPROFI_RING_BEGIN) / 8u;
}

/* What early hooks, and init, did to a ring that was left. */
static void report(void)
{
    unsigned slots = (unsigned)(MCUPROFI_RING_BEGIN
                                - (uint32_t)(uintptr_t)&mcuprof_trace)
                     / 4u;
    const uint32_t *ring = (const uint32_t *)(uintptr_t)&mcuprof_trace;
    uint32_t head = (before.ring[2] - (uint32_t)MCUPROFI_RING_BEGIN) / 4u;

    board_print(
            "boot %lu: kept %d, vectors differ in %u words, slots below the "
            "head in %u, above in %u, gate %d\n",
            (unsigned long)before.boot, mcuprof_trace_kept(),
            differences(before.vectors, &early_vectors, VECTOR_WORDS),
            differences(&before.ring[slots], &ring[slots], head),
            differences(&before.ring[slots + head], &ring[slots + head],
                        RING_WORDS - slots - head),
            mcuprof_control.gate != NULL);
}

static void record(void)
{
    mcuprof_trace_release();
    if (mcuprof_trace_start(NULL) != 0) {
        board_exit(2);
    }
    early_work(10);
    board_print("recorded %u\n", (unsigned)records());
}

int main(void)
{
    uint32_t untouched = mcuprof_trace.block.laps | mcuprof_trace.block.head;

    if (before.magic != MAGIC) {
        before.magic = MAGIC;
        before.boot = 0;
        copy(before.vectors, &early_vectors, VECTOR_WORDS);
        board_print("power-on: head and laps %u\n", (unsigned)untouched);
    }
    if (mcuprof_init(&config) != 0) {
        return 1;
    }
    if (before.boot > 0) {
        report();
    }
    if (before.boot == 2) {
        return 0;
    }
    record();
    if (before.boot == 0) {
        mcuprof_freeze();
    }
    reset();
    return 3;
}
