/* SPDX-License-Identifier: MIT */
/*
 * The function table as text, for a terminal and for the host (docs/wire.md,
 * "The table as text").
 */
#include "mcuprof_functions_view.h"
#include "mcuprof_stream.h"

#if MCUPROF_ENABLED && MCUPROF_FUNCTIONS

#define LINE_SIZE 256u
#define PATIENCE 65536u
/* Bytes of the image that a table is held up for, until its identity is known.
 */
#define IDENTITY_SLICE 65536u

/* Numbers in a row, and how wide their columns are. */
#define COLUMNS 10u
#define SELF 4u

static struct {
    size_t (*write)(const uint8_t *bytes, size_t size);
    uint32_t crc; /* of all words so far, a space behind each */
    int error;
    uint32_t rows; /* of all kinds */
    uint8_t widths[COLUMNS];
    uint8_t is_space; /* the last byte was one */
    uint32_t used;
    uint8_t line[LINE_SIZE];
} function_text;

static const char *const mcuprofi_functions_titles[COLUMNS] = {
        "function", "context", "calls", "open", "self",
        "total",    "avg",     "min",   "max",  "share"};

static void mcuprofi_functions_put_char(char c)
{
    uint8_t byte = (uint8_t)c;
    uint8_t is_space = c == ' ';
    if (function_text.used < LINE_SIZE - 2u) {
        function_text.line[function_text.used] = byte;
        function_text.used++;
        if (!is_space || !function_text.is_space) {
            function_text.crc = mcuprofi_crc32(function_text.crc, &byte, 1);
        }
        function_text.is_space = is_space;
    }
}

static void mcuprofi_functions_put_text(const char *text)
{
    while (*text != '\0') {
        mcuprofi_functions_put_char(*text++);
    }
}

/* Hands the line on, and waits for room. */
static void mcuprofi_functions_end_line(void)
{
    uint32_t patience = PATIENCE;
    if (!function_text.is_space) {
        static const uint8_t space = ' ';
        function_text.crc = mcuprofi_crc32(function_text.crc, &space, 1);
        function_text.is_space = 1;
    }
    function_text.line[function_text.used++] = '\r';
    function_text.line[function_text.used++] = '\n';
    for (uint32_t sent = 0;
         sent < function_text.used && function_text.error == 0;) {
        size_t taken = function_text.write(function_text.line + sent,
                                           function_text.used - sent);
        sent += (uint32_t)taken;
        patience = taken > 0 ? PATIENCE : patience - 1u;
        if (patience == 0) {
            function_text.error = MCUPROF_EBUSY;
        }
    }
    function_text.used = 0;
}

static uint32_t mcuprofi_functions_digits(uint64_t value)
{
    uint64_t power = 10;
    uint32_t digits = 1;
    for (; digits < 20u && value >= power; digits++) {
        power *= 10u;
    }
    return digits;
}

/* Decimal, behind as many blanks as make it so wide. */
static void mcuprofi_functions_put_number(uint64_t value, uint32_t width)
{
    uint32_t digits = mcuprofi_functions_digits(value);
    for (; width > digits; width--) {
        mcuprofi_functions_put_char(' ');
    }
    for (; digits > 0; digits--) {
        char digit = '0';
        /* The power is found anew: there is no division. */
        uint64_t power = 1;
        for (uint32_t i = 1; i < digits; i++) {
            power *= 10u;
        }
        while (value >= power) {
            value -= power;
            digit++;
        }
        mcuprofi_functions_put_char(digit);
    }
}

/* So many digits, from the highest on. */
static void mcuprofi_functions_put_hex(uint32_t value, uint32_t digits)
{
    for (; digits > 0; digits--) {
        mcuprofi_functions_put_char(
                "0123456789abcdef"[value >> 4u * (digits - 1u) & 15u]);
    }
}

static void mcuprofi_functions_put_field(const char *name, uint64_t value)
{
    mcuprofi_functions_put_char(' ');
    mcuprofi_functions_put_text(name);
    mcuprofi_functions_put_char('=');
    mcuprofi_functions_put_number(value, 0);
}

/* A word, right in its column. */
static void mcuprofi_functions_put_cell(const char *text, uint32_t column)
{
    uint32_t size = 0;
    while (text[size] != '\0') {
        size++;
    }
    mcuprofi_functions_put_char(' ');
    for (; size < function_text.widths[column]; size++) {
        mcuprofi_functions_put_char(' ');
    }
    mcuprofi_functions_put_text(text);
}

static void mcuprofi_functions_put_count(uint64_t value, uint32_t column)
{
    mcuprofi_functions_put_char(' ');
    mcuprofi_functions_put_number(value, function_text.widths[column]);
}

