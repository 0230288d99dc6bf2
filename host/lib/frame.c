/* SPDX-License-Identifier: MIT */
#include "frame.h"

#include "bytes.h"

#include <string.h>
#include <zlib.h>

/* One COBS code byte in front of at most 247 raw bytes. */
#define ENCODED_MAX (MCUPROF_WIRE_RAW_MAX + 1)
#define RAW_MIN (MCUPROF_WIRE_HEAD_SIZE + MCUPROF_WIRE_CRC_SIZE)

void deframer_init(struct deframer *deframer, frame_handler handler,
                   void *context)
{
    memset(deframer, 0, sizeof *deframer);
    deframer->handler = handler;
    deframer->context = context;
}

/* How many continuation bytes follow C, -1 if no text begins with it. */
static int text_continues(uint8_t c)
{
    if (c >= 0x20 && c < 0x7F)
        return 0;
    /* Bell, backspace, white space, escape: what a terminal understands. */
    if ((c >= 0x07 && c <= '\r') || c == 0x1B)
        return 0;
    if (c >= 0xC2 && c < 0xE0)
        return 1;
    if (c >= 0xE0 && c < 0xF0)
        return 2;
    return c >= 0xF0 && c < 0xF5 ? 3 : -1;
}

static void text_take(struct frame_text *text, const uint8_t *bytes,
                      size_t size)
{
    for (size_t i = 0; i < size && !text->broken; i++) {
        int more = text_continues(bytes[i]);

        if (text->expected > 0) {
            text->broken = (bytes[i] & 0xC0) != 0x80;
            text->expected--;
        } else if (more < 0) {
            text->broken = true;
        } else {
            text->expected = (uint8_t)more;
        }
    }
}

static bool text_is_whole(const struct frame_text *text)
{
    return !text->broken && text->expected == 0;
}

static bool is_text(const uint8_t *bytes, size_t size)
{
    struct frame_text text = {0};

    text_take(&text, bytes, size);
    return text_is_whole(&text);
}

/* SIZE bytes without a zero among them; returns the raw size, 0 if invalid. */
static size_t cobs_decode(uint8_t *raw, const uint8_t *bytes, size_t size)
{
    size_t out = 0;

    for (size_t in = 0; in < size;) {
        size_t code = bytes[in++];

        if (code - 1 > size - in)
            return 0;
        memcpy(raw + out, bytes + in, code - 1);
        in += code - 1;
        out += code - 1;
        /* The zero after the last block is not part of the data. */
        if (code != 0xFF && in < size)
            raw[out++] = 0;
    }
    return out;
}

static bool parse(struct frame *frame, uint8_t *raw, const uint8_t *bytes,
                  size_t size)
{
    size_t length;

    if (size < RAW_MIN + 1 || size > ENCODED_MAX)
        return false;
    length = cobs_decode(raw, bytes, size);
    if (length < RAW_MIN || length > MCUPROF_WIRE_RAW_MAX)
        return false;
    frame->crc = bytes_get32(raw + length - MCUPROF_WIRE_CRC_SIZE);
    length -= MCUPROF_WIRE_CRC_SIZE;
    if (crc32(0, raw, (uInt)length) != frame->crc)
        return false;
    frame->type = raw[0];
    frame->seq = bytes_get16(raw + 1);
    frame->size = length - MCUPROF_WIRE_HEAD_SIZE;
    frame->payload = raw + MCUPROF_WIRE_HEAD_SIZE;
    return true;
}

static void count_rest(struct frame_stats *stats, bool text, uint64_t length)
{
    if (text) {
        stats->text_bytes += length;
    } else {
        stats->damaged_bytes += length;
        stats->damaged_stretches++;
    }
}

static int tell_rest(const struct deframer *deframer, const uint8_t *bytes,
                     size_t size)
{
    return deframer->rest == NULL || size == 0
                   ? 0
                   : deframer->rest(deframer->context, bytes, size);
}

