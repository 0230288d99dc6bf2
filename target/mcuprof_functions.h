/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_FUNCTIONS_H
#define MCUPROF_FUNCTIONS_H

/*
 * The function table: calls, self, total, min and max of every function that
 * was compiled with -finstrument-functions, apart for each context
 * (MCUPROF_FUNCTIONS 1). Included by mcuprof.h.
 *
 *     mcuprof_init(&config);
 *     mcuprof_functions_start(NULL);
 *     ...
 *     mcuprof_functions_print(uart_write);     a table as text, or
 *     mcuprof_poll();                          a snapshot each second
 *
 * A debugger reads mcuprof_functions_view after mcuprof_functions_snapshot();
 * the host reads mcuprof_functions from memory at any time.
 *
 * Invariants: what a function's row says is never that of another function or
 * context. Time of interrupts and other tasks is in no row but their own; the
 * sum of all is the time since the start. What finds no room is counted.
 * Where the core has LDREX, nothing here masks interrupts but, for a few
 * instructions, the event that finds another task (MCUPROF_CONTEXT_ID).
 */
#include "mcuprof.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How to count. Zero means the default. */
struct mcuprof_functions_config {
    /* 1: what hooks cost stays in the times, 0: it is taken out of them. */
    uint8_t raw;
    /* Milliseconds between snapshots in the stream; 0: 1000; UINT32_MAX: none
       but those of mcuprof_functions_send(). */
    uint32_t every_ms;
};

/* A row of the view. Ticks are of the clock that HELLO names. */
struct mcuprof_function {
    const void *function; /* bit 0 clear, so that gdb's p/a names it */
    uint16_t context;
    uint16_t open; /* calls that were not left */
    uint64_t calls;
    uint64_t self;
    uint64_t total;
    uint64_t min; /* of completed calls; 0 if there is none */
    uint64_t max;
};

#if MCUPROF_ENABLED && MCUPROF_FUNCTIONS

/*
 * The table as it was at the last snapshot, the greatest self time first; a row
 * without a function is behind the last.
 */
extern struct mcuprof_function
        mcuprof_functions_view[MCUPROF_FUNCTIONS_SLOTS + 1];

/*
 * Makes mcuprof_functions_view of this moment.
 *
 * returns: how many rows it has
 * errors:  MCUPROF_ESTATE (never started)
 * context: thread
 * cost:    some hundred cycles a slot; counting goes on
 */
int mcuprof_functions_snapshot(void);

/*
 * Empties the table and counts from now on. Measures what a pair of hooks costs
 * on this chip the first time.
 *
 * config:  NULL: defaults
 * returns: 0
 * errors:  MCUPROF_ESTATE (no init, or counting already), MCUPROF_ETIMER (no
 *          clock that a hook can read)
 * context: thread
 * cost:    some ten thousand cycles
 */
MCUPROF_MUST_CHECK int
mcuprof_functions_start(const struct mcuprof_functions_config *config);

/*
 * Stops counting; rows stay, calls that are open get their time up to now.
 *
 * returns: 0
 * errors:  MCUPROF_ESTATE (not counting)
 * context: thread, or a handler that is not left any more (a fault's)
 */
int mcuprof_functions_stop(void);

/*
 * Sets all counts to 0, for the next period; calls that are open stay so and
 * count from now on. With a stream it makes a snapshot before, which
 * mcuprof_poll() sends: until it has returned 0, another snapshot, table as
 * text, reset or start takes its place, and the report says that calls are
 * missing. What interrupts and other tasks do meanwhile may be in neither
 * period.
 *
 * context: thread
 * cost:    that of a snapshot
 */
void mcuprof_functions_reset(void);

/*
 * Prints the table as text, the greatest self time first, with totals below:
 * from a snapshot, so all of it is of one moment. Goes on with the identity by
 * which the host knows the ELF, 64 KiB of the image a table, unless
 * mcuprof_poll() has done it.
 *
 * write:   takes bytes and returns how many, 0 while it has no room
 * returns: 0
 * errors:  MCUPROF_ESTATE (never started), MCUPROF_EBUSY (write took nothing
 *          65,536 times in a row)
 * context: thread
 * cost:    some thousand cycles, what write needs, and 40 cycles a byte of the
 *          image once; counting goes on
 */
int mcuprof_functions_print(size_t (*write)(const uint8_t *bytes, size_t size));

/*
 * Sends a snapshot with the next mcuprof_poll().
 *
 * returns: 0
 * errors:  MCUPROF_ESTATE (never started, or no stream)
 * context: thread
 */
int mcuprof_functions_send(void);

/*
 * Counts only functions whose address is from begin to before end (bit 0 of
 * both is dropped), or only contexts that are told, up to four of each. Time of
 * the others is that of their callers.
 *
 * returns: 0
 * errors:  MCUPROF_EINVAL (empty range, no such context), MCUPROF_ENOSPACE
 * context: thread, before mcuprof_functions_start()
 */
int mcuprof_functions_only(uint32_t begin, uint32_t end);
int mcuprof_functions_only_context(unsigned context);
void mcuprof_functions_everything(void);

#else

MCUPROF_NO_INSTRUMENT static inline int
mcuprof_functions_start(const struct mcuprof_functions_config *config)
{
    (void)config;
    return 0;
}

MCUPROF_NO_INSTRUMENT static inline int mcuprof_functions_stop(void)
{
    return 0;
}

MCUPROF_NO_INSTRUMENT static inline int mcuprof_functions_snapshot(void)
{
    return 0;
}

MCUPROF_NO_INSTRUMENT static inline void mcuprof_functions_reset(void)
{
}

MCUPROF_NO_INSTRUMENT static inline int
mcuprof_functions_print(size_t (*write)(const uint8_t *bytes, size_t size))
{
    (void)write;
    return 0;
}

MCUPROF_NO_INSTRUMENT static inline int mcuprof_functions_send(void)
{
    return 0;
}

MCUPROF_NO_INSTRUMENT static inline int mcuprof_functions_only(uint32_t begin,
                                                               uint32_t end)
{
    (void)begin;
    (void)end;
    return 0;
}

MCUPROF_NO_INSTRUMENT static inline int
mcuprof_functions_only_context(unsigned context)
{
    (void)context;
    return 0;
}

MCUPROF_NO_INSTRUMENT static inline void mcuprof_functions_everything(void)
{
}

#endif

#ifdef __cplusplus
}
#endif

#endif
