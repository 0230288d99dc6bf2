/* SPDX-License-Identifier: MIT */
#include "mcuprof_rtt.h"
#include "mcuprof_transport.h"

#if MCUPROF_ENABLED

#ifdef MCUPROF_RTT_SECTION
struct mcuprof_rtt mcuprof_rtt MCUPROF_RTT_SECTION;
#else
struct mcuprof_rtt mcuprof_rtt;
#endif

#define RTT_ID_LENGTH 10u

/* What probes compute with, where a pointer has the 32 bits of theirs. */
typedef char mcuprofi_check_rtt_layout
        [(sizeof(void *) != 4
          || (offsetof(struct mcuprof_rtt, up) == MCUPROF_RTT_UP
              && offsetof(struct mcuprof_rtt, down) == MCUPROF_RTT_DOWN
              && offsetof(struct mcuprof_rtt, generation)
                         == MCUPROF_RTT_GENERATION
              && offsetof(struct mcuprof_rtt_channel, read)
                         == MCUPROF_RTT_CHANNEL_READ
              && sizeof(struct mcuprof_rtt_channel)
                         == MCUPROF_RTT_CHANNEL_SIZE))
                 ? 1
                 : -1];

/*
 * The buffer is cleared: a host that still moves the read offset of the boot
 * before gets zeros, which part frames, and no frame of that boot again.
 */
static void mcuprofi_rtt_channel_init(struct mcuprof_rtt_channel *channel,
                                      uint8_t *bytes, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++) {
        bytes[i] = 0;
    }
    channel->name = "mcuprof";
    channel->bytes = bytes;
    channel->length = length;
    channel->write = 0;
    channel->read = 0;
    channel->flags = 0;
}

void mcuprof_rtt_init(void)
{
    /* Backwards, so that a search finds the id in the block alone. */
    static const char backwards[] = "TTR REGGES";
    uint32_t generation = mcuprofi_generation_after(mcuprof_rtt.generation);
    for (unsigned i = 0; i < MCUPROF_RTT_ID_SIZE; i++) {
        mcuprof_rtt.id[i] = 0;
    }
    mcuprofi_probe_barrier();
    mcuprofi_rtt_channel_init(&mcuprof_rtt.up, mcuprof_rtt.up_bytes,
                              MCUPROF_RTT_UP_SIZE);
    mcuprofi_rtt_channel_init(&mcuprof_rtt.down, mcuprof_rtt.down_bytes,
                              MCUPROF_RTT_DOWN_SIZE);
    mcuprof_rtt.up_count = 1;
    mcuprof_rtt.down_count = 1;
    mcuprof_rtt.generation = generation;
    mcuprofi_probe_barrier();
    for (unsigned i = 0; i < RTT_ID_LENGTH; i++) {
        mcuprof_rtt.id[RTT_ID_LENGTH - 1u - i] = (uint8_t)backwards[i];
    }
}

/*
 * Offsets lie where a probe, or a boot before, can write anything: none is used
 * beyond the length that was compiled in.
 */

size_t mcuprof_rtt_write(const uint8_t *data, size_t size)
{
    struct mcuprof_rtt_channel *up = &mcuprof_rtt.up;
    uint32_t write = up->write;
    uint32_t read = up->read;
    if (write >= MCUPROF_RTT_UP_SIZE || read >= MCUPROF_RTT_UP_SIZE) {
        return 0;
    }
    size_t room = (read > write ? 0u : MCUPROF_RTT_UP_SIZE) + read - write - 1u;
    size = size < room ? size : room;
    for (size_t i = 0; i < size; i++) {
        mcuprof_rtt.up_bytes[write] = data[i];
        write = write + 1u < MCUPROF_RTT_UP_SIZE ? write + 1u : 0;
    }
    mcuprofi_probe_barrier();
    up->write = write;
    return size;
}

size_t mcuprof_rtt_read(uint8_t *data, size_t size)
{
    struct mcuprof_rtt_channel *down = &mcuprof_rtt.down;
    uint32_t write = down->write;
    uint32_t read = down->read;
    size_t taken = 0;
    if (write >= MCUPROF_RTT_DOWN_SIZE || read >= MCUPROF_RTT_DOWN_SIZE) {
        return 0;
    }
    mcuprofi_probe_barrier();
    while (read != write && taken < size) {
        data[taken++] = mcuprof_rtt.down_bytes[read];
        read = read + 1u < MCUPROF_RTT_DOWN_SIZE ? read + 1u : 0;
    }
    mcuprofi_probe_barrier();
    down->read = read;
    return taken;
}

#endif
