/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "lines_table_parts.h"
#include "paths.h"

enum {
    FORMATS = 255, /* their number is a byte */

    DW_LNCT_PATH = 1,
    DW_LNCT_DIRECTORY_INDEX = 2,

    DW_FORM_BLOCK2 = 0x03,
    DW_FORM_BLOCK4 = 0x04,
    DW_FORM_DATA2 = 0x05,
    DW_FORM_DATA4 = 0x06,
    DW_FORM_DATA8 = 0x07,
    DW_FORM_STRING = 0x08,
    DW_FORM_BLOCK = 0x09,
    DW_FORM_BLOCK1 = 0x0A,
    DW_FORM_DATA1 = 0x0B,
    DW_FORM_FLAG = 0x0C,
    DW_FORM_SDATA = 0x0D,
    DW_FORM_STRP = 0x0E,
    DW_FORM_UDATA = 0x0F,
    DW_FORM_SEC_OFFSET = 0x17,
    DW_FORM_STRX = 0x1A,
    DW_FORM_STRP_SUP = 0x1D,
    DW_FORM_DATA16 = 0x1E,
    DW_FORM_LINE_STRP = 0x1F,
    DW_FORM_STRX1 = 0x25,
    DW_FORM_STRX2 = 0x26,
    DW_FORM_STRX3 = 0x27,
    DW_FORM_STRX4 = 0x28,
    DW_FORM_GNU_STRP_ALT = 0x1F21
};

/* How the entries of a version 5 list are written. */
struct format {
    uint64_t content;
    uint64_t form;
};

struct formats {
    struct format formats[FORMATS];
    uint8_t count;
};

struct entry {
    const char *path;
    uint64_t directory;
};

struct value {
    const char *text; /* NULL unless it is a string that is at hand */
    uint64_t number;
};

struct reader {
    struct lines_cursor cursor;
    struct lines_header *header;
    struct lines_table *table;
    const struct lines_sections *sections;
    const char *problem;
};

const char *cursor_string(struct lines_cursor *cursor)
{
    const uint8_t *start = cursor->at;
    const uint8_t *zero = memchr(start, 0, (size_t)cursor_left(cursor));

    if (zero == NULL) {
        cursor->at = cursor->end;
        cursor->failed = true;
        return "";
    }
    cursor->at = zero + 1;
    return (const char *)start;
}

static int fail(struct reader *reader, const char *problem)
{
    reader->problem = problem;
    return MCUPROF_E_FORMAT;
}

int lines_header_add_file(const struct lines_header *header,
                          struct lines_table *table, const char *name,
                          uint64_t directory)
{
    struct lines_file *files =
            lines_grow(table->files, table->file_count, sizeof *files);

    if (files == NULL)
        return MCUPROF_E_NOMEM;
    table->files = files;
    files[table->file_count++] = (struct lines_file){
            .name = name,
            .directory = directory < header->directory_count
                                 ? header->directories[directory]
                                 : "",
    };
    return 0;
}

static int add_directory(struct lines_header *header, const char *path)
{
    const char **directories = lines_grow(
            header->directories, header->directory_count, sizeof *directories);

    if (directories == NULL)
        return MCUPROF_E_NOMEM;
    header->directories = directories;
    directories[header->directory_count++] = path;
    return 0;
}

/* Versions 2 to 4: lists of strings, each ended by an empty one. */
static int read_lists(struct reader *reader, const char *name)
{
    struct lines_cursor *cursor = &reader->cursor;
    int status = add_directory(reader->header, "");

    for (const char *path = cursor_string(cursor); status == 0 && *path != '\0';
         path = cursor_string(cursor))
        status = add_directory(reader->header, path);
    if (status == 0)
        status = lines_header_add_file(reader->header, reader->table, name, 0);
    while (status == 0) {
        const char *path = cursor_string(cursor);
        uint64_t directory;

        if (*path == '\0')
            break;
        directory = cursor_uleb(cursor);
        (void)cursor_uleb(cursor); /* time */
        (void)cursor_uleb(cursor); /* size */
        status = lines_header_add_file(reader->header, reader->table, path,
                                       directory);
    }
    if (status == 0 && cursor->failed)
        return fail(reader, "its file names end too early");
    return status;
}

/*
 * The string at OFFSET of SECTION. One too long for any path is none, so that
 * thousands of references to one long string cost little.
 */
