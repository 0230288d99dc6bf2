/* SPDX-License-Identifier: MIT */
#include "print_table.h"

#include "json_text.h"
#include "text.h"
#include "units.h"

#include <inttypes.h>
#include <string.h>

#define COLUMNS_MAX 40
#define SHORTEST 12
#define WIDTH_MAX 100
/* Of numbers in JSON; the nanoseconds of a year have 17. */
#define DIGITS 9
#define DIGITS_OF_TIME 15

static bool is_shown(const struct table_column *column, unsigned where)
{
    return (column->where & where) != 0;
}

static const char *format_cell(const struct table_column *column,
                               const struct table_cell *cell,
                               char out[UNITS_MAX])
{
    if (!cell->set)
        return "-";
    switch (column->type) {
    case TABLE_TEXT:
        return cell->text;
    case TABLE_COUNT:
        return units_count(out, cell->count);
    case TABLE_PERCENT:
        (void)snprintf(out, UNITS_MAX, "%.2f", cell->number);
        return out;
    case TABLE_DECIMAL:
        return units_thousandths(out, cell->number);
    case TABLE_ADDRESS:
        (void)snprintf(out, UNITS_MAX, "0x%08" PRIx64, cell->count);
        return out;
    case TABLE_JSON:
        break;
    }
    return "";
}

static void measure(const struct table *table, size_t widths[COLUMNS_MAX])
{
    char number[UNITS_MAX];

    for (size_t k = 0; k < table->column_count; k++) {
        widths[k] = text_width(table->columns[k].header);
        for (size_t i = 0; i < table->row_count; i++) {
            size_t width = text_width(format_cell(
                    &table->columns[k], table_get(table, i, k), number));

            if (width > widths[k])
                widths[k] = width;
        }
    }
}

/* Where character NUMBER of TEXT begins. */
static const char *skip(const char *text, size_t number)
{
    for (; *text != '\0'; text++)
        if (((unsigned char)*text & 0xC0) != 0x80 && number-- == 0)
            break;
    return text;
}

/* Beginning and end tell names apart better than the middle does. */
static void print_shortened(FILE *stream, const char *text, size_t room)
{
    size_t width = text_width(text);
    size_t head = (room - 2) / 2;

    if (width <= room || room < SHORTEST)
        (void)fputs(text, stream);
    else
        (void)fprintf(stream, "%.*s..%s", (int)(skip(text, head) - text), text,
                      skip(text, width - (room - 2 - head)));
}

static size_t last_shown(const struct table *table)
{
    size_t last = 0;

    for (size_t k = 0; k < table->column_count; k++)
        if (is_shown(&table->columns[k], TABLE_IN_TEXT))
            last = k;
    return last;
}

static void print_row(struct output *output, const struct table *table,
                      const size_t widths[COLUMNS_MAX],
                      const struct table_cell *cells)
{
    size_t last = last_shown(table);
    size_t used = 0;

    for (size_t k = 0; k <= last; k++) {
        const struct table_column *column = &table->columns[k];
        char number[UNITS_MAX];
        const char *text = cells == NULL
                                   ? column->header
                                   : format_cell(column, &cells[k], number);

        if (!is_shown(column, TABLE_IN_TEXT))
            continue;
        (void)fputs("  ", output->stream);
        used += 2 + widths[k];
        if (column->type != TABLE_TEXT)
            (void)fprintf(output->stream, "%*s", (int)widths[k], text);
        else if (k < last)
            (void)fprintf(output->stream, "%s%*s", text,
                          (int)(widths[k] - text_width(text)), "");
        else if (output->width == 0 || output->width >= used)
            (void)fputs(text, output->stream);
        else
            print_shortened(output->stream, text,
                            output->width - (used - widths[k]));
    }
}

void print_text(struct output *output, const struct table *table)
{
    size_t widths[COLUMNS_MAX] = {0};

    measure(table, widths);
    (void)fputs(output_bold(output), output->stream);
    print_row(output, table, widths, NULL);
    (void)fprintf(output->stream, "%s\n", output_plain(output));
    for (size_t i = 0; i < table->row_count; i++) {
        bool marked = table->marked[i];

        (void)fputs(marked ? output_faint(output) : "", output->stream);
        print_row(output, table, widths, table_get(table, i, 0));
        (void)fprintf(output->stream, "%s\n",
                      marked ? output_plain(output) : "");
    }
}

static void print_quoted(FILE *stream, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        (void)fputs(text, stream);
        return;
    }
    (void)fputc('"', stream);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            (void)fputc('"', stream);
        (void)fputc(*text, stream);
    }
    (void)fputc('"', stream);
}

static void print_csv_cell(FILE *stream, const struct table_column *column,
                           const struct table_cell *cell)
{
    char number[UNITS_MAX];

    if (!cell->set)
        return;
    if (column->type == TABLE_PERCENT)
        (void)fprintf(stream, "%.4f", cell->number);
    else if (column->type == TABLE_DECIMAL)
        (void)fprintf(stream, "%.3f", cell->number);
    else if (column->type == TABLE_COUNT)
        (void)fprintf(stream, "%" PRIu64, cell->count);
    else
        print_quoted(stream, format_cell(column, cell, number));
}

