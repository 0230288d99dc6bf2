/* SPDX-License-Identifier: MIT */
#include "function_block.h"

#include "function_block_parts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the target's configuration allows, and some room for what is to come. */
enum {
    SLOTS_LEAST = 16,
    SLOTS_MOST = 4096,
    CONTEXTS_LEAST = 2,
    CONTEXTS_MOST = 128,
    FRAMES_LEAST = 2,
    FRAMES_MOST = 1025,
    SIZE_MOST = 1024
};

#define READ_AGAIN                                                             \
    "read it again with the core halted, and name the ELF that ran with -e"

int function_memory_damaged(const struct function_memory *table,
                            struct error *error, const char *format, ...)
{
    char text[120];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return error_set(error, MCUPROF_E_FORMAT, READ_AGAIN,
                     "the function table in %s is damaged: %s", table->name,
                     text);
}

static unsigned half(const uint8_t *head, size_t offset)
{
    return bytes_get16(head + offset);
}

static int check_magic(const struct function_memory *table, const uint8_t *head,
                       struct error *error)
{
    uint32_t magic = bytes_get32(head + MCUPROF_TABLE_MAGIC);

    if (magic == MCUPROF_TABLE_MAGIC_VALUE)
        return 0;
    if (magic == 0)
        return error_set(error, MCUPROF_E_NO_DATA,
                         "let it run until it has called mcuprof_init() and "
                         "mcuprof_functions_start()",
                         "the function table in %s was not started",
                         table->name);
    return error_set(error, MCUPROF_E_NOT_FOUND,
                     "name the ELF that ran with -e, and the address that the "
                     "dump begins at",
                     "there is no function table at 0x%08" PRIx32 " in %s",
                     table->address, table->name);
}

static int check_version(const struct function_memory *table,
                         const uint8_t *head, struct error *error)
{
    unsigned version = half(head, MCUPROF_TABLE_VERSION);

    if (version > MCUPROF_TABLE_VERSION_VALUE)
        return error_set(error, MCUPROF_E_VERSION,
                         "read it with a newer mcuprof",
                         "the function table in %s is version %u; this mcuprof "
                         "knows version %d",
                         table->name, version, MCUPROF_TABLE_VERSION_VALUE);
    if (version == 0 || head[MCUPROF_TABLE_HELLO + MCUPROF_HELLO_VERSION] == 0)
        return function_memory_damaged(
                table, error, "version %u, format version %d", version,
                head[MCUPROF_TABLE_HELLO + MCUPROF_HELLO_VERSION]);
    return 0;
}

static bool is_size(size_t size, size_t least)
{
    return size >= least && size <= SIZE_MOST && size % 8 == 0;
}

static bool is_within(size_t count, size_t least, size_t most)
{
    return count >= least && count <= most;
}

static int check_sizes(struct function_memory *table, const uint8_t *head,
                       struct error *error)
{
    table->rows = half(head, MCUPROF_TABLE_SIZE);
    table->slots = half(head, MCUPROF_TABLE_SLOTS);
    table->context_count = half(head, MCUPROF_TABLE_CONTEXTS);
    table->depth = half(head, MCUPROF_TABLE_FRAMES);
    table->context_size = half(head, MCUPROF_TABLE_CONTEXT_SIZE);
    if (!is_size(table->rows, MCUPROF_TABLE_BYTES)
        || !is_size(table->context_size, MCUPROF_TABLE_CONTEXT_BYTES))
        return function_memory_damaged(table, error,
                                       "a head of %zu bytes, contexts of %zu",
                                       table->rows, table->context_size);
    if (!is_within(table->slots, SLOTS_LEAST, SLOTS_MOST)
        || (table->slots & (table->slots - 1)) != 0
        || !is_within(table->context_count, CONTEXTS_LEAST, CONTEXTS_MOST)
        || !is_within(table->depth, FRAMES_LEAST, FRAMES_MOST))
        return function_memory_damaged(
                table, error,
                "it says that it has %zu slots, %zu contexts, %zu frames each",
                table->slots, table->context_count, table->depth);
    table->contexts = table->rows + table->slots * MCUPROF_TABLE_ROW_BYTES;
    table->frames =
            table->contexts + table->context_count * table->context_size;
    return 0;
}

static int no_memory(struct error *error)
{
    return error_set(error, MCUPROF_E_NOMEM, "", "out of memory");
}

/* What there is less of than the head says is the dump's fault. */
static int read_all(struct function_memory *table, const struct memory *memory,
                    struct error *error)
{
    size_t frames = (table->context_count - 1) * table->depth + 1;
    size_t size = table->frames + frames * MCUPROF_TABLE_FRAME_BYTES;
    int result;

    table->bytes = calloc(1, size);
    if (table->bytes == NULL) {
        (void)no_memory(error);
        return MCUPROF_E_NOMEM;
    }
    result = memory_read(memory, table->address, table->bytes, size, error);
    if (result != MCUPROF_E_NOT_FOUND && result != MCUPROF_E_TRUNCATED)
        return result;
    return error_set(error, result,
                     "dump all of it: mcuprof_functions.gdb has a command for "
                     "that",
                     "%s does not hold the whole function table, %zu bytes at "
                     "0x%08" PRIx32,
                     memory->name, size, table->address);
}

/* A table that does not count needs none; a dump seldom has it. */
static void read_clock(struct function_memory *table,
                       const struct memory *memory)
{
    uint8_t bytes[4];
    uint32_t at = function_memory_word(table, MCUPROF_TABLE_CLOCK);

    if ((table->bytes[MCUPROF_TABLE_FLAGS] & MCUPROF_TABLE_NO_REGISTER) != 0
        || !function_memory_is_on(table)
        || memory_read(memory, at, bytes, sizeof bytes, NULL) < 0)
        return;
    table->has_clock = true;
    table->clock = bytes_get32(bytes);
}

static int read_table(struct function_memory *table,
                      const struct memory *memory, struct error *error)
{
    uint8_t head[MCUPROF_TABLE_BYTES];
    int result = memory_read(memory, table->address, head, sizeof head, error);

    if (result == 0)
        result = check_magic(table, head, error);
    if (result == 0)
        result = check_version(table, head, error);
    if (result == 0)
        result = check_sizes(table, head, error);
    if (result == 0)
        result = read_all(table, memory, error);
    if (result == 0)
        read_clock(table, memory);
    return result;
}

static int read_names(struct function_block *block,
                      const struct function_memory *table,
                      const struct memory *memory, const struct memory *image,
                      struct error *error)
{
    int result = block_names_read(
            &block->names, memory,
            function_memory_word(table, MCUPROF_TABLE_NAMES_AT),
            half(table->bytes, MCUPROF_TABLE_NAMES), image);

    return result < 0 ? no_memory(error) : 0;
}

int function_block_read(struct function_block *block,
                        const struct memory *memory, uint32_t address,
                        const struct memory *image, struct error *error)
{
    struct function_memory table = {.name = memory->name, .address = address};
    int result;

    memset(block, 0, sizeof *block);
    result = read_table(&table, memory, error);
    if (result == 0)
        result = function_memory_view(&table, &block->snapshot, error);
    if (result == 0)
        result = read_names(block, &table, memory, image, error);
    if (result == 0)
        memcpy(block->hello, table.bytes + MCUPROF_TABLE_HELLO,
               sizeof block->hello);
    else
        function_block_deinit(block);
    free(table.bytes);
    return result;
}

void function_block_deinit(struct function_block *block)
{
    free(block->snapshot.rows);
    block_names_deinit(&block->names);
    memset(block, 0, sizeof *block);
}
