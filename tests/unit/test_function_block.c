/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bytes.h"
#include "capture.h"
#include "function_block.h"
#include "ram_rig.h"

/*
 * A target's RAM with a table of 16 slots, four contexts with five frames each
 * and nobody's. Offsets are those of docs/wire.md; numbers were worked out by
 * hand.
 */
#define SLOTS 16u
#define CONTEXTS 5u
#define FRAMES 5u
#define ROWS 184u
#define CONTEXTS_AT (ROWS + 32 * SLOTS)
#define FRAMES_AT (CONTEXTS_AT + 136 * CONTEXTS)
#define SIZE (FRAMES_AT + 32 * ((CONTEXTS - 1) * FRAMES + 1))
#define NAMES (SIZE)
#define TEXTS (NAMES + 16)
#define RAM_SIZE (TEXTS + 16)
#define CLOCK 0xE0001004u

#define ROW(slot) (ROWS + 32 * (slot))
#define CONTEXT(i) (CONTEXTS_AT + 136 * (i))
#define FRAME(i, n) (FRAMES_AT + 32 * ((i)*FRAMES + (n)))

struct rig {
    uint8_t ram[RAM_SIZE];
    size_t size; /* of what can be read */
    bool has_clock;
    uint32_t clock;
    struct memory memory;
    struct function_block block;
    struct capture *capture;
};

static int read_ram(void *context, uint32_t address, uint8_t *out, size_t size,
                    struct error *error)
{
    const struct rig *rig = context;

    (void)error;
    if (rig->has_clock && address == CLOCK && size == 4) {
        bytes_put32(out, rig->clock);
        return 0;
    }
    return ram_read(rig->ram, rig->size, address, out, size);
}

static void put(struct rig *rig, size_t offset, uint32_t value)
{
    bytes_put32(rig->ram + offset, value);
}

static void put_pair(struct rig *rig, size_t offset, uint32_t low,
                     uint32_t high)
{
    bytes_put16(rig->ram + offset, (uint16_t)low);
    bytes_put16(rig->ram + offset + 2, (uint16_t)high);
}

/* A state at OFFSET: of context I with so many calls. */
static void put_state(struct rig *rig, size_t offset, uint32_t i,
                      uint32_t calls, uint32_t gate)
{
    put(rig, offset, gate);
    put(rig, offset + 4, RAM + FRAME(i, calls));
    put(rig, offset + 8, RAM + FRAME(i, FRAMES - 1));
    put(rig, offset + 12, i);
}

/* A frame that is called for the first time in its context. */
static void put_frame(struct rig *rig, size_t offset, uint32_t row,
                      uint32_t start, uint32_t children)
{
    put(rig, offset, 0x08000001);
    put(rig, offset + 4, start);
    put(rig, offset + 8, RAM + row);
    put(rig, offset + 12, children);
}

static void put_row(struct rig *rig, uint32_t slot, uint32_t i, uint32_t key,
                    uint32_t calls, uint32_t self, uint32_t total)
{
    size_t row = ROW(slot);

    put(rig, row, calls);
    put(rig, row + 4, self);
    put(rig, row + 8, total);
    put(rig, row + 12, calls == 0 ? UINT32_MAX : 10);
    put(rig, row + 16, calls == 0 ? 0 : 5);
    rig->ram[row + 24] = (uint8_t)i;
    rig->ram[row + 25] = calls == 0 ? 0xFF : 0;
    put(rig, row + 28, key);
}

