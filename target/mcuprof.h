/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_H
#define MCUPROF_H

/*
 * mcuprof: where a Cortex-M spends its time.
 *
 * A timer interrupt samples the program counter into a ring; mcuprof_poll()
 * packs the ring into frames and hands them to a write function of yours.
 * In the least case that is:
 *
 *     MCUPROF_SAMPLE_HANDLER(SysTick_Handler);
 *
 *     static const struct mcuprof_config config = {
 *         .write = uart_write, .core_hz = 64000000, .rate_hz = 1000};
 *     if (mcuprof_init(&config) != 0 || mcuprof_start() != 0) {
 *         settings_are_wrong();
 *     }
 *     for (;;) {
 *         application();
 *         mcuprof_poll();
 *     }
 *
 * Invariants: nothing here allocates, blocks or waits. The recording path
 * stores a sample or counts it as lost. One sampling interrupt, one thread
 * that calls everything else; exceptions are named at the function.
 */
#include <stddef.h>
#include <stdint.h>

#include "mcuprof_config.h"
#include "mcuprof_wire.h"

#define MCUPROF_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * X(name, value, message): what a function can return below 0.
 */
#define MCUPROF_ERRORS(X)                                                      \
    X(MCUPROF_EINVAL, -1, "an argument or setting is out of range")            \
    X(MCUPROF_ESTATE, -2, "not initialised, not running, or running already")  \
    X(MCUPROF_EBUSY, -3,                                                       \
      "the last stop is not sent yet (poll until 0), or start this earlier")   \
    X(MCUPROF_ENOSPACE, -4,                                                    \
      "no room: raise MCUPROF_CONTEXTS or MCUPROF_HOTSPOT_IGNORE")             \
    X(MCUPROF_ETIMER, -5,                                                      \
      "the timer cannot make this rate, or no clock counts yet: .clock")       \
    X(MCUPROF_ECLOCK, -6,                                                      \
      "clock and timer rates differ: MCUPROF_CLOCK_PER_TIMER")                 \
    X(MCUPROF_EVECTORS, -7,                                                    \
      "the vector table cannot be moved: take MCUPROF_SAMPLE_HANDLER_THEN")    \
    X(MCUPROF_EWRITE, -8,                                                      \
      "mcuprof_config.write is not set (or say MCUPROF_STREAM 0)")             \
    X(MCUPROF_ECOREHZ, -9, "mcuprof_config.core_hz is not set")                \
    X(MCUPROF_ERATE, -10,                                                      \
      "rate_hz is not what others run the timer at, as core_hz has it")        \
    X(MCUPROF_EOWNER, -11,                                                     \
      "others own it: take mcuprof_timer_systick_shared, whose irqn is -1")    \
    X(MCUPROF_ETABLE, -12,                                                     \
      "no room for the chip's vector table: raise MCUPROF_VECTORS")

/* NOLINTNEXTLINE(bugprone-macro-parentheses): an enumerator takes none */
#define MCUPROF_ERROR_ENUM(name, value, message) name = value,
enum mcuprof_error {
    MCUPROF_ERRORS(MCUPROF_ERROR_ENUM) MCUPROF_OK = 0
};

/*
 * Takes up to `size` bytes of the stream without blocking.
 *
 * returns: how many bytes were taken, 0 if there is no room now
 * context: called from mcuprof_poll() only
 */
typedef size_t (*mcuprof_write_fn)(const uint8_t *data, size_t size);

/*
 * The timer whose interrupt samples. Left out of the configuration, it is
 * SysTick, programmed by the library. For a tick that somebody else owns, leave
 * `reload`, `start` and `stop` empty: its rate is then mcuprof_config.rate_hz,
 * fixed, without jitter.
 */
struct mcuprof_timer {
    /* Takes the next interval in timer ticks, less one; NULL: fixed rate. */
    volatile uint32_t *reload;
    /* Timer ticks per second; 0: as many as mcuprof_config.core_hz. */
    uint32_t hz;
    /* Greatest value of `reload`; 0: 0xFFFF. */
    uint32_t reload_max;
    /* Its exception number; 0: found out at the first sample. */
    uint16_t exception;
    /* Starts the interrupt, first after `interval` timer ticks. May be NULL. */
    void (*start)(uint32_t interval);
    /* Stops it. May be NULL. */
    void (*stop)(void);
};

/* SysTick on the core clock, for mcuprof_config.timer. */
extern const struct mcuprof_timer mcuprof_timer_systick;

