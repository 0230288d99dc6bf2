/* SPDX-License-Identifier: MIT */
#include "print_place.h"

#include "text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PATH_TEXT_MAX 4096

/* A frame in words. Pointers are NULL and numbers 0 where nothing is known. */
struct line {
    char function[DEMANGLE_MAX];
    char linkage[DEMANGLE_MAX];
    char file[PATH_TEXT_MAX];
    bool has_function;
    bool has_file;
    bool is_inlined;
    uint32_t line;
    uint32_t column;
    uint32_t discriminator;
};

static const char *const kinds[] = {
        [IMAGE_UNKNOWN] = "unknown",
        [IMAGE_FUNCTION] = "function",
        [IMAGE_DATA] = "data",
};

static bool has_name(const struct modules_place *place)
{
    return strcmp(place->name, "[unknown]") != 0;
}

static uint32_t offset_in(const struct modules_place *place, uint32_t address)
{
    return (address & ~1U) - place->start;
}

/* A function without debug info is one frame, data and the rest are none. */
static size_t count_lines(const struct modules_place *place)
{
    if (place->frame_count > 0)
        return place->frame_count;
    return place->kind == IMAGE_FUNCTION;
}

static void name_line(struct line *line, const struct place_style *style,
                      const char *linkage)
{
    line->has_function = true;
    demangle(style->demangle, linkage, line->function);
    text_clean(line->linkage, sizeof line->linkage, linkage);
}

static void set_file(struct line *line, const struct place_style *style,
                     const char *file)
{
    char *path = path_map_apply(style->paths, file);

    text_clean(line->file, sizeof line->file, path != NULL ? path : file);
    line->has_file = true;
    free(path);
}

/* Frame INDEX; the last one is the function in memory, with its own name. */
static void get_line(struct line *line, const struct place_style *style,
                     const struct modules_place *place, size_t index)
{
    static const struct lines_frame none = {
            .name = "", .qualified = "", .linkage = "", .file = ""};
    const struct lines_frame *frame =
            index < place->frame_count ? &place->frames[index] : &none;

    line->has_function = false;
    line->has_file = false;
    line->is_inlined = frame->is_inlined;
    line->line = frame->line;
    line->column = frame->column;
    line->discriminator = frame->discriminator;
    if (frame->file[0] != '\0')
        set_file(line, style, frame->file);
    if (index + 1 >= place->frame_count) {
        if (has_name(place))
            name_line(line, style, place->name);
    } else if (frame->linkage[0] != '\0') {
        name_line(line, style, frame->linkage);
    } else if (frame->name[0] != '\0') {
        name_line(line, style, frame->qualified);
        text_clean(line->linkage, sizeof line->linkage, frame->name);
    }
}

#define LABEL_MAX (DEMANGLE_MAX + 40)

/* "name+0x12 [veneer]", "table [data]", "inlined (inlined)". */
static void set_label(char out[LABEL_MAX], const struct line *line, bool last,
                      uint32_t address, const struct modules_place *place)
{
    char offset[16] = "";
    const char *suffix = last ? place->suffix : " (inlined)";

    if (last && place->kind == IMAGE_DATA && suffix[0] == '\0')
        suffix = " [data]";
    if (last && has_name(place) && offset_in(place, address) != 0)
        (void)snprintf(offset, sizeof offset, "+0x%" PRIx32,
                       offset_in(place, address));
    if (!line->has_function && place->kind == IMAGE_DATA)
        suffix = "[data]";
    (void)snprintf(out, LABEL_MAX, "%s%s%s",
                   line->has_function                  ? line->function
                   : last && place->kind == IMAGE_DATA ? ""
                                                       : "[unknown]",
                   offset, suffix);
}

static void print_line(FILE *stream, const struct place_style *style,
                       const struct line *line)
{
    if (!line->has_file) {
        (void)fputs("  -", stream);
        return;
    }
    (void)fprintf(stream, "  %s", line->file);
    if (line->line != 0)
        (void)fprintf(stream, ":%" PRIu32, line->line);
    if (style->with_discriminators && line->discriminator != 0)
        (void)fprintf(stream, " (discriminator %" PRIu32 ")",
                      line->discriminator);
}

void print_place_text(FILE *stream, const struct place_style *style,
                      uint32_t address, const struct modules_place *place)
{
    size_t count = count_lines(place);
    char label[LABEL_MAX];
    struct line line;
    size_t widest = 0;

    count = count > 0 ? count : 1;
    for (size_t i = 0; i < count; i++) {
        size_t width;

        get_line(&line, style, place, i);
        set_label(label, &line, i + 1 == count, address, place);
        width = text_width(label);
        widest = width > widest ? width : widest;
    }
    for (size_t i = 0; i < count; i++) {
        bool last = i + 1 == count;

        if (i == 0)
            (void)fprintf(stream, "0x%08" PRIx32 "  ", address);
        else
            (void)fprintf(stream, "%*s", 12, "");
        if (count > 1 || i > 0)
            get_line(&line, style, place, i);
        set_label(label, &line, last, address, place);
        (void)fprintf(stream, "%s%*s", label, (int)(widest - text_width(label)),
                      "");
        print_line(stream, style, &line);
        if (last && place->section[0] != '\0')
            (void)fprintf(stream, "  %s", place->section);
        if (last && style->with_module && place->module != NULL)
            (void)fprintf(stream, "  %s", place->module->name);
        (void)fputc('\n', stream);
    }
}

