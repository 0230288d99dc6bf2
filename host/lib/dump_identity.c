/* SPDX-License-Identifier: MIT */
#include "dump_identity.h"

#include "bytes.h"
#include "mcuprof_wire.h"

#include <string.h>
#include <time.h>
#include <zlib.h>

/* The target may be halted meanwhile. */
#define BUDGET_MS 2000
#define PART 1024u
#define LENGTH_MAX (64u << 20)
#define SKIP_END (MCUPROF_IDENTITY_SKIP_OFFSET + MCUPROF_IDENTITY_SKIP_SIZE)

struct sum {
    const struct memory *memory;
    uint64_t deadline_ms;
    uint32_t crc;
};

static uint64_t now_ms(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

static bool add(struct sum *sum, uint32_t address, uint32_t size)
{
    uint8_t bytes[PART];
    struct error error;

    while (size > 0) {
        uint32_t part = size < PART ? size : PART;

        if (now_ms() >= sum->deadline_ms
            || memory_read(sum->memory, address, bytes, part, &error) < 0)
            return false;
        sum->crc = (uint32_t)crc32(sum->crc, bytes, part);
        address += part;
        size -= part;
    }
    return true;
}

static bool lacks_identity(const uint8_t *hello)
{
    const uint8_t others = MCUPROF_HELLO_IDENTITY | MCUPROF_HELLO_BUILD_ID;
    uint32_t start = bytes_get32(hello + MCUPROF_HELLO_IDENTITY_START);
    uint32_t length = bytes_get32(hello + MCUPROF_HELLO_IDENTITY_LENGTH);

    return (hello[MCUPROF_HELLO_FLAGS] & others) == 0 && length > SKIP_END
           && length <= LENGTH_MAX && length - 1 <= UINT32_MAX - start;
}

void dump_identity_complete(uint8_t *hello, const struct memory *memory)
{
    uint32_t start = bytes_get32(hello + MCUPROF_HELLO_IDENTITY_START);
    uint32_t length = bytes_get32(hello + MCUPROF_HELLO_IDENTITY_LENGTH);
    struct sum sum = {.memory = memory, .deadline_ms = now_ms() + BUDGET_MS};

    if (!lacks_identity(hello)
        || !add(&sum, start, MCUPROF_IDENTITY_SKIP_OFFSET)
        || !add(&sum, start + SKIP_END, length - SKIP_END))
        return;
    bytes_put32(hello + MCUPROF_HELLO_IDENTITY_VALUE, sum.crc);
    bytes_put32(hello + MCUPROF_HELLO_IDENTITY_VALUE + 4, 0);
    hello[MCUPROF_HELLO_FLAGS] |=
            MCUPROF_HELLO_IDENTITY | MCUPROF_HELLO_IDENTITY_READ;
}
