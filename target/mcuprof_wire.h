/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_WIRE_H
#define MCUPROF_WIRE_H

/*
 * The format between firmware and host: numbers only, no types, no functions.
 * docs/wire.md draws every layout; this header names its offsets and values.
 * All integers are little-endian and written byte by byte. It is the only
 * header that target/ and host/ share.
 */

/* Format version carried in HELLO; a reader refuses a greater one. */
#define MCUPROF_WIRE_VERSION 1

/*
 * Frame:  00 | COBS( type u8, seq u16, payload, CRC-32 u32 ) | 00
 *
 * The CRC (zlib's, polynomial 0xEDB88320) covers type, seq and payload.
 */
#define MCUPROF_WIRE_PAYLOAD_MAX 240
#define MCUPROF_WIRE_HEAD_SIZE 3
#define MCUPROF_WIRE_CRC_SIZE 4
#define MCUPROF_WIRE_RAW_MAX                                                   \
    (MCUPROF_WIRE_HEAD_SIZE + MCUPROF_WIRE_PAYLOAD_MAX + MCUPROF_WIRE_CRC_SIZE)
/* Two delimiters and one COBS code byte; raw is always below 254 bytes. */
#define MCUPROF_WIRE_FRAME_MAX (MCUPROF_WIRE_RAW_MAX + 3)

/* Frame types. Unknown types are skipped whole. */
#define MCUPROF_WIRE_HELLO 0x01
#define MCUPROF_WIRE_BUILD 0x02
#define MCUPROF_WIRE_TIME 0x03
#define MCUPROF_WIRE_CONTEXT 0x04
#define MCUPROF_WIRE_SELFTEST 0x05
#define MCUPROF_WIRE_HOTSPOTS 0x06
#define MCUPROF_WIRE_RING 0x07
#define MCUPROF_WIRE_FUNCTIONS 0x08
#define MCUPROF_WIRE_SAMPLE 0x10
#define MCUPROF_WIRE_TRACE 0x11
/* Written by the host in front of a recording; not counted in seq. */
#define MCUPROF_WIRE_HOST 0x7F

/* HELLO payload: offsets, size. Readers accept a longer one. */
#define MCUPROF_HELLO_VERSION 0
#define MCUPROF_HELLO_FLAGS 1
#define MCUPROF_HELLO_CLOCK_SOURCE 2
#define MCUPROF_HELLO_CLOCK_REASON 3
#define MCUPROF_HELLO_CLOCK_BITS 4
#define MCUPROF_HELLO_LATENESS_SHIFT 5
#define MCUPROF_HELLO_SAMPLER_COST 6
#define MCUPROF_HELLO_CPUID 8
#define MCUPROF_HELLO_BOOT_ID 12
#define MCUPROF_HELLO_CLOCK_HZ 16
#define MCUPROF_HELLO_PERIOD 20
#define MCUPROF_HELLO_SECOND_HZ 24
#define MCUPROF_HELLO_IDENTITY_START 28
#define MCUPROF_HELLO_IDENTITY_LENGTH 32
#define MCUPROF_HELLO_IDENTITY_VALUE 36
#define MCUPROF_HELLO_HOOK_COST 44
#define MCUPROF_HELLO_ENGINES 46
#define MCUPROF_HELLO_RING_LOG2 47
#define MCUPROF_HELLO_VECTORS 48
#define MCUPROF_HELLO_SAMPLER_EXCEPTION 52
#define MCUPROF_HELLO_SAMPLER_PRIORITY 54
#define MCUPROF_HELLO_SAMPLER_FLAGS 55
#define MCUPROF_HELLO_HOOK_INNER 56
#define MCUPROF_HELLO_TRACE_MODE 58
#define MCUPROF_HELLO_TRACE_FLAGS 59
#define MCUPROF_HELLO_SIZE_MIN 56 /* of 0.1.0, what is missing is 0 */
#define MCUPROF_HELLO_SIZE 60

