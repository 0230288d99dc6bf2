/* SPDX-License-Identifier: MIT */
#include "arm_fixture.h"

#include <sys/stat.h>

#include "lines_table.h"

/*
 * Line tables of gcc, gas and clang, against readelf's reading of their
 * opcodes and addr2line's files.
 */

enum {
    ROWS = 1024,
    LINE_SIZE = 1024
};

struct truth_row {
    uint64_t table;
    struct lines_row row;
    bool is_end;
};

static struct {
    char directory[PATH_SIZE];
    char elf[PATH_SIZE];
    uint8_t *bytes[3];
    struct lines_sections sections;
    struct truth_row truth[ROWS];
    size_t truth_count;
} state;

static const char shared_h[] =
        "static inline int scaled(int value)\n"
        "{\n"
        "    int result = 0;\n"
        "    for (int i = 0; i < value; i++)\n"
        "        result += value > 9 ? i * 3 : i ^ value;\n"
        "    return result;\n"
        "}\n";

static const char main_c[] =
        "#include \"../inc/shared.h\"\n"
        "volatile int input;\n"
        "int far(int value);\n"
        "__attribute__((noinline)) int near(int value)\n"
        "{\n"
        "    return scaled(value) + scaled(value / 2) + far(value);\n"
        "}\n"
        "\n"
        "void _start(void)\n"
        "{\n"
        "    for (;;)\n"
        "        input = near(input) ? input + 1 : far(3);\n"
        "}\n"
        "#line 70000 \"made/up.y\"\n"
        "int far(int value)\n"
        "{\n"
        "    return value ? value * input : 4;\n"
        "}\n";

static const char code_s[] = "    .syntax unified\n"
                             "    .thumb\n"
                             "    .text\n"
                             "    .globl tick\n"
                             "    .thumb_func\n"
                             "tick:\n"
                             "    movs r0, #1\n"
                             "\n"
                             "    adds r0, r0, #2\n"
                             "    bx lr\n";

static void write_text(const char *name, const char *text)
{
    char path[PATH_SIZE];

    fixture_path(path, state.directory, name);
    file_write(path, text, strlen(text));
}

/* Build with CLANG or gcc in the folder build/, so that paths are relative. */
static void build(bool is_clang, unsigned version, const char *level)
{
    char command[4 * PATH_SIZE];
    int length;

    length = snprintf(
            command, sizeof command,
            "cd '%s/build' && %s -mcpu=cortex-m3 -mthumb -%s -gdwarf-%u "
            "-ffreestanding -fno-common -ffunction-sections -fno-exceptions "
            "-c ../src/main.c -o main.o && "
            "arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -gdwarf-%u "
            "-c ../src/code.s -o code.o && "
            "arm-none-eabi-gcc -nostdlib -Wl,-Ttext=0x8000 main.o code.o "
            "-o '%s' 2>link.txt",
            state.directory,
            is_clang ? "clang --target=arm-none-eabi" : "arm-none-eabi-gcc",
            level, version, version, state.elf);
    assert_in_range(length, 1, sizeof command - 1);
    run_tool(NULL, "sh", "-c", command, NULL);
}

/* An absent section is left empty. */
static void dump_section(const char *name, struct lines_section *section,
                         uint8_t **bytes)
{
    char path[PATH_SIZE], option[3 * PATH_SIZE];

    fixture_path(path, state.directory, "section");
    file_write(path, "", 0);
    (void)snprintf(option, sizeof option,
                   "arm-none-eabi-objcopy --dump-section %s='%s' '%s' "
                   "/dev/null 2>/dev/null || true",
                   name, path, state.elf);
    run_tool(NULL, "sh", "-c", option, NULL);
    *bytes = file_read(path, &section->size);
    section->bytes = *bytes;
}

static void read_sections(void)
{
    state.sections = (struct lines_sections){0};
    dump_section(".debug_line", &state.sections.line, &state.bytes[0]);
    dump_section(".debug_line_str", &state.sections.line_str, &state.bytes[1]);
    dump_section(".debug_str", &state.sections.str, &state.bytes[2]);
    assert_int_not_equal(state.sections.line.size, 0);
}

