/* SPDX-License-Identifier: MIT */
#include "memory_hex.h"

#include <stdbool.h>
#include <string.h>

#define DUMP_AGAIN "save it again, as with gdb's `dump ihex memory`"

/* A record: length, address u16, type, data, sum. */
#define DATA 4
#define BYTES_MAX (DATA + 255 + 1)

enum type {
    TYPE_DATA = 0,
    TYPE_END = 1,
    TYPE_SEGMENT = 2,
    TYPE_LINEAR = 4
};

struct record {
    uint8_t bytes[BYTES_MAX];
    size_t size; /* of its data */
};

struct parsing {
    uint32_t base;
    bool segmented; /* addresses wrap within 64 KiB */
    bool ended;
    memory_hex_handler handler;
    void *context;
};

static int digit(uint8_t character)
{
    if (character >= '0' && character <= '9')
        return character - '0';
    if (character >= 'A' && character <= 'F')
        return character - 'A' + 10;
    if (character >= 'a' && character <= 'f')
        return character - 'a' + 10;
    return -1;
}

static bool parse_record(struct record *record, const uint8_t *line,
                         size_t length)
{
    size_t count = length / 2;
    uint8_t sum = 0;

    if (length < 1 || line[0] != ':' || length % 2 != 1 || count < DATA + 1
        || count > BYTES_MAX)
        return false;
    for (size_t i = 0; i < count; i++) {
        int high = digit(line[1 + 2 * i]);
        int low = digit(line[2 + 2 * i]);

        if (high < 0 || low < 0)
            return false;
        record->bytes[i] = (uint8_t)(high << 4 | low);
        sum = (uint8_t)(sum + record->bytes[i]);
    }
    record->size = count - DATA - 1;
    return sum == 0 && record->bytes[0] == record->size;
}

static uint32_t big_endian16(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 8 | bytes[1];
}

/* Data behind the end of its 64 KiB go on at their begin. */
static int take_data(struct parsing *parsing, const struct record *record)
{
    uint32_t at = big_endian16(record->bytes + 1);
    const uint8_t *data = record->bytes + DATA;
    size_t straight = record->size;
    int result = 0;

    if (parsing->segmented && straight > 0x10000 - at)
        straight = 0x10000 - at;
    if (straight > 0)
        result = parsing->handler(parsing->context, parsing->base + at, data,
                                  straight);
    if (result == 0 && straight < record->size)
        result = parsing->handler(parsing->context, parsing->base,
                                  data + straight, record->size - straight);
    return result;
}

static int take_base(struct parsing *parsing, const struct record *record,
                     unsigned shift)
{
    if (record->size != 2)
        return MCUPROF_E_FORMAT;
    parsing->base = big_endian16(record->bytes + DATA) << shift;
    parsing->segmented = shift == 4;
    return 0;
}

static int take_record(struct parsing *parsing, const struct record *record)
{
    switch (record->bytes[3]) {
    case TYPE_DATA:
        return take_data(parsing, record);
    case TYPE_END:
        parsing->ended = true;
        return 0;
    case TYPE_SEGMENT:
        return take_base(parsing, record, 4);
    case TYPE_LINEAR:
        return take_base(parsing, record, 16);
    default: /* where a program starts */
        return 0;
    }
}

static size_t line_length(const uint8_t *line, size_t size)
{
    const uint8_t *end = memchr(line, '\n', size);

    return end == NULL ? size : (size_t)(end - line);
}

static bool is_space(uint8_t character)
{
    return character == '\r' || character == ' ' || character == '\t';
}

int memory_hex_parse(const uint8_t *text, size_t size, const char *name,
                     memory_hex_handler handler, void *context,
                     struct error *error)
{
    struct parsing parsing = {.handler = handler, .context = context};
    struct record record;
    size_t number = 1;
    int result;

    for (size_t at = 0; at < size && !parsing.ended; number++) {
        size_t whole = line_length(text + at, size - at);
        size_t length = whole;

        while (length > 0 && is_space(text[at + length - 1]))
            length--;
        result = MCUPROF_E_FORMAT;
        if (length == 0)
            result = 0;
        else if (parse_record(&record, text + at, length))
            result = take_record(&parsing, &record);
        if (result == MCUPROF_E_FORMAT)
            return error_set(error, result, DUMP_AGAIN,
                             "line %zu of %s is no Intel HEX", number, name);
        if (result < 0)
            return result;
        at += whole + 1;
    }
    if (!parsing.ended)
        return error_set(error, MCUPROF_E_TRUNCATED, DUMP_AGAIN,
                         "%s ends without the end record of Intel HEX", name);
    return 0;
}
