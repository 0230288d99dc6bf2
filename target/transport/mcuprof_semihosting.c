/* SPDX-License-Identifier: MIT */
#include "mcuprof_semihosting.h"

#if MCUPROF_ENABLED && defined(__ARM_ARCH_ISA_THUMB)

#define SYS_OPEN 0x01u
#define SYS_CLOSE 0x02u
#define SYS_WRITE 0x05u
#define OPEN_WB 5u
/* Debug halting control: bit 0 says that a debugger is attached. */
#define DHCSR 0xE000EDF0u

static int32_t handle = -1;

static int32_t mcuprofi_semihosting_call(uint32_t operation,
                                         const void *argument)
{
    register uint32_t r0 __asm("r0") = operation;
    register const void *r1 __asm("r1") = argument;
    __asm volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
    return (int32_t)r0;
}

/* BKPT without a debugger is a fault. ARMv6-M code cannot read DHCSR. */
static int mcuprofi_semihosting_is_attached(void)
{
    if (!MCUPROF_SEMIHOSTING_CHECK || __ARM_ARCH_ISA_THUMB < 2) {
        return 1;
    }
    return (*(const volatile uint32_t *)(uintptr_t)DHCSR & 1u) != 0;
}

static size_t mcuprofi_semihosting_length(const char *text)
{
    size_t n = 0;
    while (text[n] != '\0') {
        n++;
    }
    return n;
}

int mcuprof_semihosting_open(const char *path)
{
    if (!mcuprofi_semihosting_is_attached()) {
        return -1;
    }
    uintptr_t block[3] = {(uintptr_t)path, OPEN_WB,
                          mcuprofi_semihosting_length(path)};
    handle = mcuprofi_semihosting_call(SYS_OPEN, block);
    return handle < 0 ? -1 : 0;
}

size_t mcuprof_semihosting_write(const uint8_t *data, size_t size)
{
    if (handle < 0) {
        return 0;
    }
    uintptr_t block[3] = {(uintptr_t)handle, (uintptr_t)data, size};
    int32_t left = mcuprofi_semihosting_call(SYS_WRITE, block);
    return left <= 0 ? size : size - (size_t)left;
}

void mcuprof_semihosting_close(void)
{
    uintptr_t block[1] = {(uintptr_t)handle};
    if (handle >= 0) {
        (void)mcuprofi_semihosting_call(SYS_CLOSE, block);
    }
    handle = -1;
}

#endif