static void free_sections(void)
{
    for (size_t i = 0; i < 3; i++) {
        free(state.bytes[i]);
        state.bytes[i] = NULL;
    }
}

static unsigned long long after(const char *text, const char *word, int base)
{
    const char *at = strstr(text, word);

    if (at == NULL)
        fail_msg("no \"%s\" in \"%s\"", word, text);
    return strtoull(at + strlen(word), NULL, base);
}

static void add_truth(struct truth_row *registers, bool is_end)
{
    assert_in_range(state.truth_count, 0, ROWS - 1);
    registers->is_end = is_end;
    state.truth[state.truth_count++] = *registers;
    registers->row.discriminator = 0;
    if (is_end)
        registers->row = (struct lines_row){.file = 1, .line = 1};
}

/* One line of readelf's list of opcodes, with values it has worked out. */
static void follow(struct truth_row *at, const char *text)
{
    if (strncmp(text, "Special opcode", 14) == 0) {
        at->row.address = (uint32_t)after(text, " to 0x", 16);
        at->row.line = (uint32_t)after(strstr(text, "Line by"), " to ", 10);
        add_truth(at, false);
    } else if (strncmp(text, "Copy", 4) == 0) {
        add_truth(at, false);
    } else if (strncmp(text, "Set column", 10) == 0) {
        at->row.column = (uint16_t)after(text, " to ", 10);
    } else if (strncmp(text, "Advance Line", 12) == 0) {
        at->row.line = (uint32_t)after(text, " to ", 10);
    } else if (strncmp(text, "Advance PC", 10) == 0) {
        at->row.address = (uint32_t)after(text, " to 0x", 16);
    } else if (strncmp(text, "Set File Name", 13) == 0) {
        at->row.file = (uint32_t)after(text, "entry ", 10);
    } else if (strstr(text, "set Address to") != NULL) {
        at->row.address = (uint32_t)after(text, " to 0x", 16);
    } else if (strstr(text, "set Discriminator") != NULL) {
        at->row.discriminator = (uint32_t)after(text, " to ", 10);
    } else if (strstr(text, "End of Sequence") != NULL) {
        add_truth(at, true);
    } else if (strncmp(text, "Set is_stmt", 11) != 0
               && strncmp(text, "Set prologue_end", 16) != 0) {
        fail_msg("unexpected: %s", text);
    }
}

static void read_truth(void)
{
    struct truth_row at = {.row = {.file = 1, .line = 1}};
    char list[PATH_SIZE], line[LINE_SIZE];
    FILE *file;

    fixture_path(list, state.directory, "rawline.txt");
    run_tool(list, "arm-none-eabi-readelf", "--debug-dump=rawline", state.elf,
             NULL);
    file = fopen(list, "r");
    assert_non_null(file);
    state.truth_count = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        const char *text = strstr(line, "]  ");

        if (strncmp(line, "  Offset:", 9) == 0)
            at.table = after(line, "Offset:", 0);
        else if (strncmp(line, "  [0x", 5) == 0 && text != NULL)
            follow(&at, text + 3);
    }
    (void)fclose(file);
    assert_int_not_equal(state.truth_count, 0);
}

/* Compare the sequence of truth from INDEX on; returns its end. */
static size_t compare_sequence(const struct lines_table *table, size_t index,
                               size_t *rows)
{
    const struct lines_sequence *sequence = NULL;
    size_t seen = 0;

    for (; !state.truth[index].is_end; index++) {
        const struct lines_row *expected = &state.truth[index].row;
        const struct lines_row *row;

        if (state.truth[index + 1].row.address == expected->address)
            continue;
        for (size_t i = 0; seen == 0 && i < table->sequence_count; i++)
            if (table->sequences[i].start == expected->address)
                sequence = &table->sequences[i];
        assert_non_null(sequence);
        assert_in_range(seen, 0, sequence->count - 1);
        row = &table->rows[sequence->first + seen++];
        assert_int_equal(row->address, expected->address);
        assert_int_equal(row->line, expected->line);
        assert_int_equal(row->file, expected->file);
        assert_int_equal(row->column, expected->column);
        assert_int_equal(row->discriminator, expected->discriminator);
        for (uint32_t byte = 0; byte < 4; byte++)
            if (row->address + byte < state.truth[index + 1].row.address)
                assert_ptr_equal(lines_table_find(table, row->address + byte),
                                 row);
    }
    if (sequence != NULL) {
        assert_int_equal(sequence->count, seen);
        assert_int_equal(sequence->end, state.truth[index].row.address);
    }
    *rows += seen;
    return index + 1;
}

