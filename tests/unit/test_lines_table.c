/* SPDX-License-Identifier: MIT */
#include "line_program.h"

#include <stdlib.h>

#include "lines_table.h"

/*
 * Hand-made tables; the values expected follow from the standard. Tables of
 * compilers are in test_lines_objects.c, damaged ones in
 * test_lines_hostile.c.
 */

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

struct expected {
    uint32_t address;
    uint32_t line;
    uint32_t file;
    uint16_t column;
    uint32_t discriminator;
};

static struct line_program program;
static struct lines_table table;

static int free_table(void **unused)
{
    (void)unused;
    lines_table_free(&table);
    return 0;
}

static int read_with(const struct lines_sections *others, const char *directory,
                     const char **problem)
{
    struct lines_sections sections = {0};

    if (others != NULL)
        sections = *others;
    sections.line = (struct lines_section){program.bytes, program.size};
    return lines_table_read(&table, &sections, 0, directory, "unit.c", problem);
}

static void read_whole(void)
{
    const char *problem = "";

    program_end(&program);
    assert_int_equal(read_with(NULL, "/w", &problem), 0);
    if (problem != NULL)
        fail_msg("%s", problem);
}

static void expect_sequence(size_t index, const struct expected *rows,
                            size_t count, uint32_t end)
{
    const struct lines_sequence *sequence = &table.sequences[index];

    assert_in_range(index, 0, table.sequence_count - 1);
    assert_int_equal(sequence->start, rows[0].address);
    assert_int_equal(sequence->end, end);
    assert_int_equal(sequence->count, count);
    for (size_t i = 0; i < count; i++) {
        const struct lines_row *row = &table.rows[sequence->first + i];

        assert_int_equal(row->address, rows[i].address);
        assert_int_equal(row->line, rows[i].line);
        assert_int_equal(row->file, rows[i].file);
        assert_int_equal(row->column, rows[i].column);
        assert_int_equal(row->discriminator, rows[i].discriminator);
    }
}

/* LINE at ADDRESS, with and without the Thumb bit; -1 for no row. */
static void expect_line(uint32_t address, int line)
{
    for (uint32_t bit = 0; bit < 2; bit++) {
        const struct lines_row *row = lines_table_find(&table, address | bit);

        if ((row != NULL) != (line >= 0))
            print_error("at 0x%x:\n", (unsigned)(address | bit));
        assert_int_equal(row != NULL, line >= 0);
        if (row != NULL)
            assert_int_equal(row->line, line);
    }
}

/* Section D.5 of DWARF 5, whose machine has instructions of any length; the
 * lowest bit is no part of an address here. */
static void standard_example(const uint8_t *code, size_t size, unsigned version)
{
    static const struct expected rows[] = {
            {0x238, 3, 1, 0, 0},
            {0x23C, 5, 1, 0, 0},
            {0x244, 6, 1, 0, 0},
            {0x24A, 7, 1, 0, 0},
    };

    program.size = 0;
    program_defaults(&program, version, false);
    program.instruction_size = 1;
    program.line_base = 1;
    program.line_range = 15;
    program.opcode_base = 10;
    program_begin(&program);
    program_files(&program);
    program_end_header(&program);
    for (size_t i = 0; i < size; i++)
        put_8(&program, code[i]);
    read_whole();
    assert_int_equal(table.version, version);
    assert_int_equal(table.sequence_count, 1);
    expect_sequence(0, rows, COUNT(rows), 0x24C);
    lines_table_free(&table);
}

static void test_standard_examples(void **unused)
{
    static const uint8_t leb[] = {2,    0xB9, 0x04, 0x0B, 0x38, 0x82,
                                  0x73, 2,    2,    0,    1,    1};
    static const uint8_t fixed[] = {9, 0x39, 2, 0x0B, 9, 3, 0, 0x0B,
                                    9, 8,    0, 0x0A, 9, 7, 0, 0x0A,
                                    9, 2,    0, 0,    1, 1};

    (void)unused;
    for (unsigned version = 2; version <= 5; version++) {
        standard_example(leb, sizeof leb, version);
        standard_example(fixed, sizeof fixed, version);
    }
}

