/* SPDX-License-Identifier: MIT */
/*
 * The function table as text, for a terminal and for the host (docs/wire.md).
 */
#include "mcuprof_functions_view.h"
#include "mcuprof_stream.h"

#if MCUPROF_ENABLED && MCUPROF_FUNCTIONS

#define LINE_SIZE 160u
#define PATIENCE 65536u
#define NUMBER_WIDTH 14u

static struct {
    size_t (*write)(const uint8_t *bytes, size_t size);
    uint32_t crc;
    int error;
    uint32_t used;
    uint8_t line[LINE_SIZE];
} function_text;

static void mcuprofi_functions_put_char(char c)
{
    if (function_text.used < LINE_SIZE) {
        function_text.line[function_text.used] = (uint8_t)c;
        function_text.used++;
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
    mcuprofi_functions_put_text("\r\n");
    function_text.crc = mcuprofi_crc32(function_text.crc, function_text.line,
                                       function_text.used);
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

/* Decimal, with a blank before it, at least so wide. */
static void mcuprofi_functions_put_number(uint64_t value, uint32_t width)
{
    uint64_t power = 1;
    uint32_t digits = 1;
    for (; digits < 20u && value >= power * 10u; digits++) {
        power *= 10u;
    }
    mcuprofi_functions_put_char(' ');
    for (; width > digits; width--) {
        mcuprofi_functions_put_char(' ');
    }
    for (; digits > 0; digits--) {
        char digit = '0';
        /* The power is found anew: there is no division. */
        power = 1;
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

static void mcuprofi_functions_put_hex(uint32_t value)
{
    mcuprofi_functions_put_char(' ');
    for (uint32_t shift = 32; shift > 0; shift -= 4u) {
        mcuprofi_functions_put_char(
                "0123456789abcdef"[value >> (shift - 4u) & 15u]);
    }
}

static void mcuprofi_functions_put_field(const char *name, uint64_t value)
{
    mcuprofi_functions_put_char(' ');
    mcuprofi_functions_put_text(name);
    mcuprofi_functions_put_number(value, 0);
}

static void mcuprofi_functions_put_head(void)
{
    const struct mcuprofi_functions_moment *m = &mcuprofi_functions_moment;
    const uint8_t *id = mcuprofi_stream.identity.value;
    mcuprofi_functions_put_text("mcuprof-functions 1");
    mcuprofi_functions_put_field("hz", mcuprofi_stream.clock.hz);
    mcuprofi_functions_put_field("ticks", m->ticks);
    mcuprofi_functions_put_field("flags", m->flags);
    mcuprofi_functions_put_field("pair", m->pair);
    mcuprofi_functions_put_field("slots", MCUPROF_FUNCTIONS_SLOTS);
    mcuprofi_functions_put_text(" identity");
    mcuprofi_functions_put_hex(mcuprofi_stream.identity.flags);
    for (uint32_t i = 0; i < 8u; i += 4u) {
        mcuprofi_functions_put_hex((uint32_t)id[i] << 24
                                   | (uint32_t)id[i + 1u] << 16
                                   | (uint32_t)id[i + 2u] << 8 | id[i + 3u]);
    }
    mcuprofi_functions_end_line();
    mcuprofi_functions_put_text("mcuprof-columns function context"
                                "          calls           self          total"
                                "        average            min            max"
                                " open");
    mcuprofi_functions_end_line();
}

static void mcuprofi_functions_put_row(const struct mcuprof_function *row)
{
    mcuprofi_functions_put_text("mcuprof-row    ");
    mcuprofi_functions_put_hex((uint32_t)(uintptr_t)row->function);
    mcuprofi_functions_put_number(row->context, 7u);
    mcuprofi_functions_put_number(row->calls, NUMBER_WIDTH);
    mcuprofi_functions_put_number(row->self, NUMBER_WIDTH);
    mcuprofi_functions_put_number(row->total, NUMBER_WIDTH);
    mcuprofi_functions_put_number(
            mcuprofi_functions_divide(row->total, row->calls), NUMBER_WIDTH);
    mcuprofi_functions_put_number(row->min, NUMBER_WIDTH);
    mcuprofi_functions_put_number(row->max, NUMBER_WIDTH);
    mcuprofi_functions_put_number(row->open, 4u);
    mcuprofi_functions_end_line();
}

static void mcuprofi_functions_put_rests(void)
{
    const struct mcuprofi_functions_moment *m = &mcuprofi_functions_moment;
    for (size_t i = 0; i <= MCUPROF_FUNCTIONS_CONTEXTS; i++) {
        const struct mcuprofi_functions_rest *rest = &m->rests[i];
        if (rest->is_used && rest->outside != 0) {
            mcuprofi_functions_put_text("mcuprof-outside        ");
            mcuprofi_functions_put_number(rest->context, 7u);
            mcuprofi_functions_put_number(0, NUMBER_WIDTH);
            mcuprofi_functions_put_number(rest->outside, NUMBER_WIDTH);
            mcuprofi_functions_end_line();
        }
        if (rest->is_used && rest->calls != 0) {
            mcuprofi_functions_put_text("mcuprof-no-slot        ");
            mcuprofi_functions_put_number(rest->context, 7u);
            mcuprofi_functions_put_number(rest->calls, NUMBER_WIDTH);
            mcuprofi_functions_put_number(rest->self, NUMBER_WIDTH);
            mcuprofi_functions_end_line();
        }
    }
}

static void mcuprofi_functions_put_tail(void)
{
    const struct mcuprofi_functions_moment *m = &mcuprofi_functions_moment;
    uint64_t pairs = m->calls * m->pair;
    mcuprofi_functions_put_text("mcuprof-sum");
    mcuprofi_functions_put_field("self", m->self);
    mcuprofi_functions_put_field("hooks", m->hooks);
    mcuprofi_functions_put_field("pairs", pairs);
    mcuprofi_functions_put_field("all", m->self + m->hooks + pairs);
    mcuprofi_functions_put_field("wall", m->ticks);
    mcuprofi_functions_end_line();
    mcuprofi_functions_put_text("mcuprof-counts");
    mcuprofi_functions_put_field("unwound", m->unwound);
    mcuprofi_functions_put_field("unmatched", m->unmatched);
    mcuprofi_functions_put_field("deep", m->deep);
    mcuprofi_functions_put_field("no-slot", m->no_slot);
    mcuprofi_functions_put_field("no-context", m->no_context);
    mcuprofi_functions_put_field("tries", m->tries);
    mcuprofi_functions_end_line();
    uint32_t crc = function_text.crc;
    mcuprofi_functions_put_text("mcuprof-end");
    mcuprofi_functions_put_hex(crc);
    mcuprofi_functions_end_line();
}

int mcuprof_functions_print(size_t (*write)(const uint8_t *bytes, size_t size))
{
    int rows = mcuprof_functions_snapshot();
    if (rows < 0) {
        return rows;
    }
    function_text.write = write;
    function_text.crc = 0;
    function_text.error = 0;
    function_text.used = 0;
    mcuprofi_functions_put_head();
    for (int i = 0; i < rows; i++) {
        mcuprofi_functions_put_row(&mcuprof_functions_view[i]);
    }
    mcuprofi_functions_put_rests();
    mcuprofi_functions_put_tail();
    return function_text.error;
}

#endif