/* addr2line's answer to ADDRESS: "PATH:LINE", PATH resolved. */
static void ask_addr2line(uint32_t address, char path[PATH_SIZE],
                          unsigned *line)
{
    char output[PATH_SIZE], number[16], text[LINE_SIZE], *colon;
    FILE *file;

    fixture_path(output, state.directory, "line.txt");
    (void)snprintf(number, sizeof number, "0x%x", (unsigned)address);
    run_tool(output, "arm-none-eabi-addr2line", "-e", state.elf, number, NULL);
    file = fopen(output, "r");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    (void)fclose(file);
    colon = strrchr(text, ':');
    assert_non_null(colon);
    *line = (unsigned)strtoul(colon + 1, NULL, 10);
    *colon = '\0';
    assert_in_range(strlen(text), 1, PATH_SIZE - 1);
    memcpy(path, text, strlen(text) + 1);
}

/* The same file for both, or, of #line, the same name; ours without "..". */
static void compare_file(const struct lines_table *table,
                         const struct lines_row *row)
{
    const char *ours = lines_table_file(table, row->file);
    struct stat our_file, their_file;
    char theirs[PATH_SIZE];
    unsigned line;

    ask_addr2line(row->address, theirs, &line);
    assert_int_equal(row->line, line);
    assert_int_equal(ours[0], '/');
    assert_null(strstr(ours, ".."));
    if (strstr(theirs, "made/up.y") != NULL) {
        assert_string_equal(strrchr(ours, '/') - 4, "made/up.y");
        return;
    }
    assert_int_equal(stat(theirs, &their_file), 0);
    assert_int_equal(stat(ours, &our_file), 0);
    assert_int_equal(our_file.st_dev, their_file.st_dev);
    assert_int_equal(our_file.st_ino, their_file.st_ino);
}

static void compare_all(void)
{
    char unit_directory[PATH_SIZE];
    size_t rows = 0;

    fixture_path(unit_directory, state.directory, "build");
    read_sections();
    read_truth();
    for (size_t i = 0; i < state.truth_count;) {
        uint64_t offset = state.truth[i].table;
        struct lines_table table;
        const char *problem = "";

        assert_int_equal(lines_table_read(&table, &state.sections, offset,
                                          unit_directory, "../src/main.c",
                                          &problem),
                         0);
        assert_null(problem);
        while (i < state.truth_count && state.truth[i].table == offset)
            i = compare_sequence(&table, i, &rows);
        for (size_t j = 0; j < table.row_count; j += 3)
            compare_file(&table, &table.rows[j]);
        lines_table_free(&table);
    }
    assert_in_range(rows, 10, ROWS);
    free_sections();
}

static void test_gcc(void **unused)
{
    (void)unused;
    for (unsigned version = 2; version <= 5; version++) {
        build(false, version, "O2");
        compare_all();
    }
    build(false, 5, "O0");
    compare_all();
}

static void test_clang(void **unused)
{
    (void)unused;
    for (unsigned version = 2; version <= 5; version++) {
        build(true, version, "O2");
        compare_all();
    }
    build(true, 4, "O0");
    compare_all();
}

/*
 * The table at OFFSET of what is left of the sections: rows are those of WHOLE
 * as far as they go, and what is missing is told.
 */
