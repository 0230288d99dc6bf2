/* SPDX-License-Identifier: MIT */
#include "function_text.h"

#include "functions_unpack.h"
#include "room.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define VERSION 1
#define NAME "mcuprof"

/* A word of a line; a SIZE of 0 is behind the last one. */
struct word {
    const char *at;
    size_t size;
};

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static struct word next_word(const char **at)
{
    struct word word;

    while (is_space(**at))
        (*at)++;
    word.at = *at;
    while (**at != '\0' && !is_space(**at))
        (*at)++;
    word.size = (size_t)(*at - word.at);
    return word;
}

static bool is(struct word word, const char *text)
{
    return strlen(text) == word.size && memcmp(word.at, text, word.size) == 0;
}

/* Digits, and nothing else, of a number below 2^63. */
static bool to_number(struct word word, uint64_t *out)
{
    uint64_t number = 0;

    for (size_t i = 0; i < word.size; i++) {
        char c = word.at[i];

        if (c < '0' || c > '9' || number > (INT64_MAX - 9) / 10)
            return false;
        number = 10 * number + (uint64_t)(c - '0');
    }
    *out = number;
    return word.size > 0;
}

static bool to_digit(char c, uint32_t *digit)
{
    if (c >= '0' && c <= '9')
        *digit = (uint32_t)(c - '0');
    else if (c >= 'a' && c <= 'f')
        *digit = (uint32_t)(c - 'a') + 10;
    else
        return false;
    return true;
}

/* Eight hexadecimal digits behind PREFIX. */
static bool to_hex(struct word word, const char *prefix, uint32_t *out)
{
    size_t skipped = strlen(prefix);

    if (word.size != skipped + 8 || memcmp(word.at, prefix, skipped) != 0)
        return false;
    *out = 0;
    for (size_t i = skipped; i < word.size; i++) {
        uint32_t digit;

        if (!to_digit(word.at[i], &digit))
            return false;
        *out = *out << 4 | digit;
    }
    return true;
}

/* "KEY=NUMBER" */
static bool to_pair(struct word word, const char *key, uint64_t *out)
{
    size_t size = strlen(key);

    if (word.size <= size + 1 || memcmp(word.at, key, size) != 0
        || word.at[size] != '=')
        return false;
    word.at += size + 1;
    word.size -= size + 1;
    return to_number(word, out);
}

static bool take_number(const char **at, uint64_t *out)
{
    return to_number(next_word(at), out);
}

static void drop_table(struct function_text *text)
{
    free(text->table.snapshot.rows);
    free(text->table.names);
    memset(&text->table, 0, sizeof text->table);
    text->is_open = false;
}

void function_text_deinit(struct function_text *text)
{
    drop_table(text);
}

static void give_up(struct function_text *text)
{
    if (!text->is_open)
        return;
    drop_table(text);
    text->handler.torn(text->handler.context);
}

/* "rows=N crc=XXXXXXXX" */
static bool read_end(const char *at, struct word *rows, uint64_t *count,
                     uint32_t *crc)
{
    *rows = next_word(&at);
    return to_pair(*rows, "rows", count) && to_hex(next_word(&at), "crc=", crc);
}

/* What the first line has to say, and where it goes. */
struct head {
    uint64_t snapshot;
    uint64_t period;
    uint64_t ticks;
    uint64_t rows;
    uint64_t slots;
    uint64_t pair;
    bool raw;
    bool compensated;
    bool moments;
    bool running;
};

static void read_head_word(struct head *head, struct word word)
{
    (void)(to_pair(word, "snapshot", &head->snapshot)
           || to_pair(word, "period", &head->period)
           || to_pair(word, "ticks", &head->ticks)
           || to_pair(word, "rows", &head->rows)
           || to_pair(word, "slots", &head->slots)
           || to_pair(word, "pair", &head->pair));
    head->raw |= is(word, "raw");
    head->compensated |= is(word, "compensated");
    head->moments |= is(word, "moments");
    head->running |= is(word, "running");
}

static bool head_is_sound(const struct head *head)
{
    return head->snapshot <= UINT32_MAX && head->period <= UINT32_MAX
           && head->ticks <= INT64_MAX && head->rows <= UINT16_MAX
           && head->slots <= UINT16_MAX && head->pair <= UINT16_MAX
           && head->raw != head->compensated && (!head->raw || head->pair == 0);
}

