/* SPDX-License-Identifier: MIT */
/*
 * TRACE frames: two bytes for most events, where the functions are few and
 * short (docs/wire.md).
 */
#include "mcuprof_trace_pack.h"

#if MCUPROF_ENABLED && MCUPROF_TRACE && MCUPROF_STREAM

#define ZIGZAG(delta) (((delta)&0x80000000u) != 0 ? ~(delta) : (delta))

uint8_t *mcuprofi_pack_begin(uint8_t *p, struct mcuprofi_packer *packer,
                             uint32_t first, uint32_t lost)
{
    mcuprofi_clear(packer->known, sizeof(packer->known));
    packer->function = 0;
    p = mcuprofi_put32(p, first);
    p = mcuprofi_put32(p, lost);
    p = mcuprofi_put32(p, packer->time);
    p = mcuprofi_put16(p, packer->context);
    return mcuprofi_put16(p, 0);
}

static uint8_t *mcuprofi_put_kind(uint8_t *p, struct mcuprofi_packer *packer,
                                  uint32_t kind, uint32_t time)
{
    uint32_t ticks = mcuprofi_packer_ticks(packer, packer->time, time);
    packer->time = time;
    if (ticks < 32u) {
        *p++ = (uint8_t)(kind | ticks << 2);
        return p;
    }
    *p++ = (uint8_t)(kind | (ticks & 31u) << 2 | 0x80u);
    return mcuprofi_put_varint(p, ticks >> 5);
}

static uint8_t *mcuprofi_put_call(uint8_t *p, struct mcuprofi_packer *packer,
                                  uint32_t time, uint32_t word)
{
    uint32_t entered = word & MCUPROF_TRACE_ENTER;
    uint32_t function = word - entered;
    uint32_t place = (function >> 2 ^ function >> 8) % MCUPROF_TRACE_KNOWN;
    if (packer->known[place] == function) {
        p = mcuprofi_put_kind(p, packer,
                              entered ? MCUPROF_TRACE_ENTER_KNOWN
                                      : MCUPROF_TRACE_LEAVE_KNOWN,
                              time);
        *p++ = (uint8_t)place;
        return p;
    }
    uint32_t delta = function - packer->function;
    packer->known[place] = function;
    packer->function = function;
    p = mcuprofi_put_kind(p, packer, MCUPROF_TRACE_NEW, time);
    return mcuprofi_put_varint(p, ZIGZAG(delta) << 1 | entered);
}

uint8_t *mcuprofi_pack_record(uint8_t *p, struct mcuprofi_packer *packer,
                              uint32_t time, uint32_t word)
{
    uint32_t argument = word & MCUPROF_TRACE_ARGUMENT;
    uint32_t top = word >> 24;
    if (word < MCUPROF_TRACE_SPECIAL) {
        return mcuprofi_put_call(p, packer, mcuprofi_packer_up(packer, time),
                                 word);
    }
    int is_value = top == MCUPROF_TRACE_VALUE;
    p = mcuprofi_put_kind(p, packer, MCUPROF_TRACE_OTHER,
                          is_value ? packer->time
                                   : mcuprofi_packer_up(packer, time));
    *p++ = (uint8_t)top;
    if (is_value) {
        p = mcuprofi_put_varint(p, time);
    }
    if (top == MCUPROF_TRACE_CONTEXT) {
        argument &= 0xFFFFu;
        packer->context = argument;
    }
    return mcuprofi_put_varint(p, argument);
}

#endif