/* HELLO flags. */
#define MCUPROF_HELLO_START 0x01
#define MCUPROF_HELLO_IDENTITY 0x02
#define MCUPROF_HELLO_PARTIAL 0x04
#define MCUPROF_HELLO_BUILD_ID 0x08
#define MCUPROF_HELLO_RUNNING 0x10
#define MCUPROF_HELLO_IDENTITY_READ 0x20 /* not set by firmware */

/* HELLO sampler flags. */
#define MCUPROF_SAMPLER_JITTER 0x01
#define MCUPROF_SAMPLER_MISSED_UNKNOWN 0x02
#define MCUPROF_SAMPLER_LATENESS_UNKNOWN 0x04
#define MCUPROF_SAMPLER_COST_UNKNOWN 0x08

/* HELLO call ring flags: not every call is recorded, but each takes its time.
 */
#define MCUPROF_TRACE_SELECTED 0x01

/* HELLO engines. */
#define MCUPROF_ENGINE_SAMPLER 0x01
#define MCUPROF_ENGINE_HOTSPOTS 0x02
#define MCUPROF_ENGINE_TRACE 0x04
#define MCUPROF_ENGINE_FUNCTIONS 0x08

/* HELLO clock bits: low seven bits are the width, bit 7 is "counts down". */
#define MCUPROF_CLOCK_DOWN 0x80

/* HELLO clock source and the reason it was taken. */
#define MCUPROF_CLOCK_NONE 0
#define MCUPROF_CLOCK_DWT 1
#define MCUPROF_CLOCK_USER 2
#define MCUPROF_CLOCK_SYSTICK 3
#define MCUPROF_CLOCK_SYSTICK_SAMPLER 4
#define MCUPROF_CLOCK_SYSTICK_SHARED 5

#define MCUPROF_REASON_CONFIGURED 0
#define MCUPROF_REASON_ADVANCES 1
#define MCUPROF_REASON_NO_DWT 2
#define MCUPROF_REASON_NO_TRCENA 3
#define MCUPROF_REASON_STANDS_STILL 4
#define MCUPROF_REASON_NO_CLOCK 5

/* TIME payload: ticks u64, second u64, then one entry an engine. */
#define MCUPROF_TIME_TICKS 0
#define MCUPROF_TIME_SECOND 8
#define MCUPROF_TIME_ENTRIES 16
/* Entry: engine u8, size u8 (of the whole entry), 2 zero bytes, totals. */
#define MCUPROF_TIME_ENTRY_ENGINE 0
#define MCUPROF_TIME_ENTRY_SIZE 1
#define MCUPROF_TIME_ENTRY_PRODUCED 4
#define MCUPROF_TIME_ENTRY_LOST 8
#define MCUPROF_TIME_ENTRY_MISSED 12
#define MCUPROF_TIME_ENTRY_LONGEST 16
#define MCUPROF_TIME_ENTRY_LONGEST_PC 20
#define MCUPROF_TIME_SAMPLER_SIZE 24
/* The call ring's entry ends with the clock at the moment of the TIME. */
#define MCUPROF_TIME_ENTRY_CLOCK 12
#define MCUPROF_TIME_TRACE_SIZE 16

/* CONTEXT payload, repeated: id u16, flags u8, length u8, name. */
#define MCUPROF_CONTEXT_HEAD_SIZE 4
#define MCUPROF_CONTEXT_NAME_MAX 32
#define MCUPROF_CONTEXT_NAMED 0x01
#define MCUPROF_CONTEXT_UNSEEN 0x02
/* Contexts: 0 thread, 1 to 511 exception number, 512 and up tasks. */
#define MCUPROF_CONTEXT_THREAD 0
#define MCUPROF_CONTEXT_TASK_FIRST 512

/* SELFTEST payload. */
#define MCUPROF_SELFTEST_THREE 0
#define MCUPROF_SELFTEST_ONE 4
#define MCUPROF_SELFTEST_THREE_TICKS 8
#define MCUPROF_SELFTEST_ONE_TICKS 12
#define MCUPROF_SELFTEST_PRODUCED 16
#define MCUPROF_SELFTEST_ROUNDS 20
#define MCUPROF_SELFTEST_SIZE 24

