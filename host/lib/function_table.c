/* SPDX-License-Identifier: MIT */
#include "function_table.h"

#include "room.h"

#include <stdlib.h>
#include <string.h>

static void empty(struct function_snapshot *snapshot)
{
    free(snapshot->rows);
    memset(snapshot, 0, sizeof *snapshot);
}

void function_table_deinit(struct function_table *table)
{
    empty(&table->whole);
    empty(&table->closed);
    empty(&table->last);
    empty(&table->next);
}

int function_snapshot_add(struct function_snapshot *snapshot,
                          const struct function_counts *row)
{
    struct function_counts *grown = room_reserve(
            snapshot->rows, snapshot->count, &snapshot->room, sizeof *grown);

    if (grown == NULL)
        return MCUPROF_E_NOMEM;
    snapshot->rows = grown;
    grown[snapshot->count++] = *row;
    return 0;
}

static int compare(const struct function_counts *a,
                   const struct function_counts *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    return (a->context > b->context) - (a->context < b->context);
}

static int compare_rows(const void *a, const void *b)
{
    return compare(a, b);
}

bool function_snapshot_is_sound(struct function_snapshot *snapshot)
{
    uint64_t sum = snapshot->counts.hooks;
    uint64_t calls = 0;
    size_t functions = 0;

    if (snapshot->count > 1)
        qsort(snapshot->rows, snapshot->count, sizeof *snapshot->rows,
              compare_rows);
    for (size_t i = 0; i < snapshot->count; i++) {
        const struct function_counts *row = &snapshot->rows[i];

        if (i > 0 && compare(row - 1, row) == 0)
            return false;
        functions += row->kind == MCUPROF_FUNCTIONS_ROW_FUNCTION;
        calls = function_counts_sum(calls, row->calls);
        sum = function_counts_sum(sum, row->self);
    }
    if (calls > INT64_MAX / (snapshot->pair + 1u)
        || functions > snapshot->capacity)
        return false;
    snapshot->pairs = calls * snapshot->pair;
    return function_counts_sum(sum, snapshot->pairs) < INT64_MAX;
}

/*
 * A period has its number. Counts of one never go back; nor does its time, but
 * for a moment that is only known to be before the true one.
 */
static bool continues(const struct function_snapshot *last,
                      const struct function_snapshot *next)
{
    bool is_earlier = (next->flags & MCUPROF_FUNCTIONS_EARLIER) != 0;
    size_t k = 0;

    if (last->boot_id != next->boot_id || last->period != next->period
        || (next->ticks < last->ticks && !is_earlier)
        || ((last->flags ^ next->flags) & MCUPROF_FUNCTIONS_RAW) != 0)
        return false;
    for (size_t i = 0; i < last->count; i++) {
        while (k < next->count && compare(&next->rows[k], &last->rows[i]) < 0)
            k++;
        if (k == next->count || compare(&next->rows[k], &last->rows[i]) != 0
            || next->rows[k].calls < last->rows[i].calls)
            return false;
    }
    return true;
}

static void add_counts(struct wire_function_counts *into,
                       const struct wire_function_counts *from)
{
    into->hooks = function_counts_sum(into->hooks, from->hooks);
    into->unwound = function_counts_sum(into->unwound, from->unwound);
    into->unmatched = function_counts_sum(into->unmatched, from->unmatched);
    into->deep = function_counts_sum(into->deep, from->deep);
    into->no_slot = function_counts_sum(into->no_slot, from->no_slot);
    into->no_context = function_counts_sum(into->no_context, from->no_context);
    into->tries = function_counts_sum(into->tries, from->tries);
}

static int add_rows(struct function_snapshot *into,
                    const struct function_snapshot *from)
{
    struct function_snapshot sum = {0};
    size_t i = 0;
    size_t k = 0;
    int error = 0;

    while ((i < into->count || k < from->count) && error == 0) {
        int order = i == into->count ? 1
                    : k == from->count
                            ? -1
                            : compare(&into->rows[i], &from->rows[k]);

        error = function_snapshot_add(&sum, order <= 0 ? &into->rows[i]
                                                       : &from->rows[k]);
        if (error == 0 && order == 0)
            function_counts_add(&sum.rows[sum.count - 1], &from->rows[k]);
        i += order <= 0;
        k += order >= 0;
    }
    free(into->rows);
    into->rows = sum.rows;
    into->count = sum.count;
    into->room = sum.room;
    return error;
}