static int set_up(void **state)
{
    static const uint16_t numbers[CONTEXTS - 1] = {0, 512, 15, 513};
    struct rig *rig = calloc(1, sizeof *rig);

    if (rig == NULL)
        return -1;
    rig->size = RAM_SIZE;
    rig->memory = (struct memory){
            .context = rig, .read = read_ram, .name = "the RAM"};
    put(rig, 4, CLOCK);
    put(rig, 40, 0x4E55464D);
    put_pair(rig, 44, 1, ROWS);
    put_pair(rig, 48, SLOTS, CONTEXTS);
    put_pair(rig, 52, FRAMES, 136);
    rig->ram[57] = 16;
    put(rig, 64, UINT32_MAX);
    put(rig, 96, 1000);     /* ended */
    rig->ram[104] = 1;      /* HELLO: version */
    rig->ram[104 + 4] = 32; /* its clock */
    for (uint32_t i = 0; i < CONTEXTS; i++) {
        if (i < CONTEXTS - 1)
            put(rig, CONTEXT(i), numbers[i] + 1u);
        put(rig, CONTEXT(i) + 44, RAM + FRAME(i, 0));
        put_state(rig, CONTEXT(i) + 4, i, 0, 1);
        rig->ram[CONTEXT(i) + 104 + 25] = 0xFF;
    }
    put_state(rig, 8, 0, 0, 0);
    *state = rig;
    return 0;
}

static int tear_down(void **state)
{
    struct rig *rig = *state;

    function_block_deinit(&rig->block);
    capture_free(rig->capture);
    free(rig);
    return 0;
}

static void take(struct rig *rig)
{
    struct error error = {0};

    function_block_deinit(&rig->block);
    if (function_block_read(&rig->block, &rig->memory, RAM, NULL, &error) < 0)
        fail_msg("%s", error.cause);
}

/* No row says so many. */
static const struct function_counts absent = {.calls = UINT64_MAX};

static const struct function_counts *find(const struct rig *rig, uint8_t kind,
                                          uint32_t function, uint16_t context)
{
    const struct function_snapshot *snapshot = &rig->block.snapshot;

    for (size_t i = 0; i < snapshot->count; i++) {
        const struct function_counts *row = &snapshot->rows[i];

        if (row->kind == kind && row->function == function
            && row->context == context)
            return row;
    }
    return &absent;
}

static void assert_row(const struct rig *rig, uint32_t function,
                       uint16_t context, const uint64_t numbers[6])
{
    const struct function_counts *row =
            find(rig, FUNCTION_COUNTED, function, context);

    assert_int_equal(row->calls, numbers[0]);
    assert_int_equal(row->open, numbers[1]);
    assert_int_equal(row->self, numbers[2]);
    assert_int_equal(row->total, numbers[3]);
    assert_int_equal(row->min, numbers[4]);
    assert_int_equal(row->max, numbers[5]);
}

static void assert_rest(const struct rig *rig, uint8_t kind, uint16_t context,
                        uint64_t calls, uint64_t self)
{
    const struct function_counts *row = find(rig, kind, 0, context);

    assert_int_equal(row->calls, calls);
    assert_int_equal(row->self, self);
}

static void test_stopped(void **state)
{
    struct rig *rig = *state;
    const struct function_snapshot *snapshot = &rig->block.snapshot;

    put(rig, 0, 30);  /* outer */
    put(rig, 28, 40); /* inner */
    put(rig, 80, 9);  /* without a context */
    put(rig, 88, 400);
    put_row(rig, 3, 1, 0x08000101, 6, 100, 200);
    put_row(rig, 4, 2, 0x08000101, 1, 7, 7);
    put(rig, ROW(5) + 28, 2); /* being taken */
    put(rig, CONTEXT(0) + 88, 70);
    put(rig, CONTEXT(0) + 68, 1);
    put(rig, CONTEXT(1) + 68, 2);
    put(rig, CONTEXT(1) + 72, 3);
    put(rig, CONTEXT(1) + 76, 4);
    put(rig, CONTEXT(3) + 80, 5);
    put(rig, CONTEXT(1) + 104, 8); /* without a slot */
    put(rig, CONTEXT(1) + 108, 80);
    take(rig);
    assert_int_equal(snapshot->ticks, 600);
    assert_int_equal(snapshot->flags, 0);
    assert_int_equal(snapshot->pair, 70);
    assert_int_equal(snapshot->capacity, SLOTS);
    assert_int_equal(snapshot->count, 4);
    assert_row(rig, 0x08000100, 512, (uint64_t[]){6, 0, 100, 200, 10, 15});
    assert_row(rig, 0x08000100, 15, (uint64_t[]){1, 0, 7, 7, 10, 15});
    assert_rest(rig, FUNCTION_OUTSIDE, 0, 0, 70);
    assert_rest(rig, FUNCTION_NO_SLOT, 512, 8, 80);
    assert_int_equal(snapshot->counts.unwound, 3);
    assert_int_equal(snapshot->counts.unmatched, 3);
    assert_int_equal(snapshot->counts.deep, 4);
    assert_int_equal(snapshot->counts.tries, 5);
    assert_int_equal(snapshot->counts.no_slot, 8);
    assert_int_equal(snapshot->counts.no_context, 9);
}

