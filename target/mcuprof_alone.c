/* SPDX-License-Identifier: MIT */
/*
 * The hot-spot table with nothing else (MCUPROF_STREAM 0): no ring, no clock,
 * no poll. What belongs to the stream does nothing, so that a firmware need not
 * be changed for it. With the call ring, mcuprof_trace_alone.c does some of it.
 */
#include "mcuprof_hotspots.h"
#include "mcuprof_stream.h"

#if MCUPROF_ENABLED && !MCUPROF_STREAM

MCUPROF_VISIBLE struct mcuprofi_alone mcuprofi_alone;

static inline __attribute__((always_inline)) void take_alone(uint32_t pc)
{
    struct mcuprofi_alone *a = &mcuprofi_alone;
    if (a->running) {
        *a->reload = a->base + mcuprofi_random_below(&a->seed, a->span);
        if (MCUPROF_HOTSPOTS) {
            mcuprofi_hotspots_put(pc);
        }
    }
}

/* Must stay in step with the assembly in mcuprof_alone_v7m.c. */
MCUPROF_KEEP void mcuprofi_sample_reference(const uint32_t *frame,
                                            uint32_t exc_return)
{
    uint32_t pc = mcuprofi_foreign_pc(exc_return);
    take_alone(pc != 0 ? pc : frame[MCUPROFI_FRAME_PC]);
}

void mcuprof_sample_put(uint32_t pc, unsigned context)
{
    (void)context;
    take_alone(pc & ~1u);
}

int mcuprofi_init(const struct mcuprof_config *config)
{
    struct mcuprofi_alone *a = &mcuprofi_alone;
    if (a->running) {
        return MCUPROF_ESTATE;
    }
    a->timer = NULL;
    const struct mcuprof_timer *timer;
    int error = mcuprofi_settings(config, &timer, &a->interval);
    if (error != 0) {
        return error;
    }
    a->span = 0;
    a->base = 0;
    a->reload = &a->unused;
    if (timer->reload != NULL) {
        a->span = a->interval;
        a->base = a->interval / 2u - 1u;
        a->reload = timer->reload;
    }
    a->seed = config->boot_id != 0 ? config->boot_id : 0x9E3779B9u;
    a->timer = timer;
    if (MCUPROF_TRACE || MCUPROF_FUNCTIONS) {
        mcuprofi_trace_alone_init(config, timer);
    }
    return 0;
}

int mcuprof_start(void)
{
    struct mcuprofi_alone *a = &mcuprofi_alone;
    if (a->timer == NULL || a->running) {
        return MCUPROF_ESTATE;
    }
    if ((MCUPROF_TRACE || MCUPROF_FUNCTIONS)
        && !mcuprofi_stream_return_clock()) {
        return MCUPROF_ETIMER;
    }
    if (MCUPROF_HOTSPOTS) {
        mcuprofi_hotspots_reset();
    }
    mcuprofi_barrier();
    a->running = 1;
    mcuprofi_barrier();
    if (a->timer->start != NULL) {
        a->timer->start(a->interval);
    }
    return 0;
}

int mcuprof_stop(void)
{
    struct mcuprofi_alone *a = &mcuprofi_alone;
    if (!a->running) {
        return MCUPROF_ESTATE;
    }
    if (a->timer->stop != NULL) {
        a->timer->stop();
    }
    a->running = 0;
    mcuprofi_barrier();
    if (MCUPROF_HOTSPOTS) {
        mcuprofi_hotspots_finish();
    }
    return 0;
}

const struct mcuprof_timer *mcuprofi_timer(void)
{
    return mcuprofi_alone.timer;
}

int mcuprofi_stream_running(void)
{
    return mcuprofi_alone.running != 0;
}

#if !MCUPROF_TRACE && !MCUPROF_FUNCTIONS

int mcuprof_poll(void)
{
    return 0;
}

void mcuprof_context_set(unsigned context)
{
    (void)context;
}

int mcuprof_context_name(unsigned context, const char *name)
{
    (void)context;
    (void)name;
    return 0;
}

#endif

int mcuprof_selftest(uint32_t milliseconds)
{
    (void)milliseconds;
    return 0;
}

#endif
