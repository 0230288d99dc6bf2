/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_PORT_H
#define MCUPROF_PORT_H

/*
 * What a port supplies. port/cortexm serves every Cortex-M, port/host the unit
 * tests; port/template is where a new one begins.
 */
#include <stdint.h>

#include "mcuprof.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A free-running counter. Time is (*reg ^ flip) & mask, which counts up
 * modulo mask + 1 whatever the register does. Where there is none, mask is 0.
 */
struct mcuprofi_clock {
    const volatile uint32_t *reg;
    uint32_t flip;
    uint32_t mask;
    uint32_t hz;
    uint8_t source; /* MCUPROF_CLOCK_... */
    uint8_t reason; /* MCUPROF_REASON_... */
    uint8_t bits;   /* as in HELLO */
    /* Set by the stream: 32 bits up; no register, the sampler adds up. */
    uint8_t is_plain;
    uint8_t adds_up;
};

/*
 * Chooses the clock for a configuration without one of its own: the cycle
 * counter if it advances, else SysTick, free-running if nobody uses it. Sets
 * MCUPROF_CLOCK_NONE, and why, where there is none.
 */
void mcuprof_port_clock_choose(const struct mcuprof_config *config,
                               struct mcuprofi_clock *clock);

/* CPUID of the core, 0 if there is none. */
uint32_t mcuprof_port_cpuid(void);

/*
 * Address of the vector table that the image was linked with, as it was before
 * mcuprof_sample_attach().
 */
uint32_t mcuprof_port_vectors(void);

/* The vector table in use. */
const uint32_t *mcuprof_port_vtor(void);

/*
 * Moves the vector table from one address to another, unless it is not at
 * `from`. No exception of configurable priority is taken in between.
 *
 * returns: 1 if it is at `to` now; else 0, and nothing has changed
 */
int mcuprof_port_vtor_move(const uint32_t *from, const uint32_t *to);

/*
 * The code range that identifies the firmware, from the boot vector table
 * `start` on.
 *
 * returns: its length in bytes, 0 if the image's end is not known
 */
uint32_t mcuprof_port_code_length(uint32_t start);

/* One byte of code at a physical address. */
uint8_t mcuprof_port_code_byte(uint32_t address);

/* GNU build-id note of this image, NULL without one. */
const uint8_t *mcuprof_port_build_id(void);

/* The register that says what faulted (CFSR); 0 without one. */
uint32_t mcuprof_port_fault(void);

/* Number of the exception that runs, 0 in thread mode. */
unsigned mcuprof_port_exception(void);

/* Priority register of an exception; negative for the fixed ones. */
int mcuprof_port_priority(unsigned exception);

/* Whether an exception can occur: enabled in the NVIC or SysTick. */
int mcuprof_port_enabled(unsigned exception);

/* Greatest exception number of this core. */
unsigned mcuprof_port_exception_last(void);

/* Whether SysTick has wrapped and its interrupt has not run yet. */
int mcuprof_port_systick_pending(void);

/* SysTick's reload value; 0 while it does not run on the core clock. */
uint32_t mcuprof_port_systick_reload(void);

#if !defined(__ARM_ARCH_ISA_THUMB)
/*
 * The call ring on other cores: loads a word, and stores one unless there was
 * an interrupt since.
 *
 * returns: of the store 0 if it was done
 */
uintptr_t mcuprof_port_load_exclusive(const volatile uintptr_t *from);
uint32_t mcuprof_port_store_exclusive(volatile uintptr_t *to, uintptr_t value);

/* The stack pointer, the same number of bytes below that of who calls a hook.
 */
uintptr_t mcuprof_port_stack(void);
#endif

#ifdef __cplusplus
}
#endif

#endif
