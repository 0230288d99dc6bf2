/* SPDX-License-Identifier: MIT */
#include "elf_select.h"

#include "bytes.h"
#include "elf_select_parts.h"
#include "file_replace.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static const char remedy_linker[] = "take the ELF that the linker wrote";

/* A file in memory. */
struct loaded {
    const char *path;
    uint8_t *bytes;
    size_t size;
};

static uint32_t checksum(const uint8_t *bytes, size_t size)
{
    return (uint32_t)crc32(crc32(0, NULL, 0), bytes, (uInt)size);
}

static int refuse_memory(const char *path, struct error *error)
{
    return error_set(error, MCUPROF_E_NOMEM, "close other programs",
                     "out of memory for %s", path);
}

/* Its bytes are to be freed, also on an error. */
static int load(struct loaded *file, const char *path, struct error *error)
{
    struct elf_view view;
    int result = file_read_whole(path, &file->bytes, &file->size, error);

    file->path = path;
    if (result < 0)
        return result;
    if (elf_view_open(&view, file->bytes, file->size) == 0)
        return 0;
    return error_set(error, MCUPROF_E_FORMAT, remedy_linker,
                     "%s is not the ELF of Arm firmware, or damaged", path);
}

/* Make of FILE its original, which RECORD describes. */
static int undo(struct loaded *file, const struct select_record *record,
                struct error *error)
{
    memcpy(file->bytes, record->header, sizeof record->header);
    if (record->id_size > 0)
        memcpy(file->bytes + record->id_offset, record->id, record->id_size);
    for (size_t i = 0; i < record->change_count; i++)
        memcpy(file->bytes + record->changes[i].offset,
               record->changes[i].patch.before, record->changes[i].patch.size);
    file->size = record->original_size;
    if (checksum(file->bytes, file->size) == record->original_crc)
        return 0;
    return error_set(error, MCUPROF_E_MISMATCH, remedy_linker,
                     "%s was changed after it was selected: its original "
                     "cannot be made again",
                     file->path);
}

static int refuse_record(const struct loaded *file,
                         const struct select_record *record,
                         struct error *error)
{
    if (record->state == SELECT_OTHER_VERSION)
        return error_set(error, MCUPROF_E_VERSION,
                         "use that version, or take the ELF that the linker "
                         "wrote",
                         "%s was selected by another version of mcuprof "
                         "(record version %" PRIu32 ")",
                         file->path, record->version);
    if (record->state == SELECT_DAMAGED)
        return error_set(error, MCUPROF_E_FORMAT, remedy_linker,
                         "%s is a selected image, and the record of that is "
                         "damaged",
                         file->path);
    return error_set(error, MCUPROF_E_NOT_FOUND,
                     "only what mcuprof select has written can be restored",
                     "%s is not a selected image", file->path);
}

/* Make of FILE its original if it is selected, which IS_SELECTED says. */
static int undo_if_selected(struct loaded *file, bool *is_selected,
                            struct error *error)
{
    struct select_record record;
    int result = select_record_read(&record, file->bytes, file->size);

    *is_selected = record.state != SELECT_NONE;
    if (result < 0)
        result = refuse_memory(file->path, error);
    else if (record.state == SELECT_FOUND)
        result = undo(file, &record, error);
    else if (record.state != SELECT_NONE)
        result = refuse_record(file, &record, error);
    select_record_deinit(&record);
    return result;
}

int elf_select_restore(const char *in, const char *out, struct error *error)
{
    static const struct select_record none = {.state = SELECT_NONE};
    struct loaded file = {0};
    bool is_selected = false;
    int result = load(&file, in, error);

    if (result == 0)
        result = undo_if_selected(&file, &is_selected, error);
    if (result == 0 && !is_selected)
        result = refuse_record(&file, &none, error);
    if (result == 0)
        result = file_replace(out, file.bytes, file.size, in, error);
    free(file.bytes);
    return result;
}

int elf_select_open(struct image **out, const char *path, bool *is_selected,
                    struct error *error)
{
    struct select_record record;
    struct loaded file = {0};
    int result = image_open(out, path, error);