/* Of both; what cannot be added is that of FROM. */
static int add_snapshot(struct function_snapshot *into,
                        const struct function_snapshot *from)
{
    into->sequence = from->sequence;
    into->boot_id = from->boot_id;
    into->ticks = function_counts_sum(into->ticks, from->ticks);
    into->flags = (uint8_t)((into->flags
                             & (MCUPROF_FUNCTIONS_MOMENTS
                                | MCUPROF_FUNCTIONS_DROPPED))
                            | from->flags);
    into->period = from->period;
    into->pair = from->pair;
    into->capacity = from->capacity;
    into->pairs = function_counts_sum(into->pairs, from->pairs);
    into->moment = from->moment;
    add_counts(&into->counts, &from->counts);
    return add_rows(into, from);
}

static int begin_period(struct function_table *table,
                        const struct function_snapshot *next)
{
    if (table->periods > 0
        && ((table->last.flags ^ next->flags) & MCUPROF_FUNCTIONS_RAW) != 0)
        table->mixed = true;
    if (table->periods > 0 && table->last.boot_id == next->boot_id
        && next->period != table->last.period)
        table->unseen += (uint8_t)(next->period - table->last.period - 1);
    table->first_ticks = next->ticks;
    table->first_moment = next->moment;
    return table->periods++ == 0 ? 0
                                 : add_snapshot(&table->closed, &table->last);
}

int function_table_put(struct function_table *table,
                       struct function_snapshot *snapshot)
{
    int error = 0;

    if (!function_snapshot_is_sound(snapshot)) {
        table->refused++;
        empty(snapshot);
        return 0;
    }
    table->is_past = false;
    snapshot->moment.has_before = table->has_time;
    snapshot->moment.before = table->time;
    if (table->complete++ == 0 || !continues(&table->last, snapshot))
        error = begin_period(table, snapshot);
    empty(&table->last);
    table->last = *snapshot;
    memset(snapshot, 0, sizeof *snapshot);
    return error < 0 ? error : 1;
}

void function_table_note_torn(struct function_table *table)
{
    table->incomplete++;
}

static void close_part(struct function_table *table)
{
    if (!table->is_open)
        return;
    table->is_open = false;
    if (table->disagrees)
        table->refused++;
    else
        table->incomplete++;
    empty(&table->next);
}

void function_table_forget(struct function_table *table)
{
    close_part(table);
    empty(&table->closed);
    empty(&table->last);
    table->left_out += table->complete;
    table->complete = 0;
    table->printed = 0;
    table->periods = 0;
    table->mixed = false;
}

void function_table_restart(struct function_table *table)
{
    close_part(table);
    table->has_time = false;
    table->is_past = true;
}

static void set_behind(struct function_moment *moment, uint64_t ticks)
{
    if (moment->has_behind)
        return;
    moment->has_behind = true;
    moment->behind = ticks;
}

void function_table_time(struct function_table *table, uint64_t ticks)
{
    if (table->periods > 0 && !table->is_past) {
        set_behind(&table->last.moment, ticks);
        set_behind(&table->first_moment, ticks);
    }
    table->has_time = true;
    table->time = ticks;
}

/* Of a snapshot that began before the capture did, nothing is lost. */
static bool is_rest(const struct function_table *table, uint16_t first)
{
    return first > 0
           && table->complete + table->incomplete + table->refused == 0;
}

static void begin(struct function_table *table,
                  const struct wire_functions *part, uint32_t boot_id)
{
    close_part(table);
    table->is_open = true;
    table->is_broken = false;
    table->disagrees = false;
    table->next_rows = part->rows;
    table->next.sequence = part->sequence;
    table->next.boot_id = boot_id;
    table->next.ticks = part->ticks;
    table->next.flags = part->flags;
    table->next.period = part->period;
    table->next.pair = part->pair;
    table->next.capacity = part->capacity;
}

static bool has_head(const struct function_table *table,
                     const struct wire_functions *part)
{
    const struct function_snapshot *next = &table->next;

    return next->ticks == part->ticks && next->flags == part->flags
           && next->period == part->period && next->pair == part->pair
           && next->capacity == part->capacity
           && table->next_rows == part->rows;
}

