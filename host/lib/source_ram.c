/* SPDX-License-Identifier: MIT */
#include "source_ram.h"

#include "bytes.h"
#include "mcuprof_wire.h"

#include <inttypes.h>
#include <stdlib.h>

#define VERSION_KNOWN 1
#define VERSION_CREDIBLE 256
#define RECOGNISED_BY MCUPROF_RAM_GENERATION /* magic and version */

#define DUMP_WHOLE                                                             \
    "dump all of " SOURCE_RAM_SYMBOL ", sizeof(" SOURCE_RAM_SYMBOL ") bytes"
#define DUMP_HALTED "dump it again, with the core halted"

struct block {
    const struct memory *memory;
    uint32_t address;
    const char *name; /* of what the memory is in */
    uint32_t length;
    uint64_t written;
};

bool source_ram_begins(const uint8_t *bytes, size_t size)
{
    return size >= RECOGNISED_BY
           && bytes_get32(bytes + MCUPROF_RAM_MAGIC) == MCUPROF_RAM_MAGIC_VALUE
           && bytes_get32(bytes + MCUPROF_RAM_VERSION) < VERSION_CREDIBLE;
}

static int read_at(const struct block *block, uint32_t offset, uint8_t *out,
                   size_t size, struct error *error)
{
    int result = MCUPROF_E_TRUNCATED;

    if (offset <= UINT32_MAX - block->address)
        result = memory_read(block->memory, block->address + offset, out, size,
                             error);
    if (result == MCUPROF_E_NOT_FOUND && offset == 0)
        return error_set(error, result, "dump the memory that it is in",
                         SOURCE_RAM_SYMBOL " is at 0x%08" PRIx32
                                           ", which %s does not hold",
                         block->address, block->name);
    if (result == MCUPROF_E_NOT_FOUND || result == MCUPROF_E_TRUNCATED)
        return error_set(error, MCUPROF_E_TRUNCATED, DUMP_WHOLE,
                         "%s ends within the stream left in RAM", block->name);
    return result;
}

static int check_version(const struct block *block, const uint8_t *head,
                         struct error *error)
{
    uint32_t version = bytes_get32(head + MCUPROF_RAM_VERSION);

    if (bytes_get32(head + MCUPROF_RAM_MAGIC) != MCUPROF_RAM_MAGIC_VALUE)
        return error_set(error, MCUPROF_E_NOT_FOUND,
                         "dump it after mcuprof_ram_init(), and name the ELF "
                         "that ran and the address that the dump begins at",
                         "there is no stream at " SOURCE_RAM_SYMBOL " in %s",
                         block->name);
    if (version > VERSION_KNOWN)
        return error_set(error, MCUPROF_E_VERSION,
                         "read it with a newer mcuprof",
                         "the stream left in RAM in %s is version %" PRIu32
                         "; this mcuprof knows version %d",
                         block->name, version, VERSION_KNOWN);
    if (version == 0)
        return error_set(error, MCUPROF_E_FORMAT, DUMP_HALTED,
                         "the stream left in RAM in %s has no version",
                         block->name);
    return 0;
}

static int read_head(struct block *block, struct error *error)
{
    uint8_t head[MCUPROF_RAM_BYTES];
    int result = read_at(block, 0, head, sizeof head, error);

    if (result == 0)
        result = check_version(block, head, error);
    if (result < 0)
        return result;
    block->length = bytes_get32(head + MCUPROF_RAM_LENGTH);
    block->written = bytes_get64(head + MCUPROF_RAM_WRITTEN);
    if (block->length == 0 || (block->length & (block->length - 1)) != 0)
        return error_set(error, MCUPROF_E_FORMAT, DUMP_HALTED,
                         "the stream left in RAM in %s says that it has room "
                         "for %" PRIu32 " bytes, which is no power of two",
                         block->name, block->length);
    if (block->written == 0)
        return error_set(error, MCUPROF_E_NO_DATA,
                         "check that the firmware calls mcuprof_start() and "
                         "mcuprof_poll(), and let it run for longer",
                         "nothing was written to the stream left in RAM in %s",
                         block->name);
    return 0;
}

/* The last byte first, so that no memory is asked for what is not there. */
static int check_end(const struct block *block, struct error *error)
{
    uint8_t last;

    return read_at(block, MCUPROF_RAM_BYTES + block->length - 1, &last, 1,
                   error);
}

/* Oldest first: up to the end of the buffer, then on from its begin. */
static int unroll(const struct block *block, uint8_t *out, size_t kept,
                  struct error *error)
{
    uint32_t first = (uint32_t)(block->written - kept) & (block->length - 1);
    size_t straight = block->length - first;
    int result;

    if (straight > kept)
        straight = kept;
    result = read_at(block, MCUPROF_RAM_BYTES + first, out, straight, error);
    if (result < 0)
        return result;
    return read_at(block, MCUPROF_RAM_BYTES, out + straight, kept - straight,
                   error);
}

int source_ram_read(uint8_t **out, size_t *size, const struct memory *memory,
                    uint32_t address, struct error *error)
{
    struct block block = {
            .memory = memory, .address = address, .name = memory->name};
    size_t kept;
    int result = read_head(&block, error);

    if (result == 0)
        result = check_end(&block, error);
    if (result < 0)
        return result;
    kept = block.written < block.length ? (size_t)block.written
                                        : block.length - 1u;
    *out = malloc(kept + 1);
    if (*out == NULL)
        return error_set(error, MCUPROF_E_NOMEM, "", "out of memory");
    result = unroll(&block, *out, kept, error);
    if (result < 0) {
        free(*out);
        *out = NULL;
        return result;
    }
    *size = kept;
    return 0;
}
