/* SPDX-License-Identifier: MIT */
/*
 * Snapshots of the function table as frames (docs/wire.md, FUNCTIONS).
 */
#include "mcuprof_functions_view.h"
#include "mcuprof_stream.h"

#if MCUPROF_ENABLED && MCUPROF_FUNCTIONS

#if MCUPROF_STREAM

#define EVERY_MS 1000u
/* Rows of all kinds are numbered: functions, then two a context, then one. */
#define RESTS (MCUPROF_FUNCTIONS_CONTEXTS + 1u)

static struct {
    uint64_t ticks;    /* of the last snapshot */
    uint32_t sequence; /* of the one that is being sent */
    uint16_t next;     /* place of its next row */
    uint16_t sent;     /* rows of it in frames */
    uint16_t count;    /* rows that it has in all */
    uint8_t is_due;
    uint8_t is_sending;
    uint8_t is_last; /* of its period: nothing replaces it */
    uint8_t flags;
    uint8_t has_dropped; /* one such was not sent */
} function_stream;

static uint8_t *mcuprofi_functions_put_varint(uint8_t *to, uint64_t value)
{
    while (value >= 0x80u) {
        *to++ = (uint8_t)(value | 0x80u);
        value >>= 7;
    }
    *to++ = (uint8_t)value;
    return to;
}

static uint8_t *mcuprofi_functions_pack_row(uint8_t *p,
                                            const struct mcuprof_function *row)
{
    *p++ = MCUPROF_FUNCTIONS_ROW_FUNCTION;
    p = mcuprofi_put_varint(p, (uint32_t)(uintptr_t)row->function);
    p = mcuprofi_put_varint(p, row->context);
    p = mcuprofi_functions_put_varint(p, row->calls);
    p = mcuprofi_put_varint(p, row->open);
    p = mcuprofi_functions_put_varint(p, row->self);
    p = mcuprofi_functions_put_varint(p, row->total);
    p = mcuprofi_functions_put_varint(p, row->min);
    return mcuprofi_functions_put_varint(p, row->max);
}

static uint8_t *mcuprofi_functions_pack_counts(uint8_t *p)
{
    const struct mcuprofi_functions_moment *m = &mcuprofi_functions_moment;
    *p++ = MCUPROF_FUNCTIONS_ROW_COUNTS;
    p = mcuprofi_functions_put_varint(p, m->hooks);
    p = mcuprofi_put_varint(p, m->unwound);
    p = mcuprofi_put_varint(p, m->unmatched);
    p = mcuprofi_put_varint(p, m->deep);
    p = mcuprofi_put_varint(p, m->no_slot);
    p = mcuprofi_put_varint(p, m->no_context);
    return mcuprofi_put_varint(p, m->tries);
}

/*
 * The row at a place.
 *
 * returns: its end, or p if there is none there
 */
static uint8_t *mcuprofi_functions_pack_place(uint8_t *p, uint32_t place)
{
    const struct mcuprofi_functions_moment *m = &mcuprofi_functions_moment;
    if (place < m->rows) {
        return mcuprofi_functions_pack_row(p, &mcuprof_functions_view[place]);
    }
    place -= m->rows;
    if (place >= 2u * RESTS) {
        return mcuprofi_functions_pack_counts(p);
    }
    const struct mcuprofi_functions_rest *rest = &m->rests[place / 2u];
    int is_outside = place % 2u == 0;
    if (!rest->is_used
        || (is_outside ? rest->outside == 0 : rest->calls == 0)) {
        return p;
    }
    *p++ = is_outside ? MCUPROF_FUNCTIONS_ROW_OUTSIDE
                      : MCUPROF_FUNCTIONS_ROW_NO_SLOT;
    p = mcuprofi_put_varint(p, rest->context);
    if (is_outside) {
        return mcuprofi_functions_put_varint(p, rest->outside);
    }
    p = mcuprofi_functions_put_varint(p, rest->calls);
    return mcuprofi_functions_put_varint(p, rest->self);
}

static uint32_t mcuprofi_functions_places(void)
{
    return mcuprofi_functions_moment.rows + 2u * RESTS + 1u;
}

static uint16_t mcuprofi_functions_count_rows(void)
{
    uint8_t row[MCUPROF_FUNCTIONS_ROW_MAX];
    uint16_t count = 0;
    for (uint32_t i = 0; i < mcuprofi_functions_places(); i++) {
        count = (uint16_t)(count
                           + (mcuprofi_functions_pack_place(row, i) != row));
    }
    return count;
}