/* In hundredths of a percent, rounded to the nearest. */
static void mcuprofi_functions_put_share(uint64_t self)
{
    uint64_t ticks = mcuprofi_functions_moment.ticks;
    uint64_t share =
            mcuprofi_functions_divide(self * 10000u + ticks / 2u, ticks);
    uint64_t whole = mcuprofi_functions_divide(share, 100);
    mcuprofi_functions_put_char(' ');
    mcuprofi_functions_put_number(whole,
                                  function_text.widths[COLUMNS - 1u] - 3u);
    share -= whole * 100u;
    mcuprofi_functions_put_char('.');
    mcuprofi_functions_put_number(share >= 10u ? share : 0, 1);
    if (share < 10u) {
        mcuprofi_functions_put_number(share, 1);
    }
}

static void mcuprofi_functions_widen(uint32_t column, uint64_t value)
{
    uint32_t digits = mcuprofi_functions_digits(value);
    if (function_text.widths[column] < digits) {
        function_text.widths[column] = (uint8_t)digits;
    }
}

/* Makes each column as wide as its widest number, and counts the rows. */
static void mcuprofi_functions_measure_rows(void)
{
    const struct mcuprofi_functions_moment *m = &mcuprofi_functions_moment;
    const struct mcuprof_function *row = mcuprof_functions_view;
    for (uint32_t i = 0; i < COLUMNS; i++) {
        const char *title = mcuprofi_functions_titles[i];
        function_text.widths[i] = 0;
        while (title[function_text.widths[i]] != '\0') {
            function_text.widths[i]++;
        }
    }
    function_text.widths[0] = 10; /* 0x00000000 */
    function_text.widths[COLUMNS - 1u] = 6;
    function_text.rows = m->rows + 1u;
    for (; row->function != NULL; row++) {
        mcuprofi_functions_widen(2, row->calls);
        mcuprofi_functions_widen(3, row->open);
        mcuprofi_functions_widen(SELF, row->self);
        mcuprofi_functions_widen(5, row->total);
        mcuprofi_functions_widen(
                6, mcuprofi_functions_divide(row->total, row->calls));
        mcuprofi_functions_widen(7, row->min);
        mcuprofi_functions_widen(8, row->max);
    }
    for (size_t i = 0; i <= MCUPROF_FUNCTIONS_CONTEXTS; i++) {
        const struct mcuprofi_functions_rest *rest = &m->rests[i];
        if (rest->is_used) {
            function_text.rows += rest->outside != 0;
            function_text.rows += rest->calls != 0;
            mcuprofi_functions_widen(2, rest->calls);
            mcuprofi_functions_widen(SELF, rest->outside);
            mcuprofi_functions_widen(SELF, rest->self);
        }
    }
}

static void mcuprofi_functions_put_head(void)
{
    const struct mcuprofi_functions_moment *m = &mcuprofi_functions_moment;
    mcuprofi_functions_put_text("mcuprof functions 1");
    mcuprofi_functions_put_field("snapshot", m->sequence);
    mcuprofi_functions_put_field("period", m->period);
    mcuprofi_functions_put_field("ticks", m->ticks);
    mcuprofi_functions_put_field("hz", mcuprofi_stream.clock.hz);
    mcuprofi_functions_put_field("rows", function_text.rows);
    mcuprofi_functions_put_field("slots", MCUPROF_FUNCTIONS_SLOTS);
    mcuprofi_functions_put_field("pair", m->pair);
    mcuprofi_functions_put_text(
            (m->flags & MCUPROF_FUNCTIONS_RAW) != 0 ? " raw" : " compensated");
    if ((m->flags & MCUPROF_FUNCTIONS_MOMENTS) != 0) {
        mcuprofi_functions_put_text(" moments");
    }
    if ((m->flags & MCUPROF_FUNCTIONS_RUNNING) != 0) {
        mcuprofi_functions_put_text(" running");
    }
    mcuprofi_functions_end_line();
    mcuprofi_functions_put_text("mcuprof");
    for (uint32_t i = 0; i < COLUMNS; i++) {
        mcuprofi_functions_put_cell(mcuprofi_functions_titles[i], i);
    }
    mcuprofi_functions_end_line();
}

static void mcuprofi_functions_put_row(const struct mcuprof_function *row)
{
    mcuprofi_functions_put_text("mcuprof 0x");
    mcuprofi_functions_put_hex((uint32_t)(uintptr_t)row->function, 8);
    mcuprofi_functions_put_count(row->context, 1);
    mcuprofi_functions_put_count(row->calls, 2);
    mcuprofi_functions_put_count(row->open, 3);
    mcuprofi_functions_put_count(row->self, SELF);
    mcuprofi_functions_put_count(row->total, 5);
    mcuprofi_functions_put_count(
            mcuprofi_functions_divide(row->total, row->calls), 6);
    mcuprofi_functions_put_count(row->min, 7);
    mcuprofi_functions_put_count(row->max, 8);
    mcuprofi_functions_put_share(row->self);
    mcuprofi_functions_end_line();
}

