/* SPDX-License-Identifier: MIT */
#include "lines_table.h"

#include <string.h>

#include "lines_table_parts.h"
#include "paths.h"

enum {
    DW_LNS_COPY = 1,
    DW_LNS_ADVANCE_PC = 2,
    DW_LNS_ADVANCE_LINE = 3,
    DW_LNS_SET_FILE = 4,
    DW_LNS_SET_COLUMN = 5,
    DW_LNS_CONST_ADD_PC = 8,
    DW_LNS_FIXED_ADVANCE_PC = 9,

    DW_LNE_END_SEQUENCE = 1,
    DW_LNE_SET_ADDRESS = 2,
    DW_LNE_DEFINE_FILE = 3,
    DW_LNE_SET_DISCRIMINATOR = 4,

    SMALLEST_INSTRUCTION = 2
};

/* The line number machine of section 6.2.2, less what no lookup asks for. */
struct machine {
    const struct lines_header *header;
    struct lines_table *table;
    struct lines_cursor program;
    uint64_t address; /* wide, so that going past 32 bits either way shows */
    uint64_t operation;
    uint64_t file;
    uint64_t column;
    uint64_t discriminator;
    uint32_t line;
    size_t first; /* row of the sequence */
    bool is_unsorted;
};

static void reset(struct machine *machine)
{
    machine->address = 0;
    machine->operation = 0;
    machine->file = 1;
    machine->line = 1;
    machine->column = 0;
    machine->discriminator = 0;
    machine->first = machine->table->row_count;
    machine->is_unsorted = false;
}

static uint32_t narrow(uint64_t number)
{
    return number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
}

static uint32_t even(uint64_t address)
{
    return (uint32_t)address & ~1u;
}

/* STEP counts instructions, or operations where several share one. */
static void advance(struct machine *machine, uint64_t step)
{
    const struct lines_header *header = machine->header;

    /* Backwards is written as a number near 2^32 or 2^64. */
    step = (uint64_t)(int64_t)(int32_t)(uint32_t)step;
    if (header->operations > 1) {
        uint64_t operations = machine->operation + step;

        step = operations / header->operations;
        machine->operation = operations % header->operations;
    }
    machine->address += step * header->instruction_size;
}

static int emit(struct machine *machine)
{
    struct lines_table *table = machine->table;
    struct lines_row row = {
            .address = even(machine->address),
            .file = narrow(machine->file),
            .line = machine->line,
            .discriminator = narrow(machine->discriminator),
            .column = machine->column <= UINT16_MAX ? (uint16_t)machine->column
                                                    : 0,
    };
    struct lines_row *rows;

    machine->discriminator = 0;
    if (machine->address > UINT32_MAX)
        return 0;
    if (table->row_count > machine->first) {
        struct lines_row *last = &table->rows[table->row_count - 1];

        if (last->address == row.address) {
            *last = row;
            return 0;
        }
        machine->is_unsorted |= row.address < last->address;
    }
    rows = lines_grow(table->rows, table->row_count, sizeof *rows);
    if (rows == NULL)
        return MCUPROF_E_NOMEM;
    table->rows = rows;
    rows[table->row_count++] = row;
    return 0;
}

static int add_sequence(struct lines_table *table, size_t first, size_t count,
                        uint32_t end)
{
    struct lines_sequence *sequences;

    if (count == 0)
        return 0;
    sequences = lines_grow(table->sequences, table->sequence_count,
                           sizeof *sequences);
    if (sequences == NULL)
        return MCUPROF_E_NOMEM;
    table->sequences = sequences;
    sequences[table->sequence_count++] = (struct lines_sequence){
            .start = table->rows[first].address,
            .end = end,
            .first = first,
            .count = count,
    };
    return 0;
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;

    return (left > right) - (left < right);
}

/* Sort the machine's rows by address, of equals the last one stays. */
static int sort_rows(struct machine *machine)
{
    struct lines_table *table = machine->table;
    struct lines_row *rows = table->rows + machine->first;
    size_t count = table->row_count - machine->first, kept = 0;
    uint64_t *keys = malloc(count * sizeof *keys);
    struct lines_row *copy = malloc(count * sizeof *copy);

    if (keys == NULL || copy == NULL || count > UINT32_MAX) {
        free(keys);
        free(copy);
        return MCUPROF_E_NOMEM;
    }
    memcpy(copy, rows, count * sizeof *copy);
    for (size_t i = 0; i < count; i++)
        keys[i] = (uint64_t)rows[i].address << 32 | i;
    qsort(keys, count, sizeof *keys, compare_keys);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && rows[kept - 1].address == keys[i] >> 32)
            kept--;
        rows[kept++] = copy[(uint32_t)keys[i]];
    }
    table->row_count = machine->first + kept;
    free(keys);
    free(copy);
    return 0;
}

