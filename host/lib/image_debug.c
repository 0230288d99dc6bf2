/* SPDX-License-Identifier: MIT */
#include <gelf.h>
#include <string.h>

#include "image_parts.h"

const char *image_debug_path(const struct image *image)
{
    return image->path;
}

bool image_problem(const struct image *image, struct error *out)
{
    (void)image;
    (void)out;
    return false;
}

bool image_has_function(const struct image *image, const char *name,
                        uint32_t address)
{
    struct image_symbol symbol;

    return image_find(image, address, &symbol) == 0
           && symbol.kind == IMAGE_FUNCTION && symbol.start == address
           && strcmp(symbol.name, name) == 0;
}

/* The loaded section that holds ADDRESS. */
static bool find_section(const struct image *image, uint32_t address,
                         GElf_Shdr *header)
{
    Elf_Scn *section = NULL;

    while ((section = elf_nextscn(image->elf, section)) != NULL)
        if (gelf_getshdr(section, header) != NULL
            && (header->sh_flags & SHF_ALLOC) && address >= header->sh_addr
            && address - header->sh_addr < header->sh_size)
            return true;
    return false;
}

bool image_is_code(const struct image *image, uint32_t address)
{
    GElf_Shdr header;

    return find_section(image, address, &header)
           && (header.sh_flags & SHF_EXECINSTR);
}

const char *image_section(const struct image *image, uint32_t address)
{
    GElf_Shdr header;
    const char *name = NULL;
    size_t names;

    if (find_section(image, address, &header)
        && elf_getshdrstrndx(image->elf, &names) == 0)
        name = elf_strptr(image->elf, names, header.sh_name);
    return name != NULL ? name : "";
}

uint32_t image_lowest(const struct image *image)
{
    uint32_t lowest = UINT32_MAX;

    for (size_t i = 0; i < image->segment_count; i++)
        if (image->segments[i].address < lowest)
            lowest = image->segments[i].address;
    return image->segment_count > 0 ? lowest : 0;
}
