/* SPDX-License-Identifier: MIT */
#include "function_block_parts.h"

#include "decode.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TICKS_MOST ((uint64_t)1 << 60)

/* Where a context's state is, and its time. */
struct place {
    bool is_on_stage; /* it runs, or was interrupted */
    size_t state;     /* offset */
    uint32_t v;
};

struct walk {
    const struct function_memory *table;
    struct function_snapshot *snapshot;
    struct error *error;
    bool is_on;
    uint64_t hooks; /* modulo 2^64, as all that may be below 0 */
    struct place *places;
    struct function_counts *rows; /* by slot */
};

static uint32_t word(const struct walk *walk, size_t offset)
{
    return function_memory_word(walk->table, offset);
}

static size_t context_at(const struct walk *walk, size_t i)
{
    return walk->table->contexts + i * walk->table->context_size;
}

static size_t row_at(const struct walk *walk, size_t i)
{
    return walk->table->rows + i * MCUPROF_TABLE_ROW_BYTES;
}

/* Offset of a context's first frame. */
static size_t base_at(const struct walk *walk, size_t i)
{
    return walk->table->frames
           + i * walk->table->depth * MCUPROF_TABLE_FRAME_BYTES;
}

static bool is_nobody(const struct walk *walk, size_t i)
{
    return i == walk->table->context_count - 1;
}

static bool is_interrupt(const struct walk *walk, size_t i)
{
    uint32_t used =
            word(walk, context_at(walk, i) + MCUPROF_TABLE_CONTEXT_USED);

    return used > 1 && used <= MCUPROF_CONTEXT_TASK_FIRST;
}

static uint32_t pending_of(const struct walk *walk, size_t i)
{
    return word(walk, context_at(walk, i) + MCUPROF_TABLE_CONTEXT_PENDING);
}

/* 32 bits that may be a little below 0. */
static uint64_t ticks_of(uint32_t ticks)
{
    return ticks <= MCUPROF_TABLE_AGE_MAX ? ticks
                                          : (uint64_t)(int64_t)(int32_t)ticks;
}

/* Offset of a state's topmost frame, of context I. */
static int find_top(const struct walk *walk, size_t i, size_t state,
                    size_t *top)
{
    size_t base = base_at(walk, i);
    size_t frames = is_nobody(walk, i) ? 1 : walk->table->depth;
    size_t end = base + frames * MCUPROF_TABLE_FRAME_BYTES;
    uint32_t at =
            word(walk, state + MCUPROF_TABLE_STATE_TOP) - walk->table->address;

    if (at < base || at >= end || (at - base) % MCUPROF_TABLE_FRAME_BYTES != 0)
        return function_memory_damaged(
                walk->table, walk->error,
                "the calls of context %zu are outside of it, at 0x%08" PRIx32,
                i, word(walk, state + MCUPROF_TABLE_STATE_TOP));
    *top = at;
    return 0;
}

/* From clock C on, 60 bits. */
static uint64_t wall_at(const struct walk *walk, uint32_t c)
{
    uint64_t turns = word(walk, MCUPROF_TABLE_TURNS);

    turns += (c / MCUPROF_TABLE_TURN - turns) & 15;
    return turns * MCUPROF_TABLE_TURN + c % MCUPROF_TABLE_TURN;
}

/* The clock as it was read. */
static uint32_t clock_read(const struct walk *walk)
{
    uint32_t c = walk->table->clock;
    uint32_t last = word(walk, MCUPROF_TABLE_NOW);

    if ((word(walk, MCUPROF_TABLE_SLOW) & MCUPROF_TABLE_SLOW_NARROW) == 0)
        return c;
    c ^= word(walk, MCUPROF_TABLE_FLIP);
    return last + ((c - last) & word(walk, MCUPROF_TABLE_MASK));
}

/*
 * Without its reading, what is known of it: it was not before the innermost
 * call and what that has called, nor when the upper bits were looked at.
 */
static uint32_t clock_known(const struct walk *walk, size_t top)
{
    uint32_t c = word(walk, top + MCUPROF_TABLE_FRAME_START)
                 + word(walk, top + MCUPROF_TABLE_FRAME_CHILDREN)
                 + word(walk, MCUPROF_TABLE_STOLEN);
    uint32_t turns = word(walk, MCUPROF_TABLE_TURNS);
    uint32_t behind = (c / MCUPROF_TABLE_TURN - turns) & 15;

    return behind < 8 ? c : turns * MCUPROF_TABLE_TURN;
}

