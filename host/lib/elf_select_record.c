/* SPDX-License-Identifier: MIT */
#include "elf_select_record.h"

#include "bytes.h"
#include "elf_view.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static const uint8_t magic[8] = {'m', 'c', 'u', 'p', 'r', 'o', 'f', 'S'};

enum {
    HEAD = 20, /* of all versions */
    FIXED = 112,
    CHANGE = 20,
    AT_CRC = 16
};

static uint32_t checksum(const uint8_t *record, size_t size)
{
    static const uint8_t nothing[4];
    uLong crc = crc32(crc32(0, NULL, 0), record, AT_CRC);

    crc = crc32(crc, nothing, sizeof nothing);
    return (uint32_t)crc32(crc, record + AT_CRC + 4, (uInt)(size - AT_CRC - 4));
}

static void get_change(const uint8_t *at, struct select_change *change)
{
    change->patch.address = bytes_get32(at);
    change->offset = bytes_get32(at + 4);
    change->patch.size = at[8];
    memcpy(change->patch.before, at + 12, 4);
    memcpy(change->patch.after, at + 16, 4);
}

/* Each lies in the original, behind its header, and behind the one before. */
static bool are_changes_good(const struct select_record *record)
{
    uint64_t end = SELECT_HEADER_SIZE;

    for (size_t i = 0; i < record->change_count; i++) {
        const struct select_change *change = &record->changes[i];

        if ((change->patch.size != 2 && change->patch.size != 4)
            || change->offset < end)
            return false;
        end = (uint64_t)change->offset + change->patch.size;
    }
    return end <= record->original_size;
}

static bool is_id_good(const struct select_record *record)
{
    return record->id_size <= SELECT_ID_MAX
           && (record->id_size == 0
               || (record->id_offset >= SELECT_HEADER_SIZE
                   && record->id_offset <= record->original_size
                   && record->id_size
                              <= record->original_size - record->id_offset));
}

static void get_fixed(struct select_record *out, const uint8_t *bytes)
{
    out->original_size = bytes_get32(bytes + 20);
    out->original_crc = bytes_get32(bytes + 24);
    memcpy(out->header, bytes + 28, sizeof out->header);
    out->summary.functions = bytes_get32(bytes + 80);
    out->summary.functions_kept = bytes_get32(bytes + 84);
    out->summary.sites = bytes_get32(bytes + 88);
    out->summary.sites_kept = bytes_get32(bytes + 92);
    out->id_offset = bytes_get32(bytes + 96);
    out->id_size = bytes_get32(bytes + 100);
}

/* BYTES are a record of this version and of LENGTH bytes, which are its own. */
static int get_record(struct select_record *out, const uint8_t *bytes,
                      size_t length, size_t file_size)
{
    const uint8_t *at = bytes + FIXED;
    uint32_t count = bytes_get32(bytes + 104);
    uint32_t text_size = bytes_get32(bytes + 108);

    get_fixed(out, bytes);
    if (out->original_size > file_size || text_size > SELECT_TEXT_MAX
        || !is_id_good(out)
        || length
                   != FIXED + (uint64_t)out->id_size + (uint64_t)count * CHANGE
                              + text_size)
        return 0;
    out->changes = calloc((size_t)count + 1, sizeof *out->changes);
    out->text = malloc((size_t)text_size + 1);
    if (out->changes == NULL || out->text == NULL)
        return MCUPROF_E_NOMEM;
    memcpy(out->id, at, out->id_size);
    at += out->id_size;
    for (; out->change_count < count; at += CHANGE)
        get_change(at, &out->changes[out->change_count++]);
    memcpy(out->text, at, text_size);
    out->text[text_size] = '\0';
    out->summary.rules = out->text;
    if (are_changes_good(out))
        out->state = SELECT_FOUND;
    return 0;
}

static const uint8_t *find(const struct elf_view *view, size_t *size)
{
    for (uint32_t i = 0; i < view->section_count; i++) {
        struct elf_section section = elf_view_section(view, i);

        if (strcmp(section.name, SELECT_SECTION) != 0)
            continue;
        *size = section.size;
        return elf_view_content(view, &section);
    }
    return NULL;
}

int select_record_read(struct select_record *out, const uint8_t *file,
                       size_t size)
{
    struct elf_view view;
    const uint8_t *bytes;
    size_t length = 0;
    int result;

    *out = (struct select_record){.state = SELECT_NONE};
    if (elf_view_open(&view, file, size) < 0)
        return 0;
    bytes = find(&view, &length);
    if (bytes == NULL)
        return 0;
    out->state = SELECT_DAMAGED;
    if (length < HEAD || memcmp(bytes, magic, sizeof magic) != 0
        || bytes_get32(bytes + 12) != length
        || bytes_get32(bytes + AT_CRC) != checksum(bytes, length))
        return 0;
    out->version = bytes_get32(bytes + 8);
    if (out->version != SELECT_VERSION) {
        out->state = SELECT_OTHER_VERSION;
        return 0;
    }
    if (length < FIXED)
        return 0;
    result = get_record(out, bytes, length, size);
    if (out->state != SELECT_FOUND) {
        enum select_state state = out->state;

        select_record_deinit(out);
        *out = (struct select_record){.state = state,
                                      .version = SELECT_VERSION};
    }
    return result;
}

static void put_change(uint8_t *at, const struct select_change *change)
{
    bytes_put32(at, change->patch.address);
    bytes_put32(at + 4, change->offset);
    at[8] = change->patch.size;
    memcpy(at + 12, change->patch.before, change->patch.size);
    memcpy(at + 16, change->patch.after, change->patch.size);
}

static void put_fixed(uint8_t *bytes, const struct select_record *record)
{
    memcpy(bytes, magic, sizeof magic);
    bytes_put32(bytes + 8, SELECT_VERSION);
    bytes_put32(bytes + 20, record->original_size);
    bytes_put32(bytes + 24, record->original_crc);
    memcpy(bytes + 28, record->header, sizeof record->header);
    bytes_put32(bytes + 80, record->summary.functions);
    bytes_put32(bytes + 84, record->summary.functions_kept);
    bytes_put32(bytes + 88, record->summary.sites);
    bytes_put32(bytes + 92, record->summary.sites_kept);
    bytes_put32(bytes + 96, record->id_offset);
    bytes_put32(bytes + 100, record->id_size);
    bytes_put32(bytes + 104, (uint32_t)record->change_count);
}

uint8_t *select_record_make(const struct select_record *record, size_t *size)
{
    const char *rules =
            record->summary.rules != NULL ? record->summary.rules : "";
    size_t text_size = strnlen(rules, SELECT_TEXT_MAX);
    uint8_t *bytes, *at;

    *size = FIXED + record->id_size + record->change_count * CHANGE + text_size;
    bytes = calloc(1, *size);
    if (bytes == NULL)
        return NULL;
    put_fixed(bytes, record);
    bytes_put32(bytes + 12, (uint32_t)*size);
    bytes_put32(bytes + 108, (uint32_t)text_size);
    at = bytes + FIXED;
    memcpy(at, record->id, record->id_size);
    at += record->id_size;
    for (size_t i = 0; i < record->change_count; i++, at += CHANGE)
        put_change(at, &record->changes[i]);
    memcpy(at, rules, text_size);
    bytes_put32(bytes + AT_CRC, checksum(bytes, *size));
    return bytes;
}

void select_record_deinit(struct select_record *record)
{
    free(record->changes);
    free(record->text);
    *record = (struct select_record){.state = SELECT_NONE};
}
