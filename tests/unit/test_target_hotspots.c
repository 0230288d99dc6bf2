/* SPDX-License-Identifier: MIT */
/*
 * The hot-spot table against exact weights of the same samples
 * (hotspots_oracle.h), on streams that are hard on it: the live units at many
 * moments, and each view for the moment that it shows. Once for each of these,
 * with the library built so:
 */
/* clang-format off */
/*
 * variant: alone MCUPROF_STREAM=0
 * variant: stream MCUPROF_HOTSPOTS=1
 * variant: 4_16_16 MCUPROF_STREAM=0 MCUPROF_HOTSPOT_UNITS=4 MCUPROF_HOTSPOT_GRAIN=16 MCUPROF_HOTSPOT_HALF_LIFE=16
 * variant: 4_64k_0 MCUPROF_STREAM=0 MCUPROF_HOTSPOT_UNITS=4 MCUPROF_HOTSPOT_GRAIN=65536 MCUPROF_HOTSPOT_HALF_LIFE=0
 * variant: 16_64k_16 MCUPROF_STREAM=0 MCUPROF_HOTSPOT_UNITS=16 MCUPROF_HOTSPOT_GRAIN=65536 MCUPROF_HOTSPOT_HALF_LIFE=16
 * variant: 16_16_10m MCUPROF_STREAM=0 MCUPROF_HOTSPOT_UNITS=16 MCUPROF_HOTSPOT_GRAIN=16 MCUPROF_HOTSPOT_HALF_LIFE=10000000
 * variant: 64_256_0 MCUPROF_STREAM=0 MCUPROF_HOTSPOT_UNITS=64 MCUPROF_HOTSPOT_GRAIN=256 MCUPROF_HOTSPOT_HALF_LIFE=0
 * variant: ignoring MCUPROF_HOTSPOTS=1 MCUPROF_HOTSPOT_IGNORE=2 MCUPROF_HOTSPOT_IGNORE_IF=hotspots_test_ignores
 * variant: 64_16_96 MCUPROF_STREAM=0 MCUPROF_HOTSPOT_UNITS=64 MCUPROF_HOTSPOT_GRAIN=16 MCUPROF_HOTSPOT_HALF_LIFE=96
 */
/* clang-format on */

/* cmocka needs these first, in this order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>

#include "hotspots_streams.h"
#include "mcuprof_hotspots.h"
#include "mcuprof_port_host.h"

#define UNITS MCUPROF_HOTSPOT_UNITS
#define VIEW_EVERY MCUPROF_HOTSPOT_VIEW_EVERY

/* Samples between two looks at the live table: no multiple of anything. */
#define LOOK_EVERY 61u

/* How far the past is kept, in samples: more than a view can be late. */
#define PAST (4u * VIEW_EVERY)

static const uint32_t half_life = MCUPROF_HOTSPOT_HALF_LIFE;

/* What the engine was given, and how it weighed it. */
struct sample {
    uint16_t cell;
    uint8_t halved; /* the weights were, after this sample */
    uint32_t weight;
};

static struct oracle now;
static struct oracle then; /* at the moment of the last view */
static struct sample past[PAST];
static struct mcuprof_hotspot past_tables[PAST][UNITS];
static uint32_t delivered;      /* all samples */
static uint32_t then_delivered; /* those that `then` knows */
static uint32_t then_halvings;  /* from the view before it to that */
static struct stream_state state;
static const char *stream_name;
static int is_defined;      /* no halving but that of the decay */
static uint32_t majorities; /* how often an address had one */

