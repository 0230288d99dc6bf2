/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_LINES_TABLE_H
#define MCUPROF_HOST_LINES_TABLE_H

/*
 * One line number program of .debug_line, decoded: for the lines_*.c files
 * only. libdw's own decoder merges the sequences of a table, after which
 * discarded code at address 0 cannot be told from live code there any more.
 *
 * source: DWARF 2 to 5, section 6.2; the file index base and the header's
 * layout follow the table's own version, not the unit's
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

/* Sections a table refers to; absent ones are NULL and 0. */
struct lines_section {
    const uint8_t *bytes;
    size_t size;
};

struct lines_sections {
    struct lines_section line;
    struct lines_section line_str;
    struct lines_section str;
};

struct lines_row {
    uint32_t address; /* without the Thumb bit */
    uint32_t file;    /* as in the table; for lines_table_file */
    uint32_t line;
    uint32_t discriminator;
    uint16_t column; /* 0 also if it does not fit */
};

/* Rows FIRST to FIRST + COUNT; the last one's code reaches to END. */
struct lines_sequence {
    uint32_t start;
    uint32_t end;
    size_t first;
    size_t count;
};

struct lines_table {
    struct lines_sequence *sequences; /* ascending starts; may overlap */
    size_t sequence_count;
    struct lines_row *rows; /* ascending addresses within a sequence */
    size_t row_count;
    struct lines_file *files; /* private */
    size_t file_count;
    unsigned version;
};

/**
 * Decode the table at OFFSET of .debug_line. DIRECTORY is the unit's
 * compilation directory and NAME its file name, either may be "" if unknown
 * (before DWARF 5 the table does not have them).
 * returns 0, a table to be given to lines_table_free
 * errors: MCUPROF_E_NOMEM; MCUPROF_E_FORMAT or _VERSION for a header that
 * makes no sense: PROBLEM then is a few words for it, a string constant. A
 * program cut in its middle gives the rows up to there, and 0, and PROBLEM.
 */
MUST_CHECK int lines_table_read(struct lines_table *out,
                                const struct lines_sections *sections,
                                uint64_t offset, const char *directory,
                                const char *name, const char **problem);

void lines_table_free(struct lines_table *table);

/** Keep the sequences for which KEEP is true. */
void lines_table_filter(struct lines_table *table,
                        bool (*keep)(void *context, uint32_t start,
                                     uint32_t end),
                        void *context);

/**
 * The row that ADDRESS belongs to: of several at one address the last one
 * with a line (line 0 means that the compiler names none: then NULL unless
 * no other has that address); of overlapping sequences the shorter one's.
 * returns NULL if there is none
 * cost: a binary search
 */
const struct lines_row *lines_table_find(const struct lines_table *table,
                                         uint32_t address);

/**
 * The path of FILE as a row or a DIE's decl_file or call_file gives it,
 * joined with its directory and the compilation directory.
 * returns "" if there is no such file
 */
const char *lines_table_file(const struct lines_table *table, uint32_t file);

#endif