/* The end of code whose last row is at ADDRESS and whose end is not known. */
static uint32_t least_end(uint32_t address)
{
    return address < UINT32_MAX - SMALLEST_INSTRUCTION
                   ? address + SMALLEST_INSTRUCTION
                   : UINT32_MAX;
}

/*
 * Where addresses went backwards, END is the end of the last stretch only: the
 * rows behind it, once sorted, are a sequence of their own.
 */
static int split_sequence(struct machine *machine, uint32_t end)
{
    struct lines_table *table = machine->table;
    size_t split = machine->first;
    int status = sort_rows(machine);

    if (status != 0)
        return status;
    while (split < table->row_count && table->rows[split].address < end)
        split++;
    status = add_sequence(table, machine->first, split - machine->first, end);
    if (status == 0 && split < table->row_count)
        status = add_sequence(
                table, split, table->row_count - split,
                least_end(table->rows[table->row_count - 1].address));
    return status;
}

static int end_sequence(struct machine *machine)
{
    struct lines_table *table = machine->table;
    size_t count = table->row_count - machine->first;
    uint32_t end = even(machine->address), last;
    int status = 0;

    if (machine->address > UINT32_MAX)
        end = machine->address > INT64_MAX ? 0 : UINT32_MAX;
    if (count > 0) {
        last = table->rows[table->row_count - 1].address;
        if (machine->is_unsorted || end < last) {
            status = split_sequence(machine, end);
        } else if (end > last) {
            status = add_sequence(table, machine->first, count, end);
        } else {
            /* The last row has no code. */
            table->row_count--;
            status = add_sequence(table, machine->first, count - 1, end);
        }
    }
    reset(machine);
    return status;
}

static void set_address(struct machine *machine, struct lines_cursor *operands)
{
    uint64_t size = cursor_left(operands), address = 0;
    const uint8_t *bytes = cursor_take(operands, size);

    if (size == 0 || size > sizeof address)
        return;
    for (uint64_t i = 0; i < size; i++)
        address |= (uint64_t)bytes[i] << 8 * i;
    machine->address = address;
    machine->operation = 0;
}

static int define_file(struct machine *machine, struct lines_cursor *operands)
{
    const char *name = cursor_string(operands);
    uint64_t directory = cursor_uleb(operands);

    if (operands->failed || machine->header->version >= 5)
        return 0;
    return lines_header_add_file(machine->header, machine->table, name,
                                 directory);
}

static int extended_opcode(struct machine *machine)
{
    struct lines_cursor *program = &machine->program;
    struct lines_cursor operands;
    const uint8_t *bytes;
    uint64_t length;

    if (cursor_left(program) == 0)
        return 0; /* the last byte of padding */
    length = cursor_uleb(program);
    bytes = cursor_take(program, length);
    if (program->failed || length == 0)
        return 0;
    operands = (struct lines_cursor){.at = bytes + 1, .end = bytes + length};
    switch (bytes[0]) {
    case DW_LNE_END_SEQUENCE:
        return end_sequence(machine);
    case DW_LNE_SET_ADDRESS:
        set_address(machine, &operands);
        return 0;
    case DW_LNE_DEFINE_FILE:
        return define_file(machine, &operands);
    case DW_LNE_SET_DISCRIMINATOR:
        machine->discriminator = cursor_uleb(&operands);
        return 0;
    default:
        return 0;
    }
}

static void special_advance(struct machine *machine, uint8_t opcode)
{
    const struct lines_header *header = machine->header;

    advance(machine,
            (unsigned)(opcode - header->opcode_base) / header->line_range);
}

static int special_opcode(struct machine *machine, uint8_t opcode)
{
    const struct lines_header *header = machine->header;
    int step = header->line_base
               + (opcode - header->opcode_base) % header->line_range;

    special_advance(machine, opcode);
    machine->line += (uint32_t)step;
    return emit(machine);
}

