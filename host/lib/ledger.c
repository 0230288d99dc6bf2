/* SPDX-License-Identifier: MIT */
#include "ledger.h"

#include <stdlib.h>
#include <string.h>

#define SEQ_COUNT 65536u

/*
 * No line keeps a frame back for longer, in frames. A number further behind
 * belongs to another boot; and a boot that begins no further from 0 was seen
 * from its start.
 */
#define NEAR 64u

int ledger_init(struct ledger *ledger)
{
    memset(ledger, 0, sizeof *ledger);
    ledger->seen = calloc(SEQ_COUNT, sizeof *ledger->seen);
    if (ledger->seen == NULL)
        return MCUPROF_E_NOMEM;
    ledger_begin_recording(ledger);
    return 0;
}

void ledger_deinit(struct ledger *ledger)
{
    free(ledger->seen);
    ledger->seen = NULL;
}

static void reset_boot(struct ledger *ledger)
{
    memset(&ledger->boot, 0, sizeof ledger->boot);
    ledger->boot_number++;
    ledger_begin_segment(ledger);
}

void ledger_begin_recording(struct ledger *ledger)
{
    reset_boot(ledger);
    ledger->began = false;
}

void ledger_begin_boot(struct ledger *ledger, uint16_t seq)
{
    reset_boot(ledger);
    ledger->boot.from_start = seq <= NEAR;
    ledger->totals.boots++;
}

void ledger_begin_segment(struct ledger *ledger)
{
    memset(&ledger->segment, 0, sizeof ledger->segment);
}

unsigned ledger_segment(struct ledger *ledger)
{
    if (!ledger->segment.open)
        ledger->totals.segments++;
    ledger->segment.open = true;
    return ledger->totals.segments;
}

enum arrival ledger_arrival(const struct ledger *ledger, uint16_t seq,
                            uint32_t crc)
{
    const struct ledger_boot *boot = &ledger->boot;
    const struct ledger_seen *seen = &ledger->seen[seq];
    uint16_t behind = (uint16_t)(boot->next_seq - seq);

    if (!boot->seq_known || (uint16_t)-behind < SEQ_COUNT / 2)
        return ARRIVAL_NEXT;
    if (behind > NEAR || behind > (uint16_t)(boot->next_seq - boot->first_seq))
        return ARRIVAL_RESTART;
    if (seen->boot != ledger->boot_number)
        return ARRIVAL_LATE;
    return seen->crc == crc ? ARRIVAL_REPEATED : ARRIVAL_RESTART;
}

void ledger_frame(struct ledger *ledger, uint16_t seq, uint32_t crc)
{
    struct ledger_boot *boot = &ledger->boot;

    /* Frame 0 is the first of its boot: nothing can have come before it. */
    if (!ledger->began) {
        boot->from_start = seq == 0;
        ledger->totals.boots++;
    }
    ledger->began = true;
    if (boot->seq_known)
        ledger->totals.frames_lost += (uint16_t)(seq - boot->next_seq);
    else
        boot->first_seq = seq;
    boot->seq_known = true;
    boot->next_seq = (uint16_t)(seq + 1);
    ledger->seen[seq].crc = crc;
    ledger->seen[seq].boot = ledger->boot_number;
}

static bool is_behind(uint32_t value, uint32_t reference)
{
    return (int32_t)(value - reference) < 0;
}

/* An engine's place in the boot, and its sums. */
struct account {
    struct ledger_stand *stand;
    struct ledger_counts *counts;
    bool from_start;
};

static struct account account_of(struct ledger *ledger,
                                 enum ledger_engine engine)
{
    struct ledger_boot *boot = &ledger->boot;
    struct ledger_totals *totals = &ledger->totals;

    if (engine == LEDGER_TRACE)
        return (struct account){&boot->trace, &totals->trace, boot->from_start};
    return (struct account){&boot->samples, &totals->samples, boot->from_start};
}

static void join(struct account account, uint32_t first, uint32_t lost)
{
    account.stand->joined = true;
    if (account.stand->is_left) {
        account.stand->next = first;
        account.stand->produced = first;
        account.counts->skipped += (uint64_t)account.stand->high << 32 | first;
        return;
    }
    if (account.from_start)
        return;
    account.stand->next = first;
    account.stand->lost = lost;
    account.stand->produced = first + lost;
    account.counts->skipped += account.stand->produced;
}

