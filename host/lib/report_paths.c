/* SPDX-License-Identifier: MIT */
#include "report_paths.h"

#include "json_text.h"

#include <string.h>

static bool is_separator(char c)
{
    return c == '/' || c == '\\';
}

/* Cut SIZE bytes of PATH behind their last separator. */
static size_t cut(const char *path, size_t size)
{
    while (size > 0 && !is_separator(path[size - 1]))
        size--;
    return size;
}

static const char *first_path(const struct rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        if (rows->items[i].file != NULL)
            return rows->items[i].file;
    return "";
}

size_t report_common_directory(const struct rows *rows)
{
    const char *first = first_path(rows);
    size_t size = cut(first, strlen(first));

    for (size_t i = 0; i < rows->count && size > 0; i++) {
        const char *path = rows->items[i].file;
        size_t same = 0;

        while (path != NULL && same < size && path[same] == first[same])
            same++;
        if (path != NULL)
            size = cut(first, same);
    }
    /* Where only "/", "C:\" or "src/" is common, whole paths read better. */
    return size > 0 && cut(first, size - 1) > 0 ? size : 0;
}

char *report_directory_name(const struct rows *rows, size_t size)
{
    return strndup(first_path(rows), size);
}

static json_t *text_or_null(const char *text)
{
    return text != NULL ? json_text(text) : json_null();
}

static json_t *count_or_null(uint32_t count)
{
    return count != 0 ? json_integer(count) : json_null();
}

/* The last frame is the function in memory, under the name it has there. */
static json_t *frame_json(const struct symbols *symbols,
                          const struct location *location, size_t index)
{
    const struct symbol_frame *frame =
            &symbols->frames[location->first_frame + index];
    bool is_last = index + 1 == location->frame_count;
    const struct symbol_function *function = NULL;

    if (is_last && location->function != SYMBOLS_NONE)
        function = &symbols->functions[location->function];
    else if (frame->source != SYMBOLS_NONE)
        function = &symbols->sources[frame->source];
    return json_pack("{s:o, s:o, s:b, s:o, s:o, s:o, s:o}", "function",
                     text_or_null(function != NULL ? function->name : NULL),
                     "linkage",
                     text_or_null(function != NULL ? function->linkage : NULL),
                     "inlined", frame->is_inlined, "file",
                     text_or_null(frame->file != SYMBOLS_NONE
                                          ? symbols->files[frame->file]
                                          : NULL),
                     "line", count_or_null(frame->line), "column",
                     count_or_null(frame->column), "discriminator",
                     count_or_null(frame->discriminator));
}

json_t *report_expand_frames(const void *context,
                             const struct table_column *column, uint64_t number)
{
    const struct symbols *symbols = context;
    const struct location *location = &symbols->locations[number];
    json_t *frames = json_array();

    (void)column;
    for (size_t i = 0; i < location->frame_count && frames != NULL; i++)
        if (json_array_append_new(frames, frame_json(symbols, location, i))
            < 0) {
            json_decref(frames);
            frames = NULL;
        }
    return frames;
}

static json_t *other_json(const struct named_blocks *blocks,
                          const struct block_function *other)
{
    const struct symbol_function *function =
            &blocks->symbols->functions[other->function];

    return json_pack(
            "{s:o, s:o, s:o, s:I, s:I}", "function", json_text(function->name),
            "linkage", json_text(function->linkage), "module",
            json_text(function->module), "address", (json_int_t)function->start,
            "bytes", (json_int_t)other->bytes);
}

static json_t *others_json(const struct named_blocks *blocks,
                           const struct named_block *block)
{
    json_t *others = json_array();

    for (size_t i = 0; i < block->count && others != NULL; i++)
        if (json_array_append_new(
                    others,
                    other_json(blocks, &blocks->others[block->first + i]))
            < 0) {
            json_decref(others);
            others = NULL;
        }
    return others;
}

json_t *report_expand_block(const void *context,
                            const struct table_column *column, uint64_t number)
{
    const struct named_blocks *blocks = context;

    return strcmp(column->key, "others") == 0
                   ? others_json(blocks, &blocks->blocks[number])
                   : report_expand_frames(blocks->symbols, column, number);
}
