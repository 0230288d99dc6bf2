/* SPDX-License-Identifier: MIT */
/*
 * Interrupts stepped through the hooks: each round calls two traced functions
 * in thread mode, and three one-shot timers, each more urgent and started by
 * the one before, interrupt them and each other at another moment. Then every
 * record of the round is looked at, and every slot that was not to be written.
 * In the stream some of them find no room; what is sent is a capture, to be
 * decoded. Prints
 *
 *     errors E arrivals A events N switches S laps L full F
 *     lost N of M          of the stream: events that found no room, of so many
 *     hit PC COUNT         what was about to run when interrupts came; 255 is
 *                          that or more
 */
#include "trace_sweep.h"

#include "board.h"
#include "mcuprof.h"
#include "mcuprof_ring.h"
#include "mcuprof_stream.h"

#define RECORDS MCUPROF_TRACE_RING
#define EVENTS (SWEEP_LEVELS * SWEEP_EVENTS)
/* Hits behind it are not counted: the library is before it. */
#define TEXT_END 14000u
#define STREAM_ROUNDS (2u * ROUNDS)
#define FRAME_PC 6
#define MUCH_TIME 0x40000u
/* Ticks from a timer's start until it may have come: then it is not twice. */
#define LEAST 14u

static unsigned errors, arrivals, events, switches, full;
static volatile unsigned arrived;
static uint8_t hits[TEXT_END / 2u];
static struct mcuprofi_slot before[RECORDS];

/* From one timer's interrupt to the next, and which levels start it late. */
static struct {
    uint32_t after[SWEEP_LEVELS];
    unsigned late;
} plan;

static void wrong(const char *what, uint32_t at)
{
    if (errors++ < 5) {
        board_print("%s at %u\n", what, (unsigned)at);
    }
}

/* frame: what the interrupt has put on the stack */
static void arrive(const uint32_t *frame)
{
    uint32_t pc = frame[FRAME_PC];
    if (pc < TEXT_END && hits[pc / 2u] < 255u) {
        hits[pc / 2u]++;
    }
    arrivals++;
    arrived++;
}

/* Within the handler of a level, before or behind what is traced of it. */
static void start_next(unsigned level, unsigned late)
{
    if ((plan.late >> level & 1u) != late) {
        return;
    }
    sweep_timer_start(level + 1u, plan.after[level + 1u]);
}

void TIMER0_Handler(void)
{
    sweep_timer_stop(SWEEP_LOW);
    arrive(__builtin_dwarf_cfa());
    start_next(SWEEP_LOW, 0);
    sweep_low();
    start_next(SWEEP_LOW, 1);
}

void TIMER1_Handler(void)
{
    sweep_timer_stop(SWEEP_MIDDLE);
    arrive(__builtin_dwarf_cfa());
    start_next(SWEEP_MIDDLE, 0);
    sweep_middle();
    start_next(SWEEP_MIDDLE, 1);
}

void SWEEP_HIGH_HANDLER(void)
{
    sweep_timer_stop(SWEEP_HIGH);
    arrive(__builtin_dwarf_cfa());
    sweep_high();
}

/* Slots that were taken since the start. */
static uint32_t taken(void)
{
    const struct mcuprofi_block *b = &mcuprof_trace.block;
    return (uint32_t)(b->laps * RECORDS + (b->head - MCUPROFI_RING_BEGIN) / 8u);
}

static uint32_t ticks_between(uint32_t from, uint32_t to)
{
    const struct mcuprofi_clock *clock = &mcuprofi_stream.clock;
    return (clock->flip ? from - to : to - from) & clock->mask;
}

/* The level of the last context's record, since the start. */
static unsigned running;

static unsigned level_of(uint32_t context)
{
    unsigned level = 0;
    while (level < SWEEP_LEVELS && sweep_contexts[level] != context) {
        level++;
    }
    return level;
}

/* counts: events of each level, so far in this round */
static void check_event(uint32_t word, unsigned *counts, uint32_t at)
{
    if (running == SWEEP_LEVELS) {
        wrong("no context", at);
        return;
    }
    unsigned i = counts[running]++;
    uint32_t function =
            (uint32_t)sweep_functions[running][i == 1 || i == 2] & ~1u;
    if (i >= SWEEP_EVENTS || word != (function | (i < 2))) {
        wrong("no event of this context", at);
    }
    for (unsigned level = running + 1u; level < SWEEP_LEVELS; level++) {
        if (counts[level] % SWEEP_EVENTS != 0) {
            wrong("amid a more urgent one", at);
        }
    }
}

/* A copy, and where nothing waits to be sent, nothing is left to be taken for a
   record. */
static void prepare(uint8_t mode)
{
    for (unsigned i = 0; i < RECORDS; i++) {
        if (mode != MCUPROF_TRACE_MODE_STREAM) {
            mcuprof_trace.slots[i].time = 0;
            mcuprof_trace.slots[i].word = 0;
        }
        before[i] = mcuprof_trace.slots[i];
    }
}

