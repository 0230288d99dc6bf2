/* SPDX-License-Identifier: MIT */
#include "ring_block.h"

#include "bytes.h"
#include "frame_sink.h"
#include "trace_pack.h"

#include <stdlib.h>
#include <string.h>

/* A context record and its event, and those that waited, are reserved at once:
   no more than this many may be unwritten. */
#define RESERVED_MAX 4

/* The clock of HELLO: which bits count, and which way. */
struct clock {
    uint32_t mask;
    uint32_t flip;
};

static struct clock clock_of(const struct ring_block *block)
{
    uint8_t bits = block->hello[MCUPROF_HELLO_CLOCK_BITS];
    struct clock clock = {.mask = trace_clock_mask(bits)};

    clock.flip = (bits & MCUPROF_CLOCK_DOWN) != 0 ? clock.mask : 0;
    return clock;
}

static bool has_time(struct wire_trace record)
{
    return record.word != 0 && record.word >> 24 != MCUPROF_TRACE_VALUE;
}

/* Slot INDEX with its time counting upwards. */
static struct wire_trace slot(const struct ring_block *block,
                              struct clock clock, uint32_t index)
{
    const uint8_t *bytes =
            block->slots + (size_t)index * MCUPROF_TRACE_RECORD_SIZE;
    struct wire_trace record = {
            .time = bytes_get32(bytes + MCUPROF_TRACE_TIME),
            .word = bytes_get32(bytes + MCUPROF_TRACE_WORD)};

    if (record.word >> 24 != MCUPROF_TRACE_VALUE)
        record.time = (record.time ^ clock.flip) & clock.mask;
    return record;
}

/*
 * The head has gone on behind the first slot, and what that holds is of the
 * lap before: older than the last slot, while a neighbour is not.
 */
static bool first_is_unwritten(const struct ring_block *block)
{
    struct clock clock = clock_of(block);
    struct wire_trace first = slot(block, clock, 0);
    struct wire_trace last = slot(block, clock, block->records - 1);
    uint32_t ahead = (first.time - last.time) & clock.mask;

    if (block->head == 0 || block->head == block->records || last.word == 0)
        return false;
    if (first.word == 0)
        return true;
    if (!has_time(first) || !has_time(last))
        return false;
    for (uint32_t i = 1; i < block->head && i <= RESERVED_MAX; i++) {
        struct wire_trace next = slot(block, clock, i);

        if (has_time(next) && ((next.time - last.time) & clock.mask) < ahead)
            return true;
    }
    return block->head <= RESERVED_MAX && ahead > clock.mask / 2;
}

uint64_t ring_block_made(const struct ring_block *block)
{
    uint64_t laps = block->laps;

    if (first_is_unwritten(block))
        laps++;
    return laps * block->records + block->head;
}

/* The records from the oldest on. */
struct walk {
    const struct ring_block *block;
    struct clock clock;
    uint32_t at; /* slots from the oldest on */
    uint32_t count;
    uint32_t first; /* slot of the oldest */
};

static struct wire_trace peek(const struct walk *walk, uint32_t ahead)
{
    uint32_t index = walk->first + walk->at + ahead;

    if (index >= walk->block->records)
        index -= walk->block->records;
    return slot(walk->block, walk->clock, index);
}

static struct walk walk_begin(const struct ring_block *block)
{
    struct walk walk = {.block = block, .clock = clock_of(block)};
    struct wire_trace last = slot(block, walk.clock, block->records - 1);

    walk.count = block->head;
    if (block->laps > 0 || (block->head < block->records && last.word != 0)) {
        walk.first = block->head % block->records;
        walk.count = block->records;
    }
    /* What was sent has been zeroed. */
    while (ring_block_streams(block) && walk.at < walk.count
           && peek(&walk, 0).word == 0)
        walk.at++;
    return walk;
}

static uint64_t made_before(const struct walk *walk)
{
    return ring_block_made(walk->block) - (walk->count - walk->at);
}

static void put_ring(struct frame_sink *sink, const struct walk *walk,
                     uint32_t halted_us)
{
    const struct ring_block *block = walk->block;
    uint8_t payload[MCUPROF_RING_SIZE_READ] = {0};

    payload[MCUPROF_RING_STATE] = block->state;
    payload[MCUPROF_RING_MODE] = block->mode;
    bytes_put32(payload + MCUPROF_RING_RECORDS, block->records);
    bytes_put32(payload + MCUPROF_RING_PC, block->pc);
    bytes_put32(payload + MCUPROF_RING_LR, block->lr);
    bytes_put32(payload + MCUPROF_RING_XPSR, block->xpsr);
    bytes_put32(payload + MCUPROF_RING_FAULT, block->fault);
    bytes_put32(payload + MCUPROF_RING_HALTED, halted_us);
    bytes_put32(payload + MCUPROF_RING_BEFORE_HIGH,
                (uint32_t)(made_before(walk) >> 32));
    bytes_put16(payload + MCUPROF_RING_UNNAMED, block->names.unnamed);
    frame_sink_put(sink, MCUPROF_WIRE_RING, payload, sizeof payload);
}

