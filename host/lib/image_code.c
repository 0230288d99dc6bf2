/* SPDX-License-Identifier: MIT */
#include "image_parts.h"

/* The first mark or range that ends behind ADDRESS; the count if none does. */
static size_t find_mark(const struct image *image, uint32_t address)
{
    size_t low = 0, high = image->mark_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (image->marks[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t find_range(const struct image *image, uint32_t address)
{
    size_t low = 0, high = image->range_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (image->ranges[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What is code by the mapping symbols, else by the functions. */
static bool find_code(const struct image *image, uint32_t from,
                      struct image_span *code)
{
    for (size_t i = find_mark(image, from); i < image->mark_count; i++)
        if (image->marks[i].state == 't') {
            *code = (struct image_span){image->marks[i].start,
                                        image->marks[i].end};
            return true;
        }
    if (image->mark_count > 0)
        return false;
    for (size_t i = find_range(image, from); i < image->range_count; i++)
        if (image->names[image->ranges[i].name].kind == IMAGE_FUNCTION) {
            *code = (struct image_span){image->ranges[i].start,
                                        image->ranges[i].end};
            return true;
        }
    return false;
}

/* Cut CODE where a function begins or ends. */
static void clip_to_function(const struct image *image, struct image_span *code)
{
    size_t index = find_range(image, code->start);
    uint32_t limit;

    if (index == image->range_count)
        return;
    limit = image->ranges[index].start;
    if (limit <= code->start)
        limit = image->ranges[index].end;
    if (limit < code->end)
        code->end = limit;
}

bool image_stretch_next(const struct image *image,
                        struct image_stretch *stretch)
{
    struct image_span code;

    while (find_code(image, stretch->from, &code)) {
        uint32_t available = 0;

        if (code.start < stretch->from)
            code.start = stretch->from;
        code.start += code.start % 2;
        stretch->from = code.end;
        if (code.start >= code.end)
            continue;
        clip_to_function(image, &code);
        stretch->from = code.end;
        stretch->start = code.start;
        stretch->size = code.end - code.start;
        stretch->bytes = image_view(image, code.start, &available);
        if (stretch->bytes == NULL)
            continue;
        if (stretch->size > available)
            stretch->size = available;
        stretch->seen += stretch->size;
        if (stretch->seen > image->file.raw_size)
            return false;
        if (stretch->size >= 2)
            return true;
    }
    return false;
}

bool image_bytes_get(const struct image *image, size_t index,
                     struct image_bytes *out)
{
    const struct image_segment *segment;

    if (index >= image->segment_count)
        return false;
    segment = &image->segments[index];
    *out = (struct image_bytes){segment->address, segment->size,
                                segment->bytes};
    return true;
}

uint32_t image_entry(const struct image *image)
{
    /* e_entry; image_open checked the header. */
    return image_u32(image->file.raw + 24) & ~1U;
}
