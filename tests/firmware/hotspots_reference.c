/* SPDX-License-Identifier: MIT */
/*
 * The hot-spot table in assembly, behind the sampler or alone, against its C
 * reference: from the same state and frame, both must leave the same units,
 * hints, least ones of groups, countdown, view and timer, over addresses that
 * hit, miss and replace.
 */
#include <string.h>

#include "board.h"
#include "mcuprof_hotspots.h"

#define ROUNDS 24000u

#if MCUPROF_STREAM
#define SAMPLER mcuprofi_sampler
#else
#define SAMPLER mcuprofi_alone
#endif

struct table_state {
    struct SAMPLER sampler;
    struct mcuprofi_hotspots hotspots;
    struct mcuprof_hotspot units[MCUPROF_HOTSPOT_UNITS];
    struct mcuprof_hotspots_view view;
    uint32_t reload;
};

static struct table_state before;
static struct table_state expected;
static struct table_state found;
static volatile uint32_t fake_reload;
static uint32_t random_state = 1;

static uint32_t next_random(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return random_state ^ random_state >> 16;
}

/*
 * Some thousand samples each: of few blocks, of as many as there are units, of
 * more, of any at all; with the ends of the address space among them.
 */
static uint32_t next_pc(unsigned round)
{
    static const uint32_t blocks[4] = {3, MCUPROF_HOTSPOT_UNITS,
                                       2 * MCUPROF_HOTSPOT_UNITS + 1,
                                       0xFFFFFFFF};
    uint32_t random = next_random();
    uint32_t block = next_random() % blocks[round / 1500u % 4u];
    if (random % 64u == 0) {
        return random % 128u == 0 ? 0 : 0xFFFFFFF0u;
    }
    return block * MCUPROF_HOTSPOT_GRAIN + random % 4u * 2u;
}

static void save(struct table_state *to)
{
    to->sampler = SAMPLER;
    to->hotspots = mcuprofi_hotspots;
    memcpy(to->units, mcuprof_hotspots, sizeof(to->units));
    to->view = mcuprof_hotspots_view;
    to->reload = fake_reload;
}

static void restore(const struct table_state *from)
{
    SAMPLER = from->sampler;
    mcuprofi_hotspots = from->hotspots;
    memcpy(mcuprof_hotspots, from->units, sizeof(from->units));
    mcuprof_hotspots_view = from->view;
    fake_reload = from->reload;
}

#if MCUPROF_STREAM
static volatile uint32_t fake_clock;

/* On time, or so late that the slow path is taken, or not running at all. */
static void begin(void)
{
    struct mcuprofi_sampler *s = &mcuprofi_sampler;
    mcuprofi_clock_set(s, &fake_clock);
    s->reload = &fake_reload;
    s->deadline = next_random();
    s->interval = 2500;
    s->period = 2500;
    s->base = 1250;
    s->span = 2500;
    s->seed = next_random() | 1u;
    s->mask = 0xFFFFFFFFu;
    s->ceiling = s->base;
    s->threshold = 50;
    s->running = next_random() % 16u != 0;
    s->tail = next_random() & MCUPROFI_RING_MASK;
    fake_clock = s->deadline + next_random() % 60u;
}
#else
/* Running or not. */
static void begin(void)
{
    struct mcuprofi_alone *a = &mcuprofi_alone;
    a->running = next_random() % 16u != 0;
    a->seed = next_random() | 1u;
    a->span = next_random();
    a->base = next_random();
    a->reload = &fake_reload;
}
#endif

static unsigned differences(void)
{
    static uint32_t frame[8];
    unsigned wrong = 0;
    frame[MCUPROFI_FRAME_XPSR] = 0x01000000u;
    mcuprofi_hotspots_reset();
    for (unsigned i = 0; i < ROUNDS; i++) {
        frame[MCUPROFI_FRAME_PC] = next_pc(i);
        begin();
        save(&before);
        mcuprofi_sample_reference(frame, 0xFFFFFFF9u);
        save(&expected);
        restore(&before);
        mcuprofi_sample(frame, 0xFFFFFFF9u);
        save(&found);
        wrong += memcmp(&expected, &found, sizeof(expected)) != 0;
    }
    return wrong;
}

int main(void)
{
    unsigned wrong = differences();
    board_print("%u of %u differ, %u views\n", wrong, ROUNDS,
                (unsigned)(mcuprof_hotspots_view.sequence / 2u));
    return wrong == 0 && mcuprof_hotspots_view.sequence != 0 ? 0 : 1;
}
