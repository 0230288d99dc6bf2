/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_STREAM_H
#define MCUPROF_STREAM_H

/*
 * The thread side's state: mcuprof_control.c starts, stops and keeps time,
 * mcuprof_stream.c turns it into frames.
 */
#include "mcuprof_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is still to be sent, most urgent first. */
enum mcuprofi_due {
    MCUPROFI_DUE_HELLO = 1u << 0,
    MCUPROFI_DUE_BUILD = 1u << 1,
    MCUPROFI_DUE_CONTEXT = 1u << 2,
    MCUPROFI_DUE_SELFTEST = 1u << 3,
    MCUPROFI_DUE_TIME = 1u << 4,
    MCUPROFI_DUE_HOTSPOTS = 1u << 5,
};

struct mcuprofi_context_name {
    const char *name;
    uint16_t context;
};

/* One moment of the sampler. */
struct mcuprofi_checkpoint {
    uint64_t ticks;
    uint64_t second;
    uint32_t head;
    uint32_t produced;
    uint32_t lost;
    uint32_t missed;
    uint32_t longest;
    uint32_t longest_pc;
};

struct mcuprofi_stream {
    struct mcuprof_config config;
    const struct mcuprof_timer *timer;
    struct mcuprofi_clock clock;
    struct mcuprofi_identity identity;
    struct mcuprofi_selftest selftest;
    /* Waiting TIMEs: two, so that a stop does not displace its start. */
    struct mcuprofi_checkpoint checkpoints[2];
    struct mcuprofi_context_name names[MCUPROF_CONTEXTS];
    uint64_t ticks;
    uint64_t hello_ticks;
    uint64_t time_ticks;
    uint64_t sample_ticks;
    uint32_t mask;  /* of mcuprofi_ticks_now() */
    uint32_t last;  /* clock value that `ticks` belongs to */
    uint32_t sent;  /* samples taken out of the ring since boot */
    uint32_t bytes; /* of samples since the last HELLO */
    uint32_t vectors;
    uint32_t boot_id;
#if MCUPROF_HOTSPOTS
    uint32_t hotspots_sequence; /* of the view whose parts are being sent */
    uint32_t next_hotspot;      /* its row that the next part begins with */
#endif
    uint32_t period;   /* nominal, in clock ticks */
    uint32_t interval; /* nominal, in timer ticks */
    uint32_t cost;
    uint16_t exception; /* the sampler's, as last announced */
    uint16_t next_context;
    uint16_t seq;
    uint16_t frame_size;
    uint16_t frame_sent;
    uint8_t due;
    uint8_t waiting; /* checkpoints */
    uint8_t start;   /* the next HELLO begins a segment */
    uint8_t initialised;
    uint8_t frame[MCUPROF_WIRE_FRAME_MAX];
};

extern struct mcuprofi_stream mcuprofi_stream;

/* Samples in the ring from its tail to `head`. */
static inline uint32_t mcuprofi_stream_waiting(uint32_t head)
{
    return (head - mcuprofi_sampler.tail) & MCUPROFI_RING_MASK;
}

/* Notes this moment; it is sent once the samples before it are. */
void mcuprofi_stream_checkpoint(void);

#ifdef __cplusplus
}
#endif

#endif
