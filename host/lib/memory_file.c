/* SPDX-License-Identifier: MIT */
#include "memory_file.h"

#include "bytes.h"
#include "memory_hex.h"
#include "room.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A stretch of memory, in the file or, of HEX, unpacked. */
struct span {
    uint32_t address;
    uint64_t size;
    uint64_t offset; /* in the file, or in the bytes */
};

struct memory_file {
    struct memory memory;
    int fd;
    char *path;
    struct span *spans;
    size_t count;
    uint8_t *bytes; /* NULL: the spans are in the file */
};

static const struct span *find_span(const struct memory_file *file,
                                    uint32_t address)
{
    for (size_t i = 0; i < file->count; i++) {
        const struct span *span = &file->spans[i];

        if (address >= span->address && address - span->address < span->size)
            return span;
    }
    return NULL;
}

static int read_file(const struct memory_file *file, uint64_t offset,
                     uint8_t *out, size_t size, struct error *error)
{
    while (size > 0) {
        ssize_t got = pread(file->fd, out, size, (off_t)offset);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set(error, MCUPROF_E_IO, "check the file",
                             "cannot read %s: %s", file->path, strerror(errno));
        if (got == 0)
            return MCUPROF_E_TRUNCATED;
        out += got;
        offset += (uint64_t)got;
        size -= (size_t)got;
    }
    return 0;
}

static int read_span(const struct memory_file *file, const struct span *span,
                     uint64_t at, uint8_t *out, size_t size,
                     struct error *error)
{
    if (file->bytes == NULL)
        return read_file(file, span->offset + at, out, size, error);
    memcpy(out, file->bytes + span->offset + at, size);
    return 0;
}

/* Across spans that adjoin. */
static int read_memory(void *context, uint32_t address, uint8_t *out,
                       size_t size, struct error *error)
{
    const struct memory_file *file = context;
    bool begun = false;

    while (size > 0) {
        const struct span *span = find_span(file, address);
        uint64_t at;
        size_t part = size;
        int result;

        if (span == NULL)
            return begun ? MCUPROF_E_TRUNCATED : MCUPROF_E_NOT_FOUND;
        at = address - span->address;
        if (part > span->size - at)
            part = (size_t)(span->size - at);
        result = read_span(file, span, at, out, part, error);
        if (result < 0)
            return result;
        begun = true;
        out += part;
        address += (uint32_t)part;
        size -= part;
    }
    return 0;
}

static int no_memory(struct error *error)
{
    return error_set(error, MCUPROF_E_NOMEM, "", "out of memory");
}

static int add_span(struct memory_file *file, size_t *room, struct span span)
{
    struct span *grown =
            room_reserve(file->spans, file->count, room, sizeof *file->spans);

    if (grown == NULL)
        return MCUPROF_E_NOMEM;
    file->spans = grown;
    file->spans[file->count++] = span;
    return 0;
}

/* More than twice what a microcontroller has. */
#define HEX_MAX (UINT64_C(1) << 28)

/* What HEX is unpacked into: never more than half of its own size. */
struct unpacking {
    struct memory_file *file;
    size_t room;
    size_t used;
};

static int take_hex(void *context, uint32_t address, const uint8_t *bytes,
                    size_t size)
{
    struct unpacking *unpacking = context;
    struct memory_file *file = unpacking->file;
    struct span *last = file->count == 0 ? NULL : &file->spans[file->count - 1];
    int result = 0;

    memcpy(file->bytes + unpacking->used, bytes, size);
    if (last != NULL && last->address + last->size == address)
        last->size += size;
    else
        result = add_span(file, &unpacking->room,
                          (struct span){.address = address,
                                        .size = size,
                                        .offset = unpacking->used});
    unpacking->used += size;
    return result;
}

static int open_hex(struct memory_file *file, uint64_t size,
                    struct error *error)
{
    struct unpacking unpacking = {.file = file};
    uint8_t *text;
    int result = MCUPROF_E_NOMEM;

    if (size > HEX_MAX)
        return error_set(error, MCUPROF_E_FORMAT, "save less of the memory",
                         "%s is too long for Intel HEX", file->path);
    text = malloc((size_t)size);
    file->bytes = malloc((size_t)size / 2 + 1);
    if (text == NULL || file->bytes == NULL)
        result = no_memory(error);
    else
        result = read_file(file, 0, text, (size_t)size, error);
    if (result == 0)
        result = memory_hex_parse(text, (size_t)size, file->path, take_hex,
                                  &unpacking, error);
    free(text);
    return result == MCUPROF_E_NOMEM ? no_memory(error) : result;
}

/* ELF, 32 bits: offsets in the header and in a program header. */
#define ELF_IDENT_CLASS 4
#define ELF_IDENT_DATA 5
#define ELF_TYPE 16
#define ELF_PHOFF 28
#define ELF_PHENTSIZE 42
#define ELF_PHNUM 44
#define ELF_SIZE 52
#define ELF_TYPE_CORE 4
#define PH_OFFSET 4
#define PH_VADDR 8
#define PH_FILESZ 16
#define PH_SIZE 32
#define PH_TYPE_LOAD 1

/* What the file ends before is found out when it is read. */
static int add_segment(struct memory_file *file, size_t *room,
                       const uint8_t *header)
{
    const struct span span = {.address = bytes_get32(header + PH_VADDR),
                              .size = bytes_get32(header + PH_FILESZ),
                              .offset = bytes_get32(header + PH_OFFSET)};

    return bytes_get32(header) == PH_TYPE_LOAD ? add_span(file, room, span) : 0;
}

