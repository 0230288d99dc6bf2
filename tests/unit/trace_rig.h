/* SPDX-License-Identifier: MIT */
#ifndef TRACE_RIG_H
#define TRACE_RIG_H

/*
 * The call ring on the host port, calm: functions are numbers, the clock goes
 * on by ten at each hook, and what was recorded is looked at in the ring.
 */

/* cmocka needs these first, in this order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "mcuprof_port_host.h"
#include "mcuprof_ring.h"
#include "mcuprof_stream.h"

#if MCUPROF_STREAM
#include "decode.h"
#include "frame.h"
#endif

#define RECORDS MCUPROF_TRACE_RING
#define HZ 1000000u

static uint8_t line[1u << 20];
static size_t line_size;

static inline size_t line_write(const uint8_t *data, size_t size)
{
    assert_true(line_size + size <= sizeof(line));
    memcpy(line + line_size, data, size);
    line_size += size;
    return size;
}

static uint8_t code[64];
static uint32_t boot_counter; /* what the clock says at a boot */

/* As after power-on: of memory that no reset clears, nothing is left. */
static inline void boot(int is_cold)
{
    struct mcuprof_config config = {0};
    if (is_cold) {
        memset(&mcuprof_trace, 0xA5, sizeof(mcuprof_trace));
    }
    memset(&mcuprof_port_host, 0, sizeof(mcuprof_port_host));
    mcuprof_port_host.source = MCUPROF_CLOCK_DWT;
    mcuprof_port_host.counter = boot_counter;
    mcuprof_port_host.code = code;
    mcuprof_port_host.code_start = 0x08000000u;
    mcuprof_port_host.code_length = sizeof(code);
    config.write = line_write;
    config.core_hz = HZ;
    config.boot_id = is_cold ? 1111 : 2222;
    (void)mcuprof_trace_stop();
    while (mcuprof_poll() > 0) {
    }
    line_size = 0;
    assert_int_equal(mcuprof_init(&config), 0);
}

/* Functions are numbers; the clock goes on by ten each time. */
static inline void enter(uint32_t function)
{
    mcuprof_port_host.counter += 10;
    __cyg_profile_func_enter((void *)(uintptr_t)function, NULL);
}

static inline void leave(uint32_t function)
{
    mcuprof_port_host.counter += 10;
    __cyg_profile_func_exit((void *)(uintptr_t)function, NULL);
}

static inline void call(uint32_t function)
{
    enter(function);
    leave(function);
}

static inline uint32_t made(void)
{
    return (uint32_t)(mcuprof_trace.block.laps * RECORDS
                      + (mcuprof_trace.block.head - MCUPROFI_RING_BEGIN) / 8u);
}

/* Word of the record that was made `ago` records before the next one. */
static inline uint32_t word_ago(uint32_t ago)
{
    return mcuprof_trace.slots[(made() - ago) % RECORDS].word;
}

static inline uint32_t value_ago(uint32_t ago)
{
    assert_int_equal(word_ago(ago), 0xF1000000u);
    return mcuprof_trace.slots[(made() - ago) % RECORDS].time;
}

/* What a dump says of the rate that holds now. */
static inline uint32_t hello_hz(void)
{
    const uint8_t *p = mcuprof_trace.block.hello + 16;
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16
           | (uint32_t)p[3] << 24;
}

/* How often a function was entered, in what the ring holds. */
static inline unsigned entered(uint32_t function)
{
    unsigned count = 0;
    uint32_t all = made() < RECORDS ? made() : RECORDS;
    for (uint32_t i = 1; i <= all; i++) {
        count += word_ago(i) == (function | 1u);
    }
    return count;
}

static inline void start(const struct mcuprof_trace_config *config)
{
    boot(1);
    assert_int_equal(mcuprof_trace_start(config), 0);
}

#endif
