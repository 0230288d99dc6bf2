/* SPDX-License-Identifier: MIT */
#include "line_program.h"

#include <stdio.h>
#include <stdlib.h>

#include "lines_table.h"

/*
 * Line tables that lie. Run under the sanitizers, which see what a read past
 * the end or a leak would do; what is quadratic runs into the time limit.
 */

static struct line_program program;
static struct lines_table table;

static int free_table(void **unused)
{
    (void)unused;
    lines_table_free(&table);
    return 0;
}

static int read_bytes(const uint8_t *bytes, size_t size, uint64_t offset,
                      const char **problem)
{
    const struct lines_sections sections = {.line = {bytes, size}};

    *problem = NULL;
    return lines_table_read(&table, &sections, offset, "/w", "u.c", problem);
}

static int read_program(const char **problem)
{
    return read_bytes(program.bytes, program.size, 0, problem);
}

/* The header is refused with a word on why, and leaves nothing behind. */
static void expect_refused(int code)
{
    const char *problem;

    assert_int_equal(read_program(&problem), code);
    assert_non_null(problem);
    assert_in_range(strlen(problem), 1, 60);
    assert_int_equal(table.row_count, 0);
    assert_int_equal(table.file_count, 0);
    assert_null(table.rows);
    assert_null(table.files);
    assert_null(lines_table_find(&table, 0x100));
}

/* Bytes of the fields from the instruction's size to the opcode base. */
static size_t field(size_t from_end)
{
    return program.header + (program.version >= 4 ? 6 : 5) - from_end;
}

static void whole_program(unsigned version)
{
    program_header(&program, version, false);
    put_code(&program, 0x100, 0x200, 5);
    program_end(&program);
}

static void test_headers_that_make_no_sense(void **unused)
{
    (void)unused;
    for (unsigned version = 2; version <= 5; version++) {
        whole_program(version);
        program.bytes[field(1)] = 0; /* opcode base */
        expect_refused(MCUPROF_E_FORMAT);
        whole_program(version);
        program.bytes[field(2)] = 0; /* line range */
        expect_refused(MCUPROF_E_FORMAT);
        whole_program(version);
        program.bytes[field(1)] = 255; /* more lengths than header */
        expect_refused(MCUPROF_E_FORMAT);
        whole_program(version);
        program_patch(&program, program.header, program.size);
        expect_refused(MCUPROF_E_FORMAT);
        whole_program(version);
        program_patch(&program, program.header, 0);
        expect_refused(MCUPROF_E_FORMAT);
        whole_program(version);
        program_patch(&program, program.start, 0);
        expect_refused(MCUPROF_E_FORMAT);
        whole_program(version);
        program_patch(&program, program.start, 0xFFFFFFF0);
        expect_refused(MCUPROF_E_FORMAT);
    }
}

static void test_versions(void **unused)
{
    static const uint16_t versions[] = {0, 1, 6, 0x0200, 0xFFFF};

    (void)unused;
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        whole_program(4);
        bytes_put16(program.bytes + program.start, versions[i]);
        expect_refused(MCUPROF_E_VERSION);
    }
}

static void test_offsets(void **unused)
{
    static const uint64_t beyond[] = {0, 1, 0x100000000, UINT64_MAX};
    const char *problem;

    (void)unused;
    whole_program(4);
    for (size_t i = 0; i < sizeof beyond / sizeof beyond[0]; i++) {
        uint64_t offset = beyond[i] < 2 ? program.size + beyond[i] : beyond[i];

        assert_int_equal(
                read_bytes(program.bytes, program.size, offset, &problem),
                MCUPROF_E_FORMAT);
        assert_non_null(problem);
    }
    assert_int_equal(read_bytes(NULL, 0, 0, &problem), MCUPROF_E_FORMAT);
    assert_non_null(problem);
}