static const char *section_string(const struct lines_section *section,
                                  uint64_t offset)
{
    size_t left;

    if (offset >= section->size)
        return "";
    left = section->size - (size_t)offset;
    if (left > LINES_PATH_LIMIT)
        left = LINES_PATH_LIMIT;
    return memchr(section->bytes + offset, 0, left) != NULL
                   ? (const char *)section->bytes + offset
                   : "";
}

/* Bytes of a form of fixed size, 0 for the other forms. */
static unsigned form_size(uint64_t form, bool is_64_bit)
{
    switch (form) {
    case DW_FORM_DATA1:
    case DW_FORM_FLAG:
    case DW_FORM_STRX1:
        return 1;
    case DW_FORM_DATA2:
    case DW_FORM_STRX2:
        return 2;
    case DW_FORM_STRX3:
        return 3;
    case DW_FORM_DATA4:
    case DW_FORM_STRX4:
        return 4;
    case DW_FORM_DATA8:
        return 8;
    case DW_FORM_DATA16:
        return 16;
    case DW_FORM_STRP:
    case DW_FORM_LINE_STRP:
    case DW_FORM_STRP_SUP:
    case DW_FORM_SEC_OFFSET:
    case DW_FORM_GNU_STRP_ALT:
        return is_64_bit ? 8 : 4;
    default:
        return 0;
    }
}

static struct value read_fixed(struct reader *reader, uint64_t form,
                               unsigned size)
{
    const uint8_t *bytes = cursor_take(&reader->cursor, size);
    struct value value = {0};

    if (bytes == NULL || size > 8)
        return value;
    for (unsigned i = 0; i < size; i++)
        value.number |= (uint64_t)bytes[i] << 8 * i;
    if (form == DW_FORM_LINE_STRP)
        value.text = section_string(&reader->sections->line_str, value.number);
    else if (form == DW_FORM_STRP)
        value.text = section_string(&reader->sections->str, value.number);
    return value;
}

static bool read_value(struct reader *reader, uint64_t form, struct value *out)
{
    struct lines_cursor *cursor = &reader->cursor;
    unsigned size = form_size(form, reader->header->is_64_bit);

    *out = (struct value){0};
    if (size > 0) {
        *out = read_fixed(reader, form, size);
        return true;
    }
    switch (form) {
    case DW_FORM_STRING:
        out->text = cursor_string(cursor);
        return true;
    case DW_FORM_UDATA:
    case DW_FORM_STRX:
        out->number = cursor_uleb(cursor);
        return true;
    case DW_FORM_SDATA:
        out->number = cursor_sleb(cursor);
        return true;
    case DW_FORM_BLOCK:
        (void)cursor_take(cursor, cursor_uleb(cursor));
        return true;
    case DW_FORM_BLOCK1:
        (void)cursor_take(cursor, cursor_8(cursor));
        return true;
    case DW_FORM_BLOCK2:
        (void)cursor_take(cursor, cursor_16(cursor));
        return true;
    case DW_FORM_BLOCK4:
        (void)cursor_take(cursor, cursor_32(cursor));
        return true;
    default:
        return false;
    }
}

static int read_formats(struct reader *reader, struct formats *out)
{
    out->count = cursor_8(&reader->cursor);
    for (size_t i = 0; i < out->count; i++) {
        out->formats[i].content = cursor_uleb(&reader->cursor);
        out->formats[i].form = cursor_uleb(&reader->cursor);
    }
    return reader->cursor.failed ? fail(reader, "its header ends too early")
                                 : 0;
}

static int read_entry(struct reader *reader, const struct formats *formats,
                      struct entry *out)
{
    *out = (struct entry){.path = ""};
    for (size_t i = 0; i < formats->count; i++) {
        const struct format *format = &formats->formats[i];
        struct value value;

        if (!read_value(reader, format->form, &value))
            return fail(reader, "its file names have an unknown form");
        if (format->content == DW_LNCT_PATH && value.text != NULL)
            out->path = value.text;
        else if (format->content == DW_LNCT_DIRECTORY_INDEX)
            out->directory = value.number;
    }
    return reader->cursor.failed ? fail(reader, "its file names end too early")
                                 : 0;
}

/* A list of version 5; every entry takes a byte at least, if only as proof
 * that there are as many as are claimed. */
