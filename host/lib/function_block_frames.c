/* SPDX-License-Identifier: MIT */
#include "function_block.h"

#include "bytes.h"
#include "varint.h"

#include <string.h>

/* Packs rows into frames; the counts are the last row. */
struct packing {
    const struct function_snapshot *snapshot;
    struct frame_sink *sink;
    uint16_t count; /* rows so far */
    size_t size;
    uint8_t payload[MCUPROF_WIRE_PAYLOAD_MAX];
};

static void begin(struct packing *packing)
{
    const struct function_snapshot *snapshot = packing->snapshot;
    uint8_t *p = packing->payload;

    memset(p, 0, MCUPROF_FUNCTIONS_HEAD_SIZE);
    /* Those that the target makes count from 1 on. */
    bytes_put32(p + MCUPROF_FUNCTIONS_SEQUENCE, 0);
    bytes_put64(p + MCUPROF_FUNCTIONS_TICKS, snapshot->ticks);
    bytes_put16(p + MCUPROF_FUNCTIONS_ROWS, (uint16_t)(snapshot->count + 1));
    bytes_put16(p + MCUPROF_FUNCTIONS_FIRST, packing->count);
    p[MCUPROF_FUNCTIONS_FLAGS] = snapshot->flags;
    p[MCUPROF_FUNCTIONS_PERIOD] = snapshot->period;
    bytes_put16(p + MCUPROF_FUNCTIONS_PAIR, snapshot->pair);
    bytes_put16(p + MCUPROF_FUNCTIONS_CAPACITY, snapshot->capacity);
    packing->size = MCUPROF_FUNCTIONS_HEAD_SIZE;
}

static void end(struct packing *packing)
{
    frame_sink_put(packing->sink, MCUPROF_WIRE_FUNCTIONS, packing->payload,
                   packing->size);
}

static void put_row(struct packing *packing, uint8_t kind,
                    const uint64_t *numbers, size_t count)
{
    uint8_t *p;

    if (packing->size + MCUPROF_FUNCTIONS_ROW_MAX > sizeof packing->payload) {
        end(packing);
        begin(packing);
    }
    p = packing->payload + packing->size;
    *p++ = kind;
    for (size_t i = 0; i < count; i++)
        p = varint_put63(p, numbers[i]);
    packing->size = (size_t)(p - packing->payload);
    packing->count++;
}

static void put_counted(struct packing *packing,
                        const struct function_counts *row)
{
    const uint64_t function[] = {row->function, row->context, row->calls,
                                 row->open,     row->self,    row->total,
                                 row->min,      row->max};
    const uint64_t outside[] = {row->context, row->self};
    const uint64_t no_slot[] = {row->context, row->calls, row->self};

    switch (row->kind) {
    case FUNCTION_COUNTED:
        put_row(packing, row->kind, function, 8);
        break;
    case FUNCTION_OUTSIDE:
        put_row(packing, row->kind, outside, 2);
        break;
    default:
        put_row(packing, row->kind, no_slot, 3);
    }
}

static void put_snapshot(const struct function_snapshot *snapshot,
                         struct frame_sink *sink)
{
    const struct wire_function_counts *counts = &snapshot->counts;
    const uint64_t last[] = {counts->hooks, counts->unwound, counts->unmatched,
                             counts->deep,  counts->no_slot, counts->no_context,
                             counts->tries};
    struct packing packing = {.snapshot = snapshot, .sink = sink};

    begin(&packing);
    for (size_t i = 0; i < snapshot->count; i++)
        put_counted(&packing, &snapshot->rows[i]);
    put_row(&packing, MCUPROF_FUNCTIONS_ROW_COUNTS, last,
            sizeof last / sizeof last[0]);
    end(&packing);
}

void function_block_put(const struct function_block *block,
                        struct frame_sink *sink)
{
    uint8_t hello[MCUPROF_HELLO_SIZE];

    memcpy(hello, block->hello, sizeof hello);
    hello[MCUPROF_HELLO_FLAGS] &= (uint8_t)~MCUPROF_HELLO_START;
    frame_sink_put(sink, MCUPROF_WIRE_HELLO, hello, sizeof hello);
    block_names_put(&block->names, sink);
    put_snapshot(&block->snapshot, sink);
}
