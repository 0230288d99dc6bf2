/* SPDX-License-Identifier: MIT */
#include "table.h"

#include <stdlib.h>
#include <string.h>

void table_init(struct table *table, const struct table_column *columns,
                size_t column_count)
{
    memset(table, 0, sizeof *table);
    table->columns = columns;
    table->column_count = column_count;
}

void table_deinit(struct table *table)
{
    for (size_t i = 0; i < table->row_count * table->column_count; i++)
        free(table->cells[i].text);
    free(table->cells);
    free(table->marked);
    table->cells = NULL;
    table->marked = NULL;
    table->row_count = 0;
}

static bool grow(struct table *table)
{
    size_t room = table->row_room == 0 ? 16 : 2 * table->row_room;
    struct table_cell *cells = realloc(
            table->cells, room * table->column_count * sizeof *table->cells);
    bool *marked;

    if (cells == NULL)
        return false;
    table->cells = cells;
    marked = realloc(table->marked, room * sizeof *marked);
    if (marked == NULL)
        return false;
    table->marked = marked;
    table->row_room = room;
    return true;
}

struct table_cell *table_add(struct table *table, bool marked)
{
    struct table_cell *cells;

    if (table->row_count == table->row_room && !grow(table))
        return NULL;
    cells = table->cells + table->row_count * table->column_count;
    memset(cells, 0, table->column_count * sizeof *cells);
    table->marked[table->row_count] = marked;
    table->row_count++;
    return cells;
}

int table_set_text(struct table_cell *cell, const char *text)
{
    free(cell->text);
    cell->text = strdup(text);
    cell->set = cell->text != NULL;
    return cell->set ? 0 : MCUPROF_E_NOMEM;
}

void table_set_count(struct table_cell *cell, uint64_t count)
{
    cell->count = count;
    cell->set = true;
}

void table_set_number(struct table_cell *cell, double number)
{
    cell->number = number;
    cell->set = true;
}

const struct table_cell *table_get(const struct table *table, size_t row,
                                   size_t column)
{
    return &table->cells[row * table->column_count + column];
}