static int find_clock(struct walk *walk, size_t i, size_t state, uint32_t *c)
{
    size_t top = 0;
    int result = find_top(walk, i, state, &top);

    if (result < 0)
        return result;
    *c = walk->table->has_clock ? clock_read(walk) : clock_known(walk, top);
    if (!walk->table->has_clock)
        walk->snapshot->flags |= MCUPROF_FUNCTIONS_EARLIER;
    return 0;
}

static int bad_index(const struct walk *walk, const char *what, uint32_t index)
{
    return function_memory_damaged(walk->table, walk->error,
                                   "%s is context %" PRIu32, what, index);
}

/* A task's state is with the task, where no hook of a kernel tells switches. */
static size_t state_of(const struct walk *walk, size_t i, size_t state)
{
    bool pulls = (walk->table->bytes[MCUPROF_TABLE_FLAGS] & MCUPROF_TABLE_PULLS)
                 != 0;

    return pulls && !is_interrupt(walk, i)
                   ? context_at(walk, i) + MCUPROF_TABLE_CONTEXT_STATE
                   : state;
}

/* What runs, and what it has interrupted, down to a task. */
static int find_stage(struct walk *walk, uint32_t *c)
{
    size_t state = MCUPROF_TABLE_STATE;
    uint32_t i = word(walk, state + MCUPROF_TABLE_STATE_INDEX);
    uint32_t v;
    int result;

    if (i >= walk->table->context_count)
        return bad_index(walk, "what runs", i);
    result = find_clock(walk, i, state_of(walk, i, state), c);
    if (result < 0)
        return result;
    v = *c - word(walk, MCUPROF_TABLE_STOLEN);
    for (;;) {
        struct place *place = &walk->places[i];
        size_t context = context_at(walk, i);

        if (place->is_on_stage)
            return bad_index(walk, "what has interrupted itself", i);
        *place = (struct place){
                .is_on_stage = true, .state = state_of(walk, i, state), .v = v};
        if (!is_interrupt(walk, i))
            return 0;
        state = context + MCUPROF_TABLE_CONTEXT_BELOW;
        v = word(walk, context + MCUPROF_TABLE_CONTEXT_BELOW_V);
        i = word(walk, state + MCUPROF_TABLE_STATE_INDEX);
        if (i >= walk->table->context_count)
            return bad_index(walk, "what was interrupted", i);
    }
}

static int find_places(struct walk *walk)
{
    uint64_t wall;
    uint32_t c = 0;

    for (size_t i = 0; i < walk->table->context_count; i++) {
        size_t context = context_at(walk, i);

        walk->places[i].state = context + MCUPROF_TABLE_CONTEXT_STATE;
        walk->places[i].v = word(walk, context + MCUPROF_TABLE_CONTEXT_V);
    }
    wall = function_memory_wide(walk->table, MCUPROF_TABLE_ENDED);
    if (walk->is_on) {
        int result = find_stage(walk, &c);

        if (result < 0)
            return result;
        wall = wall_at(walk, c);
    }
    wall -= function_memory_wide(walk->table, MCUPROF_TABLE_BEGAN);
    if (wall >= TICKS_MOST)
        return function_memory_damaged(walk->table, walk->error,
                                       "its clock is before its start");
    walk->snapshot->ticks = wall;
    return 0;
}

static uint64_t self_of(const uint8_t *row)
{
    uint32_t low = bytes_get32(row + MCUPROF_TABLE_ROW_SELF);
    uint16_t high = bytes_get16(row + MCUPROF_TABLE_ROW_SELF_HIGH);
    uint64_t self = ((uint64_t)high << 31) + low;

    if (low > MCUPROF_TABLE_AGE_MAX)
        self -= (uint64_t)1 << 32;
    if ((row[MCUPROF_TABLE_ROW_MORE] & MCUPROF_TABLE_MORE_SELF) != 0)
        self += high < 0xFF00 ? (uint64_t)1 << 47 : -((uint64_t)1 << 47);
    return self;
}