/* Every standard opcode, in instructions of two bytes. */
static void put_all_opcodes(void)
{
    put_set_address(&program, 4, 0x08000101);
    put_8(&program, LNS_COPY);
    put_operand(&program, LNS_SET_COLUMN, 7);
    put_operand(&program, LNS_SET_FILE, 2);
    put_8(&program, LNS_ADVANCE_LINE);
    put_number(&program, 2, 0x00E3); /* 99: positive by its last byte */
    put_8(&program, 53); /* line 1 - -3, address 12 * 3, opcode base 13 */
    put_8(&program, LNS_NEGATE_STMT);
    put_8(&program, LNS_SET_BASIC_BLOCK);
    put_8(&program, LNS_CONST_ADD_PC); /* (255 - 13) / 12 = 20 instructions */
    put_8(&program, LNS_COPY);
    put_operand(&program, LNS_ADVANCE_PC, 300);
    put_8(&program, LNS_SET_PROLOGUE_END);
    put_8(&program, LNS_SET_EPILOGUE_BEGIN);
    put_operand(&program, LNS_SET_ISA, 0x1234);
    put_8(&program, LNS_ADVANCE_LINE);
    put_8(&program, 0x4E); /* -50 */
    put_discriminator(&program, 5);
    put_8(&program, LNS_COPY);
    put_8(&program, 28); /* line 0, one instruction */
    put_operand(&program, LNS_SET_COLUMN, 65535);
    put_8(&program, 28);
    put_operand(&program, LNS_SET_COLUMN, 65536);
    put_8(&program, 28);
    put_8(&program, LNS_FIXED_ADVANCE_PC);
    put_number(&program, 2, 0xF000);
    put_end_sequence(&program);
}

static void test_opcodes(void **unused)
{
    static const struct expected rows[] = {
            {0x08000100, 1, 1, 0, 0},   {0x08000106, 101, 2, 7, 0},
            {0x0800012E, 101, 2, 7, 0}, {0x08000386, 51, 2, 7, 5},
            {0x08000388, 51, 2, 7, 0},  {0x0800038A, 51, 2, 65535, 0},
            {0x0800038C, 51, 2, 0, 0},
    };

    (void)unused;
    for (unsigned version = 2; version <= 5; version++)
        for (int is_64_bit = 0; is_64_bit < 2; is_64_bit++) {
            program_header(&program, version, is_64_bit);
            put_all_opcodes();
            put_all_opcodes(); /* all registers start anew */
            read_whole();
            assert_int_equal(table.sequence_count, 2);
            expect_sequence(0, rows, COUNT(rows), 0x0800F38C);
            expect_sequence(1, rows, COUNT(rows), 0x0800F38C);
            assert_string_equal(lines_table_file(&table, 1), "/w/main.c");
            assert_string_equal(lines_table_file(&table, 2), "/w/inc/a.h");
            lines_table_free(&table);
        }
}

/* Opcodes 13 to 15 of a later standard, with 0, 2 and 1 operands. */
static void test_unknown_standard_opcodes(void **unused)
{
    static const struct expected rows[] = {{0x100, 6, 1, 0, 0}};

    (void)unused;
    program.size = 0;
    program_defaults(&program, 4, false);
    program.opcode_base = 16;
    program.line_range = 239; /* 255, the last one, is one instruction on */
    program.opcode_lengths[12] = 0;
    program.opcode_lengths[13] = 2;
    program.opcode_lengths[14] = 1;
    program_begin(&program);
    program_files(&program);
    program_end_header(&program);
    put_set_address(&program, 4, 0x100);
    put_8(&program, 13);
    put_operand(&program, 14, 0x80);
    put_uleb(&program, 1);
    put_operand(&program, 15, 1);
    put_8(&program, 24); /* line + 5: 5 - -3 + 16 */
    put_8(&program, LNS_CONST_ADD_PC);
    put_end_sequence(&program);
    read_whole();
    assert_int_equal(table.sequence_count, 1);
    expect_sequence(0, rows, COUNT(rows), 0x102);
}