static void test_wide_numbers(void **state)
{
    struct rig *rig = *state;
    const uint64_t a47 = (uint64_t)1 << 47;
    size_t row = ROW(0);

    /* 5 + 63 * 2^31 calls; self and total beyond 2^47; min above 2^32. */
    put_row(rig, 0, 0, 0x101, 5, 6, 7);
    put_pair(rig, row + 20, 0x1234, 0xFFFF);
    rig->ram[row + 25] = 1;
    rig->ram[row + 26] = 2;
    put(rig, row + 12, 0xFFFFFFFF);
    put(rig, row + 16, 3);
    rig->ram[row + 27] = 0xFF;
    /* A self of -3 is the hooks', of which there are more. */
    put_row(rig, 1, 0, 0x201, 1, (uint32_t)-3, 7);
    put(rig, CONTEXT(0) + 96, 1000);
    /* -3 with a higher half, and -2^47 of 2^47 less 10. */
    put_row(rig, 2, 0, 0x301, 1, (uint32_t)-3, 7);
    put_pair(rig, ROW(2) + 20, 2, 0);
    put_row(rig, 3, 0, 0x401, 1, 0x7FFFFFF6, 7);
    put_pair(rig, ROW(3) + 20, 0xFFFF, 0);
    rig->ram[ROW(3) + 27] = 0x40;
    take(rig);
    assert_row(rig, 0x100, 0,
               (uint64_t[]){5 + ((uint64_t)63 << 31), 0,
                            6 + ((uint64_t)0x1234 << 31) + a47,
                            7 + ((uint64_t)0xFFFF << 31) + a47, 0x1FFFFFFFF,
                            0x200000002});
    assert_row(rig, 0x200, 0, (uint64_t[]){1, 0, 0, 7, 10, 15});
    assert_row(rig, 0x300, 0,
               (uint64_t[]){1, 0, ((uint64_t)2 << 31) - 3, 7, 10, 15});
    assert_row(rig, 0x400, 0, (uint64_t[]){1, 0, 0, 7, 10, 15});
    assert_int_equal(rig->block.snapshot.counts.hooks, 1000 - 3 - 10);
}

/*
 * Exception 15 has come into task 512, which had called f, g without a slot,
 * and f again; 513 waits in f. The clock is at 5000, of which 2000 are stolen.
 */
static void make_running(struct rig *rig)
{
    rig->has_clock = true;
    rig->clock = 5000;
    put(rig, 32, 2000);
    put(rig, 88, 100);
    put_state(rig, 8, 2, 1, 0x20000117);
    /* The interrupt: its base began at 2500, g in it at 2600. */
    put_row(rig, 0, 2, 0x201, 0, 0, 0);
    put(rig, FRAME(2, 0) + 4, 2500);
    put_frame(rig, FRAME(2, 1), ROW(0), 2600, 50);
    /* What it has interrupted. */
    put_state(rig, CONTEXT(2) + 24, 1, 3, 0x20000100);
    put(rig, CONTEXT(2) + 52, 2500);
    put_row(rig, 7, 1, 0x100, 4, 40, 60);
    put(rig, FRAME(1, 0) + 4, 1000);
    put(rig, FRAME(1, 0) + 12, 5);
    put_frame(rig, FRAME(1, 1), ROW(7), 1100, 20);
    put_frame(rig, FRAME(1, 2), CONTEXT(1) + 104, 1500, 0);
    put_frame(rig, FRAME(1, 3), ROW(7), 2400, 0);
    put(rig, FRAME(1, 3), 0x100); /* open below, too */
    /* The state that it had when it last did not run is of no use. */
    put_state(rig, CONTEXT(1) + 4, 1, 1, 1);
    /* Another task, left at 900. */
    put_row(rig, 9, 3, 0x100, 0, 0, 0);
    put_state(rig, CONTEXT(3) + 4, 3, 1, 1);
    put(rig, CONTEXT(3) + 48, 900);
    put(rig, FRAME(3, 0) + 4, 700);
    put_frame(rig, FRAME(3, 1), ROW(9), 800, 0);
}

