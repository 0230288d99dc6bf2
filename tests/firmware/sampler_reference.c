/* SPDX-License-Identifier: MIT */
/*
 * The sampler in assembly against its C reference: from the same state and
 * frame, both must leave the same state, over random clocks, frames, ring
 * positions, seeds, tasks and thresholds, the slow path included.
 */
#include <string.h>

#include "board.h"
#include "mcuprof_internal.h"

#define ROUNDS 20000u

static uint32_t random_state = 1;

static uint32_t next_random(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return random_state ^ random_state >> 16;
}

static volatile uint32_t fake_clock;
static volatile uint32_t fake_reload;

/* Mostly on time, sometimes late by periods, early, or wide of all. */
static uint32_t random_clock(uint32_t deadline)
{
    switch (next_random() % 8u) {
    case 0:
        return deadline + next_random() % 100000u;
    case 1:
        return deadline - next_random() % 100u;
    case 2:
        return next_random();
    default:
        return deadline + next_random() % 40u;
    }
}

static void random_state_of(struct mcuprofi_sampler *s)
{
    mcuprofi_clock_set(s, &fake_clock);
    s->deadline = next_random();
    s->period = 2500;
    s->base = 1250;
    s->span = next_random() % 8u != 0 ? 2500 : 0;
    s->interval = s->base + next_random() % 2500u;
    s->threshold = next_random() % 2u != 0 ? 50u : 0;
    s->seed = next_random() | 1u;
    s->reload = &fake_reload;
    s->shift = next_random() % 3u;
    s->head = next_random() & MCUPROFI_RING_MASK;
    s->tail = (s->head + next_random() % 3u) & MCUPROFI_RING_MASK;
    s->task = next_random() % 2u != 0 ? 512u + next_random() % 9u : 0;
    s->lost = next_random();
    s->missed = next_random();
    s->longest = next_random() % 60u;
    s->longest_pc = next_random() & ~1u;
    s->flip = 0;
    s->mask = 0xFFFFFFFFu;
    s->ceiling = next_random() % 4u != 0 ? s->base : 0;
    s->exception = 15;
    s->running = next_random() % 8u != 0;
    s->adds_up = 0;
    fake_clock = random_clock(s->deadline);
    fake_reload = 0;
}

static unsigned differences(void)
{
    static struct mcuprofi_sampler before;
    static struct mcuprofi_sampler expected;
    static uint32_t frame[8];
    unsigned wrong = 0;
    for (unsigned i = 0; i < ROUNDS; i++) {
        frame[MCUPROFI_FRAME_PC] = next_random() & ~1u;
        frame[MCUPROFI_FRAME_XPSR] =
                next_random() % 2u != 0 ? 0x01000000u : next_random();
        random_state_of(&mcuprofi_sampler);
        before = mcuprofi_sampler;
        mcuprofi_sample_reference(frame, 0xFFFFFFF9u);
        expected = mcuprofi_sampler;
        uint32_t expected_reload = fake_reload;

        mcuprofi_sampler = before;
        fake_reload = 0;
        mcuprofi_sample(frame, 0xFFFFFFF9u);
        wrong += memcmp(&expected, &mcuprofi_sampler, sizeof(expected)) != 0
                 || expected_reload != fake_reload;
    }
    return wrong;
}

int main(void)
{
    unsigned wrong = differences();
    board_print("%u of %u differ\n", wrong, ROUNDS);
    return wrong == 0 ? 0 : 1;
}