/* An opcode base of 4 makes 4 and up special, whatever they usually are. */
static void test_small_opcode_base(void **unused)
{
    static const struct expected rows[] = {{0x100, 10, 1, 0, 0},
                                           {0x102, 12, 1, 0, 0}};

    (void)unused;
    program.size = 0;
    program_defaults(&program, 3, false);
    program.opcode_base = 4;
    program_begin(&program);
    program_files(&program);
    program_end_header(&program);
    put_set_address(&program, 4, 0x100);
    put_line(&program, 9);
    put_8(&program, 7); /* line 0 */
    put_8(&program, LNS_COPY);
    put_8(&program, 21); /* 2 - -3 + 12 + 4 */
    put_operand(&program, LNS_ADVANCE_PC, 1);
    put_end_sequence(&program);
    read_whole();
    expect_sequence(0, rows, COUNT(rows), 0x104);
}

static void put_define_file(void)
{
    put_8(&program, 0);
    put_uleb(&program, 9);
    put_8(&program, LNE_DEFINE_FILE);
    put_text(&program, "x.h");
    put_number(&program, 3, 1);
    put_8(&program, 0); /* more than it needs */
}

/* Version 5 has no DW_LNE_define_file any more. */
static void test_extended_opcodes(void **unused)
{
    static const struct expected low[] = {{0x2000, 1, 1, 0, 0}};
    static const struct expected high[] = {{0x12345678, 1, 2, 0, 0},
                                           {0x1234567A, 1, 3, 0, 0}};

    (void)unused;
    for (unsigned version = 2; version <= 5; version++) {
        program_header(&program, version, false);
        put_8(&program, 0); /* of a vendor, 300 bytes long */
        put_uleb(&program, 300);
        put_8(&program, LNE_LO_USER);
        put_number(&program, 8, UINT64_MAX);
        for (int i = 0; i < 291; i++)
            put_8(&program, LNS_COPY);
        put_number(&program, 2, 0); /* an empty one */
        put_set_address(&program, 8, 0x12345678);
        put_operand(&program, LNS_SET_FILE, 2);
        put_8(&program, LNS_COPY);
        put_define_file();
        put_operand(&program, LNS_SET_FILE, 3);
        put_8(&program, 28);
        put_operand(&program, LNS_ADVANCE_PC, 1);
        put_end_sequence(&program);
        put_set_address(&program, 2, 0x2000);
        put_8(&program, LNS_COPY);
        put_operand(&program, LNS_ADVANCE_PC, 1);
        put_end_sequence(&program);
        put_set_address(&program, 8, 0x100000000); /* out of reach */
        put_8(&program, LNS_COPY);
        put_8(&program, 28);
        put_end_sequence(&program);
        read_whole();
        assert_int_equal(table.sequence_count, 2);
        expect_sequence(0, low, COUNT(low), 0x2002);
        expect_sequence(1, high, COUNT(high), 0x1234567C);
        assert_string_equal(lines_table_file(&table, 3),
                            version < 5 ? "/w/inc/x.h" : "");
        lines_table_free(&table);
    }
}

/* Four operations in an instruction of 16 bytes: only whole ones count. */
static void test_operations_share_an_instruction(void **unused)
{
    static const struct expected rows[] = {
            {0x100, 2, 1, 0, 0}, {0x110, 3, 1, 0, 0}, {0x140, 3, 1, 0, 0}};

    (void)unused;
    program.size = 0;
    program_defaults(&program, 4, false);
    program.instruction_size = 16;
    program.operations = 4;
    program_begin(&program);
    program_files(&program);
    program_end_header(&program);
    put_set_address(&program, 4, 0x100);
    put_8(&program, LNS_COPY);
    put_8(&program, 53); /* line + 1, 3 operations */
    put_8(&program, 41); /* line + 1, 2 more: index 1 of the next */
    put_operand(&program, LNS_ADVANCE_PC, 11); /* 12: three instructions */
    put_8(&program, LNS_COPY);
    put_operand(&program, LNS_ADVANCE_PC, 3);
    put_8(&program, LNS_FIXED_ADVANCE_PC); /* the index is 0 then */
    put_number(&program, 2, 16);
    put_operand(&program, LNS_ADVANCE_PC, 3);
    put_end_sequence(&program);
    read_whole();
    assert_int_equal(table.sequence_count, 1);
    expect_sequence(0, rows, COUNT(rows), 0x150);
}

