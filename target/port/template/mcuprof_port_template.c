/* SPDX-License-Identifier: MIT */
/*
 * Where a port begins: every function of mcuprof_port.h with the least that
 * is right. Copy it, and replace what your chip does better.
 */
#include "mcuprof_internal.h"

#if MCUPROF_ENABLED

/*
 * Without a clock, time is the sum of the sampling intervals, and the report
 * says that lateness and missed periods are not known. With one: point `reg`
 * at its register and set flip, mask, bits, source and reason.
 */
void mcuprof_port_clock_choose(const struct mcuprof_config *config,
                               struct mcuprofi_clock *clock)
{
    static const volatile uint32_t none = 0;
    (void)config;
    clock->reg = &none;
    clock->mask = 0;
    clock->flip = 0;
    clock->bits = 0;
    clock->source = MCUPROF_CLOCK_NONE;
    clock->reason = MCUPROF_REASON_NO_CLOCK;
}

/* No timer of ours: the user's mcuprof_config.timer must start one. */
const struct mcuprof_timer mcuprof_timer_systick = {
        NULL, 0, 0xFFFFFFFFu, 0, NULL, NULL,
};

const struct mcuprof_timer mcuprof_timer_systick_shared = {
        NULL, 0, 0xFFFFFFFFu, 0, NULL, NULL,
};

MCUPROF_NO_INSTRUMENT int mcuprof_port_systick_pending(void)
{
    return 0;
}

uint32_t mcuprof_port_systick_reload(void)
{
    return 0;
}

uint32_t mcuprof_port_cpuid(void)
{
    return 0;
}

uint32_t mcuprof_port_vectors(void)
{
    return 0;
}

const uint32_t *mcuprof_port_vtor(void)
{
    return NULL;
}

/* Nothing can be attached: there is no exception, and no table to move. */
int mcuprof_port_vtor_move(const uint32_t *from, const uint32_t *to)
{
    (void)from;
    (void)to;
    return 0;
}

/* 0: the identity is partial, the first 16 KiB from the vectors on. */
uint32_t mcuprof_port_code_length(uint32_t start)
{
    (void)start;
    return 0;
}

uint8_t mcuprof_port_code_byte(uint32_t address)
{
    return *(const volatile uint8_t *)(uintptr_t)address;
}

const uint8_t *mcuprof_port_build_id(void)
{
    return NULL;
}

MCUPROF_NO_INSTRUMENT uint32_t mcuprof_port_fault(void)
{
    return 0;
}

MCUPROF_NO_INSTRUMENT unsigned mcuprof_port_exception(void)
{
    return 0;
}

int mcuprof_port_priority(unsigned exception)
{
    (void)exception;
    return -1;
}

int mcuprof_port_enabled(unsigned exception)
{
    (void)exception;
    return 0;
}

unsigned mcuprof_port_exception_last(void)
{
    return 0;
}

#if !defined(__ARM_ARCH_ISA_THUMB)
/* Where interrupts can come, the two are one section that none interrupts. */
MCUPROF_NO_INSTRUMENT uintptr_t
mcuprof_port_load_exclusive(const volatile uintptr_t *from)
{
    return *from;
}

MCUPROF_NO_INSTRUMENT uint32_t
mcuprof_port_store_exclusive(volatile uintptr_t *to, uintptr_t value)
{
    *to = value;
    return 0;
}

/* The stack pointer, or an address that moves with it. */
MCUPROF_NO_INSTRUMENT uintptr_t mcuprof_port_stack(void)
{
    volatile uint8_t here = 0;
    return (uintptr_t)&here + here;
}
#endif

#endif