static int standard_opcode(struct machine *machine, uint8_t opcode)
{
    struct lines_cursor *program = &machine->program;

    switch (opcode) {
    case DW_LNS_COPY:
        return emit(machine);
    case DW_LNS_ADVANCE_PC:
        advance(machine, cursor_uleb(program));
        break;
    case DW_LNS_ADVANCE_LINE:
        machine->line += (uint32_t)cursor_sleb(program);
        break;
    case DW_LNS_SET_FILE:
        machine->file = cursor_uleb(program);
        break;
    case DW_LNS_SET_COLUMN:
        machine->column = cursor_uleb(program);
        break;
    case DW_LNS_CONST_ADD_PC:
        special_advance(machine, UINT8_MAX);
        break;
    case DW_LNS_FIXED_ADVANCE_PC:
        machine->address += cursor_16(program);
        machine->operation = 0;
        break;
    default:
        for (unsigned i = machine->header->opcode_lengths[opcode - 1]; i > 0;
             i--)
            (void)cursor_uleb(program);
        break;
    }
    return 0;
}

static int run(struct machine *machine, const char **problem)
{
    struct lines_cursor *program = &machine->program;
    int status = 0;

    reset(machine);
    while (status == 0 && program->at < program->end) {
        uint8_t opcode = *program->at++;

        if (opcode >= machine->header->opcode_base)
            status = special_opcode(machine, opcode);
        else if (opcode == 0)
            status = extended_opcode(machine);
        else
            status = standard_opcode(machine, opcode);
    }
    if (status == 0 && machine->table->row_count > machine->first) {
        struct lines_row *last =
                &machine->table->rows[machine->table->row_count - 1];

        if (*problem == NULL)
            *problem = "it ends within a sequence";
        if (machine->address <= last->address)
            machine->address = least_end(last->address);
        status = end_sequence(machine);
    }
    if (*problem == NULL && program->failed)
        *problem = "it ends within an instruction";
    return status;
}

static int compare_sequences(const void *a, const void *b)
{
    const struct lines_sequence *left = a;
    const struct lines_sequence *right = b;

    if (left->start != right->start)
        return left->start < right->start ? -1 : 1;
    return (left->first > right->first) - (left->first < right->first);
}

int lines_table_read(struct lines_table *out,
                     const struct lines_sections *sections, uint64_t offset,
                     const char *directory, const char *name,
                     const char **problem)
{
    struct lines_header header;
    int status;

    *out = (struct lines_table){.directory = directory};
    status = lines_header_read(&header, out, sections, offset, name, problem);
    if (status == 0) {
        struct machine machine = {
                .header = &header, .table = out, .program = header.program};

        status = run(&machine, problem);
    }
    free(header.directories);
    if (status == 0 && out->sequence_count > 0)
        qsort(out->sequences, out->sequence_count, sizeof *out->sequences,
              compare_sequences);
    if (status == 0)
        status = lines_spans_new(out);
    if (status == 0)
        lines_spans_build(out);
    else
        lines_table_free(out);
    return status;
}

void lines_table_free(struct lines_table *table)
{
    for (size_t i = 0; i < table->file_count; i++)
        free(table->files[i].path);
    free(table->files);
    free(table->rows);
    free(table->sequences);
    free(table->spans);
    free(table->waiting);
    *table = (struct lines_table){0};
}

void lines_table_filter(struct lines_table *table,
                        bool (*keep)(void *context, uint32_t start,
                                     uint32_t end),
                        void *context)
{
    size_t kept = 0;

    for (size_t i = 0; i < table->sequence_count; i++) {
        struct lines_sequence sequence = table->sequences[i];

        if (keep(context, sequence.start, sequence.end))
            table->sequences[kept++] = sequence;
    }
    if (kept == table->sequence_count)
        return;
    table->sequence_count = kept;
    lines_spans_build(table);
}

const struct lines_row *lines_table_find(const struct lines_table *table,
                                         uint32_t address)
{
    const struct lines_sequence *sequence;
    const struct lines_row *rows;
    size_t low = 0, high = table->span_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (table->spans[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || address >= table->spans[low - 1].end)
        return NULL;
    sequence = &table->sequences[table->spans[low - 1].sequence];
    rows = table->rows + sequence->first;
    low = 1; /* the first row is at the sequence's start */
    high = sequence->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (rows[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return &rows[low - 1];
}

static bool is_path(const char *text)
{
    return strnlen(text, LINES_PATH_LIMIT) < LINES_PATH_LIMIT;
}

const char *lines_table_file(const struct lines_table *table, uint32_t file)
{
    struct lines_file *entry;
    char *directory;

    if (file >= table->file_count)
        return "";
    entry = &table->files[file];
    if (entry->path != NULL)
        return entry->path;
    if (entry->name[0] == '\0' || !is_path(entry->name)
        || !is_path(entry->directory) || !is_path(table->directory))
        return "";
    directory = paths_join(table->directory, entry->directory);
    if (directory != NULL)
        entry->path = paths_join(directory, entry->name);
    free(directory);
    return entry->path != NULL ? entry->path : "";
}
