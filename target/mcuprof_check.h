/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_CHECK_H
#define MCUPROF_CHECK_H

/*
 * Refuses a configuration that cannot work, at compile time and in words.
 * Included by every engine.
 */
#include "mcuprof_config.h"
#include "mcuprof_wire.h"

#if MCUPROF_ENABLED != 0 && MCUPROF_ENABLED != 1
#error "MCUPROF_ENABLED must be 0 or 1"
#endif
#if MCUPROF_STREAM != 0 && MCUPROF_STREAM != 1
#error "MCUPROF_STREAM must be 0 or 1"
#endif
#if MCUPROF_HOTSPOTS != 0 && MCUPROF_HOTSPOTS != 1
#error "MCUPROF_HOTSPOTS must be 0 or 1"
#endif
#if MCUPROF_TRACE != 0 && MCUPROF_TRACE != 1
#error "MCUPROF_TRACE must be 0 or 1"
#endif
#if MCUPROF_FUNCTIONS != 0 && MCUPROF_FUNCTIONS != 1
#error "MCUPROF_FUNCTIONS must be 0 or 1"
#endif
#if !MCUPROF_STREAM && !MCUPROF_HOTSPOTS && !MCUPROF_TRACE && !MCUPROF_FUNCTIONS
#error "One of the engines must be 1: STREAM, HOTSPOTS, TRACE, FUNCTIONS"
#endif
#if MCUPROF_FUNCTIONS_SLOTS < 16 || MCUPROF_FUNCTIONS_SLOTS > 4096             \
        || (MCUPROF_FUNCTIONS_SLOTS & (MCUPROF_FUNCTIONS_SLOTS - 1)) != 0
#error "MCUPROF_FUNCTIONS_SLOTS must be a power of two from 16 to 4096"
#endif
#if MCUPROF_FUNCTIONS_CONTEXTS < 1 || MCUPROF_FUNCTIONS_CONTEXTS > 64
#error "MCUPROF_FUNCTIONS_CONTEXTS must be 1 to 64"
#endif
#if MCUPROF_FUNCTIONS_DEPTH < 4 || MCUPROF_FUNCTIONS_DEPTH > 1024
#error "MCUPROF_FUNCTIONS_DEPTH must be 4 to 1024"
#endif
#if MCUPROF_TRACE_RING < 16 || MCUPROF_TRACE_RING > 65536
#error "MCUPROF_TRACE_RING must be 16 to 65536"
#endif
#if MCUPROF_TRACE_KEEP != 0 && MCUPROF_TRACE_KEEP != 1
#error "MCUPROF_TRACE_KEEP must be 0 or 1"
#endif
#if MCUPROF_TRACE_FILTERS < 1 || MCUPROF_TRACE_FILTERS > 32
#error "MCUPROF_TRACE_FILTERS must be 1 to 32"
#endif
#if MCUPROF_HOTSPOT_GRAIN < 16 || MCUPROF_HOTSPOT_GRAIN > 65536                \
        || (MCUPROF_HOTSPOT_GRAIN & (MCUPROF_HOTSPOT_GRAIN - 1)) != 0
#error "MCUPROF_HOTSPOT_GRAIN must be a power of two from 16 to 65536"
#endif
#if MCUPROF_HOTSPOT_HALF_LIFE != 0                                             \
        && (MCUPROF_HOTSPOT_HALF_LIFE < 16                                     \
            || MCUPROF_HOTSPOT_HALF_LIFE > 10000000                            \
            || MCUPROF_HOTSPOT_HALF_LIFE % 16 != 0)
#error "MCUPROF_HOTSPOT_HALF_LIFE must be 0, or a multiple of 16 to 10000000"
#endif
#if MCUPROF_HOTSPOT_VIEW_EVERY < 4 * MCUPROF_HOTSPOT_UNITS                     \
        || MCUPROF_HOTSPOT_VIEW_EVERY > 1000000
#error "MCUPROF_HOTSPOT_VIEW_EVERY: 4 * MCUPROF_HOTSPOT_UNITS to 1000000"
#endif
#if MCUPROF_HOTSPOT_IGNORE < 0 || MCUPROF_HOTSPOT_IGNORE > 16
#error "MCUPROF_HOTSPOT_IGNORE must be 0 to 16"
#endif
#if MCUPROF_VECTORS != 0 && (MCUPROF_VECTORS < 16 || MCUPROF_VECTORS > 512)
#error "MCUPROF_VECTORS must be 0, or 16 to 512"
#endif
#if MCUPROF_HELLO_BYTES < 256
#error "MCUPROF_HELLO_BYTES must be at least 256"
#endif
#if MCUPROF_SAMPLE_RING < 8 || MCUPROF_SAMPLE_RING > 32768                     \
        || (MCUPROF_SAMPLE_RING & (MCUPROF_SAMPLE_RING - 1)) != 0
#error "MCUPROF_SAMPLE_RING must be a power of two from 8 to 32768"
#endif
#if MCUPROF_CONTEXTS < 1 || MCUPROF_CONTEXTS > 255
#error "MCUPROF_CONTEXTS must be 1 to 255"
#endif
#if MCUPROF_CLOCK_PER_TIMER < 1 || MCUPROF_TIMER_PER_CLOCK < 1
#error "MCUPROF_CLOCK_PER_TIMER and MCUPROF_TIMER_PER_CLOCK start at 1"
#endif
#if MCUPROF_CLOCK_PER_TIMER != 1 && MCUPROF_TIMER_PER_CLOCK != 1
#error "One of MCUPROF_CLOCK_PER_TIMER, MCUPROF_TIMER_PER_CLOCK must be 1"
#endif
#if MCUPROF_TIMER_RELOAD < 0 || MCUPROF_TIMER_RELOAD > 2
#error "MCUPROF_TIMER_RELOAD must be 0, 1 or 2"
#endif
#if MCUPROF_PRIORITY < 0 || MCUPROF_PRIORITY > 255
#error "MCUPROF_PRIORITY must be 0 to 255, as in the NVIC register"
#endif
#if MCUPROF_IDENTITY_SLICE < 16
#error "MCUPROF_IDENTITY_SLICE must be at least 16 bytes"
#endif
#if MCUPROF_POLL_FRAMES < 1
#error "MCUPROF_POLL_FRAMES must be at least 1"
#endif

/* A negative array size where a text is too long for its record, or empty. */
typedef char mcuprofi_check_build_at_most_48_bytes
        [(sizeof(MCUPROF_BUILD) <= MCUPROF_BUILD_MAX + 1) ? 1 : -1];
#ifdef MCUPROF_HOTSPOT_IGNORE_IF
typedef char mcuprofi_check_hotspot_ignore_if_names_a_function
        [(sizeof(MCUPROFI_TEXT(MCUPROF_HOTSPOT_IGNORE_IF)) > 1) ? 1 : -1];
#endif

#endif