/*
 * SysTick that belongs to a HAL or an RTOS: it stays as it is, and samples
 * are taken at its rate, without jitter.
 */
extern const struct mcuprof_timer mcuprof_timer_systick_shared;

/* What mcuprof_init() needs to know. Zero means the default. */
struct mcuprof_config {
    /* Where the stream goes. Required, but for MCUPROF_STREAM 0. */
    mcuprof_write_fn write;
    /* Core clock in Hz: what DWT and SysTick count. Required. */
    uint32_t core_hz;
    /*
     * Samples per second; 0: 1000, or of a shared SysTick that runs, its rate.
     * Of a timer that is not ours it must be the very rate; of a SysTick that
     * does not run yet, or not on the core clock, it must be given.
     */
    uint32_t rate_hz;
    /* The sampling timer; NULL: mcuprof_timer_systick. */
    const struct mcuprof_timer *timer;
    /*
     * A free-running counter of yours, read as a 32-bit word; NULL: DWT
     * CYCCNT if it proves to advance, else SysTick.
     */
    const volatile uint32_t *clock;
    /* Its ticks per second; 0: core_hz. */
    uint32_t clock_hz;
    /* Its width, plus MCUPROF_CLOCK_DOWN if it counts down; 0: 32, up. */
    uint8_t clock_bits;
    /* A second clock that runs in sleep (an RTC), ticks from any start. */
    uint64_t (*second_clock)(void);
    /* Its ticks per second. */
    uint32_t second_hz;
    /* Anything that differs from boot to boot; 0: the clock at init. */
    uint32_t boot_id;
};

/* The compiler warns where the result of such a function is dropped. */
#if defined(__GNUC__)
#define MCUPROF_MUST_CHECK __attribute__((warn_unused_result))
#else
#define MCUPROF_MUST_CHECK
#endif

#if MCUPROF_HOTSPOT_UNITS < 4 || MCUPROF_HOTSPOT_UNITS > 64                    \
        || MCUPROF_HOTSPOT_UNITS % 4 != 0
#error "MCUPROF_HOTSPOT_UNITS must be a multiple of 4 from 4 to 64"
#endif
/* Not (16): as text it goes into assembly. */
typedef char mcuprofi_check_hotspot_units_is_a_plain_number
        [sizeof(MCUPROFI_TEXT(MCUPROF_HOTSPOT_UNITS))
                         == (MCUPROF_HOTSPOT_UNITS < 10 ? 2 : 3)
                 ? 1
                 : -1];

/*
 * A unit of the hot-spot table: the weight of one block of code of
 * MCUPROF_HOTSPOT_GRAIN bytes. The block's true weight is at most `weight` and
 * at least `weight` - `error`; a unit that is not in use has no weight.
 */
struct mcuprof_hotspot {
    /*
     * Stands for the block: the one address that got more than half of its
     * weight, if there is one, else a late one. A function's type makes a
     * debugger show its symbol; bit 0 is clear.
     */
    void (*pc)(void);
    uint32_t weight;
    uint32_t error;
    uint32_t vote; /* by how much `pc` leads within the block */
};

/* A row of the view; both are in 1/1024 of the samples that count. */
struct mcuprof_hotspot_share {
    void (*pc)(void);
    uint16_t ratio; /* rounded down: all rows sum to at most 1024 */
    uint16_t bound; /* the block's true share is that much less, at most */
};

/*
 * The table at one moment, hottest first: `p mcuprof_hotspots_view` in gdb.
 * Rows behind the last one in use are zero. Every block with more than
 * 1024 / MCUPROF_HOTSPOT_UNITS is in it.
 */
struct mcuprof_hotspots_view {
    /* Odd while the rows are replaced; half of it counts the views. */
    volatile uint32_t sequence;
    uint32_t samples; /* that the table took since the start */
    uint32_t ignored; /* that it was told to leave out; in no ratio */
    struct mcuprof_hotspot_share units[MCUPROF_HOTSPOT_UNITS];
};

#if MCUPROF_ENABLED

/* The live table, in no order; the sampling interrupt writes it. */
extern struct mcuprof_hotspot mcuprof_hotspots[MCUPROF_HOTSPOT_UNITS];

/*
 * Made by the sampling interrupt itself, a unit a sample, whatever the main
 * loop does: a moment is at most 2 * MCUPROF_HOTSPOT_VIEW_EVERY samples old.
 * mcuprof_stop() leaves the last one. Read it twice if `sequence` is odd or
 * moves.
 */