static void assert_running(const struct rig *rig, uint32_t c)
{
    uint32_t v = c - 2000;

    assert_int_equal(rig->block.snapshot.ticks, c - 100);
    assert_row(rig, 0x200, 15,
               (uint64_t[]){1, 1, v - 2600 - 50, v - 2600, 0, 0});
    assert_rest(rig, FUNCTION_OUTSIDE, 15, 0, 100);
    /* f: 2500 - 2400, and 2500 - 1100 less g's 1000 and 20 of others. */
    assert_row(rig, 0x100, 512,
               (uint64_t[]){6, 2, 40 + 100 + 380, 60 + 1400, 10, 15});
    assert_rest(rig, FUNCTION_NO_SLOT, 512, 1, 900);
    assert_rest(rig, FUNCTION_OUTSIDE, 512, 0, 1500 - 1400 - 5);
    assert_row(rig, 0x100, 513, (uint64_t[]){1, 1, 100, 100, 0, 0});
    assert_rest(rig, FUNCTION_OUTSIDE, 513, 0, 100);
}

static void test_running(void **state)
{
    struct rig *rig = *state;

    make_running(rig);
    take(rig);
    assert_int_equal(rig->block.snapshot.flags, MCUPROF_FUNCTIONS_RUNNING);
    assert_running(rig, 5000);
    /* Turns: 2^28 times 35 have passed, 3 of which the clock shows. */
    put(rig, 76, 35);
    rig->clock = 5000 + (3u << 28);
    put(rig, 32, 2000 + (3u << 28));
    take(rig);
    assert_int_equal(rig->block.snapshot.ticks,
                     ((uint64_t)35 << 28) + 5000 - 100);
    /* They were looked at before the clock went on. */
    put(rig, 76, 34);
    take(rig);
    assert_int_equal(rig->block.snapshot.ticks,
                     ((uint64_t)35 << 28) + 5000 - 100);
    /* Long before it went on. */
    put(rig, 76, 35 - 12);
    take(rig);
    assert_int_equal(rig->block.snapshot.ticks,
                     ((uint64_t)35 << 28) + 5000 - 100);
    rig->ram[56] = 1;
    take(rig);
    assert_int_equal(rig->block.snapshot.flags,
                     MCUPROF_FUNCTIONS_RUNNING | MCUPROF_FUNCTIONS_RAW);
}

/* A call that the slow path will leave tells in its row that it is again. */
static void test_marks_of_calls(void **state)
{
    struct rig *rig = *state;

    make_running(rig);
    put(rig, FRAME(1, 3) + 8, RAM + ROW(7) + 3);
    take(rig);
    assert_running(rig, 5000);
    put(rig, FRAME(1, 1) + 8, RAM + ROW(7) + 2);
    put(rig, FRAME(1, 1), 0x100);
    take(rig);
    assert_running(rig, 5000);
    /* Halted in a hook, which had noted the time and not counted the call. */
    rig->ram[ROW(0) + 25] = 0;
    put(rig, ROW(0) + 12, 100);
    take(rig);
    assert_running(rig, 5000);
}

/* Context 0 is no interrupt; own time of a call is a tick below 0. */
static void test_thread_runs(void **state)
{
    struct rig *rig = *state;

    make_running(rig);
    put_state(rig, 8, 0, 1, 0x20000100);
    put_row(rig, 2, 0, 0x300, 1, 50, 60);
    put(rig, FRAME(0, 0) + 4, 2900);
    put(rig, FRAME(0, 0) + 12, 1);
    put_frame(rig, FRAME(0, 1), ROW(2), 2900, 101);
    put(rig, CONTEXT(0) + 24 + 12, 77); /* of no use */
    take(rig);
    assert_row(rig, 0x300, 0, (uint64_t[]){2, 1, 49, 160, 10, 15});
    /* Base: 100 - 100 - 1, which is the hooks'. */
    assert_rest(rig, FUNCTION_OUTSIDE, 0, 0, 0);
    put(rig, CONTEXT(0) + 88, 7);
    take(rig);
    assert_rest(rig, FUNCTION_OUTSIDE, 0, 0, 6);
}

