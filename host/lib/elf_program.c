/* SPDX-License-Identifier: MIT */
#include "elf_program.h"

#include "bytes.h"
#include "elf_view.h"
#include "file_replace.h"
#include "room.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GAP_MAX (64U << 20)

/* Of Intel HEX. */
enum {
    LINE_DATA = 16,
    TYPE_DATA = 0,
    TYPE_END = 1,
    TYPE_LINEAR = 4,
    TYPE_START = 5
};

struct block {
    uint32_t address; /* physical */
    uint32_t size;
    const uint8_t *bytes;
};

struct program {
    const char *path;
    uint8_t *file;
    struct elf_view view;
    struct block *blocks; /* ascending, not overlapping */
    size_t count;
    size_t room;
};

static int add(struct program *program, uint32_t address, const uint8_t *bytes,
               uint32_t size)
{
    struct block *blocks = room_reserve(program->blocks, program->count,
                                        &program->room, sizeof *blocks);

    if (blocks == NULL)
        return MCUPROF_E_NOMEM;
    program->blocks = blocks;
    blocks[program->count++] = (struct block){address, size, bytes};
    return 0;
}

/* A section is programmed where its bytes are in a segment. */
static uint32_t find_load(const struct elf_view *view,
                          const struct elf_section *section)
{
    for (uint32_t i = 0; i < view->segment_count; i++) {
        struct elf_segment segment = elf_view_segment(view, i);
        uint32_t at = section->offset - segment.offset;

        if (segment.type == PT_LOAD && at < segment.size
            && section->size <= segment.size - at
            && section->address - segment.address == at)
            return segment.load + at;
    }
    return section->address;
}

static int add_sections(struct program *program)
{
    const struct elf_view *view = &program->view;
    int result = 0;

    for (uint32_t i = 0; i < view->section_count && result == 0; i++) {
        struct elf_section section = elf_view_section(view, i);
        const uint8_t *bytes = elf_view_content(view, &section);

        if (!elf_view_is_loaded(&section))
            continue;
        if (bytes == NULL)
            return MCUPROF_E_TRUNCATED;
        result = add(program, find_load(view, &section), bytes, section.size);
    }
    return result;
}

static int add_segments(struct program *program)
{
    const struct elf_view *view = &program->view;
    int result = 0;

    for (uint32_t i = 0; i < view->segment_count && result == 0; i++) {
        struct elf_segment segment = elf_view_segment(view, i);

        if (segment.type == PT_LOAD && segment.size > 0)
            result = add(program, segment.load, view->bytes + segment.offset,
                         segment.size);
    }
    return result;
}

static int compare_blocks(const void *left, const void *right)
{
    const struct block *a = left, *b = right;

    return a->address < b->address ? -1 : a->address > b->address;
}

static uint64_t block_end(const struct block *block)
{
    return (uint64_t)block->address + block->size;
}

static int check_blocks(struct program *program, struct error *error)
{
    struct block *blocks = program->blocks;

    if (program->count == 0)
        return error_set(error, MCUPROF_E_NO_DATA,
                         "give the ELF that the linker wrote",
                         "%s has nothing that is loaded", program->path);
    qsort(blocks, program->count, sizeof *blocks, compare_blocks);
    for (size_t i = 0; i < program->count; i++) {
        uint64_t end = i + 1 < program->count ? blocks[i + 1].address
                                              : (uint64_t)UINT32_MAX + 1;

        if (block_end(&blocks[i]) > end)
            return error_set(error, MCUPROF_E_FORMAT, "link overlays apart",
                             "%s loads two things to 0x%08" PRIx32,
                             program->path, (uint32_t)end);
    }
    return 0;
}

static int open_program(struct program *program, const char *path,
                        struct error *error)
{
    size_t size = 0;
    int result = file_read_whole(path, &program->file, &size, error);

    program->path = path;
    if (result < 0)
        return result;
    if (elf_view_open(&program->view, program->file, size) < 0)
        return error_set(error, MCUPROF_E_FORMAT,
                         "give the ELF that the linker wrote",
                         "%s is not the ELF of Arm firmware, or damaged", path);
    result = add_sections(program);
    if (result == 0 && program->count == 0)
        result = add_segments(program);
    if (result < 0)
        return error_set(error, result, "build or copy the file again",
                         "%s: %s", path, error_message(result));
    return check_blocks(program, error);
}

static void close_program(struct program *program)
{
    free(program->blocks);
    free(program->file);
}