static void read_damaged(const struct lines_sections *sections, uint64_t offset,
                         const struct lines_table *whole)
{
    struct lines_table table;
    const char *problem = NULL;
    int status =
            lines_table_read(&table, sections, offset, "/w", "u.c", &problem);

    assert_non_null(problem);
    if (status != 0) {
        assert_int_equal(status, MCUPROF_E_FORMAT);
        assert_null(table.rows);
        return;
    }
    assert_in_range(table.row_count, 0, whole->row_count);
    for (size_t i = 0; i + 1 < table.row_count; i++) {
        const struct lines_row *row = &table.rows[i];

        assert_int_equal(row->address, whole->rows[i].address);
        assert_int_equal(row->line, whole->rows[i].line);
    }
    for (size_t i = 0; i < table.sequence_count; i++)
        assert_true(table.sequences[i].start < table.sequences[i].end);
    for (uint32_t i = 0; i < table.file_count; i++)
        assert_non_null(lines_table_file(&table, i));
    lines_table_free(&table);
}

/* Each truncation is a block of its own, for the sanitizer to guard. */
static void truncate_tables(void)
{
    uint64_t last = state.truth[state.truth_count - 1].table;
    size_t full = state.sections.line.size;
    struct lines_table whole;
    const char *problem;

    for (uint64_t offset = 0;; offset = last) {
        size_t size = offset < last ? (size_t)last : full;

        assert_int_equal(lines_table_read(&whole, &state.sections, offset, "/w",
                                          "u.c", &problem),
                         0);
        while (size-- > offset) {
            struct lines_sections sections = state.sections;
            uint8_t *copy = malloc(size > 0 ? size : 1);

            assert_non_null(copy);
            memcpy(copy, state.bytes[0], size);
            sections.line = (struct lines_section){copy, size};
            read_damaged(&sections, offset, &whole);
            free(copy);
        }
        lines_table_free(&whole);
        if (offset == last)
            return;
    }
}

static void test_every_truncation(void **unused)
{
    (void)unused;
    for (unsigned version = 2; version <= 5; version++) {
        build(version != 3, version, "Os");
        read_sections();
        read_truth();
        truncate_tables();
        free_sections();
    }
}

/* Strings may lie behind the end of what is left of their section. */
static void test_every_truncation_of_strings(void **unused)
{
    size_t full;

    (void)unused;
    build(true, 5, "O2");
    read_sections();
    full = state.sections.line_str.size;
    assert_int_not_equal(full, 0);
    for (size_t size = full + 1; size-- > 0;) {
        struct lines_sections sections = state.sections;
        uint8_t *copy = malloc(size > 0 ? size : 1);
        struct lines_table table;
        const char *problem = "";
        size_t known = 0;

        assert_non_null(copy);
        memcpy(copy, state.bytes[1], size);
        sections.line_str = (struct lines_section){copy, size};
        assert_int_equal(
                lines_table_read(&table, &sections, 0, "/w", "u.c", &problem),
                0);
        assert_null(problem);
        for (uint32_t i = 0; i < table.file_count; i++)
            known += *lines_table_file(&table, i) != '\0';
        if (size == full)
            assert_int_equal(known, table.file_count);
        if (size == 0)
            assert_int_equal(known, 0);
        lines_table_free(&table);
        free(copy);
    }
    free_sections();
}

static int setup(void **unused)
{
    char path[PATH_SIZE];

    (void)unused;
    fixture_begin(state.directory);
    fixture_path(state.elf, state.directory, "lines.elf");
    for (size_t i = 0; i < 3; i++) {
        static const char *const folders[] = {"build", "src", "inc"};

        fixture_path(path, state.directory, folders[i]);
        run_tool(NULL, "mkdir", path, NULL);
    }
    write_text("src/main.c", main_c);
    write_text("src/code.s", code_s);
    write_text("inc/shared.h", shared_h);
    return 0;
}

static int teardown(void **unused)
{
    (void)unused;
    free_sections();
    fixture_end(state.directory);
    return 0;
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_gcc),
            cmocka_unit_test(test_clang),
            cmocka_unit_test(test_every_truncation),
            cmocka_unit_test(test_every_truncation_of_strings),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