static int read_entries(struct reader *reader, bool are_files)
{
    struct formats formats;
    int status = read_formats(reader, &formats);
    uint64_t count = status == 0 ? cursor_uleb(&reader->cursor) : 0;

    if (formats.count == 0 && count > 0)
        return fail(reader, "its file names have no form");
    for (; status == 0 && count > 0; count--) {
        struct entry entry;

        status = read_entry(reader, &formats, &entry);
        if (status == 0 && are_files)
            status = lines_header_add_file(reader->header, reader->table,
                                           entry.path, entry.directory);
        else if (status == 0)
            status = add_directory(reader->header, entry.path);
    }
    return status;
}

static int read_length(struct reader *reader)
{
    struct lines_cursor *cursor = &reader->cursor;
    uint64_t length = cursor_32(cursor);

    if (length == 0xFFFFFFFF) {
        reader->header->is_64_bit = true;
        length = cursor_64(cursor);
    } else if (length >= 0xFFFFFFF0) {
        return fail(reader, "its length is a reserved one");
    }
    if (length < cursor_left(cursor))
        cursor->end = cursor->at + length;
    else if (length > cursor_left(cursor))
        reader->problem = "it ends before its length says";
    return 0;
}

/* Up to the file names. */
static int read_fields(struct reader *reader)
{
    struct lines_cursor *cursor = &reader->cursor;
    struct lines_header *header = reader->header;
    uint64_t length;

    header->version = cursor_16(cursor);
    if (cursor->failed)
        return fail(reader, "its header ends too early");
    if (header->version < 2 || header->version > 5) {
        reader->problem = "its version is none of 2 to 5";
        return MCUPROF_E_VERSION;
    }
    if (header->version >= 5)
        (void)cursor_take(cursor, 2); /* sizes of addresses, of segments */
    length = cursor_offset(cursor, header->is_64_bit);
    if (length > cursor_left(cursor))
        return fail(reader, "its header is longer than the table");
    header->program = (struct lines_cursor){.at = cursor->at + length,
                                            .end = cursor->end};
    cursor->end = header->program.at;
    header->instruction_size = cursor_8(cursor);
    header->operations = header->version >= 4 ? cursor_8(cursor) : 1;
    if (header->operations == 0)
        header->operations = 1; /* as some producers mean it */
    (void)cursor_8(cursor);     /* default_is_stmt */
    header->line_base = (int8_t)cursor_8(cursor);
    header->line_range = cursor_8(cursor);
    header->opcode_base = cursor_8(cursor);
    if (!cursor->failed && header->line_range == 0)
        return fail(reader, "its line range is 0");
    if (!cursor->failed && header->opcode_base == 0)
        return fail(reader, "its opcode base is 0");
    header->opcode_lengths = cursor_take(cursor, header->opcode_base - 1u);
    return cursor->failed ? fail(reader, "its header ends too early") : 0;
}

/*
 * Directory 0 is the compilation directory; a relative one says less than the
 * unit's own if that is absolute.
 */
static void choose_directory(struct lines_table *table,
                             struct lines_header *header)
{
    const char **first = header->directories;

    if (header->directory_count == 0 || (*first)[0] == '\0'
        || (!paths_is_absolute(*first) && paths_is_absolute(table->directory)))
        return;
    table->directory = *first;
    *first = "";
}

int lines_header_read(struct lines_header *out, struct lines_table *table,
                      const struct lines_sections *sections, uint64_t offset,
                      const char *name, const char **problem)
{
    struct reader reader = {
            .header = out, .table = table, .sections = sections};
    const struct lines_section *line = &sections->line;
    int status;

    *out = (struct lines_header){0};
    *problem = "it lies outside of .debug_line";
    if (offset >= line->size)
        return MCUPROF_E_FORMAT;
    reader.cursor.at = line->bytes + offset;
    reader.cursor.end = line->bytes + line->size;
    status = read_length(&reader);
    if (status == 0)
        status = read_fields(&reader);
    if (status == 0 && out->version < 5) {
        status = read_lists(&reader, name);
    } else if (status == 0) {
        status = read_entries(&reader, false);
        if (status == 0) {
            choose_directory(table, out);
            status = read_entries(&reader, true);
        }
    }
    table->version = out->version;
    *problem = reader.problem;
    return status;
}
