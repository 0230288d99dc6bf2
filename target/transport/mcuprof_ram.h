/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_RAM_H
#define MCUPROF_RAM_H

/*
 * Leaves the end of the stream in RAM for a dump: with a debugger, out of a
 * core file, or by the firmware itself after a reset. It never refuses a byte;
 * the oldest go.
 *
 *     mcuprof_ram_init();
 *     static const struct mcuprof_config config = {
 *         .write = mcuprof_ram_write, ...
 *
 * A core that is halted, or reset, between any two instructions leaves the last
 * MCUPROF_RAM_SIZE - 1 bytes in order. What is to outlive a reset needs
 * MCUPROF_RAM_SECTION, an attribute that places the block in memory that
 * startup code does not clear (.noinit) and a data cache does not hold back;
 * and mcuprof_ram_init() must wait until it has been saved.
 */
#include <stddef.h>
#include <stdint.h>

#include "mcuprof_config.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Bytes of the stream that are kept, a power of two, at least twice
 * MCUPROF_HELLO_BYTES: so there is always a HELLO among them. A plain number:
 * it goes into a symbol.
 */
#ifndef MCUPROF_RAM_SIZE
#define MCUPROF_RAM_SIZE 16384
#endif
#if (MCUPROF_RAM_SIZE & (MCUPROF_RAM_SIZE - 1)) != 0 || MCUPROF_RAM_SIZE < 512 \
        || MCUPROF_RAM_SIZE > 0x40000000
#error "MCUPROF_RAM_SIZE must be a power of two from 512 to 2^30"
#endif

/* MCUPROF_RAM_SECTION: an attribute that places the block; none: .bss. */

#if MCUPROF_ENABLED

/* Drawn in docs/wire.md. */
struct mcuprof_ram {
    volatile uint32_t magic;
    volatile uint32_t version;
    volatile uint32_t generation;
    volatile uint32_t length;
    volatile uint32_t written; /* the low word, then the high one */
    volatile uint32_t written_high;
    volatile uint8_t bytes[MCUPROF_RAM_SIZE];
};

/* Readers of dumps find it by this name. */
extern struct mcuprof_ram mcuprof_ram;

/*
 * Begins a generation: what was there is forgotten.
 *
 * context: startup or thread, before any write; privileged
 */
void mcuprof_ram_init(void) MCUPROFI_SYMBOL(
        "ram_init_MCUPROF_RAM_SIZE_" MCUPROFI_TEXT(MCUPROF_RAM_SIZE));

/*
 * A mcuprof_write_fn: takes everything.
 *
 * returns: size
 * context: thread (mcuprof_poll()'s write function)
 */
size_t mcuprof_ram_write(const uint8_t *data, size_t size);

#else

MCUPROF_NO_INSTRUMENT static inline void mcuprof_ram_init(void)
{
}
MCUPROF_NO_INSTRUMENT static inline size_t
mcuprof_ram_write(const uint8_t *data, size_t size)
{
    (void)data;
    return size;
}

#endif

#ifdef __cplusplus
}
#endif

#endif