static void test_last_row_of_an_address_counts(void **unused)
{
    static const struct expected rows[] = {
            {0x100, 12, 2, 4, 1}, {0x104, 0, 2, 4, 0}, {0x108, 9, 2, 4, 0}};

    (void)unused;
    program_header(&program, 5, false);
    put_set_address(&program, 4, 0x100);
    put_line(&program, 9);
    put_8(&program, LNS_COPY);
    put_line(&program, 2);
    put_operand(&program, LNS_SET_FILE, 2);
    put_operand(&program, LNS_SET_COLUMN, 4);
    put_discriminator(&program, 1);
    put_8(&program, LNS_COPY);
    put_operand(&program, LNS_ADVANCE_PC, 2);
    put_8(&program, LNS_COPY);
    put_line(&program, -12);
    put_8(&program, LNS_COPY); /* no line */
    put_operand(&program, LNS_ADVANCE_PC, 2);
    put_line(&program, 9);
    put_8(&program, LNS_COPY);
    put_operand(&program, LNS_ADVANCE_PC, 1);
    put_line(&program, 1);
    put_8(&program, LNS_COPY); /* no code */
    put_end_sequence(&program);
    read_whole();
    assert_int_equal(table.sequence_count, 1);
    expect_sequence(0, rows, COUNT(rows), 0x10A);
    expect_line(0xFE, -1);
    expect_line(0x100, 12);
    expect_line(0x102, 12);
    expect_line(0x104, 0);
    expect_line(0x106, 0);
    expect_line(0x108, 9);
    expect_line(0x10A, -1);
}

/* A second stretch below the first, without an end between them. */
static void test_address_goes_back(void **unused)
{
    static const struct expected low[] = {{0x100, 3, 1, 0, 0},
                                          {0x102, 4, 1, 0, 0}};
    static const struct expected high[] = {{0x200, 1, 1, 0, 0},
                                           {0x202, 2, 1, 0, 0}};

    (void)unused;
    program_header(&program, 4, false);
    put_set_address(&program, 4, 0x200);
    put_8(&program, LNS_COPY);
    put_8(&program, 29); /* line + 1, one instruction */
    put_set_address(&program, 4, 0x100);
    put_8(&program, 17); /* line + 1 */
    put_8(&program, 29);
    put_operand(&program, LNS_ADVANCE_PC, 3);
    put_end_sequence(&program);
    read_whole();
    assert_int_equal(table.sequence_count, 2);
    expect_sequence(0, low, COUNT(low), 0x108);
    expect_sequence(1, high, COUNT(high), 0x204);
}

/* Steps back within one stretch: sorted, the later of equals counts. */
static void test_address_steps_back(void **unused)
{
    static const struct expected rows[] = {{0x100, 1, 1, 0, 0},
                                           {0x102, 3, 1, 0, 0},
                                           {0x104, 4, 1, 0, 0},
                                           {0x106, 5, 1, 0, 0}};

    (void)unused;
    program_header(&program, 4, false);
    put_set_address(&program, 4, 0x100);
    put_8(&program, LNS_COPY);
    put_8(&program, 41); /* line + 1, two instructions */
    put_operand(&program, LNS_ADVANCE_PC, UINT64_MAX); /* - 1 */
    put_8(&program, 17);                               /* 0x102, line 3 */
    put_8(&program, 29);                               /* 0x104 again */
    put_8(&program, 29);
    put_operand(&program, LNS_ADVANCE_PC, 0xFFFFFFFF); /* as 32 bits */
    put_operand(&program, LNS_ADVANCE_PC, 2);
    put_end_sequence(&program);
    read_whole();
    assert_int_equal(table.sequence_count, 1);
    expect_sequence(0, rows, COUNT(rows), 0x108);
}

/* The end lies before the last row: that has one instruction at least. */
static void test_end_goes_back(void **unused)
{
    static const struct expected low[] = {{0x100, 1, 1, 0, 0}};
    static const struct expected high[] = {{0x110, 2, 1, 0, 0}};

    (void)unused;
    program_header(&program, 3, false);
    put_set_address(&program, 4, 0x100);
    put_8(&program, LNS_COPY);
    put_operand(&program, LNS_ADVANCE_PC, 8);
    put_8(&program, 17);
    put_set_address(&program, 4, 0x108);
    put_end_sequence(&program);
    read_whole();
    assert_int_equal(table.sequence_count, 2);
    expect_sequence(0, low, COUNT(low), 0x108);
    expect_sequence(1, high, COUNT(high), 0x112);
}

