/* SPDX-License-Identifier: MIT */
#include "elf_select_parts.h"

#include "bytes.h"

#include <elf.h>
#include <sha1.h>
#include <string.h>

enum {
    NOTE = 12, /* bytes of its header */
    NOTES_MAX = 1 << 20
};

/* source: System V gABI, "Note Section"; NT_GNU_BUILD_ID */
static struct select_id find_in(const struct elf_view *view, uint32_t offset,
                                uint32_t size)
{
    uint64_t at = offset;
    uint64_t end = at + size;

    while (at + NOTE <= end) {
        const uint8_t *note = view->bytes + at;
        uint64_t name = at + NOTE;
        uint64_t id = name + ((uint64_t)bytes_get32(note) + 3) / 4 * 4;
        uint32_t length = bytes_get32(note + 4);

        if (id + length > end)
            break;
        if (bytes_get32(note) == 4 && bytes_get32(note + 8) == NT_GNU_BUILD_ID
            && memcmp(view->bytes + name, "GNU", 4) == 0 && length > 0)
            return (struct select_id){(uint32_t)id, length < SELECT_ID_MAX
                                                            ? length
                                                            : SELECT_ID_MAX};
        at = id + ((uint64_t)length + 3) / 4 * 4;
    }
    return (struct select_id){0, 0};
}

struct select_id select_find_id(const struct elf_view *view)
{
    struct select_id id = {0, 0};
    uint32_t budget = NOTES_MAX;

    for (uint32_t i = 0; i < view->section_count && id.size == 0; i++) {
        struct elf_section section = elf_view_section(view, i);

        if (section.type != SHT_NOTE || section.size > budget
            || elf_view_content(view, &section) == NULL)
            continue;
        budget -= section.size;
        id = find_in(view, section.offset, section.size);
    }
    for (uint32_t i = 0; i < view->segment_count && id.size == 0; i++) {
        struct elf_segment segment = elf_view_segment(view, i);

        if (segment.type != PT_NOTE || segment.size > budget)
            continue;
        budget -= segment.size;
        id = find_in(view, segment.offset, segment.size);
    }
    return id;
}

static void add_u32(SHA1_CTX *sum, uint32_t value)
{
    uint8_t bytes[4];

    bytes_put32(bytes, value);
    SHA1Update(sum, bytes, sizeof bytes);
}

/* An id that is longer than a sum gets several, each of another number. */
static void make_sum(uint8_t out[SHA1_DIGEST_LENGTH], const uint8_t *id,
                     uint32_t size, const struct select_change *changes,
                     size_t count, uint32_t number)
{
    static const char label[] = "mcuprof select";
    SHA1_CTX sum;

    SHA1Init(&sum);
    SHA1Update(&sum, (const uint8_t *)label, sizeof label);
    add_u32(&sum, SELECT_VERSION);
    add_u32(&sum, number);
    add_u32(&sum, size);
    SHA1Update(&sum, id, size);
    add_u32(&sum, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        const struct elf_patch *patch = &changes[i].patch;

        add_u32(&sum, patch->address);
        add_u32(&sum, patch->size);
        SHA1Update(&sum, patch->after, patch->size);
    }
    SHA1Final(out, &sum);
}

void select_renew_id(uint8_t *id, uint32_t size,
                     const struct select_change *changes, size_t count)
{
    uint8_t old[SELECT_ID_MAX], sum[SHA1_DIGEST_LENGTH];
    uint32_t number = 0;

    if (count == 0 || size > sizeof old)
        return;
    memcpy(old, id, size);
    for (uint32_t at = 0; at < size; at += sizeof sum) {
        make_sum(sum, old, size, changes, count, number++);
        memcpy(id + at, sum, size - at < sizeof sum ? size - at : sizeof sum);
    }
}