/* Calls that were left, and their times. */
static void unpack_row(struct function_counts *counts, const uint8_t *row)
{
    uint8_t more = row[MCUPROF_TABLE_ROW_MORE];
    uint32_t min = bytes_get32(row + MCUPROF_TABLE_ROW_MIN);
    uint32_t span = bytes_get32(row + MCUPROF_TABLE_ROW_SPAN);

    counts->calls = bytes_get32(row + MCUPROF_TABLE_ROW_CALLS)
                    + ((uint64_t)(more & MCUPROF_TABLE_MORE_CALLS) << 31);
    counts->self = self_of(row);
    counts->total =
            bytes_get32(row + MCUPROF_TABLE_ROW_TOTAL)
            + ((uint64_t)bytes_get16(row + MCUPROF_TABLE_ROW_TOTAL_HIGH) << 31);
    if ((more & MCUPROF_TABLE_MORE_TOTAL) != 0)
        counts->total += (uint64_t)1 << 47;
    if (row[MCUPROF_TABLE_ROW_MIN_HIGH] == MCUPROF_TABLE_ROW_NO_MIN)
        return;
    counts->min = (uint64_t)row[MCUPROF_TABLE_ROW_MIN_HIGH] << 32 | min;
    counts->max = (uint64_t)row[MCUPROF_TABLE_ROW_MAX_HIGH] << 32
                  | (uint32_t)(min + span);
}

/* Ticks that each call takes to come to the row in SLOT past others. */
static uint64_t way_of(const struct walk *walk, size_t slot)
{
    const uint8_t *row = walk->table->bytes + row_at(walk, slot);
    uint32_t mask = (uint32_t)walk->table->slots - 1;
    uint32_t index = row[MCUPROF_TABLE_ROW_INDEX] & ~MCUPROF_TABLE_ROW_SLOW;
    uint32_t key = bytes_get32(row + MCUPROF_TABLE_ROW_KEY) | 1;
    uint32_t hash = (key ^ index * 2 * (mask + 1)) >> 4;

    return (uint64_t)(((uint32_t)slot - hash) & mask)
           * word(walk, MCUPROF_TABLE_PROBE);
}

static int take_row(struct walk *walk, size_t slot)
{
    const uint8_t *row = walk->table->bytes + row_at(walk, slot);
    struct function_counts *counts = &walk->rows[slot];
    uint32_t key = bytes_get32(row + MCUPROF_TABLE_ROW_KEY);
    uint32_t index = row[MCUPROF_TABLE_ROW_INDEX] & ~MCUPROF_TABLE_ROW_SLOW;
    uint32_t used;

    if (key == 0 || key == MCUPROF_TABLE_ROW_TAKEN)
        return 0;
    if (index >= walk->table->context_count - 1)
        return bad_index(walk, "whose function it is", index);
    used = word(walk, context_at(walk, index) + MCUPROF_TABLE_CONTEXT_USED);
    if (used == 0 || used > WIRE_CONTEXT_UNKNOWN)
        return bad_index(walk, "nobody's, and has functions,", index);
    counts->kind = FUNCTION_COUNTED;
    counts->function = key & ~1u;
    counts->context = (uint16_t)(used - 1);
    if (pending_of(walk, index) == 0)
        unpack_row(counts, row);
    walk->hooks += counts->calls * way_of(walk, slot);
    return 0;
}

/* A frame that is open, by its offset; what it has of its own. */
struct open_call {
    size_t frame;
    uint64_t own;
    uint32_t age;
    bool is_new; /* all that was before does not count */
};

static bool is_again(uint32_t tag, uint32_t row)
{
    return (row & MCUPROF_TABLE_FRAME_AGAIN) != 0
           || ((row & MCUPROF_TABLE_FRAME_SLOW) == 0 && !(tag & 1));
}

/* Its row: a slot's, or that of context I for those without a slot. */
static int find_row(const struct walk *walk, size_t i, size_t frame,
                    size_t *slot)
{
    uint32_t row = word(walk, frame + MCUPROF_TABLE_FRAME_ROW);
    size_t at = (row & ~3u) - walk->table->address;
    size_t end = row_at(walk, walk->table->slots);

    *slot = walk->table->slots;
    if (at == context_at(walk, i) + MCUPROF_TABLE_CONTEXT_NONE)
        return 0;
    *slot = (at - walk->table->rows) / MCUPROF_TABLE_ROW_BYTES;
    if (at >= walk->table->rows && at < end && row_at(walk, *slot) == at
        && walk->rows[*slot].function != 0)
        return 0;
    return function_memory_damaged(
            walk->table, walk->error,
            "a call of context %zu is of no function, at 0x%08" PRIx32, i, row);
}

static int add_call(struct walk *walk, size_t i, const struct open_call *call,
                    struct function_counts *none)
{
    bool again = is_again(word(walk, call->frame + MCUPROF_TABLE_FRAME_TAG),
                          word(walk, call->frame + MCUPROF_TABLE_FRAME_ROW));
    struct function_counts *row = none;
    size_t slot;
    int result = find_row(walk, i, call->frame, &slot);

