/* SPDX-License-Identifier: MIT */
#include "frame_sink.h"

#include "frame.h"
#include "room.h"

void frame_sink_put(struct frame_sink *sink, uint8_t type,
                    const uint8_t *payload, size_t size)
{
    struct frame frame = {
            .type = type, .seq = sink->seq, .size = size, .payload = payload};

    while (!sink->failed && sink->room - sink->size < MCUPROF_WIRE_FRAME_MAX) {
        uint8_t *grown = room_reserve(sink->bytes, sink->room, &sink->room, 1);

        sink->failed = grown == NULL;
        if (grown != NULL)
            sink->bytes = grown;
    }
    if (sink->failed)
        return;
    sink->size += frame_encode(sink->bytes + sink->size, &frame);
    sink->seq++;
    sink->frames++;
}

void frame_sink_restart(struct frame_sink *sink, uint16_t seq)
{
    sink->seq = seq;
    sink->size = 0;
    sink->frames = 0;
}
