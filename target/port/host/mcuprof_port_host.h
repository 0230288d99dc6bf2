/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_PORT_HOST_H
#define MCUPROF_PORT_HOST_H

/*
 * A port that is all variables, so that a test on the desk can play the
 * hardware: it advances the counter and calls the interrupt.
 */
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MCUPROF_PORT_HOST_EXCEPTIONS 64

struct mcuprof_port_host {
    /* What the chosen clock register shows. */
    volatile uint32_t counter;
    /* Source and reason that clock_choose reports; NONE for no clock. */
    uint8_t source;
    uint8_t reason;
    /* SysTick: reload register, count, pending flag, started or not. */
    volatile uint32_t systick_reload;
    volatile uint32_t systick_count;
    int systick_pending;
    int systick_running;
    /* The code that identifies the image, and where it says it lies. */
    const uint8_t *code;
    uint32_t code_start;
    uint32_t code_length;
    const uint8_t *build_id;
    uint32_t cpuid;
    uint32_t fault; /* CFSR */
    unsigned exception;
    unsigned exception_last; /* 0: of the arrays below */
    /*
     * VTOR, the bits of it that a write changes (none: there is no VTOR), and
     * what a test does at the moment after a write.
     */
    const uint32_t *vtor;
    uintptr_t vtor_bits;
    void (*vtor_written)(void);
    /*
     * Exclusive access: whether the monitor holds, and what a test does before
     * it and in the middle of it, and of reading SysTick (an interrupt: it lets
     * go of the monitor).
     */
    int is_exclusive;
    void (*between)(void);
    uintptr_t stack; /* the stack pointer of who calls a hook */
    int priority[MCUPROF_PORT_HOST_EXCEPTIONS];
    uint8_t enabled[MCUPROF_PORT_HOST_EXCEPTIONS];
};

extern struct mcuprof_port_host mcuprof_port_host;

#ifdef __cplusplus
}
#endif

#endif