    if (result < 0)
        return result;
    walk->hooks -= word(walk, MCUPROF_TABLE_OUTER);
    if (call->is_new)
        walk->hooks -= word(walk, MCUPROF_TABLE_INNER);
    else if (again)
        walk->hooks += word(walk, MCUPROF_TABLE_AGAIN);
    if (slot < walk->table->slots) {
        row = &walk->rows[slot];
        walk->hooks += call->is_new ? 0 : way_of(walk, slot);
        row->open++;
    }
    row->self += call->own;
    row->calls++;
    row->total += again ? 0 : call->age;
    return 0;
}

/* Calls of context I that were not left, from the topmost down. */
static int add_open(struct walk *walk, size_t i, struct function_counts *none,
                    struct function_counts *outside)
{
    size_t base = base_at(walk, i);
    size_t context = context_at(walk, i);
    uint32_t pending = pending_of(walk, i);
    struct open_call call = {.is_new = pending != 0};
    uint32_t above = 0;
    size_t top = base;
    int result = find_top(walk, i, walk->places[i].state, &top);

    if (result == 0 && (pending & MCUPROF_TABLE_PENDING_DROP) != 0)
        top = base;
    for (call.frame = top; result == 0;
         call.frame -= MCUPROF_TABLE_FRAME_BYTES) {
        uint32_t start = word(walk, call.frame + MCUPROF_TABLE_FRAME_START);
        uint32_t children =
                word(walk, call.frame + MCUPROF_TABLE_FRAME_CHILDREN);

        if (call.is_new) {
            start = word(walk, context + MCUPROF_TABLE_CONTEXT_RESET_V);
            children = 0;
        }
        call.age = walk->places[i].v - start;
        call.own = ticks_of(call.age - children - above);
        above = call.age;
        if (call.frame == base) {
            outside->self += call.own;
            return 0;
        }
        result = add_call(walk, i, &call, none);
    }
    return result;
}

static void add_counts(struct walk *walk, size_t i)
{
    struct wire_function_counts *counts = &walk->snapshot->counts;
    size_t context = context_at(walk, i);
    size_t base = base_at(walk, i);

    walk->hooks +=
            function_memory_wide(walk->table,
                                 context + MCUPROF_TABLE_CONTEXT_HOOKS)
            + word(walk, base + MCUPROF_TABLE_FRAME_MORE)
            - (uint64_t)word(walk, context + MCUPROF_TABLE_CONTEXT_EXCESS)
                      * word(walk, MCUPROF_TABLE_OUTER);
    counts->unwound += word(walk, context + MCUPROF_TABLE_CONTEXT_UNWOUND);
    counts->unmatched += word(walk, context + MCUPROF_TABLE_CONTEXT_UNMATCHED);
    counts->deep += word(walk, context + MCUPROF_TABLE_CONTEXT_DEEP);
    counts->tries += word(walk, context + MCUPROF_TABLE_CONTEXT_TRIES);
}

/*
 * What is below 0, as a cost was a tick too great, is the hooks'. A core that
 * was halted in a hook may have noted the time of a call that is open yet.
 */
static int add_row(struct walk *walk, struct function_counts *row)
{
    if (row->calls == row->open) {
        row->min = 0;
        row->max = 0;
    }
    if (row->self >> 63 != 0) {
        walk->hooks += row->self;
        row->self = 0;
    }
    if (row->self >= TICKS_MOST || row->total >= TICKS_MOST
        || row->min > row->max)
        return function_memory_damaged(walk->table, walk->error,
                                       "the times of what is at 0x%08" PRIx32
                                       " contradict each other",
                                       row->function);
    if (function_snapshot_add(walk->snapshot, row) < 0)
        return error_set(walk->error, MCUPROF_E_NOMEM, "", "out of memory");
    return 0;
}

static int check_number(const struct walk *walk, size_t i, uint32_t used)
{
    if (used > WIRE_CONTEXT_UNKNOWN)
        return bad_index(walk, "without a number", (uint32_t)i);
    for (size_t k = 0; k < i && used != 0; k++)
        if (word(walk, context_at(walk, k) + MCUPROF_TABLE_CONTEXT_USED)
            == used)
            return bad_index(walk, "there twice", used - 1);
    return 0;
}

/* An interrupt that stopped the table has its calls open. */
static bool has_stopped(const struct walk *walk, size_t i)
{
    uint32_t top = word(walk, walk->places[i].state + MCUPROF_TABLE_STATE_TOP);

    return !walk->is_on && top - walk->table->address != base_at(walk, i);
}