/* Lengths past the end: the rows that are there, and a word. */
static void test_length_past_the_end(void **unused)
{
    static const uint64_t lengths[] = {0x10000, 0x7FFFFFFFFFFFFFFF, UINT64_MAX};

    (void)unused;
    for (size_t i = 0; i < 3; i++) {
        const char *problem;

        program_header(&program, 4, true);
        put_code(&program, 0x100, 0x200, 5);
        program_patch(&program, program.start, lengths[i]);
        assert_int_equal(read_program(&problem), 0);
        assert_non_null(problem);
        assert_int_equal(table.row_count, 1);
        assert_non_null(lines_table_find(&table, 0x1FE));
        lines_table_free(&table);
        program_header(&program, 4, true);
        program_end(&program);
        program_patch(&program, program.header, lengths[i]);
        expect_refused(MCUPROF_E_FORMAT);
    }
}

static void begin_lists(void)
{
    program.size = 0;
    program_defaults(&program, 5, false);
    program_begin(&program);
}

static void end_lists(void)
{
    program_end_header(&program);
    program_end(&program);
}

static void test_counts_of_files(void **unused)
{
    (void)unused;
    for (int is_file = 0; is_file < 2; is_file++) {
        begin_lists();
        if (is_file)
            put_number(&program, 2, 0); /* no directories */
        put_8(&program, 1);
        put_format(&program, LNCT_PATH, FORM_DATA1);
        put_uleb(&program, UINT64_C(1) << 60);
        for (int i = 0; i < 100; i++)
            put_8(&program, 1);
        end_lists();
        expect_refused(MCUPROF_E_FORMAT);
        begin_lists(); /* entries that take no bytes */
        if (is_file)
            put_number(&program, 2, 0);
        put_8(&program, 0);
        put_uleb(&program, UINT64_C(1) << 60);
        put_number(&program, 8, 0);
        end_lists();
        expect_refused(MCUPROF_E_FORMAT);
        begin_lists();
        if (is_file)
            put_number(&program, 2, 0);
        put_8(&program, 255);
        put_number(&program, 8, 0);
        end_lists();
        expect_refused(MCUPROF_E_FORMAT);
    }
}

/* DW_FORM_addr, of which nobody says how long it is, and unassigned ones. */
static void test_unknown_forms(void **unused)
{
    static const uint64_t forms[] = {0, 0x01, 0x19, 0x21, 0x7F, UINT64_MAX};

    (void)unused;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        begin_lists();
        put_number(&program, 2, 0);
        put_8(&program, 1);
        put_uleb(&program, LNCT_PATH);
        put_uleb(&program, forms[i]);
        put_uleb(&program, 1);
        put_number(&program, 8, 0);
        end_lists();
        expect_refused(MCUPROF_E_FORMAT);
    }
}

static void test_blocks_past_the_end(void **unused)
{
    static const uint8_t forms[] = {FORM_BLOCK, FORM_BLOCK1, FORM_BLOCK2,
                                    FORM_BLOCK4};

    (void)unused;
    for (size_t i = 0; i < sizeof forms; i++) {
        begin_lists();
        put_number(&program, 2, 0);
        put_8(&program, 1);
        put_format(&program, LNCT_MD5, forms[i]);
        put_uleb(&program, 1);
        put_number(&program, 8, UINT64_MAX >> 1);
        end_lists();
        expect_refused(MCUPROF_E_FORMAT);
    }
}

static void test_names_without_end(void **unused)
{
    (void)unused;
    for (unsigned version = 2; version <= 4; version++) {
        program.size = 0;
        program_defaults(&program, version, false);
        program_begin(&program);
        put_8(&program, 0);
        for (int i = 0; i < 20; i++)
            put_8(&program, 'x');
        end_lists();
        expect_refused(MCUPROF_E_FORMAT);
    }
}

/* A sequence of one row, then CODE: the row stays, what is cut is told. */
static void expect_cut(const uint8_t *code, size_t size)
{
    const char *problem;

    program_header(&program, 4, false);
    put_code(&program, 0x100, 0x200, 5);
    for (size_t i = 0; i < size; i++)
        put_8(&program, code[i]);
    program_end(&program);
    assert_int_equal(read_program(&problem), 0);
    assert_non_null(problem);
    assert_in_range(table.sequence_count, 1, 2);
    assert_int_equal(lines_table_find(&table, 0x1FE)->line, 5);
    lines_table_free(&table);
}

