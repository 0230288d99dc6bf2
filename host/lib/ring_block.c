/* SPDX-License-Identifier: MIT */
#include "ring_block.h"

#include "bytes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define RECORDS_MAX 65536u

#define DUMP_HALTED "dump it again, with the core halted"
#define DUMP_RIGHT                                                             \
    "name the ELF that ran with -e, and the address that the dump begins at"

/* What is checked, and not known yet. */
struct head {
    const struct memory *memory;
    uint32_t address;
    uint8_t bytes[MCUPROF_BLOCK_BYTES];
};

static uint32_t word(const struct head *head, size_t offset)
{
    return bytes_get32(head->bytes + offset);
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

static int check_magic(const struct head *head, struct error *error)
{
    if (word(head, MCUPROF_BLOCK_MAGIC) == MCUPROF_BLOCK_MAGIC_VALUE)
        return 0;
    if (is_zero(head->bytes, sizeof head->bytes))
        return error_set(error, MCUPROF_E_NO_DATA,
                         "let it run until it has called mcuprof_init() and "
                         "mcuprof_trace_start()",
                         "the call ring in %s was not started",
                         head->memory->name);
    return error_set(error, MCUPROF_E_NOT_FOUND, DUMP_RIGHT,
                     "there is no call ring at 0x%08" PRIx32 " in %s",
                     head->address, head->memory->name);
}

static int check_version(const struct head *head, struct error *error)
{
    unsigned version = bytes_get16(head->bytes + MCUPROF_BLOCK_VERSION);
    unsigned size = bytes_get16(head->bytes + MCUPROF_BLOCK_SIZE);

    if (version > MCUPROF_BLOCK_VERSION_VALUE)
        return error_set(
                error, MCUPROF_E_VERSION, "read it with a newer mcuprof",
                "the call ring in %s is version %u; this mcuprof "
                "knows version %d",
                head->memory->name, version, MCUPROF_BLOCK_VERSION_VALUE);
    if (version == 0 || size < MCUPROF_BLOCK_BYTES)
        return error_set(error, MCUPROF_E_FORMAT, DUMP_RIGHT,
                         "the call ring in %s is damaged: version %u, a head "
                         "of %u bytes",
                         head->memory->name, version, size);
    return 0;
}

/* CRC-32 of bytes 16 to 31 and 48 to 51. */
static int check_sum(const struct head *head, struct error *error)
{
    uLong sum = crc32(0, head->bytes + MCUPROF_BLOCK_MAGIC,
                      MCUPROF_BLOCK_LAPS - MCUPROF_BLOCK_MAGIC);

    sum = crc32(sum, head->bytes + MCUPROF_BLOCK_GENERATION, 4);
    if (sum == word(head, MCUPROF_BLOCK_CHECK))
        return 0;
    return error_set(error, MCUPROF_E_FORMAT,
                     "dump it again, with the core halted; after a loss of "
                     "power there is nothing to read",
                     "the call ring in %s is damaged: its checksum is wrong",
                     head->memory->name);
}

static bool is_slot(uint32_t address, uint32_t ring, uint32_t size)
{
    return address >= ring && address - ring <= size
           && (address - ring) % MCUPROF_TRACE_RECORD_SIZE == 0;
}

static int check_place(const struct head *head, struct error *error)
{
    uint32_t ring = word(head, MCUPROF_BLOCK_RING);
    uint32_t records = word(head, MCUPROF_BLOCK_RECORDS);
    uint32_t size = records * MCUPROF_TRACE_RECORD_SIZE;

    if (records == 0 || records > RECORDS_MAX)
        return error_set(error, MCUPROF_E_FORMAT, DUMP_HALTED,
                         "the call ring in %s is damaged: it says that it has "
                         "room for %" PRIu32 " records",
                         head->memory->name, records);
    if (ring % 4 != 0 || size > UINT32_MAX - ring)
        return error_set(error, MCUPROF_E_FORMAT, DUMP_HALTED,
                         "the call ring in %s is damaged: no ring of %" PRIu32
                         " records is at 0x%08" PRIx32,
                         head->memory->name, records, ring);
    if (!is_slot(word(head, MCUPROF_BLOCK_HEAD), ring, size)
        || !is_slot(word(head, MCUPROF_BLOCK_LIMIT), ring, size))
        return error_set(error, MCUPROF_E_FORMAT, DUMP_HALTED,
                         "the call ring in %s is damaged: its head or its "
                         "limit lies outside of it (0x%08" PRIx32
                         ", 0x%08" PRIx32 ")",
                         head->memory->name, word(head, MCUPROF_BLOCK_HEAD),
                         word(head, MCUPROF_BLOCK_LIMIT));
    return 0;
}

static int check_rest(const struct head *head, struct error *error)
{
    const uint8_t *bytes = head->bytes;

    if ((bytes[MCUPROF_BLOCK_STATE] & ~MCUPROF_TRACE_STATE_KEPT)
                > MCUPROF_TRACE_STATE_FAULT
        || bytes[MCUPROF_BLOCK_MODE] > MCUPROF_TRACE_MODE_STREAM
        || bytes[MCUPROF_BLOCK_HELLO + MCUPROF_HELLO_VERSION] == 0)
        return error_set(error, MCUPROF_E_FORMAT, DUMP_HALTED,
                         "the call ring in %s is damaged: state %d, mode %d, "
                         "format version %d",
                         head->memory->name, bytes[MCUPROF_BLOCK_STATE],
                         bytes[MCUPROF_BLOCK_MODE],
                         bytes[MCUPROF_BLOCK_HELLO + MCUPROF_HELLO_VERSION]);
    return 0;
}

static int read_head(struct head *head, struct error *error)
{
    static int (*const checks[])(const struct head *head,
                                 struct error *error) = {
            check_magic, check_version, check_sum, check_place, check_rest};
    int result = memory_read(head->memory, head->address, head->bytes,
                             sizeof head->bytes, error);

    for (size_t i = 0; result == 0 && i < sizeof checks / sizeof checks[0]; i++)
        result = checks[i](head, error);
    return result;
}

static void unpack_head(struct ring_block *block, const struct head *head)
{
    block->ring = word(head, MCUPROF_BLOCK_RING);
    block->records = word(head, MCUPROF_BLOCK_RECORDS);
    block->head = (word(head, MCUPROF_BLOCK_HEAD) - block->ring)
                  / MCUPROF_TRACE_RECORD_SIZE;
    block->laps = word(head, MCUPROF_BLOCK_LAPS);
    block->lost = word(head, MCUPROF_BLOCK_LOST);
    block->state = head->bytes[MCUPROF_BLOCK_STATE];
    block->mode = head->bytes[MCUPROF_BLOCK_MODE];
    block->pc = word(head, MCUPROF_BLOCK_FROZEN_PC);
    block->lr = word(head, MCUPROF_BLOCK_FROZEN_LR);
    block->xpsr = word(head, MCUPROF_BLOCK_FROZEN_XPSR);
    block->fault = word(head, MCUPROF_BLOCK_FAULT);
    memcpy(block->hello, head->bytes + MCUPROF_BLOCK_HELLO,
           sizeof block->hello);
}

static int no_memory(struct error *error)
{
    return error_set(error, MCUPROF_E_NOMEM, "", "out of memory");
}

/* What there is less of than the block says is the dump's fault. */
static int read_ring(struct ring_block *block, const struct memory *memory,
                     struct error *error)
{
    size_t size = (size_t)block->records * MCUPROF_TRACE_RECORD_SIZE;
    int result;

    block->slots = malloc(size);
    if (block->slots == NULL)
        return no_memory(error);
    result = memory_read(memory, block->ring, block->slots, size, error);
    if (result != MCUPROF_E_NOT_FOUND && result != MCUPROF_E_TRUNCATED)
        return result;
    return error_set(error, result,
                     "dump all of it: mcuprof_trace.gdb has a command for that",
                     "%s does not hold the whole call ring, %zu bytes at "
                     "0x%08" PRIx32,
                     memory->name, size, block->ring);
}

static int read_names(struct ring_block *block, const struct head *head,
                      const struct memory *image, struct error *error)
{
    int result = block_names_read(
            &block->names, head->memory, word(head, MCUPROF_BLOCK_NAMES_AT),
            bytes_get16(head->bytes + MCUPROF_BLOCK_NAMES), image);

    return result < 0 ? no_memory(error) : 0;
}

int ring_block_read(struct ring_block *block, const struct memory *memory,
                    uint32_t address, const struct memory *image,
                    struct error *error)
{
    struct head head = {.memory = memory, .address = address};
    int result;

    memset(block, 0, sizeof *block);
    result = read_head(&head, error);
    if (result < 0)
        return result;
    unpack_head(block, &head);
    result = read_ring(block, memory, error);
    if (result == 0)
        result = read_names(block, &head, image, error);
    if (result < 0)
        ring_block_deinit(block);
    return result;
}

void ring_block_deinit(struct ring_block *block)
{
    free(block->slots);
    block_names_deinit(&block->names);
    memset(block, 0, sizeof *block);
}

bool ring_block_streams(const struct ring_block *block)
{
    return block->mode == MCUPROF_TRACE_MODE_STREAM;
}
