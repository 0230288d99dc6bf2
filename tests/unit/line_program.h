/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_TESTS_LINE_PROGRAM_H
#define MCUPROF_TESTS_LINE_PROGRAM_H

/*
 * An assembler for .debug_line tables: a test writes the fields and opcodes,
 * the lengths are filled in.
 *
 * source: DWARF 5, section 6.2
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bytes.h"

enum {
    PROGRAM_ROOM = 1 << 16,

    LNS_COPY = 1,
    LNS_ADVANCE_PC,
    LNS_ADVANCE_LINE,
    LNS_SET_FILE,
    LNS_SET_COLUMN,
    LNS_NEGATE_STMT,
    LNS_SET_BASIC_BLOCK,
    LNS_CONST_ADD_PC,
    LNS_FIXED_ADVANCE_PC,
    LNS_SET_PROLOGUE_END,
    LNS_SET_EPILOGUE_BEGIN,
    LNS_SET_ISA,

    LNE_END_SEQUENCE = 1,
    LNE_SET_ADDRESS,
    LNE_DEFINE_FILE,
    LNE_SET_DISCRIMINATOR,
    LNE_LO_USER = 0x80,

    LNCT_PATH = 1,
    LNCT_DIRECTORY_INDEX,
    LNCT_TIMESTAMP,
    LNCT_SIZE,
    LNCT_MD5,
    LNCT_LO_USER = 0x2000,

    FORM_BLOCK2 = 0x03,
    FORM_BLOCK4 = 0x04,
    FORM_DATA2 = 0x05,
    FORM_DATA4 = 0x06,
    FORM_DATA8 = 0x07,
    FORM_STRING = 0x08,
    FORM_BLOCK = 0x09,
    FORM_BLOCK1 = 0x0A,
    FORM_DATA1 = 0x0B,
    FORM_STRP = 0x0E,
    FORM_UDATA = 0x0F,
    FORM_DATA16 = 0x1E,
    FORM_LINE_STRP = 0x1F
};

struct line_program {
    uint8_t bytes[PROGRAM_ROOM];
    size_t size;
    unsigned version;
    bool is_64_bit;
    /* header fields, to be changed before the header is put */
    uint8_t instruction_size;
    uint8_t operations;
    int8_t line_base;
    uint8_t line_range;
    uint8_t opcode_base;
    uint8_t opcode_lengths[255];
    size_t start; /* behind the unit length */
    size_t header;
};

static inline void put_8(struct line_program *program, unsigned value)
{
    assert_in_range(program->size, 0, PROGRAM_ROOM - 1);
    program->bytes[program->size++] = (uint8_t)value;
}

static inline void put_number(struct line_program *program, unsigned size,
                              uint64_t value)
{
    for (unsigned i = 0; i < size; i++)
        put_8(program, (unsigned)(value >> 8 * i) & 0xFF);
}

static inline void put_uleb(struct line_program *program, uint64_t value)
{
    for (; value > 0x7F; value >>= 7)
        put_8(program, (unsigned)(value & 0x7F) | 0x80);
    put_8(program, (unsigned)value);
}

/* Ten bytes: longer than it must be, which the standard allows. */
static inline void put_sleb(struct line_program *program, int64_t value)
{
    uint64_t bits = (uint64_t)value;

    for (unsigned i = 0; i < 9; i++)
        put_8(program, (unsigned)(bits >> 7 * i & 0x7F) | 0x80);
    put_8(program, bits >> 63 ? 0x7F : 0);
}

static inline void put_text(struct line_program *program, const char *text)
{
    for (size_t i = 0; i <= strlen(text); i++)
        put_8(program, (uint8_t)text[i]);
}

/* The header that gcc for Arm writes, up to the file names. */
static inline void program_defaults(struct line_program *program,
                                    unsigned version, bool is_64_bit)
{
    static const uint8_t lengths[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};

    program->version = version;
    program->is_64_bit = is_64_bit;
    program->instruction_size = 2;
    program->operations = 1;
    program->line_base = -3;
    program->line_range = 12;
    program->opcode_base = 13;
    memcpy(program->opcode_lengths, lengths, sizeof lengths);
}

static inline void put_offset(struct line_program *program, uint64_t value)
{
    put_number(program, program->is_64_bit ? 8 : 4, value);
}