/* Says which stream it was, and when. */
#define CHECK(holds)                                                           \
    do {                                                                       \
        if (!(holds)) {                                                        \
            fail_msg("%s, sample %lu: not so: %s", stream_name,                \
                     (unsigned long)delivered, #holds);                        \
        }                                                                      \
    } while (0)

/*
 * What the engine says of itself: the weight of the next sample, and whether
 * all weights were halved behind the last one.
 */
static uint32_t engine_weight(void)
{
    return mcuprofi_hotspots.weight;
}

static uint32_t engine_decay_in(void)
{
    return mcuprofi_hotspots.decay_in;
}

static size_t take_all(const uint8_t *data, size_t size)
{
    (void)data;
    return size;
}

/* The hardware: a sample that is never late. */
static void engine_put(uint32_t address)
{
#if MCUPROF_STREAM
    mcuprof_port_host.counter = mcuprofi_sampler.deadline;
#endif
    mcuprof_sample_put(address | (address >> 8 & 1u), 0);
}

static volatile uint32_t timer_reload;

static void engine_start(void)
{
    static const uint8_t code[64];
    static const struct mcuprof_timer timer = {
            .reload = &timer_reload,
            .reload_max = 0xFFFFFFu,
    };
    struct mcuprof_config config = {0};
    config.timer = &timer;
    config.write = take_all;
    config.core_hz = 25000000;
    config.rate_hz = 10000;
    (void)mcuprof_stop();
    while (mcuprof_poll() > 0) {
    }
    mcuprof_port_host.source = MCUPROF_CLOCK_DWT;
    mcuprof_port_host.code = code;
    mcuprof_port_host.code_length = sizeof(code);
    mcuprof_port_host.exception = 15;
    assert_int_equal(mcuprof_init(&config), 0);
    assert_int_equal(mcuprof_start(), 0);
    /* What runs is left alone. */
    assert_int_equal(mcuprof_init(&config), MCUPROF_ESTATE);
    assert_int_equal(mcuprof_start(), MCUPROF_ESTATE);
}

static uint32_t pc_of(void (*pc)(void))
{
    return (uint32_t)(uintptr_t)pc;
}

static void start(const char *name)
{
    engine_start();
    stream_name = name;
    is_defined = 1;
    oracle_reset(&now);
    oracle_reset(&then);
    memcpy(past_tables[0], mcuprof_hotspots, sizeof(mcuprof_hotspots));
    delivered = 0;
    then_delivered = 0;
    state.random = 2463534242u;
    state.count = 0;
    state.oracle = &now;
}

/* Block and address are of those that were executed. */
static unsigned check_executed(void (*pc)(void), const struct oracle *oracle)
{
    unsigned cell = oracle_cell(pc_of(pc));
    CHECK((uintptr_t)pc <= 0xFFFFFFFFu);
    CHECK(cell < ORACLE_CELLS);
    CHECK(oracle->executed[cell]);
    return cell;
}

/* An address with more than half of what the unit may have is shown. */
static void check_representative(const struct mcuprof_hotspot *unit,
                                 unsigned cell, const struct oracle *oracle)
{
    unsigned first = cell - cell % ORACLE_PCS;
    uint64_t half = ((uint64_t)unit->weight + unit->error + 4u) / 2u;
    for (unsigned i = first; i < first + ORACLE_PCS; i++) {
        if (oracle_of_cell(oracle, i) > half * ORACLE_ONE) {
            CHECK(i == cell);
            majorities++;
        }
    }
}

/*
 * A table of units against the exact weights at its moment. `shown` gets the
 * blocks that are in it. returns the sum of its weights.
 */
static uint64_t check_units(const struct mcuprof_hotspot *units,
                            const struct oracle *oracle, uint8_t *shown)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < UNITS; i++) {
        if (units[i].weight == 0) {
            continue;
        }
        unsigned cell = check_executed(units[i].pc, oracle);
        unsigned block = cell / ORACLE_PCS;
        uint64_t exact = oracle_of_block(oracle, block);
        CHECK(!shown[block]);
        shown[block] = 1;
        CHECK(units[i].error <= units[i].weight);
        CHECK(exact <= units[i].weight * ORACLE_ONE);
        CHECK(exact + 2u >= (units[i].weight - units[i].error) * ORACLE_ONE);
        check_representative(&units[i], cell, oracle);
        sum += units[i].weight;
    }
    return sum;
}

/*
 * What is not in the table weighs at most what its least unit does, and less
 * than 1/UNITS of all; halving rounds each unit up by less than one.
 */
static void check_missing(const struct mcuprof_hotspot *units,
                          const struct oracle *oracle, const uint8_t *shown)
{
    uint64_t least = UINT32_MAX;
    for (unsigned i = 0; i < UNITS; i++) {
        least = units[i].weight < least ? units[i].weight : least;
    }
    uint64_t limit = oracle_total(oracle) / UNITS + ORACLE_ONE;
    for (unsigned block = 0; block < ORACLE_BLOCKS; block++) {
        uint64_t exact = oracle_of_block(oracle, block);
        if (!shown[block]) {
            CHECK(exact <= least * ORACLE_ONE);
            CHECK(exact <= limit);
        }
    }
}