/* CALLS 0: there are none in such a row. */
static void mcuprofi_functions_put_rest(const char *kind, uint32_t context,
                                        uint64_t calls, uint64_t self)
{
    mcuprofi_functions_put_text("mcuprof");
    mcuprofi_functions_put_cell(kind, 0);
    mcuprofi_functions_put_count(context, 1);
    if (calls > 0) {
        mcuprofi_functions_put_count(calls, 2);
    } else {
        mcuprofi_functions_put_cell("", 2);
    }
    mcuprofi_functions_put_cell("", 3);
    mcuprofi_functions_put_count(self, SELF);
    for (uint32_t i = SELF + 1u; i < COLUMNS - 1u; i++) {
        mcuprofi_functions_put_cell("", i);
    }
    mcuprofi_functions_put_share(self);
    mcuprofi_functions_end_line();
}

static void mcuprofi_functions_put_rests(void)
{
    const struct mcuprofi_functions_moment *m = &mcuprofi_functions_moment;
    for (size_t i = 0; i <= MCUPROF_FUNCTIONS_CONTEXTS; i++) {
        const struct mcuprofi_functions_rest *rest = &m->rests[i];
        if (rest->is_used && rest->outside != 0) {
            mcuprofi_functions_put_rest("outside", rest->context, 0,
                                        rest->outside);
        }
        if (rest->is_used && rest->calls != 0) {
            mcuprofi_functions_put_rest("no_slot", rest->context, rest->calls,
                                        rest->self);
        }
    }
}

/* Somebody's own words: what would end a line or a word is a dot. */
static void mcuprofi_functions_put_name(const char *name)
{
    for (; *name != '\0'; name++) {
        int is_control = (uint8_t)*name < 0x20u || *name == 0x7F;
        mcuprofi_functions_put_char(is_control ? '.' : *name);
    }
}

static void mcuprofi_functions_put_names(void)
{
    for (size_t i = 0; i < MCUPROF_CONTEXTS; i++) {
        const struct mcuprofi_context_name *name = &mcuprofi_stream.names[i];
        if (name->name != NULL) {
            mcuprofi_functions_put_text("mcuprof context ");
            mcuprofi_functions_put_number(name->context, 0);
            mcuprofi_functions_put_char(' ');
            mcuprofi_functions_put_name(name->name);
            mcuprofi_functions_end_line();
        }
    }
}

static void mcuprofi_functions_put_counts(void)
{
    const struct mcuprofi_functions_moment *m = &mcuprofi_functions_moment;
    mcuprofi_functions_put_text("mcuprof counts");
    mcuprofi_functions_put_field("hooks", m->hooks);
    mcuprofi_functions_put_field("unwound", m->unwound);
    mcuprofi_functions_put_field("unmatched", m->unmatched);
    mcuprofi_functions_put_field("deep", m->deep);
    mcuprofi_functions_put_field("no_slot", m->no_slot);
    mcuprofi_functions_put_field("no_context", m->no_context);
    mcuprofi_functions_put_field("tries", m->tries);
    mcuprofi_functions_end_line();
    uint64_t hooks = m->hooks + m->calls * m->pair;
    mcuprofi_functions_put_text("mcuprof");
    mcuprofi_functions_put_field("sum", m->self + hooks);
    mcuprofi_functions_put_text(" of ");
    mcuprofi_functions_put_number(m->ticks, 0);
    mcuprofi_functions_put_field("self", m->self);
    mcuprofi_functions_put_field("hooks", hooks);
    mcuprofi_functions_end_line();
}

static void mcuprofi_functions_put_tail(void)
{
    uint8_t hello[MCUPROF_HELLO_SIZE];
    (void)mcuprofi_put_hello(hello);
    hello[MCUPROF_HELLO_FLAGS] &= (uint8_t)~MCUPROF_HELLO_START;
    mcuprofi_functions_put_text("mcuprof hello ");
    for (size_t i = 0; i < sizeof(hello); i++) {
        mcuprofi_functions_put_hex(hello[i], 2);
    }
    mcuprofi_functions_end_line();
    mcuprofi_functions_put_text("mcuprof end");
    mcuprofi_functions_put_field("rows", function_text.rows);
    mcuprofi_functions_put_char(' ');
    uint32_t crc = function_text.crc;
    mcuprofi_functions_put_text("crc=");
    mcuprofi_functions_put_hex(crc, 8);
    mcuprofi_functions_end_line();
}

int mcuprof_functions_print(size_t (*write)(const uint8_t *bytes, size_t size))
{
    int rows = mcuprof_functions_snapshot();
    if (rows < 0) {
        return rows;
    }
    (void)mcuprofi_identity_step(&mcuprofi_stream.identity, IDENTITY_SLICE);
    function_text.write = write;
    function_text.crc = 0;
    function_text.error = 0;
    function_text.used = 0;
    function_text.is_space = 1;
    mcuprofi_functions_measure_rows();
    mcuprofi_functions_put_head();
    for (int i = 0; i < rows; i++) {
        mcuprofi_functions_put_row(&mcuprof_functions_view[i]);
    }
    mcuprofi_functions_put_rests();
    mcuprofi_functions_put_names();
    mcuprofi_functions_put_counts();
    mcuprofi_functions_put_tail();
    return function_text.error;
}

#endif