static inline void program_begin(struct line_program *program)
{
    if (program->is_64_bit)
        put_number(program, 4, 0xFFFFFFFF);
    put_offset(program, 0);
    program->start = program->size;
    put_number(program, 2, program->version);
    if (program->version >= 5) {
        put_8(program, 4); /* address size */
        put_8(program, 0); /* segment selector size */
    }
    put_offset(program, 0);
    program->header = program->size;
    put_8(program, program->instruction_size);
    if (program->version >= 4)
        put_8(program, program->operations);
    put_8(program, 1); /* default_is_stmt */
    put_8(program, (uint8_t)program->line_base);
    put_8(program, program->line_range);
    put_8(program, program->opcode_base);
    for (int i = 0; i < program->opcode_base - 1; i++)
        put_8(program, program->opcode_lengths[i]);
}

static inline void program_patch(struct line_program *program, size_t at,
                                 uint64_t value)
{
    size_t size = program->size;

    program->size = at - (program->is_64_bit ? 8 : 4);
    put_offset(program, value);
    program->size = size;
}

static inline void program_end_header(struct line_program *program)
{
    program_patch(program, program->header, program->size - program->header);
}

static inline void program_end(struct line_program *program)
{
    program_patch(program, program->start, program->size - program->start);
}

/* A form and a content type of a version 5 entry. */
static inline void put_format(struct line_program *program, unsigned content,
                              unsigned form)
{
    put_uleb(program, content);
    put_uleb(program, form);
}

/* Directory 1 "inc", files 1 "main.c" in the compilation's directory "/w" and
 * 2 "a.h" in "inc"; of version 5 also file 0 "main.c". */
static inline void program_files(struct line_program *program)
{
    if (program->version < 5) {
        put_text(program, "inc");
        put_8(program, 0);
        put_text(program, "main.c");
        put_number(program, 3, 0);
        put_text(program, "a.h");
        put_number(program, 3, 1);
        put_8(program, 0);
        return;
    }
    put_8(program, 1);
    put_format(program, LNCT_PATH, FORM_STRING);
    put_uleb(program, 2);
    put_text(program, "/w");
    put_text(program, "inc");
    put_8(program, 2);
    put_format(program, LNCT_PATH, FORM_STRING);
    put_format(program, LNCT_DIRECTORY_INDEX, FORM_UDATA);
    put_uleb(program, 3);
    put_text(program, "main.c");
    put_uleb(program, 0);
    put_text(program, "main.c");
    put_uleb(program, 0);
    put_text(program, "a.h");
    put_uleb(program, 1);
}

/* A whole header with the defaults. */
static inline void program_header(struct line_program *program,
                                  unsigned version, bool is_64_bit)
{
    program->size = 0;
    program_defaults(program, version, is_64_bit);
    program_begin(program);
    program_files(program);
    program_end_header(program);
}

static inline void put_set_address(struct line_program *program, unsigned size,
                                   uint64_t address)
{
    put_8(program, 0);
    put_uleb(program, size + 1);
    put_8(program, LNE_SET_ADDRESS);
    put_number(program, size, address);
}

static inline void put_discriminator(struct line_program *program,
                                     uint8_t value)
{
    put_8(program, 0);
    put_uleb(program, 2);
    put_8(program, LNE_SET_DISCRIMINATOR);
    put_8(program, value);
}

static inline void put_end_sequence(struct line_program *program)
{
    put_8(program, 0);
    put_uleb(program, 1);
    put_8(program, LNE_END_SEQUENCE);
}

static inline void put_operand(struct line_program *program, unsigned opcode,
                               uint64_t value)
{
    put_8(program, opcode);
    put_uleb(program, value);
}

static inline void put_line(struct line_program *program, int64_t step)
{
    put_8(program, LNS_ADVANCE_LINE);
    put_sleb(program, step);
}

/* A sequence of one row. */
static inline void put_code(struct line_program *program, uint32_t start,
                            uint32_t end, uint32_t line)
{
    put_set_address(program, 4, start);
    put_line(program, (int64_t)line - 1);
    put_8(program, LNS_COPY);
    put_set_address(program, 4, end);
    put_end_sequence(program);
}

#endif