static uint64_t check_table(const struct mcuprof_hotspot *units,
                            const struct oracle *oracle)
{
    uint8_t shown[ORACLE_BLOCKS] = {0};
    uint64_t sum = check_units(units, oracle, shown);
    check_missing(units, oracle, shown);
    /* Each sample went to one unit; halving rounds each of them up. */
    CHECK(sum * ORACLE_ONE >= oracle_total(oracle));
    CHECK(sum * ORACLE_ONE <= oracle_total(oracle) + UNITS * ORACLE_ONE);
    return sum;
}

/* Each group knows its least unit, which no hint leads to. */
static void check_groups(void)
{
    const struct mcuprofi_hotspots *h = &mcuprofi_hotspots;
    for (unsigned g = 0; g < MCUPROFI_HOTSPOT_GROUPS; g++) {
        unsigned first = g * MCUPROFI_HOTSPOT_GROUP;
        unsigned least = h->groups[g].least;
        CHECK(least >= first && least < first + MCUPROFI_HOTSPOT_GROUP);
        CHECK(h->groups[g].min == mcuprof_hotspots[least].weight);
        for (unsigned i = first; i < first + MCUPROFI_HOTSPOT_GROUP; i++) {
            CHECK(mcuprof_hotspots[i].weight >= h->groups[g].min);
        }
        if (h->tag[least] != MCUPROFI_HOTSPOT_NO_BLOCK) {
            CHECK(h->hint[h->tag[least] % MCUPROFI_HOTSPOT_HINTS] != least);
        }
    }
}

static void check_live(void)
{
    check_table(mcuprof_hotspots, &now);
    check_groups();
}

/* Lets `then` catch up with the moment of the view. */
static void catch_up(uint32_t moment)
{
    CHECK(moment >= then_delivered && moment <= delivered);
    CHECK(delivered - then_delivered <= PAST);
    while (then_delivered < moment) {
        const struct sample *s = &past[then_delivered++ % PAST];
        oracle_add(&then, s->cell, s->weight);
        if (s->halved) {
            oracle_halve(&then);
            then_halvings++;
        }
    }
}

/* The number of the unit that a row was made from. */
static unsigned unit_of(const struct mcuprof_hotspot_share *row,
                        const struct mcuprof_hotspot *units)
{
    unsigned i = 0;
    while (i < UNITS && (units[i].weight == 0 || units[i].pc != row->pc)) {
        i++;
    }
    CHECK(i < UNITS);
    return i;
}

static void check_row(const struct mcuprof_hotspot_share *row,
                      const struct mcuprof_hotspot *unit, uint64_t sum)
{
    CHECK(row->ratio == (uint64_t)unit->weight * 1024u / sum);
    /* What is certain, rounded down; all is certain of the only unit. */
    uint64_t certain = unit->weight - unit->error;
    certain = unit->weight == sum ? sum : certain;
    CHECK(row->bound <= row->ratio);
    CHECK(row->ratio == row->bound + certain * 1024u / sum);
    if (!is_defined) {
        return;
    }
    unsigned block = oracle_cell(pc_of(row->pc)) / ORACLE_PCS;
    double share = (double)oracle_of_block(&then, block)
                   / (double)oracle_total(&then) * 1024;
    CHECK(share < row->ratio + 1.0);
    CHECK(share > (double)row->ratio - row->bound - 0.001);
    /*
     * By the definition, too, but for the steps in which the weight grows: a
     * sixteenth of an octave.
     */
    double step = half_life != 0 ? 1.05 : 1.000001;
    share = then.defined[block] / then.defined_total * 1024;
    CHECK(share < (row->ratio + 1.0) * step);
    CHECK(share * step > (double)row->ratio - row->bound - 0.001);
}

/* Every unit of that moment, the heaviest first, and nothing else. */
static void check_rows(const struct mcuprof_hotspot_share *rows,
                       const struct mcuprof_hotspot *units, uint64_t sum)
{
    unsigned used = 0;
    for (unsigned i = 0; i < UNITS; i++) {
        used += units[i].weight != 0;
    }
    unsigned ratios = 0;
    uint32_t above = UINT32_MAX;
    for (unsigned i = 0; i < used; i++) {
        const struct mcuprof_hotspot *unit = &units[unit_of(&rows[i], units)];
        check_row(&rows[i], unit, sum);
        CHECK(unit->weight <= above);
        above = unit->weight;
        ratios += rows[i].ratio;
        for (unsigned j = 0; j < i; j++) {
            CHECK(rows[i].pc != rows[j].pc);
        }
    }
    CHECK(ratios <= 1024);
    CHECK(used == 0 || ratios > 1024 - used);
    for (unsigned i = used; i < UNITS; i++) {
        CHECK(rows[i].pc == NULL && rows[i].ratio == 0 && rows[i].bound == 0);
    }
}