static int add_context(struct walk *walk, size_t i)
{
    size_t context = context_at(walk, i);
    uint32_t used = word(walk, context + MCUPROF_TABLE_CONTEXT_USED);
    uint16_t number =
            is_nobody(walk, i) ? WIRE_CONTEXT_UNKNOWN : (uint16_t)(used - 1);
    struct function_counts none = {.kind = FUNCTION_NO_SLOT};
    struct function_counts outside = {.kind = FUNCTION_OUTSIDE};
    int result = check_number(walk, i, used);

    if (result < 0 || (used == 0 && !is_nobody(walk, i)))
        return result;
    if (pending_of(walk, i) == 0) {
        unpack_row(&none,
                   walk->table->bytes + context + MCUPROF_TABLE_CONTEXT_NONE);
        outside.self = function_memory_wide(
                walk->table, context + MCUPROF_TABLE_CONTEXT_OUTSIDE);
        add_counts(walk, i);
    }
    if (!is_interrupt(walk, i) || walk->places[i].is_on_stage
        || has_stopped(walk, i))
        result = add_open(walk, i, &none, &outside);
    none.context = number;
    none.total = 0;
    none.min = 0;
    none.max = 0;
    outside.context = number;
    walk->snapshot->counts.no_slot += none.calls;
    if (result == 0 && outside.self != 0)
        result = add_row(walk, &outside);
    if (result == 0 && none.calls != 0)
        result = add_row(walk, &none);
    return result;
}

static int add_all(struct walk *walk)
{
    const struct function_memory *table = walk->table;
    int result = find_places(walk);

    for (size_t i = 0; result == 0 && i < table->slots; i++)
        result = take_row(walk, i);
    for (size_t i = 0; result == 0 && i < table->context_count; i++)
        result = add_context(walk, i);
    for (size_t i = 0; result == 0 && i < table->slots; i++)
        if (walk->rows[i].function != 0 && walk->rows[i].calls > 0)
            result = add_row(walk, &walk->rows[i]);
    return result;
}

static void set_head(const struct walk *walk)
{
    struct function_snapshot *snapshot = walk->snapshot;

    if ((walk->table->bytes[MCUPROF_TABLE_FLAGS] & MCUPROF_TABLE_RAW) != 0)
        snapshot->flags |= MCUPROF_FUNCTIONS_RAW;
    if (walk->is_on)
        snapshot->flags |= MCUPROF_FUNCTIONS_RUNNING;
    snapshot->pair = (uint16_t)(word(walk, MCUPROF_TABLE_INNER)
                                + word(walk, MCUPROF_TABLE_OUTER));
    snapshot->capacity = (uint16_t)walk->table->slots;
    snapshot->period = (uint8_t)word(walk, MCUPROF_TABLE_GENERATION);
    snapshot->counts.no_context = word(walk, MCUPROF_TABLE_NO_CONTEXT);
}

/* What is below 0, as calls of before cost less than a pair does now, is told
   as one sum. */
static void set_hooks(const struct walk *walk)
{
    struct function_snapshot *snapshot = walk->snapshot;
    uint64_t hooks = walk->hooks;

    if (hooks >> 63 != 0) {
        for (size_t i = 0; i < snapshot->count; i++)
            hooks += snapshot->rows[i].calls * snapshot->pair;
        snapshot->pair = 0;
    }
    snapshot->counts.hooks = hooks >> 63 != 0 ? 0 : hooks;
}

static int check_twice(const struct walk *walk)
{
    if (function_snapshot_is_sound(walk->snapshot))
        return 0;
    return function_memory_damaged(walk->table, walk->error,
                                   "a function is there twice, or its sums are "
                                   "beyond all bounds");
}

int function_memory_view(const struct function_memory *table,
                         struct function_snapshot *snapshot,
                         struct error *error)
{
    struct walk walk = {.table = table, .snapshot = snapshot, .error = error};
    int result;

    memset(snapshot, 0, sizeof *snapshot);
    walk.is_on = function_memory_is_on(table);
    walk.places = calloc(table->context_count, sizeof *walk.places);
    walk.rows = calloc(table->slots, sizeof *walk.rows);
    set_head(&walk);
    if (walk.places == NULL || walk.rows == NULL)
        result = error_set(error, MCUPROF_E_NOMEM, "", "out of memory");
    else
        result = add_all(&walk);
    set_hooks(&walk);
    if (result == 0)
        result = check_twice(&walk);
    free(walk.places);
    free(walk.rows);
    return result;
}
