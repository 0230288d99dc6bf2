/* SPDX-License-Identifier: MIT */
#include "trace_pack.h"

#include "bytes.h"
#include "varint.h"

#include <string.h>

/* The first byte of a record. */
#define KIND 3u
#define STEP_SHIFT 2
#define STEP_BITS 5
#define STEP_LOW 31u
#define MORE 0x80u

uint32_t trace_clock_mask(uint8_t clock_bits)
{
    unsigned bits = clock_bits & ~(unsigned)MCUPROF_CLOCK_DOWN;

    return bits == 0 || bits >= 32 ? UINT32_MAX : (1u << bits) - 1;
}

static size_t place_of(uint32_t function)
{
    return (function >> 2 ^ function >> 8) & (MCUPROF_TRACE_KNOWN - 1);
}

static bool is_known(const struct trace_known *known, uint32_t function)
{
    size_t place = place_of(function);

    return known->filled[place] && known->functions[place] == function;
}

static void learn(struct trace_known *known, uint32_t function)
{
    size_t place = place_of(function);

    known->filled[place] = true;
    known->functions[place] = function;
    known->last = function;
}

void trace_pack_begin(struct trace_packer *packer,
                      const struct wire_trace_part *head, uint32_t time,
                      uint32_t mask)
{
    memset(packer, 0, sizeof *packer);
    packer->mask = mask;
    packer->time = time & mask;
    packer->size = MCUPROF_TRACE_FRAME_RECORDS;
    bytes_put32(packer->payload + MCUPROF_RECORDS_FIRST, head->first);
    bytes_put32(packer->payload + MCUPROF_RECORDS_LOST, head->lost);
    bytes_put32(packer->payload + MCUPROF_TRACE_FRAME_TIME, packer->time);
    bytes_put16(packer->payload + MCUPROF_TRACE_FRAME_CONTEXT, head->context);
}

static uint8_t *put_step(uint8_t *out, unsigned kind, uint32_t step)
{
    bool more = step > STEP_LOW;

    *out++ = (uint8_t)(kind | (step & STEP_LOW) << STEP_SHIFT
                       | (more ? MORE : 0));
    return more ? varint_put(out, step >> STEP_BITS) : out;
}

static uint8_t *put_function(uint8_t *out, struct trace_known *known,
                             uint32_t word, uint32_t step)
{
    uint32_t entered = word & MCUPROF_TRACE_ENTER;
    uint32_t function = word & ~MCUPROF_TRACE_ENTER;

    if (is_known(known, function)) {
        out = put_step(out,
                       entered ? MCUPROF_TRACE_ENTER_KNOWN
                               : MCUPROF_TRACE_LEAVE_KNOWN,
                       step);
        *out++ = (uint8_t)place_of(function);
        return out;
    }
    out = put_step(out, MCUPROF_TRACE_NEW, step);
    out = varint_put(out, varint_zigzag31((function >> 1) - (known->last >> 1))
                                          << 1
                                  | entered);
    learn(known, function);
    return out;
}

static bool is_value(uint32_t word)
{
    return word >> 24 == MCUPROF_TRACE_VALUE;
}

bool trace_pack_add(struct trace_packer *packer,
                    const struct wire_trace *record)
{
    uint8_t *out = packer->payload + packer->size;
    uint32_t word = record->word;
    uint32_t time = record->time & packer->mask;
    uint32_t step = (time - packer->time) & packer->mask;

    if (packer->size + MCUPROF_TRACE_PACKED_MAX > sizeof packer->payload)
        return false;
    if (word < MCUPROF_TRACE_SPECIAL) {
        out = put_function(out, &packer->known, word, step);
    } else {
        out = put_step(out, MCUPROF_TRACE_OTHER, is_value(word) ? 0 : step);
        *out++ = (uint8_t)(word >> 24);
        if (is_value(word))
            out = varint_put(out, record->time);
        out = varint_put(out, word & MCUPROF_TRACE_ARGUMENT);
    }
    if (!is_value(word))
        packer->time = time;
    packer->size = (size_t)(out - packer->payload);
    packer->count++;
    return true;
}

/* What is being unpacked. */
struct unpacking {
    const uint8_t *at;
    const uint8_t *end;
    uint32_t time;
    uint32_t mask;
    struct trace_known known;
};

static bool get_byte(struct unpacking *from, uint32_t *value)
{
    if (from->at == from->end)
        return false;
    *value = *from->at++;
    return true;
}

static bool get_step(struct unpacking *from, unsigned *kind)
{
    uint32_t head = 0;
    uint32_t high = 0;

    if (!get_byte(from, &head))
        return false;
    if ((head & MORE) != 0
        && (!varint_get(&from->at, from->end, 4, &high)
            || high > UINT32_MAX >> STEP_BITS))
        return false;
    *kind = head & KIND;
    from->time += (high << STEP_BITS) | (head >> STEP_SHIFT & STEP_LOW);
    from->time &= from->mask;
    return true;
}

static bool get_known(struct unpacking *from, unsigned kind, uint32_t *word)
{
    uint32_t place = 0;

    if (!get_byte(from, &place) || place >= MCUPROF_TRACE_KNOWN
        || !from->known.filled[place])
        return false;
    *word = from->known.functions[place]
            | (kind == MCUPROF_TRACE_ENTER_KNOWN ? MCUPROF_TRACE_ENTER : 0);
    return true;
}

static bool get_new(struct unpacking *from, uint32_t *word)
{
    uint32_t packed = 0;
    uint32_t function;

    if (!varint_get(&from->at, from->end, 5, &packed))
        return false;
    function = ((from->known.last >> 1) + varint_unzigzag31(packed >> 1)) << 1;
    if (function >= MCUPROF_TRACE_SPECIAL)
        return false;
    learn(&from->known, function);
    *word = function | (packed & MCUPROF_TRACE_ENTER);
    return true;
}

static bool get_other(struct unpacking *from, struct wire_trace *record)
{
    uint32_t top = 0;
    uint32_t argument = 0;

    if (!get_byte(from, &top) || top < MCUPROF_TRACE_SPECIAL >> 24)
        return false;
    if (top == MCUPROF_TRACE_VALUE
        && !varint_get(&from->at, from->end, 5, &record->time))
        return false;
    if (!varint_get(&from->at, from->end, 4, &argument)
        || argument > MCUPROF_TRACE_ARGUMENT)
        return false;
    record->word = top << 24 | argument;
    return true;
}

static bool get_record(struct unpacking *from, struct wire_trace *record)
{
    uint32_t before = from->time;
    unsigned kind;

    if (!get_step(from, &kind))
        return false;
    record->time = from->time;
    switch (kind) {
    case MCUPROF_TRACE_NEW:
        return get_new(from, &record->word);
    case MCUPROF_TRACE_OTHER:
        return get_other(from, record)
               && (!is_value(record->word) || from->time == before);
    default:
        return get_known(from, kind, &record->word);
    }
}

int trace_unpack(struct wire_trace records[WIRE_TRACE_MAX],
                 const uint8_t *packed, size_t size, uint32_t time,
                 uint32_t mask)
{
    struct unpacking from = {.at = packed,
                             .end = packed + size,
                             .time = time & mask,
                             .mask = mask};
    int count = 0;

    while (from.at < from.end) {
        if (count == WIRE_TRACE_MAX || !get_record(&from, &records[count]))
            return MCUPROF_E_FORMAT;
        count++;
    }
    return count;
}