static void check_view(void)
{
    const struct mcuprof_hotspots_view *view = &mcuprof_hotspots_view;
    CHECK(view->sequence % 2u == 0);
    then_halvings = 0;
    catch_up(view->samples + view->ignored);
    CHECK(then.samples == view->samples);
    CHECK(then.ignored == view->ignored);
    CHECK(delivered - then_delivered <= 2u * VIEW_EVERY);
    const struct mcuprof_hotspot *units = past_tables[then_delivered % PAST];
    uint64_t sum = check_table(units, &then);
    check_rows(view->units, units, sum);
}

#if MCUPROF_HOTSPOT_IGNORE
/* Blocks that are left out: one by call, others by two ranges. */
enum {
    CALLED = 400,
    RANGE_FROM = 100,
    RANGE_TO = 200,
    LONE = 300 /* its last address */
};

static int ranges_are_set;

int hotspots_test_ignores(uint32_t pc);

int hotspots_test_ignores(uint32_t pc)
{
    return oracle_cell(pc) / ORACLE_PCS == CALLED;
}

static int is_ignored(unsigned cell)
{
    unsigned block = cell / ORACLE_PCS;
    if (block == CALLED) {
        return 1;
    }
    return ranges_are_set
           && ((block >= RANGE_FROM && block < RANGE_TO)
               || cell == LONE * ORACLE_PCS + ORACLE_PCS - 1u);
}
#else
static int is_ignored(unsigned cell)
{
    (void)cell;
    return 0;
}
#endif

/* One sample into the engine, and what it did with it. */
static void put(unsigned cell)
{
    struct sample *s = &past[delivered++ % PAST];
    uint32_t sequence = mcuprof_hotspots_view.sequence;
    uint32_t step = mcuprofi_hotspots.step;
    uint32_t decay_in = engine_decay_in();
    s->weight = engine_weight();
    engine_put(oracle_address(cell));
    s->halved = engine_weight() < s->weight
                || (half_life == 0 && engine_decay_in() > decay_in);
    /* One that halves is long enough without a step of the view. */
    CHECK(!s->halved || mcuprofi_hotspots.step == step);
    s->cell = is_ignored(cell) ? ORACLE_IGNORED : (uint16_t)cell;
    oracle_add(&now, s->cell, s->weight);
    if (s->halved) {
        oracle_halve(&now);
    }
    memcpy(past_tables[delivered % PAST], mcuprof_hotspots,
           sizeof(mcuprof_hotspots));
    state.count++;
    if (mcuprof_hotspots_view.sequence != sequence) {
        CHECK(mcuprof_hotspots_view.sequence == sequence + 2u);
        uint32_t before = then_delivered;
        check_view();
        /* A halving puts a step off by one sample. */
        CHECK(then_delivered - before >= VIEW_EVERY);
        CHECK(then_delivered - before <= VIEW_EVERY + then_halvings);
    }
    CHECK(delivered - then_delivered <= 2u * VIEW_EVERY);
}

/* The last view is of all samples. */
static void stop(void)
{
    assert_int_equal(mcuprof_stop(), 0);
    CHECK(mcuprof_hotspots_view.samples == now.samples);
    CHECK(mcuprof_hotspots_view.ignored == now.ignored);
    CHECK(now.samples + now.ignored == delivered);
    check_view();
}

static void run(const struct stream *stream, uint32_t samples)
{
    start(stream->name);
    for (uint32_t i = 0; i < samples; i++) {
        put(stream->next(&state));
        if (i % LOOK_EVERY == 0) {
            check_live();
        }
    }
    CHECK(mcuprof_hotspots_view.sequence / 2u >= samples / VIEW_EVERY - 1u);
    stop();
}

static const struct mcuprof_hotspot_share *row(unsigned i)
{
    return &mcuprof_hotspots_view.units[i];
}

static void test_streams(void **unused)
{
    (void)unused;
    majorities = 0;
    for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
        run(&streams[i], 40000);
    }
    CHECK(majorities > 1000);
}

/* A sample weighs twice as much a half-life later, after any time. */
static void test_weight_doubles_in_a_half_life(void **unused)
{
    (void)unused;
    start("weight");
    double octaves = 0;
    double first = log2(engine_weight());
    for (uint32_t i = 0; i < 100000; i++) {
        double expected = half_life != 0 ? (double)i / half_life : 0;
        uint32_t before = engine_weight();
        double apart = octaves + log2(before) - first - expected;
        CHECK(apart > -0.0704 && apart < 0.0704); /* 5 % */
        put(i % 3u);
        octaves += engine_weight() < before;
    }
}

