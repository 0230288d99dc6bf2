/* SPDX-License-Identifier: MIT */
#include <dwarf.h>
#include <string.h>

#include "lines_parts.h"

/*
 * libdw reads an abbreviation table anew for every unit that uses it, keeps
 * what it has read, and goes through all attributes of an abbreviation for
 * every DIE, even if they take no bytes there. With tables that many units
 * share, or endless ones, a small file could take all time and memory.
 */
enum {
    ATTRIBUTES_MAX = 128, /* of one abbreviation; gcc has 20 */

    /* Read for all units, 64 bytes each; gcc has 200 to 400 a unit, which are
       its own, and with what they describe kilobytes of the file. Beyond this
       many, which take a second, as the file's size has it. */
    ABBREVIATIONS_MAX = 4 * 1000 * 1000,
    ABBREVIATION_FILE_BYTES = 16,

    /* Decompressed, sections may take this much, and in proportion to the
       file: zlib makes gcc's a third, at best a thousandth. */
    INFLATED_MAX = 64 * 1024 * 1024,
    INFLATED_RATIO_MAX = 32
};

struct reader {
    const uint8_t *at;
    const uint8_t *end;
    bool is_past_end;
};

struct header {
    uint64_t abbreviations; /* offset of the unit's table */
    uint64_t size;          /* of the unit */
};

static uint64_t read_uint(struct reader *reader, unsigned size)
{
    uint64_t value = 0;

    if ((size_t)(reader->end - reader->at) < size) {
        reader->is_past_end = true;
        reader->at = reader->end;
        return 0;
    }
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)reader->at[i] << 8 * i;
    reader->at += size;
    return value;
}

/* A number of LEB128; bits above 64 are lost. */
static uint64_t read_leb(struct reader *reader)
{
    uint64_t value = 0;
    unsigned shift = 0;

    while (reader->at < reader->end) {
        uint8_t byte = *reader->at++;

        if (shift < 64)
            value |= (uint64_t)(byte & 0x7F) << shift;
        shift += 7;
        if (byte < 0x80)
            return value;
    }
    reader->is_past_end = true;
    return 0;
}

/* Returns NULL, or a few words for what is wrong. */
static const char *read_header(struct reader reader, struct header *out)
{
    const uint8_t *begin = reader.at, *body;
    uint64_t length = read_uint(&reader, 4);
    unsigned version, offset_size = 4;

    if (length == 0xFFFFFFFF) {
        length = read_uint(&reader, 8);
        offset_size = 8;
    }
    body = reader.at;
    version = (unsigned)read_uint(&reader, 2);
    if (version == 5)
        (void)read_uint(&reader, 2);
    out->abbreviations = read_uint(&reader, offset_size);
    if (version != 5)
        (void)read_uint(&reader, 1);
    if (reader.is_past_end || length > (uint64_t)(reader.end - body))
        return "a unit passes the end of .debug_info";
    if (version < 2 || version > 5)
        return "a unit is of an unknown DWARF version";
    if (length < (uint64_t)(reader.at - body))
        return "a unit is shorter than its header";
    out->size = (uint64_t)(body - begin) + length;
    return NULL;
}

/* Take the abbreviations off LEFT of the table that READER begins with. */
static const char *check_table(struct reader reader, size_t *left)
{
    while (read_leb(&reader) != 0) {
        size_t attributes = 0;
        uint64_t name, form;

        (void)read_leb(&reader);
        (void)read_uint(&reader, 1);
        do {
            name = read_leb(&reader);
            form = read_leb(&reader);
            if (form == DW_FORM_implicit_const)
                (void)read_leb(&reader);
            if (++attributes > ATTRIBUTES_MAX)
                return "an abbreviation has attributes without end";
        } while (name != 0 || form != 0);
        if (*left == 0)
            return "units share too many abbreviations";
        --*left;
    }
    return NULL;
}

static struct reader read_from(struct lines_section section, uint64_t offset)
{
    return (struct reader){.at = section.bytes + offset,
                           .end = section.bytes + section.size};
}

/* How much memory SECTION takes when libdw has decompressed it. */
static uint64_t inflated_size(Elf_Scn *section, const char *name)
{
    static const char magic[] = "ZLIB";
    Elf32_Shdr *header = elf32_getshdr(section);
    const Elf32_Chdr *compressed;
    Elf_Data *data;
    uint64_t size = 0;

    if (header == NULL)
        return 0;
    if ((header->sh_flags & SHF_COMPRESSED) != 0) {
        compressed = elf32_getchdr(section);
        return compressed != NULL ? compressed->ch_size : 0;
    }
    /* The old way: behind the magic the size, the first byte the highest. */
    data = name != NULL && strncmp(name, ".z", 2) == 0
                   ? elf_rawdata(section, NULL)
                   : NULL;
    /* A .bss of such a name has a size and no bytes. */
    if (data == NULL || data->d_buf == NULL
        || data->d_size < sizeof magic - 1 + 8
        || memcmp(data->d_buf, magic, sizeof magic - 1) != 0)
        return 0;
    for (size_t i = 0; i < 8; i++)
        size = size << 8 | ((const uint8_t *)data->d_buf)[sizeof magic - 1 + i];
    return size;
}

uint64_t lines_inflated_size(Elf *elf)
{
    Elf_Scn *section = NULL;
    size_t names = 0;
    uint64_t total = 0;

    if (elf_getshdrstrndx(elf, &names) != 0)
        return 0;
    while ((section = elf_nextscn(elf, section)) != NULL) {
        Elf32_Shdr *header = elf32_getshdr(section);
        uint64_t size = inflated_size(
                section, header != NULL
                                 ? elf_strptr(elf, names, header->sh_name)
                                 : NULL);

        if (size > UINT64_MAX - total)
            return UINT64_MAX;
        total += size;
    }
    return total;
}

bool lines_is_shared(Elf *elf)
{
    return lines_section_find(elf, ".gnu_debugaltlink").bytes != NULL;
}

const char *lines_check_file(Elf *elf)
{
    size_t file_size = 0;

    if (lines_is_shared(elf))
        return "a part of it is in another file";
    (void)elf_rawfile(elf, &file_size);
    if (lines_inflated_size(elf)
        > INFLATED_MAX + (uint64_t)INFLATED_RATIO_MAX * file_size)
        return "its compressed sections claim to be out of all proportion";
    return NULL;
}

size_t lines_check(const struct lines *lines, const char **what)
{
    struct lines_section tables =
            lines_section_find(lines->elf, ".debug_abbrev");
    size_t count = 0, file_size = 0, left = ABBREVIATIONS_MAX;
    uint64_t offset = 0;
    struct header header;

    (void)elf_rawfile(lines->elf, &file_size);
    left += file_size / ABBREVIATION_FILE_BYTES;
    *what = NULL;
    while (offset < lines->info.size) {
        *what = read_header(read_from(lines->info, offset), &header);
        if (*what == NULL && header.abbreviations >= tables.size)
            *what = "a unit's abbreviations are not there";
        if (*what == NULL)
            *what = check_table(read_from(tables, header.abbreviations), &left);
        if (*what != NULL)
            break;
        offset += header.size;
        count++;
    }
    return count;
}