extern struct mcuprof_hotspots_view mcuprof_hotspots_view;

/*
 * Keeps samples of an address range out of the hot-spot table: they count as
 * ignored, and no ratio knows them.
 *
 * begin:   first address; bit 0 of both is dropped, as of functions'
 * end:     first address behind it
 * returns: 0
 * errors:  MCUPROF_EINVAL (empty), MCUPROF_ENOSPACE (MCUPROF_HOTSPOT_IGNORE
 *          ranges are in use)
 * context: thread; at any time, mcuprof_init() forgets none
 */
MCUPROF_MUST_CHECK int mcuprof_hotspots_ignore(uint32_t begin, uint32_t end);

/*
 * Samples in the interrupt of a handler that exists already, an RTOS tick say:
 * copies the vector table into RAM (MCUPROF_VECTORS) and puts a trampoline
 * before the handler, which then runs as ever, at its priority, on its stack.
 * Between mcuprof_init() and mcuprof_start(). mcuprof_config.timer must be
 * one that is not ours (mcuprof_timer_systick_shared, or `reload`, `start` and
 * `stop` empty).
 *
 * irqn:    CMSIS number: 0 and up external interrupts, -1 SysTick
 * returns: 0
 * errors:  MCUPROF_ESTATE (no init, running, attached already), MCUPROF_EINVAL
 *          (no such interrupt or no handler), MCUPROF_EOWNER (the timer is ours
 *          or another interrupt's), MCUPROF_ETABLE (MCUPROF_VECTORS is less
 *          than this chip has), MCUPROF_EVECTORS (no VTOR: docs/porting.md has
 *          the recipe)
 * context: thread, privileged
 * cost:    14 cycles a sample more than a handler of ours (Cortex-M4; M0+: 13)
 */
MCUPROF_MUST_CHECK int mcuprof_sample_attach(int irqn);

/*
 * Gives the vector table back as it was found. Sampling must be stopped.
 *
 * returns: 0
 * errors:  MCUPROF_ESTATE (not attached, or running), MCUPROF_EVECTORS (another
 *          moved the table since; nothing was changed)
 * context: thread, privileged
 */
int mcuprof_sample_detach(void);

/* mcuprof_init() as linked: not with the header of another version either. */
int mcuprofi_init(const struct mcuprof_config *config) MCUPROFI_SYMBOL(
        "init_" MCUPROF_VERSION
        "_MCUPROF_HOTSPOT_UNITS_" MCUPROFI_TEXT(MCUPROF_HOTSPOT_UNITS));

/*
 * Chooses and proves the clock and prepares everything anew; samples nothing
 * yet. Call it once in a boot, before anything else here. A sampling interrupt
 * that comes before does nothing but what its own body does.
 *
 * config:  copied; the timer it points to must stay
 * returns: 0
 * errors:  MCUPROF_EINVAL (NULL), MCUPROF_ECOREHZ, MCUPROF_EWRITE (not set),
 *          MCUPROF_EOWNER (a timer of ours while one is attached to, or a
 *          SysTick that ticks already),
 *          MCUPROF_ETIMER (rate out of the timer's reach), MCUPROF_ERATE (not
 *          the rate of a timer that is not ours, or not known: rate_hz is 0),
 *          MCUPROF_ECLOCK (rates of clock and timer are not as configured),
 *          MCUPROF_ESTATE (running), MCUPROF_EBUSY (a stop is not sent yet)
 * context: startup or thread, before any other function here
 * cost:    a few thousand cycles
 */
MCUPROF_MUST_CHECK MCUPROF_NO_INSTRUMENT static inline int
mcuprof_init(const struct mcuprof_config *config)
{
    return mcuprofi_init(config);
}

/*
 * Measures the cost of one sample on this chip and starts sampling. Begins
 * a new segment of the capture.
 *
 * returns: 0
 * errors:  MCUPROF_ESTATE (no init, or running), MCUPROF_EBUSY (the last stop
 *          is not sent yet: call mcuprof_poll() until it returns 0)
 * context: thread
 */
MCUPROF_MUST_CHECK int mcuprof_start(void);

/*
 * Stops sampling. What was sampled is still sent by mcuprof_poll().
 *
 * returns: 0
 * errors:  MCUPROF_ESTATE (not running)
 * context: thread
 */
int mcuprof_stop(void);