static int check_core(const struct memory_file *file, const uint8_t *header,
                      struct error *error)
{
    if (header[ELF_IDENT_CLASS] != 1 || header[ELF_IDENT_DATA] != 1)
        return error_set(error, MCUPROF_E_FORMAT,
                         "save it with a gdb that is connected to the target",
                         "%s is no core file of a little-endian 32-bit target",
                         file->path);
    if (bytes_get16(header + ELF_TYPE) != ELF_TYPE_CORE)
        return error_set(error, MCUPROF_E_FORMAT,
                         "name the firmware with -e, and here what its memory "
                         "was saved in",
                         "%s is a program, no core file", file->path);
    if (bytes_get16(header + ELF_PHENTSIZE) < PH_SIZE)
        return error_set(error, MCUPROF_E_FORMAT, "save it again",
                         "%s has no program headers", file->path);
    return 0;
}

static int open_core(struct memory_file *file, struct error *error)
{
    uint8_t header[ELF_SIZE];
    uint8_t segment[PH_SIZE];
    size_t room = 0;
    int result = read_file(file, 0, header, sizeof header, error);

    if (result == 0)
        result = check_core(file, header, error);
    for (unsigned i = 0; result == 0 && i < bytes_get16(header + ELF_PHNUM);
         i++) {
        uint64_t at = bytes_get32(header + ELF_PHOFF)
                      + (uint64_t)i * bytes_get16(header + ELF_PHENTSIZE);

        result = read_file(file, at, segment, sizeof segment, error);
        if (result == 0)
            result = add_segment(file, &room, segment);
    }
    if (result == MCUPROF_E_TRUNCATED)
        return error_set(error, result, "save it again",
                         "%s ends within its headers", file->path);
    return result == MCUPROF_E_NOMEM ? no_memory(error) : result;
}

static int open_plain(struct memory_file *file, uint64_t size, uint32_t begin,
                      struct error *error)
{
    size_t room = 0;

    if (add_span(file, &room, (struct span){.address = begin, .size = size})
        < 0)
        return no_memory(error);
    return 0;
}

enum format {
    FORMAT_PLAIN,
    FORMAT_HEX,
    FORMAT_ELF
};

/* What tells them apart, and a core from a program. */
#define HEAD_SIZE (ELF_TYPE + 2)

/* HEAD ends with a 0 behind its SIZE bytes. */
static enum format format_of(const uint8_t *head, ssize_t size)
{
    if (size >= 4 && memcmp(head, "\177ELF", 4) == 0)
        return FORMAT_ELF;
    /* ":LLAAAATT" of a first line, in digits */
    if (size >= 9 && head[0] == ':'
        && strspn((const char *)head + 1, "0123456789ABCDEFabcdef") >= 8)
        return FORMAT_HEX;
    return FORMAT_PLAIN;
}

bool memory_file_has_addresses(int fd)
{
    uint8_t head[HEAD_SIZE + 1] = {0};
    enum format format = format_of(head, pread(fd, head, HEAD_SIZE, 0));

    return format == FORMAT_HEX
           || (format == FORMAT_ELF
               && bytes_get16(head + ELF_TYPE) == ELF_TYPE_CORE);
}

static int check_begin(const struct memory_file *file, enum format format,
                       const uint32_t *begin, struct error *error)
{
    if (format == FORMAT_PLAIN && begin == NULL)
        return error_set(error, MCUPROF_E_USAGE,
                         "write it as ram:FILE@ADDRESS, where the dump begins",
                         "%s is neither Intel HEX nor a core file, so it does "
                         "not say its address",
                         file->path);
    if (format != FORMAT_PLAIN && begin != NULL)
        return error_set(error, MCUPROF_E_USAGE, "leave @ADDRESS out",
                         "%s says its addresses itself", file->path);
    return 0;
}

static int open_format(struct memory_file *file, const uint32_t *begin,
                       struct error *error)
{
    uint8_t head[HEAD_SIZE + 1] = {0};
    ssize_t got = pread(file->fd, head, HEAD_SIZE, 0);
    enum format format = format_of(head, got);
    struct stat status;
    int result = check_begin(file, format, begin, error);

    if (result < 0)
        return result;
    if (got < 0 || fstat(file->fd, &status) < 0)
        return error_set(error, MCUPROF_E_IO, "check the file",
                         "cannot read %s: %s", file->path, strerror(errno));
    switch (format) {
    case FORMAT_HEX:
        return open_hex(file, (uint64_t)status.st_size, error);
    case FORMAT_ELF:
        return open_core(file, error);
    default:
        return open_plain(file, (uint64_t)status.st_size, *begin, error);
    }
}

int memory_file_open(struct memory_file **out, int fd, const char *path,
                     const uint32_t *begin, struct error *error)
{
    struct memory_file *file = calloc(1, sizeof *file);
    int result;

    if (file == NULL)
        return no_memory(error);
    file->fd = fd;
    file->path = text_copy(path);
    file->memory = (struct memory){
            .context = file, .read = read_memory, .name = file->path};
    result = file->path == NULL ? no_memory(error)
                                : open_format(file, begin, error);
    if (result < 0) {
        memory_file_free(file);
        return result;
    }
    *out = file;
    return 0;
}

void memory_file_free(struct memory_file *file)
{
    if (file == NULL)
        return;
    free(file->path);
    free(file->spans);
    free(file->bytes);
    free(file);
}

const struct memory *memory_file_get(const struct memory_file *file)
{
    return &file->memory;
}
