/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_CPU_ARCH_H
#define MCUPROF_HOST_CPU_ARCH_H

#include "image.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Whether IMAGE says that it is for a core that has all of Thumb-2, NOP.W among
 * it: ARMv7-M, and ARMv8-M with the Main Extension. False if it says nothing.
 * source: Addenda to the ABI for the Arm Architecture, 2.3.5 (Tag_CPU_arch)
 */
bool cpu_arch_has_thumb2(const struct image *image);

#ifdef __cplusplus
}
#endif

#endif
