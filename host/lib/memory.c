/* SPDX-License-Identifier: MIT */
#include "memory.h"

#include <inttypes.h>
#include <string.h>

int memory_read(const struct memory *memory, uint32_t address, void *out,
                size_t size, struct error *error)
{
    int result = MCUPROF_E_TRUNCATED;

    if (size == 0)
        return 0;
    if (size - 1 <= UINT32_MAX - address)
        result = memory->read(memory->context, address, out, size, error);
    if (result == MCUPROF_E_NOT_FOUND)
        return error_set(error, result, "dump the memory that it is in",
                         "%s does not hold what is at 0x%08" PRIx32,
                         memory->name, address);
    if (result == MCUPROF_E_TRUNCATED)
        return error_set(error, result, "dump more of the memory",
                         "%s ends within the %zu bytes at 0x%08" PRIx32,
                         memory->name, size, address);
    return result;
}

bool memory_read_text(const struct memory *memory, uint32_t address, char *out,
                      size_t size)
{
    out[size - 1] = '\0';
    if (memory_read(memory, address, out, size - 1, NULL) == 0)
        return true;
    /* It may stand before the end of what can be read. */
    for (size_t at = 0; at < size - 1; at++) {
        out[at] = '\0';
        if (memory_read(memory, address + (uint32_t)at, out + at, 1, NULL) < 0)
            return false;
        if (out[at] == '\0')
            return true;
    }
    return true;
}
