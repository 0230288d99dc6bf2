/* SPDX-License-Identifier: MIT */
#include "elf_view.h"

#include "bytes.h"

#include <elf.h>
#include <string.h>

/* Names may overlap, to a hostile end. */
#define NAME_MAX_SIZE 4096

static bool is_within(const struct elf_view *view, uint32_t offset,
                      uint64_t size)
{
    return offset <= view->size && size <= view->size - offset;
}

static bool is_arm(const uint8_t *file, size_t size)
{
    return size >= ELF_VIEW_HEADER && size <= UINT32_MAX
           && memcmp(file, ELFMAG, SELFMAG) == 0 && file[EI_CLASS] == ELFCLASS32
           && file[EI_DATA] == ELFDATA2LSB && bytes_get16(file + 18) == EM_ARM;
}

/* What does not fit into the header's 16 bits is in the first section's. */
static bool find_sections(struct elf_view *view)
{
    const uint8_t *file = view->bytes;
    struct elf_section first;
    uint32_t names = bytes_get16(file + 50);

    view->sections = bytes_get32(file + 32);
    view->section_count = bytes_get16(file + 48);
    if (view->sections == 0)
        return view->section_count == 0;
    if (bytes_get16(file + 46) != ELF_VIEW_SECTION
        || !is_within(view, view->sections, ELF_VIEW_SECTION))
        return false;
    first = elf_view_section(view, 0);
    if (view->section_count == 0)
        view->section_count = first.size;
    view->names = names == SHN_XINDEX ? first.link : names;
    return view->section_count > 0 && view->names < view->section_count
           && is_within(view, view->sections,
                        (uint64_t)view->section_count * ELF_VIEW_SECTION);
}

int elf_view_open(struct elf_view *view, const uint8_t *file, size_t size)
{
    *view = (struct elf_view){.bytes = file, .size = size};
    if (!is_arm(file, size))
        return MCUPROF_E_FORMAT;
    view->segments = bytes_get32(file + 28);
    view->segment_count = bytes_get16(file + 44);
    if (view->segments == 0 && view->segment_count > 0)
        return MCUPROF_E_FORMAT;
    if (view->segment_count > 0
        && (bytes_get16(file + 42) != ELF_VIEW_SEGMENT
            || !is_within(view, view->segments,
                          (uint64_t)view->segment_count * ELF_VIEW_SEGMENT)))
        return MCUPROF_E_FORMAT;
    return find_sections(view) ? 0 : MCUPROF_E_FORMAT;
}

struct elf_segment elf_view_segment(const struct elf_view *view, uint32_t index)
{
    const uint8_t *at =
            view->bytes + view->segments + (size_t)index * ELF_VIEW_SEGMENT;
    struct elf_segment segment = {.type = bytes_get32(at),
                                  .offset = bytes_get32(at + 4),
                                  .address = bytes_get32(at + 8),
                                  .load = bytes_get32(at + 12),
                                  .size = bytes_get32(at + 16),
                                  .flags = bytes_get32(at + 24)};

    if (segment.offset > view->size)
        segment.size = 0;
    else if (segment.size > view->size - segment.offset)
        segment.size = (uint32_t)(view->size - segment.offset);
    return segment;
}

/* NAMES are known. */
static const char *name_at(const struct elf_view *view, uint32_t at)
{
    const uint8_t *header = view->bytes + view->sections
                            + (size_t)view->names * ELF_VIEW_SECTION;
    uint32_t offset = bytes_get32(header + 16);
    uint32_t size = bytes_get32(header + 20);
    const uint8_t *name;

    if (!is_within(view, offset, size) || at >= size)
        return "";
    name = view->bytes + offset + at;
    size = size - at < NAME_MAX_SIZE ? size - at : NAME_MAX_SIZE;
    return memchr(name, 0, size) != NULL ? (const char *)name : "";
}

struct elf_section elf_view_section(const struct elf_view *view, uint32_t index)
{
    const uint8_t *at =
            view->bytes + view->sections + (size_t)index * ELF_VIEW_SECTION;

    return (struct elf_section){
            .name = view->names != 0 ? name_at(view, bytes_get32(at)) : "",
            .name_at = bytes_get32(at),
            .type = bytes_get32(at + 4),
            .flags = bytes_get32(at + 8),
            .address = bytes_get32(at + 12),
            .offset = bytes_get32(at + 16),
            .size = bytes_get32(at + 20),
            .link = bytes_get32(at + 24),
            .info = bytes_get32(at + 28),
    };
}

const uint8_t *elf_view_content(const struct elf_view *view,
                                const struct elf_section *section)
{
    if (section->type == SHT_NOBITS
        || !is_within(view, section->offset, section->size))
        return NULL;
    return view->bytes + section->offset;
}

bool elf_view_is_loaded(const struct elf_section *section)
{
    return (section->flags & SHF_ALLOC) != 0 && section->type != SHT_NOBITS
           && section->type != SHT_NULL && section->size > 0;
}
