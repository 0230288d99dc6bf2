/* SPDX-License-Identifier: MIT */
#ifndef TARGET_RIG_H
#define TARGET_RIG_H

/*
 * The target library on the host port: a test plays the hardware (counter,
 * interrupt, a line that takes bytes when it likes) and reads what comes out
 * with the host's decoder.
 */

/* cmocka needs these first, in this order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "decode.h"
#include "frame.h"
#include "mcuprof_internal.h"
#include "mcuprof_port_host.h"

#define RIG_HZ 25000000u
#define RIG_RATE 10000u
#define RIG_PERIOD (RIG_HZ / RIG_RATE)
#define RIG_LINE_SIZE (4u << 20)
#define RIG_KEPT 65536u

/* What came out of the line, decoded. */
struct rig_received {
    struct wire_hello hello; /* the last */
    struct wire_time time;   /* the last */
    struct wire_time first_time;
    struct wire_selftest selftest;
    struct wire_context contexts[64];
    struct wire_sample samples[RIG_KEPT];
    char build[64];
    unsigned hellos;
    unsigned starts;
    unsigned times;
    unsigned context_count;
    size_t sample_count;
    size_t samples_at_time; /* received when the last TIME came */
};

static uint8_t rig_line[RIG_LINE_SIZE];
static size_t rig_line_size;
static size_t rig_line_room; /* bytes the line takes before it is full */
static struct rig_received rig_received;
static struct decoder rig_decoder;
static uint8_t rig_code[1024];

static inline size_t rig_write(const uint8_t *data, size_t size)
{
    size_t room = RIG_LINE_SIZE - rig_line_size;
    room = room < rig_line_room ? room : rig_line_room;
    size = size < room ? size : room;
    memcpy(rig_line + rig_line_size, data, size);
    rig_line_size += size;
    rig_line_room -= size;
    return size;
}

static inline struct mcuprof_config rig_config(void)
{
    struct mcuprof_config config = {0};
    config.write = rig_write;
    config.core_hz = RIG_HZ;
    config.rate_hz = RIG_RATE;
    return config;
}

/* A new board: everything as after power-on. */
static inline void rig_reset(uint8_t clock_source)
{
    if (mcuprofi_sampler.running) {
        (void)mcuprof_stop();
    }
    rig_line_room = RIG_LINE_SIZE;
    rig_line_size = 0;
    while (mcuprof_poll() > 0) {
        rig_line_size = 0;
        rig_line_room = RIG_LINE_SIZE;
    }
    memset(&mcuprof_port_host, 0, sizeof(mcuprof_port_host));
    memset(&rig_received, 0, sizeof(rig_received));
    for (size_t i = 0; i < sizeof(rig_code); i++) {
        rig_code[i] = (uint8_t)(i * 37u + i / 256u);
    }
    mcuprof_port_host.source = clock_source;
    mcuprof_port_host.reason = MCUPROF_REASON_ADVANCES;
    mcuprof_port_host.code = rig_code;
    mcuprof_port_host.code_start = 0x08000000u;
    mcuprof_port_host.code_length = sizeof(rig_code);
    mcuprof_port_host.cpuid = 0x410FC241u;
    mcuprof_port_host.exception = 15;
    rig_line_size = 0;
}

static inline void rig_interrupt(uint32_t pc, uint32_t xpsr)
{
    uint32_t frame[8] = {0};
    frame[MCUPROFI_FRAME_PC] = pc;
    frame[MCUPROFI_FRAME_XPSR] = xpsr;
    mcuprofi_sample(frame, 0xFFFFFFF9u);
}

/* The next interrupt comes `late` ticks after it is due. */
static inline void rig_tick(uint32_t late, uint32_t pc, uint32_t xpsr)
{
    mcuprof_port_host.counter = mcuprofi_sampler.deadline + late;
    rig_interrupt(pc, xpsr);
}

static inline void rig_drain(void)
{
    rig_line_room = RIG_LINE_SIZE;
    for (unsigned i = 0; i < 100000; i++) {
        if (mcuprof_poll() == 0) {
            return;
        }
    }
    fail_msg("mcuprof_poll() never ends");
}

static inline int rig_on_hello(void *context, const struct wire_hello *hello)
{
    struct rig_received *r = context;
    r->hello = *hello;
    r->hellos++;
    r->starts += hello->start;
    return 0;
}

static inline int rig_on_time(void *context, const struct wire_time *time)
{
    struct rig_received *r = context;
    if (r->times == 0) {
        r->first_time = *time;
    }
    r->time = *time;
    r->times++;
    r->samples_at_time = r->sample_count;
    return 0;
}

static inline int rig_on_name(void *context, const struct wire_context *name)
{
    struct rig_received *r = context;
    if (r->context_count < 64) {
        r->contexts[r->context_count++] = *name;
    }
    return 0;
}

static inline int rig_on_selftest(void *context,
                                  const struct wire_selftest *selftest)
{
    ((struct rig_received *)context)->selftest = *selftest;
    return 0;
}

static inline int rig_on_build(void *context, const char *text)
{
    struct rig_received *r = context;
    strncpy(r->build, text, sizeof(r->build) - 1);
    return 0;
}

static inline int
rig_on_samples(void *context, const struct wire_sample *samples, size_t count)
{
    struct rig_received *r = context;
    for (size_t i = 0; i < count && r->sample_count < RIG_KEPT; i++) {
        r->samples[r->sample_count++] = samples[i];
    }
    return 0;
}

/* Decodes all that went over the line; it must be frames and nothing else. */
static inline void rig_decode(void)
{
    static const struct decode_handler handler = {
            .context = &rig_received,
            .hello = rig_on_hello,
            .build = rig_on_build,
            .time = rig_on_time,
            .name = rig_on_name,
            .selftest = rig_on_selftest,
            .samples = rig_on_samples,
    };
    struct deframer deframer;
    assert_int_equal(decoder_init(&rig_decoder, &handler), 0);
    deframer_init(&deframer, decoder_frame, &rig_decoder);
    assert_int_equal(deframer_feed(&deframer, rig_line, rig_line_size), 0);
    assert_int_equal(deframer_end(&deframer), 0);
    assert_int_equal(deframer.stats.damaged_bytes, 0);
    assert_int_equal(deframer.stats.text_bytes, 0);
    assert_int_equal(rig_decoder.stats.unknown, 0);
    decoder_deinit(&rig_decoder);
}

#endif
