/* SPDX-License-Identifier: MIT */
#include <gelf.h>
#include <string.h>
#include <zlib.h>

#include "image_parts.h"

enum {
    IDENTITY_PATCHED = 28, /* vector 7 */
    IDENTITY_MAX = 64 << 20,
    NOTES_MAX = 1 << 20,
    BUILD_ID_KEPT = 20
};

const uint8_t *image_view(const struct image *image, uint32_t address,
                          uint32_t *available)
{
    for (size_t i = 0; i < image->segment_count; i++) {
        const struct image_segment *segment = &image->segments[i];
        uint32_t offset = address - segment->address;

        if (offset < segment->size) {
            *available = segment->size - offset;
            return segment->bytes + offset;
        }
    }
    return NULL;
}

int image_read(const struct image *image, uint32_t address, void *out,
               size_t size)
{
    uint8_t *to = out;

    while (size > 0) {
        uint32_t available = 0;
        const uint8_t *from = image_view(image, address, &available);
        size_t part = size < available ? size : available;

        if (from == NULL)
            return MCUPROF_E_NOT_FOUND;
        memcpy(to, from, part);
        to += part;
        address += (uint32_t)part;
        size -= part;
    }
    return 0;
}

int image_read_word(const struct image *image, uint32_t address, uint32_t *out)
{
    uint8_t word[4];
    int result = image_read(image, address, word, sizeof word);

    if (result == 0)
        *out = image_u32(word);
    return result;
}

uint32_t image_load_alias(const struct image *image, uint32_t start,
                          uint32_t length)
{
    uint32_t lowest = UINT32_MAX;

    for (size_t i = 0; i < image->segment_count; i++)
        if (image->segments[i].load < lowest)
            lowest = image->segments[i].load;
    if (image->segment_count == 0 || (uint64_t)start + length > lowest
        || (uint64_t)start + length + lowest > (uint64_t)UINT32_MAX + 1)
        return start;
    return start + lowest;
}

size_t image_load_copy(const struct image *image, uint32_t address,
                       uint8_t *out, size_t size)
{
    uint64_t end = (uint64_t)address + size;
    size_t copied = 0;

    memset(out, 0xFF, size);
    for (size_t i = 0; i < image->segment_count; i++) {
        const struct image_segment *segment = &image->segments[i];
        uint64_t segment_end = (uint64_t)segment->load + segment->size;
        uint64_t from = address > segment->load ? address : segment->load;
        uint64_t to = end < segment_end ? end : segment_end;

        if (from >= to)
            continue;
        memcpy(out + (from - address), segment->bytes + (from - segment->load),
               (size_t)(to - from));
        copied += (size_t)(to - from);
    }
    return copied;
}

int image_read_load(const struct image *image, uint32_t address, void *out,
                    size_t size)
{
    if (size > UINT32_MAX || address + (uint64_t)size > 0x100000000) {
        memset(out, 0xFF, size);
        return MCUPROF_E_USAGE;
    }
    address = image_load_alias(image, address, (uint32_t)size);
    return image_load_copy(image, address, out, size) > 0 ? 0
                                                          : MCUPROF_E_NOT_FOUND;
}

struct crc {
    uLong sum;
    size_t found; /* bytes that the file held */
};

static void crc_add(struct crc *crc, const struct image *image, uint32_t start,
                    uint32_t size)
{
    uint8_t chunk[4096];

    while (size > 0) {
        uint32_t part = size < sizeof chunk ? size : (uint32_t)sizeof chunk;

        crc->found += image_load_copy(image, start, chunk, part);
        crc->sum = crc32(crc->sum, chunk, part);
        start += part;
        size -= part;
    }
}

int image_identity_crc(const struct image *image, uint32_t start,
                       uint32_t length, uint32_t *out)
{
    struct crc crc = {.sum = crc32(0, NULL, 0)};
    uint32_t head = length < IDENTITY_PATCHED ? length : IDENTITY_PATCHED;

    *out = 0;
    if (length == 0 || length > IDENTITY_MAX
        || (uint64_t)start + length > 0x100000000)
        return MCUPROF_E_USAGE;
    start = image_load_alias(image, start, length);
    crc_add(&crc, image, start, head);
    if (length > IDENTITY_PATCHED + 4)
        crc_add(&crc, image, start + IDENTITY_PATCHED + 4,
                length - IDENTITY_PATCHED - 4);
    *out = (uint32_t)crc.sum;
    return crc.found > 0 ? 0 : MCUPROF_E_NOT_FOUND;
}

static size_t find_build_id(Elf_Data *data, uint8_t out[20])
{
    GElf_Nhdr note;
    size_t name, description, at = 0;

    while (data != NULL && data->d_buf != NULL
           && (at = gelf_getnote(data, at, &note, &name, &description)) > 0) {
        const uint8_t *bytes = data->d_buf;

        if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4
            || memcmp(bytes + name, "GNU", 4) != 0 || note.n_descsz == 0)
            continue;
        memcpy(out, bytes + description,
               note.n_descsz < BUILD_ID_KEPT ? note.n_descsz : BUILD_ID_KEPT);
        return note.n_descsz;
    }
    return 0;
}

/*
 * Linker scripts forget to make a segment of the note, objcopy -R drops
 * sections. The budget is for files that claim thousands of large ones.
 */
size_t image_build_id_read(const struct image_file *file, uint8_t out[20])
{
    size_t count = 0, size = 0, budget = NOTES_MAX;
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    GElf_Phdr segment;

    while (size == 0 && (section = elf_nextscn(file->elf, section)) != NULL) {
        if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_NOTE
            || header.sh_size > budget)
            continue;
        budget -= header.sh_size;
        size = find_build_id(elf_getdata(section, NULL), out);
    }
    if (elf_getphdrnum(file->elf, &count) != 0)
        return size;
    for (size_t i = 0; size == 0 && i < count; i++) {
        if (gelf_getphdr(file->elf, (int)i, &segment) == NULL
            || segment.p_type != PT_NOTE || segment.p_filesz > budget)
            continue;
        budget -= segment.p_filesz;
        size = find_build_id(elf_getdata_rawchunk(file->elf,
                                                  (int64_t)segment.p_offset,
                                                  segment.p_filesz, ELF_T_NHDR),
                             out);
    }
    return size;
}

int image_build_id(const struct image *image, uint8_t out[20], size_t *size)
{
    *size = image->build_id_size < BUILD_ID_KEPT ? image->build_id_size
                                                 : BUILD_ID_KEPT;
    memcpy(out, image->build_id, *size);
    return *size > 0 ? 0 : MCUPROF_E_NOT_FOUND;
}