/* The end lies below 0, which is not the end of memory. */
static void test_end_below_0(void **unused)
{
    static const struct expected rows[] = {{0x10, 1, 1, 0, 0}};

    (void)unused;
    program_header(&program, 4, false);
    put_set_address(&program, 4, 0x10);
    put_8(&program, LNS_COPY);
    put_operand(&program, LNS_ADVANCE_PC, (uint64_t)-0x100);
    put_end_sequence(&program);
    read_whole();
    assert_int_equal(table.sequence_count, 1);
    expect_sequence(0, rows, COUNT(rows), 0x12);
}

static void test_empty_sequences_are_dropped(void **unused)
{
    static const struct expected rows[] = {{0x100, 3, 1, 0, 0}};

    (void)unused;
    program_header(&program, 4, false);
    put_code(&program, 0, 0, 1);
    put_code(&program, 0x100, 0x104, 3);
    put_set_address(&program, 4, 0x200);
    put_8(&program, LNS_COPY);
    put_8(&program, 17);
    put_end_sequence(&program);
    put_end_sequence(&program);
    read_whole();
    assert_int_equal(table.sequence_count, 1);
    assert_int_equal(table.row_count, 1);
    expect_sequence(0, rows, COUNT(rows), 0x104);
}

static void test_no_sequence(void **unused)
{
    (void)unused;
    program_header(&program, 5, false);
    read_whole();
    assert_int_equal(table.sequence_count, 0);
    expect_line(0, -1);
    expect_line(0xFFFFFFFE, -1);
    assert_string_equal(lines_table_file(&table, 2), "/w/inc/a.h");
}

static void test_sequences_are_sorted(void **unused)
{
    (void)unused;
    program_header(&program, 4, false);
    put_code(&program, 0x300, 0x310, 3);
    put_code(&program, 0x100, 0x110, 1);
    put_code(&program, 0x310, 0x320, 4);
    put_code(&program, 0x200, 0x210, 2);
    read_whole();
    assert_int_equal(table.sequence_count, 4);
    for (uint32_t i = 1; i < 4; i++) {
        expect_line(i * 0x100 - 2, -1);
        expect_line(i * 0x100, (int)i);
        expect_line(i * 0x100 + 0xE, (int)i);
        expect_line(i * 0x100 + 0x10, i == 3 ? 4 : -1);
    }
}

static bool is_not_at_0(void *context, uint32_t start, uint32_t end)
{
    size_t *calls = context;

    ++*calls;
    assert_true(start < end);
    return start != 0;
}

/* Three discarded functions over live code, as --gc-sections leaves them. */
static void test_overlap_and_filter(void **unused)
{
    size_t calls = 0;

    (void)unused;
    program_header(&program, 4, false);
    put_code(&program, 0, 0x1000, 10);
    put_code(&program, 0x100, 0x200, 1);
    put_code(&program, 0, 0x180, 11);
    put_code(&program, 0x140, 0x150, 2);
    put_code(&program, 0, 0x180, 12); /* of equals the first counts */
    put_code(&program, 0x150, 0x170, 3);
    put_code(&program, 0x160, 0x180, 4); /* as long: the lower start counts */
    read_whole();
    expect_line(0, 11);
    expect_line(0xFE, 11);
    expect_line(0x100, 1);
    expect_line(0x13E, 1);
    expect_line(0x140, 2);
    expect_line(0x14E, 2);
    expect_line(0x150, 3);
    expect_line(0x160, 3);
    expect_line(0x16E, 3);
    expect_line(0x170, 4);
    expect_line(0x17E, 4);
    expect_line(0x180, 1);
    expect_line(0x1FE, 1);
    expect_line(0x200, 10);
    expect_line(0xFFE, 10);
    expect_line(0x1000, -1);
    lines_table_filter(&table, is_not_at_0, &calls);
    assert_int_equal(calls, 7);
    assert_int_equal(table.sequence_count, 4);
    expect_line(0, -1);
    expect_line(0xFE, -1);
    expect_line(0x100, 1);
    expect_line(0x14E, 2);
    expect_line(0x16E, 3);
    expect_line(0x17E, 4);
    expect_line(0x1FE, 1);
    expect_line(0x200, -1);
}

static bool is_never(void *context, uint32_t start, uint32_t end)
{
    (void)context;
    (void)start;
    (void)end;
    return false;
}