/* HOTSPOTS payload: a part of one view of the hot-spot table, then units. */
#define MCUPROF_HOTSPOTS_SEQUENCE 0
#define MCUPROF_HOTSPOTS_SAMPLES 4
#define MCUPROF_HOTSPOTS_IGNORED 8
#define MCUPROF_HOTSPOTS_HALF_LIFE 12
#define MCUPROF_HOTSPOTS_GRAIN_LOG2 16
#define MCUPROF_HOTSPOTS_CAPACITY 17
#define MCUPROF_HOTSPOTS_USED 18
#define MCUPROF_HOTSPOTS_FIRST 19
#define MCUPROF_HOTSPOTS_UNITS 20
/* A unit: pc u32, ratio u16, bound u16, both in 1/1024. */
#define MCUPROF_HOTSPOT_PC 0
#define MCUPROF_HOTSPOT_RATIO 4
#define MCUPROF_HOTSPOT_BOUND 6
#define MCUPROF_HOTSPOT_SIZE 8
#define MCUPROF_HOTSPOT_WHOLE 1024
#define MCUPROF_HOTSPOTS_GRAIN_LOG2_MIN 4
#define MCUPROF_HOTSPOTS_GRAIN_LOG2_MAX 16

/* RING payload: what the call ring's block said when the ring was read. */
#define MCUPROF_RING_STATE 0
#define MCUPROF_RING_MODE 1
#define MCUPROF_RING_RECORDS 4
#define MCUPROF_RING_PC 8
#define MCUPROF_RING_LR 12
#define MCUPROF_RING_XPSR 16
#define MCUPROF_RING_FAULT 20
#define MCUPROF_RING_HALTED 24 /* microseconds */
#define MCUPROF_RING_SIZE 28
/* Behind that, from who reads a memory only. */
#define MCUPROF_RING_BEFORE_HIGH 28
#define MCUPROF_RING_UNNAMED 32
#define MCUPROF_RING_SIZE_READ 36
#define MCUPROF_RING_UNNAMED_ALL 0xFFFFu

/* FUNCTIONS payload: a part of one snapshot of the function table, then rows.
 */
#define MCUPROF_FUNCTIONS_SEQUENCE 0
#define MCUPROF_FUNCTIONS_TICKS 4 /* u64 since the table was started */
#define MCUPROF_FUNCTIONS_ROWS 12 /* of the whole snapshot */
#define MCUPROF_FUNCTIONS_FIRST 14
#define MCUPROF_FUNCTIONS_FLAGS 16
#define MCUPROF_FUNCTIONS_PERIOD 17   /* starts and resets, modulo 256 */
#define MCUPROF_FUNCTIONS_PAIR 18     /* ticks that a pair of hooks took out */
#define MCUPROF_FUNCTIONS_CAPACITY 20 /* that the table has */
#define MCUPROF_FUNCTIONS_HEAD_SIZE 22
/* Flags. */
#define MCUPROF_FUNCTIONS_RAW 0x01     /* what hooks cost is in the times */
#define MCUPROF_FUNCTIONS_MOMENTS 0x02 /* rows are not of one moment */
#define MCUPROF_FUNCTIONS_RUNNING 0x04
#define MCUPROF_FUNCTIONS_EARLIER 0x08 /* read without its clock */
#define MCUPROF_FUNCTIONS_DROPPED 0x10 /* the last of a period was not sent */
/* A row's kind, its first byte; each is followed by varints (docs/wire.md). */
#define MCUPROF_FUNCTIONS_ROW_FUNCTION 0
#define MCUPROF_FUNCTIONS_ROW_OUTSIDE 1
#define MCUPROF_FUNCTIONS_ROW_NO_SLOT 2
#define MCUPROF_FUNCTIONS_ROW_COUNTS 3
/* Kind 1, function 5, context 3, calls 6, open 2, self, total, min, max 7. */
#define MCUPROF_FUNCTIONS_ROW_MAX 45

/* BUILD payload: the text itself. */
#define MCUPROF_BUILD_MAX 48

/* Record frames (0x10 to 0x2F) begin with two running counts. */
#define MCUPROF_RECORDS_FIRST 0
#define MCUPROF_RECORDS_LOST 4
#define MCUPROF_RECORDS_HEAD_SIZE 8