/*
 * Sends what is due, at most MCUPROF_POLL_FRAMES frames, and keeps the
 * 64-bit time. Samples go out 64 at a time or after an eighth of a second;
 * after mcuprof_stop() all of them are due. Call it from the main loop, an
 * idle hook or a low task at least once in a quarter wrap of the clock (6 s
 * for 32 bits at 168 MHz).
 *
 * returns: 1 if more is due, 0 if not
 * errors:  MCUPROF_ESTATE
 * context: thread; not from two threads at once
 * cost:    see `make bench`, poll_sample_cycles_m4
 */
int mcuprof_poll(void);

/*
 * Takes one sample: for interrupt handlers of compilers without our entry.
 *
 * pc:      the address that was interrupted; bit 0 is dropped
 * context: 0 thread, 1 to 511 exception number, 512 and up tasks
 * context: the sampling interrupt only
 */
void mcuprof_sample_put(uint32_t pc, unsigned context);

/*
 * Says which task runs from now on: samples of thread mode go to it.
 *
 * context: 0 or MCUPROF_CONTEXT_TASK_FIRST and up, at most 65534; any other
 *          value means 0
 * context: thread or any interrupt (the RTOS's switch)
 * cost:    one store; 50 to 150 cycles while the function table counts, in the
 *          times of the functions around the switch
 */
void mcuprof_context_set(unsigned context);

/*
 * Gives a context a name, or takes it away with NULL.
 *
 * name:    at most 32 bytes count; must stay where it is
 * returns: 0
 * errors:  MCUPROF_ENOSPACE, MCUPROF_EINVAL (beyond 65534)
 * context: thread
 */
int mcuprof_context_name(unsigned context, const char *name);

/*
 * Proves sampling on this board: runs two loops whose times are 3:1 in turns
 * until `milliseconds` of the clock have gone by (or 5,000 turns), polling in
 * between. The report then says whether capture, clock and names are right.
 *
 * returns: 0
 * errors:  MCUPROF_ESTATE (not running), MCUPROF_EINVAL (0 milliseconds),
 *          MCUPROF_ETIMER (the clock stands still)
 * context: thread; returns when done
 */
MCUPROF_MUST_CHECK int mcuprof_selftest(uint32_t milliseconds);

/* Text of an error code, "" for others. */
const char *mcuprof_error_text(int error);

#else

/* Configurations point to them, and nobody looks. */
#define mcuprof_timer_systick (*(const struct mcuprof_timer *)NULL)
#define mcuprof_timer_systick_shared (*(const struct mcuprof_timer *)NULL)

MCUPROF_NO_INSTRUMENT static inline int mcuprof_hotspots_ignore(uint32_t begin,
                                                                uint32_t end)
{
    (void)begin;
    (void)end;
    return 0;
}
MCUPROF_NO_INSTRUMENT static inline int mcuprof_sample_attach(int irqn)
{
    (void)irqn;
    return 0;
}
MCUPROF_NO_INSTRUMENT static inline int mcuprof_sample_detach(void)
{
    return 0;
}
MCUPROF_NO_INSTRUMENT static inline int
mcuprof_init(const struct mcuprof_config *config)
{
    (void)config;
    return 0;
}
MCUPROF_NO_INSTRUMENT static inline int mcuprof_start(void)
{
    return 0;
}
MCUPROF_NO_INSTRUMENT static inline int mcuprof_stop(void)
{
    return 0;
}
MCUPROF_NO_INSTRUMENT static inline int mcuprof_poll(void)
{
    return 0;
}
MCUPROF_NO_INSTRUMENT static inline void mcuprof_sample_put(uint32_t pc,
                                                            unsigned context)
{
    (void)pc;
    (void)context;
}
MCUPROF_NO_INSTRUMENT static inline void mcuprof_context_set(unsigned context)
{
    (void)context;
}
MCUPROF_NO_INSTRUMENT static inline int mcuprof_context_name(unsigned context,
                                                             const char *name)
{
    (void)context;
    (void)name;
    return 0;
}
MCUPROF_NO_INSTRUMENT static inline int mcuprof_selftest(uint32_t milliseconds)
{
    (void)milliseconds;
    return 0;
}
MCUPROF_NO_INSTRUMENT static inline const char *mcuprof_error_text(int error)
{
    (void)error;
    return "";
}

#endif

#ifdef __cplusplus
}
#endif

#include "mcuprof_entry.h"
#include "mcuprof_functions.h"
#include "mcuprof_trace.h"

#endif
