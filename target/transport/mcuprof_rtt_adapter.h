/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_RTT_ADAPTER_H
#define MCUPROF_RTT_ADAPTER_H

/*
 * Streams through an RTT that the firmware has already: a write function over
 * its SEGGER_RTT_Write(), whose header is not needed.
 *
 *     MCUPROF_RTT_ADAPTER(rtt_write, 1);
 *
 *     static char up[1024];
 *     SEGGER_RTT_ConfigUpBuffer(1, "mcuprof", up, sizeof(up),
 *                               SEGGER_RTT_MODE_NO_BLOCK_SKIP);
 *     static const struct mcuprof_config config = {.write = rtt_write, ...
 *
 * A channel of its own, as text of another writer in mid frame costs the frame.
 * Its mode may be NO_BLOCK_SKIP (all of a piece or nothing) or NO_BLOCK_TRIM
 * (what fits); with BLOCK_IF_FIFO_FULL the firmware stands still while no
 * host reads.
 */
#include <stddef.h>
#include <stdint.h>

#include "mcuprof_config.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Bytes handed over at once, at most. SEGGER_RTT_Write() masks interrupts while
 * it copies them: on ARMv6-M all, on others those below its limit.
 */
#ifndef MCUPROF_RTT_ADAPTER_PIECE
#define MCUPROF_RTT_ADAPTER_PIECE 32
#endif

#if MCUPROF_ENABLED

unsigned SEGGER_RTT_Write(unsigned BufferIndex, const void *pBuffer,
                          unsigned NumBytes);

/*
 * Fills the channel to its last byte in either mode: a piece that is not taken
 * whole is tried again at half its size. So even a channel shorter than a
 * frame, or than a piece, moves on.
 *
 * channel: index of the up-channel
 * returns: how many bytes were taken
 * context: thread (mcuprof_poll()'s write function)
 */
MCUPROF_NO_INSTRUMENT static inline size_t
mcuprof_rtt_adapter_write(unsigned channel, const uint8_t *data, size_t size)
{
    size_t piece = MCUPROF_RTT_ADAPTER_PIECE;
    size_t sent = 0;
    while (sent < size && piece > 0) {
        size_t left = size - sent;
        size_t tried = left < piece ? left : piece;
        size_t taken = SEGGER_RTT_Write(channel, data + sent, (unsigned)tried);
        sent += taken < tried ? taken : tried;
        piece = taken < tried ? tried / 2u : piece;
    }
    return sent;
}

#else

MCUPROF_NO_INSTRUMENT static inline size_t
mcuprof_rtt_adapter_write(unsigned channel, const uint8_t *data, size_t size)
{
    (void)channel;
    (void)data;
    return size;
}

#endif

/* Defines `name`, a mcuprof_write_fn for the up-channel `channel`. */
#define MCUPROF_RTT_ADAPTER(name, channel)                                     \
    static size_t name(const uint8_t *data, size_t size)                       \
    {                                                                          \
        return mcuprof_rtt_adapter_write(channel, data, size);                 \
    }                                                                          \
    struct mcuprofi_needs_a_semicolon

#ifdef __cplusplus
}
#endif

#endif