/* From a moment on, when so many slots had been taken. */
static void check_round(uint8_t mode, uint32_t began, uint32_t time,
                        uint32_t lost)
{
    const struct mcuprofi_block *b = &mcuprof_trace.block;
    unsigned counts[SWEEP_LEVELS] = {0, 0, 0, 0};
    uint32_t end = taken();
    unsigned found = 0;
    for (uint32_t at = began; at != end; at++) {
        struct mcuprofi_slot slot = mcuprof_trace.slots[at % RECORDS];
        if (ticks_between(time, slot.time) > MUCH_TIME) {
            wrong("time goes back", at);
        }
        time = slot.time;
        if (slot.word == 0) {
            wrong("no record", at);
        } else if (slot.word >> 24 == MCUPROF_TRACE_CONTEXT) {
            running = level_of(slot.word & 0xFFFFu);
            switches++;
        } else {
            check_event(slot.word, counts, at);
            found++;
        }
    }
    if (ticks_between(time, *b->clock) > MUCH_TIME) {
        wrong("time is to come", end);
    }
    for (; end - began < RECORDS; end++) {
        unsigned i = end % RECORDS;
        if (before[i].time != mcuprof_trace.slots[i].time
            || before[i].word != mcuprof_trace.slots[i].word) {
            wrong("nobody's slot is written", end);
        }
    }
    lost = (uint32_t)b->lost - lost;
    if (mode == MCUPROF_TRACE_MODE_ONE_SHOT && found != EVENTS) {
        full++;
        if (b->state != MCUPROF_TRACE_STATE_FULL
            || b->head != MCUPROFI_RING_END) {
            wrong("not full", end);
        }
    } else if (found + lost != EVENTS) {
        wrong("events are missing", end);
    }
    full += lost != 0;
    if (mode != MCUPROF_TRACE_MODE_STREAM && lost != 0) {
        wrong("lost", end);
    }
    events += found;
}

/* Of the timer that this level starts. All ranges are prime, so that sooner or
   later each moment meets each. */
static uint32_t after(unsigned level, uint32_t i)
{
    return LEAST + i % ((plan.late >> level & 1u) != 0 ? SWEEP_LATE : SWEEP);
}

static void one_round(uint8_t mode, unsigned i)
{
    prepare(mode);
    uint32_t began = taken();
    uint32_t time = *mcuprof_trace.block.clock;
    uint32_t lost = (uint32_t)mcuprof_trace.block.lost;
    plan.late = (i + i / SWEEP) << SWEEP_LOW;
    plan.after[SWEEP_LOW] = LEAST + i % SWEEP;
    plan.after[SWEEP_MIDDLE] = after(SWEEP_LOW, i * 7u + i / SWEEP);
    plan.after[SWEEP_HIGH] = after(SWEEP_MIDDLE, i * 11u + i / SWEEP * 5u);
    arrived = 0;
    sweep_timer_start(SWEEP_LOW, plan.after[SWEEP_LOW]);
    sweep_thread();
    while (arrived < 3) {
    }
    check_round(mode, began, time, lost);
}

static void start(uint8_t mode)
{
    struct mcuprof_trace_config config = {.mode = mode};
    if (mcuprof_trace_start(&config) != 0) {
        wrong("start", mode);
    }
    running = SWEEP_LEVELS;
}

static uint32_t flight(void)
{
    start(MCUPROF_TRACE_MODE_FLIGHT);
    for (unsigned i = 0; i < ROUNDS; i++) {
        one_round(MCUPROF_TRACE_MODE_FLIGHT, i);
    }
    (void)mcuprof_trace_stop();
    return (uint32_t)mcuprof_trace.block.laps;
}

/* Which ends in most rounds, and in each at another record. */
static void one_shot(void)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        start(MCUPROF_TRACE_MODE_ONE_SHOT);
        running = SWEEP_THREAD;
        unsigned records = RECORDS - EVENTS - 12u + i % 26u;
        while (taken() < records) {
            sweep_thread_leaf();
        }
        one_round(MCUPROF_TRACE_MODE_ONE_SHOT, i);
        (void)mcuprof_trace_stop();
    }
}

static void send(void)
{
    while (mcuprof_poll() > 0) {
    }
}

/* Most rounds begin with no room, or come to where there is none. */
static uint32_t stream(void)
{
    send();
    start(MCUPROF_TRACE_MODE_STREAM);
    for (unsigned i = 0; i < STREAM_ROUNDS; i++) {
        one_round(MCUPROF_TRACE_MODE_STREAM, i);
        if (i % 5u == 0) {
            send();
        }
    }
    (void)mcuprof_trace_stop();
    send();
    return (uint32_t)mcuprof_trace.block.lost;
}

int main(void)
{
    static const struct mcuprof_config config = {
            .core_hz = BOARD_CLOCK_HZ,
#ifdef BOARD_COUNTER
            .clock = (const volatile uint32_t *)BOARD_COUNTER,
            .clock_hz = BOARD_COUNTER_HZ,
#endif
            .write = board_uart_write,
    };
    sweep_priorities();
    if (mcuprof_init(&config) != 0) {
        return 1;
    }
    uint32_t laps = flight();
    one_shot();
    uint32_t lost = stream();
    board_print("\nerrors %u arrivals %u events %u switches %u laps %u full "
                "%u\nlost %u of %u\n",
                errors, arrivals, events, switches, (unsigned)laps, full,
                (unsigned)lost, STREAM_ROUNDS * EVENTS);
    for (unsigned i = 0; i < TEXT_END / 2u; i++) {
        if (hits[i] != 0) {
            board_print("hit %x %u\n", 2u * i, hits[i]);
        }
    }
    return errors != 0;
}