/* Ticks between two snapshots; 0: none of itself. */
static uint64_t mcuprofi_functions_period(void)
{
    uint32_t ms = mcuprof_functions.every_ms;
    ms = ms != 0 ? ms : EVERY_MS;
    return (uint64_t)(mcuprofi_stream.clock.hz / 1000u) * ms;
}

/* What is being sent is still in the view. */
static int mcuprofi_functions_is_whole(void)
{
    return function_stream.is_sending
           && function_stream.sequence == mcuprofi_functions_moment.sequence;
}

static void mcuprofi_functions_drop(void)
{
    function_stream.has_dropped |=
            function_stream.is_sending & function_stream.is_last;
    function_stream.is_sending = 0;
}

/* Makes a snapshot to be sent. returns: 0 if there is none */
static int mcuprofi_functions_begin_sending(uint8_t is_last)
{
    mcuprofi_functions_drop();
    if (mcuprof_functions_snapshot() < 0) {
        return 0;
    }
    function_stream.is_last = is_last;
    function_stream.flags = mcuprofi_functions_moment.flags;
    if (function_stream.has_dropped) {
        function_stream.flags |= MCUPROF_FUNCTIONS_DROPPED;
    }
    function_stream.ticks = mcuprofi_stream.ticks;
    function_stream.sequence = mcuprofi_functions_moment.sequence;
    function_stream.next = 0;
    function_stream.sent = 0;
    function_stream.count = mcuprofi_functions_count_rows();
    function_stream.is_due = 0;
    function_stream.is_sending = 1;
    return 1;
}

/* Whether there is a snapshot to go on with; makes one if it is time to. */
static int mcuprofi_functions_is_sending(void)
{
    const struct mcuprofi_functions *t = &mcuprof_functions;
    if (mcuprofi_functions_is_whole()) {
        return 1;
    }
    if (!function_stream.is_sending && !function_stream.is_due
        && (t->hot.state.gate == 0 || t->every_ms == 0xFFFFFFFFu
            || mcuprofi_stream.ticks - function_stream.ticks
                       < mcuprofi_functions_period())) {
        return 0;
    }
    return mcuprofi_functions_begin_sending(t->hot.state.gate == 0);
}

uint8_t *mcuprofi_functions_pack(uint8_t *p)
{
    const struct mcuprofi_functions_moment *m = &mcuprofi_functions_moment;
    const uint8_t *end =
            p + MCUPROF_WIRE_PAYLOAD_MAX - MCUPROF_FUNCTIONS_ROW_MAX;
    if (!mcuprofi_functions_is_sending()) {
        return NULL;
    }
    p = mcuprofi_put32(p, m->sequence);
    p = mcuprofi_put64(p, m->ticks);
    p = mcuprofi_put16(p, function_stream.count);
    p = mcuprofi_put16(p, function_stream.sent);
    *p++ = function_stream.flags;
    *p++ = (uint8_t)m->period;
    p = mcuprofi_put16(p, m->pair);
    p = mcuprofi_put16(p, MCUPROF_FUNCTIONS_SLOTS);
    uint32_t next = function_stream.next;
    for (; next < mcuprofi_functions_places() && p <= end; next++) {
        const uint8_t *before = p;
        p = mcuprofi_functions_pack_place(p, next);
        function_stream.sent = (uint16_t)(function_stream.sent + (p != before));
    }
    function_stream.next = (uint16_t)next;
    function_stream.is_sending = next < mcuprofi_functions_places();
    return p;
}

void mcuprofi_functions_stream_ends(void)
{
    /* The one before goes first. */
    if (mcuprofi_functions_is_whole() && function_stream.is_last) {
        function_stream.is_due = 1;
        return;
    }
    (void)mcuprofi_functions_begin_sending(1);
}

void mcuprofi_functions_stream_now(void)
{
    (void)mcuprofi_functions_begin_sending(1);
}

void mcuprofi_functions_stream_starts(void)
{
    function_stream.has_dropped |= function_stream.is_due;
    function_stream.is_due = 0;
}

void mcuprofi_functions_stream_init(void)
{
    mcuprofi_clear(&function_stream, sizeof(function_stream));
}

int mcuprof_functions_send(void)
{
    if (!mcuprof_functions.started) {
        return MCUPROF_ESTATE;
    }
    function_stream.is_due = 1;
    return 0;
}

#else

int mcuprof_functions_send(void)
{
    return MCUPROF_ESTATE;
}

#endif

#endif
