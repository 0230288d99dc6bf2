/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_ELF_PATCH_H
#define MCUPROF_HOST_ELF_PATCH_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One instruction that becomes another one of the same size. */
struct elf_patch {
    uint32_t address; /* at run time, without the Thumb bit */
    uint8_t size;     /* bytes: 2 or 4 */
    uint8_t before[4];
    uint8_t after[4];
};

#ifdef __cplusplus
}
#endif

#endif
