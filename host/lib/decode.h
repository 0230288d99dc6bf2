/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_DECODE_H
#define MCUPROF_HOST_DECODE_H

/*
 * Frames into records (docs/wire.md). The decoder checks every payload,
 * hands records to a table of callbacks, and keeps the ledger. It knows no
 * ELF and keeps no record. Frames that come twice never reach a callback.
 */

#include "frame.h"
#include "function_counts.h"
#include "ledger.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct wire_identity {
    uint32_t start;
    uint32_t length;
    uint8_t value[8];
    bool valid;
    bool partial;
    bool build_id;
    bool read; /* not by the firmware, but of its memory */
};

struct wire_hello {
    uint8_t version;
    bool start;
    bool running;
    uint8_t clock_source;
    uint8_t clock_reason;
    uint8_t clock_bits; /* as on the wire */
    uint8_t lateness_shift;
    uint16_t sampler_cost;
    uint32_t cpuid;
    uint32_t boot_id;
    uint32_t clock_hz;
    uint32_t period;
    uint32_t second_hz;
    struct wire_identity identity;
    uint8_t engines;
    uint8_t ring_log2;
    uint32_t vectors;
    uint16_t sampler_exception;
    uint8_t sampler_priority;
    uint8_t sampler_flags;
    uint16_t hook_cost;  /* of a pair of call hooks, 0: not known */
    uint16_t hook_inner; /* the part of it between the pair's records */
    bool selects;        /* not every call is recorded */
    uint8_t trace_mode;
};

/* The call ring's entry of a TIME. */
struct wire_trace_time {
    uint32_t produced;
    uint32_t lost;
    uint32_t clock; /* the register at the moment of this TIME */
};

struct wire_time {
    uint64_t ticks;
    uint64_t second;
    bool sampler; /* the entry below was there */
    uint32_t produced;
    uint32_t lost;
    uint32_t missed;
    uint32_t longest;
    uint32_t longest_pc;
    bool has_trace;
    struct wire_trace_time trace;
};

struct wire_context {
    uint16_t id;
    bool unseen;
    bool named;
    char name[MCUPROF_CONTEXT_NAME_MAX + 1];
};

struct wire_selftest {
    uint32_t three;
    uint32_t one;
    uint32_t three_ticks;
    uint32_t one_ticks;
    uint32_t produced;
    uint32_t rounds;
};

struct wire_hotspot {
    uint32_t pc; /* stands for its block */
    uint16_t ratio;
    uint16_t bound;
};

#define WIRE_HOTSPOTS_MAX                                                      \
    ((MCUPROF_WIRE_PAYLOAD_MAX - MCUPROF_HOTSPOTS_UNITS) / MCUPROF_HOTSPOT_SIZE)

/* A part of a view: COUNT of its USED rows, from row FIRST on. */
struct wire_hotspots {
    uint32_t sequence;
    uint32_t samples;
    uint32_t ignored;
    uint32_t half_life;
    uint8_t grain_log2;
    uint8_t capacity;
    uint8_t used;
    uint8_t first;
    uint8_t count;
    struct wire_hotspot units[WIRE_HOTSPOTS_MAX];
};

struct wire_function_counts {
    uint64_t hooks; /* ticks */
    uint64_t unwound;
    uint64_t unmatched;
    uint64_t deep;
    uint64_t no_slot;
    uint64_t no_context;
    uint64_t tries;
};

/* A kind, a context and a time take three bytes at least. */
#define WIRE_FUNCTIONS_MAX                                                     \
    ((MCUPROF_WIRE_PAYLOAD_MAX - MCUPROF_FUNCTIONS_HEAD_SIZE) / 3)

/* A part of a snapshot: COUNT of its rows, from row FIRST on. The last row of
   a snapshot is its counts, which are told apart. */
struct wire_functions {
    uint32_t sequence;
    uint64_t ticks;
    uint16_t rows; /* of the whole */
    uint16_t first;
    uint8_t flags;
    uint8_t period; /* one more after each start or reset, modulo 256 */
    uint16_t pair;
    uint16_t capacity;
    uint16_t count; /* rows below */
    bool has_counts;
    struct wire_function_counts counts;
    struct function_counts functions[WIRE_FUNCTIONS_MAX];
};

struct wire_host {
    uint64_t unix_ms;
    char version[MCUPROF_WIRE_PAYLOAD_MAX];
    char elf[MCUPROF_WIRE_PAYLOAD_MAX];
};

struct wire_sample {
    uint32_t pc;
    uint16_t context;
    uint16_t lateness;
};