/* A whole stretch between two delimiters, at least one byte. */
static int take(struct deframer *deframer, const uint8_t *bytes, size_t size)
{
    uint8_t raw[ENCODED_MAX];
    struct frame frame;
    int error;

    if (!parse(&frame, raw, bytes, size)) {
        count_rest(&deframer->stats, is_text(bytes, size), size);
        return tell_rest(deframer, bytes, size);
    }
    error = deframer->handler(deframer->context, &frame);
    if (error == MCUPROF_E_FORMAT) {
        count_rest(&deframer->stats, false, size);
        return 0;
    }
    deframer->stats.frames++;
    deframer->stats.frame_bytes += size;
    return error;
}

/* A stretch that is too long to be a frame is handed on as it comes. */
static int keep(struct deframer *deframer, const uint8_t *bytes, size_t size)
{
    size_t room = sizeof deframer->stretch;
    size_t length = deframer->length;
    int error = 0;

    text_take(&deframer->text, bytes, size);
    deframer->length += size;
    if (deframer->length <= room) {
        memcpy(deframer->stretch + length, bytes, size);
        return 0;
    }
    if (length <= room)
        error = tell_rest(deframer, deframer->stretch, length);
    return error < 0 ? error : tell_rest(deframer, bytes, size);
}

static int finish(struct deframer *deframer)
{
    size_t length = deframer->length;
    int error = 0;

    if (length > sizeof deframer->stretch)
        count_rest(&deframer->stats, text_is_whole(&deframer->text), length);
    else if (length > 0)
        error = take(deframer, deframer->stretch, length);
    deframer->length = 0;
    deframer->text = (struct frame_text){0};
    return error;
}

int deframer_feed(struct deframer *deframer, const uint8_t *bytes, size_t size)
{
    const uint8_t *end = bytes + size;

    deframer->stats.bytes += size;
    while (bytes < end) {
        const uint8_t *zero = memchr(bytes, 0, (size_t)(end - bytes));
        size_t length = (size_t)((zero != NULL ? zero : end) - bytes);
        int error = 0;

        if (zero == NULL)
            return keep(deframer, bytes, length);
        deframer->stats.delimiters++;
        if (deframer->length > 0) {
            error = keep(deframer, bytes, length);
            if (error == 0)
                error = finish(deframer);
        } else if (length > 0) {
            error = take(deframer, bytes, length);
        }
        if (error < 0)
            return error;
        bytes = zero + 1;
    }
    return 0;
}

bool deframer_unfinished(const struct deframer *deframer)
{
    return deframer->length > 0;
}

int deframer_end(struct deframer *deframer)
{
    return finish(deframer);
}

/* RAW may hold zeros; writes its encoding, returns the number of bytes. */
static size_t cobs_encode(uint8_t *out, const uint8_t *raw, size_t size)
{
    size_t code = 0;
    size_t length = 1;

    for (size_t i = 0; i < size; i++) {
        if (raw[i] != 0) {
            out[length++] = raw[i];
            continue;
        }
        out[code] = (uint8_t)(length - code);
        code = length++;
    }
    out[code] = (uint8_t)(length - code);
    return length;
}

size_t frame_encode(uint8_t *out, const struct frame *frame)
{
    uint8_t raw[MCUPROF_WIRE_RAW_MAX];
    size_t size = MCUPROF_WIRE_HEAD_SIZE + frame->size;
    size_t length;

    if (frame->size > MCUPROF_WIRE_PAYLOAD_MAX)
        return 0;
    raw[0] = frame->type;
    bytes_put16(raw + 1, frame->seq);
    memcpy(raw + MCUPROF_WIRE_HEAD_SIZE, frame->payload, frame->size);
    bytes_put32(raw + size, (uint32_t)crc32(0, raw, (uInt)size));
    out[0] = 0;
    length = 1 + cobs_encode(out + 1, raw, size + MCUPROF_WIRE_CRC_SIZE);
    out[length++] = 0;
    return length;
}
