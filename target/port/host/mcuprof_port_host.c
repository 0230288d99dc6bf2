/* SPDX-License-Identifier: MIT */
#include "mcuprof_port_host.h"
#include "mcuprof_internal.h"

#if MCUPROF_ENABLED

struct mcuprof_port_host mcuprof_port_host;

void mcuprof_port_clock_choose(const struct mcuprof_config *config,
                               struct mcuprofi_clock *clock)
{
    (void)config;
    clock->source = mcuprof_port_host.source;
    clock->reason = mcuprof_port_host.reason;
    clock->reg = &mcuprof_port_host.counter;
    clock->mask = clock->source == MCUPROF_CLOCK_NONE ? 0 : 0xFFFFFFFFu;
    clock->flip = 0;
    clock->bits = 32;
    if (clock->source >= MCUPROF_CLOCK_SYSTICK) {
        clock->reg = &mcuprof_port_host.systick_count;
        clock->bits = 24u | MCUPROF_CLOCK_DOWN;
        clock->mask = 0xFFFFFFu;
        clock->flip = 0xFFFFFFu;
    }
}

static void systick_start(uint32_t interval)
{
    mcuprof_port_host.systick_reload = interval - 1u;
    mcuprof_port_host.systick_count = interval - 1u;
    mcuprof_port_host.systick_running = 1;
}

static void systick_stop(void)
{
    mcuprof_port_host.systick_running = 0;
}

const struct mcuprof_timer mcuprof_timer_systick = {
        &mcuprof_port_host.systick_reload,
        0,
        0xFFFFFFu,
        15,
        systick_start,
        systick_stop,
};

const struct mcuprof_timer mcuprof_timer_systick_shared = {
        NULL, 0, 0xFFFFFFu, 15, NULL, NULL,
};

MCUPROF_NO_INSTRUMENT int mcuprof_port_systick_pending(void)
{
    if (mcuprof_port_host.between != NULL) {
        mcuprof_port_host.between();
    }
    int is_pending = mcuprof_port_host.systick_pending;
    if (mcuprof_port_host.between != NULL) {
        mcuprof_port_host.between();
    }
    return is_pending;
}

uint32_t mcuprof_port_systick_reload(void)
{
    return mcuprof_port_host.systick_running ? mcuprof_port_host.systick_reload
                                             : 0;
}

uint32_t mcuprof_port_cpuid(void)
{
    return mcuprof_port_host.cpuid;
}

uint32_t mcuprof_port_vectors(void)
{
    return mcuprof_port_host.code_start;
}

const uint32_t *mcuprof_port_vtor(void)
{
    return mcuprof_port_host.vtor;
}

static void vtor_write(const uint32_t *table)
{
    struct mcuprof_port_host *host = &mcuprof_port_host;
    uintptr_t bits = (uintptr_t)table & host->vtor_bits;
    bits |= (uintptr_t)host->vtor & ~host->vtor_bits;
    host->vtor = (const uint32_t *)bits;
    if (host->vtor_written != NULL) {
        host->vtor_written();
    }
}

int mcuprof_port_vtor_move(const uint32_t *from, const uint32_t *to)
{
    if (mcuprof_port_host.vtor != from) {
        return 0;
    }
    vtor_write(to);
    if (mcuprof_port_host.vtor == to) {
        return 1;
    }
    vtor_write(from);
    return 0;
}

uint32_t mcuprof_port_code_length(uint32_t start)
{
    (void)start;
    return mcuprof_port_host.code_length;
}

uint8_t mcuprof_port_code_byte(uint32_t address)
{
    return mcuprof_port_host.code[address - mcuprof_port_host.code_start];
}

const uint8_t *mcuprof_port_build_id(void)
{
    return mcuprof_port_host.build_id;
}

MCUPROF_NO_INSTRUMENT uint32_t mcuprof_port_fault(void)
{
    return mcuprof_port_host.fault;
}

MCUPROF_NO_INSTRUMENT unsigned mcuprof_port_exception(void)
{
    return mcuprof_port_host.exception;
}

int mcuprof_port_priority(unsigned exception)
{
    if (exception < 4 || exception >= MCUPROF_PORT_HOST_EXCEPTIONS) {
        return -1;
    }
    return mcuprof_port_host.priority[exception];
}

int mcuprof_port_enabled(unsigned exception)
{
    return exception < MCUPROF_PORT_HOST_EXCEPTIONS
           && mcuprof_port_host.enabled[exception];
}

unsigned mcuprof_port_exception_last(void)
{
    return mcuprof_port_host.exception_last != 0
                   ? mcuprof_port_host.exception_last
                   : MCUPROF_PORT_HOST_EXCEPTIONS - 1u;
}

MCUPROF_NO_INSTRUMENT uintptr_t mcuprof_port_stack(void)
{
    return mcuprof_port_host.stack;
}

MCUPROF_NO_INSTRUMENT uintptr_t
mcuprof_port_load_exclusive(const volatile uintptr_t *from)
{
    struct mcuprof_port_host *host = &mcuprof_port_host;
    if (host->between != NULL) {
        host->between();
    }
    uintptr_t value = *from;
    host->is_exclusive = 1;
    if (host->between != NULL) {
        host->between();
    }
    return value;
}

MCUPROF_NO_INSTRUMENT uint32_t
mcuprof_port_store_exclusive(volatile uintptr_t *to, uintptr_t value)
{
    struct mcuprof_port_host *host = &mcuprof_port_host;
    if (host->between != NULL) {
        host->between();
    }
    if (!host->is_exclusive) {
        return 1;
    }
    host->is_exclusive = 0;
    *to = value;
    return 0;
}

#endif