    *is_selected = false;
    if (result < 0)
        return result;
    result = elf_select_read(*out, &record);
    *is_selected = record.state != SELECT_NONE;
    select_record_deinit(&record);
    if (result == 0 && !*is_selected)
        return 0;
    image_free(*out);
    *out = NULL;
    if (result < 0)
        return refuse_memory(path, error);
    result = load(&file, path, error);
    if (result == 0)
        result = undo_if_selected(&file, is_selected, error);
    if (result == 0)
        return image_open_memory(out, path, file.bytes, file.size, error);
    free(file.bytes);
    return result;
}

int elf_select_read(const struct image *image, struct select_record *out)
{
    size_t size = 0;
    const uint8_t *file = image_file_bytes(image, &size);

    return select_record_read(out, file, size);
}

/* Selecting, from the original in view. */
struct selecting {
    struct loaded file;
    struct elf_view view;
    struct select_record record;
    uint8_t *patched;
};

/* Where the bytes for ADDRESS are in the file; 0 if not in one place. */
static uint32_t find_in_segments(const struct elf_view *view, uint32_t address,
                                 uint32_t size)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < view->segment_count; i++) {
        struct elf_segment segment = elf_view_segment(view, i);
        uint32_t at = address - segment.address;

        if (segment.type != PT_LOAD || at >= segment.size)
            continue;
        if (size > segment.size - at
            || (found != 0 && found != segment.offset + at))
            return 0;
        found = segment.offset + at;
    }
    return found;
}

/* Others read code by sections: they must say the same. */
static bool agrees_with_sections(const struct elf_view *view, uint32_t address,
                                 uint32_t offset, uint32_t size)
{
    for (uint32_t i = 0; i < view->section_count; i++) {
        struct elf_section section = elf_view_section(view, i);
        uint32_t at = address - section.address;

        if (!elf_view_is_loaded(&section) || at >= section.size)
            continue;
        if (size > section.size - at || section.offset + at != offset)
            return false;
    }
    return true;
}

static bool overlaps(uint64_t offset, uint64_t size, uint64_t other,
                     uint64_t other_size)
{
    return offset < other + other_size && other < offset + size;
}

/* What is read to find the code must not be taken for code. */
static bool is_in_tables(const struct elf_view *view, uint32_t offset,
                         uint32_t size)
{
    return offset < ELF_VIEW_HEADER
           || overlaps(offset, size, view->segments,
                       (uint64_t)view->segment_count * ELF_VIEW_SEGMENT)
           || overlaps(offset, size, view->sections,
                       (uint64_t)view->section_count * ELF_VIEW_SECTION);
}

static int place_patch(struct selecting *selecting,
                       const struct elf_patch *patch, struct error *error)
{
    const struct elf_view *view = &selecting->view;
    struct select_change *change =
            &selecting->record.changes[selecting->record.change_count];
    bool has_size = patch->size == 2 || patch->size == 4;
    uint32_t offset =
            has_size ? find_in_segments(view, patch->address, patch->size) : 0;

    if (offset == 0 || is_in_tables(view, offset, patch->size)
        || overlaps(offset, patch->size, selecting->record.id_offset,
                    selecting->record.id_size)
        || !agrees_with_sections(view, patch->address, offset, patch->size))
        return error_set(error, MCUPROF_E_FORMAT, remedy_linker,
                         "%s: what is at 0x%08" PRIx32
                         " is not in one place of the file",
                         selecting->file.path, patch->address);
    if (memcmp(view->bytes + offset, patch->before, patch->size) != 0)
        return error_set(error, MCUPROF_E_MISMATCH, "try again",
                         "%s: the code at 0x%08" PRIx32 " is not what it was",
                         selecting->file.path, patch->address);
    *change = (struct select_change){.offset = offset};
    change->patch.address = patch->address;
    change->patch.size = patch->size;
    memcpy(change->patch.before, patch->before, patch->size);
    memcpy(change->patch.after, patch->after, patch->size);
    selecting->record.change_count++;
    return 0;
}

