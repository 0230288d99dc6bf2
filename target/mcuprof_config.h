/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_CONFIG_H
#define MCUPROF_CONFIG_H

/*
 * Every knob of the library with its default. Set one on the compiler's
 * command line, or name a header of yours in MCUPROF_CONFIG_FILE:
 * -DMCUPROF_CONFIG_FILE='"my_mcuprof.h"'. All files must see the same values.
 */
#ifdef MCUPROF_CONFIG_FILE
#include MCUPROF_CONFIG_FILE
#endif

/*
 * 0 leaves nothing in the image: calls vanish and succeed, handlers keep their
 * body, and what is to be read in RAM (the table, a transport's block) is not
 * declared. Files with 1 do not link with a library of 0; a file with 0 does
 * link with a library of 1, but what it calls is not done: if it is the one
 * that calls mcuprof_init(), nothing is sampled.
 */
#ifndef MCUPROF_ENABLED
#define MCUPROF_ENABLED 1
#endif

/*
 * 1: samples go through a ring into a stream for the host, which needs
 * mcuprof_poll() and a write function. Without it the hot-spot table is all
 * there is, and needs neither.
 */
#ifndef MCUPROF_STREAM
#define MCUPROF_STREAM 1
#endif

/* 1: the hot-spot table, kept by the sampling interrupt itself. */
#ifndef MCUPROF_HOTSPOTS
#define MCUPROF_HOTSPOTS (!MCUPROF_STREAM)
#endif

/*
 * Units of the hot-spot table: a multiple of four from 4 to 64, as a plain
 * decimal number: it goes into assembly and into a symbol.
 */
#ifndef MCUPROF_HOTSPOT_UNITS
#define MCUPROF_HOTSPOT_UNITS 16
#endif

/*
 * Bytes of code that count as one block of the hot-spot table, a power of two
 * from 16 to 65536.
 */
#ifndef MCUPROF_HOTSPOT_GRAIN
#define MCUPROF_HOTSPOT_GRAIN 256
#endif

/*
 * Samples after which an old hit weighs half of a new one: a multiple of 16
 * from 16 to 10,000,000. 0: nothing is forgotten (but that all weights are
 * halved each 2^29 samples).
 */
#ifndef MCUPROF_HOTSPOT_HALF_LIFE
#define MCUPROF_HOTSPOT_HALF_LIFE 8192
#endif

/*
 * Samples between two moments of mcuprof_hotspots_view, at least four for
 * each unit.
 */
#ifndef MCUPROF_HOTSPOT_VIEW_EVERY
#define MCUPROF_HOTSPOT_VIEW_EVERY 1024
#endif

/* Address ranges that mcuprof_hotspots_ignore() can take, up to 16. */
#ifndef MCUPROF_HOTSPOT_IGNORE
#define MCUPROF_HOTSPOT_IGNORE 0
#endif

/*
 * MCUPROF_HOTSPOT_IGNORE_IF: the name of a function `int f(uint32_t pc)` of
 * yours, asked in the sampling interrupt for every sample: not 0 keeps it out
 * of the hot-spot table. Without one nothing is asked.
 */

/*
 * Entries of the vector table in RAM that mcuprof_sample_attach() needs: 16,
 * and one for each interrupt of the chip, these rounded up to a multiple of 32
 * (48 in all on ARMv6-M); up to 512, 4 bytes each. 0: nothing can be attached.
 */
#ifndef MCUPROF_VECTORS
#define MCUPROF_VECTORS 0
#endif

/*
 * A HELLO is sent at least every so many bytes of samples. A buffer that keeps
 * only the end of a stream must hold one.
 */
#ifndef MCUPROF_HELLO_BYTES
#define MCUPROF_HELLO_BYTES 8192
#endif

/*
 * 1: the call ring, filled by the hooks of -finstrument-functions
 * (mcuprof_trace.h).
 */
#ifndef MCUPROF_TRACE
#define MCUPROF_TRACE 0
#endif

/* Records of 8 bytes in the call ring, from 16 to 65536. */
#ifndef MCUPROF_TRACE_RING
#define MCUPROF_TRACE_RING 1024
#endif

/*
 * 1: the call ring survives a reset. It lies in MCUPROF_TRACE_SECTION, which
 * the linker script must leave alone at startup (NOLOAD).
 */
#ifndef MCUPROF_TRACE_KEEP
#define MCUPROF_TRACE_KEEP 0
#endif

/* Where the call ring lies if it survives a reset. */
#ifndef MCUPROF_TRACE_SECTION
#define MCUPROF_TRACE_SECTION ".noinit"
#endif

/* Address ranges, and contexts, that the call ring can be restricted to. */
#ifndef MCUPROF_TRACE_FILTERS
#define MCUPROF_TRACE_FILTERS 4
#endif

