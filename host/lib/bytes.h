/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_BYTES_H
#define MCUPROF_HOST_BYTES_H

/*
 * Little-endian integers, byte by byte: the wire is never overlaid with a
 * struct, so neither alignment nor the host's byte order matters.
 */

#include <stdint.h>

static inline uint16_t bytes_get16(const uint8_t *bytes)
{
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

static inline uint32_t bytes_get32(const uint8_t *bytes)
{
    return bytes_get16(bytes) | (uint32_t)bytes_get16(bytes + 2) << 16;
}

static inline uint64_t bytes_get64(const uint8_t *bytes)
{
    return bytes_get32(bytes) | (uint64_t)bytes_get32(bytes + 4) << 32;
}

static inline void bytes_put16(uint8_t *bytes, uint16_t value)
{
    bytes[0] = (uint8_t)value;
    bytes[1] = (uint8_t)(value >> 8);
}

static inline void bytes_put32(uint8_t *bytes, uint32_t value)
{
    bytes_put16(bytes, (uint16_t)value);
    bytes_put16(bytes + 2, (uint16_t)(value >> 16));
}

static inline void bytes_put64(uint8_t *bytes, uint64_t value)
{
    bytes_put32(bytes, (uint32_t)value);
    bytes_put32(bytes + 4, (uint32_t)(value >> 32));
}

#endif