/* The call ring's block, as it was when the ring was read. */
struct wire_ring {
    uint8_t state; /* without the bit of: */
    bool kept;     /* a boot before has left it */
    uint8_t mode;
    uint32_t records; /* that the ring holds */
    uint32_t pc;      /* where it was frozen, 0: nowhere */
    uint32_t lr;
    uint32_t xpsr;
    uint32_t fault;     /* CFSR */
    uint32_t halted_us; /* for how long reading it halted the target */
    uint16_t unnamed;   /* contexts whose name could not be read */
};

/*
 * A record of the call ring (docs/wire.md, TRACE). Time counts upwards, modulo
 * the width of HELLO's clock; of an F1 it is the value instead. Word 0 is a
 * record that was never completed.
 */
struct wire_trace {
    uint32_t time;
    uint32_t word;
};

/* A record takes two bytes at least. */
#define WIRE_TRACE_MAX                                                         \
    ((MCUPROF_WIRE_PAYLOAD_MAX - MCUPROF_TRACE_FRAME_RECORDS) / 2)

/* The context of a part, where nothing tells it. */
#define WIRE_CONTEXT_UNKNOWN 0xFFFFu

/* COUNT records in a row, which FIRST came before; CONTEXT runs at the first.
   LOST found no room until now. A FIRST beyond the last part's end is a gap. */
struct wire_trace_part {
    uint16_t context;
    uint32_t first;
    uint32_t lost;
    size_t count;
    const struct wire_trace *records; /* valid during the call only */
};

/* Any member may be NULL. A negative return ends the decoding. */
struct decode_handler {
    void *context;
    /* Another boot or another recording begins, before its first frame. */
    int (*restart)(void *context);
    int (*host)(void *context, const struct wire_host *host);
    int (*hello)(void *context, const struct wire_hello *hello);
    int (*build)(void *context, const char *text);
    int (*time)(void *context, const struct wire_time *time);
    int (*name)(void *context, const struct wire_context *name);
    int (*selftest)(void *context, const struct wire_selftest *selftest);
    int (*hotspots)(void *context, const struct wire_hotspots *part);
    int (*functions)(void *context, const struct wire_functions *part);
    int (*ring)(void *context, const struct wire_ring *ring);
    int (*samples)(void *context, const struct wire_sample *samples,
                   size_t count);
    int (*trace)(void *context, const struct wire_trace_part *part);
};

/* Frames that were taken, by type. */
struct decode_stats {
    uint64_t by_type[256];
    uint64_t target_frames; /* without HOST */
    uint64_t unknown;       /* types that this reader does not know */
    uint64_t bad_hotspots;  /* parts of views that were refused */
    uint64_t bad_functions; /* the same of the function table */
    uint8_t newer_version;  /* of a HELLO that was refused, else 0 */
};

struct decoder {
    const struct decode_handler *handler;
    struct ledger ledger;
    struct decode_stats stats;
    struct wire_identity identity; /* of the last HELLO that had one */
    bool has_hello;
    bool running;
    uint32_t boot_id;
    /* Of the last HELLO, also of one before a restart; 0: none came. */
    uint8_t clock_bits;
    bool trace_streams; /* the call ring is sent, not only kept in RAM */
    bool has_host;
    uint32_t host_crc;
    /* Of the HELLO of a start that has just come again to the bit. */
    bool repeats_start;
    struct decode_first {
        uint32_t crc;
        size_t size;
        uint8_t payload[MCUPROF_WIRE_PAYLOAD_MAX];
    } first;
};

/**
 * Start decoding into HANDLER, which must outlive the decoder.
 * errors: MCUPROF_E_NOMEM
 */
int decoder_init(struct decoder *decoder,
                 const struct decode_handler *handler) MUST_CHECK;

void decoder_deinit(struct decoder *decoder);

/**
 * Take one valid frame. Has the type of a frame_handler; CONTEXT is a
 * struct decoder.
 * returns 0, or the callback's negative code
 * errors: MCUPROF_E_FORMAT the payload is not what its type demands, nothing
 *     of it was used; MCUPROF_E_VERSION a HELLO of a newer format
 */
int decoder_frame(void *context, const struct frame *frame) MUST_CHECK;

/**
 * Unpack the SIZE bytes of a HELLO that came outside of a frame.
 * errors: MCUPROF_E_FORMAT; MCUPROF_E_VERSION
 */
int decode_hello(struct wire_hello *hello, const uint8_t *payload,
                 size_t size) MUST_CHECK;

/**
 * Pack the payload of a HOST frame; VERSION and ELF are strings.
 * returns its size, 0 if it does not fit a frame
 */
size_t decode_pack_host(uint8_t payload[MCUPROF_WIRE_PAYLOAD_MAX],
                        uint64_t unix_ms, const char *version, const char *elf);

#ifdef __cplusplus
}
#endif

#endif
