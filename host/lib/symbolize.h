/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_SYMBOLIZE_H
#define MCUPROF_HOST_SYMBOLIZE_H

/*
 * The one place where the profile meets the ELF: every distinct sampled
 * address is looked up once, functions get numbers, contexts names.
 */

#include "capture.h"
#include "image.h"
#include "symbols.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Name all innermost frames and all contexts of CAPTURE's profile; free with
 * symbols_free(). Without symbols in IMAGE all is unknown, idle excepted.
 * errors: MCUPROF_E_NOMEM
 * cost: a sort, and one lookup for each distinct address
 */
int symbolize(struct symbols **out, const struct capture *capture,
              const struct image *image) MUST_CHECK;

/**
 * Write "name+0x12" or "[unknown]" for ADDRESS into OUT of SIZE bytes.
 * ADDRESS need not have been sampled.
 */
void symbolize_address(const struct image *image, uint32_t address, char *out,
                       size_t size);

#define SYMBOLIZE_CONTEXT_MAX 300

/**
 * The name of a context, from CONTEXT records and from the vector table:
 * "thread", "SysTick (15)", "control (512)" or "task 512". IMAGE may be NULL.
 */
void symbolize_context(const struct capture *capture, const struct image *image,
                       uint16_t id, char *out, size_t size);

#ifdef __cplusplus
}
#endif

#endif
