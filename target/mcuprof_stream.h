/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_STREAM_H
#define MCUPROF_STREAM_H

/*
 * The thread side's state: mcuprof_control.c starts, stops and keeps time,
 * mcuprof_stream.c turns it into frames. Without a stream the call ring keeps
 * the upper part of it (mcuprof_trace_alone.c).
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
    MCUPROFI_DUE_HOTSPOTS = 1u << 5
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
    /* Of the call ring. */
    uint32_t trace_produced;
    uint32_t trace_lost;
    uint32_t trace_clock;
    uintptr_t trace_head;
    uint32_t trace_streams; /* it has an entry */
};

struct mcuprofi_stream {
    struct mcuprof_config config;
    const struct mcuprof_timer *timer;
    struct mcuprofi_clock clock;
    struct mcuprofi_identity identity;
    struct mcuprofi_context_name names[MCUPROF_CONTEXTS];
    uint64_t ticks;
    uint64_t time_ticks;
    uint32_t mask; /* of mcuprofi_stream_now() */
    uint32_t last; /* clock value that `ticks` belongs to */
    uint32_t vectors;
    uint32_t boot_id;
    uint32_t period;    /* nominal, in clock ticks */
    uint16_t exception; /* the sampler's, as last announced */
    uint8_t due;
    uint8_t start; /* the next HELLO begins a segment */
    uint8_t initialised;
#if MCUPROF_STREAM
    struct mcuprofi_selftest selftest;
    /* Waiting TIMEs: two, so that a stop does not displace its start. */
    struct mcuprofi_checkpoint checkpoints[2];
    uint64_t hello_ticks;
    uint64_t sample_ticks;
    uint32_t first_hz; /* the next HELLO's, of a call ring's start; 0: as now */
    uint32_t sent;     /* samples taken out of the ring since boot */
    uint32_t bytes;    /* of records since the last HELLO */
#if MCUPROF_HOTSPOTS
    uint32_t hotspots_sequence; /* of the view whose parts are being sent */
    uint32_t next_hotspot;      /* its row that the next part begins with */
#endif
    uint32_t interval; /* nominal, in timer ticks */
    uint32_t cost;
    uint16_t next_context;
    uint16_t seq;
    uint16_t frame_size;
    uint16_t frame_sent;
    uint8_t waiting; /* checkpoints */
    uint8_t frame[MCUPROF_WIRE_FRAME_MAX];
#endif
};

extern struct mcuprofi_stream mcuprofi_stream;

/* Chooses the clock and finds the boot vectors. */
void mcuprofi_stream_clock(const struct mcuprof_config *config,
                           const struct mcuprof_timer *timer);

/*
 * A SysTick that samples, and does not now: the call ring's clock from here on,
 * as one that runs free.
 */
void mcuprofi_stream_lend_clock(void);

/* Whether there is a clock that a hook can read: one that is added up by the
   sampler only while that runs. */
static inline int mcuprofi_stream_has_clock(void)
{
    const struct mcuprofi_clock *clock = &mcuprofi_stream.clock;
    return clock->source != MCUPROF_CLOCK_NONE
           && (!clock->adds_up
               || (MCUPROF_STREAM && mcuprofi_stream_running()));
}

/* The other way round; returns 0 if the call ring is using it. */
int mcuprofi_stream_return_clock(void);

/* Writes HELLO's payload; returns its end. */
uint8_t *mcuprofi_put_hello(uint8_t *p);

uint8_t *mcuprofi_put_bytes(uint8_t *to, const void *from, size_t size);

/* What the clock counts up, to mcuprofi_stream.mask. Any context. */
uint32_t mcuprofi_stream_now(void);

/* What mcuprofi_init() does for the call ring, at its end. */
void mcuprofi_trace_init(void);

/* All that mcuprofi_init() does for a call ring without a stream. */
void mcuprofi_trace_alone_init(const struct mcuprof_config *config,
                               const struct mcuprof_timer *timer);

/*
 * What poll does for a ring that is in RAM: its HELLO is up to date, and where
 * nothing is recorded for long, time goes on.
 */
void mcuprofi_trace_keep(void);

/* Whether the call ring records. */
int mcuprofi_trace_is_open(void);

/* The call ring records from now on. Thread. */
void mcuprofi_stream_trace_begins(void);

/* The function table counts from now on, or no more. Thread. */
void mcuprofi_stream_functions_changed(int begins);

/* Notes the call ring's moment. */
void mcuprofi_trace_checkpoint(struct mcuprofi_checkpoint *checkpoint);

/*
 * Packs records of the call ring, if enough are waiting, up to the checkpoint's
 * head if there is one.
 *
 * p:       a frame's payload
 * returns: its end, NULL if there is nothing to be sent
 */
uint8_t *mcuprofi_trace_pack(uint8_t *p,
                             struct mcuprofi_checkpoint *checkpoint);

/* Whether all that was recorded before a checkpoint is packed. */
int mcuprofi_trace_is_packed(const struct mcuprofi_checkpoint *checkpoint);

/*
 * Fills a frame of a ring that was kept.
 *
 * returns: its type, 0 if there is none to be sent
 */
uint8_t mcuprofi_trace_kept_frame(uint8_t *payload, uint8_t **end);

/* Writes the call ring's entry of a TIME; returns the end. */
uint8_t *mcuprofi_trace_put_time(uint8_t *p,
                                 const struct mcuprofi_checkpoint *checkpoint);

/*
 * What poll does for the ring besides: notices that it has stopped, and keeps
 * its time where it is not sent.
 *
 * returns: 1 if it records into the stream, 2 if it has just stopped
 */
int mcuprofi_trace_poll(void);

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