/* Nothing is forgotten, but what is counted must fit. */
static void test_what_is_never_forgotten_fits(void **unused)
{
    (void)unused;
    if (half_life != 0) {
        return;
    }
    start("halved");
    is_defined = 0;
    struct mcuprofi_hotspots *h = &mcuprofi_hotspots;
    for (uint32_t i = 0; i < 30000; i++) {
        if (i % 2222u == 0) {
            /* As after 2^29 samples. */
            h->view_in -= h->wait - h->countdown;
            h->samples += h->wait - h->countdown;
            h->decay_in = h->wait = h->countdown = 1;
        }
        put(stream_zipf(&state));
        check_live();
    }
    stop();
}

static void test_three_million_in_one_block(void **unused)
{
    (void)unused;
    static const struct stream one = {"one block", stream_one_block};
    run(&one, 3000000);
    CHECK(mcuprof_hotspots_view.samples == 3000000);
    CHECK(row(0)->ratio == 1024 && row(0)->bound == 0);
    CHECK(row(1)->ratio == 0);
}

/* Until the weights are as great as they get. */
static void test_six_half_lives(void **unused)
{
    (void)unused;
    static const struct stream zipf = {"long", stream_zipf};
    run(&zipf, 6u * half_life);
}

/* Where the published table says 2116 of 1024, and 1097 twice. */
static void test_ratios_of_one_and_two_blocks(void **unused)
{
    (void)unused;
    static const struct stream one = {"one block", stream_one_block};
    static const struct stream two = {"two blocks", stream_two_blocks};
    run(&one, 10000);
    CHECK(row(0)->ratio == 1024 && row(0)->bound == 0);
    run(&two, 10000);
    if (half_life == 0 || half_life > 1000) {
        CHECK(row(0)->ratio == 512 && row(1)->ratio == 512);
    }
    CHECK(row(2)->ratio == 0);
}

/* Where the published table starts every unit anew, at 2. */
static void test_one_block_more_than_units(void **unused)
{
    (void)unused;
    static const struct stream cyclic = {"cyclic", stream_cyclic};
    run(&cyclic, 10000);
    /* 1 / (UNITS + 1) is right for each; its bounds were checked. */
    if (half_life == 0 || half_life > 1000) {
        CHECK(row(UNITS - 1u)->ratio >= 1024u / (UNITS + 1u));
    }
}

/* returns: what the live table gives the blocks below `end`, at most */
static double share_below(unsigned end)
{
    double of = 0;
    double sum = 0;
    for (unsigned i = 0; i < UNITS; i++) {
        const struct mcuprof_hotspot *unit = &mcuprof_hotspots[i];
        sum += unit->weight;
        if (unit->weight != 0
            && oracle_cell(pc_of(unit->pc)) / ORACLE_PCS < end) {
            of += unit->weight;
        }
    }
    return of / sum;
}

/*
 * However long an old phase was: after four half-lives it has 2^-4 of the
 * weight, and less than a twentieth after four and a half.
 */
static void test_old_phase_is_forgotten(void **unused)
{
    (void)unused;
    if (half_life == 0 || half_life > 10000) {
        return;
    }
    start("old phase");
    for (uint32_t i = 0; i < 12u * half_life; i++) {
        put(stream_any_pc(&state, stream_below(&state, 2)));
    }
    CHECK(share_below(2) == 1);
    for (uint32_t i = 0; i < 4u * half_life; i++) {
        put(stream_any_pc(&state, 2u + stream_below(&state, UNITS)));
    }
    CHECK(share_below(2) < 0.0625 * 1.05);
    for (uint32_t i = 0; i < half_life / 2u; i++) {
        put(stream_any_pc(&state, 2u + stream_below(&state, UNITS)));
    }
    CHECK(share_below(2) < 0.05);
    stop();
}

static void test_no_sample_and_few(void **unused)
{
    (void)unused;
    start("none");
    CHECK(mcuprof_hotspots_view.sequence == 0);
    stop();
    CHECK(mcuprof_hotspots_view.sequence == 2);
    for (unsigned few = 1; few <= UNITS; few++) {
        start("few");
        for (unsigned i = 0; i < few; i++) {
            put(ORACLE_PCS * i);
        }
        stop();
        CHECK(row(few - 1u)->ratio > 0);
    }
    /* A start forgets all, the view as well. */
    start("none");
    CHECK(mcuprof_hotspots_view.sequence == 0 && row(0)->ratio == 0);
    CHECK(mcuprof_hotspots[0].weight == 0);
}