/* The innermost call has begun at 2600, and called for 50: 2650. */
static void test_without_a_clock(void **state)
{
    struct rig *rig = *state;

    make_running(rig);
    rig->has_clock = false;
    take(rig);
    assert_int_equal(rig->block.snapshot.flags,
                     MCUPROF_FUNCTIONS_RUNNING | MCUPROF_FUNCTIONS_EARLIER);
    assert_running(rig, 4650);
    /* It was looked at later. */
    put(rig, 76, 1);
    take(rig);
    assert_running(rig, 1u << 28);
    /* One that is in no register cannot be read, even if something is there. */
    rig->has_clock = true;
    put(rig, 76, 0);
    rig->ram[56] = 0x10;
    take(rig);
    assert_running(rig, 4650);
    /* Stopped, none is needed. */
    put(rig, 8, 0);
    take(rig);
    assert_int_equal(rig->block.snapshot.flags, 0);
    assert_int_equal(rig->block.snapshot.ticks, 900);
}

/* 24 bits that count down: 100 ticks since it was at 4900. */
static void test_narrow_clock(void **state)
{
    struct rig *rig = *state;

    make_running(rig);
    put(rig, 64, 0xFFFFFF);
    put(rig, 68, 0xFFFFFF);
    put(rig, 84, 2);
    put(rig, 72, 4900);
    rig->clock = (5000 ^ 0xFFFFFF) | 0xFF000000;
    take(rig);
    assert_running(rig, 5000);
    /* And once round. */
    put(rig, 72, 0xFFFF00);
    rig->clock = 0xFFFFFF - 0x10;
    put(rig, 32, 0x1000010 - 3000);
    take(rig);
    assert_int_equal(rig->block.snapshot.ticks, 0x1000010 - 100);
    assert_row(rig, 0x200, 15, (uint64_t[]){1, 1, 350, 400, 0, 0});
}

/* A task's state is its own, an interrupt's is on stage. */
static void test_states_with_the_tasks(void **state)
{
    struct rig *rig = *state;

    make_running(rig);
    rig->ram[56] = 8;
    put_state(rig, CONTEXT(1) + 4, 1, 3, 1);
    put(rig, CONTEXT(2) + 24 + 4, 0xAAAAAAAA); /* of no use */
    take(rig);
    assert_running(rig, 5000);
    /* The task runs. */
    put_state(rig, 8, 1, 0, 0x20000000);
    put(rig, 12, 0xAAAAAAAA);
    put(rig, 32, 2500);
    take(rig);
    assert_row(rig, 0x100, 512, (uint64_t[]){6, 2, 520, 1460, 10, 15});
    assert_ptr_equal(find(rig, FUNCTION_COUNTED, 0x200, 15), &absent);
}

static void test_begun_anew(void **state)
{
    struct rig *rig = *state;

    make_running(rig);
    put(rig, 0, 30);
    put(rig, 28, 40);
    put(rig, 180, 5);
    put(rig, CONTEXT(1) + 88, 77);
    put(rig, CONTEXT(1) + 96, 77);
    put(rig, CONTEXT(1) + 64, 77);
    put(rig, CONTEXT(1) + 76, 77);
    put(rig, CONTEXT(1) + 56, 2300);
    /* Its counts: calls that are open began at 2300. */
    put(rig, CONTEXT(1) + 60, 1);
    take(rig);
    assert_row(rig, 0x100, 512, (uint64_t[]){2, 2, 200, 200, 0, 0});
    assert_rest(rig, FUNCTION_NO_SLOT, 512, 1, 0);
    assert_ptr_equal(find(rig, FUNCTION_OUTSIDE, 0, 512), &absent);
    assert_int_equal(rig->block.snapshot.counts.deep, 0);
    /* Its open calls, too. */
    put(rig, CONTEXT(1) + 60, 3);
    take(rig);
    assert_ptr_equal(find(rig, FUNCTION_COUNTED, 0x100, 512), &absent);
    assert_rest(rig, FUNCTION_OUTSIDE, 512, 0, 200);
}

