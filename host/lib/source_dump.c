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

bool source_addresses_any(const struct source_addresses *addresses)
{
    return addresses->has_ram || addresses->has_trace
           || addresses->has_functions;
}

static int take_stream(struct source_dump *dump, const struct memory *memory,
                       const struct source_addresses *addresses,
                       struct error *error)
{
    if (!addresses->has_ram)
        return MCUPROF_E_NOT_FOUND;
    return source_ram_read(&dump->stream, &dump->size, memory, addresses->ram,
                           error);
}

/* A ring that is sent is in the stream already. */
static int take_ring(struct source_dump *dump, const struct memory *memory,
                     const struct source_addresses *addresses,
                     struct error *error)
{
    int result;

    if (!addresses->has_trace)
        return MCUPROF_E_NOT_FOUND;
    result = ring_block_read(&dump->ring, memory, addresses->trace,
                             addresses->image, error);
    dump->has_ring = result == 0;
    if (result == 0 && dump->stream != NULL && ring_block_streams(&dump->ring))
        dump->has_ring = false;
    if (dump->has_ring)
        dump_identity_complete(dump->ring.hello, memory);
    return result;
}

static int take_functions(struct source_dump *dump, const struct memory *memory,
                          const struct source_addresses *addresses,
                          struct error *error)
{
    int result;

    if (!addresses->has_functions)
        return MCUPROF_E_NOT_FOUND;
    result = function_block_read(&dump->functions, memory, addresses->functions,
                                 addresses->image, error);
    dump->has_functions = result == 0;
    if (dump->has_functions)
        dump_identity_complete(dump->functions.hello, memory);
    return result;
}

int source_dump_take(struct source_dump *dump, const struct memory *memory,
                     const struct source_addresses *addresses,
                     struct error *error)
{
    static int (*const takes[])(
            struct source_dump * dump, const struct memory *memory,
            const struct source_addresses *addresses,
            struct error *error) = {take_stream, take_ring, take_functions};
    struct error failure = {0};
    int result = MCUPROF_E_NOT_FOUND;
    bool found = false;

    memset(dump, 0, sizeof *dump);
    for (size_t i = 0; i < sizeof takes / sizeof takes[0]; i++) {
        struct error why = {0};

        result = takes[i](dump, memory, addresses, &why);
        found = found || result == 0;
        /* What is damaged tells more than what is not there. */
        if (result < 0 && (why.code != 0 || !is_absent(result)))
            failure = why;
        if (result < 0 && !is_absent(result))
            break;
    }
    if (result == 0 || (found && is_absent(result)))
        return 0;
    source_dump_deinit(dump);
    if (error != NULL)
        *error = failure;
    return failure.code != 0 ? failure.code : result;
}

void source_dump_deinit(struct source_dump *dump)
{
    ring_block_deinit(&dump->ring);
    function_block_deinit(&dump->functions);
    free(dump->stream);
    memset(dump, 0, sizeof *dump);
}

/* Numbers of the stream's first frame and its last. */
struct ends {
    bool any;
    uint16_t first;
    uint16_t last;
};

static int note_seq(void *context, const struct frame *frame)
{
    struct ends *ends = context;

    if (!ends->any)
        ends->first = frame->seq;
    ends->any = true;
    ends->last = frame->seq;
    return 0;
}

static struct ends find_ends(const struct source_dump *dump)
{
    struct ends ends = {.last = UINT16_MAX};
    struct deframer deframer;

    deframer_init(&deframer, note_seq, &ends);
    /* Only what it is fed with can end it, and that does not. */
    if (dump->size > 0
        && deframer_feed(&deframer, dump->stream, dump->size) < 0)
        ends.any = false;
    return ends;
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

/* The frames of the ring, then those of the table, each in memory of its own.
 */
static int make_frames(const struct source_dump *dump, uint32_t halted_us,
                       const struct ends *ends, struct frame_sink *ring,
                       struct frame_sink *table)
{
    int result = 0;

    if (dump->has_ring)
        result = ring_block_frames(&dump->ring, halted_us, ends->first,
                                   &ring->bytes, &ring->size);
    /* The first frame with number 0 would be that of a boot. */
    frame_sink_restart(table, dump->has_ring || ends->any
                                      ? (uint16_t)(ends->last + 1)
                                      : 1);
    if (dump->has_functions)
        function_block_put(&dump->functions, table);
    return result == 0 && table->failed ? MCUPROF_E_NOMEM : result;
}

static void append(uint8_t *out, size_t *size, const uint8_t *bytes,
                   size_t count)
{
    if (count > 0)
        memcpy(out + *size, bytes, count);
    *size += count;
}

int source_dump_frames(const struct source_dump *dump, uint32_t halted_us,
                       uint8_t **out, size_t *size)
{
    size_t skipped = half_frame(dump);
    struct ends ends = find_ends(dump);
    struct frame_sink ring = {0};
    struct frame_sink table = {0};
    int result = make_frames(dump, halted_us, &ends, &ring, &table);

    *size = 0;
    *out = NULL;
    if (result == 0)
        *out = malloc(ring.size + dump->size + table.size + 1); /* not 0 */
    if (*out != NULL) {
        append(*out, size, ring.bytes, ring.size);
        if (dump->size > skipped)
            append(*out, size, dump->stream + skipped, dump->size - skipped);
        append(*out, size, table.bytes, table.size);
    }
    free(ring.bytes);
    free(table.bytes);
    return *out == NULL ? MCUPROF_E_NOMEM : 0;
}