/*
 * MCUPROF_CONTEXT_ID: for kernels without a hook at a task switch: a macro
 * MCUPROF_CONTEXT_ID() whose value, 512 and up, says which task runs. Evaluated
 * in every event of thread mode, so what it calls must have no hooks; without
 * one mcuprof_context_set() is what counts.
 */

/*
 * 1: the function table, kept by the hooks of -finstrument-functions
 * (mcuprof_functions.h). Beside the call ring or alone.
 */
#ifndef MCUPROF_FUNCTIONS
#define MCUPROF_FUNCTIONS 0
#endif

/*
 * Slots of the function table, one for each function and context: a power of
 * two from 16 to 4096, 80 bytes of RAM each, 48 of them of the snapshot. Two
 * thirds full it is as fast as empty.
 */
#ifndef MCUPROF_FUNCTIONS_SLOTS
#define MCUPROF_FUNCTIONS_SLOTS 64
#endif

/* Contexts that the function table tells apart, from 1 to 64. */
#ifndef MCUPROF_FUNCTIONS_CONTEXTS
#define MCUPROF_FUNCTIONS_CONTEXTS 8
#endif

/* Calls that can be open in each of them, from 4 to 1024. */
#ifndef MCUPROF_FUNCTIONS_DEPTH
#define MCUPROF_FUNCTIONS_DEPTH 32
#endif

/* 1: hooks in assembly where there is one for the core, 0: in C. */
#ifndef MCUPROF_HOOKS_ASM
#define MCUPROF_HOOKS_ASM 1
#endif

/*
 * Length of the sample ring in records of 8 bytes, a power of two from 8 to
 * 32768. It must bridge the longest time between two calls of mcuprof_poll().
 */
#ifndef MCUPROF_SAMPLE_RING
#define MCUPROF_SAMPLE_RING 256
#endif

/* How many contexts can have a name (8 bytes of RAM each). */
#ifndef MCUPROF_CONTEXTS
#define MCUPROF_CONTEXTS 16
#endif

/*
 * Clock ticks to one tick of the sampling timer, or timer ticks to one tick
 * of the clock, where the two are not equally fast. At least one of them is 1.
 */
#ifndef MCUPROF_CLOCK_PER_TIMER
#define MCUPROF_CLOCK_PER_TIMER 1
#endif
#ifndef MCUPROF_TIMER_PER_CLOCK
#define MCUPROF_TIMER_PER_CLOCK 1
#endif

/*
 * When a write to the sampling timer's reload register takes effect.
 * 0: at the next wrap (SysTick, STM32 TIM with ARPE set);
 * 1: on the interval that already runs (STM32 TIM with ARPE clear);
 * 2: it restarts the timer (Arm CMSDK timer).
 */
#ifndef MCUPROF_TIMER_RELOAD
#define MCUPROF_TIMER_RELOAD 0
#endif

/* Exception priority that our own SysTick gets: 0, the highest. */
#ifndef MCUPROF_PRIORITY
#define MCUPROF_PRIORITY 0
#endif

/* Bytes of code that one mcuprof_poll() adds to the identity. */
#ifndef MCUPROF_IDENTITY_SLICE
#define MCUPROF_IDENTITY_SLICE 256
#endif

/* Frames that one mcuprof_poll() sends at most (250 bytes each). */
#ifndef MCUPROF_POLL_FRAMES
#define MCUPROF_POLL_FRAMES 8
#endif

/*
 * 1: the semihosting transport looks at DHCSR first, so that it does not
 * fault without a debugger (ARMv7-M and up). QEMU reads 0 there although
 * its semihosting works: set 0 for emulator builds.
 */
#ifndef MCUPROF_SEMIHOSTING_CHECK
#define MCUPROF_SEMIHOSTING_CHECK 1
#endif

/* A text of at most 48 bytes, such as a version or a git hash: "". */
#ifndef MCUPROF_BUILD
#define MCUPROF_BUILD ""
#endif

/* 1: the sampler in hand-ordered ARMv7-M assembly, 0: its C reference. */
#ifndef MCUPROF_SAMPLER_ASM
#define MCUPROF_SAMPLER_ASM 1
#endif

/* A function of yours that shall have no hooks. */
#if defined(__GNUC__)
#define MCUPROF_NO_INSTRUMENT __attribute__((no_instrument_function))
#else
#define MCUPROF_NO_INSTRUMENT
#endif

/*
 * What the linker calls a function: with a setting in it that a type of a
 * header depends on, files that disagree do not link.
 */
#define MCUPROFI_TEXT_OF(x) #x
#define MCUPROFI_TEXT(x) MCUPROFI_TEXT_OF(x)
#if defined(__GNUC__)
#define MCUPROFI_SYMBOL(text) __asm__("mcuprofi_" text)
#else
#define MCUPROFI_SYMBOL(text)
#endif

#endif
