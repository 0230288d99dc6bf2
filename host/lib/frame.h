/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_FRAME_H
#define MCUPROF_HOST_FRAME_H

/*
 * Frames out of a stream of bytes, and back (docs/wire.md, "Frame").
 *
 * The deframer takes bytes in pieces of any size. Every byte ends up in
 * exactly one of four counts: delimiters, valid frames, text, damaged. It
 * allocates nothing and keeps at most one frame of input.
 */

#include "error.h"
#include "mcuprof_wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct frame {
    uint8_t type;
    uint16_t seq;
    uint32_t crc;
    size_t size;            /* of the payload */
    const uint8_t *payload; /* valid during the call only */
};

struct frame_stats {
    uint64_t bytes;         /* all that came */
    uint64_t delimiters;    /* zero bytes */
    uint64_t frames;        /* valid ones */
    uint64_t frame_bytes;   /* their bytes without delimiters */
    uint64_t text_bytes;    /* printable stretches between delimiters */
    uint64_t damaged_bytes; /* everything else */
    uint64_t damaged_stretches;
};

/**
 * What to do with a valid frame.
 * returns 0 to go on, MCUPROF_E_FORMAT if the payload makes no sense (the
 * frame is then counted as damaged), any other negative code to stop
 */
typedef int (*frame_handler)(void *context, const struct frame *frame);

/**
 * What to do with bytes between delimiters that are no frame: they come in
 * order, and a stretch may come in several pieces.
 * returns 0 to go on, a negative code to stop
 */
typedef int (*rest_handler)(void *context, const uint8_t *bytes, size_t size);

/* A stretch of text: UTF-8 with white space and a terminal's controls. */
struct frame_text {
    bool broken;
    uint8_t expected; /* continuation bytes */
};

struct deframer {
    frame_handler handler;
    rest_handler rest; /* NULL: none; of the same context */
    void *context;
    struct frame_stats stats;
    size_t length;          /* of the stretch so far, may exceed its buffer */
    struct frame_text text; /* whether the stretch so far is one */
    uint8_t stretch[MCUPROF_WIRE_FRAME_MAX];
};

/** Start with no input; HANDLER gets CONTEXT and each valid frame. */
void deframer_init(struct deframer *deframer, frame_handler handler,
                   void *context);

/**
 * Take SIZE bytes.
 * returns 0, or the handler's code; the bytes after that frame are dropped
 */
int deframer_feed(struct deframer *deframer, const uint8_t *bytes,
                  size_t size) MUST_CHECK;

/** True while the input stands inside of a stretch without its delimiter. */
bool deframer_unfinished(const struct deframer *deframer);

/**
 * The input ends here: an unfinished stretch is decoded (the last delimiter
 * may be what is missing) or counted as text or damaged.
 * returns as deframer_feed()
 */
int deframer_end(struct deframer *deframer) MUST_CHECK;

/**
 * Encode one frame with both delimiters into OUT, which holds
 * MCUPROF_WIRE_FRAME_MAX bytes. SIZE is at most MCUPROF_WIRE_PAYLOAD_MAX.
 * returns the number of bytes, 0 if the payload is too long
 * source: COBS, Cheshire and Baker, IEEE/ACM ToN 7(2), 1999; CRC-32 of zlib
 */
size_t frame_encode(uint8_t *out, const struct frame *frame);

#ifdef __cplusplus
}
#endif

#endif