void print_csv_head(struct output *output, const struct table *table)
{
    const char *comma = "";

    for (size_t k = 0; k < table->column_count; k++) {
        if (!is_shown(&table->columns[k], TABLE_IN_DATA | TABLE_IN_CSV))
            continue;
        (void)fprintf(output->stream, "%s%s", comma, table->columns[k].key);
        comma = ",";
    }
    (void)fputc('\n', output->stream);
}

void print_csv_row(struct output *output, const struct table *table, size_t row)
{
    const char *comma = "";

    for (size_t k = 0; k < table->column_count; k++) {
        if (!is_shown(&table->columns[k], TABLE_IN_DATA | TABLE_IN_CSV))
            continue;
        (void)fputs(comma, output->stream);
        print_csv_cell(output->stream, &table->columns[k],
                       table_get(table, row, k));
        comma = ",";
    }
    (void)fputc('\n', output->stream);
}

void print_csv(struct output *output, const struct table *table)
{
    print_csv_head(output, table);
    for (size_t i = 0; i < table->row_count; i++)
        print_csv_row(output, table, i);
}

/* A new reference, NULL without memory. */
static json_t *cell_value(const struct table *table, size_t row, size_t column)
{
    const struct table_cell *cell = table_get(table, row, column);

    if (!cell->set)
        return json_null();
    switch (table->columns[column].type) {
    case TABLE_TEXT:
        return json_text(cell->text);
    case TABLE_PERCENT:
    case TABLE_DECIMAL:
        return json_real(cell->number);
    case TABLE_JSON:
        return table->expand(table->context, &table->columns[column],
                             cell->count);
    default:
        return json_integer((json_int_t)cell->count);
    }
}

static json_t *row_value(const struct table *table, size_t row)
{
    json_t *value = json_object();

    for (size_t k = 0; k < table->column_count && value != NULL; k++)
        if (is_shown(&table->columns[k], TABLE_IN_DATA | TABLE_IN_JSON)
            && json_object_set_new(value, table->columns[k].key,
                                   cell_value(table, row, k))
                       < 0) {
            json_decref(value);
            value = NULL;
        }
    return value;
}

/* Takes VALUE over. */
static int print_value(FILE *stream, json_t *value, size_t flags)
{
    int result = value == NULL ? -1 : json_dumpf(value, stream, flags);

    json_decref(value);
    return result < 0 ? MCUPROF_E_NOMEM : 0;
}

int print_json_head(struct output *output, json_t *document)
{
    int result;

    (void)fputc('{', output->stream);
    result = print_value(output->stream, document,
                         JSON_EMBED | JSON_INDENT(1)
                                 | JSON_REAL_PRECISION(DIGITS));
    (void)fputs(",\n \"rows\": [", output->stream);
    return result;
}

static int print_json_row(struct output *output, const struct table *table,
                          size_t row, size_t digits)
{
    return print_value(output->stream, row_value(table, row),
                       JSON_REAL_PRECISION(digits));
}

int print_json_next(struct output *output, const struct table *table,
                    bool is_first)
{
    (void)fputs(is_first ? "\n  " : ",\n  ", output->stream);
    return print_json_row(output, table, 0, DIGITS_OF_TIME);
}

void print_json_end(struct output *output)
{
    (void)fputs("\n ]\n}\n", output->stream);
}

/* Row by row: all at once would be many times the size of the text. */
int print_json(struct output *output, json_t *document,
               const struct table *table)
{
    int result = print_json_head(output, document);

    for (size_t i = 0; i < table->row_count && result == 0; i++) {
        (void)fputs(i == 0 ? "\n  " : ",\n  ", output->stream);
        result = print_json_row(output, table, i, DIGITS);
    }
    print_json_end(output);
    return result;
}

/* How much of TEXT goes on a line of ROOM columns. */
static size_t line_length(const char *text, size_t room)
{
    size_t length = strlen(text);

    if (length <= room)
        return length;
    for (size_t i = room; i > room / 2; i--)
        if (text[i] == ' ')
            return i;
    while (room > 1 && ((unsigned char)text[room] & 0xC0) == 0x80)
        room--;
    return room;
}

void print_labelled(FILE *stream, unsigned width, const char *label,
                    int label_width, const char *text)
{
    size_t room = (width == 0 || width > WIDTH_MAX ? WIDTH_MAX : width)
                  - (size_t)label_width - 4;

    do {
        size_t length = line_length(text, room);

        (void)fprintf(stream, "  %-*s  %.*s\n", label_width, label, (int)length,
                      text);
        text += length;
        text += strspn(text, " ");
        label = "";
    } while (*text != '\0');
}
