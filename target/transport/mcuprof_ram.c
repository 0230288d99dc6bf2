/* SPDX-License-Identifier: MIT */
#include "mcuprof_ram.h"
#include "mcuprof_transport.h"
#include "mcuprof_wire.h"

#if MCUPROF_ENABLED

#if MCUPROF_RAM_SIZE < 2 * MCUPROF_HELLO_BYTES
#error "MCUPROF_RAM_SIZE must be at least 2 * MCUPROF_HELLO_BYTES"
#endif

#ifdef MCUPROF_RAM_SECTION
struct mcuprof_ram mcuprof_ram MCUPROF_RAM_SECTION;
#else
struct mcuprof_ram mcuprof_ram;
#endif

typedef char mcuprofi_check_ram_layout
        [(offsetof(struct mcuprof_ram, length) == MCUPROF_RAM_LENGTH
          && offsetof(struct mcuprof_ram, written) == MCUPROF_RAM_WRITTEN
          && offsetof(struct mcuprof_ram, bytes) == MCUPROF_RAM_BYTES)
                 ? 1
                 : -1];

void mcuprof_ram_init(void)
{
    mcuprof_ram.magic = 0;
    mcuprofi_probe_barrier();
    mcuprof_ram.version = 1;
    mcuprof_ram.generation = mcuprofi_generation_after(mcuprof_ram.generation);
    mcuprof_ram.length = MCUPROF_RAM_SIZE;
    mcuprof_ram.written = 0;
    mcuprof_ram.written_high = 0;
    mcuprofi_probe_barrier();
    mcuprof_ram.magic = MCUPROF_RAM_MAGIC_VALUE;
}

/*
 * A debugger may halt between any two stores. The count follows each byte, so
 * that at most one byte, the oldest, is not what the count says. At its carry
 * the high word goes first: the length divides 2^32, so where the bytes are is
 * in the low word alone, and a torn count only claims more that are gone; the
 * other way round it would claim that none are there.
 */
size_t mcuprof_ram_write(const uint8_t *data, size_t size)
{
    uint32_t written = mcuprof_ram.written;
    for (size_t i = 0; i < size; i++) {
        mcuprof_ram.bytes[written & (MCUPROF_RAM_SIZE - 1u)] = data[i];
        written++;
        if (written == 0) {
            mcuprof_ram.written_high = mcuprof_ram.written_high + 1u;
        }
        mcuprof_ram.written = written;
    }
    return size;
}

#endif