static void print_quoted(FILE *stream, const char *text, const char *special,
                         char escape)
{
    (void)fputc('"', stream);
    for (;;) {
        size_t plain = strcspn(text, special);

        (void)fwrite(text, 1, plain, stream);
        text += plain;
        if (text[0] == '\0')
            break;
        (void)fputc(escape, stream);
        (void)fputc(*text++, stream);
    }
    (void)fputc('"', stream);
}

static void print_field(FILE *stream, const char *text)
{
    (void)fputc(',', stream);
    if (strpbrk(text, ",\"") == NULL)
        (void)fputs(text, stream);
    else
        print_quoted(stream, text, "\"", '"');
}

static void print_count_field(FILE *stream, uint32_t count)
{
    if (count == 0)
        (void)fputc(',', stream);
    else
        (void)fprintf(stream, ",%" PRIu32, count);
}

void print_place_csv_header(FILE *stream)
{
    (void)fputs("address,kind,module,section,frame,function,linkage,inlined,"
                "offset,file,line,column,discriminator\n",
                stream);
}

void print_place_csv(FILE *stream, const struct place_style *style,
                     uint32_t address, const struct modules_place *place)
{
    size_t count = count_lines(place);
    char clean[DEMANGLE_MAX];
    struct line line;

    count = count > 0 ? count : 1;
    for (size_t i = 0; i < count; i++) {
        bool last = i + 1 == count;

        get_line(&line, style, place, i);
        (void)fprintf(stream, "0x%08" PRIx32 ",%s", address,
                      kinds[place->kind]);
        text_clean(clean, sizeof clean,
                   place->module != NULL ? place->module->name : "");
        print_field(stream, clean);
        text_clean(clean, sizeof clean, place->section);
        print_field(stream, clean);
        (void)fprintf(stream, ",%zu", i);
        print_field(stream, line.has_function ? line.function : "");
        print_field(stream, line.has_function ? line.linkage : "");
        (void)fprintf(stream, ",%s,", line.is_inlined ? "true" : "false");
        if (last && has_name(place))
            (void)fprintf(stream, "%" PRIu32, offset_in(place, address));
        print_field(stream, line.has_file ? line.file : "");
        print_count_field(stream, line.line);
        print_count_field(stream, line.column);
        print_count_field(stream, line.discriminator);
        (void)fputc('\n', stream);
    }
}

/* TEXT is clean: there is nothing else in it to escape. NULL is null. */
static void print_text_member(FILE *stream, const char *key, const char *text)
{
    (void)fprintf(stream, ",\"%s\":", key);
    if (text == NULL)
        (void)fputs("null", stream);
    else
        print_quoted(stream, text, "\"\\", '\\');
}

static void print_count_member(FILE *stream, const char *key, uint32_t count)
{
    if (count == 0)
        (void)fprintf(stream, ",\"%s\":null", key);
    else
        (void)fprintf(stream, ",\"%s\":%" PRIu32, key, count);
}

static void print_symbol(FILE *stream, const struct place_style *style,
                         uint32_t address, const struct modules_place *place)
{
    char name[DEMANGLE_MAX];

    if (!has_name(place)) {
        (void)fputs(",\"symbol\":null", stream);
        return;
    }
    demangle(style->demangle, place->name, name);
    (void)fprintf(stream,
                  ",\"symbol\":{\"offset\":%" PRIu32 ",\"start\":%" PRIu32
                  ",\"size\":%" PRIu32,
                  offset_in(place, address), place->start, place->size);
    print_text_member(stream, "name", name);
    text_clean(name, sizeof name, place->name);
    print_text_member(stream, "linkage", name);
    print_text_member(stream, "suffix",
                      place->suffix + strspn(place->suffix, " "));
    (void)fputc('}', stream);
}

void print_place_json(FILE *stream, const struct place_style *style,
                      uint32_t address, const struct modules_place *place)
{
    char clean[DEMANGLE_MAX];
    struct line line;

    (void)fprintf(stream, "{\"address\":%" PRIu32, address);
    print_text_member(stream, "kind", kinds[place->kind]);
    if (place->module != NULL)
        text_clean(clean, sizeof clean, place->module->name);
    print_text_member(stream, "module", place->module != NULL ? clean : NULL);
    text_clean(clean, sizeof clean, place->section);
    print_text_member(stream, "section", clean[0] != '\0' ? clean : NULL);
    print_symbol(stream, style, address, place);
    (void)fputs(",\"frames\":[", stream);
    for (size_t i = 0; i < count_lines(place); i++) {
        get_line(&line, style, place, i);
        (void)fprintf(stream, "%s{\"inlined\":%s", i > 0 ? "," : "",
                      line.is_inlined ? "true" : "false");
        print_text_member(stream, "function",
                          line.has_function ? line.function : NULL);
        print_text_member(stream, "linkage",
                          line.has_function ? line.linkage : NULL);
        print_text_member(stream, "file", line.has_file ? line.file : NULL);
        print_count_member(stream, "line", line.line);
        print_count_member(stream, "column", line.column);
        print_count_member(stream, "discriminator", line.discriminator);
        (void)fputc('}', stream);
    }
    (void)fputs("]}", stream);
}