static void test_operands_past_the_end(void **unused)
{
    static const uint8_t extended[] = {0, 100, LNE_SET_ADDRESS, 0};
    static const uint8_t longest[] = {0,    0xFF, 0xFF, 0xFF,
                                      0xFF, 0xFF, 0xFF, 0xFF,
                                      0xFF, 0xFF, 1,    LNE_END_SEQUENCE};
    static const uint8_t fixed[] = {LNS_FIXED_ADVANCE_PC, 1};
    static const uint8_t leb[] = {LNS_ADVANCE_PC, 0x80, 0x80, 0x80, 0x80, 0x80,
                                  0x80,           0x80, 0x80, 0x80, 0x80, 0x80};
    static const uint8_t open[] = {LNS_COPY};

    (void)unused;
    expect_cut(extended, sizeof extended);
    expect_cut(longest, sizeof longest);
    expect_cut(fixed, sizeof fixed);
    expect_cut(leb, sizeof leb);
    expect_cut(open, sizeof open);
}

/* A sequence that is cut reaches as far as is known. */
static void test_cut_sequence(void **unused)
{
    const char *problem;

    (void)unused;
    program_header(&program, 4, false);
    put_set_address(&program, 4, 0x100);
    put_8(&program, LNS_COPY);
    put_operand(&program, LNS_ADVANCE_PC, 8);
    program_end(&program);
    assert_int_equal(read_program(&problem), 0);
    assert_non_null(problem);
    assert_int_equal(table.sequence_count, 1);
    assert_int_equal(table.sequences[0].end, 0x110);
    lines_table_free(&table);
    program_header(&program, 4, false);
    put_set_address(&program, 4, 0xFFFFFFFC);
    put_8(&program, LNS_COPY);
    program_end(&program);
    assert_int_equal(read_program(&problem), 0);
    assert_int_equal(table.sequences[0].end, 0xFFFFFFFE);
}

/* SIZE bytes behind the header of PROGRAM: *CODE; to be freed. */
static uint8_t *large_program(size_t size, uint8_t **code)
{
    uint8_t *bytes = malloc(program.size + size);

    assert_non_null(bytes);
    memcpy(bytes, program.bytes, program.size);
    bytes_put32(bytes, (uint32_t)(program.size + size - program.start));
    *code = bytes + program.size;
    return bytes;
}

static void test_a_row_a_byte(void **unused)
{
    enum {
        SIZE = 4 << 20
    };
    uint8_t *code, *bytes;
    const char *problem;

    (void)unused;
    program_header(&program, 4, false);
    bytes = large_program(SIZE, &code);
    memset(code, 29, SIZE); /* one instruction on */
    assert_int_equal(read_bytes(bytes, program.size + SIZE, 0, &problem), 0);
    assert_non_null(problem);
    assert_int_equal(table.row_count, SIZE);
    assert_int_equal(lines_table_find(&table, 2 * SIZE)->line, SIZE + 1);
    lines_table_free(&table);
    memset(code, 17, SIZE); /* all at one address */
    assert_int_equal(read_bytes(bytes, program.size + SIZE, 0, &problem), 0);
    assert_int_equal(table.row_count, 1);
    lines_table_free(&table);
    memset(code, LNS_CONST_ADD_PC, SIZE);
    assert_int_equal(read_bytes(bytes, program.size + SIZE, 0, &problem), 0);
    assert_int_equal(table.row_count, 0);
    lines_table_free(&table);
    memset(code, 0, SIZE);
    assert_int_equal(read_bytes(bytes, program.size + SIZE, 0, &problem), 0);
    assert_int_equal(table.row_count, 0);
    free(bytes);
}

/* Each row one instruction below the one before. */
static void test_descending_rows(void **unused)
{
    enum {
        ROWS = 1 << 18,
        STEP = 7
    };
    uint8_t *code, *bytes;
    const char *problem;

    (void)unused;
    program_header(&program, 4, false);
    put_set_address(&program, 4, 0x20000000);
    bytes = large_program(STEP * ROWS, &code);
    for (size_t i = 0; i < ROWS; i++) {
        static const uint8_t step[STEP] = {LNS_ADVANCE_PC, 0xFF, 0xFF, 0xFF,
                                           0xFF,           0x0F, 17};

        memcpy(code + i * STEP, step, STEP);
    }
    assert_int_equal(read_bytes(bytes, program.size + STEP * ROWS, 0, &problem),
                     0);
    free(bytes);
    assert_int_equal(table.row_count, ROWS);
    assert_int_equal(table.sequences[0].start, 0x20000000 - 2 * ROWS);
    for (uint32_t i = 0; i < ROWS; i++) {
        const struct lines_row *row =
                lines_table_find(&table, 0x20000000 - 2 * (i + 1));

        assert_non_null(row);
        assert_int_equal(row->line, i + 2);
    }
}

