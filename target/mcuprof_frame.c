/* SPDX-License-Identifier: MIT */
/*
 * Framing: CRC-32 and COBS, as docs/wire.md draws them.
 */
#include "mcuprof_internal.h"

#if MCUPROF_ENABLED && (MCUPROF_STREAM || MCUPROF_TRACE || MCUPROF_FUNCTIONS)

/* Polynomial 0xEDB88320 for four bits: 64 bytes instead of 1 KiB. */
static const uint32_t crc_nibble[16] = {
        0x00000000u, 0x1DB71064u, 0x3B6E20C8u, 0x26D930ACu,
        0x76DC4190u, 0x6B6B51F4u, 0x4DB26158u, 0x5005713Cu,
        0xEDB88320u, 0xF00F9344u, 0xD6D6A3E8u, 0xCB61B38Cu,
        0x9B64C2B0u, 0x86D3D2D4u, 0xA00AE278u, 0xBDBDF21Cu,
};

uint32_t mcuprofi_crc32(uint32_t crc, const uint8_t *data, size_t size)
{
    crc = ~crc;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        crc = (crc >> 4) ^ crc_nibble[crc & 15u];
        crc = (crc >> 4) ^ crc_nibble[crc & 15u];
    }
    return ~crc;
}

size_t mcuprofi_frame_finish(uint8_t *frame, size_t size)
{
    uint8_t *raw = frame + 2;
    mcuprofi_put32(raw + size, mcuprofi_crc32(0, raw, size));
    size += MCUPROF_WIRE_CRC_SIZE;

    /* Each zero becomes the distance to the next; fewer than 254 bytes. */
    uint8_t *code = frame + 1;
    for (uint8_t *p = raw; p < raw + size; p++) {
        if (*p == 0) {
            *code = (uint8_t)(p - code);
            code = p;
        }
    }
    *code = (uint8_t)(raw + size - code);
    frame[0] = 0;
    raw[size] = 0;
    return size + 3;
}

#endif