/* A sample as it lies in the ring: pc u32, context u16, lateness u16. */
#define MCUPROF_SAMPLE_SIZE 8
/* Its packed form on the wire takes at most 5 + 3 + 3 bytes. */
#define MCUPROF_SAMPLE_PACKED_MAX 11
#define MCUPROF_SAMPLE_LATENESS_MAX 0xFFFF
/* Where the stacked PC may not be read (ARMv8-M, other security state). */
#define MCUPROF_PC_SECURE 0xFFFFFFF0u
#define MCUPROF_PC_NON_SECURE 0xFFFFFFF2u

/*
 * A record of the call ring: the clock register, then what happened. A word
 * below MCUPROF_TRACE_SPECIAL is a function's address, bit 0 set where it was
 * entered; no code lies above (ARMv7-M ARM, B3.1: execute never). Of others the
 * top byte says what it is, the low 24 bits are its argument. The second word
 * is written last: 0 is a record that is not complete.
 */
#define MCUPROF_TRACE_TIME 0
#define MCUPROF_TRACE_WORD 4
#define MCUPROF_TRACE_RECORD_SIZE 8
#define MCUPROF_TRACE_ENTER 1u
#define MCUPROF_TRACE_SPECIAL 0xE0000000u
#define MCUPROF_TRACE_ARGUMENT 0x00FFFFFFu
/* From here on this context runs; in RAM a bit says that it had run before. */
#define MCUPROF_TRACE_CONTEXT 0xF0u
#define MCUPROF_TRACE_CONTEXT_SAME 0x00010000u
/* The first word is no time but a value of the record before. */
#define MCUPROF_TRACE_VALUE 0xF1u
/* The user's mark; a VALUE follows. */
#define MCUPROF_TRACE_MARK 0xF2u
/* Records that found no room; time of the first, a VALUE is that of the last */
#define MCUPROF_TRACE_LOST 0xF3u
/* How often the clock has wrapped by now, modulo 2^24. */
#define MCUPROF_TRACE_SYNC 0xF4u
/* The clock's rate is another from here on: a VALUE is the new one in Hz, and a
   second one the old. */
#define MCUPROF_TRACE_CLOCK 0xF5u
/* This context does not exist any more. */
#define MCUPROF_TRACE_GONE 0xF6u
/* Recording went on here, after a time in which it was off. */
#define MCUPROF_TRACE_CUT 0xF7u
/* In a stream: whoever took its slot was deleted before he wrote it. */
#define MCUPROF_TRACE_NEVER 0xF8u

/* On the wire: first and lost, the clock, the context, then packed records. */
#define MCUPROF_TRACE_FRAME_TIME 8
#define MCUPROF_TRACE_FRAME_CONTEXT 12
#define MCUPROF_TRACE_FRAME_RECORDS 16
#define MCUPROF_TRACE_LEAVE_KNOWN 0u
#define MCUPROF_TRACE_ENTER_KNOWN 1u
#define MCUPROF_TRACE_NEW 2u
#define MCUPROF_TRACE_OTHER 3u
#define MCUPROF_TRACE_KNOWN 64u /* functions that both ends remember */
/* Time 5 bytes, kind 1, then a value of 5 and an argument of 4. */
#define MCUPROF_TRACE_PACKED_MAX 15

/* Modes and states of the ring. */
#define MCUPROF_TRACE_MODE_FLIGHT 0
#define MCUPROF_TRACE_MODE_ONE_SHOT 1
#define MCUPROF_TRACE_MODE_STREAM 2
#define MCUPROF_TRACE_STATE_OFF 0
#define MCUPROF_TRACE_STATE_ARMED 1 /* waits for its function */
#define MCUPROF_TRACE_STATE_RUNNING 2
#define MCUPROF_TRACE_STATE_TRIGGERED 3 /* so many records more */
#define MCUPROF_TRACE_STATE_FULL 4      /* one-shot, or after the trigger */
#define MCUPROF_TRACE_STATE_FROZEN 5    /* mcuprof_freeze() */
#define MCUPROF_TRACE_STATE_FAULT 6     /* a fault handler of ours froze it */
#define MCUPROF_TRACE_STATE_KEPT 0x80   /* with it: a boot before has left it */

