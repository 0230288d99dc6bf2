/* SPDX-License-Identifier: MIT */
#ifndef CORE_PORTME_H
#define CORE_PORTME_H

/*
 * EEMBC CoreMark on the emulated board mps2-an385, sampled by mcuprof. The
 * names are those that CoreMark asks of a port; CoreMark itself comes from
 * https://github.com/eembc/coremark and is no part of this project.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef int16_t ee_s16;
typedef uint16_t ee_u16;
typedef int ee_s32;
typedef uint8_t ee_u8;
typedef unsigned ee_u32;
typedef uintptr_t ee_ptr_int;
typedef size_t ee_size_t;
typedef ee_u32 CORE_TICKS;

/* The next address that holds a 32-bit value. */
#define align_mem(x) ((void *)(((ee_ptr_int)(x) + 3u) & ~(ee_ptr_int)3u))

#define HAS_FLOAT 0
#define HAS_STDIO 1
#define HAS_PRINTF 1
#define SEED_METHOD SEED_VOLATILE
#define MEM_METHOD MEM_STATIC
#define MEM_LOCATION "STATIC"
#define MAIN_HAS_NOARGC 1
#define MAIN_HAS_NORETURN 0
#define MULTITHREAD 1
#define COMPILER_VERSION "GCC " __VERSION__
#ifndef COMPILER_FLAGS
#define COMPILER_FLAGS "not told"
#endif

extern ee_u32 default_num_contexts;

typedef struct CORE_PORTABLE_S {
    ee_u8 portable_id;
} core_portable;

/* Before the first line of the benchmark: mcuprof starts here. */
void portable_init(core_portable *port, int *argc, char *argv[]);

/* After its last line: mcuprof stops, and what it has is sent. */
void portable_fini(core_portable *port);

#endif
