/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_TRACE_PACK_H
#define MCUPROF_TRACE_PACK_H

/*
 * Packs records of the call ring into the payload of a TRACE frame, as
 * docs/wire.md has it.
 */
#include "mcuprof_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What goes on from frame to frame, and what both ends remember within one. */
struct mcuprofi_packer {
    uint32_t mask; /* of the clock */
    uint32_t flip;
    uint32_t time; /* of the last record, counted upwards */
    uint32_t context;
    uint32_t function;
    uint32_t known[MCUPROF_TRACE_KNOWN];
};

/* The clock's register, counted upwards. */
static inline uint32_t mcuprofi_packer_up(const struct mcuprofi_packer *packer,
                                          uint32_t time)
{
    return (time ^ packer->flip) & packer->mask;
}

/* Ticks from one such time to another. */
static inline uint32_t
mcuprofi_packer_ticks(const struct mcuprofi_packer *packer, uint32_t begin,
                      uint32_t end)
{
    return (end - begin) & packer->mask;
}

/* Begins a frame; returns behind its head. */
uint8_t *mcuprofi_pack_begin(uint8_t *p, struct mcuprofi_packer *packer,
                             uint32_t first, uint32_t lost);

/* A record as it lies in the ring: at most MCUPROF_TRACE_PACKED_MAX bytes. */
uint8_t *mcuprofi_pack_record(uint8_t *p, struct mcuprofi_packer *packer,
                              uint32_t time, uint32_t word);

#ifdef __cplusplus
}
#endif

#endif