/*
 * The ring's block in RAM, at the symbol mcuprof_trace (docs/wire.md); the
 * first four words are for the hooks. All else that a reader of a dump must
 * know is in it.
 */
#define MCUPROF_BLOCK_CONTEXT 0
#define MCUPROF_BLOCK_LIMIT 4
#define MCUPROF_BLOCK_HEAD 8
#define MCUPROF_BLOCK_CLOCK 12
#define MCUPROF_BLOCK_MAGIC 16
#define MCUPROF_BLOCK_MAGIC_VALUE 0x4352544Du /* "MTRC" */
#define MCUPROF_BLOCK_VERSION 20              /* u16, then the size u16 */
#define MCUPROF_BLOCK_SIZE 22
#define MCUPROF_BLOCK_RING 24    /* address of the first record */
#define MCUPROF_BLOCK_RECORDS 28 /* that the ring holds */
#define MCUPROF_BLOCK_LAPS 32    /* how often it was begun again */
#define MCUPROF_BLOCK_LOST 36    /* records that were not taken */
#define MCUPROF_BLOCK_STATE 40   /* u8 state, u8 mode, u16 names */
#define MCUPROF_BLOCK_MODE 41
#define MCUPROF_BLOCK_NAMES 42 /* how many there is room for */
#define MCUPROF_BLOCK_NAMES_AT 44
#define MCUPROF_BLOCK_GENERATION 48
/* Where it was frozen; of a fault the PC that was stacked. */
#define MCUPROF_BLOCK_FROZEN_PC 52
#define MCUPROF_BLOCK_FROZEN_LR 56
#define MCUPROF_BLOCK_FROZEN_XPSR 60
#define MCUPROF_BLOCK_FAULT 64  /* CFSR, 0 where there is none */
#define MCUPROF_BLOCK_HELLO 68  /* as HELLO has it, MCUPROF_HELLO_SIZE bytes */
#define MCUPROF_BLOCK_CHECK 128 /* CRC-32 of bytes 16 to 31 and 48 to 51 */
#define MCUPROF_BLOCK_BYTES 132
#define MCUPROF_BLOCK_VERSION_VALUE 1
/* A name: address of its text u32, context u16, 0 u16. */
#define MCUPROF_BLOCK_NAME_SIZE 8

/*
 * The function table in RAM, at the symbol mcuprof_functions (docs/wire.md);
 * the first ten words are for the hooks. Rows follow at MCUPROF_TABLE_BYTES,
 * contexts behind them, then frames.
 */
