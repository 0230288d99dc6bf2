/* SPDX-License-Identifier: MIT */
#include "cpu_arch.h"

#include "elf_view.h"

#include <string.h>

enum {
    SHT_ATTRIBUTES = 0x70000003,
    SCOPE_FILE = 1,
    TAG_CPU_RAW_NAME = 4,
    TAG_CPU_NAME = 5,
    TAG_CPU_ARCH = 6,
    TAG_COMPATIBILITY = 32,
    FIRST_BY_PARITY = 33, /* from here on odd tags have text */

    ARCH_V7 = 10,
    ARCH_V7E_M = 13,
    ARCH_V8_M_MAIN = 17,
    ARCH_V8_1_M_MAIN = 21
};

struct cursor {
    const uint8_t *next;
    const uint8_t *end;
};

static bool take_number(struct cursor *cursor, uint32_t *out)
{
    *out = 0;
    for (unsigned shift = 0; cursor->next < cursor->end && shift < 32;
         shift += 7) {
        uint8_t byte = *cursor->next++;

        *out |= (uint32_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

static bool skip_text(struct cursor *cursor)
{
    const uint8_t *zero =
            memchr(cursor->next, 0, (size_t)(cursor->end - cursor->next));

    if (zero == NULL)
        return false;
    cursor->next = zero + 1;
    return true;
}

/* A size of four bytes that counts from BEGIN; CURSOR then ends there. */
static bool take_size(struct cursor *cursor, const uint8_t *begin)
{
    uint32_t size;

    if (cursor->end - cursor->next < 4)
        return false;
    size = (uint32_t)cursor->next[0] | (uint32_t)cursor->next[1] << 8
           | (uint32_t)cursor->next[2] << 16 | (uint32_t)cursor->next[3] << 24;
    cursor->next += 4;
    if (size > (size_t)(cursor->end - begin)
        || size < (size_t)(cursor->next - begin))
        return false;
    cursor->end = begin + size;
    return true;
}

/* Tag_CPU_arch among the attributes of the file; 0 without. */
static uint32_t find_arch(struct cursor cursor)
{
    uint32_t tag, value = 0;

    while (take_number(&cursor, &tag)) {
        bool has_text = tag == TAG_CPU_RAW_NAME || tag == TAG_CPU_NAME
                        || tag == TAG_COMPATIBILITY
                        || (tag >= FIRST_BY_PARITY && tag % 2 == 1);

        if ((!has_text || tag == TAG_COMPATIBILITY)
            && !take_number(&cursor, &value))
            return 0;
        if (has_text && !skip_text(&cursor))
            return 0;
        if (tag == TAG_CPU_ARCH)
            return value;
    }
    return 0;
}

static uint32_t read_arch(const uint8_t *bytes, size_t size)
{
    struct cursor cursor = {bytes + 1, bytes + size};
    const uint8_t *begin = cursor.next;

    if (size < 1 || bytes[0] != 'A' || !take_size(&cursor, begin)
        || cursor.end - cursor.next < 6 || memcmp(cursor.next, "aeabi", 6) != 0)
        return 0;
    cursor.next += 6;
    begin = cursor.next;
    if (cursor.next == cursor.end || *cursor.next++ != SCOPE_FILE
        || !take_size(&cursor, begin))
        return 0;
    return find_arch(cursor);
}

bool cpu_arch_has_thumb2(const struct image *image)
{
    size_t size;
    const uint8_t *bytes = image_file_bytes(image, &size);
    struct elf_view view;
    uint32_t arch = 0;

    if (elf_view_open(&view, bytes, size) < 0)
        return false;
    for (uint32_t i = 0; i < view.section_count && arch == 0; i++) {
        struct elf_section section = elf_view_section(&view, i);
        const uint8_t *content = elf_view_content(&view, &section);

        if (section.type == SHT_ATTRIBUTES && content != NULL)
            arch = read_arch(content, section.size);
    }
    return arch == ARCH_V7 || arch == ARCH_V7E_M || arch == ARCH_V8_M_MAIN
           || arch == ARCH_V8_1_M_MAIN;
}