static int add_part(struct function_table *table,
                    const struct wire_functions *part)
{
    int error = 0;

    for (size_t i = 0; i < part->count && error == 0; i++)
        error = function_snapshot_add(&table->next, &part->functions[i]);
    if (error < 0 || !part->has_counts)
        return error;
    table->next.counts = part->counts;
    table->is_open = false;
    error = function_table_put(table, &table->next);
    return error < 0 ? error : 0;
}

/* Parts come in order: what is late never comes here. */
int function_table_part(struct function_table *table,
                        const struct wire_functions *part, uint32_t boot_id)
{
    if (!table->is_open || table->next.boot_id != boot_id
        || table->next.sequence != part->sequence) {
        if (is_rest(table, part->first) && !table->is_open)
            return 0;
        begin(table, part, boot_id);
    }
    if (table->is_broken || table->disagrees)
        return 0;
    table->disagrees =
            !has_head(table, part) || part->first < table->next.count;
    table->is_broken = part->first > table->next.count;
    return table->disagrees || table->is_broken ? 0 : add_part(table, part);
}

static void compare_clocks(struct function_table *table)
{
    const struct function_moment *first = &table->first_moment;
    const struct function_moment *last = &table->last.moment;
    struct function_clock *clock = &table->clock;

    clock->ticks = table->last.ticks - table->first_ticks;
    clock->known = clock->ticks > 0 && first->has_before && first->has_behind
                   && last->has_before && last->has_behind
                   && last->before >= first->before;
    if (!clock->known)
        return;
    clock->most = last->behind - first->before;
    clock->least =
            last->before > first->behind ? last->before - first->behind : 0;
}

int function_table_end(struct function_table *table)
{
    int error;

    close_part(table);
    if (table->complete == 0)
        return 0;
    compare_clocks(table);
    empty(&table->whole);
    error = add_snapshot(&table->whole, &table->closed);
    if (error == 0)
        error = add_snapshot(&table->whole, &table->last);
    return error;
}

struct function_sums function_table_sums(const struct function_snapshot *table)
{
    struct function_sums sums = {
            .hooks = function_counts_sum(table->counts.hooks, table->pairs),
            .wall = table->ticks,
    };

    for (size_t i = 0; i < table->count; i++) {
        const struct function_counts *row = &table->rows[i];
        uint64_t *sum = row->kind == MCUPROF_FUNCTIONS_ROW_FUNCTION ? &sums.self
                        : row->kind == MCUPROF_FUNCTIONS_ROW_OUTSIDE
                                ? &sums.outside
                                : &sums.no_slot;

        *sum = function_counts_sum(*sum, row->self);
        sums.open = function_counts_sum(sums.open, row->open);
    }
    sums.all = function_counts_sum(sums.self, sums.outside);
    sums.all = function_counts_sum(sums.all, sums.no_slot);
    sums.all = function_counts_sum(sums.all, sums.hooks);
    return sums;
}

double function_table_apart(const struct function_sums *sums)
{
    uint64_t apart = sums->all > sums->wall ? sums->all - sums->wall
                                            : sums->wall - sums->all;

    if (apart == 0)
        return 0.0;
    return sums->wall == 0 ? 100.0 : 100.0 * (double)apart / (double)sums->wall;
}

#define APART_MOST 0.5 /* percent */

bool function_table_adds_up(const struct function_sums *sums)
{
    return function_table_apart(sums) <= APART_MOST;
}

/* TIME comes from the same register by another way. */
bool function_clock_agrees(const struct function_clock *clock)
{
    uint64_t room = clock->most / 200;

    return !clock->known
           || (clock->ticks <= clock->most + room
               && clock->ticks + room >= clock->least);
}

bool function_table_is_incomplete(const struct function_table *table)
{
    const struct wire_function_counts *counts = &table->whole.counts;
    struct function_sums sums;

    if (table->incomplete > 0 || table->refused > 0 || table->left_out > 0)
        return true;
    if (table->complete == 0)
        return false;
    sums = function_table_sums(&table->whole);
    return table->mixed || table->unseen > 0 || counts->no_slot > 0
           || counts->deep > 0 || counts->unmatched > 0
           || counts->no_context > 0
           || (table->whole.flags
               & (MCUPROF_FUNCTIONS_MOMENTS | MCUPROF_FUNCTIONS_EARLIER
                  | MCUPROF_FUNCTIONS_DROPPED))
                      != 0
           || !function_table_adds_up(&sums)
           || !function_clock_agrees(&table->clock);
}