/* The clock before the first record: that of the first with a time. */
static uint32_t first_time(const struct walk *walk)
{
    for (uint32_t i = 0; walk->at + i < walk->count; i++) {
        struct wire_trace record = peek(walk, i);

        if (has_time(record))
            return record.time;
    }
    return 0;
}

/*
 * What the first record of a context says of those before it: each lap begins
 * with one, switched or not.
 */
static uint16_t first_context(const struct walk *walk)
{
    if (walk->at == 0 && ring_block_made(walk->block) == walk->count)
        return MCUPROF_CONTEXT_THREAD;
    for (uint32_t i = 0; walk->at + i < walk->count; i++) {
        uint32_t word = peek(walk, i).word;

        if (word >> 24 != MCUPROF_TRACE_CONTEXT)
            continue;
        return (word & MCUPROF_TRACE_CONTEXT_SAME) != 0 ? (uint16_t)word
                                                        : WIRE_CONTEXT_UNKNOWN;
    }
    return WIRE_CONTEXT_UNKNOWN;
}

static void put_packed(struct frame_sink *sink,
                       const struct trace_packer *packer)
{
    frame_sink_put(sink, MCUPROF_WIRE_TRACE, packer->payload, packer->size);
}

static void put_records(struct frame_sink *sink, struct walk *walk)
{
    uint32_t lost = walk->block->lost;
    struct trace_packer packer;
    struct wire_trace_part head = {.context = first_context(walk),
                                   .first = (uint32_t)made_before(walk)};

    /* Joins at the oldest record that is left; what was lost is news then. */
    trace_pack_begin(&packer, &head, first_time(walk), walk->clock.mask);
    while (walk->at < walk->count || lost > head.lost) {
        struct wire_trace record;

        put_packed(sink, &packer);
        head.lost = lost;
        head.first += (uint32_t)packer.count;
        trace_pack_begin(&packer, &head, packer.time, walk->clock.mask);
        while (walk->at < walk->count) {
            record = peek(walk, 0);
            if (record.word >> 24 == MCUPROF_TRACE_CONTEXT)
                record.word &= ~MCUPROF_TRACE_CONTEXT_SAME;
            if (!trace_pack_add(&packer, &record))
                break;
            if (record.word >> 24 == MCUPROF_TRACE_CONTEXT)
                head.context = (uint16_t)record.word;
            walk->at++;
        }
    }
    put_packed(sink, &packer);
}

/* Who reads a ring is there from its oldest record on, not from a start. */
static void put_hello(struct frame_sink *sink, const struct ring_block *block)
{
    uint8_t hello[MCUPROF_HELLO_SIZE];

    memcpy(hello, block->hello, sizeof hello);
    hello[MCUPROF_HELLO_FLAGS] &= (uint8_t)~MCUPROF_HELLO_START;
    frame_sink_put(sink, MCUPROF_WIRE_HELLO, hello, sizeof hello);
}

static void put_block(struct frame_sink *sink, const struct ring_block *block,
                      uint32_t halted_us, uint16_t seq)
{
    struct walk walk = walk_begin(block);

    frame_sink_restart(sink, seq);
    /* The first frame with number 0 would be that of a boot. */
    if (seq == 0) {
        sink->seq = UINT16_MAX;
        put_hello(sink, block);
    }
    put_hello(sink, block);
    put_ring(sink, &walk, halted_us);
    block_names_put(&block->names, sink);
    put_records(sink, &walk);
}

int ring_block_frames(const struct ring_block *block, uint32_t halted_us,
                      uint16_t next_seq, uint8_t **out, size_t *size)
{
    struct frame_sink sink = {0};

    /* Once to count them, once with their numbers. */
    put_block(&sink, block, halted_us, 1);
    put_block(&sink, block, halted_us, (uint16_t)(next_seq - sink.frames));
    if (sink.failed) {
        free(sink.bytes);
        return MCUPROF_E_NOMEM;
    }
    *out = sink.bytes;
    *size = sink.size;
    return 0;
}
