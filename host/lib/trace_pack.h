/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_TRACE_PACK_H
#define MCUPROF_HOST_TRACE_PACK_H

/*
 * Records of the call ring as they are packed in a TRACE frame, in both
 * directions (docs/wire.md, "TRACE"). Each frame stands alone.
 */

#include "decode.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The functions that both ends remember within a frame. */
struct trace_known {
    bool filled[MCUPROF_TRACE_KNOWN];
    uint32_t functions[MCUPROF_TRACE_KNOWN];
    uint32_t last; /* the last one that was new */
};

/* A frame that is being filled. */
struct trace_packer {
    uint8_t payload[MCUPROF_WIRE_PAYLOAD_MAX];
    size_t size;
    size_t count; /* records in it */
    uint32_t mask;
    uint32_t time; /* of the last record */
    struct trace_known known;
};

/** The bits that a clock of HELLO's CLOCK_BITS has; 0 counts as 32. */
uint32_t trace_clock_mask(uint8_t clock_bits);

/**
 * Begin a frame whose HEAD says all but the records, by a clock of MASK. TIME
 * is that before the first record.
 */
void trace_pack_begin(struct trace_packer *packer,
                      const struct wire_trace_part *head, uint32_t time,
                      uint32_t mask);

/** Add RECORD; returns false if it may not find room: begin another frame. */
bool trace_pack_add(struct trace_packer *packer,
                    const struct wire_trace *record);

/**
 * Unpack the SIZE bytes behind the head of a TRACE frame, TIME being that in
 * the head.
 * returns the number of records
 * errors: MCUPROF_E_FORMAT
 */
int trace_unpack(struct wire_trace records[WIRE_TRACE_MAX],
                 const uint8_t *packed, size_t size, uint32_t time,
                 uint32_t mask) MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
