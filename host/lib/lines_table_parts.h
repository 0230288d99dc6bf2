/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_LINES_TABLE_PARTS_H
#define MCUPROF_HOST_LINES_TABLE_PARTS_H

/*
 * What the lines_table*.c files share: a reader that cannot leave its bytes,
 * the header of a table, and the index of its sequences.
 */

#include <stdlib.h>

#include "bytes.h"
#include "lines_table.h"

/* No path is longer: hostile tables name one long string a thousand times. */
enum {
    LINES_PATH_LIMIT = 4096
};

/*
 * Reads past the end give 0, set FAILED and leave nothing to be read, so that
 * a run of reads needs one check.
 */
struct lines_cursor {
    const uint8_t *at;
    const uint8_t *end;
    bool failed;
};

struct lines_file {
    const char *name;
    const char *directory; /* relative to the table's, or absolute */
    char *path;            /* both joined, once asked for; owned */
};

struct lines_header {
    unsigned version;
    bool is_64_bit; /* the format's offsets, not the target's addresses */
    uint8_t instruction_size;
    uint8_t operations; /* per instruction: 1 unless VLIW */
    int8_t line_base;
    uint8_t line_range;
    uint8_t opcode_base;
    const uint8_t *opcode_lengths; /* of opcode 1 and up */
    const char **directories;      /* owned; 0 is the compilation's */
    size_t directory_count;
    struct lines_cursor program;
};

/* Where one sequence is the one that counts. */
struct lines_span {
    uint32_t start;
    uint32_t end;
    size_t sequence;
};

static inline uint64_t cursor_left(const struct lines_cursor *cursor)
{
    return (uint64_t)(cursor->end - cursor->at);
}

/* The next SIZE bytes, or NULL. */
static inline const uint8_t *cursor_take(struct lines_cursor *cursor,
                                         uint64_t size)
{
    const uint8_t *bytes = cursor->at;

    if (size > cursor_left(cursor)) {
        cursor->at = cursor->end;
        cursor->failed = true;
        return NULL;
    }
    cursor->at += size;
    return bytes;
}

static inline uint8_t cursor_8(struct lines_cursor *cursor)
{
    const uint8_t *bytes = cursor_take(cursor, 1);

    return bytes != NULL ? bytes[0] : 0;
}

static inline uint16_t cursor_16(struct lines_cursor *cursor)
{
    const uint8_t *bytes = cursor_take(cursor, 2);

    return bytes != NULL ? bytes_get16(bytes) : 0;
}

static inline uint32_t cursor_32(struct lines_cursor *cursor)
{
    const uint8_t *bytes = cursor_take(cursor, 4);

    return bytes != NULL ? bytes_get32(bytes) : 0;
}

static inline uint64_t cursor_64(struct lines_cursor *cursor)
{
    const uint8_t *bytes = cursor_take(cursor, 8);

    return bytes != NULL ? bytes_get64(bytes) : 0;
}

static inline uint64_t cursor_offset(struct lines_cursor *cursor,
                                     bool is_64_bit)
{
    return is_64_bit ? cursor_64(cursor) : cursor_32(cursor);
}

/* SIGN gets the last byte's sign bit, sized to its place; bits beyond 64 of
 * a number go. */
static inline uint64_t cursor_leb(struct lines_cursor *cursor, uint64_t *sign)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;

    do {
        byte = cursor_8(cursor);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7F) << shift;
        shift += shift < 64 ? 7 : 0;
    } while (byte & 0x80);
    *sign = (byte & 0x40) && shift < 64 ? UINT64_MAX << shift : 0;
    return value;
}

static inline uint64_t cursor_uleb(struct lines_cursor *cursor)
{
    uint64_t sign;

    return cursor_leb(cursor, &sign);
}

static inline uint64_t cursor_sleb(struct lines_cursor *cursor)
{
    uint64_t sign;
    uint64_t value = cursor_leb(cursor, &sign);

    return value | sign;
}

/** The string at the cursor, "" if it does not end. */
const char *cursor_string(struct lines_cursor *cursor);

/**
 * Read the header at OFFSET and TABLE's files, for lines_table_read. TABLE's
 * directory is the unit's before and the table's own after. OUT's directories
 * are to be freed whatever is returned.
 */
MUST_CHECK int lines_header_read(struct lines_header *out,
                                 struct lines_table *table,
                                 const struct lines_sections *sections,
                                 uint64_t offset, const char *name,
                                 const char **problem);

/** Add a file to TABLE. errors: MCUPROF_E_NOMEM */
MUST_CHECK int lines_header_add_file(const struct lines_header *header,
                                     struct lines_table *table,
                                     const char *name, uint64_t directory);

/*
 * Make room for one more in ITEMS, of which COUNT of SIZE bytes are there: the
 * room is the next power of two. COUNT may have gone down since.
 * returns ITEMS or what took its place, NULL without memory
 */
static inline void *lines_grow(void *items, size_t count, size_t size)
{
    if ((count & (count - 1)) != 0)
        return items;
    if (count > SIZE_MAX / 2 / size)
        return NULL;
    return realloc(items, (count > 0 ? 2 * count : 1) * size);
}

/** Make room for the spans of TABLE. errors: MCUPROF_E_NOMEM */
MUST_CHECK int lines_spans_new(struct lines_table *table);

/** Find out where which of TABLE's sorted sequences counts. */
void lines_spans_build(struct lines_table *table);

#endif