/*
 * Calls that a reset found open are entered at no cost of this period: a pair
 * counts for each that is open, none of which was taken out of it.
 */
static void test_begun_anew_costs(void **state)
{
    struct rig *rig = *state;

    make_running(rig);
    put(rig, 0, 30);  /* outer */
    put(rig, 28, 40); /* inner */
    put(rig, 36, 7);  /* a probe */
    put(rig, 180, 5); /* more if it is open below */
    put(rig, CONTEXT(0) + 96, 10000);
    take(rig);
    /* Of 512: two of f, 5 places on, one of them again; one without a slot.
       g is 12 places on, and f of 513 is 3. */
    assert_int_equal(rig->block.snapshot.counts.hooks,
                     10000 + 4 * 5 * 7 + 12 * 7 - 30 /* g */
                             + 2 * 5 * 7 + 5 - 3 * 30 + 3 * 7 - 30);
    put(rig, CONTEXT(1) + 56, 2300);
    put(rig, CONTEXT(1) + 60, 1);
    take(rig);
    assert_int_equal(rig->block.snapshot.counts.hooks,
                     10000 + 12 * 7 - 30 - 3 * (30 + 40) + 3 * 7 - 30);
}

static void test_hooks(void **state)
{
    struct rig *rig = *state;

    make_running(rig);
    put(rig, 0, 30);  /* outer */
    put(rig, 28, 40); /* inner */
    put(rig, 36, 7);  /* a probe */
    put(rig, 180, 5); /* more if it is open below */
    put(rig, CONTEXT(0) + 96, 10000);
    put(rig, FRAME(0, 0) + 16, 300);
    put(rig, CONTEXT(0) + 64, 2);
    put(rig, CONTEXT(3) + 96, (uint32_t)-9);
    put(rig, CONTEXT(3) + 100, UINT32_MAX);
    take(rig);
    /* 201 >> 4 = 20h, context 2 is 2 << 5 >> 4 = 4: place 4, in 0: 12 on.
       101 >> 4 = 10h, context 1 is 2: place 2, in 7: 5 on.
       101, context 3 is 6: place 6, in 9: 3 on. */
    assert_int_equal(rig->block.snapshot.counts.hooks,
                     10000 + 300 - 2 * 30 - 9 + 4 * 5 * 7 /* were left */
                             + 12 * 7 + 2 * 5 * 7 + 3 * 7 /* are open */
                             - 5 * 30 + 5);
}

static void test_frames(void **state)
{
    struct rig *rig = *state;
    struct frame_sink sink = {.seq = 7};
    const struct function_table *table;

    make_running(rig);
    put_pair(rig, 58, 2, 0);
    put(rig, 60, RAM + NAMES);
    put(rig, NAMES, RAM + TEXTS);
    put_pair(rig, NAMES + 4, 513, 0);
    memcpy(rig->ram + TEXTS, "waits", 6);
    rig->ram[104 + 1] = MCUPROF_HELLO_START;
    take(rig);
    function_block_put(&rig->block, &sink);
    assert_false(sink.failed);
    rig->capture = capture_new();
    assert_non_null(rig->capture);
    assert_int_equal(capture_feed(rig->capture, sink.bytes, sink.size), 0);
    assert_int_equal(capture_end(rig->capture), 0);
    free(sink.bytes);
    table = &rig->capture->functions;
    assert_int_equal(table->complete, 1);
    assert_int_equal(table->refused + table->incomplete, 0);
    assert_int_equal(table->whole.count, rig->block.snapshot.count);
    assert_memory_equal(table->whole.rows, rig->block.snapshot.rows,
                        table->whole.count * sizeof *table->whole.rows);
    assert_int_equal(table->whole.ticks, rig->block.snapshot.ticks);
    assert_string_equal(capture_context(rig->capture, 513)->name, "waits");
}