static int check_gaps(const struct program *program, struct error *error)
{
    const struct block *blocks = program->blocks;

    for (size_t i = 1; i < program->count; i++)
        if (blocks[i].address - block_end(&blocks[i - 1]) > GAP_MAX)
            return error_set(
                    error, MCUPROF_E_USAGE, "use --hex, which has none",
                    "%s has a gap of %" PRIu64 " MiB before 0x%08" PRIx32
                    ", too much for a plain binary",
                    program->path,
                    (blocks[i].address - block_end(&blocks[i - 1])) >> 20,
                    blocks[i].address);
    return 0;
}

static int write_bin(const struct program *program, const char *out,
                     struct error *error)
{
    const struct block *blocks = program->blocks;
    uint64_t size = block_end(&blocks[program->count - 1]) - blocks[0].address;
    uint8_t *bytes = calloc(1, (size_t)size);
    int result;

    if (bytes == NULL)
        return error_set(error, MCUPROF_E_NOMEM, "use --hex",
                         "out of memory for %s", out);
    for (size_t i = 0; i < program->count; i++)
        memcpy(bytes + (blocks[i].address - blocks[0].address), blocks[i].bytes,
               blocks[i].size);
    result = file_replace(out, bytes, (size_t)size, NULL, error);
    free(bytes);
    return result;
}

int elf_bin_write(const char *elf, const char *out, struct error *error)
{
    struct program program = {.path = elf};
    int result = open_program(&program, elf, error);

    if (result == 0)
        result = check_gaps(&program, error);
    if (result == 0)
        result = write_bin(&program, out, error);
    close_program(&program);
    return result;
}

/* ":10000000" data, sum; lines end as binutils end them. */
static void put_line(FILE *stream, uint32_t address, uint8_t type,
                     const uint8_t *bytes, size_t size)
{
    uint8_t sum =
            (uint8_t)(size + (address >> 8 & 0xFF) + (address & 0xFF) + type);

    (void)fprintf(stream, ":%02zX%04" PRIX32 "%02X", size, address & 0xFFFF,
                  type);
    for (size_t i = 0; i < size; i++) {
        (void)fprintf(stream, "%02X", bytes[i]);
        sum = (uint8_t)(sum + bytes[i]);
    }
    (void)fprintf(stream, "%02X\r\n", (uint8_t)-sum);
}

static void put_word(FILE *stream, uint8_t type, uint32_t value, size_t size)
{
    const uint8_t bytes[4] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16),
                              (uint8_t)(value >> 8), (uint8_t)value};

    put_line(stream, 0, type, bytes + sizeof bytes - size, size);
}

/* No line passes a 64 KiB border: there the upper half is given anew. */
static void put_block(FILE *stream, const struct block *block, uint32_t *upper)
{
    for (uint32_t at = 0, size; at < block->size; at += size) {
        uint32_t address = block->address + at;

        size = 0x10000 - (address & 0xFFFF);
        size = size < LINE_DATA ? size : LINE_DATA;
        size = size < block->size - at ? size : block->size - at;
        if (address >> 16 != *upper) {
            *upper = address >> 16;
            put_word(stream, TYPE_LINEAR, *upper, 2);
        }
        put_line(stream, address, TYPE_DATA, block->bytes + at, size);
    }
}

static int write_hex(const struct program *program, const char *out,
                     struct error *error)
{
    uint32_t upper = 0;
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    int result = 0;

    if (stream != NULL) {
        for (size_t i = 0; i < program->count; i++)
            put_block(stream, &program->blocks[i], &upper);
        put_word(stream, TYPE_START, bytes_get32(program->file + 24), 4);
        put_line(stream, 0, TYPE_END, NULL, 0);
        if (ferror(stream) != 0)
            result = MCUPROF_E_NOMEM;
        if (fclose(stream) != 0)
            result = MCUPROF_E_NOMEM;
    }
    result = stream == NULL || result < 0
                     ? error_set(error, MCUPROF_E_NOMEM, "close other programs",
                                 "out of memory for %s", out)
                     : file_replace(out, (const uint8_t *)text, size, NULL,
                                    error);
    free(text);
    return result;
}

int elf_hex_write(const char *elf, const char *out, struct error *error)
{
    struct program program = {.path = elf};
    int result = open_program(&program, elf, error);

    if (result == 0)
        result = write_hex(&program, out, error);
    close_program(&program);
    return result;
}
