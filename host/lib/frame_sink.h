/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_FRAME_SINK_H
#define MCUPROF_HOST_FRAME_SINK_H

/*
 * Frames one behind the other in memory, numbered as a firmware numbers them.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All zero is none. BYTES is to be freed. */
struct frame_sink {
    uint8_t *bytes;
    size_t size;
    size_t room;
    unsigned frames;
    uint16_t seq; /* of the next */
    bool failed;  /* no memory: what comes is dropped */
};

/** Put a frame behind those that are there. */
void frame_sink_put(struct frame_sink *sink, uint8_t type,
                    const uint8_t *payload, size_t size);

/** Forget all frames, and go on with number SEQ. */
void frame_sink_restart(struct frame_sink *sink, uint16_t seq);

#ifdef __cplusplus
}
#endif

#endif