/* More rows than a frame has room for. */
static void test_many_rows(void **state)
{
    struct rig *rig = *state;
    struct frame_sink sink = {.seq = 1};

    for (uint32_t i = 0; i < SLOTS; i++)
        put_row(rig, i, 0, 0x08000001 + 16 * i, 0x7FFFFFFF, 0x7FFFFFFF - i,
                0x7FFFFFFF);
    take(rig);
    function_block_put(&rig->block, &sink);
    assert_in_range(sink.frames, 3, 20);
    rig->capture = capture_new();
    assert_non_null(rig->capture);
    assert_int_equal(capture_feed(rig->capture, sink.bytes, sink.size), 0);
    assert_int_equal(capture_end(rig->capture), 0);
    free(sink.bytes);
    assert_int_equal(rig->capture->functions.whole.count, SLOTS);
    assert_int_equal(rig->capture->functions.whole.rows[15].self,
                     0x7FFFFFFF - 15);
}

static void assert_refused(struct rig *rig, int code, const char *cause)
{
    struct function_block block;
    struct error error = {0};

    assert_int_equal(
            function_block_read(&block, &rig->memory, RAM, NULL, &error), code);
    if (strstr(error.cause, cause) == NULL)
        fail_msg("'%s' is not in '%s'", cause, error.cause);
    assert_true(error.remedy[0] != '\0');
    assert_null(block.snapshot.rows);
}

static void test_no_table(void **state)
{
    struct rig *rig = *state;

    put(rig, 44, 2);
    assert_refused(rig, MCUPROF_E_VERSION, "version 2; this mcuprof knows");
    put(rig, 40, 0);
    assert_refused(rig, MCUPROF_E_NO_DATA, "was not started");
    put(rig, 40, 0x4352544D);
    assert_refused(rig, MCUPROF_E_NOT_FOUND, "no function table at 0x20000000");
    rig->size = 100;
    assert_refused(rig, MCUPROF_E_TRUNCATED, "184 bytes at 0x20000000");
}

/* What the RAM says of itself. */
static void test_damage(void **state)
{
    static const struct {
        size_t offset;
        uint32_t value;
        const char *cause;
    } words[] = {
            {44, 184u << 16, "version 0"},
            {44, 176u << 16 | 1, "a head of 176 bytes"},
            {44, 65528u << 16 | 1, "a head of 65528 bytes"},
            {48, 5u << 16 | 24, "it has 24 slots"},
            {48, 5u << 16 | 8192, "it has 8192 slots"},
            {48, 1u << 16 | 16, "1 contexts"},
            {48, 129u << 16 | 16, "129 contexts"},
            {52, 136u << 16 | 1, "1 frames each"},
            {52, 136u << 16 | 1026, "1026 frames each"},
            {52, 128u << 16 | 5, "contexts of 128"},
            {104, 0, "format version 0"},
            {88, 10000, "its clock is before its start"},
            {8 + 12, 5, "what runs is context 5"},
            {8 + 12, UINT32_MAX, "what runs is context 4294967295"},
            {8 + 4, RAM + FRAME(2, 1) + 4, "the calls of context 2"},
            {8 + 4, RAM + FRAME(3, 0), "the calls of context 2"},
            {8 + 4, RAM + FRAME(2, 0) - 32, "the calls of context 2"},
            {CONTEXT(2) + 24 + 12, 2, "what has interrupted itself"},
            {CONTEXT(2) + 24 + 12, 77, "what was interrupted is context 77"},
            {CONTEXT(2) + 24 + 4, 0, "the calls of context 1"},
            {CONTEXT(3), 513, "there twice is context 512"},
            {CONTEXT(0), 0x10000, "without a number"},
            {FRAME(1, 1) + 8, RAM + ROW(7) + 4, "is of no function"},
            {FRAME(1, 1) + 8, RAM + ROW(8), "is of no function"},
            {FRAME(1, 1) + 8, RAM + CONTEXT(2) + 104, "is of no function"},
            {FRAME(1, 1) + 8, 0, "is of no function"},
            {ROW(9) + 24, 0xFF04, "whose function it is is context 4"},
            {ROW(9) + 28, 0x201, "is of no function"},
            {ROW(7) + 16, (uint32_t)-1, "contradict each other"},
            {CONTEXT(1) + 92, 0x10000000, "contradict each other"},
            {CONTEXT(3) + 4 + 4, RAM + SIZE, "the calls of context 3"},
    };
    struct rig *rig = *state;
    uint8_t good[RAM_SIZE];

    make_running(rig);
    memcpy(good, rig->ram, RAM_SIZE);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        memcpy(rig->ram, good, RAM_SIZE);
        put(rig, words[i].offset, words[i].value);
        if (words[i].offset == ROW(9) + 28)
            put(rig, FRAME(3, 1) + 8, RAM + ROW(8));
        assert_refused(rig, MCUPROF_E_FORMAT, words[i].cause);
    }
    /* A function of nobody, and one that is there twice. */
    memcpy(rig->ram, good, RAM_SIZE);
    put(rig, CONTEXT(3), 0);
    assert_refused(rig, MCUPROF_E_FORMAT, "nobody's, and has functions");
    memcpy(rig->ram, good, RAM_SIZE);
    put_row(rig, 8, 1, 0x101, 1, 1, 1);
    assert_refused(rig, MCUPROF_E_FORMAT, "there twice");
    /* Not all of it is there. */
    memcpy(rig->ram, good, RAM_SIZE);
    rig->size = SIZE - 1;
    assert_refused(rig, MCUPROF_E_TRUNCATED, "does not hold the whole");
    rig->size = RAM_SIZE;
    take(rig);
}

