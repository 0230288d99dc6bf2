/* SPDX-License-Identifier: MIT */
#include "source_dump.h"

#include "dump_identity.h"
#include "frame.h"
#include "source_ram.h"

#include <stdlib.h>
#include <string.h>

/* It was never put there, or nothing has come of it. */
static bool is_absent(int result)
{
    return result == MCUPROF_E_NOT_FOUND || result == MCUPROF_E_NO_DATA;
}

/* A ring that is sent is in the stream already. */
static int take_ring(struct source_dump *dump, const struct memory *memory,
                     const struct source_addresses *addresses,
                     struct error *error)
{
    int result = ring_block_read(&dump->ring, memory, addresses->trace,
                                 addresses->image, error);

    dump->has_ring = result == 0;
    if (result == 0 && dump->stream != NULL && ring_block_streams(&dump->ring))
        dump->has_ring = false;
    if (dump->has_ring)
        dump_identity_complete(dump->ring.hello, memory);
    return is_absent(result) && dump->stream != NULL ? 0 : result;
}

int source_dump_take(struct source_dump *dump, const struct memory *memory,
                     const struct source_addresses *addresses,
                     struct error *error)
{
    int result = MCUPROF_E_NOT_FOUND;

    memset(dump, 0, sizeof *dump);
    if (addresses->has_ram)
        result = source_ram_read(&dump->stream, &dump->size, memory,
                                 addresses->ram, error);
    if (addresses->has_trace && (result == 0 || is_absent(result)))
        result = take_ring(dump, memory, addresses, error);
    if (result < 0)
        source_dump_deinit(dump);
    return result;
}

void source_dump_deinit(struct source_dump *dump)
{
    ring_block_deinit(&dump->ring);
    free(dump->stream);
    memset(dump, 0, sizeof *dump);
}

/* Ends the search at the first frame. */
#define FOUND (-1000)

static int note_seq(void *context, const struct frame *frame)
{
    uint16_t *seq = context;

    *seq = frame->seq;
    return FOUND;
}

/* The number of the stream's first frame; 0 without one. */
static uint16_t first_seq(const struct source_dump *dump)
{
    struct deframer deframer;
    uint16_t seq = 0;

    deframer_init(&deframer, note_seq, &seq);
    if (dump->size > 0
        && deframer_feed(&deframer, dump->stream, dump->size) < 0)
        return seq;
    return 0;
}

/* With frames in front, half a frame would be taken for damage. */
static size_t half_frame(const struct source_dump *dump)
{
    const uint8_t *end = NULL;

    if (dump->has_ring && dump->size > 0)
        end = memchr(dump->stream, 0, dump->size);
    if (end == NULL || end - dump->stream >= MCUPROF_WIRE_FRAME_MAX)
        return 0;
    return (size_t)(end - dump->stream);
}

int source_dump_frames(const struct source_dump *dump, uint32_t halted_us,
                       uint8_t **out, size_t *size)
{
    size_t skipped = half_frame(dump);
    uint8_t *frames = NULL;
    uint8_t *grown;

    *size = 0;
    if (dump->has_ring
        && ring_block_frames(&dump->ring, halted_us, first_seq(dump), &frames,
                             size)
                   < 0)
        return MCUPROF_E_NOMEM;
    grown = realloc(frames, *size + dump->size + 1); /* not 0 */
    if (grown == NULL) {
        free(frames);
        return MCUPROF_E_NOMEM;
    }
    if (dump->size > 0)
        memcpy(grown + *size, dump->stream + skipped, dump->size - skipped);
    *size += dump->size - skipped;
    *out = grown;
    return 0;
}
