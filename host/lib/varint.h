/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_VARINT_H
#define MCUPROF_HOST_VARINT_H

/*
 * Integers of seven bits a byte, low first (LEB128; DWARF 5, 7.6), and signed
 * ones folded into them: 0, -1, 1, -2 ... are 0, 1, 2, 3 ... .
 */

#include <stdbool.h>
#include <stdint.h>

/** Take a value below 2^32 of at most LIMIT bytes; moves *AT. */
static inline bool varint_get(const uint8_t **at, const uint8_t *end, int limit,
                              uint32_t *value)
{
    uint64_t sum = 0;

    for (int i = 0; i < limit && *at < end; i++) {
        uint8_t byte = *(*at)++;

        sum |= (uint64_t)(byte & 0x7F) << (7 * i);
        if (byte < 0x80) {
            *value = (uint32_t)sum;
            return sum <= UINT32_MAX;
        }
    }
    return false;
}

/** Take a value below 2^63; moves *AT. */
static inline bool varint_get63(const uint8_t **at, const uint8_t *end,
                                uint64_t *value)
{
    uint64_t sum = 0;

    for (int shift = 0; shift < 63 && *at < end; shift += 7) {
        uint8_t byte = *(*at)++;

        sum |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            *value = sum;
            return true;
        }
    }
    return false;
}

/** Write VALUE, at most five bytes; returns where the next byte goes. */
static inline uint8_t *varint_put(uint8_t *out, uint32_t value)
{
    while (value >= 0x80) {
        *out++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *out++ = (uint8_t)value;
    return out;
}

/** Write VALUE below 2^63, at most nine bytes; as varint_put(). */
static inline uint8_t *varint_put63(uint8_t *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *out++ = (uint8_t)(value | 0x80);
    *out++ = (uint8_t)value;
    return out;
}

/** VALUE modulo 2^31 as a signed number of 31 bits, folded. */
static inline uint32_t varint_zigzag31(uint32_t value)
{
    bool negative = (value & 0x40000000u) != 0;

    return (value << 1 ^ (negative ? UINT32_MAX : 0)) & 0x7FFFFFFFu;
}

/** The way back; what it gives counts modulo 2^31. */
static inline uint32_t varint_unzigzag31(uint32_t value)
{
    return (value >> 1) ^ (0u - (value & 1));
}

#endif