/* Whatever is in RAM: a word of cause and remedy, or a table that is taken. */
static void test_random_damage(void **state)
{
    struct rig *rig = *state;
    uint8_t good[RAM_SIZE];
    uint32_t seed = 77;
    unsigned taken = 0;

    make_running(rig);
    put_pair(rig, 58, 2, 0);
    put(rig, 60, RAM + NAMES);
    memcpy(good, rig->ram, RAM_SIZE);
    for (unsigned round = 0; round < 6000; round++) {
        static const uint32_t most[] = {184, CONTEXTS_AT, RAM_SIZE, FRAMES_AT};
        struct function_block block;
        struct frame_sink sink = {0};
        struct error error = {0};

        memcpy(rig->ram, good, RAM_SIZE);
        for (unsigned i = 0; i <= round % 4; i++)
            rig->ram[next_random(&seed) % most[round / 4 % 4]] =
                    (uint8_t)next_random(&seed);
        rig->has_clock = round % 3 != 0;
        rig->clock = next_random(&seed) >> next_random(&seed) % 32;
        rig->size = round % 7 == 0 ? next_random(&seed) % RAM_SIZE : RAM_SIZE;
        if (function_block_read(&block, &rig->memory, RAM, NULL, &error) < 0) {
            assert_true(error.cause[0] != '\0' && error.remedy[0] != '\0');
            continue;
        }
        function_block_put(&block, &sink);
        function_block_deinit(&block);
        capture_free(rig->capture);
        rig->capture = capture_new();
        assert_non_null(rig->capture);
        (void)!capture_feed(rig->capture, sink.bytes, sink.size);
        assert_int_equal(capture_end(rig->capture), 0);
        free(sink.bytes);
        assert_int_equal(rig->capture->decoder.stats.bad_functions, 0);
        assert_int_equal(rig->capture->functions.refused, 0);
        taken++;
    }
    assert_in_range(taken, 500, 5500);
}

#define TABLE_TEST(test)                                                       \
    cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
            TABLE_TEST(test_stopped),
            TABLE_TEST(test_wide_numbers),
            TABLE_TEST(test_running),
            TABLE_TEST(test_thread_runs),
            TABLE_TEST(test_marks_of_calls),
            TABLE_TEST(test_without_a_clock),
            TABLE_TEST(test_narrow_clock),
            TABLE_TEST(test_states_with_the_tasks),
            TABLE_TEST(test_begun_anew),
            TABLE_TEST(test_begun_anew_costs),
            TABLE_TEST(test_hooks),
            TABLE_TEST(test_frames),
            TABLE_TEST(test_many_rows),
            TABLE_TEST(test_no_table),
            TABLE_TEST(test_damage),
            TABLE_TEST(test_random_damage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