/* Sequences in each other like the skins of an onion. */
static void test_nested_sequences(void **unused)
{
    enum {
        COUNT = 1 << 16,
        SIZE = 7 + 1 + 7 + 3
    };
    uint8_t *code, *bytes;
    const char *problem;

    (void)unused;
    program_header(&program, 4, false);
    bytes = large_program(SIZE * COUNT, &code);
    for (uint32_t i = 0; i < COUNT; i++) {
        static const uint8_t row[SIZE] = {0,
                                          5,
                                          LNE_SET_ADDRESS,
                                          0,
                                          0,
                                          0,
                                          0,
                                          17,
                                          0,
                                          5,
                                          LNE_SET_ADDRESS,
                                          0,
                                          0,
                                          0,
                                          0,
                                          0,
                                          1,
                                          LNE_END_SEQUENCE};

        memcpy(code + i * SIZE, row, SIZE);
        bytes_put32(code + i * SIZE + 3, 2 * i);
        bytes_put32(code + i * SIZE + 11, 0x1000000 - 2 * i);
    }
    assert_int_equal(
            read_bytes(bytes, program.size + SIZE * COUNT, 0, &problem), 0);
    free(bytes);
    assert_null(problem);
    assert_int_equal(table.sequence_count, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        const struct lines_row *first = lines_table_find(&table, 2 * i);
        const struct lines_row *last =
                lines_table_find(&table, 0x1000000 - 2 * i - 2);

        assert_ptr_equal(first, &table.rows[i]);
        assert_ptr_equal(last, &table.rows[i]);
    }
}

/* Every file names the same endless string; a path of that length is none. */
static void test_long_string_named_often(void **unused)
{
    enum {
        FILES = 10000,
        LENGTH = 1 << 22
    };
    char *string = malloc(LENGTH);
    struct lines_sections sections = {0};
    const char *problem;

    (void)unused;
    assert_non_null(string);
    memset(string, 'x', LENGTH);
    string[LENGTH - 1] = '\0';
    begin_lists();
    put_8(&program, 1);
    put_format(&program, LNCT_PATH, FORM_LINE_STRP);
    put_uleb(&program, 1);
    put_offset(&program, 0);
    put_8(&program, 1);
    put_format(&program, LNCT_PATH, FORM_STRP);
    put_uleb(&program, FILES);
    for (int i = 0; i < FILES; i++)
        put_offset(&program, i < FILES - 1 ? 0 : LENGTH - 4);
    end_lists();
    sections.line = (struct lines_section){program.bytes, program.size};
    sections.str = (struct lines_section){(uint8_t *)string, LENGTH};
    assert_int_equal(
            lines_table_read(&table, &sections, 0, "/w", "u.c", &problem), 0);
    assert_null(problem);
    assert_int_equal(table.file_count, FILES);
    for (uint32_t i = 0; i < FILES - 1; i++)
        assert_string_equal(lines_table_file(&table, i), "");
    assert_string_equal(lines_table_file(&table, FILES - 1), "/w/xxx");
    free(string);
}

/* The same of a string in the table, and of the unit's own. */
static void test_long_strings(void **unused)
{
    const char *problem;

    (void)unused;
    program.size = 0;
    program_defaults(&program, 3, false);
    program_begin(&program);
    for (int i = 0; i < 5000; i++)
        put_8(&program, 'd');
    put_number(&program, 2, 0);
    put_text(&program, "a");
    put_number(&program, 3, 1);
    put_text(&program, "b");
    put_number(&program, 3, 0);
    for (int i = 0; i < 5000; i++)
        put_8(&program, 'c');
    put_number(&program, 5, 0);
    end_lists();
    assert_int_equal(read_program(&problem), 0);
    assert_null(problem);
    assert_string_equal(lines_table_file(&table, 1), "");
    assert_string_equal(lines_table_file(&table, 2), "/w/b");
    assert_string_equal(lines_table_file(&table, 3), "");
}