static int take_first(struct function_text *text, const char *at)
{
    struct function_snapshot *snapshot = &text->table.snapshot;
    struct head head = {.snapshot = UINT64_MAX,
                        .period = UINT64_MAX,
                        .ticks = UINT64_MAX,
                        .rows = UINT64_MAX,
                        .slots = UINT64_MAX,
                        .pair = UINT64_MAX};
    uint64_t version;

    if (!take_number(&at, &version) || version != VERSION)
        return MCUPROF_E_FORMAT;
    for (struct word word = next_word(&at); word.size > 0;
         word = next_word(&at))
        read_head_word(&head, word);
    if (!head_is_sound(&head))
        return MCUPROF_E_FORMAT;
    text->rows = head.rows;
    snapshot->sequence = (uint32_t)head.snapshot;
    snapshot->period = (uint8_t)head.period;
    snapshot->ticks = head.ticks;
    snapshot->capacity = (uint16_t)head.slots;
    snapshot->pair = (uint16_t)head.pair;
    snapshot->flags =
            (uint8_t)((head.raw ? MCUPROF_FUNCTIONS_RAW : 0)
                      | (head.moments ? MCUPROF_FUNCTIONS_MOMENTS : 0)
                      | (head.running ? MCUPROF_FUNCTIONS_RUNNING : 0));
    return 0;
}

static int take_row(struct function_text *text, struct function_counts *row,
                    uint64_t context)
{
    if (context > UINT16_MAX || !functions_row_is_sound(row))
        return MCUPROF_E_FORMAT;
    row->context = (uint16_t)context;
    text->seen++;
    return function_snapshot_add(&text->table.snapshot, row);
}

static int take_function(struct function_text *text, uint32_t address,
                         const char *at)
{
    struct function_counts row = {.kind = MCUPROF_FUNCTIONS_ROW_FUNCTION,
                                  .function = address};
    uint64_t context;
    uint64_t average;

    if (!take_number(&at, &context) || !take_number(&at, &row.calls)
        || !take_number(&at, &row.open) || !take_number(&at, &row.self)
        || !take_number(&at, &row.total) || !take_number(&at, &average)
        || !take_number(&at, &row.min) || !take_number(&at, &row.max))
        return MCUPROF_E_FORMAT;
    return take_row(text, &row, context);
}

static int take_outside(struct function_text *text, const char *at)
{
    struct function_counts row = {.kind = MCUPROF_FUNCTIONS_ROW_OUTSIDE};
    uint64_t context;

    if (!take_number(&at, &context) || !take_number(&at, &row.self))
        return MCUPROF_E_FORMAT;
    return take_row(text, &row, context);
}

static int take_no_slot(struct function_text *text, const char *at)
{
    struct function_counts row = {.kind = MCUPROF_FUNCTIONS_ROW_NO_SLOT};
    uint64_t context;

    if (!take_number(&at, &context) || !take_number(&at, &row.calls)
        || !take_number(&at, &row.self))
        return MCUPROF_E_FORMAT;
    /* How many of them are open is not known. */
    return take_row(text, &row, context);
}

static int take_counts(struct function_text *text, const char *at)
{
    struct wire_function_counts *counts = &text->table.snapshot.counts;
    const struct {
        const char *key;
        uint64_t *count;
    } keys[] = {
            {"hooks", &counts->hooks},
            {"unwound", &counts->unwound},
            {"unmatched", &counts->unmatched},
            {"deep", &counts->deep},
            {"no_slot", &counts->no_slot},
            {"no_context", &counts->no_context},
            {"tries", &counts->tries},
    };
    size_t known = 0;

    if (text->has_counts)
        return MCUPROF_E_FORMAT;
    text->has_counts = true;
    text->seen++;
    for (struct word word = next_word(&at); word.size > 0;
         word = next_word(&at))
        for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
            known += to_pair(word, keys[i].key, keys[i].count);
    return known == sizeof keys / sizeof keys[0] ? 0 : MCUPROF_E_FORMAT;
}

/* The rest of the line is the name; control characters become dots. */
static int take_context(struct function_text *text, const char *at)
{
    struct function_text_table *table = &text->table;
    struct wire_context name = {.named = true};
    struct wire_context *grown;
    uint64_t number;
    size_t size = 0;

    if (!take_number(&at, &number) || number > UINT16_MAX)
        return MCUPROF_E_FORMAT;
    name.id = (uint16_t)number;
    at += *at != '\0';
    for (; size < MCUPROF_CONTEXT_NAME_MAX && at[size] != '\0'; size++)
        name.name[size] = (unsigned char)at[size] < 0x20 || at[size] == 0x7F
                                  ? '.'
                                  : at[size];
    grown = room_reserve(table->names, table->name_count, &table->name_room,
                         sizeof *grown);
    if (grown == NULL)
        return MCUPROF_E_NOMEM;
    table->names = grown;
    grown[table->name_count++] = name;
    return 0;
}

