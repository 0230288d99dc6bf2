/* SPDX-License-Identifier: MIT */

#include "work.h"

uint16_t crc16(uint16_t crc, const void *data, size_t size)
{
    const uint8_t *bytes = data;

    for (size_t i = 0; i < size; i++) {
        crc = (uint16_t)(crc ^ (bytes[i] << 8));
        for (int bit = 0; bit < 8; bit++) {
            crc = (uint16_t)(crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1);
        }
    }
    return crc;
}
