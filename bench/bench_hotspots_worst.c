/* SPDX-License-Identifier: MIT */

#include "bench.h"
#include "board.h"
#include "mcuprof_hotspots.h"

/*
 * What a sample costs at worst with the table, behind the stream or alone:
 * WORST chooses the way that is counted, between bench_begin() and bench_end(),
 * always the same. TAKE_EMPTY, REPLACE: the block has no unit. FIND: it has one
 * that no hint leads to, the last that is looked at, and the least of its
 * group. With the stream, the ring is full in these. Else one kind of step.
 */
enum worst {
    TAKE_EMPTY,
    REPLACE,
    FIND,
    COPY,
    ROW,
    PUBLISH,
    DECAY
};

enum {
    BLOCKS = 32,
    SAMPLES = 10000
};

MCUPROF_SAMPLE_HANDLER(SysTick_Handler);

size_t bench_write(const uint8_t *data, size_t size);

size_t bench_write(const uint8_t *data, size_t size)
{
    (void)data;
    return size;
}

/* How many samples the table was given. */
static inline __attribute__((always_inline)) uint32_t delivered(void)
{
    const volatile struct mcuprofi_hotspots *h = &mcuprofi_hotspots;

    return h->samples + h->wait - h->countdown;
}

/* A block of its own for each, in which it waits for the next sample. */
#define SPIN(n)                                                                \
    __attribute__((noinline, aligned(MCUPROF_HOTSPOT_GRAIN))) static void      \
            spin_##n(uint32_t before)                                          \
    {                                                                          \
        while (delivered() == before) {                                        \
            __asm__ volatile("nop @ " #n); /* no two are folded into one */    \
        }                                                                      \
    }

#define EIGHT(X, n)                                                            \
    X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7)
#define ALL(X) EIGHT(X, 0) EIGHT(X, 1) EIGHT(X, 2) EIGHT(X, 3)

ALL(SPIN)

#define POINTER(n) spin_##n,

static void (*const spins[BLOCKS])(uint32_t before) = {ALL(POINTER)};

static int has_unit(uint32_t block)
{
    for (unsigned i = 0; i < MCUPROF_HOTSPOT_UNITS; i++) {
        if (mcuprofi_hotspots.tag[i] == block) {
            return 1;
        }
    }
    return 0;
}

static int has_empty_unit(void)
{
    for (unsigned i = 0; i < MCUPROF_HOTSPOT_UNITS; i++) {
        if (mcuprof_hotspots[i].weight == 0) {
            return 1;
        }
    }
    return 0;
}

/* Whether the next sample is of the kind that is counted. */
static int is_chosen(void)
{
    const struct mcuprofi_hotspots *h = &mcuprofi_hotspots;
    uint32_t grown = h->weight + h->weight / 32u;
    int decays = h->countdown == 1 && h->decay_in == h->wait;
    int views = h->countdown == 1 && h->view_in == h->wait;

    switch (WORST) {
    case TAKE_EMPTY:
        return h->countdown > 1 && has_empty_unit();
    case REPLACE:
    case FIND:
        return h->countdown > 1 && !has_empty_unit();
    case DECAY:
        return decays && !views && grown >= MCUPROFI_HOTSPOT_DOUBLED;
    case COPY:
        return views && !decays && h->step == 0;
    case ROW:
        return views && !decays && h->step == 1;
    default:
        return views && !decays && h->step > MCUPROF_HOTSPOT_UNITS;
    }
}

/*
 * The first row is the dearest: it is chosen from all units. Rising weights
 * make each a new hottest, and all bits of the shares ones.
 */
static void make_rows_worst(void)
{
    struct mcuprofi_hotspots *h = &mcuprofi_hotspots;

    h->sum = 1u << 24;
    for (unsigned i = 0; i < MCUPROF_HOTSPOT_UNITS; i++) {
        h->rows[i].weight = i + 1;
        h->rows[i].error = i;
    }
    h->rows[MCUPROF_HOTSPOT_UNITS - 1].weight = (1u << 24) - 1;
    h->rows[MCUPROF_HOTSPOT_UNITS - 1].error = (1u << 24) - 2;
}

/* The block's unit is the last to be looked at, and the least of its group. */
static void make_found_last(uint32_t block)
{
    struct mcuprofi_hotspots *h = &mcuprofi_hotspots;
    unsigned last = MCUPROF_STREAM ? MCUPROF_HOTSPOT_UNITS - 1 : 3;
    struct mcuprofi_hotspot_group *group = &h->groups[last / 4];

    h->tag[last] = block;
    h->hint[block % MCUPROFI_HOTSPOT_HINTS] = (uint8_t)(last ^ 1u);
    mcuprof_hotspots[last].weight = 1;
    mcuprof_hotspots[last].error = 0;
    group->min = 1;
    group->least = last;
}

#if MCUPROF_STREAM
/* Not late enough for the slow way, but the ring has no room. */
static void make_ring_full(void)
{
    struct mcuprofi_sampler *s = &mcuprofi_sampler;

    s->threshold = s->ceiling;
    s->tail = (s->head + 1u) & MCUPROFI_RING_MASK;
}
#else
static void make_ring_full(void)
{
}
#endif

static void make_worst(uint32_t block)
{
    if (WORST == ROW) {
        make_rows_worst();
    }
    if (WORST == FIND) {
        make_found_last(block);
    }
    make_ring_full();
}

#ifdef BOARD_COUNTER
#define CLOCK ((const volatile uint32_t *)BOARD_COUNTER)
#else
#define CLOCK NULL
#endif

static const struct mcuprof_config config = {
        .write = bench_write,
        .core_hz = BOARD_CLOCK_HZ,
        .rate_hz = 10000,
        .clock = CLOCK,
};

static void let_pass(void)
{
    uint32_t before = delivered();

    while (delivered() == before) {
    }
}

/* Lets one sample fall into `spin`. returns: whether it was counted */
static unsigned sample(void (*spin)(uint32_t before))
{
    uint32_t block = (uint32_t)(uintptr_t)spin / MCUPROF_HOTSPOT_GRAIN;
    uint32_t before;
    unsigned chosen;

    /* Just behind a sample, so that the next is not pending already. */
    let_pass();
    board_irqs_off();
    if (WORST == TAKE_EMPTY && !has_empty_unit()) {
        mcuprofi_hotspots_reset();
    }
    chosen = !has_unit(block) && is_chosen();
    before = delivered();
    if (chosen) {
        make_worst(block);
        bench_begin();
    }
    board_irqs_on();
    spin(before);
    if (chosen) {
        bench_end();
    }
    return chosen;
}

int main(void)
{
    unsigned counted = 0;

    if (mcuprof_init(&config) < 0 || mcuprof_start() < 0) {
        return 1;
    }
    for (unsigned i = 0; i < SAMPLES; i++) {
        counted += sample(spins[i % BLOCKS]);
        if (i % 3 == 0) {
            let_pass(); /* else each step were at an odd sample, or an even */
        }
        while (mcuprof_poll() > 0) {
        }
    }
    mcuprof_stop();
    board_print("counted %u of %u\n", counted, (unsigned)SAMPLES);
    return counted > 0 ? 0 : 1;
}