static int take_hello(struct function_text *text, const char *at)
{
    uint8_t payload[MCUPROF_WIRE_PAYLOAD_MAX];
    struct word word = next_word(&at);
    int error;

    if (word.size % 2 != 0 || word.size / 2 > sizeof payload)
        return MCUPROF_E_FORMAT;
    for (size_t i = 0; i < word.size / 2; i++) {
        uint32_t high;
        uint32_t low;

        if (!to_digit(word.at[2 * i], &high)
            || !to_digit(word.at[2 * i + 1], &low))
            return MCUPROF_E_FORMAT;
        payload[i] = (uint8_t)(high << 4 | low);
    }
    error = decode_hello(&text->table.hello, payload, word.size / 2);
    text->table.has_hello = error == 0;
    return error == MCUPROF_E_VERSION ? MCUPROF_E_FORMAT : error;
}

static void add_to_crc(struct function_text *text, struct word word)
{
    uLong crc = crc32(text->crc, (const Bytef *)word.at, (uInt)word.size);

    text->crc = (uint32_t)crc32(crc, (const Bytef *)" ", 1);
}

static void add_line_to_crc(struct function_text *text, const char *line)
{
    for (struct word word = next_word(&line); word.size > 0;
         word = next_word(&line))
        add_to_crc(text, word);
}

static bool is_whole(struct function_text *text, const char *at)
{
    struct word rows;
    uint64_t count = 0;
    uint32_t crc = 0;

    if (text->is_broken || !read_end(at, &rows, &count, &crc))
        return false;
    add_to_crc(text, (struct word){NAME, strlen(NAME)});
    add_to_crc(text, (struct word){"end", 3});
    add_to_crc(text, rows);
    return count == text->rows && count == text->seen && text->has_counts
           && crc == text->crc;
}

/* The last line, from "rows" on. */
static int take_end(struct function_text *text, const char *at)
{
    struct word rows;
    uint64_t count;
    uint32_t crc;
    int error;

    /* Of one whose first line is torn. */
    if (!text->is_open) {
        if (read_end(at, &rows, &count, &crc))
            text->handler.torn(text->handler.context);
        return 0;
    }
    if (!is_whole(text, at)) {
        give_up(text);
        return 0;
    }
    if (text->table.has_hello)
        text->table.snapshot.boot_id = text->table.hello.boot_id;
    error = text->handler.table(text->handler.context, &text->table);
    drop_table(text);
    return error;
}

static const struct {
    const char *word;
    int (*take)(struct function_text *text, const char *at);
} lines[] = {
        {"outside", take_outside}, {"no_slot", take_no_slot},
        {"context", take_context}, {"counts", take_counts},
        {"hello", take_hello},
};

static int take_line(struct function_text *text, struct word kind,
                     const char *at)
{
    uint32_t address;

    if (to_hex(kind, "0x", &address))
        return take_function(text, address, at);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (is(kind, lines[i].word))
            return lines[i].take(text, at);
    return 0;
}

/* "mcuprof functions" may begin a sentence of somebody's log, too. */
static bool is_first(const char *at)
{
    uint64_t version;

    return is(next_word(&at), "functions") && take_number(&at, &version);
}

static void begin(struct function_text *text)
{
    give_up(text);
    text->is_open = true;
    text->is_broken = false;
    text->rows = 0;
    text->seen = 0;
    text->crc = 0;
    text->has_counts = false;
}

/* LINE begins with our word. */
static int take_our_line(struct function_text *text, const char *line)
{
    const char *at = line;
    struct word kind;
    bool first;
    int error;

    (void)next_word(&at);
    first = is_first(at);
    if (first)
        begin(text);
    kind = next_word(&at);
    if (is(kind, "end"))
        return take_end(text, at);
    if (!text->is_open || text->is_broken)
        return 0;
    add_line_to_crc(text, line);
    error = first ? take_first(text, at) : take_line(text, kind, at);
    text->is_broken = error == MCUPROF_E_FORMAT;
    return text->is_broken ? 0 : error;
}

/* Where our word stands in LINE, NULL if it does not. */
static const char *find_name(const char *line)
{
    for (const char *at = line;;) {
        struct word word = next_word(&at);

        if (word.size == 0)
            return NULL;
        if (is(word, NAME))
            return word.at;
    }
}

static int end_line(struct function_text *text)
{
    const char *line;
    bool is_ours = !text->is_too_long;

    text->line[text->length] = '\0';
    text->length = 0;
    text->is_too_long = false;
    line = is_ours ? find_name(text->line) : NULL;
    return line == NULL ? 0 : take_our_line(text, line);
}

int function_text_feed(struct function_text *text, const uint8_t *bytes,
                       size_t size)
{
    int error = 0;

    for (size_t i = 0; i < size && error == 0; i++) {
        if (bytes[i] == '\n' || bytes[i] == '\r')
            error = end_line(text);
        else if (text->length == FUNCTION_TEXT_LINE_MAX)
            text->is_too_long = true;
        else
            text->line[text->length++] = bytes[i] != 0 ? (char)bytes[i] : ' ';
    }
    return error;
}

int function_text_end(struct function_text *text)
{
    int error = end_line(text);

    give_up(text);
    return error;
}