static int compare_changes(const void *left, const void *right)
{
    const struct select_change *a = left, *b = right;

    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static int place_patches(struct selecting *selecting,
                         const struct elf_patch *patches, size_t count,
                         struct error *error)
{
    struct select_record *record = &selecting->record;
    int result = 0;

    record->changes = calloc(count + 1, sizeof *record->changes);
    if (record->changes == NULL)
        return refuse_memory(selecting->file.path, error);
    for (size_t i = 0; i < count && result == 0; i++)
        result = place_patch(selecting, &patches[i], error);
    if (result < 0 || count == 0)
        return result;
    qsort(record->changes, count, sizeof *record->changes, compare_changes);
    for (size_t i = 1; i < count; i++)
        if (record->changes[i].offset - record->changes[i - 1].offset
            < record->changes[i - 1].patch.size)
            return error_set(
                    error, MCUPROF_E_FORMAT, remedy_linker,
                    "%s: what is at 0x%08" PRIx32 " would be changed twice",
                    selecting->file.path, record->changes[i].patch.address);
    return 0;
}

static void fill_record(struct selecting *selecting,
                        const struct select_summary *summary)
{
    const struct elf_view *view = &selecting->view;
    struct select_record *record = &selecting->record;
    struct select_id id = select_find_id(view);

    if (is_in_tables(view, id.offset, id.size))
        id.size = 0;
    record->original_size = (uint32_t)view->size;
    record->original_crc = checksum(view->bytes, view->size);
    memcpy(record->header, view->bytes, sizeof record->header);
    record->id_offset = id.offset;
    record->id_size = id.size;
    if (id.size > 0)
        memcpy(record->id, view->bytes + id.offset, id.size);
    record->summary = *summary;
}

static int make_patched(struct selecting *selecting, struct error *error)
{
    const struct elf_view *view = &selecting->view;
    const struct select_record *record = &selecting->record;

    selecting->patched = malloc(view->size);
    if (selecting->patched == NULL)
        return refuse_memory(selecting->file.path, error);
    memcpy(selecting->patched, view->bytes, view->size);
    for (size_t i = 0; i < record->change_count; i++)
        memcpy(selecting->patched + record->changes[i].offset,
               record->changes[i].patch.after, record->changes[i].patch.size);
    if (record->id_size > 0)
        select_renew_id(selecting->patched + record->id_offset, record->id_size,
                        record->changes, record->change_count);
    return 0;
}

static int write_selected(struct selecting *selecting, const char *out,
                          struct error *error)
{
    const char *in = selecting->file.path;
    uint8_t *bytes = NULL;
    size_t size = 0;
    int result = select_append(&selecting->view, selecting->patched,
                               &selecting->record, &bytes, &size);

    if (result == MCUPROF_E_NOMEM)
        return refuse_memory(in, error);
    if (result < 0)
        return error_set(error, result, remedy_linker,
                         "%s: no section can be added to it", in);
    result = file_replace(out, bytes, size, in, error);
    free(bytes);
    return result;
}

int elf_select_write(const char *in, const char *out,
                     const struct elf_patch *patches, size_t count,
                     const struct select_summary *summary, struct error *error)
{
    struct selecting selecting = {.patched = NULL};
    struct loaded *file = &selecting.file;
    bool is_selected = false;
    int result = load(file, in, error);

    if (result == 0)
        result = undo_if_selected(file, &is_selected, error);
    if (result == 0
        && elf_view_open(&selecting.view, file->bytes, file->size) < 0)
        result = error_set(error, MCUPROF_E_FORMAT, remedy_linker,
                           "%s is damaged", in);
    if (result == 0) {
        fill_record(&selecting, summary);
        result = place_patches(&selecting, patches, count, error);
    }
    if (result == 0)
        result = make_patched(&selecting, error);
    if (result == 0)
        result = write_selected(&selecting, out, error);
    free(selecting.patched);
    select_record_deinit(&selecting.record);
    free(file->bytes);
    return result;
}
