/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_FUNCTION_TABLE_H
#define MCUPROF_HOST_FUNCTION_TABLE_H

/*
 * Snapshots of the function table, put together from their parts
 * (docs/wire.md, FUNCTIONS), and what a whole capture says with them.
 *
 * A snapshot counts if all of its rows came and none contradicts another. It
 * replaces those before it of the same period: from a start or reset of the
 * table to the next. Another boot begins a period, as does whatever counts
 * less than before. The last snapshots of all periods are summed up, as
 * samples of several segments are.
 *
 *    start        reset              start of another boot
 *      |  1  2  3   |  4  5            |  6  7
 *      |--------[3]-|----[5]-----------|----[7]--->      [3] + [5] + [7]
 */

#include "decode.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Readings of the clock, in ticks since mcuprof_init(). */
struct function_moment {
    bool has_before;
    bool has_behind;
    uint64_t before;
    uint64_t behind;
};

/* A snapshot, or the sum of several. Owns its rows. */
struct function_snapshot {
    uint32_t sequence;
    uint32_t boot_id;
    uint64_t ticks; /* since the start or reset */
    uint8_t flags;
    uint8_t period; /* one more after each start or reset, modulo 256 */
    uint16_t pair;  /* ticks taken out for a call's hooks, of the last one */
    uint16_t capacity;
    uint64_t pairs; /* all of those */
    struct wire_function_counts counts;
    struct function_counts *rows; /* ascending kind, function, context */
    size_t count;
    size_t room;
    struct function_moment moment;
};

/* What a period's clock counted between its first snapshot and its last, and
   what TIMEs around them leave room for. */
struct function_clock {
    bool known;
    uint64_t ticks;
    uint64_t least;
    uint64_t most;
};

/* All zero is none. WHOLE is valid after the end, if COMPLETE is not 0. */
struct function_table {
    uint64_t complete;
    uint64_t incomplete; /* rows are missing */
    uint64_t refused;    /* parts or rows contradict each other */
    uint64_t printed;    /* of the complete ones: came as text */
    uint64_t left_out;   /* whole, and of another firmware than WHOLE is */
    uint64_t periods;
    uint64_t unseen; /* periods between these of which nothing came */
    bool mixed;      /* some raw, some compensated */
    struct function_snapshot whole;
    struct function_clock clock; /* of the last period */

    /* For function_table.c. */
    struct function_snapshot closed; /* all periods but the last */
    struct function_snapshot last;   /* of the period that is now */
    uint64_t first_ticks;            /* of its first snapshot */
    struct function_moment first_moment;
    bool has_time;
    bool is_past; /* TIMEs to come are of another boot than the last one */
    uint64_t time;
    struct function_snapshot next; /* whose parts are coming */
    uint16_t next_rows;
    bool is_open;
    bool is_broken; /* a part is missing */
    bool disagrees;
};

void function_table_deinit(struct function_table *table);

/**
 * Take PART, of the boot BOOT_ID.
 * errors: MCUPROF_E_NOMEM
 */
int function_table_part(struct function_table *table,
                        const struct wire_functions *part,
                        uint32_t boot_id) MUST_CHECK;

/**
 * Take SNAPSHOT, of which all rows are there in any order, and empty it.
 * returns whether it was credible; refused ones are counted
 * errors: MCUPROF_E_NOMEM
 */
int function_table_put(struct function_table *table,
                       struct function_snapshot *snapshot) MUST_CHECK;

/** Add ROW. errors: MCUPROF_E_NOMEM */
int function_snapshot_add(struct function_snapshot *snapshot,
                          const struct function_counts *row) MUST_CHECK;

/**
 * True if each function is there once for a context, and all sums can be told.
 * Sorts the rows.
 */
bool function_snapshot_is_sound(struct function_snapshot *snapshot);

/** Some text of a table came, but not all of it. */
void function_table_note_torn(struct function_table *table);

/** What comes now is of another firmware: leave out, and count, all before. */
void function_table_forget(struct function_table *table);

/** Another boot or recording begins: its clock is another. */
void function_table_restart(struct function_table *table);

/** A TIME of TICKS came. */
void function_table_time(struct function_table *table, uint64_t ticks);

/**
 * Nothing more will come: sum up. errors: MCUPROF_E_NOMEM
 */
int function_table_end(struct function_table *table) MUST_CHECK;

/* All time that is in a table, in ticks. */
struct function_sums {
    uint64_t self; /* of functions */
    uint64_t outside;
    uint64_t no_slot;
    uint64_t hooks; /* those off their usual way, and all pairs */
    uint64_t all;
    uint64_t wall;
    uint64_t open; /* calls */
};

struct function_sums function_table_sums(const struct function_snapshot *table);

/** By how many percent of the wall the sum of all differs from it. */
double function_table_apart(const struct function_sums *sums);

/** True if they differ by no more than a half. */
bool function_table_adds_up(const struct function_sums *sums);

/** True unless TIME records, which have the same clock, contradict CLOCK. */
bool function_clock_agrees(const struct function_clock *clock);

/** True if anything of TABLE, after its end, is known to be missing or wrong:
 * whatever the quality block warns of. */
bool function_table_is_incomplete(const struct function_table *table);

#ifdef __cplusplus
}
#endif

#endif
