/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_RTT_H
#define MCUPROF_RTT_H

/*
 * Streams through RAM that a debug probe reads and writes while the core runs:
 * RTT, with a control block of our own that every RTT server knows. Nobody
 * waits: what finds no room stays in the sample ring, and what finds none there
 * is counted as lost.
 *
 *     mcuprof_rtt_init();
 *     static const struct mcuprof_config config = {
 *         .write = mcuprof_rtt_write, ...
 *
 * Firmware that has SEGGER's RTT already uses mcuprof_rtt_adapter.h instead.
 *
 * Two marks in RAM make a difference to MCUPROF_RTT_SECTION, an attribute that
 * places the block and its buffers:
 * - Where a core has a data cache (M7, some M55), probes read past it: the
 *   block must lie in memory that is not cached (a TCM, or by the MPU).
 * - In memory that startup code does not clear (.noinit) the generation goes
 *   on after a reset.
 */
#include <stddef.h>
#include <stdint.h>

#include "mcuprof_config.h"
#include "mcuprof_wire.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Bytes of the buffer to the host, of which one stays empty. A plain number: it
 * goes into a symbol.
 */
#ifndef MCUPROF_RTT_UP_SIZE
#define MCUPROF_RTT_UP_SIZE 1024
#endif
#if MCUPROF_RTT_UP_SIZE < 16 || MCUPROF_RTT_UP_SIZE > 1048576
#error "MCUPROF_RTT_UP_SIZE must be 16 to 1048576"
#endif

/* Bytes of the buffer to the firmware, of which one stays empty; likewise. */
#ifndef MCUPROF_RTT_DOWN_SIZE
#define MCUPROF_RTT_DOWN_SIZE 64
#endif
#if MCUPROF_RTT_DOWN_SIZE < 2 || MCUPROF_RTT_DOWN_SIZE > 1048576
#error "MCUPROF_RTT_DOWN_SIZE must be 2 to 1048576"
#endif

/* MCUPROF_RTT_SECTION: an attribute that places the block; none: .bss. */

#if MCUPROF_ENABLED

/* The firmware moves `write` of the up- and `read` of the down-channel. */
struct mcuprof_rtt_channel {
    const char *name;
    uint8_t *bytes;
    uint32_t length;
    volatile uint32_t write;
    volatile uint32_t read;
    uint32_t flags;
};

/* Drawn in docs/wire.md. */
struct mcuprof_rtt {
    volatile uint8_t id[MCUPROF_RTT_ID_SIZE];
    uint32_t up_count;
    uint32_t down_count;
    struct mcuprof_rtt_channel up;
    struct mcuprof_rtt_channel down;
    uint32_t generation;
    uint8_t up_bytes[MCUPROF_RTT_UP_SIZE];
    uint8_t down_bytes[MCUPROF_RTT_DOWN_SIZE];
};

/* Probes find it by this name, or by its id. */
extern struct mcuprof_rtt mcuprof_rtt;

/*
 * Makes the control block, or makes it anew: what waits in either buffer is
 * dropped, and the generation is another one.
 *
 * context: startup or thread, before anything else here; privileged
 * cost:    clears both buffers
 */
void mcuprof_rtt_init(void)
        MCUPROFI_SYMBOL("rtt_init_MCUPROF_RTT_SIZES_" MCUPROFI_TEXT(
                MCUPROF_RTT_UP_SIZE) "_" MCUPROFI_TEXT(MCUPROF_RTT_DOWN_SIZE));

/*
 * A mcuprof_write_fn: takes what fits.
 *
 * returns: how many bytes fitted; 0 while the host's offset is not in the
 *          buffer
 * context: thread (mcuprof_poll()'s write function)
 */
size_t mcuprof_rtt_write(const uint8_t *data, size_t size);

/*
 * Takes up to `size` bytes that the host has sent.
 *
 * returns: how many; 0 if none is waiting, or while the host's offset is not
 *          in the buffer
 * context: thread
 */
size_t mcuprof_rtt_read(uint8_t *data, size_t size);

#else

MCUPROF_NO_INSTRUMENT static inline void mcuprof_rtt_init(void)
{
}
MCUPROF_NO_INSTRUMENT static inline size_t
mcuprof_rtt_write(const uint8_t *data, size_t size)
{
    (void)data;
    return size;
}
MCUPROF_NO_INSTRUMENT static inline size_t mcuprof_rtt_read(uint8_t *data,
                                                            size_t size)
{
    (void)data;
    (void)size;
    return 0;
}

#endif

#ifdef __cplusplus
}
#endif

#endif