/* Every interval from half a period to one and a half, none beyond. */
static void test_jitter_reaches_the_timer(void **unused)
{
    (void)unused;
    enum {
        PERIOD = 2500
    };
    static unsigned seen[2 * PERIOD];
    unsigned different = 0;
    start("jitter");
    for (uint32_t i = 0; i < 50000; i++) {
        timer_reload = 0;
        put(i % 3u);
        uint32_t ticks = timer_reload + 1u;
        CHECK(ticks >= PERIOD / 2 && ticks < PERIOD / 2 + PERIOD);
        different += seen[ticks]++ == 0;
    }
    CHECK(different == PERIOD);
}

#if MCUPROF_HOTSPOT_IGNORE
static unsigned next_mostly_ignored(void)
{
    switch (stream_below(&state, 20)) {
    case 0:
        return stream_zipf(&state);
    case 1:
        return stream_any_pc(&state, LONE);
    case 2:
        return stream_any_pc(&state, CALLED);
    case 3:
        return (LONE + 1) * ORACLE_PCS; /* right behind */
    default:
        return stream_any_pc(&state, RANGE_FROM + state.count % 100u);
    }
}

/* Nine of ten samples: the rest is as without them. */
static void test_ignored(void **unused)
{
    (void)unused;
    uint32_t begin = oracle_address(RANGE_FROM * ORACLE_PCS);
    uint32_t end = oracle_address(RANGE_TO * ORACLE_PCS);
    uint32_t lone = oracle_address(LONE * ORACLE_PCS + ORACLE_PCS - 1u);
    assert_int_equal(mcuprof_hotspots_ignore(begin, begin), MCUPROF_EINVAL);
    assert_int_equal(mcuprof_hotspots_ignore(end, begin), MCUPROF_EINVAL);
    assert_int_equal(mcuprof_hotspots_ignore(begin, begin + 1u),
                     MCUPROF_EINVAL);
    /* As functions' addresses are: neither more nor less than those blocks. */
    assert_int_equal(mcuprof_hotspots_ignore(begin + 1u, end + 1u), 0);
    assert_int_equal(mcuprof_hotspots_ignore(lone + 1u, lone + 3u), 0);
    assert_int_equal(mcuprof_hotspots_ignore(begin, end), MCUPROF_ENOSPACE);
    ranges_are_set = 1;
    start("ignored");
    for (uint32_t i = 0; i < 100000; i++) {
        unsigned cell = next_mostly_ignored();
        put(cell);
        if (i % LOOK_EVERY == 0) {
            check_live();
        }
    }
    CHECK(now.ignored > 84000 && now.samples > 8000);
    stop();
    /* And if nothing is left at all. */
    start("all ignored");
    for (uint32_t i = 0; i < 5000; i++) {
        put(CALLED * ORACLE_PCS);
    }
    CHECK(mcuprof_hotspots_view.ignored > 0);
    stop();
}
#else
static void test_ignored(void **unused)
{
    (void)unused;
    assert_int_equal(mcuprof_hotspots_ignore(2, 2), MCUPROF_EINVAL);
    assert_int_equal(mcuprof_hotspots_ignore(0, 2), MCUPROF_ENOSPACE);
}
#endif

int main(void)
{
    static const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_streams),
            cmocka_unit_test(test_weight_doubles_in_a_half_life),
            cmocka_unit_test(test_what_is_never_forgotten_fits),
            cmocka_unit_test(test_three_million_in_one_block),
            cmocka_unit_test(test_ratios_of_one_and_two_blocks),
            cmocka_unit_test(test_one_block_more_than_units),
            cmocka_unit_test(test_old_phase_is_forgotten),
            cmocka_unit_test(test_no_sample_and_few),
            cmocka_unit_test(test_jitter_reaches_the_timer),
            cmocka_unit_test(test_ignored), /* for good: the last */
    };
    /* For the longest half-life that takes some 10 s: tests/truth asks. */
    static const struct CMUnitTest long_tests[] = {
            cmocka_unit_test(test_six_half_lives),
    };
    if (getenv("HOTSPOTS_LONG") != NULL) {
        return cmocka_run_group_tests(long_tests, NULL, NULL);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