void ledger_ring(struct ledger *ledger, uint32_t high)
{
    ledger->boot.trace.is_left = true;
    ledger->boot.trace.high = high;
}

bool ledger_records_restart(const struct ledger *ledger,
                            enum ledger_engine engine, uint32_t first,
                            uint32_t lost)
{
    const struct ledger_stand *stand = engine == LEDGER_TRACE
                                               ? &ledger->boot.trace
                                               : &ledger->boot.samples;

    return stand->joined
           && (is_behind(first, stand->next) || is_behind(lost, stand->lost));
}

/* The ledger's next record is at FIRST, LOST were dropped on the target. */
static void advance(struct account account, uint32_t first, uint32_t lost)
{
    if (!account.stand->joined)
        join(account, first, lost);
    account.counts->lost_line += first - account.stand->next;
    account.counts->lost_target += lost - account.stand->lost;
    account.stand->next = first;
    account.stand->lost = lost;
}

/* The target had made PRODUCED records by now, whatever became of them. */
static void book_produced(struct account account, uint32_t produced)
{
    account.counts->produced += produced - account.stand->produced;
    account.stand->produced = produced;
}

void ledger_records(struct ledger *ledger, enum ledger_engine engine,
                    uint32_t first, uint32_t lost, uint32_t count)
{
    struct account account = account_of(ledger, engine);

    (void)ledger_segment(ledger);
    advance(account, first, lost);
    account.stand->next += count;
    /* There may be no TIME any more: a reset comes unannounced. */
    book_produced(account, account.stand->next + lost);
    account.counts->received += count;
    account.counts->after_time += count;
}

static void book_entry(struct account account, const struct ledger_entry *entry)
{
    if (!entry->known)
        return;
    advance(account, entry->produced - entry->lost, entry->lost);
    book_produced(account, entry->produced);
    account.counts->times++;
    account.counts->after_time = 0;
}

static void book_missed(struct ledger *ledger, const struct ledger_time *time)
{
    struct ledger_boot *boot = &ledger->boot;

    if (!time->samples.known)
        return;
    if (boot->missed_known || boot->from_start)
        ledger->totals.missed += time->missed - boot->missed;
    boot->missed = time->missed;
    boot->missed_known = true;
}

/* Nobody sampled, but the ring was recorded. */
static void book_traced(struct ledger *ledger, const struct ledger_time *time)
{
    const struct ledger_segment *last = &ledger->segment;

    if (time->trace.known && last->traced
        && time->trace.produced != last->trace_produced)
        ledger->totals.traced += time->ticks - last->ticks;
}

/*
 * Between stop and start the clock goes on but nobody samples: that time
 * does not count, unless samples prove the contrary, or nobody ever does.
 */
static void book_time(struct ledger *ledger, const struct ledger_time *time)
{
    const struct ledger_segment *last = &ledger->segment;
    uint32_t produced = 0;
    uint32_t missed = 0;

    if (time->samples.known && last->sampled) {
        produced = time->samples.produced - last->produced;
        missed = time->missed - last->missed;
    }
    if (time->samples.known && !time->running && produced == 0 && missed == 0) {
        book_traced(ledger, time);
        return;
    }
    ledger->totals.ticks += time->ticks - last->ticks;
    if (time->second > last->second)
        ledger->totals.second += time->second - last->second;
    ledger->totals.timed_produced += produced;
    ledger->totals.timed_missed += missed;
}

void ledger_time(struct ledger *ledger, const struct ledger_time *time)
{
    struct ledger_segment *segment = &ledger->segment;

    if (segment->timed && time->ticks < segment->ticks)
        ledger_begin_segment(ledger);
    (void)ledger_segment(ledger);
    book_entry(account_of(ledger, LEDGER_SAMPLER), &time->samples);
    book_entry(account_of(ledger, LEDGER_TRACE), &time->trace);
    book_missed(ledger, time);
    if (segment->timed)
        book_time(ledger, time);
    segment->timed = true;
    segment->ticks = time->ticks;
    segment->second = time->second;
    segment->sampled = time->samples.known;
    segment->produced = time->samples.produced;
    segment->missed = time->missed;
    segment->traced = time->trace.known;
    segment->trace_produced = time->trace.produced;
}