static void test_filter_all(void **unused)
{
    (void)unused;
    program_header(&program, 4, false);
    put_code(&program, 0x100, 0x200, 1);
    read_whole();
    expect_line(0x100, 1);
    lines_table_filter(&table, is_never, NULL);
    assert_int_equal(table.sequence_count, 0);
    expect_line(0x100, -1);
}

/* Discarded code at the end of memory does not come out at its beginning. */
static void test_end_of_memory(void **unused)
{
    (void)unused;
    program_header(&program, 4, false);
    put_set_address(&program, 4, 0xFFFFFFFF);
    put_8(&program, LNS_COPY);
    put_operand(&program, LNS_ADVANCE_PC, 0x100);
    put_8(&program, 17);
    put_operand(&program, LNS_ADVANCE_PC, 0x100);
    put_end_sequence(&program);
    put_set_address(&program, 4, 0x100); /* and not the other way round */
    put_operand(&program, LNS_ADVANCE_PC, UINT32_MAX - 0x100);
    put_8(&program, LNS_COPY);
    put_end_sequence(&program);
    read_whole();
    assert_int_equal(table.sequence_count, 1);
    assert_int_equal(table.sequences[0].start, 0xFFFFFFFE);
    assert_int_equal(table.sequences[0].end, 0xFFFFFFFF);
    expect_line(0, -1);
    expect_line(0x1FE, -1);
    expect_line(0xFFFFFFFC, -1);
}

/* As compilers that keep tables a multiple of four bytes long do. */
static void test_padding(void **unused)
{
    (void)unused;
    for (unsigned padding = 0; padding < 8; padding++) {
        program_header(&program, 3, false);
        put_code(&program, 0x100, 0x200, 1);
        put_number(&program, padding, 0);
        read_whole();
        expect_line(0x1FE, 1);
        lines_table_free(&table);
    }
}

/* What follows a table is not a part of it. */
static void test_tables_end(void **unused)
{
    const char *problem = "";

    (void)unused;
    program_header(&program, 3, false);
    put_code(&program, 0x100, 0x200, 1);
    program_end(&program);
    put_code(&program, 0x200, 0x300, 2);
    assert_int_equal(read_with(NULL, "/w", &problem), 0);
    assert_null(problem);
    assert_int_equal(table.sequence_count, 1);
    expect_line(0x200, -1);
}

/* The directory, "" for 0, and a name as versions 2 to 4 write them. */
static void expect_old_path(const char *compilation, const char *directory,
                            const char *name, const char *path)
{
    const char *problem = "";

    program.size = 0;
    program_defaults(&program, 4, false);
    program_begin(&program);
    put_text(&program, "unused");
    if (*directory != '\0')
        put_text(&program, directory);
    put_8(&program, 0);
    put_text(&program, name);
    put_uleb(&program, *directory != '\0' ? 2 : 0);
    put_uleb(&program, 0x123456); /* time and size */
    put_uleb(&program, 0x7FFFF);
    put_8(&program, 0);
    program_end_header(&program);
    program_end(&program);
    assert_int_equal(read_with(NULL, compilation, &problem), 0);
    assert_null(problem);
    assert_string_equal(lines_table_file(&table, 1), path);
    assert_string_equal(lines_table_file(&table, 1), path); /* as kept */
    lines_table_free(&table);
}

static void test_old_paths(void **unused)
{
    (void)unused;
    expect_old_path("/w", "", "a.c", "/w/a.c");
    expect_old_path("/w/build", "../src", "./a.c", "/w/src/a.c");
    expect_old_path("/w", "/usr/include", "a.h", "/usr/include/a.h");
    expect_old_path("/w", "inc", "/abs/a.c", "/abs/a.c");
    expect_old_path("", "src", "a.c", "src/a.c");
    expect_old_path("", "", "a.c", "a.c");
    expect_old_path("C:\\w\\build", "..\\src", "a.c", "C:\\w\\src\\a.c");
    expect_old_path("C:\\w", "D:/sdk/inc/", "a.h", "D:/sdk/inc/a.h");
}

