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

/* Rows FIRST to FIRST + COUNT, 1 at least; the last one's code reaches to
 * END, which is above START and all the rows. */
struct lines_sequence {
    uint32_t start;
    uint32_t end;
    size_t first;
    size_t count;
};

/* Points into the sections, DIRECTORY and NAME it was read from: they have to
 * outlive it. */
struct lines_table {
    struct lines_sequence *sequences; /* ascending starts; may overlap */
    size_t sequence_count;
    struct lines_row *rows; /* ascending addresses within a sequence, none
                               twice: rows that others replace are left out */
    size_t row_count;
    size_t file_count; /* file numbers are below; 0 is the unit's own */
    unsigned version;
    const char *directory; /* that relative paths start from */
    /* private */
    struct lines_file *files;
    struct lines_span *spans;
    size_t span_count;
    size_t *waiting;
};

/**
 * Decode the table at OFFSET of .debug_line. DIRECTORY is the unit's
 * compilation directory and NAME its file name, either may be "" if unknown
 * (before DWARF 5 the table does not have them).
 *
 * Rows are what a debugger makes of them: of several at one address the last
 * counts; addresses that go backwards within a sequence are sorted; what lies
 * outside of 32 bits goes, and so do sequences without code. Whether code at
 * 0 is discarded code is not decided here, see lines_table_filter.
 * returns 0, a table to be given to lines_table_free; PROBLEM is NULL, or a
 * few words, a string constant, for a program that was cut: the table has the
 * rows up to there
 * errors: MCUPROF_E_NOMEM; MCUPROF_E_FORMAT or _VERSION for a header that
 * makes no sense, said by PROBLEM; OUT then is empty
 * cost: linear, about 50 ns a row; memory at worst 80 times the bytes read
 */
MUST_CHECK int lines_table_read(struct lines_table *out,
                                const struct lines_sections *sections,
                                uint64_t offset, const char *directory,
                                const char *name, const char **problem);

void lines_table_free(struct lines_table *table);

/** Keep the sequences for which KEEP is true. Rows stay where they are. */
void lines_table_filter(struct lines_table *table,
                        bool (*keep)(void *context, uint32_t start,
                                     uint32_t end),
                        void *context);

/**
 * The row that ADDRESS, with or without the Thumb bit, belongs to. Of
 * overlapping sequences the shortest one's, of equals that of the lower start,
 * then of the first in the table. A row of line 0 says that the compiler names
 * no line for this code (its file is the unit's or one before): it counts like
 * any other, as with addr2line, gdb and llvm-symbolizer.
 * returns NULL if there is none
 * cost: two binary searches
 */
const struct lines_row *lines_table_find(const struct lines_table *table,
                                         uint32_t address);

/**
 * The path of FILE as a row or a DIE's decl_file or call_file gives it: joined
 * with its directory and the compilation directory, see paths_join.
 * returns "" if there is no such file or no memory; lives as long as the table
 * cost: the first time allocates
 */
const char *lines_table_file(const struct lines_table *table, uint32_t file);

#endif
