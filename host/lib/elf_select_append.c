/* SPDX-License-Identifier: MIT */
#include "elf_select_parts.h"

#include "bytes.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* The tables are moved to the end, with the record before them. */

struct appended {
    const struct elf_view *view;
    uint8_t *record;
    size_t record_size;
    const uint8_t *names; /* the original's, NULL without */
    uint32_t names_size;
    bool has_own_names; /* a section is made for them */
    uint64_t record_at; /* places in the new file */
    uint64_t names_at;
    uint64_t sections_at;
    uint32_t section_count;
    uint32_t name; /* of the record's section, among the names */
    uint64_t size;
};

static uint64_t align(uint64_t at)
{
    return (at + 3) / 4 * 4;
}

static const char own_names[] = ".shstrtab";

/* Names that are loaded stay where they are; nobody's linker does that. */
static int find_names(struct appended *appended)
{
    const struct elf_view *view = appended->view;
    struct elf_section names;

    appended->has_own_names = view->names == 0;
    if (view->names == 0)
        return 0;
    names = elf_view_section(view, view->names);
    appended->names = elf_view_content(view, &names);
    appended->names_size = names.size;
    return appended->names != NULL && names.type == SHT_STRTAB
                           && (names.flags & SHF_ALLOC) == 0
                   ? 0
                   : MCUPROF_E_FORMAT;
}

/* The first section is nothing, and comes with the table. */
static int place(struct appended *appended)
{
    const struct elf_view *view = appended->view;
    uint32_t before = view->section_count > 0 ? view->section_count : 1;
    uint64_t names_size =
            (uint64_t)appended->names_size + 1 + sizeof SELECT_SECTION;

    if (appended->has_own_names)
        names_size += sizeof own_names;
    appended->name = appended->names_size + 1;
    appended->section_count = before + 1 + appended->has_own_names;
    appended->record_at = align(view->size);
    appended->names_at = appended->record_at + appended->record_size;
    appended->sections_at = align(appended->names_at + names_size);
    appended->size = appended->sections_at
                     + (uint64_t)appended->section_count * ELF_VIEW_SECTION;
    return appended->size <= UINT32_MAX ? 0 : MCUPROF_E_FORMAT;
}

static void put_names(const struct appended *appended, uint8_t *out)
{
    char *at = (char *)out + appended->names_at;

    if (appended->names_size > 0)
        memcpy(at, appended->names, appended->names_size);
    at += appended->names_size + 1;
    memcpy(at, SELECT_SECTION, sizeof SELECT_SECTION);
    if (appended->has_own_names)
        memcpy(at + sizeof SELECT_SECTION, own_names, sizeof own_names);
}

static void put_section(uint8_t *at, uint32_t name, uint32_t type,
                        uint64_t offset, uint64_t size)
{
    memset(at, 0, ELF_VIEW_SECTION);
    bytes_put32(at, name);
    bytes_put32(at + 4, type);
    bytes_put32(at + 16, (uint32_t)offset);
    bytes_put32(at + 20, (uint32_t)size);
    bytes_put32(at + 32, type == SHT_STRTAB ? 1 : 4);
}

static uint64_t names_end(const struct appended *appended)
{
    return appended->names_at + appended->name + sizeof SELECT_SECTION
           + (appended->has_own_names ? sizeof own_names : 0);
}

static void put_sections(const struct appended *appended, uint8_t *out)
{
    const struct elf_view *view = appended->view;
    uint8_t *table = out + appended->sections_at;
    uint32_t at = view->section_count > 0 ? view->section_count : 1;

    if (view->section_count > 0)
        memcpy(table, view->bytes + view->sections,
               (size_t)view->section_count * ELF_VIEW_SECTION);
    put_section(table + (size_t)at * ELF_VIEW_SECTION, appended->name,
                SHT_PROGBITS, appended->record_at, appended->record_size);
    if (appended->has_own_names) {
        /* What had no name has none now, whatever was there. */
        for (uint32_t i = 0; i < at; i++)
            bytes_put32(table + (size_t)i * ELF_VIEW_SECTION, 0);
        put_section(table + (size_t)(at + 1) * ELF_VIEW_SECTION,
                    appended->name + (uint32_t)sizeof SELECT_SECTION,
                    SHT_STRTAB, appended->names_at,
                    names_end(appended) - appended->names_at);
        return;
    }
    table += (size_t)view->names * ELF_VIEW_SECTION;
    bytes_put32(table + 16, (uint32_t)appended->names_at);
    bytes_put32(table + 20,
                (uint32_t)(names_end(appended) - appended->names_at));
}

/* Counts that do not fit are in the first section: gABI, "ELF Header". */
static void put_header(const struct appended *appended, uint8_t *out)
{
    uint8_t *first = out + appended->sections_at;
    uint32_t count = appended->section_count;
    uint32_t names =
            appended->has_own_names ? count - 1 : appended->view->names;
    bool is_many = count >= SHN_LORESERVE;
    bool is_far = names >= SHN_LORESERVE;

    bytes_put32(out + 32, (uint32_t)appended->sections_at);
    bytes_put16(out + 46, ELF_VIEW_SECTION);
    bytes_put16(out + 48, is_many ? 0 : (uint16_t)count);
    bytes_put16(out + 50, is_far ? SHN_XINDEX : (uint16_t)names);
    if (is_many)
        bytes_put32(first + 20, count);
    if (is_far)
        bytes_put32(first + 24, names);
}

int select_append(const struct elf_view *view, const uint8_t *bytes,
                  const struct select_record *record, uint8_t **out,
                  size_t *size)
{
    struct appended appended = {.view = view};
    int result = find_names(&appended);

    *out = NULL;
    if (result < 0)
        return result;
    appended.record = select_record_make(record, &appended.record_size);
    if (appended.record == NULL)
        return MCUPROF_E_NOMEM;
    result = place(&appended);
    if (result == 0) {
        *size = (size_t)appended.size;
        *out = calloc(1, *size);
        result = *out != NULL ? 0 : MCUPROF_E_NOMEM;
    }
    if (result == 0) {
        memcpy(*out, bytes, view->size);
        memcpy(*out + appended.record_at, appended.record,
               appended.record_size);
        put_names(&appended, *out);
        put_sections(&appended, *out);
        put_header(&appended, *out);
    }
    free(appended.record);
    return result;
}