#define MCUPROF_TABLE_OUTER 0  /* ticks that an exit takes out */
#define MCUPROF_TABLE_CLOCK 4  /* address of its register */
#define MCUPROF_TABLE_STATE 8  /* of the context that runs */
#define MCUPROF_TABLE_INNER 28 /* ticks that an enter takes out */
#define MCUPROF_TABLE_STOLEN 32
#define MCUPROF_TABLE_PROBE 36
#define MCUPROF_TABLE_MAGIC 40
#define MCUPROF_TABLE_MAGIC_VALUE 0x4E55464Du /* "MFUN" */
#define MCUPROF_TABLE_VERSION 44              /* u16, then the size u16 */
#define MCUPROF_TABLE_SIZE 46
#define MCUPROF_TABLE_SLOTS 48        /* u16, rows that there are */
#define MCUPROF_TABLE_CONTEXTS 50     /* u16 */
#define MCUPROF_TABLE_FRAMES 52       /* u16, that a context has */
#define MCUPROF_TABLE_CONTEXT_SIZE 54 /* u16 */
#define MCUPROF_TABLE_FLAGS 56        /* u8 */
#define MCUPROF_TABLE_PROBES 57       /* u8 */
#define MCUPROF_TABLE_NAMES 58        /* u16, how many there is room for */
#define MCUPROF_TABLE_NAMES_AT 60     /* as MCUPROF_BLOCK_NAMES_AT */
#define MCUPROF_TABLE_MASK 64
#define MCUPROF_TABLE_FLIP 68
#define MCUPROF_TABLE_NOW 72
#define MCUPROF_TABLE_TURNS 76
#define MCUPROF_TABLE_NO_CONTEXT 80
#define MCUPROF_TABLE_SLOW 84
#define MCUPROF_TABLE_BEGAN 88 /* u64 */
#define MCUPROF_TABLE_ENDED 96 /* u64 */
#define MCUPROF_TABLE_HELLO 104
#define MCUPROF_TABLE_GENERATION 164
#define MCUPROF_TABLE_AGAIN_ENTER 168 /* ticks more, of what is open below */
#define MCUPROF_TABLE_AGAIN_EXIT 172
#define MCUPROF_TABLE_EXTEND 176
#define MCUPROF_TABLE_AGAIN 180 /* sum of the two */
#define MCUPROF_TABLE_BYTES 184
#define MCUPROF_TABLE_VERSION_VALUE 1
#define MCUPROF_TABLE_RAW 0x01         /* MCUPROF_FUNCTIONS_RAW */
#define MCUPROF_TABLE_PULLS 0x08       /* a task's state is where the task is */
#define MCUPROF_TABLE_NO_REGISTER 0x10 /* no register is the clock */
/* Why no event is fast; NARROW: the clock has not 32 bits or counts down. */
#define MCUPROF_TABLE_SLOW_FILTER 1u
#define MCUPROF_TABLE_SLOW_NARROW 2u
#define MCUPROF_TABLE_SLOW_CLOCK 4u
/* A time beyond that is one below 0, by a cost that was a tick too great. */
#define MCUPROF_TABLE_AGE_MAX 0xE0000000u
/* Ticks after which the clock's upper 4 bits are others. */
#define MCUPROF_TABLE_TURN 0x10000000u
/* A state: five words. */
#define MCUPROF_TABLE_STATE_GATE 0
#define MCUPROF_TABLE_STATE_TOP 4
#define MCUPROF_TABLE_STATE_LIMIT 8
#define MCUPROF_TABLE_STATE_INDEX 12
#define MCUPROF_TABLE_STATE_EPOCH 16
#define MCUPROF_TABLE_STATE_SIZE 20
/* A row. */
#define MCUPROF_TABLE_ROW_CALLS 0
#define MCUPROF_TABLE_ROW_SELF 4
#define MCUPROF_TABLE_ROW_TOTAL 8
#define MCUPROF_TABLE_ROW_MIN 12
#define MCUPROF_TABLE_ROW_SPAN 16
#define MCUPROF_TABLE_ROW_SELF_HIGH 20  /* u16 */
#define MCUPROF_TABLE_ROW_TOTAL_HIGH 22 /* u16 */
#define MCUPROF_TABLE_ROW_INDEX 24      /* u8 */
#define MCUPROF_TABLE_ROW_MIN_HIGH 25   /* u8 */
#define MCUPROF_TABLE_ROW_MAX_HIGH 26   /* u8 */
#define MCUPROF_TABLE_ROW_MORE 27       /* u8 */
#define MCUPROF_TABLE_ROW_KEY 28
#define MCUPROF_TABLE_ROW_BYTES 32
#define MCUPROF_TABLE_ROW_SLOW 0x80u   /* with the index: no event is fast */
#define MCUPROF_TABLE_ROW_NO_MIN 0xFFu /* as min_high: no completed call */
#define MCUPROF_TABLE_ROW_TAKEN 2u     /* as the key: about to be somebody's */
/* What a row's byte `more` has above the other words. */
#define MCUPROF_TABLE_MORE_CALLS 0x3Fu
#define MCUPROF_TABLE_MORE_SELF 0x40u
#define MCUPROF_TABLE_MORE_TOTAL 0x80u
/* A context. */
#define MCUPROF_TABLE_CONTEXT_USED 0
#define MCUPROF_TABLE_CONTEXT_STATE 4
#define MCUPROF_TABLE_CONTEXT_BELOW 24
#define MCUPROF_TABLE_CONTEXT_BASE 44
#define MCUPROF_TABLE_CONTEXT_V 48
#define MCUPROF_TABLE_CONTEXT_BELOW_V 52
#define MCUPROF_TABLE_CONTEXT_RESET_V 56
#define MCUPROF_TABLE_CONTEXT_PENDING 60
#define MCUPROF_TABLE_CONTEXT_EXCESS 64
#define MCUPROF_TABLE_CONTEXT_UNWOUND 68
#define MCUPROF_TABLE_CONTEXT_UNMATCHED 72
#define MCUPROF_TABLE_CONTEXT_DEEP 76
#define MCUPROF_TABLE_CONTEXT_TRIES 80
#define MCUPROF_TABLE_CONTEXT_OUTSIDE 88 /* u64 */
#define MCUPROF_TABLE_CONTEXT_HOOKS 96   /* u64 */
#define MCUPROF_TABLE_CONTEXT_NONE 104   /* a row */
#define MCUPROF_TABLE_CONTEXT_BYTES 136
/* What is pending for a context. */
#define MCUPROF_TABLE_PENDING_RESET 1u /* its counts begin anew, at RESET_V */
#define MCUPROF_TABLE_PENDING_DROP 2u  /* and its open calls are of before */
/* A frame. */
#define MCUPROF_TABLE_FRAME_TAG 0
#define MCUPROF_TABLE_FRAME_START 4
#define MCUPROF_TABLE_FRAME_ROW 8
#define MCUPROF_TABLE_FRAME_CHILDREN 12
#define MCUPROF_TABLE_FRAME_MORE 16   /* in a base */
#define MCUPROF_TABLE_FRAME_BEFORE 24 /* u64 */
#define MCUPROF_TABLE_FRAME_BYTES 32
/* With the address of its row. */
#define MCUPROF_TABLE_FRAME_AGAIN 1u /* a call of it is open below */
#define MCUPROF_TABLE_FRAME_SLOW 2u  /* left by the slow path, with BEFORE */

