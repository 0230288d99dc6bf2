/* SPDX-License-Identifier: MIT */
#include "selection_list.h"

#include "room.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BOM "\xEF\xBB\xBF"

enum {
    TEXT_MAX = 64 << 20
};

static const struct {
    const char *word;
    enum selection_act act;
} acts[] = {
        {"keep", SELECTION_ACT_KEEP},
        {"drop", SELECTION_ACT_DROP},
        {"drop-inlined", SELECTION_ACT_DROP_INLINED},
};

static int compare_lines(const void *left, const void *right)
{
    const struct selection_line *a = left, *b = right;
    int order = strcmp(a->name, b->name);

    if (order != 0)
        return order;
    return (a->number > b->number) - (a->number < b->number);
}

static int refuse(const char *path, struct error *error)
{
    return error_set(error, MCUPROF_E_IO, "name a list as advise prints it",
                     "cannot read %s: %s", path, strerror(errno));
}

/* All of FILE, ended by a zero. */
static int read_text(struct selection_list *list, FILE *file, const char *path,
                     struct error *error)
{
    size_t used = 0, room = 0;

    for (;;) {
        size_t got;

        if (room - used < 4096) {
            size_t wanted = 2 * room + 16384;
            char *grown =
                    wanted > TEXT_MAX ? NULL : realloc(list->text, wanted);

            if (grown == NULL) {
                (void)error_set(error, MCUPROF_E_NOMEM, "", "%s is too large",
                                path);
                return MCUPROF_E_NOMEM;
            }
            list->text = grown;
            room = wanted;
        }
        got = fread(list->text + used, 1, room - used - 1, file);
        used += got;
        if (got == 0)
            break;
    }
    list->text[used] = '\0';
    if (ferror(file))
        return refuse(path, error);
    if (strlen(list->text) != used)
        return error_set(error, MCUPROF_E_FORMAT,
                         "name a list as advise prints it", "%s is no text",
                         path);
    return 0;
}

static char *trim(char *text)
{
    size_t size;

    text += strspn(text, " \t");
    size = strlen(text);
    while (size > 0 && strchr(" \t\r", text[size - 1]) != NULL)
        text[--size] = '\0';
    return text;
}

/* TEXT is "drop name"; the name may have spaces within: "ns::f(int, int)". */
static bool parse_line(char *text, struct selection_line *out)
{
    size_t length = strcspn(text, " \t");

    for (size_t i = 0; i < sizeof acts / sizeof acts[0]; i++)
        if (strlen(acts[i].word) == length
            && strncmp(text, acts[i].word, length) == 0) {
            out->act = acts[i].act;
            out->name = trim(text + length);
            return out->name[0] != '\0';
        }
    return false;
}

static int parse(struct selection_list *list, const char *path,
                 struct error *error)
{
    size_t room = 0, number = 0;

    /* Some editors begin a text with a mark of UTF-8. */
    for (char *next = list->text + (strncmp(list->text, BOM, 3) == 0 ? 3 : 0);
         next != NULL;) {
        struct selection_line line = {.number = number + 1};
        struct selection_line *lines;
        char *text = next;

        number++;
        next = strchr(text, '\n');
        if (next != NULL)
            *next++ = '\0';
        text = trim(text);
        if (text[0] == '\0' || text[0] == '#')
            continue;
        if (!parse_line(text, &line))
            return error_set(error, MCUPROF_E_FORMAT,
                             "write `drop NAME`, `drop-inlined NAME`, `keep "
                             "NAME` or `# comment`",
                             "%s:%zu: '%.100s' is no line of a selection", path,
                             number, text);
        lines = room_reserve(list->lines, list->count, &room, sizeof *lines);
        if (lines == NULL)
            return error_set(error, MCUPROF_E_NOMEM, "", "out of memory");
        list->lines = lines;
        lines[list->count++] = line;
    }
    if (list->count > 0)
        qsort(list->lines, list->count, sizeof *list->lines, compare_lines);
    return 0;
}

int selection_list_read(struct selection_list **out, const char *path,
                        struct error *error)
{
    struct selection_list *list = calloc(1, sizeof *list);
    bool is_input = strcmp(path, "-") == 0;
    FILE *file = is_input ? stdin : fopen(path, "rb");
    int result;

    *out = NULL;
    if (list == NULL)
        result = error_set(error, MCUPROF_E_NOMEM, "", "out of memory");
    else if (file == NULL)
        result = refuse(path, error);
    else if ((result = read_text(list, file, path, error)) == 0)
        result = parse(list, path, error);
    if (file != NULL && !is_input)
        (void)fclose(file);
    if (result < 0) {
        selection_list_free(list);
        return result;
    }
    *out = list;
    return 0;
}

void selection_list_free(struct selection_list *list)
{
    if (list == NULL)
        return;
    free(list->text);
    free(list->lines);
    free(list);
}

const struct selection_line *
selection_list_find(const struct selection_list *list, const char *name)
{
    size_t low = 0, high = list->count;

    /* The first one behind all of that name. */
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(list->lines[middle].name, name) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && strcmp(list->lines[low - 1].name, name) == 0
                   ? &list->lines[low - 1]
                   : NULL;
}
