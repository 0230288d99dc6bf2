/* SPDX-License-Identifier: MIT */
/*
 * The hot-spot table's view, made by the sampling interrupt a step a sample:
 * all units are copied at one moment, then sorted a row each, then shown.
 */
#include "mcuprof_hotspots.h"

#if MCUPROF_ENABLED && MCUPROF_HOTSPOTS

MCUPROF_VISIBLE struct mcuprof_hotspots_view mcuprof_hotspots_view;

/* All units at one moment. */
static void mcuprofi_view_copy(struct mcuprofi_hotspots *h)
{
    h->sum = 0;
    for (unsigned i = 0; i < MCUPROF_HOTSPOT_UNITS; i++) {
        h->rows[i].pc = (uint32_t)(uintptr_t)mcuprof_hotspots[i].pc;
        h->rows[i].weight = mcuprof_hotspots[i].weight;
        h->rows[i].error = mcuprof_hotspots[i].error;
        h->sum += mcuprof_hotspots[i].weight;
    }
    h->view_samples = h->samples - h->ignored;
    h->view_ignored = h->ignored;
}

/*
 * part / sum in 1/1024, rounded down, a bit at a time: no division, which some
 * cores do not have.
 *
 * part: at most `sum`, which is below 2^31
 */
static uint32_t mcuprofi_share_of(uint32_t part, uint32_t sum)
{
    /* The leading one has gone eleven steps when it is at 2048. */
    uint32_t share = 1;
    if (part < sum / 1024u) {
        return 0;
    }
    do {
        share *= 2u;
        if (part >= sum) {
            part -= sum;
            share++;
        }
        part *= 2u;
    } while (share < 2048u);
    return share - 2048u;
}

/*
 * The hottest of what is left becomes row `next`. Its bound leads to what is
 * certain. A unit that has all is certain, however it was rounded when halved.
 *
 * returns: 0 if none is left
 */
static int mcuprofi_view_row(struct mcuprofi_hotspots *h, unsigned next)
{
    struct mcuprofi_hotspot_row *row = &h->rows[next];
    struct mcuprofi_hotspot_row *hottest = row;
    for (unsigned i = next + 1u; i < MCUPROF_HOTSPOT_UNITS; i++) {
        if (h->rows[i].weight > hottest->weight) {
            hottest = &h->rows[i];
        }
    }
    if (hottest->weight == 0) {
        return 0;
    }
    struct mcuprofi_hotspot_row chosen = *hottest;
    *hottest = *row;
    row->pc = chosen.pc;
    row->weight = mcuprofi_share_of(chosen.weight, h->sum);
    row->error = 0;
    if (chosen.weight != h->sum) {
        uint32_t certain = chosen.weight - chosen.error;
        row->error = row->weight - mcuprofi_share_of(certain, h->sum);
    }
    return 1;
}

static void mcuprofi_view_publish(struct mcuprofi_hotspots *h, unsigned used)
{
    struct mcuprof_hotspots_view *view = &mcuprof_hotspots_view;
    view->sequence++;
    mcuprofi_barrier();
    view->samples = h->view_samples;
    view->ignored = h->view_ignored;
    for (unsigned i = 0; i < MCUPROF_HOTSPOT_UNITS; i++) {
        view->units[i].pc = (void (*)(void))(uintptr_t)h->rows[i].pc;
        view->units[i].ratio = (uint16_t)h->rows[i].weight;
        view->units[i].bound = (uint16_t)h->rows[i].error;
    }
    h->used = used;
    mcuprofi_barrier();
    view->sequence++;
}

uint32_t mcuprofi_hotspots_view_step(void)
{
    struct mcuprofi_hotspots *h = &mcuprofi_hotspots;
    unsigned step = h->step;
    if (step == 0) {
        mcuprofi_view_copy(h);
    } else if (step > MCUPROF_HOTSPOT_UNITS
               || !mcuprofi_view_row(h, step - 1u)) {
        mcuprofi_view_publish(h, step - 1u);
        h->step = 0;
        return MCUPROF_HOTSPOT_VIEW_EVERY - step;
    }
    h->step = step + 1u;
    return 1;
}

void mcuprofi_hotspots_finish(void)
{
    struct mcuprofi_hotspots *h = &mcuprofi_hotspots;
    h->samples += h->wait - h->countdown;
    h->wait = h->countdown;
    h->step = 0;
    do {
        (void)mcuprofi_hotspots_view_step();
    } while (h->step != 0);
}

void mcuprofi_hotspots_reset(void)
{
    struct mcuprofi_hotspots *h = &mcuprofi_hotspots;
    mcuprofi_clear(mcuprof_hotspots, sizeof(mcuprof_hotspots));
    mcuprofi_clear(h, sizeof(*h));
    mcuprofi_clear(&mcuprof_hotspots_view, sizeof(mcuprof_hotspots_view));
    for (unsigned i = 0; i < MCUPROF_HOTSPOT_UNITS; i++) {
        h->tag[i] = MCUPROFI_HOTSPOT_NO_BLOCK;
        mcuprofi_barrier(); /* as in mcuprofi_clear() */
    }
    for (unsigned i = 0; i < MCUPROFI_HOTSPOT_GROUPS; i++) {
        h->groups[i].least = i * MCUPROFI_HOTSPOT_GROUP;
    }
    h->weight = MCUPROFI_HOTSPOT_BASE;
    h->decay_in = MCUPROFI_HOTSPOT_STEP;
    h->view_in = MCUPROF_HOTSPOT_VIEW_EVERY;
    h->wait = h->decay_in < h->view_in ? h->decay_in : h->view_in;
    h->countdown = h->wait;
}

#endif