static void test_numbers_of_files(void **unused)
{
    (void)unused;
    program_header(&program, 4, false);
    read_whole();
    assert_int_equal(table.file_count, 3);
    assert_string_equal(lines_table_file(&table, 0), "/w/unit.c");
    assert_string_equal(lines_table_file(&table, 1), "/w/main.c");
    assert_string_equal(lines_table_file(&table, 3), "");
    assert_string_equal(lines_table_file(&table, UINT32_MAX), "");
    lines_table_free(&table);
    program_header(&program, 5, false);
    read_whole();
    assert_int_equal(table.file_count, 3);
    assert_string_equal(lines_table_file(&table, 0), "/w/main.c");
    assert_string_equal(lines_table_file(&table, 1), "/w/main.c");
    assert_string_equal(lines_table_file(&table, 3), "");
}

static void test_large_numbers(void **unused)
{
    static const struct expected rows[] = {
            {0x100, 0xFFFFFFFF, UINT32_MAX, 0, UINT32_MAX}};

    (void)unused;
    program_header(&program, 4, false);
    put_set_address(&program, 4, 0x100);
    put_operand(&program, LNS_SET_FILE, 0x100000001);
    put_operand(&program, LNS_SET_COLUMN, UINT64_MAX);
    put_line(&program, -2);
    put_8(&program, 0);
    put_uleb(&program, 6);
    put_8(&program, LNE_SET_DISCRIMINATOR);
    put_uleb(&program, 0x100000000);
    put_8(&program, LNS_COPY);
    put_operand(&program, LNS_ADVANCE_PC, 2);
    put_end_sequence(&program);
    read_whole();
    assert_int_equal(table.sequence_count, 1);
    expect_sequence(0, rows, COUNT(rows), 0x104);
    assert_string_equal(lines_table_file(&table, UINT32_MAX), "");
}

/* A version 5 list of one directory and one file. */
static void expect_new_path(const char *compilation, const char *directory_0,
                            const char *directory_1, const char *path)
{
    const char *problem = "";

    program.size = 0;
    program_defaults(&program, 5, false);
    program_begin(&program);
    put_8(&program, 1);
    put_format(&program, LNCT_PATH, FORM_STRING);
    put_uleb(&program, 2);
    put_text(&program, directory_0);
    put_text(&program, directory_1);
    put_8(&program, 2);
    put_format(&program, LNCT_DIRECTORY_INDEX, FORM_DATA1);
    put_format(&program, LNCT_PATH, FORM_STRING);
    put_uleb(&program, 2);
    put_8(&program, *directory_1 != '\0');
    put_text(&program, "a.c");
    put_8(&program, 77); /* there is no such directory */
    put_text(&program, "b.c");
    program_end_header(&program);
    program_end(&program);
    assert_int_equal(read_with(NULL, compilation, &problem), 0);
    assert_null(problem);
    assert_string_equal(lines_table_file(&table, 0), path);
    lines_table_free(&table);
}

static void test_new_paths(void **unused)
{
    (void)unused;
    expect_new_path("/w", "/w", "", "/w/a.c");
    expect_new_path("/w", "/w", "src", "/w/src/a.c");
    expect_new_path("/w", "/elsewhere", "src", "/elsewhere/src/a.c");
    expect_new_path("/w", "/w", "/usr/include", "/usr/include/a.c");
    expect_new_path("", "/w", "../src", "/src/a.c");
    expect_new_path("", ".", "src", "src/a.c");
    expect_new_path("proj", "proj", "src", "proj/src/a.c");
    expect_new_path("proj", "proj", "", "proj/a.c");
    expect_new_path("/w", "", "src", "/w/src/a.c");
    expect_new_path("/w", "build", "", "/w/build/a.c");
    expect_new_path("C:\\w", "C:\\w", "..\\src", "C:\\src\\a.c");
}

static void put_forms(void)
{
    put_8(&program, 11);
    put_format(&program, LNCT_TIMESTAMP, FORM_DATA4);
    put_format(&program, LNCT_TIMESTAMP, FORM_DATA8);
    put_format(&program, LNCT_TIMESTAMP, FORM_BLOCK);
    put_format(&program, LNCT_SIZE, FORM_BLOCK1);
    put_format(&program, LNCT_SIZE, FORM_BLOCK2);
    put_format(&program, LNCT_SIZE, FORM_BLOCK4);
    put_format(&program, LNCT_DIRECTORY_INDEX, FORM_DATA2);
    put_format(&program, LNCT_MD5, FORM_DATA16);
    put_format(&program, LNCT_PATH, FORM_STRP);
    put_format(&program, LNCT_LO_USER + 1, FORM_LINE_STRP);
    put_format(&program, LNCT_LO_USER + 2, FORM_UDATA);
}