/*
 * RTT control block (docs/wire.md): the 16-byte id, counts of the channels, six
 * words for each channel, then ours. One up-channel, one down-channel.
 */
#define MCUPROF_RTT_ID 0
#define MCUPROF_RTT_ID_SIZE 16
#define MCUPROF_RTT_UP_COUNT 16
#define MCUPROF_RTT_DOWN_COUNT 20
#define MCUPROF_RTT_UP 24
#define MCUPROF_RTT_DOWN 48
#define MCUPROF_RTT_GENERATION 72
#define MCUPROF_RTT_SIZE 76
/* A channel. */
#define MCUPROF_RTT_CHANNEL_NAME 0
#define MCUPROF_RTT_CHANNEL_BUFFER 4
#define MCUPROF_RTT_CHANNEL_LENGTH 8
#define MCUPROF_RTT_CHANNEL_WRITE 12
#define MCUPROF_RTT_CHANNEL_READ 16
#define MCUPROF_RTT_CHANNEL_FLAGS 20
#define MCUPROF_RTT_CHANNEL_SIZE 24

/*
 * A stream left in RAM for a dump: this head, then `length` bytes used in turn,
 * a power of two. Byte n of the stream is at n modulo length; of the last
 * `length` the first may be the next one already.
 */
#define MCUPROF_RAM_MAGIC 0
#define MCUPROF_RAM_MAGIC_VALUE 0x4D41524Du /* "MRAM" */
#define MCUPROF_RAM_VERSION 4
#define MCUPROF_RAM_GENERATION 8
#define MCUPROF_RAM_LENGTH 12
#define MCUPROF_RAM_WRITTEN 16 /* bytes since the generation began, u64 */
#define MCUPROF_RAM_BYTES 24

/* HOST payload: unix time in ms u64, version string, NUL, ELF path. */
#define MCUPROF_HOST_TIME 0
#define MCUPROF_HOST_STRINGS 8

/*
 * Identity: CRC-32 of the code bytes from `start`, `length` bytes, leaving
 * out vector word 7, which programmers patch (LPC checksum).
 */
#define MCUPROF_IDENTITY_SKIP_OFFSET 28
#define MCUPROF_IDENTITY_SKIP_SIZE 4
#define MCUPROF_IDENTITY_PARTIAL_LENGTH 16384

#endif
