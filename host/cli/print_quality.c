/* SPDX-License-Identifier: MIT */
#include "print_quality.h"

#include "json_text.h"
#include "print_table.h"

#define LABEL_WIDTH 11

void print_quality(const struct output *output, FILE *stream,
                   const struct quality *quality, enum quality_lines lines)
{
    /* Colour was decided for standard output; stderr stays plain. */
    bool color = output->color && stream == output->stream;
    const char *label = "";

    (void)fprintf(stream, "%squality%s\n", color ? output_bold(output) : "",
                  color ? output_plain(output) : "");
    for (size_t i = 0; i < quality->line_count; i++) {
        const struct quality_line *line = &quality->lines[i];
        bool alarm = color && line->level == QUALITY_WARNING;

        if (line->label[0] != '\0')
            label = line->label;
        if (lines == QUALITY_OF_HOTSPOTS && !line->hotspots
            && line->level != QUALITY_WARNING)
            continue;
        (void)fputs(alarm ? output_alarm(output) : "", stream);
        print_labelled(stream, output->width, label, LABEL_WIDTH, line->text);
        label = "";
        (void)fputs(alarm ? output_plain(output) : "", stream);
    }
}

json_t *quality_json(const struct quality *quality)
{
    json_t *object = json_copy(quality->facts);
    json_t *lines = json_array();
    const char *label = "";

    for (size_t i = 0; i < quality->line_count; i++) {
        const struct quality_line *line = &quality->lines[i];

        if (line->label[0] != '\0')
            label = line->label;
        (void)json_array_append_new(
                lines, json_pack("{s:s, s:o, s:b}", "about", label, "text",
                                 json_text(line->text), "warning",
                                 line->level == QUALITY_WARNING));
    }
    (void)json_object_set_new(object, "lines", lines);
    return object;
}
