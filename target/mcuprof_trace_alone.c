/* SPDX-License-Identifier: MIT */
/*
 * The call ring without a stream (MCUPROF_STREAM 0): poll has nothing to send,
 * and keeps the identity and the time.
 */
#include "mcuprof_ring.h"
#include "mcuprof_stream.h"

#if MCUPROF_ENABLED && !MCUPROF_STREAM && (MCUPROF_TRACE || MCUPROF_FUNCTIONS)

MCUPROF_KEEP uint32_t mcuprofi_stream_now(void)
{
    const struct mcuprofi_clock *clock = &mcuprofi_stream.clock;
    return (*clock->reg ^ clock->flip) & clock->mask;
}

void mcuprofi_trace_alone_init(const struct mcuprof_config *config,
                               const struct mcuprof_timer *timer)
{
    mcuprofi_clear(&mcuprofi_stream, sizeof(mcuprofi_stream));
    mcuprofi_stream_clock(config, timer);
    mcuprofi_stream.last = mcuprofi_stream_now();
    mcuprofi_stream.boot_id =
            config->boot_id != 0 ? config->boot_id : mcuprofi_stream.last;
    mcuprofi_identity_begin(&mcuprofi_stream.identity, mcuprofi_stream.vectors);
    mcuprofi_stream.initialised = 1;
    if (MCUPROF_TRACE) {
        mcuprofi_trace_init();
    }
    if (MCUPROF_FUNCTIONS) {
        mcuprofi_functions_init();
    }
}

void mcuprofi_stream_trace_begins(void)
{
}

int mcuprof_poll(void)
{
    if (!mcuprofi_stream.initialised) {
        return MCUPROF_ESTATE;
    }
    (void)mcuprofi_stream_ticks();
    int more = mcuprofi_identity_step(&mcuprofi_stream.identity,
                                      MCUPROF_IDENTITY_SLICE);
    if (MCUPROF_TRACE) {
        mcuprofi_trace_keep();
    }
    if (MCUPROF_FUNCTIONS) {
        mcuprofi_functions_touch();
    }
    return more;
}

void mcuprof_context_set(unsigned context)
{
    int known = context >= MCUPROF_CONTEXT_TASK_FIRST
                && context <= MCUPROFI_CONTEXT_MAX;
    context = known ? context : MCUPROF_CONTEXT_THREAD;
    if (MCUPROF_TRACE) {
        mcuprofi_trace_switch(context);
    }
    if (MCUPROF_FUNCTIONS) {
        mcuprofi_functions_switch(context);
    }
}

#endif