static void put_values(uint64_t string)
{
    put_number(&program, 4, 0x01010101);
    put_number(&program, 8, UINT64_MAX);
    put_uleb(&program, 130);
    for (int i = 0; i < 130; i++)
        put_8(&program, 0xAA);
    put_8(&program, 1);
    put_number(&program, 1, 2);
    put_number(&program, 2, 2);
    put_number(&program, 2, 0x0101);
    put_number(&program, 4, 3);
    put_number(&program, 3, 0x010101);
    put_number(&program, 2, 1); /* directory */
    put_number(&program, 8, 0x0102030405060708);
    put_number(&program, 8, 0x1112131415161718);
    put_offset(&program, string);
    put_offset(&program, 0);
    put_uleb(&program, 1000);
}

static void test_forms(void **unused)
{
    static const char line_str[] = "/w\0sub dir";
    static const char str[] = "one\0two.c\0cut";
    const struct lines_sections others = {
            .line_str = {(const uint8_t *)line_str, sizeof line_str},
            .str = {(const uint8_t *)str, sizeof str - 1}, /* no last 0 */
    };

    (void)unused;
    for (int is_64_bit = 0; is_64_bit < 2; is_64_bit++) {
        const char *problem = "";

        program.size = 0;
        program_defaults(&program, 5, is_64_bit);
        program_begin(&program);
        put_8(&program, 1);
        put_format(&program, LNCT_PATH, FORM_LINE_STRP);
        put_uleb(&program, 2);
        put_offset(&program, 0);
        put_offset(&program, 3);
        put_forms();
        put_uleb(&program, 4);
        put_values(4);
        put_values(5);
        put_values(10);
        put_values(1000);
        program_end_header(&program);
        program_end(&program);
        assert_int_equal(read_with(&others, "/w", &problem), 0);
        assert_null(problem);
        assert_int_equal(table.file_count, 4);
        assert_string_equal(lines_table_file(&table, 0), "/w/sub dir/two.c");
        assert_string_equal(lines_table_file(&table, 1), "/w/sub dir/wo.c");
        assert_string_equal(lines_table_file(&table, 2), "");
        assert_string_equal(lines_table_file(&table, 3), "");
        lines_table_free(&table);
    }
}

/* Not all of the gap between the header's fields and its length need be of a
 * form that is known. */
static void test_header_may_be_longer(void **unused)
{
    (void)unused;
    program.size = 0;
    program_defaults(&program, 4, false);
    program_begin(&program);
    program_files(&program);
    put_number(&program, 7, UINT64_MAX);
    program_end_header(&program);
    put_code(&program, 0x100, 0x104, 5);
    read_whole();
    assert_int_equal(table.sequence_count, 1);
    expect_line(0x102, 5);
}

#define TABLE_TEST(function) cmocka_unit_test_teardown(function, free_table)

int main(void)
{
    static const struct CMUnitTest tests[] = {
            TABLE_TEST(test_standard_examples),
            TABLE_TEST(test_opcodes),
            TABLE_TEST(test_unknown_standard_opcodes),
            TABLE_TEST(test_small_opcode_base),
            TABLE_TEST(test_extended_opcodes),
            TABLE_TEST(test_operations_share_an_instruction),
            TABLE_TEST(test_last_row_of_an_address_counts),
            TABLE_TEST(test_address_goes_back),
            TABLE_TEST(test_address_steps_back),
            TABLE_TEST(test_end_goes_back),
            TABLE_TEST(test_end_below_0),
            TABLE_TEST(test_empty_sequences_are_dropped),
            TABLE_TEST(test_no_sequence),
            TABLE_TEST(test_sequences_are_sorted),
            TABLE_TEST(test_overlap_and_filter),
            TABLE_TEST(test_filter_all),
            TABLE_TEST(test_end_of_memory),
            TABLE_TEST(test_padding),
            TABLE_TEST(test_tables_end),
            TABLE_TEST(test_old_paths),
            TABLE_TEST(test_numbers_of_files),
            TABLE_TEST(test_large_numbers),
            TABLE_TEST(test_new_paths),
            TABLE_TEST(test_forms),
            TABLE_TEST(test_header_may_be_longer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