static void check_table(size_t size)
{
    assert_in_range(table.row_count, 0, size);
    assert_in_range(table.sequence_count, 0, size);
    assert_in_range(table.file_count, 0, size + 1);
    for (size_t i = 0; i < table.sequence_count; i++) {
        const struct lines_sequence *sequence = &table.sequences[i];
        const struct lines_row *rows = table.rows + sequence->first;

        assert_in_range(sequence->count, 1, table.row_count);
        assert_in_range(sequence->first, 0, table.row_count - sequence->count);
        assert_int_equal(sequence->start, rows[0].address);
        assert_true(sequence->end > rows[sequence->count - 1].address);
        for (size_t j = 1; j < sequence->count; j++)
            assert_true(rows[j].address > rows[j - 1].address);
        if (i > 0)
            assert_true(sequence->start >= sequence[-1].start);
        assert_non_null(lines_table_find(&table, sequence->start));
        assert_non_null(lines_table_find(&table, sequence->end - 1));
    }
    for (uint32_t i = 0; i < table.file_count; i++)
        assert_non_null(lines_table_file(&table, i));
}

/* Every byte of a table with all there is, wrong in several ways. */
static void test_every_byte(void **unused)
{
    static const uint8_t values[] = {0, 1, 4, 0x7F, 0x80, 0xFF};

    (void)unused;
    for (unsigned version = 2; version <= 5; version++) {
        program_header(&program, version, version == 3);
        put_code(&program, 0x100, 0x200, 5);
        put_set_address(&program, 4, 0x300);
        put_operand(&program, LNS_SET_FILE, 2);
        put_8(&program, 28);
        put_discriminator(&program, 3);
        put_8(&program, 28);
        put_operand(&program, LNS_ADVANCE_PC, 300);
        put_8(&program, LNS_COPY);
        put_8(&program, LNS_FIXED_ADVANCE_PC);
        put_number(&program, 2, 0x100);
        put_end_sequence(&program);
        program_end(&program);
        for (size_t at = 0; at < program.size; at++)
            for (size_t i = 0; i < sizeof values; i++) {
                uint8_t right = program.bytes[at];
                const char *problem;

                program.bytes[at] = values[i];
                if (read_program(&problem) == 0)
                    check_table(program.size);
                else
                    assert_non_null(problem);
                lines_table_free(&table);
                program.bytes[at] = right;
            }
    }
}

/* Programs of any bytes, from a fixed seed. */
static void test_random_programs(void **unused)
{
    uint32_t random = 1;

    (void)unused;
    for (int round = 0; round < 2000; round++) {
        const char *problem;

        program_header(&program, 2 + (unsigned)round % 4, false);
        for (int i = 0; i < 400; i++) {
            random = random * 1664525 + 1013904223;
            /* Half of them from the opcodes that mean something. */
            put_8(&program,
                  random >> 31 ? random >> 24 & 0x0F : random >> 16 & 0xFF);
            if ((random >> 8 & 0x1F) == 0)
                put_end_sequence(&program);
        }
        program_end(&program);
        assert_int_equal(read_program(&problem), 0);
        check_table(program.size);
        lines_table_free(&table);
    }
}

#define TABLE_TEST(function) cmocka_unit_test_teardown(function, free_table)

int main(void)
{
    static const struct CMUnitTest tests[] = {
            TABLE_TEST(test_headers_that_make_no_sense),
            TABLE_TEST(test_versions),
            TABLE_TEST(test_offsets),
            TABLE_TEST(test_length_past_the_end),
            TABLE_TEST(test_counts_of_files),
            TABLE_TEST(test_unknown_forms),
            TABLE_TEST(test_blocks_past_the_end),
            TABLE_TEST(test_names_without_end),
            TABLE_TEST(test_operands_past_the_end),
            TABLE_TEST(test_cut_sequence),
            TABLE_TEST(test_a_row_a_byte),
            TABLE_TEST(test_descending_rows),
            TABLE_TEST(test_nested_sequences),
            TABLE_TEST(test_long_string_named_often),
            TABLE_TEST(test_long_strings),
            TABLE_TEST(test_every_byte),
            TABLE_TEST(test_random_programs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
